// SPDX-License-Identifier: Apache-2.0
//! Transactions by hand with the SDK of AWS, which takes the arguments of bench_transact and does the same: the same
//! items, and conditions on what was read. It keeps no token in a row.

#[path = "../../peer/src/measure.rs"]
mod measure;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_sdk_dynamodb::error::DisplayErrorContext;
use aws_sdk_dynamodb::types::{
    AttributeValue, Get, Put, TransactGetItem, TransactWriteItem, Update,
};
use aws_sdk_dynamodb::Client;

type Failure = Box<dyn std::error::Error + Send + Sync>;
type Item = HashMap<String, AttributeValue>;

struct Options {
    mode: String,
    endpoint: String,
    table: String,
    prefix: String,
    rows: usize,
    seconds: f64,
    warm: f64,
    current_thread: bool,
}

impl Options {
    fn set(&mut self, name: &str, value: String) -> Option<()> {
        match name {
            "--ledger" => self.endpoint = value,
            "--table" => self.table = value,
            "--prefix" => self.prefix = value,
            "--rows" => self.rows = value.parse().ok()?,
            "--seconds" => self.seconds = value.parse().ok()?,
            "--warm" => self.warm = value.parse().ok()?,
            "--runtime" => self.current_thread = value == "current",
            _ => return None,
        }
        Some(())
    }

    fn parse() -> Option<Options> {
        let mut arguments = std::env::args().skip(1);
        let mut options = Options {
            mode: arguments.next()?,
            endpoint: String::new(),
            table: String::new(),
            prefix: "bench".into(),
            rows: 1,
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

fn number(value: i64) -> AttributeValue {
    AttributeValue::N(value.to_string())
}

fn balance(item: Option<&Item>) -> Result<i64, Failure> {
    let found = item.and_then(|item| item.get("balance")?.as_n().ok());
    Ok(found.ok_or("a row has no balance")?.parse()?)
}

struct Work {
    client: Client,
    options: Options,
    serial: i64,
    latencies_us: Vec<u64>,
    error: String,
}

impl Work {
    fn id(&self, row: usize) -> AttributeValue {
        AttributeValue::S(format!("{}-{row}", self.options.prefix))
    }

    fn item(&self, row: usize) -> Item {
        HashMap::from([
            ("_id".into(), self.id(row)),
            ("balance".into(), number(self.serial)),
            ("owner".into(), AttributeValue::S("x".repeat(100))),
            ("visits".into(), number(0)),
        ])
    }

    async fn put_one(&self) -> Result<(), Failure> {
        let put = self.client.put_item().table_name(&self.options.table);
        put.set_item(Some(self.item(0))).send().await?;
        Ok(())
    }

    async fn put_many(&self) -> Result<(), Failure> {
        let mut writes = Vec::with_capacity(self.options.rows);
        for row in 0..self.options.rows {
            let put = Put::builder()
                .table_name(&self.options.table)
                .set_item(Some(self.item(row)));
            writes.push(TransactWriteItem::builder().put(put.build()?).build());
        }
        self.write_together(writes).await
    }

    async fn change_one(&self) -> Result<(), Failure> {
        let get = self.client.get_item().table_name(&self.options.table);
        let found = get
            .key("_id", self.id(0))
            .consistent_read(true)
            .send()
            .await?;
        let old = balance(found.item())?;
        self.client
            .update_item()
            .table_name(&self.options.table)
            .key("_id", self.id(0))
            .update_expression("SET balance = :new")
            .condition_expression("balance = :old")
            .expression_attribute_values(":old", number(old))
            .expression_attribute_values(":new", number(old + 1))
            .send()
            .await?;
        Ok(())
    }

    async fn change_many(&self) -> Result<(), Failure> {
        let mut gets = Vec::with_capacity(self.options.rows);
        for row in 0..self.options.rows {
            let get = Get::builder()
                .table_name(&self.options.table)
                .key("_id", self.id(row));
            gets.push(TransactGetItem::builder().get(get.build()?).build());
        }
        let found = self
            .client
            .transact_get_items()
            .set_transact_items(Some(gets));
        let found = found.send().await?;
        let mut writes = Vec::with_capacity(self.options.rows);
        for (row, answer) in found.responses().iter().enumerate() {
            let old = balance(answer.item())?;
            let update = Update::builder()
                .table_name(&self.options.table)
                .key("_id", self.id(row))
                .update_expression("SET balance = :new")
                .condition_expression("balance = :old")
                .expression_attribute_values(":old", number(old))
                .expression_attribute_values(":new", number(old + 1));
            writes.push(TransactWriteItem::builder().update(update.build()?).build());
        }
        self.write_together(writes).await
    }

    async fn write_together(&self, writes: Vec<TransactWriteItem>) -> Result<(), Failure> {
        let write = self.client.transact_write_items();
        write.set_transact_items(Some(writes)).send().await?;
        Ok(())
    }

    async fn transact(&mut self, mode: &str) {
        let begun = Instant::now();
        self.serial += 1;
        let done = match (mode, self.options.rows) {
            ("put", 1) => self.put_one().await,
            ("put", _) => self.put_many().await,
            (_, 1) => self.change_one().await,
            _ => self.change_many().await,
        };
        match done {
            Ok(()) => self.latencies_us.push(begun.elapsed().as_micros() as u64),
            Err(error) => self.error = DisplayErrorContext(&*error).to_string(),
        }
    }

    async fn transact_for(&mut self, seconds: f64) {
        let mode = self.options.mode.clone();
        let until = Instant::now() + Duration::from_secs_f64(seconds);
        while self.error.is_empty() && Instant::now() < until {
            self.transact(&mode).await;
        }
    }
}

fn open(options: &Options) -> Client {
    let variable = |name| std::env::var(name).unwrap_or_default();
    let credentials = Credentials::new(
        variable("AWS_ACCESS_KEY_ID"),
        variable("AWS_SECRET_ACCESS_KEY"),
        None,
        None,
        "bench",
    );
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .credentials_provider(credentials)
        .region(Region::new(variable("AWS_REGION")))
        .endpoint_url(&options.endpoint);
    Client::from_conf(config.build())
}

/// In a task of its own, as programs work mostly; the rows are there before any is changed.
async fn run(mut work: Work) {
    work.transact("put").await;
    work.transact_for(work.options.warm).await;
    work.latencies_us.clear();
    measure::wait_for_go();
    let (begun, cpu) = (Instant::now(), measure::cpu_us());
    work.transact_for(work.options.seconds).await;
    let (wall_s, cpu_us) = (begun.elapsed().as_secs_f64(), measure::cpu_us() - cpu);
    let failed = u64::from(!work.error.is_empty());
    measure::report(work.latencies_us, failed, &work.error, wall_s, cpu_us);
}

fn main() {
    let Some(options) = Options::parse() else {
        eprintln!("usage: bench_sdk put|change --ledger URL --table NAME [OPTION VALUE ...]");
        std::process::exit(2);
    };
    let mut builder = if options.current_thread {
        tokio::runtime::Builder::new_current_thread()
    } else {
        tokio::runtime::Builder::new_multi_thread()
    };
    let runtime = builder.enable_all().build().expect("a runtime");
    let work = Work {
        client: runtime.block_on(async { open(&options) }),
        options,
        serial: 0,
        latencies_us: Vec::new(),
        error: String::new(),
    };
    runtime.block_on(async { tokio::spawn(run(work)).await.expect("the work") });
}
