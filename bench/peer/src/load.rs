// SPDX-License-Identifier: Apache-2.0
//! The modes with many operations in flight. Prints "ready", waits for a line, works, prints one JSON line.

use std::sync::Arc;
use std::time::{Duration, Instant};

use object_store::aws::AmazonS3;

use crate::client::{copy, create, get, put, update, Options, Outcome};
use crate::measure;

struct Lane {
    store: AmazonS3,
    options: Arc<Options>,
    number: usize,
    serial: u64,
    etag: String,
    latencies_us: Vec<u64>,
    failed: u64,
    first_error: String,
}

impl Lane {
    /// No two writes of a run have the same bytes.
    fn body(&self) -> Vec<u8> {
        let mut body =
            format!("{} {} {} ", std::process::id(), self.number, self.serial).into_bytes();
        body.resize(self.options.bytes, b'.');
        body
    }

    fn own_key(&self) -> String {
        format!("{}/lane-{}", self.options.prefix, self.number)
    }

    fn new_key(&self) -> String {
        format!("{}/{}-{}", self.options.prefix, self.number, self.serial)
    }

    async fn prepare(&mut self) -> Outcome {
        let key = match self.options.mode.as_str() {
            "update" => self.own_key(),
            "copy" => format!("{}/source", self.options.prefix),
            "counter" => format!("{}/counter", self.options.prefix),
            _ => return Outcome::Done(String::new()),
        };
        if self.options.mode == "update" {
            return create(&self.store, &key, self.body()).await;
        }
        if self.number > 0 {
            return Outcome::Done(String::new());
        }
        put(&self.store, &key, b"0".to_vec()).await
    }

    /// Reads, adds one, commits; again after a conflict, until the time is over.
    async fn increment(&self, until: Instant) -> Outcome {
        let key = format!("{}/counter", self.options.prefix);
        loop {
            let (body, etag) = match get(&self.store, &key).await {
                Ok(found) => found,
                Err(error) => return Outcome::Failed(format!("{error:?}")),
            };
            let count: u64 = String::from_utf8_lossy(&body).parse().unwrap_or(0);
            let next = (count + 1).to_string().into_bytes();
            match update(&self.store, &key, &etag, next).await {
                Outcome::Conflict if Instant::now() < until => continue,
                other => return other,
            }
        }
    }

    async fn operate(&self, until: Instant) -> Outcome {
        match self.options.mode.as_str() {
            "create" => create(&self.store, &self.new_key(), self.body()).await,
            "update" => update(&self.store, &self.own_key(), &self.etag, self.body()).await,
            "copy" => {
                let source = format!("{}/source", self.options.prefix);
                copy(&self.store, &source, &self.new_key()).await
            }
            _ => self.increment(until).await,
        }
    }

    async fn work(mut self, until: Instant) -> Lane {
        while Instant::now() < until {
            self.serial += 1;
            let begun = Instant::now();
            match self.operate(until).await {
                Outcome::Done(etag) => {
                    self.etag = etag;
                    self.latencies_us.push(begun.elapsed().as_micros() as u64);
                }
                Outcome::Conflict => break, // a counter whose time is over
                Outcome::Failed(why) => {
                    self.failed += 1;
                    self.first_error = why;
                    break;
                }
            }
        }
        self
    }
}

async fn phase(lanes: Vec<Lane>, seconds: f64) -> Vec<Lane> {
    let until = Instant::now() + Duration::from_secs_f64(seconds);
    let tasks: Vec<_> = lanes
        .into_iter()
        .map(|lane| tokio::spawn(lane.work(until)))
        .collect();
    let mut done = Vec::with_capacity(tasks.len());
    for task in tasks {
        done.push(task.await.expect("a lane"));
    }
    done
}

fn report(lanes: &[Lane], wall_s: f64, cpu_us: u64) {
    let all = lanes
        .iter()
        .flat_map(|lane| lane.latencies_us.iter().copied())
        .collect();
    let failed = lanes.iter().map(|lane| lane.failed).sum();
    let error = lanes
        .iter()
        .map(|lane| lane.first_error.as_str())
        .find(|text| !text.is_empty());
    measure::report(all, failed, error.unwrap_or(""), wall_s, cpu_us);
}

pub async fn run(store: AmazonS3, options: Options) {
    let options = Arc::new(options);
    let mut lanes = Vec::new();
    for number in 0..options.in_flight {
        let mut lane = Lane {
            store: store.clone(),
            options: options.clone(),
            number,
            serial: 0,
            etag: String::new(),
            latencies_us: Vec::new(),
            failed: 0,
            first_error: String::new(),
        };
        match lane.prepare().await {
            Outcome::Done(etag) => lane.etag = etag,
            Outcome::Conflict => panic!("the prefix is not new"),
            Outcome::Failed(why) => panic!("{why}"),
        }
        lanes.push(lane);
    }
    lanes = phase(lanes, options.warm).await;
    for lane in &mut lanes {
        lane.latencies_us.clear();
    }
    measure::wait_for_go();
    let (begun, cpu) = (Instant::now(), measure::cpu_us());
    lanes = phase(lanes, options.seconds).await;
    report(
        &lanes,
        begun.elapsed().as_secs_f64(),
        measure::cpu_us() - cpu,
    );
}
