// SPDX-License-Identifier: Apache-2.0
//! What became of a guarded write.

use crate::{Error, text};
use oscommit_sys as sys;
use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

/// Lets any process with the same store and ledger decide an [`Unknown`] write: one line of JSON without secrets. Write it
/// to a file where it must survive this process.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Ticket(String);

impl Ticket {
    /// The line that [`Ticket::from`] takes again.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<T: Into<String>> From<T> for Ticket {
    /// Whether it is a ticket of this store is said by [`Client::resolve`](crate::Client::resolve).
    fn from(line: T) -> Self {
        Self(line.into())
    }
}

/// How a guarded call went, whatever its verdict.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The rule of docs/rules.md that gave the verdict, such as "R9" or "R13.E".
    pub rule: String,
    /// The request that wrote, or would have, such as "PutObject"; empty if none was to be sent.
    pub request: String,
    /// How many attempts were sent.
    pub attempts: u32,
    /// How many requests were made to store and ledger.
    pub requests: u32,
    /// How long it waited for other writers' records.
    pub waited: Duration,
    /// How long it took.
    pub duration: Duration,
    /// An update: so many writes were lost to other writers, and the function ran again.
    pub conflicts: u32,
}

/// A write that was applied; its expectation held.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Committed {
    /// The ETag of the new object, in quotes; `None` after a delete, or if the store did not tell it.
    pub etag: Option<String>,
    /// The version in a versioned bucket: of the new object, or of the delete marker.
    pub version_id: Option<String>,
    /// An update: the function gave the same bytes back, so nothing was written.
    pub unchanged: bool,
    /// A rename: the copy was made, but the source is still there. This says why; delete the source.
    pub remark: Option<String>,
    /// How the call went.
    pub report: Report,
}

/// A write whose expectation did not hold. It was not applied and never will be: read the object and decide anew.
#[derive(Debug)]
#[non_exhaustive]
pub struct Conflict {
    /// The ETag of the object that is there instead; `None` if there is none.
    pub found_etag: Option<String>,
    /// Its version, in a versioned bucket.
    pub found_version_id: Option<String>,
    /// How the call went.
    pub report: Report,
    error: Error,
}

/// A write that may have been applied, or may still be. Resolve the ticket; until then delete nothing that the write could
/// refer to, and do not write it again as if it had failed.
#[derive(Debug)]
#[non_exhaustive]
pub struct Unknown {
    /// For [`Client::resolve`](crate::Client::resolve) and [`Client::settle`](crate::Client::settle). `None`: of an
    /// unguarded write, and of a rename that was one request. Look at the object then.
    pub ticket: Option<Ticket>,
    /// No evidence is left that could decide. Asking again does not help: compare the object with what was to be written.
    pub is_final: bool,
    /// After this time it makes sense to resolve. `None`: only when the cause that the text names is removed.
    pub ask_again: Option<Duration>,
    /// How the call went.
    pub report: Report,
    error: Error,
}

/// The truth about the caller's own write. Each case asks for another thing, so none can be left out.
#[derive(Debug)]
#[must_use = "a write whose verdict nobody looks at may not have happened"]
pub enum Verdict {
    /// It was applied, and its expectation held. Go on.
    Committed(Committed),
    /// The expectation did not hold; it was not applied and never will be. Read the object again and decide anew.
    Conflict(Conflict),
    /// Nothing was applied and never will be. Remove the reason, and call again.
    NotExecuted(Error),
    /// It may have been applied. Resolve the ticket.
    Unknown(Unknown),
}

/// A verdict that is not [`Verdict::Committed`], as an error for `?`.
#[derive(Debug)]
pub enum WriteError {
    /// As [`Verdict::Conflict`].
    Conflict(Box<Conflict>),
    /// As [`Verdict::NotExecuted`].
    NotExecuted(Error),
    /// As [`Verdict::Unknown`]: it may have been applied.
    Unknown(Box<Unknown>),
}

impl Verdict {
    /// The write, or why it is not one, for callers that only go on after a commit. Mind [`WriteError::Unknown`].
    ///
    /// # Errors
    /// Every other verdict.
    pub fn committed(self) -> Result<Committed, WriteError> {
        match self {
            Self::Committed(committed) => Ok(committed),
            Self::Conflict(conflict) => Err(WriteError::Conflict(Box::new(conflict))),
            Self::NotExecuted(error) => Err(WriteError::NotExecuted(error)),
            Self::Unknown(unknown) => Err(WriteError::Unknown(Box::new(unknown))),
        }
    }

