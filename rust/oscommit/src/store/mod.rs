// SPDX-License-Identifier: Apache-2.0
//! The store below the trait of `object_store`, in as many releases of that crate as are turned on.

mod copying;
mod failure;
mod listing;
mod reading;
mod spool;
#[cfg(feature = "object_store_0_12")]
mod v0_12;
#[cfg(feature = "object_store_0_13")]
mod v0_13;
#[cfg(feature = "object_store_0_14")]
mod v0_14;

use crate::{Client, Error, Options, SettleOptions, Ticket, Verdict};
use std::fmt;
use std::path::PathBuf;

/// A [`Client`] below the trait `ObjectStore`: `PutMode::Create` and `Update`, copies and renames are guarded, so that each
/// happens exactly once. `PutMode::Overwrite`, uploads in parts and deletes are not; they race with everything.
///
/// An error whose source is an [`Unknown`](crate::Unknown) says that the write may have been applied. Keep its ticket, and
/// let [`Store::resolve`] or [`Store::settle`] decide it; do not take it for a failure.
#[derive(Debug, Clone)]
pub struct Store {
    client: Client,
    spool_folder: Option<PathBuf>,
}

/// What an upload in parts does where something is at its key. Put it into the `extensions` of `PutMultipartOptions`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PutMultipartMode {
    /// Replaces it, without a guard.
    #[default]
    Overwrite,
    /// Creates the object only if nothing is there, exactly once; otherwise `complete` gives `AlreadyExists`.
    Create,
}

impl Store {
    /// Opens a client for it; as [`Client::open`].
    ///
    /// # Errors
    /// As [`Client::open`].
    pub fn open(options: Options) -> Result<Self, Error> {
        Client::open(options).map(Self::from)
    }

    /// The client, for what the trait has no word for.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Where the parts of an upload are kept until it is completed; the system's folder for temporary files if it is not
    /// given. Another one is wanted where that is small or in memory.
    #[must_use]
    pub fn with_spool_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.spool_folder = Some(folder.into());
        self
    }

    /// Decides an unknown write; as [`Client::resolve`].
    pub async fn resolve(&self, ticket: &Ticket) -> Verdict {
        self.client.resolve(ticket).await
    }

    /// Decides an unknown write, and asks until it is decided or the deadline has passed; as [`Client::settle`].
    pub async fn settle(&self, ticket: &Ticket) -> Verdict {
        self.client.settle(ticket, &SettleOptions::default()).await
    }
}

impl From<Client> for Store {
    fn from(client: Client) -> Self {
        Self { client, spool_folder: None }
    }
}

impl fmt::Display for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("oscommit")
    }
}
