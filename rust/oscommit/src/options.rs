// SPDX-License-Identifier: Apache-2.0
//! The settings of a client, of a call and of an object.

use crate::handle::{Abandoned, Handle, Log, LogLevel, log_line, no_error};
use crate::{Error, Verdict, text};
use oscommit_sys as sys;
use std::ffi::CString;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// What excludes other writers (docs/rules.md, M1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Guard {
    /// Decided for each operation: native where the store's profile proves that safe, else the record.
    #[default]
    Auto,
    /// The record in the ledger.
    Record,
    /// The store's own condition, no record. Refused unless the profile proves it safe.
    Native,
    /// Record and condition: for a fleet that is mixed, or moves from one to the other.
    Both,
}

/// The settings of a client. What is not set has the default that docs/configuration.md names.
#[derive(Default)]
pub struct Options {
    texts: Texts,
    numbers: Vec<fn(&mut sys::os_options, &Options)>,
    values: Values,
    from_environment: bool,
    log: Option<(LogLevel, Log)>,
    abandoned: Option<Arc<Abandoned>>,
}

#[derive(Default)]
struct Values {
    guard: Guard,
    timeout: Duration,
    recheck_after: Duration,
    connect_timeout: Duration,
    request_timeout: Duration,
    stage_above: u64,
    part_size: u64,
    parts_at_once: u32,
    max_connections: u32,
    max_in_flight: u32,
}

