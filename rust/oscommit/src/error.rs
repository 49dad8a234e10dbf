// SPDX-License-Identifier: Apache-2.0
//! Why something failed, in the words of the C library.

use crate::text;
use oscommit_sys as sys;
use std::error::Error as StdError;
use std::fmt;

macro_rules! codes {
    ($($name:ident = $value:ident, $text:literal;)*) => {
        /// What kind of failure it was. The library's codes never change their meaning, and later releases may add some.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = $text] $name,)*
            /// A code of a later release of the C library.
            Other(u32),
        }

        impl Code {
            pub(crate) fn from_c(code: sys::os_code) -> Self {
                match code {
                    $(sys::$value => Self::$name,)*
                    other => Self::Other(other),
                }
            }
        }
    };
}

codes! {
    Argument = OS_ERR_ARGUMENT, "A bad argument.";
    Config = OS_ERR_CONFIG, "A bad configuration.";
    NoMemory = OS_ERR_NO_MEMORY, "Out of memory.";
    Credentials = OS_ERR_CREDENTIALS, "There are no usable credentials.";
    Denied = OS_ERR_DENIED, "Access denied.";
    NotFound = OS_ERR_NOT_FOUND, "There is no such object.";
    NoBucket = OS_ERR_NO_BUCKET, "There is no such bucket.";
    NoTable = OS_ERR_NO_TABLE, "There is no such table.";
    Table = OS_ERR_TABLE, "The table is unfit for records.";
    Region = OS_ERR_REGION, "The wrong region.";
    Conflict = OS_ERR_CONFLICT, "The expectation did not hold.";
    Source = OS_ERR_SOURCE, "The source of a copy is missing or has changed.";
    TooLarge = OS_ERR_TOO_LARGE, "Too large.";
    Body = OS_ERR_BODY, "The body changed while it was sent, or could not be read.";
    Throttled = OS_ERR_THROTTLED, "The service asks for fewer requests.";
    Deadline = OS_ERR_DEADLINE, "The deadline has passed.";
    Cancelled = OS_ERR_CANCELLED, "Cancelled: by a dropped future, or by the end of the client.";
    Expired = OS_ERR_EXPIRED, "An attempt expired before it was applied.";
    Busy = OS_ERR_BUSY, "A record of another write is in the way.";
    Network = OS_ERR_NETWORK, "A failure of the network.";
    Tls = OS_ERR_TLS, "A failure of TLS.";
    Protocol = OS_ERR_PROTOCOL, "An answer that cannot be read.";
    Service = OS_ERR_SERVICE, "The service failed.";
    Refused = OS_ERR_REFUSED, "The service refused the request.";
    Io = OS_ERR_IO, "A local input or output error.";
    NoSpace = OS_ERR_NO_SPACE, "No space is left.";
    Unsupported = OS_ERR_UNSUPPORTED, "Not supported by this store.";
    Undecided = OS_ERR_UNDECIDED, "It is not known what became of the write.";
    Stopped = OS_ERR_STOPPED, "Stopped by a function of the caller.";
    InFlight = OS_ERR_IN_FLIGHT, "Too many operations are in flight: start it again when some have ended.";
}

/// A failure. Its text is a whole sentence for a person: what failed, on which object, what the service said, what to do.
/// It contains no secret, and no character that could command a terminal.
#[derive(Debug)]
pub struct Error(Box<Detail>);

#[derive(Debug)]
struct Detail {
    code: Code,
    message: String,
    http_status: u16,
    service_code: String,
    request_id: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl Error {
    /// What kind of failure it was.
    #[must_use]
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// The HTTP status of the answer; `None` if there was none.
    #[must_use]
    pub fn http_status(&self) -> Option<u16> {
        (self.0.http_status != 0).then_some(self.0.http_status)
    }

    /// What the service calls it, such as "AccessDenied"; empty if it said nothing.
    #[must_use]
    pub fn service_code(&self) -> &str {
        &self.0.service_code
    }

    /// The id that the service's support asks for; empty if there is none.
    #[must_use]
    pub fn request_id(&self) -> &str {
        &self.0.request_id
    }

    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self(Box::new(Detail {
            code,
            message: message.into(),
            http_status: 0,
            service_code: String::new(),
            request_id: String::new(),
            source: None,
        }))
    }

    pub(crate) fn from_c(error: &sys::os_error) -> Self {
        Self(Box::new(Detail {
            code: Code::from_c(error.code),
            message: text::of_array(&error.message),
            http_status: u16::try_from(error.http_status).unwrap_or(0),
            service_code: text::of_array(&error.service_code),
            request_id: text::of_array(&error.request_id),
            source: None,
        }))
    }

    pub(crate) fn with_source(mut self, source: Option<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.source = source;
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}
