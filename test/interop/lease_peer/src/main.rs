// SPDX-License-Identifier: Apache-2.0
//! One holder of leases by the real crate, which says what it believes: the peer of the fleet of leases.
//!
//!     lease_peer WHO ENDPOINT TABLE KEYS TTL_S EXTEND_MS HOLD_MS BELIEF    credentials, region: AWS_ACCESS_KEY_ID ...
//!
//! KEYS with commas: each time one of them is taken. HOLD_MS is LEAST-MOST: after so long a lease is dropped or held
//! once more. SIGTERM ends it between two holds. BELIEF says until when it believes that it holds a lease:
//!     crate    as long as there is the crate's Lease and its is_healthy() is true, however long it was stopped
//!     expiry   and only until the lease_expiry of the last request that was answered well. The crate does not tell it:
//!              it is read from the requests, which pass through the client that the crate is given
//! Its lines are the events of ../lease_history.py.
//!
//! What the crate, 0.22.1, lets a holder know (lines of its src):
//!   * an extension that fails in any way is the last one, and nobody is told (lease.rs:95); is_healthy() is false from
//!     then on, and says no more than that the task which extends has ended (lease.rs:72)
//!   * while an extension waits for its answer is_healthy() is true, and no time ends that (lease.rs:90)
//!   * the wall clock of whoever takes or extends makes lease_expiry, that of whoever wants it next ends it
//!     (client.rs:116 and 178)
//!   * a drop begins the release in a task of its own and does not hear how it went (lease.rs:116); release() does

use std::error::Error;
use std::hash::{BuildHasher, Hasher};
use std::io::Write;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_sdk_dynamodb::config::interceptors::{
    BeforeSerializationInterceptorContextRef, FinalizerInterceptorContextRef,
};
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::{
    BehaviorVersion, ConfigBag, Credentials, Intercept, Region, RuntimeComponents,
};
use aws_sdk_dynamodb::error::BoxError;
use aws_sdk_dynamodb::operation::{put_item::PutItemInput, update_item::UpdateItemInput};
use aws_sdk_dynamodb::types::AttributeValue;
use aws_smithy_types::config_bag::{Storable, StoreReplace};
use dynamodb_lease::Lease;
use rustix::time::{clock_gettime, ClockId};
use tokio::signal::unix::{signal, SignalKind};
use tokio::sync::watch;
use tokio::time::sleep;

type Failure = Box<dyn Error>;

const LOOK_EVERY: Duration = Duration::from_millis(10);

// ------------------------------------------------------------------------------------------------- clocks and chance

fn monotonic_us() -> i64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec * 1_000_000 + now.tv_nsec / 1000
}

/// When the wall clock shows this second, on the monotonic clock. Both are read in one millisecond: a process that is
/// stopped in between reads them once more.
fn monotonic_at(wall_s: i64) -> i64 {
    loop {
        let before = monotonic_us();
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        if monotonic_us() - before < 1000 {
            return before + wall_s * 1_000_000 - wall.as_micros() as i64;
        }
    }
}

fn chance(below: u64) -> u64 {
    let hasher = std::collections::hash_map::RandomState::new().build_hasher();
    hasher.finish() % below
}

fn some_ms(range: &RangeInclusive<u64>) -> Duration {
    Duration::from_millis(range.start() + chance(range.end() - range.start() + 1))
}

// ------------------------------------------------------------------------------------------------------------ belief

struct Belief {
    key: String,
    until_us: i64,
}

/// What the process believes, and the one place that writes lines, so that they stand in the order of what they say.
struct Holder {
    who: String,
    by_expiry: bool,
    taken_until_us: i64,
    belief: Option<Belief>,
}