    /// "committed", "conflict", "not executed" or "unknown", as the tool prints it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Committed(_) => "committed",
            Self::Conflict(_) => "conflict",
            Self::NotExecuted(_) => "not executed",
            Self::Unknown(_) => "unknown",
        }
    }
}

impl Conflict {
    /// Why, with the library's codes.
    #[must_use]
    pub fn error(&self) -> &Error {
        &self.error
    }
}

impl Unknown {
    /// Why, with the library's codes.
    #[must_use]
    pub fn error(&self) -> &Error {
        &self.error
    }

    pub(crate) fn without_evidence(error: Error) -> Self {
        Self { ticket: None, is_final: false, ask_again: None, report: Report::default(), error }
    }

    /// Of a resolve that was not even started: the write's fate is as unknown as before.
    pub(crate) fn still(ticket: Ticket, error: Error) -> Self {
        Self { ticket: Some(ticket), ..Self::without_evidence(error) }
    }
}

macro_rules! shown_by_its_error {
    ($($type:ty),*) => {$(
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.error.fmt(f)
            }
        }

        impl StdError for $type {
            fn source(&self) -> Option<&(dyn StdError + 'static)> {
                Some(&self.error)
            }
        }
    )*};
}
shown_by_its_error!(Conflict, Unknown);

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conflict(conflict) => conflict.fmt(f),
            Self::NotExecuted(error) => error.fmt(f),
            Self::Unknown(unknown) => unknown.fmt(f),
        }
    }
}

impl StdError for WriteError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(match self {
            Self::Conflict(conflict) => conflict.as_ref(),
            Self::NotExecuted(error) => error,
            Self::Unknown(unknown) => unknown.as_ref(),
        })
    }
}

/// What a completed guarded operation says, whatever its verdict.
pub(crate) struct Told {
    verdict: sys::os_verdict,
    pub(crate) ticket: Option<Ticket>,
    pub(crate) error: Error,
    committed: Committed,
    found_etag: Option<String>,
    found_version_id: Option<String>,
    is_final: bool,
    ask_again: Option<Duration>,
}

fn report(result: &sys::os_result) -> Report {
    Report {
        rule: text::of_array(&result.rule),
        request: text::of_array(&result.request),
        attempts: result.attempts,
        requests: result.requests,
        waited: Duration::from_millis(result.waited_ms),
        duration: Duration::from_millis(result.duration_ms),
        conflicts: result.conflicts,
    }
}

impl Told {
    /// The ticket is the caller's to copy: it is a pointer.
    pub(crate) fn new(
        verdict: sys::os_verdict,
        result: &sys::os_result,
        ticket: Option<Ticket>,
        error: Error,
        has_error: bool,
    ) -> Self {
        Self {
            verdict,
            ticket,
            committed: Committed {
                etag: text::given_in(&result.etag),
                version_id: text::given_in(&result.version_id),
                unchanged: result.unchanged != 0,
                remark: has_error.then(|| error.to_string()),
                report: report(result),
            },
            error,
            found_etag: text::given_in(&result.found_etag),
            found_version_id: text::given_in(&result.found_version_id),
            is_final: result.r#final != 0,
            ask_again: (result.ask_again_ms != 0).then(|| Duration::from_millis(result.ask_again_ms)),
        }
    }

    fn into_conflict(self) -> Conflict {
        Conflict {
            found_etag: self.found_etag,
            found_version_id: self.found_version_id,
            report: self.committed.report,
            error: self.error,
        }
    }

    fn into_unknown(self) -> Unknown {
        Unknown {
            ticket: self.ticket,
            is_final: self.is_final,
            ask_again: self.ask_again,
            report: self.committed.report,
            error: self.error,
        }
    }

    /// A verdict that this release does not know can only mean that it may have been applied.
    pub(crate) fn into_verdict(self) -> Verdict {
        match self.verdict {
            sys::OS_COMMITTED => Verdict::Committed(self.committed),
            sys::OS_CONFLICT => Verdict::Conflict(self.into_conflict()),
            sys::OS_NOT_EXECUTED => Verdict::NotExecuted(self.error),
            _ => Verdict::Unknown(self.into_unknown()),
        }
    }
}
