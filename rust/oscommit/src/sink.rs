// SPDX-License-Identifier: Apache-2.0
//! Where a get puts its bytes: a block of the C library's, which is given on without a copy.

use bytes::Bytes;
use oscommit_sys as sys;
use std::ffi::c_void;
use std::ptr;

/// A block that the C library allocates and fills.
pub(crate) struct Block {
    data: *mut c_void,
    length: usize,
}

// SAFETY: it is memory with one owner; os_free may be called on any thread.
unsafe impl Send for Block {}

impl Block {
    pub(crate) fn empty() -> Self {
        Self { data: ptr::null_mut(), length: 0 }
    }

    /// Points into this block, which must stay where it is.
    pub(crate) fn as_c(&mut self) -> sys::os_sink {
        sys::os_sink {
            size: size_of::<sys::os_sink>(),
            ret_data: &raw mut self.data,
            ret_length: &raw mut self.length,
            max_length: 0,
            file: ptr::null(),
            write: None,
            write_context: ptr::null_mut(),
            offset: 0,
            count: 0,
            version_id: ptr::null(),
        }
    }

    pub(crate) fn into_bytes(self) -> Bytes {
        Bytes::from_owner(self)
    }
}

impl AsRef<[u8]> for Block {
    fn as_ref(&self) -> &[u8] {
        if self.data.is_null() {
            return &[];
        }
        // SAFETY: the C library has put so many bytes there.
        unsafe { std::slice::from_raw_parts(self.data.cast(), self.length) }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: it is the C library's block, or NULL.
        unsafe { sys::os_free(self.data) };
    }
}