impl Holder {
    fn say(&self, event: &str, more: &str) {
        let line = format!(r#"{{"event":"{event}","who":"{}"{more}}}"#, self.who) + "\n";
        // One write for a line: a process that is killed leaves no half of one.
        std::io::stdout().write_all(line.as_bytes()).unwrap();
    }

    fn held(&mut self, key: &str) {
        let at_us = monotonic_us();
        let until_us = if self.by_expiry {
            self.taken_until_us
        } else {
            i64::MAX
        };
        let until = if self.by_expiry {
            format!(r#","until_us":{until_us}"#)
        } else {
            String::new()
        };
        self.say("held", &format!(r#","key":"{key}","at_us":{at_us}{until}"#));
        self.belief = Some(Belief {
            key: key.into(),
            until_us,
        });
    }

    /// An answer that comes when the belief is over does not bring it back.
    fn extended(&mut self, key: &str, until_us: i64) {
        let at_us = monotonic_us();
        match &mut self.belief {
            Some(belief) if belief.key == key && at_us < belief.until_us => {
                belief.until_us = until_us;
            }
            _ => return,
        }
        let more = format!(r#","key":"{key}","at_us":{at_us},"until_us":{until_us}"#);
        self.say("until", &more);
    }

    fn is_over(&self) -> bool {
        self.belief
            .as_ref()
            .is_some_and(|belief| monotonic_us() >= belief.until_us)
    }

    /// Says it and ends the belief: before what is said is done.
    fn ends(&mut self, event: &str) {
        let at_us = monotonic_us();
        if let Some(belief) = self.belief.take() {
            self.say(
                event,
                &format!(r#","key":"{}","at_us":{at_us}"#, belief.key),
            );
        }
    }
}

// ------------------------------------------------------------------------------------------- what the requests show

#[derive(Debug)]
struct Promise {
    key: String,
    taken: bool,
    expiry_s: i64,
}

impl Storable for Promise {
    type Storer = StoreReplace<Self>;
}

#[derive(Clone)]
struct Watch(Arc<Mutex<Holder>>);

impl std::fmt::Debug for Watch {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str("Watch")
    }
}

fn promise(
    key: Option<&AttributeValue>,
    expiry: Option<&AttributeValue>,
    taken: bool,
) -> Option<Promise> {
    Some(Promise {
        key: key?.as_s().ok()?.clone(),
        taken,
        expiry_s: expiry?.as_n().ok()?.parse().ok()?,
    })
}

impl Intercept for Watch {
    fn name(&self) -> &'static str {
        "Watch"
    }

    fn read_before_execution(
        &self,
        context: &BeforeSerializationInterceptorContextRef<'_>,
        bag: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let input = context.input();
        let promise = if let Some(put) = input.downcast_ref::<PutItemInput>() {
            let item = put.item().ok_or("an item is put")?;
            promise(item.get("key"), item.get("lease_expiry"), true)
        } else if let Some(update) = input.downcast_ref::<UpdateItemInput>() {
            let values = update
                .expression_attribute_values()
                .ok_or("values are set")?;
            promise(
                update.key().and_then(|key| key.get("key")),
                values.get(":expiry"),
                false,
            )
        } else {
            return Ok(());
        };
        bag.interceptor_state()
            .store_put(promise.ok_or("a request of another form")?);
        Ok(())
    }

    fn read_after_execution(
        &self,
        context: &FinalizerInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        bag: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let Some(promise) = bag.load::<Promise>() else {
            return Ok(());
        };
        if !matches!(context.output_or_error(), Some(Ok(_))) {
            return Ok(());
        }
        let until_us = monotonic_at(promise.expiry_s);
        let mut holder = self.0.lock().unwrap();
        if promise.taken {
            holder.taken_until_us = until_us;
        } else if holder.by_expiry {
            holder.extended(&promise.key, until_us);
        }
        Ok(())
    }
}

// ------------------------------------------------------------------------------------------------------ its arguments

struct Arguments {
    endpoint: String,
    table: String,
    keys: Vec<String>,
    ttl_s: u32,
    extend: Duration,
    hold_ms: RangeInclusive<u64>,
    holder: Holder,
}

fn arguments() -> Result<Arguments, Failure> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let [who, endpoint, table, keys, ttl_s, extend_ms, hold_ms, belief] = &given[..] else {
        return Err(
            "usage: lease_peer WHO ENDPOINT TABLE KEYS TTL_S EXTEND_MS LEAST-MOST crate|expiry"
                .into(),
        );
    };
    let (least, most) = hold_ms.split_once('-').ok_or("HOLD_MS is LEAST-MOST")?;
    Ok(Arguments {
        endpoint: endpoint.clone(),
        table: table.clone(),
        keys: keys.split(',').map(str::to_owned).collect(),
        ttl_s: ttl_s.parse()?,
        extend: Duration::from_millis(extend_ms.parse()?),
        hold_ms: least.parse()?..=most.parse()?,
        holder: Holder {
            who: who.clone(),
            by_expiry: match belief.as_str() {
                "crate" => false,
                "expiry" => true,
                _ => return Err("BELIEF is crate or expiry".into()),
            },
            taken_until_us: 0,
            belief: None,
        },
    })
}

fn from_environment(name: &str) -> Result<String, Failure> {
    std::env::var(name).map_err(|_| format!("{name} is not set").into())
}

/// As a program opens it that names its endpoint itself, and with the retries that aws-config gives every other one.
fn dynamo_client(endpoint: &str, watch: Watch) -> Result<aws_sdk_dynamodb::Client, Failure> {
    let credentials = Credentials::new(
        from_environment("AWS_ACCESS_KEY_ID")?,
        from_environment("AWS_SECRET_ACCESS_KEY")?,
        None,
        None,
        "environment",
    );
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .endpoint_url(endpoint)
        .region(Region::new(from_environment("AWS_REGION")?))
        .credentials_provider(credentials)
        .retry_config(RetryConfig::standard())
        .interceptor(watch)
        .build();
    Ok(aws_sdk_dynamodb::Client::from_conf(config))
}

// ---------------------------------------------------------------------------------------------------------- its work

/// Holds the lease for one while, or until the belief is over: false.
async fn hold_on(lease: &Lease, watch: &Watch, time: Duration) -> bool {
    let end = tokio::time::Instant::now() + time;
    while tokio::time::Instant::now() < end {
        sleep(LOOK_EVERY).await;
        if !lease.is_healthy() || watch.0.lock().unwrap().is_over() {
            return false;
        }
    }
    true
}

async fn work(arguments: Arguments, mut stopped: watch::Receiver<bool>) -> Result<(), Failure> {
    let watch = Watch(Arc::new(Mutex::new(arguments.holder)));
    let client = dynamodb_lease::Client::builder()
        .table_name(arguments.table)
        .lease_ttl_seconds(arguments.ttl_s)
        .extend_every(arguments.extend)
        .build_and_check_db(dynamo_client(&arguments.endpoint, watch.clone())?)
        .await?;
    loop {
        let key = &arguments.keys[chance(arguments.keys.len() as u64) as usize];
        let lease = tokio::select! {
            biased;
            _ = stopped.wait_for(|stopped| *stopped) => return Ok(()),
            lease = client.acquire(key) => lease?,
        };
        watch.0.lock().unwrap().held(key);
        let mut held = hold_on(&lease, &watch, some_ms(&arguments.hold_ms)).await;
        while held && !*stopped.borrow() && chance(2) == 0 {
            held = hold_on(&lease, &watch, some_ms(&arguments.hold_ms)).await;
        }
        watch
            .0
            .lock()
            .unwrap()
            .ends(if held { "released" } else { "lost" });
        if *stopped.borrow() {
            // A drop only begins the release, which would end with the process. Of one that was lost it fails.
            _ = lease.release().await;
            return Ok(());
        }
        drop(lease);
        sleep(some_ms(&arguments.hold_ms) / 4).await;
    }
}

async fn run() -> Result<(), Failure> {
    let arguments = arguments()?;
    let mut terminate = signal(SignalKind::terminate())?;
    let (stop, stopped) = watch::channel(false);
    tokio::spawn(async move {
        terminate.recv().await;
        stop.send(true)
    });
    work(arguments, stopped).await
}

fn main() -> Result<(), Failure> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(run())
}