macro_rules! texts {
    ($($(#[$about:meta])* $name:ident,)*) => {
        #[derive(Default)]
        struct Texts { $($name: Option<String>,)* }

        impl Texts {
            fn to_c(&self) -> Result<CTexts, Error> {
                Ok(CTexts { $($name: self.$name.as_deref().map(|text| text::to_c(stringify!($name), text)).transpose()?,)* })
            }
        }

        struct CTexts { $($name: Option<CString>,)* }

        impl CTexts {
            fn put_into(&self, options: &mut sys::os_options) {
                $(options.$name = text::pointer(self.$name.as_ref());)*
            }
        }

        impl Options {
            $($(#[$about])*
            #[must_use]
            pub fn $name(mut self, $name: impl Into<String>) -> Self {
                self.texts.$name = Some($name.into());
                self
            })*
        }
    };
}

texts! {
    /// Where the objects are: `s3://bucket[/prefix]`, or `file:///root`. Required, but by `from_environment`.
    store_url,
    /// Where the records are: `dynamodb://TABLE`, `dynamo:TABLE[:TIMEOUT_MS]` or `sqlite:///FILE`.
    ledger_url,
    /// Such as `http://host:port`; AWS's own if it is not given.
    s3_endpoint,
    /// The region of the bucket.
    s3_region,
    /// As `s3_endpoint`, of the table.
    dynamodb_endpoint,
    /// The region of the table, if it is another than the bucket's.
    dynamodb_region,
    /// A bundle of certificates (PEM) to use instead of the system's.
    ca_file,
    /// An access key; otherwise credentials come from the usual `AWS_*` variables and files.
    access_key_id,
    /// Its secret. It is never shown.
    secret_access_key,
    /// The session token of temporary keys. It is never shown.
    session_token,
    /// A profile of the credentials' files.
    profile,
    /// As `access_key_id`, of the table, if its keys are others.
    dynamodb_access_key_id,
    /// As `secret_access_key`, of the table.
    dynamodb_secret_access_key,
    /// As `session_token`, of the table.
    dynamodb_session_token,
    /// As `profile`, of the table.
    dynamodb_profile,
    /// Put before each key in the records; the whole fleet must agree.
    record_prefix,
    /// What the store can do: a file that a probe wrote, or the name of a shipped profile.
    store_profile,
    /// Put in front of "oscommit/VERSION".
    user_agent,
    /// Keys that begin so are never deleted and never take earlier bytes again, such as "_delta_log/".
    forward_only_prefix,
}

macro_rules! numbers {
    ($($(#[$about:meta])* $name:ident: $type:ty => $field:ident = $value:expr;)*) => {
        impl Options {
            $($(#[$about])*
            #[must_use]
            pub fn $name(mut self, $name: $type) -> Self {
                self.values.$name = $name;
                self.numbers.push(|options, own| options.$field = $value(own.values.$name));
                self
            })*
        }
    };
}

numbers! {
    /// What excludes other writers.
    guard: Guard => guard = guard_to_c;
    /// The lease that is written into a record.
    timeout: Duration => timeout_ms = to_ms;
    /// How long a writer waits before it looks again at a record that is in its way.
    recheck_after: Duration => recheck_after_ms = to_ms;
    /// How long opening a connection may take.
    connect_timeout: Duration => connect_timeout_ms = to_ms;
    /// How long one request may make no progress.
    request_timeout: Duration => request_timeout_ms = to_ms;
    /// Bodies of more bytes go in parts.
    stage_above: u64 => stage_above = std::convert::identity;
    /// Bytes of a part, 5 MiB to 5 GiB.
    part_size: u64 => part_size = std::convert::identity;
    /// How many parts of one call are sent at the same time.
    parts_at_once: u32 => parts_at_once = std::convert::identity;
    /// How many connections per host.
    max_connections: u32 => max_connections = std::convert::identity;
    /// How many operations may be under way.
    max_in_flight: u32 => max_in_flight = std::convert::identity;
}

fn to_ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn guard_to_c(guard: Guard) -> sys::os_guard {
    match guard {
        Guard::Auto => sys::OS_GUARD_AUTO,
        Guard::Record => sys::OS_GUARD_RECORD,
        Guard::Native => sys::OS_GUARD_NATIVE,
        Guard::Both => sys::OS_GUARD_BOTH,
    }
}

fn nothing_set() -> sys::os_options {
    // SAFETY: pointers, integers and functions that may be missing, all of which may be zero.
    sys::os_options { size: size_of::<sys::os_options>(), ..unsafe { std::mem::zeroed() } }
}

impl Options {
    /// Settings for the store at this URL.
    pub fn new(store_url: impl Into<String>) -> Self {
        Self::default().store_url(store_url)
    }

    /// Settings from `OSCOMMIT_STORE`, `OSCOMMIT_LEDGER` and the tool's other variables, read when the client is opened.
    /// What is set besides has priority.
    #[must_use]
    pub fn from_environment() -> Self {
        Self { from_environment: true, ..Self::default() }
    }

    /// Gives lines up to this level to a function. It runs on the client's threads and must not block.
    #[must_use]
    pub fn log(mut self, level: LogLevel, log: impl Fn(LogLevel, &str) + Send + Sync + 'static) -> Self {
        self.log = Some((level, Box::new(log)));
        self
    }

    /// Gives the verdict of each guarded call whose future was dropped while it was under way to a function: nobody else
    /// has the ticket of an unknown one. It runs on a thread of the client's, or on the one that dropped the future, and
    /// must not block. If it has a [`Client`](crate::Client), that is never closed.
    #[must_use]
    pub fn abandoned(mut self, function: impl Fn(Verdict) + Send + Sync + 'static) -> Self {
        self.abandoned = Some(Arc::new(function));
        self
    }

    pub(crate) fn open(mut self) -> Result<Handle, Error> {
        let texts = self.texts.to_c()?;
        let mut options = nothing_set();
        texts.put_into(&mut options);
        for put in &self.numbers {
            put(&mut options, &self);
        }
        if self.from_environment {
            let mut error = no_error();
            // SAFETY: the strings that it borrows from the environment are copied below.
            let code = unsafe { sys::os_options_from_environment(&raw mut options, &raw mut error) };
            if code != sys::OS_OK {
                return Err(Error::from_c(&error));
            }
        }
        let log = self.log.take().map(|(level, log)| {
            options.log_level = level.to_c();
            Box::new(log)
        });
        if let Some(log) = &log {
            options.log = Some(log_line);
            options.log_context = std::ptr::from_ref::<Log>(log).cast_mut().cast();
        }
        Handle::open(&options, log, self.abandoned.take())
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("store_url", &self.texts.store_url)
            .field("ledger_url", &self.texts.ledger_url)
            .finish_non_exhaustive()
    }
}

/// How long the calls of a [`Client`](crate::Client) may take, and what their keys are like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallOptions {
    /// From the start of each call; 120 seconds if it is not given.
    pub deadline: Option<Duration>,
    /// The caller promises that the keys are never deleted and never take earlier bytes again (docs/rules.md, N4).
    /// `None`: as the client's options say.
    pub forward_only: Option<bool>,
}

impl CallOptions {
    /// The defaults.
    #[must_use]
    pub const fn new() -> Self {
        Self { deadline: None, forward_only: None }
    }

    pub(crate) fn to_c(self) -> sys::os_call {
        sys::os_call {
            size: size_of::<sys::os_call>(),
            deadline_ms: self.deadline.map_or(0, |deadline| to_ms(deadline).max(1)),
            cancel: std::ptr::null_mut(),
            progress: None,
            progress_context: std::ptr::null_mut(),
            forward_only: match self.forward_only {
                None => sys::OS_AUTO,
                Some(true) => sys::OS_ON,
                Some(false) => sys::OS_OFF,
            },
        }
    }
}

impl Default for CallOptions {
    fn default() -> Self {
        Self::new()
    }
}

/// What is stored with an object. Tags, storage class and encryption are features of the store; the embedded one refuses
/// a write with one of them ([`Code::Unsupported`](crate::Code::Unsupported)).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PutOptions {
    /// Such as "application/json".
    pub content_type: Option<String>,
    /// Such as "gzip".
    pub content_encoding: Option<String>,
    /// Such as "en-US".
    pub content_language: Option<String>,
    /// Such as "attachment".
    pub content_disposition: Option<String>,
    /// Such as "max-age=60".
    pub cache_control: Option<String>,
    /// Names without "x-amz-meta-", in lower case, and their values.
    pub metadata: Vec<(String, String)>,
    /// At most ten with different names.
    pub tags: Vec<(String, String)>,
    /// Such as "STANDARD_IA".
    pub storage_class: Option<String>,
    /// "AES256", "aws:kms" or "aws:kms:dsse".
    pub encryption: Option<String>,
    /// With one of the latter two.
    pub kms_key_id: Option<String>,
    /// The token of a lease that the write is done under; 0: none. A guarded write over one with a larger token is a
    /// conflict.
    pub fencing: u64,
}

/// [`PutOptions`] as C has them. The strings stay where they are when it is moved.
pub(crate) struct CPutOptions {
    /// Only their memory is needed.
    _texts: Vec<CString>,
    _metadata: Vec<sys::os_metadata>,
    _tags: Vec<sys::os_metadata>,
    options: sys::os_put_options,
}

struct Keeper {
    texts: Vec<CString>,
}

impl Keeper {
    fn one(&mut self, what: &str, text: &str) -> Result<*const std::ffi::c_char, Error> {
        let text = text::to_c(what, text)?;
        let pointer = text.as_ptr();
        self.texts.push(text);
        Ok(pointer)
    }

    fn given(&mut self, what: &str, text: Option<&String>) -> Result<*const std::ffi::c_char, Error> {
        text.map_or(Ok(std::ptr::null()), |text| self.one(what, text))
    }

    fn pairs(&mut self, what: &str, pairs: &[(String, String)]) -> Result<Vec<sys::os_metadata>, Error> {
        pairs
            .iter()
            .map(|(name, value)| Ok(sys::os_metadata { name: self.one(what, name)?, value: self.one(what, value)? }))
            .collect()
    }
}

impl PutOptions {
    pub(crate) fn to_c(&self) -> Result<CPutOptions, Error> {
        let mut keeper = Keeper { texts: Vec::new() };
        let metadata = keeper.pairs("metadata", &self.metadata)?;
        let tags = keeper.pairs("tag", &self.tags)?;
        let options = sys::os_put_options {
            size: size_of::<sys::os_put_options>(),
            content_type: keeper.given("content type", self.content_type.as_ref())?,
            content_encoding: keeper.given("content encoding", self.content_encoding.as_ref())?,
            content_language: keeper.given("content language", self.content_language.as_ref())?,
            content_disposition: keeper.given("content disposition", self.content_disposition.as_ref())?,
            cache_control: keeper.given("cache control", self.cache_control.as_ref())?,
            metadata: metadata.as_ptr(),
            metadata_count: metadata.len(),
            tags: tags.as_ptr(),
            tag_count: tags.len(),
            storage_class: keeper.given("storage class", self.storage_class.as_ref())?,
            encryption: keeper.given("encryption", self.encryption.as_ref())?,
            kms_key_id: keeper.given("key id", self.kms_key_id.as_ref())?,
            fencing: self.fencing,
        };
        Ok(CPutOptions { _texts: keeper.texts, _metadata: metadata, _tags: tags, options })
    }
}

impl CPutOptions {
    pub(crate) fn as_ptr(&self) -> *const sys::os_put_options {
        &raw const self.options
    }
}
