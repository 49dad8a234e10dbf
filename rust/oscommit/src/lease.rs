// SPDX-License-Identifier: Apache-2.0
//! Leases: something that one holder has at a time, for as long as it extends it.

use crate::client::Client;
use crate::handle::Handle;
use crate::hold::{self, Held, Watchers};
use crate::options::CallOptions;
use crate::{Code, Error};
use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

/// What the holder of a lease may believe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseStatus {
    /// Nobody else holds it.
    Held,
    /// The same, but half of its time has passed since it was extended last.
    AtRisk,
    /// Another may hold it, from now on for ever: stop what it was for.
    Lost,
}

/// What a lease is to be like.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeaseOptions {
    /// Time to live after an extension, 2 to 86,400 seconds, rounded up to whole ones: so long all others wait for a dead
    /// holder. 60 seconds if it is not given.
    pub ttl: Option<Duration>,
    /// Wait for another holder until the deadline of the call; else he is a `Conflict` at once.
    pub wait: bool,
    /// With a token, for [`PutOptions::fencing`](crate::PutOptions::fencing).
    pub fencing: bool,
    /// Who holds it, for people; host name and process id if it is not given.
    pub owner: Option<String>,
}

/// What stands in the table under the name of a lease.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeaseInfo {
    /// It has a holder, who may be dead. Else it is free, and of the rest only the token counts.
    pub is_held: bool,
    /// Written by another implementation.
    pub is_foreign: bool,
    /// Epoch seconds by the holder's clock; only other implementations go by it.
    pub expiry_s: i64,
    /// Zero: not told.
    pub ttl: Duration,
    /// Zero: none. It stays when the lease is free.
    pub token: u64,
    /// Empty: not told.
    pub owner: String,
}

/// A lease that is held. The client extends it until it is released, or dropped: then it is released in the background.
///
/// It keeps its client open.
pub struct Lease {
    name: String,
    // In this order they are dropped: C calls the watchers until the lease has ended.
    held: Held,
    watchers: Arc<Watchers>,
    client: Arc<Handle>,
    call: CallOptions,
}

impl Lease {
    /// The name that it was acquired by.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What may be believed at this instant, by the clocks. Does not block.
    #[must_use]
    pub fn status(&self) -> LeaseStatus {
        self.held.status()
    }

    /// Whether nobody else holds it. Ask before each step of the work; a step that may come late gives its writes the token.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.status() != LeaseStatus::Lost
    }

    /// For how long that is certain without another extension; zero when it is lost. Does not block.
    #[must_use]
    pub fn remaining(&self) -> Duration {
        self.held.remaining()
    }

    /// The fencing token, larger than that of every holder before; 0 without fencing.
    #[must_use]
    pub fn token(&self) -> u64 {
        self.held.token()
    }

    /// What another process needs to go on with it, by [`Client::adopt_lease`]. Whoever has it can also release the lease.
    ///
    /// # Errors
    /// None that the C library has today.
    pub fn handle(&self) -> Result<String, Error> {
        self.held.handle()
    }

    /// For `?` before each step of the work.
    ///
    /// # Errors
    /// `Conflict`: it is lost.
    pub fn check(&self) -> Result<(), Error> {
        if self.is_held() {
            return Ok(());
        }
        let text =
            format!("The lease \"{}\" is lost: another may hold it. Stop what it was for.", self.name.escape_debug());
        Err(Error::new(Code::Conflict, text))
    }

    /// Completes when it is lost: select on this beside the work.
    pub async fn lost(&self) {
        poll_fn(|context| {
            if self.is_held() {
                self.watchers.add(context.waker());
            }
            // Again: it may have been lost before anybody watched.
            if self.is_held() { Poll::Pending } else { Poll::Ready(()) }
        })
        .await;
    }

    /// Ends it, so that others can have it at once, and says what came of it. A future that is dropped leaves the end to the
    /// background, or to the time to live.
    ///
    /// # Errors
    /// `Conflict`: it had been lost before, so what was done since then was not covered by it. `Undecided`: it was held until
    /// now, but others may have to wait for its time to live. After any error it is not held any more.
    pub async fn release(self) -> Result<(), Error> {
        self.end(true).await
    }

    /// Ends it without releasing it: it is extended no more. Until its time is over [`Client::adopt_lease`] can go on with it,
    /// in any process. Ask [`Lease::remaining`] before.
    ///
    /// # Errors
    /// It was released in place of that.
    pub async fn detach(self) -> Result<(), Error> {
        self.end(false).await
    }

    async fn end(self, releases: bool) -> Result<(), Error> {
        let Self { held, watchers, client, call, .. } = self;
        hold::end(&client, call, held, watchers, releases).await.0.into_answer().map(drop)
    }
}

