// SPDX-License-Identifier: Apache-2.0
//! Each call of the C library with its arguments. Strings and structs live until os_start_... has copied them; what must
//! live longer is kept by the operation.

use crate::body::{Body, KeptBody};
use crate::client::{GetOptions, ListOptions, SettleOptions, UpdateOptions};
use crate::handle::{Handle, no_error, within_callback};
use crate::operation::{Begin, Operation};
use crate::options::{CallOptions, PutOptions};
use crate::sink::Block;
use crate::text::{pointer, to_c};
use crate::transform::{self, Transform};
use crate::{Error, Object, text};
use oscommit_sys as sys;
use std::ffi::{CString, c_int, c_void};
use std::path::Path;

type Started<K> = Result<Operation<K>, Error>;

fn given(what: &str, text: &str) -> Result<Option<CString>, Error> {
    Some(text).filter(|text| !text.is_empty()).map(|text| to_c(what, text)).transpose()
}

/// An empty ETag would be "not given", and the write without its condition is another one.
fn etag_to_c(etag: &str) -> Result<CString, Error> {
    if etag.is_empty() {
        return Err(Error::new(
            crate::Code::Argument,
            "The ETag that the object must have is empty: give that of a read or of an earlier write.",
        ));
    }
    to_c("ETag", etag)
}

pub(crate) fn init(root: &Path) -> Result<(), Error> {
    let root = to_c("folder", &root.to_string_lossy())?;
    let mut error = no_error();
    // SAFETY: the string and the error are borrowed for the call.
    match unsafe { sys::os_init(root.as_ptr(), &raw mut error) } {
        sys::OS_OK => Ok(()),
        _ => Err(Error::from_c(&error)),
    }
}

/// What a put expects to find.
pub(crate) enum Condition<'a> {
    None,
    Absent,
    Match(&'a str),
}

impl<'a> Condition<'a> {
    pub(crate) fn of(etag: Option<&'a str>) -> Self {
        etag.map_or(Self::Absent, Self::Match)
    }
}

pub(crate) fn put(
    client: &Handle,
    call: CallOptions,
    key: &str,
    condition: Condition<'_>,
    body: Body,
    options: &PutOptions,
) -> Started<KeptBody> {
    let key = to_c("key", key)?;
    let options = options.to_c()?;
    let etag = if let Condition::Match(etag) = condition { Some(etag_to_c(etag)?) } else { None };
    let (key, options) = (key.as_ptr(), options.as_ptr());
    let begin = |kept: *mut KeptBody, with: &Begin| {
        // SAFETY: `kept` stays where it is until the completion, and all else is borrowed for the call.
        unsafe {
            let body = (*kept).as_c();
            let body = &raw const body;
            match (&condition, &etag) {
                (Condition::None, _) => {
                    sys::os_start_put(with.client, key, body, options, with.start, with.operation, with.error)
                }
                (_, None) => {
                    sys::os_start_put_if_absent(with.client, key, body, options, with.start, with.operation, with.error)
                }
                (_, Some(etag)) => sys::os_start_put_if_match(
                    with.client,
                    key,
                    etag.as_ptr(),
                    body,
                    options,
                    with.start,
                    with.operation,
                    with.error,
                ),
            }
        }
    };
    Ok(Operation::start(client, KeptBody::new(body)?, &call.to_c(), begin))
}

/// What a copy is of.
pub(crate) struct Copy<'a> {
    pub(crate) source: &'a str,
    /// Copy only this version.
    pub(crate) source_etag: Option<&'a str>,
    pub(crate) key: &'a str,
    /// Of what is at `key`; `None`: nothing.
    pub(crate) etag: Option<&'a str>,
}

