// SPDX-License-Identifier: Apache-2.0
//! Futures that are dropped while their calls are under way: what C still uses outlives them, and all of it is freed.

#[macro_use]
mod support;

use bytes::Bytes;
use futures_util::FutureExt;
use oscommit::{Body, Client, GetOptions, LeaseOptions, ListOptions, LogLevel, PutOptions, UpdateOptions, Verdict};
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

const ROUNDS: usize = 150;

/// Memory that counts itself, and is made unreadable to whoever comes too late.
struct Counted {
    data: Vec<u8>,
    alive: Arc<AtomicUsize>,
}

impl Counted {
    fn new(alive: &Arc<AtomicUsize>, byte: u8) -> Self {
        alive.fetch_add(1, Ordering::SeqCst);
        Self { data: vec![byte; 20_000], alive: Arc::clone(alive) }
    }
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.data
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.data.fill(0xdd);
        self.alive.fetch_sub(1, Ordering::SeqCst);
    }
}

struct CountedReader(Counted, usize);

impl Read for CountedReader {
    fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
        let length = (&self.0.data[self.1..]).read(room)?;
        self.1 += length;
        Ok(length)
    }
}

/// Starts the call, lets it come as far as it does in some turns of the runtime, and drops it.
async fn start_and_drop(future: impl Future, turns: usize) {
    let mut future = Box::pin(future);
    for _ in 0..=turns {
        if future.as_mut().now_or_never().is_some() {
            return;
        }
        tokio::task::yield_now().await;
    }
}

async fn drop_one_of_each(client: &Client, alive: &Arc<AtomicUsize>, round: usize) {
    let (key, byte, plain) = (format!("key/{round}"), b'a' + (round % 26) as u8, PutOptions::default());
    let turns = round % 40;
    let bytes = Bytes::from_owner(Counted::new(alive, byte));
    start_and_drop(client.put_if_absent(&key, bytes.clone(), &plain), turns).await;
    start_and_drop(client.put(&format!("plain/{round}"), bytes, &plain), turns).await;
    let reader = Body::reader(CountedReader(Counted::new(alive, byte), 0));
    start_and_drop(client.put_if_absent(&format!("read/{round}"), reader, &plain), turns).await;
    let kept = Counted::new(alive, byte);
    let function = move |_: oscommit::Current<'_>| Ok::<_, std::io::Error>(kept.data.clone());
    start_and_drop(client.update(&format!("update/{round}"), function, &UpdateOptions::default()), turns).await;
    start_and_drop(client.get(&key, &GetOptions::default()), turns).await;
    start_and_drop(client.list(&ListOptions::default()), turns).await;
    start_and_drop(client.copy_if_not_exists(&key, &format!("copy/{round}")), turns).await;
}

/// Each object is whole, whoever was told of it.
async fn look_at_all(client: &Client) {
    for object in client.list(&ListOptions::default()).await.expect("the client still works") {
        let (_, bytes) = client.get(&object.key, &GetOptions::default()).await.expect("it can be read");
        assert_eq!(bytes.len(), 20_000, "{} is not whole", object.key);
        assert!(bytes.iter().all(|byte| *byte == bytes[0] && *byte != 0xdd), "{} has other bytes", object.key);
    }
}