impl fmt::Debug for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lease").field("name", &self.name).field("status", &self.status()).finish_non_exhaustive()
    }
}

/// Leases. The client's `ledger_url` names their table, which is one of its own in `DynamoDB`; it needs no `store_url`.
impl Client {
    /// Acquires a lease and keeps it extended. A future that is dropped gives back what it may have taken.
    ///
    /// # Errors
    /// `Conflict`: another holds it, and the text says who. `NoTable`, `Table` and others: the table refuses. `Deadline`,
    /// `Network`, `Throttled`: it did not answer. After any error nothing is held.
    pub async fn acquire_lease(&self, name: &str, options: &LeaseOptions) -> Result<Lease, Error> {
        self.hold_lease(name, None, options).await
    }

    /// Goes on with a lease that was detached, or whose process is gone. Of the options `ttl` counts, and `fencing`, which is
    /// as it was acquired with. One process at a time.
    ///
    /// # Errors
    /// `Conflict`: it is lost. After `Deadline`, `Network` and their kind it may still be held: try again in time.
    pub async fn adopt_lease(&self, name: &str, handle: &str, options: &LeaseOptions) -> Result<Lease, Error> {
        self.hold_lease(name, Some(handle), options).await
    }

    async fn hold_lease(&self, name: &str, handle: Option<&str>, options: &LeaseOptions) -> Result<Lease, Error> {
        let (completion, watchers) = hold::acquire(self.handle(), self.call(), name, handle, options)?.await;
        let held = completion.into_answer()?.lease.ok_or_else(hold::missing)?;
        Ok(Lease { name: name.to_string(), held, watchers, client: Arc::clone(self.handle()), call: self.call() })
    }

    /// Reads what stands under a name; one request.
    ///
    /// # Errors
    /// As [`Client::acquire_lease`], but for `Conflict`.
    pub async fn read_lease(&self, name: &str) -> Result<LeaseInfo, Error> {
        let answer = hold::read_lease(self.handle(), self.call(), name)?.await.0.into_answer()?;
        answer.lease_info.ok_or_else(hold::missing)
    }

    /// Gives every lease of the table by its name, also those that are free and keep a token. Costs as much as a Scan.
    ///
    /// # Errors
    /// `Protocol`: some items are no leases. After an error there is no list.
    pub async fn list_leases(&self) -> Result<Vec<(String, LeaseInfo)>, Error> {
        let (completion, leases) = hold::list_leases(self.handle(), self.call()).await;
        completion.into_answer()?;
        Ok(leases)
    }

    /// Creates the table of leases and waits until it can be used. Also succeeds if a fit table exists.
    ///
    /// # Errors
    /// `Table`: there is one that is unfit; the text says why.
    pub async fn lease_table_create(&self) -> Result<(), Error> {
        hold::table(self.handle(), self.call(), false, true).await.0.into_answer().map(drop)
    }

    /// Checks the table of leases.
    ///
    /// # Errors
    /// `NoTable`, and `Table`: the text says what is wrong and what to do.
    pub async fn lease_table_check(&self) -> Result<(), Error> {
        hold::table(self.handle(), self.call(), false, false).await.0.into_answer().map(drop)
    }
}