pub(crate) fn copy(client: &Handle, call: CallOptions, copy: &Copy<'_>) -> Started<()> {
    let (source, key) = (to_c("source", copy.source)?, to_c("key", copy.key)?);
    let etag = copy.etag.map(etag_to_c).transpose()?;
    let source_etag = copy.source_etag.map(etag_to_c).transpose()?;
    let options = sys::os_copy_options {
        size: size_of::<sys::os_copy_options>(),
        source_etag: pointer(source_etag.as_ref()),
        source_version_id: std::ptr::null(),
        fencing: 0,
    };
    let (source, key, options) = (source.as_ptr(), key.as_ptr(), &raw const options);
    Ok(Operation::start(client, (), &call.to_c(), |_, with| {
        // SAFETY: all is borrowed for the call.
        unsafe {
            match &etag {
                None => sys::os_start_copy_if_not_exists(
                    with.client,
                    source,
                    key,
                    options,
                    with.start,
                    with.operation,
                    with.error,
                ),
                Some(etag) => sys::os_start_copy_if_match(
                    with.client,
                    source,
                    key,
                    etag.as_ptr(),
                    options,
                    with.start,
                    with.operation,
                    with.error,
                ),
            }
        }
    }))
}

pub(crate) fn rename(client: &Handle, call: CallOptions, source: &str, key: &str) -> Started<()> {
    let (source, key) = (to_c("source", source)?, to_c("key", key)?);
    Ok(Operation::start(client, (), &call.to_c(), |_, with| {
        // SAFETY: all is borrowed for the call.
        unsafe {
            sys::os_start_rename_if_not_exists(
                with.client,
                source.as_ptr(),
                key.as_ptr(),
                std::ptr::null(),
                with.start,
                with.operation,
                with.error,
            )
        }
    }))
}

pub(crate) fn delete_if_match(client: &Handle, call: CallOptions, key: &str, etag: &str) -> Started<()> {
    let (key, etag) = (to_c("key", key)?, etag_to_c(etag)?);
    Ok(Operation::start(client, (), &call.to_c(), |_, with| {
        // SAFETY: all is borrowed for the call.
        unsafe {
            sys::os_start_delete_if_match(
                with.client,
                key.as_ptr(),
                etag.as_ptr(),
                with.start,
                with.operation,
                with.error,
            )
        }
    }))
}

/// `options`: settle with these; `None`: resolve.
pub(crate) fn resolve(
    client: &Handle,
    call: CallOptions,
    ticket: &str,
    options: Option<&SettleOptions>,
) -> Started<()> {
    let ticket = to_c("ticket", ticket)?;
    let key = options.and_then(|options| options.key.as_deref()).map(|key| to_c("key", key)).transpose()?;
    let settle = options.map(|options| sys::os_resolve_options {
        size: size_of::<sys::os_resolve_options>(),
        key: pointer(key.as_ref()),
        same_store: c_int::from(options.same_store),
        abort_upload: c_int::from(options.abort_upload),
        give_up: c_int::from(options.give_up),
    });
    let ticket = ticket.as_ptr();
    Ok(Operation::start(client, (), &call.to_c(), |_, with| {
        // SAFETY: all is borrowed for the call.
        unsafe {
            match &settle {
                None => sys::os_start_resolve(with.client, ticket, with.start, with.operation, with.error),
                Some(options) => {
                    sys::os_start_settle(with.client, ticket, options, with.start, with.operation, with.error)
                }
            }
        }
    }))
}

pub(crate) fn update(
    client: &Handle,
    call: CallOptions,
    key: &str,
    transform: Transform,
    options: &UpdateOptions,
) -> Started<Transform> {
    let (key, put) = (to_c("key", key)?, options.put.to_c()?);
    let options = sys::os_update_options {
        size: size_of::<sys::os_update_options>(),
        put: put.as_ptr(),
        max_length: options.max_length,
        always_write: c_int::from(options.always_write),
    };
    Ok(Operation::start(client, transform, &call.to_c(), |kept, with| {
        // SAFETY: `kept` stays where it is until the completion, and all else is borrowed for the call.
        unsafe {
            sys::os_start_update(
                with.client,
                key.as_ptr(),
                Some(transform::run),
                kept.cast(),
                &raw const options,
                with.start,
                with.operation,
                with.error,
            )
        }
    }))
}

