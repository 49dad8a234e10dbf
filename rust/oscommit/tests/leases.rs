// SPDX-License-Identifier: Apache-2.0
//! Leases and locks: who holds them, who is told that he does not, and what becomes of those that are dropped.

#[macro_use]
mod support;

use futures_util::FutureExt;
use futures_util::future::join_all;
use oscommit::{Client, Code, LeaseOptions, LeaseStatus, Lock};
use std::time::Duration;
use support::own_name;

const LONG: Duration = Duration::from_secs(60);

fn fenced() -> LeaseOptions {
    LeaseOptions { fencing: true, ..LeaseOptions::default() }
}

fn waiting() -> LeaseOptions {
    LeaseOptions { wait: true, ..fenced() }
}

async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(LONG, future).await.expect("it ends within a minute")
}

fn lock(instance: &str) -> Lock {
    Lock { namespace: own_name(), name: "nightly".into(), owner: "tests".into(), instance: instance.into() }
}

on_every_store! {
    one_holder_at_a_time(it) {
        let (client, name) = (it.leases().await, own_name());
        let options = LeaseOptions { owner: Some("the first".into()), ..fenced() };
        let first = client.acquire_lease(&name, &options).await.expect("nobody has it");
        assert!(first.is_held() && first.status() == LeaseStatus::Held && first.check().is_ok());
        assert!(first.remaining() > Duration::from_secs(30) && first.remaining() <= LONG);
        let refused = client.acquire_lease(&name, &fenced()).await.expect_err("somebody has it");
        assert_eq!(refused.code(), Code::Conflict);
        assert!(refused.to_string().contains("the first"), "{refused}");
        let info = client.read_lease(&name).await.expect("the table is there");
        assert!(info.is_held && info.owner == "the first" && info.token == first.token());
        let token = first.token();
        first.release().await.expect("it was held");
        let second = client.acquire_lease(&name, &fenced()).await.expect("nobody has it");
        assert!(second.token() > token);
        second.release().await.expect("it was held");
        let listed = client.list_leases().await.expect("the table is there");
        let (_, info) = listed.iter().find(|(listed, _)| *listed == name).expect("it keeps its token");
        assert!(!info.is_held && info.token > token);
    }

    a_lease_is_waited_for(it) {
        let (client, name) = (it.leases().await, own_name());
        let first = client.acquire_lease(&name, &fenced()).await.expect("nobody has it");
        let options = waiting();
        let mut second = Box::pin(client.acquire_lease(&name, &options));
        assert!(second.as_mut().now_or_never().is_none());
        assert!(first.is_held());
        first.release().await.expect("it was held");
        within(second).await.expect("it is free").release().await.expect("it was held");
    }

    a_lease_that_is_dropped_is_released(it) {
        let (client, name) = (it.leases().await, own_name());
        drop(client.acquire_lease(&name, &LeaseOptions { ttl: Some(Duration::from_secs(600)), ..fenced() }).await);
        let second = within(client.acquire_lease(&name, &waiting())).await.expect("nobody has it");
        // The guard keeps its client, and the client of the last guard waits for what is on its way.
        drop(client);
        drop(second);
        let client = it.leases().await;
        within(client.acquire_lease(&name, &waiting())).await.expect("nobody has it").release().await.expect("it was held");
    }

    a_lease_is_handed_on(it) {
        let (client, other, name) = (it.leases().await, it.leases().await, own_name());
        let lease = client.acquire_lease(&name, &fenced()).await.expect("nobody has it");
        let (handle, token) = (lease.handle().expect("it has one"), lease.token());
        lease.detach().await.expect("it is let go of");
        let adopted = other.adopt_lease(&name, &handle, &fenced()).await.expect("nobody has it");
        assert_eq!(adopted.token(), token);
        adopted.release().await.expect("it was held");
        let gone = other.adopt_lease(&name, &handle, &fenced()).await.expect_err("it was released");
        assert_eq!(gone.code(), Code::Conflict);
        assert_eq!(other.adopt_lease(&name, "nonsense", &fenced()).await.expect_err("no handle").code(), Code::Argument);
    }

    a_lease_that_is_lost_says_so(it) {
        let (client, other, name) = (it.leases().await, it.leases().await, own_name());
        let options = LeaseOptions { ttl: Some(Duration::from_secs(2)), ..fenced() };
        let lease = client.acquire_lease(&name, &options).await.expect("nobody has it");
        let adopted = other.adopt_lease(&name, &lease.handle().expect("it has one"), &options).await;
        let adopted = adopted.expect("it is held");
        within(lease.lost()).await;
        within(lease.lost()).await;
        assert!(!lease.is_held() && lease.remaining().is_zero() && lease.status() == LeaseStatus::Lost);
        assert_eq!(lease.check().expect_err("it is lost").code(), Code::Conflict);
        assert_eq!(lease.release().await.expect_err("it is lost").code(), Code::Conflict);
        adopted.release().await.expect("it was held");
    }

    a_name_that_cannot_be(it) {
        let client = it.leases().await;
        for name in ["", "a\0b"] {
            let refused = client.acquire_lease(name, &fenced()).await.expect_err("no name");
            assert_eq!(refused.code(), Code::Argument, "{refused}");
        }
        let short = LeaseOptions { ttl: Some(Duration::from_millis(1)), ..fenced() };
        assert_eq!(client.acquire_lease("a", &short).await.expect_err("too short").code(), Code::Argument);
    }

    locks_and_their_owners(it) {
        let client = it.locks().await;
        let ours = lock("a");
        let theirs = Lock { instance: "b".into(), ..ours.clone() };
        let info = client.acquire_lock(&ours, LONG).await.expect("nobody has it");
        assert!(info.is_held && info.owner == "tests" && info.instance == "a" && info.duration == LONG);
        let refused = client.acquire_lock(&theirs, LONG).await.expect_err("somebody has it");
        assert_eq!(refused.error().code(), Code::Conflict);
        assert_eq!(refused.found().expect("who has it").instance, "a");
        assert_eq!(client.break_lock(&theirs).await.expect_err("its time is not over").error().code(), Code::Conflict);
        assert_eq!(client.renew_lock(&ours, LONG).await.expect("it is ours").duration, 2 * LONG);
        let listed = client.list_locks(Some(&ours.namespace)).await.expect("the table is there");
        assert!(matches!(&listed[..], [(space, name, info)] if *space == ours.namespace && name == "nightly" && info.is_held));
        assert!(client.list_locks(None).await.expect("the table is there").len() >= listed.len());
        client.release_lock(&ours).await.expect("it is ours");
        assert!(!client.read_lock(&ours).await.expect("the table is there").is_held);
        assert_eq!(client.renew_lock(&ours, LONG).await.expect_err("it is free").error().code(), Code::Conflict);
        client.acquire_lock(&theirs, LONG).await.expect("nobody has it");
        client.release_lock(&theirs).await.expect("it is theirs");
    }
}

