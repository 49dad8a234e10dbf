// SPDX-License-Identifier: Apache-2.0
//! Copies and renames, over what is there or not.

use super::failure::{Failure, Kind};
use crate::calls::Copy;
use crate::{Client, Code, Committed, Verdict, WriteError};

async fn is_missing(client: &Client, key: &str) -> bool {
    matches!(client.head(key, None).await, Err(error) if error.code() == Code::NotFound)
}

/// What is missing is not what has changed: the caller would go on as if it had never been. And where the target is there
/// and the source is not, the trait wants to hear of the source.
async fn of_verdict(client: &Client, copy: &Copy<'_>, verdict: Verdict) -> Result<Committed, Failure> {
    match verdict {
        Verdict::NotExecuted(error) if error.code() == Code::Source => {
            let kind = if is_missing(client, copy.source).await { Kind::NotFound } else { Kind::Generic };
            Err(Failure::new(kind, copy.source, error))
        }
        Verdict::Conflict(conflict) if is_missing(client, copy.source).await => {
            Err(Failure::new(Kind::NotFound, copy.source, conflict))
        }
        other => Failure::of_verdict(copy.key, other, Kind::AlreadyExists),
    }
}

async fn etag_of(client: &Client, key: &str) -> Result<Option<String>, Failure> {
    match client.head(key, None).await {
        Ok(object) => Ok(object.etag),
        Err(error) if error.code() == Code::NotFound => Ok(None),
        Err(error) => Err(Failure::of(key, error)),
    }
}

/// A guarded copy over what is there, whatever that is: where another write was in between, over that.
async fn copy_over(client: &Client, source: &str, source_etag: Option<&str>, key: &str) -> Result<(), Failure> {
    loop {
        let etag = etag_of(client, key).await?;
        let copy = Copy { source, source_etag, key, etag: etag.as_deref() };
        let verdict = client.copy(&copy).await;
        if !matches!(verdict, Verdict::Conflict(_)) {
            return of_verdict(client, &copy, verdict).await.map(drop);
        }
    }
}

async fn must_exist(client: &Client, key: &str) -> Result<Option<String>, Failure> {
    client.head(key, None).await.map(|object| object.etag).map_err(|error| Failure::of(key, error))
}

pub(super) async fn copy(client: &Client, source: &str, key: &str) -> Result<(), Failure> {
    if source == key {
        return must_exist(client, source).await.map(drop);
    }
    copy_over(client, source, None, key).await
}

pub(super) async fn copy_if_not_exists(client: &Client, source: &str, key: &str) -> Result<(), Failure> {
    let copy = Copy { source, source_etag: None, key, etag: None };
    let verdict = client.copy(&copy).await;
    of_verdict(client, &copy, verdict).await.map(drop)
}

/// That the source could not be deleted does not unmake the copy, which is what the verdict is about.
pub(super) async fn rename_if_not_exists(client: &Client, source: &str, key: &str) -> Result<(), Failure> {
    let verdict = client.rename_if_not_exists(source, key).await;
    of_verdict(client, &Copy { source, source_etag: None, key, etag: None }, verdict).await.map(drop)
}

/// Deletes exactly what was copied. With one name for both, that would be the only copy.
pub(super) async fn rename(client: &Client, source: &str, key: &str) -> Result<(), Failure> {
    let etag = must_exist(client, source).await?;
    if source == key {
        return Ok(());
    }
    copy_over(client, source, etag.as_deref(), key).await?;
    match client.delete_if_match(source, etag.as_deref().unwrap_or_default()).await.committed() {
        Ok(_) => Ok(()),
        Err(WriteError::Unknown(unknown)) => Err(Failure::generic(source, *unknown)),
        Err(why) => {
            let what = format!("{source} was copied to {key}, but could not be deleted: {why}");
            Err(Failure::generic(source, what))
        }
    }
}