pub(crate) fn head(client: &Handle, call: CallOptions, key: &str, version_id: Option<&str>) -> Started<()> {
    let (key, version_id) = (to_c("key", key)?, given("version id", version_id.unwrap_or_default())?);
    let version_id = pointer(version_id.as_ref());
    Ok(Operation::start(client, (), &call.to_c(), |_, with| {
        // SAFETY: all is borrowed for the call.
        unsafe { sys::os_start_head(with.client, key.as_ptr(), version_id, with.start, with.operation, with.error) }
    }))
}

pub(crate) fn get(client: &Handle, call: CallOptions, key: &str, options: &GetOptions) -> Started<Block> {
    let key = to_c("key", key)?;
    let version_id = given("version id", options.version_id.as_deref().unwrap_or_default())?;
    Ok(Operation::start(client, Block::empty(), &call.to_c(), |kept: *mut Block, with| {
        // SAFETY: `kept` stays where it is until the completion, and all else is borrowed for the call.
        unsafe {
            let mut sink = (*kept).as_c();
            sink.offset = options.offset;
            sink.count = options.count;
            sink.max_length = options.max_length;
            sink.version_id = pointer(version_id.as_ref());
            sys::os_start_get(with.client, key.as_ptr(), &raw const sink, with.start, with.operation, with.error)
        }
    }))
}

pub(crate) fn delete(client: &Handle, call: CallOptions, key: &str) -> Started<()> {
    let key = to_c("key", key)?;
    Ok(Operation::start(client, (), &call.to_c(), |_, with| {
        // SAFETY: all is borrowed for the call.
        unsafe { sys::os_start_delete(with.client, key.as_ptr(), with.start, with.operation, with.error) }
    }))
}

/// What a list has given so far.
pub(crate) struct Listed {
    pub(crate) objects: Vec<Object>,
}

/// # Safety
/// `context` is a `Listed` that nobody else uses, and `object` is borrowed for the call.
unsafe extern "C" fn take_listed(context: *mut c_void, object: *const sys::os_object) -> c_int {
    // SAFETY: the caller says so; the key of a listed object ends in a NUL.
    let (listed, object, key) = unsafe {
        let object = &*object;
        (&mut *context.cast::<Listed>(), object, text::of_pointer(object.key))
    };
    within_callback(|| listed.objects.push(Object { key: key.unwrap_or_default(), ..Object::from_c(object) }));
    0
}

pub(crate) fn list(client: &Handle, call: CallOptions, options: &ListOptions) -> Started<Listed> {
    let prefix = given("prefix", &options.prefix)?;
    let delimiter = given("delimiter", &options.delimiter)?;
    let start_after = given("key to start after", &options.start_after)?;
    let options = sys::os_list_options {
        size: size_of::<sys::os_list_options>(),
        prefix: pointer(prefix.as_ref()),
        delimiter: pointer(delimiter.as_ref()),
        start_after: pointer(start_after.as_ref()),
        max_keys: options.max_keys,
        versions: 0,
    };
    Ok(Operation::start(client, Listed { objects: Vec::new() }, &call.to_c(), |kept, with| {
        // SAFETY: `kept` stays where it is until the completion, and all else is borrowed for the call.
        unsafe {
            sys::os_start_list(
                with.client,
                &raw const options,
                Some(take_listed),
                kept.cast(),
                with.start,
                with.operation,
                with.error,
            )
        }
    }))
}

pub(crate) fn table(client: &Handle, call: CallOptions, create: bool) -> Operation<()> {
    let begin = if create { sys::os_start_table_create } else { sys::os_start_table_check };
    Operation::start(client, (), &call.to_c(), |_, with| {
        // SAFETY: all is borrowed for the call.
        unsafe { begin(with.client, with.start, with.operation, with.error) }
    })
}