/// The futures are polled by one thread, and no thread is started for any.
async fn a_thousand(client: Client) {
    let client = client.with_deadline(Duration::from_secs(300));
    let run = own_name();
    let names: Vec<String> = (0..1000).map(|number| format!("{run}/{number}")).collect();
    let options = LeaseOptions { ttl: Some(Duration::from_secs(600)), ..waiting() };
    let acquiring = join_all(names.iter().map(|name| client.acquire_lease(name, &options)));
    let held: Vec<_> = acquiring.await.into_iter().map(|lease| lease.expect("nobody has it")).collect();
    let mut others = Box::pin(join_all(names.iter().map(|name| client.acquire_lease(name, &options))));
    assert!(others.as_mut().now_or_never().is_none());
    let threads = std::fs::read_dir("/proc/self/task").expect("Linux").count();
    assert!(threads < 200, "{threads} threads for a thousand who wait");
    drop(others);
    assert!(held.iter().all(oscommit::Lease::is_held));
    for released in join_all(held.into_iter().map(oscommit::Lease::release)).await {
        released.expect("it was held");
    }
    let left = client.list_leases().await.expect("the table is there");
    let left: Vec<_> = left.iter().filter(|(name, info)| name.starts_with(&run) && info.is_held).collect();
    assert!(left.is_empty(), "{} of those that were dropped are held", left.len());
}

#[tokio::test(flavor = "current_thread")]
async fn a_thousand_leases_in_a_file() {
    a_thousand(support::embedded().leases().await).await;
}

#[tokio::test(flavor = "current_thread")]
async fn a_thousand_leases_on_the_servers() {
    let Some(it) = support::served().await else { return };
    a_thousand(it.leases().await).await;
}

#[tokio::test]
async fn a_table_that_is_not_there() {
    let it = support::embedded();
    let client = it.client_of_table("leases");
    let missing = client.lease_table_check().await.expect_err("there is none");
    assert!(matches!(missing.code(), Code::NoTable | Code::Io | Code::Table), "{missing:?}");
    client.lease_table_create().await.expect("it can be made");
    client.lease_table_check().await.expect("it is fit");
}
