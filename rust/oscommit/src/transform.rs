// SPDX-License-Identifier: Apache-2.0
//! The caller's function of an update.

use crate::handle::within_callback;
use crate::text;
use oscommit_sys as sys;
use std::any::Any;
use std::error::Error as StdError;
use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// What an update has found.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Current<'a> {
    /// The bytes of the object; `None` if nothing is there.
    pub data: Option<&'a [u8]>,
    /// Its ETag; empty if nothing is there.
    pub etag: &'a str,
    /// 1 for the first call of the function, 2 for the next.
    pub round: u32,
}

type Failure = Box<dyn StdError + Send + Sync>;
type Function = Box<dyn FnMut(Current<'_>) -> Result<Vec<u8>, Failure> + Send>;

/// A function, and what it gave last, which must stay until it is called again.
pub(crate) struct Transform {
    function: Function,
    given: Vec<u8>,
    failure: Option<Failure>,
    panic: Option<Box<dyn Any + Send>>,
}

impl Transform {
    pub(crate) fn new(function: Function) -> Self {
        Self { function, given: Vec::new(), failure: None, panic: None }
    }

    /// Why the function ended the update, if it did.
    pub(crate) fn into_failure(self) -> Option<Failure> {
        if let Some(panic) = self.panic {
            resume_unwind(panic);
        }
        self.failure
    }
}

/// # Safety
/// `context` is a `Transform` that nobody else uses; the other two are what the C library gives an os_transform_fn.
pub(crate) unsafe extern "C" fn run(
    context: *mut c_void,
    current: *const sys::os_current,
    ret: *mut sys::os_body,
) -> c_int {
    // SAFETY: the caller says so; one call at a time.
    let (transform, found) = unsafe { (&mut *context.cast::<Transform>(), &*current) };
    // SAFETY: `data` is never NULL and has so many bytes; the ETag ends in a NUL, or is NULL.
    let (data, etag) = unsafe {
        let data = std::slice::from_raw_parts(found.data.cast::<u8>(), found.length);
        (data, text::of_pointer(found.etag).unwrap_or_default())
    };
    let current = Current { data: (found.exists != 0).then_some(data), etag: &etag, round: found.round };
    match catch_unwind(AssertUnwindSafe(|| within_callback(|| (transform.function)(current)))) {
        Ok(Ok(given)) => {
            transform.given = given;
            // SAFETY: `ret` is the C library's, for this call; what it points to stays in the transform.
            unsafe {
                (*ret).data = transform.given.as_ptr().cast();
                (*ret).length = transform.given.len() as u64;
            }
            return 0;
        }
        Ok(Err(failure)) => transform.failure = Some(failure),
        Err(panic) => transform.panic = Some(panic),
    }
    1
}
