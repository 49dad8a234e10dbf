// SPDX-License-Identifier: Apache-2.0
//! The calls, as futures.

use crate::body::{Body, KeptBody};
use crate::calls::{self, Copy, Listed};
use crate::handle::Handle;
use crate::operation::Completion;
use crate::options::{CallOptions, Options, PutOptions};
use crate::transform::{Current, Transform};
use crate::verdict::{Ticket, Unknown, Verdict};
use crate::{Error, Object};
use bytes::Bytes;
use std::error::Error as StdError;
use std::fmt;
use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A store and its ledger. A clone is the same client with the same connections.
///
/// Each call is a future that starts when it is first awaited and needs no runtime of its own: the C library's thread does
/// the work and wakes it. A future that is dropped cancels its call. A guarded write may have been applied by then, and its
/// ticket goes to the function of [`Options::abandoned`], or is lost: await the verdict of what matters, with [`Client::with_deadline`] rather than a timer around it.
///
/// The last clone that goes closes the client, which cancels what is under way and waits for its end. Where that must not
/// block a thread of a runtime, drop it on another one.
#[derive(Clone)]
pub struct Client {
    handle: Arc<Handle>,
    call: CallOptions,
}

/// What a read wants of an object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GetOptions {
    /// The first byte.
    pub offset: u64,
    /// How many bytes; 0: to the end.
    pub count: u64,
    /// At most so many bytes of memory; 0: 64 MiB. More is [`Code::TooLarge`](crate::Code::TooLarge).
    pub max_length: u64,
    /// This version of a versioned bucket, current or not.
    pub version_id: Option<String>,
}

/// What a list is of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListOptions {
    /// Only keys that start with this.
    pub prefix: String,
    /// Keys with the same text before it are given once, with length 0 and without an ETag; empty: none.
    pub delimiter: String,
    /// Only keys behind this one.
    pub start_after: String,
    /// At most so many; 0: all.
    pub max_keys: u64,
}

/// How an update is to be done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UpdateOptions {
    /// Stored with the new object; nothing of the old one's is kept.
    pub put: PutOptions,
    /// Of the object, before and after; 0: 64 MiB.
    pub max_length: u64,
    /// Write also if the function gives back the same bytes.
    pub always_write: bool,
}

/// How a ticket is to be decided by [`Client::settle`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SettleOptions {
    /// The ticket must be for this key.
    pub key: Option<String>,
    /// Another endpoint or root in the ticket is another name of this client's store and ledger.
    pub same_store: bool,
    /// The ticket is the caller's own, so its upload may be aborted although no record says whose it is.
    pub abort_upload: bool,
    /// Give up, as [`Client::resolve`] does, when store or ledger do not answer.
    pub give_up: bool,
}

impl Client {
    /// Opens a client: checks every setting and starts its thread. Sends nothing. Blocks only for an embedded store,
    /// shortly.
    ///
    /// # Errors
    /// `Config`: a setting or URL is wrong, and the text names it. `Io`: the embedded root cannot be opened.
    pub fn open(options: Options) -> Result<Self, Error> {
        Ok(Self { handle: Arc::new(options.open()?), call: CallOptions::new() })
    }

    /// Makes an embedded store: the folder, if it is not there, and its ledger. Again changes nothing. Blocks.
    ///
    /// # Errors
    /// `Config`: the folder lies inside a store, or a store inside it. `Io`, `NoSpace`: it cannot be made.
    pub fn init(root: impl AsRef<Path>) -> Result<(), Error> {
        calls::init(root.as_ref())
    }

    /// The same client for calls that may take so long.
    #[must_use]
    pub fn with_deadline(&self, deadline: Duration) -> Self {
        self.with_call(CallOptions { deadline: Some(deadline), ..self.call })
    }

    /// The same client for calls of this kind.
    #[must_use]
    pub fn with_call(&self, call: CallOptions) -> Self {
        Self { handle: Arc::clone(&self.handle), call }
    }

    pub(crate) fn handle(&self) -> &Arc<Handle> {
        &self.handle
    }

    pub(crate) fn call(&self) -> CallOptions {
        self.call
    }

