// SPDX-License-Identifier: Apache-2.0
//! One writer of the real crate, driven by lines: the peer of the mixed fleet.
//!
//!     interop_peer ENDPOINT BUCKET TABLE TIMEOUT_MS RATE      credentials and region: AWS_ACCESS_KEY_ID ...
//!
//! Commands, one a line, and their answers:
//!     create KEY BODY          ok ETAG | conflict | error TEXT
//!     update KEY ETAG BODY     the same
//!     copy FROM TO             ok - | conflict | error TEXT
//!     get KEY                  ok ETAG BODY | none | error TEXT
//!     quit
//! A key and an ETag have no blanks; a body has no line ends. Nothing is sent twice: an error is the crate's first word.

use std::io::{BufRead, Write};

use object_store::aws::{
    AmazonS3, AmazonS3Builder, DynamoCommit, S3ConditionalPut, S3CopyIfNotExists,
};
use object_store::path::Path;
use object_store::{Error, ObjectStore, PutMode, PutResult, RetryConfig, UpdateVersion};

type Failure = Box<dyn std::error::Error>;

// The crate calls the table deprecated in favour of the store's own conditions; the fleet uses it still.
#[allow(deprecated)]
fn open(arguments: &[String]) -> Result<AmazonS3, Failure> {
    let [endpoint, bucket, table, timeout_ms, rate] = arguments else {
        return Err("usage: interop_peer ENDPOINT BUCKET TABLE TIMEOUT_MS RATE".into());
    };
    let commit = DynamoCommit::new(table.clone())
        .with_timeout(timeout_ms.parse()?)
        .with_max_clock_skew_rate(rate.parse()?);
    // A retry of its own PUT would make the crate report its own object as another writer's.
    let retry = RetryConfig {
        max_retries: 0,
        ..RetryConfig::default()
    };
    Ok(AmazonS3Builder::from_env()
        .with_endpoint(endpoint)
        .with_bucket_name(bucket)
        .with_allow_http(true)
        .with_retry(retry)
        .with_conditional_put(S3ConditionalPut::Dynamo(commit.clone()))
        .with_copy_if_not_exists(S3CopyIfNotExists::Dynamo(commit))
        .build()?)
}

fn refusal(error: Error) -> String {
    match error {
        Error::AlreadyExists { .. } | Error::Precondition { .. } => "conflict".into(),
        other => format!("error {other:?}").replace('\n', " "),
    }
}

fn written(result: object_store::Result<PutResult>) -> String {
    match result {
        Ok(put) => format!("ok {}", put.e_tag.as_deref().unwrap_or("-")),
        Err(error) => refusal(error),
    }
}

async fn put(store: &AmazonS3, key: &str, body: &str, mode: PutMode) -> String {
    let body = body.to_owned().into();
    written(store.put_opts(&Path::from(key), body, mode.into()).await)
}

async fn copy(store: &AmazonS3, from: &str, to: &str) -> String {
    match store
        .copy_if_not_exists(&Path::from(from), &Path::from(to))
        .await
    {
        Ok(()) => "ok -".into(),
        Err(error) => refusal(error),
    }
}

async fn get(store: &AmazonS3, key: &str) -> String {
    let found = match store.get(&Path::from(key)).await {
        Ok(found) => found,
        Err(Error::NotFound { .. }) => return "none".into(),
        Err(error) => return refusal(error),
    };
    let etag = found.meta.e_tag.clone().unwrap_or_else(|| "-".into());
    match found.bytes().await {
        Ok(body) => format!("ok {etag} {}", String::from_utf8_lossy(&body)),
        Err(error) => refusal(error),
    }
}

async fn answer(store: &AmazonS3, line: &str) -> String {
    let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
    let (key, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    match command {
        "create" => put(store, key, rest, PutMode::Create).await,
        "update" => {
            let (etag, body) = rest.split_once(' ').unwrap_or((rest, ""));
            let version = UpdateVersion {
                e_tag: Some(etag.into()),
                version: None,
            };
            put(store, key, body, PutMode::Update(version)).await
        }
        "copy" => copy(store, key, rest).await,
        "get" => get(store, key).await,
        _ => format!("error no such command: {command}"),
    }
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let store = open(&arguments)?;
    // One thread, as a program that stops it between two requests expects: nothing runs while a command is awaited.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut out = std::io::stdout();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        if line == "quit" {
            break;
        }
        let answer = runtime.block_on(answer(&store, &line));
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}
