// SPDX-License-Identifier: Apache-2.0
//! Writers that race through the trait, and writers whose answers are lost.

#[macro_use]
mod support;
mod proxy;

use futures_util::StreamExt;
use object_store::path::Path;
use object_store::{Error, ObjectStore, PutMode};
use oscommit::{Store, Unknown, Verdict};
use std::time::Duration;

const WRITERS: usize = 8;
const KEYS: usize = 50;

/// Each wants every key, and says which it got.
async fn create_all(store: Store, writer: usize) -> Vec<usize> {
    let mut won = Vec::new();
    for number in 0..KEYS {
        let key = Path::from(format!("race/{number:03}"));
        match store.put_opts(&key, writer.to_string().into(), PutMode::Create.into()).await {
            Ok(_) => won.push(number),
            Err(Error::AlreadyExists { .. }) => {}
            Err(other) => panic!("{other}"),
        }
    }
    won
}

on_every_store! {
    one_winner_for_each_key(it) {
        let tasks: Vec<_> = (0..WRITERS).map(|writer| tokio::spawn(create_all(it.another(), writer))).collect();
        let mut winners = [None; KEYS];
        for (writer, task) in tasks.into_iter().enumerate() {
            for number in task.await.expect("the writer ends") {
                assert_eq!(winners[number].replace(writer), None, "two were told that they made {number}");
            }
        }
        for (number, winner) in winners.iter().enumerate() {
            let key = Path::from(format!("race/{number:03}"));
            let object = it.store.get(&key).await.expect("somebody made it").bytes().await.expect("its bytes");
            assert_eq!(String::from_utf8_lossy(&object), winner.expect("a winner was told").to_string());
        }
        assert_eq!(it.store.list(None).count().await, KEYS);
    }
}

/// The store has made the write, its answer is lost, and nothing more is heard of it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unknown_write_has_a_ticket_that_decides_it() {
    let Some(server) = support::variable("MINIO_ENDPOINT") else { return support::skipped() };
    let proxy = proxy::Proxy::start(&server).await;
    let options = support::served_options(Some(proxy.endpoint())).expect("both servers are named");
    let store = support::opened(options());
    store.client().table_create().await.expect("the table of records");
    let hurried = Store::from(store.client().with_deadline(Duration::from_secs(3)));
    let key = Path::from("lost");
    store.put(&Path::from("before"), "so that the client knows its store".into()).await.expect("it is put");
    proxy.lose_the_next_put();
    let error = hurried.put_opts(&key, "mine".into(), PutMode::Create.into()).await.expect_err("nobody knows");
    let Error::Generic { source, .. } = error else { panic!("{error:?}") };
    let unknown: Box<Unknown> = source.downcast().expect("it says that it is unknown");
    let ticket = unknown.ticket.expect("a ticket");
    assert!(proxy.has_lost(), "the store was given the write");

    assert!(matches!(hurried.resolve(&ticket).await, Verdict::Unknown(_)), "the store still does not answer");
    proxy.heal();
    match store.settle(&ticket).await {
        Verdict::Committed(committed) => assert!(committed.etag.is_some()),
        other => panic!("{other:?}"),
    }
    let object = store.get(&key).await.expect("it is there").bytes().await.expect("its bytes");
    assert_eq!(&object[..], b"mine");
}
