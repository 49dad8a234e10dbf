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
    options: Box<dyn Fn() -> Options + Send>,
    folder: Option<TempDir>,
}

impl Fixture {
    fn new(options: impl Fn() -> Options + Send + 'static, folder: Option<TempDir>) -> Self {
        Self { store: opened(options()), options: Box::new(options), folder }
    }

    pub fn client(&self) -> &Client {
        self.store.client()
    }

    /// Of another writer: nothing is shared with the first one but the store and its ledger.
    pub fn another(&self) -> Store {
        opened(self.options())
    }

    pub fn options(&self) -> Options {
        (self.options)()
    }

    /// A client of a table of this kind, which need not be there; of a file beside the store, or of DynamoDB.
    pub fn client_of_table(&self, kind: &str) -> Client {
        let options = match &self.folder {
            Some(folder) => Options::default().ledger_url(format!("sqlite://{}/{kind}.db", folder.path().display())),
            None => self.options().ledger_url(format!("dynamodb://oscommit-rust-{kind}")),
        };
        Client::open(options).expect("the client opens").with_deadline(Duration::from_secs(60))
    }

    pub async fn leases(&self) -> Client {
        let client = self.client_of_table("leases");
        client.lease_table_create().await.expect("the table of leases");
        client
    }

    pub async fn locks(&self) -> Client {
        let client = self.client_of_table("locks");
        client.lock_table_create().await.expect("the table of locks");
        client
    }

    pub fn is_embedded(&self) -> bool {
        self.folder.is_some()
    }
}

pub fn embedded() -> Fixture {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let root = folder.path().join("store");
    Client::init(&root).expect("an embedded store");
    let url = format!("file://{}", root.display());
    Fixture::new(move || Options::new(&url), Some(folder))
}

pub fn opened(options: Options) -> Store {
    let client = Client::open(options).expect("the client opens");
    Store::from(client.with_deadline(Duration::from_secs(60)))
}

/// No two tests share a key, in whatever process.
pub fn own_name() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock").as_nanos();
    format!("{}-{now}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Of one store, as often as it is called; `endpoint`: of a proxy instead of MinIO.
pub fn served_options(endpoint: Option<String>) -> Option<impl Fn() -> Options + Send + Clone + 'static> {
    let url = format!("s3://{}/rust-{}", variable("MINIO_BUCKET")?, own_name());
    let s3 = endpoint.or_else(|| variable("MINIO_ENDPOINT"))?;
    let dynamodb = variable("DYNAMODB_ENDPOINT")?;
    let region = variable("REGION")?;
    let (key, secret) = (variable("MINIO_ACCESS_KEY")?, variable("MINIO_SECRET_KEY")?);
    Some(move || {
        Options::new(&url)
            .ledger_url("dynamodb://oscommit-rust")
            .s3_endpoint(&s3)
            .dynamodb_endpoint(&dynamodb)
            .s3_region(&region)
            .access_key_id(&key)
            .secret_access_key(&secret)
    })
}

/// MinIO with records in DynamoDB Local; `None`: they are not started, and need not be.
pub async fn served() -> Option<Fixture> {
    let Some(options) = served_options(None) else {
        skipped();
        return None;
    };
    let fixture = Fixture::new(options, None);
    fixture.client().table_create().await.expect("the table of records");
    Some(fixture)
}

/// Says so past the test program's own capture.
pub fn skipped() {
    assert!(
        std::env::var("OSCOMMIT_REQUIRE_SERVERS").as_deref() != Ok("1"),
        "MinIO or DynamoDB Local is not named in the environment (scripts/servers.sh start DIR, then . DIR/env)."
    );
    let _ = std::io::stderr().write_all(b"SKIPPED: neither MinIO nor DynamoDB Local is named in the environment\n");
}

pub fn variable(name: &str) -> Option<String> {
    std::env::var(format!("OSCOMMIT_TEST_{name}")).ok()
}

/// Each case as a test on the folder and as one on the servers.
#[allow(unused_macros)]
macro_rules! on_every_store {
    ($($name:ident($store:ident) $body:block)*) => {
        mod embedded {
            use super::*;
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                let $store = $crate::support::embedded();
                $body
            })*
        }
        mod served {
            use super::*;
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                let Some($store) = $crate::support::served().await else { return };
                $body
            })*
        }
    };
}
