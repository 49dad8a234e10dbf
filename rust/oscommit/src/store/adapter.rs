// SPDX-License-Identifier: Apache-2.0
//! From the trait's types and back. One source for all releases of `object_store`: each has its own copy of this module,
//! whose parent names the release and makes what differs.

use super::object_store::path::Path;
use super::object_store::{
    Attribute, Attributes, Error, GetOptions, GetRange, GetResult, GetResultPayload, ListResult, MultipartUpload,
    ObjectMeta, PutMode, PutMultipartOptions, PutPayload, PutResult, Result, TagSet, UploadPart,
};
use super::{get_result, list_result, put_result};
use crate::store::failure::{Failure, Kind};
use crate::store::reading::{self, Reading, Span, Wanted};
use crate::store::spool::Upload;
use crate::store::{PutMultipartMode, Store, listing};
use crate::{Object, PutOptions};
use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use futures_util::stream::{self, BoxStream, StreamExt, TryStreamExt};

const STORE: &str = "oscommit";

pub(super) fn error(failure: Failure) -> Error {
    let Failure { kind, path, source } = failure;
    match kind {
        Kind::NotFound => Error::NotFound { path, source },
        Kind::AlreadyExists => Error::AlreadyExists { path, source },
        Kind::Precondition => Error::Precondition { path, source },
        Kind::PermissionDenied => Error::PermissionDenied { path, source },
        Kind::Unauthenticated => Error::Unauthenticated { path, source },
        Kind::NotSupported => Error::NotSupported { source },
        Kind::Generic => Error::Generic { store: STORE, source },
    }
}

fn refused(why: impl Into<String>) -> Error {
    Error::Generic { store: STORE, source: why.into().into() }
}

// ---------------------------------------------------------------------------------------------------- properties

fn meta(location: Path, object: &Object) -> Result<ObjectMeta> {
    let last_modified: DateTime<Utc> = DateTime::from_timestamp(object.last_modified_s, 0)
        .ok_or_else(|| refused(format!("The store gives {location} a time that no calendar has.")))?;
    Ok(ObjectMeta {
        location,
        last_modified,
        size: object.length,
        e_tag: object.etag.clone(),
        version: object.version_id.clone(),
    })
}

fn listed(object: &Object) -> Result<ObjectMeta> {
    meta(Path::parse(&object.key)?, object)
}

fn put_options(attributes: &Attributes, tags: &TagSet) -> Result<PutOptions> {
    let mut options = PutOptions::default();
    for (attribute, value) in attributes {
        let value = value.to_string();
        match attribute {
            Attribute::ContentDisposition => options.content_disposition = Some(value),
            Attribute::ContentEncoding => options.content_encoding = Some(value),
            Attribute::ContentLanguage => options.content_language = Some(value),
            Attribute::ContentType => options.content_type = Some(value),
            Attribute::CacheControl => options.cache_control = Some(value),
            Attribute::StorageClass => options.storage_class = Some(value),
            Attribute::Metadata(name) => options.metadata.push((name.to_string(), value)),
            other => {
                let source = format!("oscommit cannot store the attribute {other:?}: leave it out.").into();
                return Err(Error::NotSupported { source });
            }
        }
    }
    options.tags = form_urlencoded::parse(tags.encoded().as_bytes()).into_owned().collect();
    Ok(options)
}

fn attributes(object: &Object) -> Attributes {
    object.content_type.clone().map(|content_type| (Attribute::ContentType, content_type)).into_iter().collect()
}

// ---------------------------------------------------------------------------------------------------- writes

/// Several pieces become one, as C takes one.
fn joined(payload: PutPayload) -> Bytes {
    payload.into()
}

pub(super) async fn put(
    store: &Store,
    location: &Path,
    payload: PutPayload,
    options: super::object_store::PutOptions,
) -> Result<PutResult> {
    let key = location.as_ref();
    let own = put_options(&options.attributes, &options.tags)?;
    let (verdict, lost) = match options.mode {
        PutMode::Overwrite => {
            let object = store.client.put(key, joined(payload), &own).await;
            let object = object.map_err(|failed| error(Failure::of(key, failed)))?;
            return Ok(put_result(object.etag, object.version_id));
        }
        PutMode::Create => (store.client.put_if_absent(key, joined(payload), &own).await, Kind::AlreadyExists),
        PutMode::Update(version) => {
            let etag = version.e_tag.ok_or_else(|| {
                refused(format!("To update {key}, give the ETag that it must have: a version alone is no condition."))
            })?;
            (store.client.put_if_match(key, &etag, joined(payload), &own).await, Kind::Precondition)
        }
    };
    let committed = Failure::of_verdict(key, verdict, lost).map_err(error)?;
    Ok(put_result(committed.etag, committed.version_id))
}

