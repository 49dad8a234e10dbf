// SPDX-License-Identifier: Apache-2.0
//! Mode `lines`: one command a line, for what is measured once and not per second. See bench/client_lines.c.

use std::io::{BufRead, Write};
use std::time::Instant;

use object_store::aws::AmazonS3;

use crate::client::{copy, create, delete, update, Outcome};

async fn answer(store: &AmazonS3, line: &str) -> Outcome {
    let mut words = line.splitn(4, ' ');
    let mut next = || words.next().unwrap_or("").to_owned();
    let (command, first, second, third) = (next(), next(), next(), next());
    match command.as_str() {
        "create" => create(store, &first, second.into()).await,
        "update" => update(store, &first, &second, third.into()).await,
        "copy" => copy(store, &first, &second).await,
        "delete" => delete(store, &first).await,
        _ => Outcome::Failed(format!("no such command: {command}")),
    }
}

pub async fn run(store: AmazonS3) {
    let mut out = std::io::stdout();
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("a line");
        if line == "quit" {
            break;
        }
        let begun = Instant::now();
        let outcome = answer(&store, &line).await;
        let ms = begun.elapsed().as_secs_f64() * 1000.0;
        let said = match outcome {
            Outcome::Done(etag) if etag.is_empty() => format!("committed {ms:.1} -"),
            Outcome::Done(etag) => format!("committed {ms:.1} {etag}"),
            Outcome::Conflict => format!("conflict {ms:.1} -"),
            Outcome::Failed(why) => format!("failed {ms:.1} {why}"),
        };
        writeln!(out, "{said}").expect("a pipe");
        out.flush().expect("a pipe");
    }
}
