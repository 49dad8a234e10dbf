// SPDX-License-Identifier: Apache-2.0
//! Publishes one object exactly once, through the trait of `object_store`; every later run says who was first.

use object_store::path::Path;
use object_store::{Error, ObjectStore, PutMode};
use oscommit::{Client, Options, Store, Unknown};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let url = std::env::args().nth(1).unwrap_or_else(|| "file:///tmp/oscommit-example".into());
    if let Some(root) = url.strip_prefix("file://") {
        Client::init(root)?;
    }
    // OSCOMMIT_LEDGER and so on come from the environment.
    let store = Store::open(Options::from_environment().store_url(url))?;
    let path = Path::from("report/2026-11.json");
    match store.put_opts(&path, "{\"rows\": 42}\n".into(), PutMode::Create.into()).await {
        Ok(result) => println!("committed {}", result.e_tag.unwrap_or_default()),
        Err(Error::AlreadyExists { .. }) => println!("conflict: somebody was first"),
        Err(Error::Generic { source, .. }) if source.is::<Unknown>() => {
            settle(&store, *source.downcast::<Unknown>()?).await?;
        }
        Err(other) => return Err(other.into()),
    }
    Ok(())
}

/// Rare: it may have been applied. Asks for two minutes.
async fn settle(store: &Store, unknown: Unknown) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let ticket = unknown.ticket.ok_or("There is no ticket: look at the object.")?;
    eprintln!("Keep this ticket until it is settled: {ticket}");
    let committed = store.settle(&ticket).await.committed()?;
    println!("committed {}", committed.etag.unwrap_or_default());
    Ok(())
}