    /// Creates `key` if nothing is there.
    pub async fn put_if_absent(&self, key: &str, body: impl Into<Body>, options: &PutOptions) -> Verdict {
        self.guarded_put(key, None, body.into(), options).await
    }

    /// Replaces `key` if it is still the version whose ETag is `etag`. An absent key is a conflict.
    pub async fn put_if_match(&self, key: &str, etag: &str, body: impl Into<Body>, options: &PutOptions) -> Verdict {
        self.guarded_put(key, Some(etag), body.into(), options).await
    }

    async fn guarded_put(&self, key: &str, etag: Option<&str>, body: Body, options: &PutOptions) -> Verdict {
        let started = calls::put(&self.handle, self.call, key, calls::Condition::of(etag), body, options);
        let (completion, kept) = match started {
            Ok(operation) => operation.await,
            Err(error) => return Verdict::NotExecuted(error),
        };
        verdict_with_source(completion, reader_error(kept))
    }

    /// Copies `source` to `key` inside the store if nothing is there. A missing source is not executed, with the code
    /// `Source`.
    pub async fn copy_if_not_exists(&self, source: &str, key: &str) -> Verdict {
        self.copy(&Copy { source, source_etag: None, key, etag: None }).await
    }

    /// Copies `source` to `key` if that is still the version whose ETag is `etag`.
    pub async fn copy_if_match(&self, source: &str, key: &str, etag: &str) -> Verdict {
        self.copy(&Copy { source, source_etag: None, key, etag: Some(etag) }).await
    }

    pub(crate) async fn copy(&self, copy: &Copy<'_>) -> Verdict {
        guarded(calls::copy(&self.handle, self.call, copy)).await
    }

    /// Renames `source` to `key` if nothing is there: a guarded copy, then a guarded delete of what was copied. The verdict
    /// is that of the copy; [`Committed::remark`](crate::Committed::remark) says if the delete failed.
    pub async fn rename_if_not_exists(&self, source: &str, key: &str) -> Verdict {
        guarded(calls::rename(&self.handle, self.call, source, key)).await
    }

    /// Deletes `key` if it is still the version whose ETag is `etag`. An absent key is a conflict.
    pub async fn delete_if_match(&self, key: &str, etag: &str) -> Verdict {
        guarded(calls::delete_if_match(&self.handle, self.call, key, etag)).await
    }

    /// Decides an unknown write from its ticket, in any process with the same store and ledger. Where it is
    /// [`Verdict::Unknown`] again, keep the ticket of that in place of this one, for it may know more.
    pub async fn resolve(&self, ticket: &Ticket) -> Verdict {
        let started = calls::resolve(&self.handle, self.call, ticket.as_str(), None);
        still_unknown(ticket, started).await
    }

    /// Resolves, and goes on until the verdict is final or the deadline has passed. Asks less and less often, so a
    /// deadline of hours is fine.
    pub async fn settle(&self, ticket: &Ticket, options: &SettleOptions) -> Verdict {
        let started = calls::resolve(&self.handle, self.call, ticket.as_str(), Some(options));
        still_unknown(ticket, started).await
    }

