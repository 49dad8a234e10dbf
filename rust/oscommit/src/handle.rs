// SPDX-License-Identifier: Apache-2.0
//! The C client, opened and closed.

use crate::{Error, Verdict};
use oscommit_sys as sys;
use std::cell::Cell;
use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{self, NonNull};
use std::sync::Arc;

/// How much a log line matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// Something failed.
    Error,
    /// Something is not as it should be.
    Warn,
    /// What is done.
    Info,
    /// What is done in detail.
    Debug,
}

impl LogLevel {
    fn from_c(level: sys::os_log_level) -> Self {
        match level {
            sys::OS_LOG_ERROR => Self::Error,
            sys::OS_LOG_WARN => Self::Warn,
            sys::OS_LOG_INFO => Self::Info,
            _ => Self::Debug,
        }
    }

    pub(crate) fn to_c(self) -> sys::os_log_level {
        match self {
            Self::Error => sys::OS_LOG_ERROR,
            Self::Warn => sys::OS_LOG_WARN,
            Self::Info => sys::OS_LOG_INFO,
            Self::Debug => sys::OS_LOG_DEBUG,
        }
    }
}

pub(crate) type Abandoned = dyn Fn(Verdict) + Send + Sync;
pub(crate) type Log = Box<dyn Fn(LogLevel, &str) + Send + Sync>;

thread_local! {
    static CALLBACKS: Cell<u32> = const { Cell::new(0) };
}

/// Runs what belongs to others on a thread of the C library: a waker, a function of the caller, a drop.
pub(crate) fn within_callback<T>(run: impl FnOnce() -> T) -> T {
    struct Count;
    impl Drop for Count {
        fn drop(&mut self) {
            CALLBACKS.with(|count| count.set(count.get() - 1));
        }
    }
    CALLBACKS.with(|count| count.set(count.get() + 1));
    let _count = Count;
    run()
}

/// # Safety
/// `context` is the log function of a client that is open, and `line` ends in a NUL.
pub(crate) unsafe extern "C" fn log_line(context: *mut c_void, level: sys::os_log_level, line: *const c_char) {
    // SAFETY: the function lives as long as its client.
    let log = unsafe { &*context.cast::<Log>() };
    // SAFETY: the caller says so.
    let line = unsafe { CStr::from_ptr(line) }.to_string_lossy();
    // A log that panics must not end the program: there is nobody to tell it.
    let _ = catch_unwind(AssertUnwindSafe(|| within_callback(|| log(LogLevel::from_c(level), &line))));
}

/// A function that panics must not end the program: there is nobody to tell it.
pub(crate) fn tell(abandoned: &Arc<Abandoned>, verdict: Verdict) {
    let _ = catch_unwind(AssertUnwindSafe(|| within_callback(|| abandoned(verdict))));
}

struct Open {
    client: NonNull<sys::os_client>,
    /// Where the C library calls it; after the client in the order of drops.
    _log: Option<Box<Log>>,
}

// SAFETY: any number of threads may use one os_client, and any may close it.
unsafe impl Send for Open {}
// SAFETY: the same.
unsafe impl Sync for Open {}

impl Drop for Open {
    fn drop(&mut self) {
        // SAFETY: it is open, this is its only owner, and no call of it is under way but those that this cancels.
        unsafe { sys::os_client_close(self.client.as_ptr()) };
    }
}

/// An open client of the C library, which is closed with it.
pub(crate) struct Handle {
    open: Option<Open>,
    abandoned: Option<Arc<Abandoned>>,
}

pub(crate) fn no_error() -> sys::os_error {
    // SAFETY: integers and arrays of characters, all of which may be zero.
    unsafe { std::mem::zeroed() }
}

impl Handle {
    /// `options` is whole, and its log context is `log`.
    pub(crate) fn open(
        options: &sys::os_options,
        log: Option<Box<Log>>,
        abandoned: Option<Arc<Abandoned>>,
    ) -> Result<Self, Error> {
        let mut client = ptr::null_mut();
        let mut error = no_error();
        // SAFETY: the strings of `options` are borrowed for the call; the client is set if it returns OS_OK.
        let code = unsafe { sys::os_client_open(options, &raw mut client, &raw mut error) };
        match NonNull::new(client) {
            Some(client) if code == sys::OS_OK => Ok(Self { open: Some(Open { client, _log: log }), abandoned }),
            _ => Err(Error::from_c(&error)),
        }
    }

    pub(crate) fn abandoned(&self) -> Option<Arc<Abandoned>> {
        self.abandoned.clone()
    }

    pub(crate) fn as_ptr(&self) -> *mut sys::os_client {
        self.open.as_ref().map_or(ptr::null_mut(), |open| open.client.as_ptr())
    }
}

impl Drop for Handle {
    /// Within a callback of the client its close does nothing, so another thread does it.
    fn drop(&mut self) {
        let open = self.open.take();
        if CALLBACKS.with(Cell::get) > 0 {
            drop(std::thread::Builder::new().name("oscommit-close".into()).spawn(move || drop(open)));
        }
    }
}

/// The version of the C library that this program is linked with.
#[must_use]
pub fn library_version() -> String {
    // SAFETY: a static string.
    unsafe { crate::text::of_pointer(sys::os_version()) }.unwrap_or_default()
}
