// SPDX-License-Identifier: Apache-2.0
//! The stores that the tests run on: a folder of the test's own, and MinIO with DynamoDB Local where they are started.
#![allow(dead_code)] // each test program uses some of it

use oscommit::{Client, Options, Store};
use std::io::Write;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tempfile::TempDir;

/// A store, and what must stay while it is used.
pub struct Fixture {
    pub store: Store,
    pub folder: Option<TempDir>,
}

impl Fixture {
    pub fn client(&self) -> &Client {
        self.store.client()
    }
}

pub fn embedded() -> Fixture {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let root = folder.path().join("store");
    Client::init(&root).expect("an embedded store");
    Fixture { store: opened(Options::new(format!("file://{}", root.display()))), folder: Some(folder) }
}

fn opened(options: Options) -> Store {
    let client = Client::open(options).expect("the client opens");
    Store::from(client.with_deadline(Duration::from_secs(60)))
}

/// No two tests share a key, in whatever process.
fn own_name() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock").as_nanos();
    format!("{}-{now}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

fn variable(name: &str) -> Option<String> {
    std::env::var(format!("OSCOMMIT_TEST_{name}")).ok()
}

fn served_options() -> Option<Options> {
    let bucket = variable("MINIO_BUCKET")?;
    let options = Options::new(format!("s3://{bucket}/rust-{}", own_name()))
        .ledger_url("dynamodb://oscommit-rust")
        .s3_endpoint(variable("MINIO_ENDPOINT")?)
        .dynamodb_endpoint(variable("DYNAMODB_ENDPOINT")?)
        .s3_region(variable("REGION")?)
        .access_key_id(variable("MINIO_ACCESS_KEY")?)
        .secret_access_key(variable("MINIO_SECRET_KEY")?);
    Some(options)
}

/// MinIO with records in DynamoDB Local; `None`: they are not started, and need not be.
pub async fn served() -> Option<Fixture> {
    let Some(options) = served_options() else {
        assert!(
            std::env::var("OSCOMMIT_REQUIRE_SERVERS").as_deref() != Ok("1"),
            "MinIO or DynamoDB Local is not named in the environment (scripts/servers.sh start DIR, then . DIR/env)."
        );
        // Past the test program's own capture.
        let _ = std::io::stderr().write_all(b"SKIPPED: neither MinIO nor DynamoDB Local is named in the environment\n");
        return None;
    };
    let store = opened(options);
    store.client().table_create().await.expect("the table of records");
    Some(Fixture { store, folder: None })
}

/// Each case as a test on the folder and as one on the servers.
#[allow(unused_macros)]
macro_rules! on_every_store {
    ($($name:ident($store:ident) $body:block)*) => {
        mod embedded {
            use super::*;
            $(#[tokio::test]
            async fn $name() {
                let $store = $crate::support::embedded();
                $body
            })*
        }
        mod served {
            use super::*;
            $(#[tokio::test]
            async fn $name() {
                let Some($store) = $crate::support::served().await else { return };
                $body
            })*
        }
    };
}
