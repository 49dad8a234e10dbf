// SPDX-License-Identifier: Apache-2.0
//! Processor time of the whole process, its memory, latencies; and the line of JSON that says them (bench/measure.c).

use std::io::{BufRead, Write};

pub fn cpu_us() -> u64 {
    // SAFETY: getrusage fills the struct that it is given.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) };
    let us = |time: libc::timeval| time.tv_sec as u64 * 1_000_000 + time.tv_usec as u64;
    us(usage.ru_utime) + us(usage.ru_stime)
}

/// The most that was in memory. getrusage would tell that of the program that started this one, if that was more.
fn rss_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok())
        .unwrap_or(0)
}

pub fn wait_for_go() {
    println!("ready");
    std::io::stdout().flush().expect("a pipe");
    let mut line = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut line)
        .expect("a line");
}

/// `error` is the first one, or empty.
pub fn report(mut latencies_us: Vec<u64>, failed: u64, error: &str, wall_s: f64, cpu_us: u64) {
    latencies_us.sort_unstable();
    let at = |share: f64| {
        latencies_us
            .get(((latencies_us.len() as f64 - 1.0) * share).max(0.0) as usize)
            .copied()
            .unwrap_or(0)
    };
    let error: String = error
        .chars()
        .filter(|c| *c != '"' && *c != '\\' && !c.is_control())
        .take(200)
        .collect();
    println!(
        "{{\"operations\": {}, \"failed\": {failed}, \"wall_s\": {wall_s:.4}, \"cpu_us\": {cpu_us}, \"p50_us\": {}, \
         \"p90_us\": {}, \"p99_us\": {}, \"max_us\": {}, \"rss_kb\": {}, \"error\": \"{error}\"}}",
        latencies_us.len(), at(0.5), at(0.9), at(0.99), at(1.0), rss_kb()
    );
}
