// SPDX-License-Identifier: Apache-2.0
//! What is to be written.

use crate::handle::within_callback;
use crate::text;
use bytes::Bytes;
use oscommit_sys as sys;
use std::any::Any;
use std::ffi::{CString, c_void};
use std::fmt;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};

enum Source {
    Bytes(Bytes),
    File(PathBuf),
    Reader(Box<dyn Read + Send>),
}

/// What to write: bytes in memory, a file, or a reader of unknown length. Bytes are not copied.
pub struct Body {
    source: Source,
    /// Stays until the write has ended, whoever drops the future.
    guard: Option<Box<dyn Any + Send>>,
}

impl Body {
    /// A file, read while it is sent. If its size changes meanwhile, the write fails with [`Code::Body`](crate::Code::Body).
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Source::File(path.into()).into()
    }

    /// A reader of unknown length, such as a pipe. It runs on a thread of the client's and may block; while it does, the
    /// write notices neither its deadline nor that its future was dropped. A panic in it comes out of the future.
    pub fn reader(reader: impl Read + Send + 'static) -> Self {
        Source::Reader(Box::new(reader)).into()
    }

    #[cfg(feature = "store")]
    pub(crate) fn guarded_by(mut self, guard: impl Any + Send) -> Self {
        self.guard = Some(Box::new(guard));
        self
    }
}

impl From<Source> for Body {
    fn from(source: Source) -> Self {
        Self { source, guard: None }
    }
}

macro_rules! from_bytes {
    ($($type:ty),*) => {$(
        impl From<$type> for Body {
            fn from(bytes: $type) -> Self {
                Source::Bytes(bytes.into()).into()
            }
        }
    )*};
}
from_bytes!(Bytes, Vec<u8>, String, &'static [u8], &'static str);

impl From<&Path> for Body {
    fn from(path: &Path) -> Self {
        Self::file(path)
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            Source::Bytes(bytes) => write!(f, "Body({} bytes)", bytes.len()),
            Source::File(path) => write!(f, "Body(file {})", path.display()),
            Source::Reader(_) => f.write_str("Body(reader)"),
        }
    }
}

enum Kept {
    Bytes(Bytes),
    File(CString),
    Reader(Reader),
}

struct Reader {
    from: Box<dyn Read + Send>,
    error: Option<io::Error>,
    panic: Option<Box<dyn Any + Send>>,
}

/// A body that a started call reads.
pub(crate) struct KeptBody {
    kept: Kept,
    _guard: Option<Box<dyn Any + Send>>,
}

impl KeptBody {
    pub(crate) fn new(body: Body) -> Result<Self, crate::Error> {
        let kept = match body.source {
            Source::Bytes(bytes) => Kept::Bytes(bytes),
            Source::File(path) => Kept::File(path_to_c(&path)?),
            Source::Reader(from) => Kept::Reader(Reader { from, error: None, panic: None }),
        };
        Ok(Self { kept, _guard: body.guard })
    }

    /// Points into this body, which must stay where it is.
    pub(crate) fn as_c(&mut self) -> sys::os_body {
        let mut body = sys::os_body {
            size: size_of::<sys::os_body>(),
            data: std::ptr::null(),
            length: 0,
            file: std::ptr::null(),
            read: None,
            read_context: std::ptr::null_mut(),
        };
        match &mut self.kept {
            Kept::Bytes(bytes) => {
                body.data = bytes.as_ptr().cast();
                body.length = bytes.len() as u64;
            }
            Kept::File(path) => body.file = path.as_ptr(),
            Kept::Reader(reader) => {
                body.read = Some(read);
                body.read_context = std::ptr::from_mut(reader).cast();
            }
        }
        body
    }

    /// Why the reader failed, if it did.
    pub(crate) fn into_error(self) -> Option<io::Error> {
        match self.kept {
            Kept::Reader(Reader { panic: Some(panic), .. }) => resume_unwind(panic),
            Kept::Reader(Reader { error, .. }) => error,
            Kept::Bytes(_) | Kept::File(_) => None,
        }
    }
}

/// # Safety
/// `context` is a `Reader` that nobody else uses, and `data` has room for `size` bytes.
unsafe extern "C" fn read(context: *mut c_void, data: *mut c_void, size: usize) -> i64 {
    // SAFETY: the caller says so; one call at a time.
    let reader = unsafe { &mut *context.cast::<Reader>() };
    // SAFETY: the caller says that there is room. A reader could look at what is there, so it is given zeroes.
    let room = unsafe {
        std::ptr::write_bytes(data.cast::<u8>(), 0, size);
        std::slice::from_raw_parts_mut(data.cast::<u8>(), size)
    };
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        within_callback(|| {
            loop {
                match reader.from.read(room) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    other => return other,
                }
            }
        })
    }));
    match outcome {
        Ok(Ok(length)) if length <= size => i64::try_from(length).unwrap_or(-1),
        Ok(Ok(_)) => -1,
        Ok(Err(error)) => {
            reader.error = Some(error);
            -1
        }
        Err(panic) => {
            reader.panic = Some(panic);
            -1
        }
    }
}

#[cfg(unix)]
fn path_to_c(path: &Path) -> Result<CString, crate::Error> {
    use std::os::unix::ffi::OsStrExt;
    CString::new(path.as_os_str().as_bytes()).or_else(|_| text::to_c("path", &path.to_string_lossy()))
}
