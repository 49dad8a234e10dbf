// SPDX-License-Identifier: Apache-2.0
//! Reads: small ones are one request, larger ones are several of one version, each asked for when the one before was taken.

use super::failure::{Failure, Kind};
use crate::{Client, Code, GetOptions, Object};
use bytes::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt};
use std::ops::Range;

/// Bytes of a request; a whole object of more is looked at first.
const PIECE: u64 = 8 << 20;
/// A reader that finds another version so often would never come to an end.
const MOST_CHANGES: u32 = 20;

pub(super) enum Span {
    Whole,
    Bounded(Range<u64>),
    Offset(u64),
    Suffix(u64),
}

pub(super) struct Wanted<'a> {
    pub(super) key: &'a str,
    pub(super) span: Span,
    pub(super) version_id: Option<String>,
}

pub(super) struct Reading {
    pub(super) object: Object,
    pub(super) range: Range<u64>,
    pub(super) body: BoxStream<'static, Result<Bytes, Failure>>,
}

impl Span {
    fn within(&self, key: &str, length: u64) -> Result<Range<u64>, Failure> {
        let range = match self {
            Self::Whole => return Ok(0..length),
            Self::Suffix(count) => return Ok(length.saturating_sub(*count)..length),
            Self::Bounded(range) => range.start..range.end.min(length),
            Self::Offset(offset) => *offset..length,
        };
        if range.start < length {
            return Ok(range);
        }
        Err(Failure::generic(key, format!("{key} has {length} bytes, and the wanted ones begin at {}.", range.start)))
    }

    /// What the first request asks for, where no length is needed to know it.
    fn first(&self) -> Option<GetOptions> {
        let (offset, count) = match self {
            Self::Whole => return Some(GetOptions { max_length: PIECE, ..GetOptions::default() }),
            Self::Suffix(_) => return None,
            Self::Bounded(range) => (range.start, (range.end - range.start).min(PIECE)),
            Self::Offset(offset) => (*offset, PIECE),
        };
        Some(GetOptions { offset, count, ..GetOptions::default() })
    }
}

struct Rest {
    client: Client,
    key: String,
    object: Object,
    left: Range<u64>,
}

impl Rest {
    async fn next(mut self) -> Result<Option<(Bytes, Self)>, Failure> {
        if self.left.is_empty() {
            return Ok(None);
        }
        let piece = piece(&self.client, &self.key, &self.object, &self.left).await?;
        let Some(bytes) = piece else {
            return Err(Failure::generic(
                &self.key,
                format!("{} was replaced while it was read: read it again.", self.key),
            ));
        };
        self.left.start += bytes.len() as u64;
        Ok(Some((bytes, self)))
    }
}

/// The next bytes of this version; `None`: another one is there now.
async fn piece(client: &Client, key: &str, of: &Object, left: &Range<u64>) -> Result<Option<Bytes>, Failure> {
    let is_whole = *left == (0..of.length) && of.length <= PIECE;
    let options = GetOptions {
        offset: left.start,
        count: if is_whole { 0 } else { (left.end - left.start).min(PIECE) },
        version_id: of.version_id.clone(),
        max_length: PIECE,
    };
    match client.get(key, &options).await {
        Ok((object, bytes)) if object.etag == of.etag && !bytes.is_empty() => Ok(Some(bytes)),
        Ok(_) => Ok(None),
        // It is longer or shorter now.
        Err(error) if error.code() == Code::TooLarge || error.http_status() == Some(416) => Ok(None),
        Err(error) => Err(Failure::of(key, error)),
    }
}

fn reading(client: &Client, key: &str, object: Object, range: Range<u64>, first: Bytes) -> Reading {
    let left = range.start + first.len() as u64..range.end;
    let rest = Rest { client: client.clone(), key: key.to_string(), object: object.clone(), left };
    let first = stream::iter((!first.is_empty()).then_some(Ok(first)));
    Reading { object, range, body: first.chain(stream::try_unfold(rest, Rest::next)).boxed() }
}

/// Properties only.
pub(super) async fn look(
    client: &Client,
    wanted: &Wanted<'_>,
    check: impl Fn(&Object) -> Result<(), Failure>,
) -> Result<Object, Failure> {
    let object = client.head(wanted.key, wanted.version_id.as_deref()).await;
    let object = object.map_err(|error| Failure::of(wanted.key, error))?;
    check(&object).map(|()| object)
}

/// The first request says all.
async fn read_at_once(client: &Client, wanted: &Wanted<'_>) -> Result<Option<Reading>, Failure> {
    let Some(options) = wanted.span.first() else { return Ok(None) };
    let options = GetOptions { version_id: wanted.version_id.clone(), ..options };
    match client.get(wanted.key, &options).await {
        Ok((object, bytes)) => {
            let range = wanted.span.within(wanted.key, object.length)?;
            Ok(Some(reading(client, wanted.key, object, range, bytes)))
        }
        Err(error) if error.code() == Code::TooLarge => Ok(None),
        Err(error) => Err(Failure::of(wanted.key, error)),
    }
}

/// `check`: what the properties must be like before a byte is read.
pub(super) async fn read(
    client: &Client,
    wanted: Wanted<'_>,
    check: Option<impl Fn(&Object) -> Result<(), Failure>>,
) -> Result<Reading, Failure> {
    if let Span::Bounded(range) = &wanted.span {
        if range.is_empty() {
            return Err(Failure::generic(wanted.key, format!("The range {range:?} has no bytes.")));
        }
    }
    if check.is_none() {
        if let Some(reading) = read_at_once(client, &wanted).await? {
            return Ok(reading);
        }
    }
    for _ in 0..MOST_CHANGES {
        let object = look(client, &wanted, |object| check.as_ref().map_or(Ok(()), |check| check(object))).await?;
        let range = wanted.span.within(wanted.key, object.length)?;
        if range.is_empty() {
            return Ok(reading(client, wanted.key, object, range, Bytes::new()));
        }
        if let Some(first) = piece(client, wanted.key, &object, &range).await? {
            return Ok(reading(client, wanted.key, object, range, first));
        }
    }
    let why = format!("{} was replaced {MOST_CHANGES} times between a look and a read of it: try again.", wanted.key);
    Err(Failure::new(Kind::Generic, wanted.key, why))
}