#[derive(Debug)]
struct Multipart(Upload);

#[async_trait]
impl MultipartUpload for Multipart {
    fn put_part(&mut self, data: PutPayload) -> UploadPart {
        let part = self.0.put_part(data.into_iter().collect());
        Box::pin(async move { part.await.map_err(error) })
    }

    async fn complete(&mut self) -> Result<PutResult> {
        let written = self.0.complete().await.map_err(error)?;
        Ok(put_result(written.etag, written.version_id))
    }

    async fn abort(&mut self) -> Result<()> {
        self.0.abort();
        Ok(())
    }
}

pub(super) async fn put_multipart(
    store: &Store,
    location: &Path,
    options: PutMultipartOptions,
) -> Result<Box<dyn MultipartUpload>> {
    let own = put_options(&options.attributes, &options.tags)?;
    let mode = options.extensions.get::<PutMultipartMode>().copied().unwrap_or_default();
    let upload = Upload::begin(store, location.to_string(), own, mode).await.map_err(error)?;
    Ok(Box::new(Multipart(upload)))
}

pub(super) async fn delete(store: &Store, location: &Path) -> Result<()> {
    let key = location.as_ref();
    store.client.delete(key).await.map_err(|failed| error(Failure::of(key, failed)))
}

// ---------------------------------------------------------------------------------------------------- reads

fn span(range: Option<&GetRange>) -> Span {
    match range {
        None => Span::Whole,
        Some(GetRange::Bounded(range)) => Span::Bounded(range.clone()),
        Some(GetRange::Offset(offset)) => Span::Offset(*offset),
        Some(GetRange::Suffix(count)) => Span::Suffix(*count),
    }
}

fn has_conditions(options: &GetOptions) -> bool {
    options.if_match.is_some()
        || options.if_none_match.is_some()
        || options.if_modified_since.is_some()
        || options.if_unmodified_since.is_some()
}

/// The trait's own rules for conditions decide, with the properties of the very version that is read then.
fn check(options: &GetOptions, location: &Path, object: &Object) -> Result<()> {
    options.check_preconditions(&meta(location.clone(), object)?)
}

pub(super) async fn get(store: &Store, location: &Path, options: GetOptions) -> Result<GetResult> {
    let wanted =
        Wanted { key: location.as_ref(), span: span(options.range.as_ref()), version_id: options.version.clone() };
    let refusal = std::sync::Mutex::new(None);
    let checked = |object: &Object| {
        check(&options, location, object).map_err(|why| {
            *refusal.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(why);
            Failure::generic(location.as_ref(), "a condition of the read does not hold")
        })
    };
    let read = if options.head {
        reading::look(&store.client, &wanted, checked).await.map(|object| Reading {
            range: 0..object.length,
            object,
            body: stream::empty().boxed(),
        })
    } else {
        reading::read(&store.client, wanted, has_conditions(&options).then_some(checked)).await
    };
    let Reading { object, range, body } = read.map_err(|failed| {
        let why = refusal.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        why.unwrap_or_else(|| error(failed))
    })?;
    let payload = GetResultPayload::Stream(body.map_err(error).boxed());
    Ok(get_result(payload, meta(location.clone(), &object)?, range, attributes(&object)))
}

// ---------------------------------------------------------------------------------------------------- lists

/// Of whole segments, as the trait has it: "a/b" is no prefix of "a/bc".
fn folder(prefix: Option<&Path>) -> String {
    prefix.filter(|prefix| !prefix.as_ref().is_empty()).map_or_else(String::new, |prefix| format!("{prefix}/"))
}

pub(super) fn list(
    store: &Store,
    prefix: Option<&Path>,
    offset: Option<&Path>,
) -> BoxStream<'static, Result<ObjectMeta>> {
    let start_after = offset.map(Path::to_string).unwrap_or_default();
    listing::list(&store.client, folder(prefix), start_after)
        .map(|object| object.map_err(error).and_then(|object| listed(&object)))
        .boxed()
}

pub(super) async fn list_with_delimiter(store: &Store, prefix: Option<&Path>) -> Result<ListResult> {
    let (objects, folders) = listing::list_folder(&store.client, folder(prefix)).await.map_err(error)?;
    let folders = folders.iter().map(Path::parse).collect::<std::result::Result<_, _>>()?;
    Ok(list_result(folders, objects.iter().map(listed).collect::<Result<_>>()?))
}