    /// Reads `key`, lets a function make the new bytes, and writes them if the object is still what was read. If another
    /// writer was first, it does so again, until the deadline. The function runs on a thread of the client's and may
    /// block; it may run several times, and only the last run counts. An error of it ends the update: nothing is written,
    /// and the verdict is not executed with the code `Stopped` and the error as its source. After an unknown verdict
    /// resolve the ticket before you update again, or the change may be made twice.
    pub async fn update<E>(
        &self,
        key: &str,
        mut function: impl FnMut(Current<'_>) -> Result<Vec<u8>, E> + Send + 'static,
        options: &UpdateOptions,
    ) -> Verdict
    where
        E: Into<Box<dyn StdError + Send + Sync>>,
    {
        let transform = Transform::new(Box::new(move |current| function(current).map_err(Into::into)));
        match calls::update(&self.handle, self.call, key, transform, options) {
            Ok(operation) => {
                let (completion, transform) = operation.await;
                verdict_with_source(completion, transform.into_failure())
            }
            Err(error) => Verdict::NotExecuted(error),
        }
    }

    /// Reads the properties of an object, or of one version of it.
    ///
    /// # Errors
    /// `NotFound`, `Denied` and others. S3 also answers "denied" for an absent key if the caller may not list.
    pub async fn head(&self, key: &str, version_id: Option<&str>) -> Result<Object, Error> {
        calls::head(&self.handle, self.call, key, version_id)?.await.0.into_object()
    }

    /// Reads an object, or a part of it, into memory. The bytes and the properties are of one answer.
    ///
    /// # Errors
    /// As [`Client::head`]; `TooLarge`: more than `max_length`.
    pub async fn get(&self, key: &str, options: &GetOptions) -> Result<(Object, Bytes), Error> {
        let (completion, block) = calls::get(&self.handle, self.call, key, options)?.await;
        Ok((completion.into_object()?, block.into_bytes()))
    }

    /// Writes without a condition. It races with everything: do not use it on keys that guarded writers share.
    ///
    /// # Errors
    /// `Undecided`: it may have been applied, or may still be. After any other code it was not applied.
    pub async fn put(&self, key: &str, body: impl Into<Body>, options: &PutOptions) -> Result<Object, Error> {
        let operation = calls::put(&self.handle, self.call, key, calls::Condition::None, body.into(), options)?;
        let (completion, kept) = operation.await;
        let source = reader_error(kept);
        completion.into_object().map_err(|error| error.with_source(source))
    }

    /// Deletes without a condition. Also succeeds if nothing is there.
    ///
    /// # Errors
    /// As [`Client::put`].
    pub async fn delete(&self, key: &str) -> Result<(), Error> {
        calls::delete(&self.handle, self.call, key)?.await.0.into_object().map(drop)
    }

    /// Gives the objects of a list in key order.
    ///
    /// # Errors
    /// After an error there is no list, as some of it would be missing.
    pub async fn list(&self, options: &ListOptions) -> Result<Vec<Object>, Error> {
        let (completion, Listed { objects, .. }) = calls::list(&self.handle, self.call, options)?.await;
        completion.into_object()?;
        Ok(objects)
    }

    /// Creates the table of records and waits until it can be used. Also succeeds if a fit table exists.
    ///
    /// # Errors
    /// `Table`: there is one that is unfit; the text says why.
    pub async fn table_create(&self) -> Result<(), Error> {
        calls::table(&self.handle, self.call, true).await.0.into_object().map(drop)
    }

    /// Checks the table of records.
    ///
    /// # Errors
    /// `NoTable`, and `Table`: the text says what is wrong and what to do.
    pub async fn table_check(&self) -> Result<(), Error> {
        calls::table(&self.handle, self.call, false).await.0.into_object().map(drop)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("call", &self.call).finish_non_exhaustive()
    }
}

type Source = Option<Box<dyn StdError + Send + Sync>>;

fn reader_error(kept: KeptBody) -> Source {
    kept.into_error().map(|error| Box::new(error) as _)
}

fn verdict_with_source(completion: Completion, source: Source) -> Verdict {
    match completion {
        Completion::Guarded(mut told) => {
            told.error = told.error.with_source(source);
            told.into_verdict()
        }
        Completion::Refused(error) | Completion::Plain(Err(error)) => Verdict::NotExecuted(error),
        Completion::Plain(Ok(_)) | Completion::Asked(_) => unreachable!("a guarded call has a verdict"),
    }
}

async fn guarded(started: Result<impl Future<Output = (Completion, ())>, Error>) -> Verdict {
    match started {
        Ok(operation) => verdict_with_source(operation.await.0, None),
        Err(error) => Verdict::NotExecuted(error),
    }
}

/// That a ticket was not even looked at says nothing about its write.
async fn still_unknown(ticket: &Ticket, started: Result<impl Future<Output = (Completion, ())>, Error>) -> Verdict {
    let completion = match started {
        Ok(operation) => operation.await.0,
        Err(error) => Completion::Refused(error),
    };
    match completion {
        Completion::Guarded(mut told) => {
            told.ticket = told.ticket.or_else(|| Some(ticket.clone()));
            told.into_verdict()
        }
        Completion::Refused(error) | Completion::Plain(Err(error)) => {
            Verdict::Unknown(Unknown::still(ticket.clone(), error))
        }
        Completion::Plain(Ok(_)) | Completion::Asked(_) => unreachable!("a guarded call has a verdict"),
    }
}