on_every_store! {
    what_is_dropped_is_freed_and_never_torn(it) {
        let alive = Arc::new(AtomicUsize::new(0));
        for round in 0..ROUNDS {
            drop_one_of_each(it.client(), &alive, round).await;
        }
        assert!(matches!(it.client().put_if_absent("key/last", vec![b'z'; 20_000], &PutOptions::default()).await, Verdict::Committed(_)));
        look_at_all(it.client()).await;
        // Its close waits for the end of each operation.
        let other = it.another();
        drop(it.store);
        assert_eq!(alive.load(Ordering::SeqCst), 0, "something of a dropped call was not freed");
        look_at_all(other.client()).await;
    }

    a_dropped_acquire_is_freed(it) {
        let (client, name) = (it.leases().await, support::own_name());
        // On a machine that is too slow to give one back within a second, it ends by itself.
        let options = LeaseOptions { ttl: Some(Duration::from_secs(2)), ..LeaseOptions::default() };
        let waiting = LeaseOptions { wait: true, ..options.clone() };
        for round in 0..ROUNDS / 3 {
            start_and_drop(client.acquire_lease(&format!("{name}/{}", round % 10), &options), round % 40).await;
            start_and_drop(client.acquire_lease(&format!("{name}/{}", round % 10), &waiting), round % 40).await;
            start_and_drop(client.list_leases(), round % 40).await;
            if let Ok(lease) = client.acquire_lease(&format!("{name}/own/{round}"), &options).await {
                start_and_drop(lease.release(), round % 40).await;
            }
        }
        for number in 0..10 {
            drop(client.acquire_lease(&format!("{name}/{number}"), &waiting).await.expect("nobody has it"));
        }
    }

    a_dropped_write_is_told_to_whoever_asked(it) {
        let (tell, told) = mpsc::channel();
        let client = Client::open(it.options().abandoned(move |verdict| tell.send(verdict).expect("it is asked for")));
        let client = client.expect("another client");
        let (begun, begins) = mpsc::channel::<()>();
        let (go_on, may_go_on) = mpsc::channel::<()>();
        let function = move |_: oscommit::Current<'_>| {
            begun.send(()).expect("it is waited for");
            let _ = may_go_on.recv();
            Ok::<_, std::io::Error>(b"new".to_vec())
        };
        let options = UpdateOptions::default();
        let mut update = Box::pin(client.update("a", function, &options));
        assert!(update.as_mut().now_or_never().is_none());
        begins.recv_timeout(Duration::from_secs(30)).expect("the function runs");
        drop(update);
        go_on.send(()).expect("it waits");
        match told.recv_timeout(Duration::from_secs(30)).expect("a verdict") {
            Verdict::NotExecuted(error) => assert_eq!(error.code(), oscommit::Code::Cancelled),
            other => panic!("{other:?}"),
        }
        // What was awaited is told to nobody else.
        assert!(matches!(client.put_if_absent("a", "x", &PutOptions::default()).await, Verdict::Committed(_)));
        drop(client);
        assert!(told.try_recv().is_err());
    }

    the_last_client_may_go_in_a_callback_of_its_own(it) {
        let (open, closed) = mpsc::channel::<()>();
        let options = it.options().log(LogLevel::Error, move |_, _| { let _ = &open; });
        let client = Client::open(options).expect("another client");
        let (running, runs) = mpsc::channel();
        let (go_on, may_go_on) = mpsc::channel::<()>();
        let own = client.clone();
        let function = move |_: oscommit::Current<'_>| {
            let _ = (&own, running.send(()));
            let _ = may_go_on.recv();
            Ok::<_, std::io::Error>(Vec::new())
        };
        let options = UpdateOptions::default();
        let mut update = Box::pin(client.update("a", function, &options));
        assert!(update.as_mut().now_or_never().is_none());
        runs.recv_timeout(Duration::from_secs(30)).expect("the function runs");
        drop(update);
        drop(client); // the function has the last one
        go_on.send(()).expect("it waits");
        assert_eq!(closed.recv_timeout(Duration::from_secs(30)), Err(RecvTimeoutError::Disconnected), "it is still open");
    }
}

#[test]
#[should_panic(expected = "the reader's own panic")]
fn a_panic_of_a_reader_comes_out_of_the_future() {
    struct Panics;
    impl Read for Panics {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            panic!("the reader's own panic");
        }
    }
    let it = support::embedded();
    let put = async { it.client().put("a", Body::reader(Panics), &PutOptions::default()).await };
    let _ = tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(put);
}
