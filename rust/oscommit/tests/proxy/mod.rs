// SPDX-License-Identifier: Apache-2.0
//! A proxy before an HTTP server that gives it a PUT and then loses the answer, and everything after it, until it is healed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const HEALTHY: u8 = 0;
const ARMED: u8 = 1;
const LOST: u8 = 2;

pub struct Proxy {
    address: std::net::SocketAddr,
    state: Arc<AtomicU8>,
}

impl Proxy {
    pub async fn start(server: &str) -> Self {
        let server = server.trim_start_matches("http://").to_string();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("its address");
        let state = Arc::new(AtomicU8::new(HEALTHY));
        let own = Arc::clone(&state);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                if own.load(Ordering::SeqCst) == LOST {
                    continue;
                }
                tokio::spawn(pass(client, server.clone(), Arc::clone(&own)));
            }
        });
        Self { address, state }
    }

    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn lose_the_next_put(&self) {
        self.state.store(ARMED, Ordering::SeqCst);
    }

    pub fn has_lost(&self) -> bool {
        self.state.load(Ordering::SeqCst) == LOST
    }

    pub fn heal(&self) {
        self.state.store(HEALTHY, Ordering::SeqCst);
    }
}

/// Bytes go both ways, until a PUT is to be lost: the server is given the whole of it, and its answer goes nowhere.
async fn pass(mut client: TcpStream, server: String, state: Arc<AtomicU8>) {
    let Ok(mut server) = TcpStream::connect(server).await else { return };
    let (mut up, mut down) = (vec![0; 65536], vec![0; 65536]);
    let mut loses = false;
    loop {
        tokio::select! {
            read = client.read(&mut up) => {
                let Ok(length @ 1..) = read else { return };
                if up.starts_with(b"PUT ")
                    && state.compare_exchange(ARMED, LOST, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
                    loses = true;
                }
                let is_given = loses || state.load(Ordering::SeqCst) != LOST;
                if !is_given || server.write_all(&up[..length]).await.is_err() {
                    return;
                }
            }
            read = server.read(&mut down) => {
                let Ok(length @ 1..) = read else { return };
                if loses || client.write_all(&down[..length]).await.is_err() {
                    return;
                }
            }
        }
    }
}
