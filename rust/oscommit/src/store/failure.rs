// SPDX-License-Identifier: Apache-2.0
//! What the trait calls an error, without a release of the trait.

use crate::{Code, Committed, Error, Unknown, Verdict};
use std::error::Error as StdError;

type Source = Box<dyn StdError + Send + Sync>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    NotFound,
    AlreadyExists,
    Precondition,
    PermissionDenied,
    Unauthenticated,
    NotSupported,
    Generic,
}

#[derive(Debug)]
pub(super) struct Failure {
    pub(super) kind: Kind,
    pub(super) path: String,
    pub(super) source: Source,
}

impl Failure {
    pub(super) fn new(kind: Kind, path: &str, source: impl Into<Source>) -> Self {
        Self { kind, path: path.to_string(), source: source.into() }
    }

    pub(super) fn generic(path: &str, source: impl Into<Source>) -> Self {
        Self::new(Kind::Generic, path, source)
    }

    /// A missing bucket or table is no missing object: whoever asks for one would take it for an empty store.
    pub(super) fn of(path: &str, error: Error) -> Self {
        let kind = match error.code() {
            Code::NotFound => Kind::NotFound,
            Code::Denied => Kind::PermissionDenied,
            Code::Credentials => Kind::Unauthenticated,
            Code::Unsupported => Kind::NotSupported,
            Code::Undecided => return Self::generic(path, Unknown::without_evidence(error)),
            _ => Kind::Generic,
        };
        Self::new(kind, path, error)
    }

    /// `lost`: what a conflict is called.
    pub(super) fn of_verdict(path: &str, verdict: Verdict, lost: Kind) -> Result<Committed, Self> {
        match verdict {
            Verdict::Committed(committed) => Ok(committed),
            Verdict::Conflict(conflict) => Err(Self::new(lost, path, conflict)),
            Verdict::NotExecuted(error) => Err(Self::of(path, error)),
            Verdict::Unknown(unknown) => Err(Self::generic(path, unknown)),
        }
    }
}
