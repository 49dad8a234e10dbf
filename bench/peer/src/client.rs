// SPDX-License-Identifier: Apache-2.0
//! The options and the conditional writes: what bench_client does with this library.

use object_store::aws::AmazonS3;
use object_store::path::Path;
use object_store::{Error, GetOptions, ObjectStore, PutMode, PutResult, UpdateVersion};

#[allow(unused_imports)] // the plain calls of later ones are a trait of their own
use crate::Plain as _;

pub struct Options {
    pub mode: String,
    pub endpoint: String,
    pub bucket: String,
    pub table: String,
    pub prefix: String,
    pub in_flight: usize,
    pub bytes: usize,
    pub seconds: f64,
    pub warm: f64,
    pub current_thread: bool,
}

/// What a conditional write came to.
pub enum Outcome {
    Done(String),
    Conflict,
    Failed(String),
}

impl Options {
    fn set(&mut self, name: &str, value: String) -> Option<()> {
        match name {
            "--s3" => self.endpoint = value,
            "--bucket" => self.bucket = value,
            "--table" => self.table = value,
            "--prefix" => self.prefix = value,
            "--in-flight" => self.in_flight = value.parse().ok()?,
            "--bytes" => self.bytes = value.parse().ok()?,
            "--seconds" => self.seconds = value.parse().ok()?,
            "--warm" => self.warm = value.parse().ok()?,
            "--runtime" => self.current_thread = value == "current",
            "--ledger" | "--guard" | "--profile" | "--options" => (), // of bench_client alone
            _ => return None,
        }
        Some(())
    }

    fn parse() -> Option<Options> {
        let mut arguments = std::env::args().skip(1);
        let mut options = Options {
            mode: arguments.next()?,
            endpoint: String::new(),
            bucket: String::new(),
            table: String::new(),
            prefix: "bench".into(),
            in_flight: 1,
            bytes: 1024,
            seconds: 1.0,
            warm: 0.3,
            current_thread: false,
        };
        while let Some(name) = arguments.next() {
            options.set(&name, arguments.next()?)?;
        }
        Some(options)
    }
}

fn outcome(result: object_store::Result<PutResult>) -> Outcome {
    match result {
        Ok(put) => Outcome::Done(put.e_tag.unwrap_or_default()),
        Err(error) => refusal(error),
    }
}

fn refusal(error: Error) -> Outcome {
    match error {
        Error::AlreadyExists { .. } | Error::Precondition { .. } => Outcome::Conflict,
        other => Outcome::Failed(format!("{other:?}").replace('\n', " ")),
    }
}

pub async fn create(store: &AmazonS3, key: &str, body: Vec<u8>) -> Outcome {
    outcome(
        store
            .put_opts(&Path::from(key), body.into(), PutMode::Create.into())
            .await,
    )
}

pub async fn update(store: &AmazonS3, key: &str, etag: &str, body: Vec<u8>) -> Outcome {
    let mode = PutMode::Update(UpdateVersion {
        e_tag: Some(etag.into()),
        version: None,
    });
    outcome(
        store
            .put_opts(&Path::from(key), body.into(), mode.into())
            .await,
    )
}

pub async fn copy(store: &AmazonS3, from: &str, to: &str) -> Outcome {
    match crate::copy(store, &Path::from(from), &Path::from(to)).await {
        Ok(()) => Outcome::Done(String::new()),
        Err(error) => refusal(error),
    }
}

pub async fn put(store: &AmazonS3, key: &str, body: Vec<u8>) -> Outcome {
    outcome(store.put(&Path::from(key), body.into()).await)
}

pub async fn delete(store: &AmazonS3, key: &str) -> Outcome {
    match store.delete(&Path::from(key)).await {
        Ok(()) => Outcome::Done(String::new()),
        Err(error) => refusal(error),
    }
}

/// The body and the ETag.
pub async fn get(store: &AmazonS3, key: &str) -> object_store::Result<(Vec<u8>, String)> {
    let found = store
        .get_opts(&Path::from(key), GetOptions::default())
        .await?;
    let etag = found.meta.e_tag.clone().unwrap_or_default();
    Ok((found.bytes().await?.to_vec(), etag))
}

pub fn main() {
    let Some(options) = Options::parse() else {
        eprintln!("usage: MODE --s3 URL --bucket NAME --table NAME [--in-flight N] [--seconds S] [--bytes N] ...");
        std::process::exit(2);
    };
    let mut builder = if options.current_thread {
        tokio::runtime::Builder::new_current_thread()
    } else {
        tokio::runtime::Builder::new_multi_thread()
    };
    let runtime = builder.enable_all().build().expect("a runtime");
    let store = crate::open(&options).expect("a store");
    if options.mode == "lines" {
        runtime.block_on(crate::lines::run(store));
    } else {
        runtime.block_on(crate::load::run(store, options));
    }
}
