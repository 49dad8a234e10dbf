// SPDX-License-Identifier: Apache-2.0
//! Locks with an owner and an instance, which last for a time that the holder names.

use crate::Error;
use crate::client::Client;
use crate::hold::{self, Ask};
use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

/// Which lock, and whose. Each text is 1 to 255 bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Lock {
    /// Without ':', so that no two locks have one key.
    pub namespace: String,
    /// The lock's name in it.
    pub name: String,
    /// Who: a service, a user.
    pub owner: String,
    /// Which of his processes. Whoever has the same owner and instance holds the same lock.
    pub instance: String,
}

/// What stands in the table.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LockInfo {
    /// There is an item. It may have expired: see `expiry_s`.
    pub is_held: bool,
    /// Whose it is.
    pub owner: String,
    /// Which of his processes has it.
    pub instance: String,
    /// For how long it was acquired and renewed in all.
    pub duration: Duration,
    /// Epoch seconds.
    pub expiry_s: i64,
}

/// Why a call on a lock failed.
#[derive(Debug)]
pub struct LockError {
    error: Error,
    found: Option<LockInfo>,
}

impl LockError {
    /// The library's code and its sentence. `Conflict`: another holds it, or it has expired.
    #[must_use]
    pub fn error(&self) -> &Error {
        &self.error
    }

    /// Of a conflict: what stands in the table instead.
    #[must_use]
    pub fn found(&self) -> Option<&LockInfo> {
        self.found.as_ref()
    }
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl StdError for LockError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&self.error)
    }
}

impl From<Error> for LockError {
    fn from(error: Error) -> Self {
        Self { error, found: None }
    }
}

/// Locks. The client's `ledger_url` names their table. Each call is one request, and nothing happens between calls: who holds
/// a lock renews it in time. Where nobody can say how long the work takes, acquire a lease.
impl Client {
    async fn ask_lock(&self, lock: &Lock, ask: Ask) -> Result<LockInfo, LockError> {
        let answer = hold::ask_lock(self.handle(), self.call(), lock, ask)?.await.0.into_any_answer()?;
        match answer.error {
            Some(error) => Err(LockError { error, found: answer.lock_info }),
            None => Ok(answer.lock_info.ok_or_else(hold::missing)?),
        }
    }

    /// Acquires the lock for so long from now, in whole seconds: where there is none, where it has expired, or where the same
    /// owner and instance hold it.
    ///
    /// # Errors
    /// `Conflict`: another holds it, and [`LockError::found`] says who and until when. Where the text says that it is not
    /// known, the lock may have been acquired: acquire it again with the same instance, or release it.
    pub async fn acquire_lock(&self, lock: &Lock, duration: Duration) -> Result<LockInfo, LockError> {
        self.ask_lock(lock, Ask::Acquire(duration)).await
    }

    /// Adds to the duration and the expiry of a lock that this owner and instance hold.
    ///
    /// # Errors
    /// `Conflict`: there is no such lock, or it has expired. `Undecided`: no answer says whether it was added.
    pub async fn renew_lock(&self, lock: &Lock, duration: Duration) -> Result<LockInfo, LockError> {
        self.ask_lock(lock, Ask::Renew(duration)).await
    }

    /// Releases a lock of this owner and instance, also one that has expired. Also succeeds where there is none.
    ///
    /// # Errors
    /// `Conflict`: another holds it. Where the text says that it is not known, release it again.
    pub async fn release_lock(&self, lock: &Lock) -> Result<(), LockError> {
        self.ask_lock(lock, Ask::Release).await.map(drop)
    }

    /// Reads what stands under namespace and name.
    ///
    /// # Errors
    /// The table did not answer, or refuses.
    pub async fn read_lock(&self, lock: &Lock) -> Result<LockInfo, LockError> {
        self.ask_lock(lock, Ask::Read).await
    }

    /// Deletes a lock whose time is over, whosever it is. Also succeeds where there is none.
    ///
    /// # Errors
    /// `Conflict`: its time is not over, and [`LockError::found`] says until when.
    pub async fn break_lock(&self, lock: &Lock) -> Result<(), LockError> {
        self.ask_lock(lock, Ask::Break).await.map(drop)
    }

    /// Gives every lock of the namespace, or of the whole table, as (namespace, name, what stands there).
    ///
    /// # Errors
    /// `Protocol`: some items are no locks. After an error there is no list.
    pub async fn list_locks(&self, namespace: Option<&str>) -> Result<Vec<(String, String, LockInfo)>, Error> {
        let (completion, locks) = hold::list_locks(self.handle(), self.call(), namespace)?.await;
        completion.into_answer()?;
        Ok(locks)
    }

    /// Creates the table of locks and waits until it can be used. Also succeeds if a fit table exists.
    ///
    /// # Errors
    /// `Table`: there is one that is unfit; the text says why.
    pub async fn lock_table_create(&self) -> Result<(), Error> {
        hold::table(self.handle(), self.call(), true, true).await.0.into_answer().map(drop)
    }

    /// Checks the table of locks.
    ///
    /// # Errors
    /// `NoTable`, and `Table`: the text says what is wrong and what to do.
    pub async fn lock_table_check(&self) -> Result<(), Error> {
        hold::table(self.handle(), self.call(), true, false).await.0.into_answer().map(drop)
    }
}
