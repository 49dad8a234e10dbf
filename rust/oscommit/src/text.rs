// SPDX-License-Identifier: Apache-2.0
//! Text on its way to C and back.

use crate::{Code, Error};
use std::ffi::{CStr, CString, c_char};

/// The text in an array that a NUL ends. What is not UTF-8 is replaced: the library has escaped its messages, and keys and
/// ETags are UTF-8.
pub(crate) fn of_array<const N: usize>(array: &[c_char; N]) -> String {
    // On some machines c_char is u8.
    #[allow(clippy::unnecessary_cast)]
    let bytes: Vec<u8> = array.iter().take_while(|c| **c != 0).map(|c| *c as u8).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The same; `None` where it is empty.
pub(crate) fn given_in<const N: usize>(array: &[c_char; N]) -> Option<String> {
    Some(of_array(array)).filter(|text| !text.is_empty())
}

/// The text behind a pointer; `None` for NULL.
///
/// # Safety
/// `pointer` is NULL, or leads to bytes that a NUL ends and that stay for this call.
pub(crate) unsafe fn of_pointer(pointer: *const c_char) -> Option<String> {
    // SAFETY: not NULL, and the caller says that a NUL ends it.
    (!pointer.is_null()).then(|| unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned())
}

/// For C, where a NUL would end it early. The text may be a secret, so the error does not show it.
pub(crate) fn to_c(what: &str, text: &str) -> Result<CString, Error> {
    CString::new(text).map_err(|nul| {
        let place = nul.nul_position();
        Error::new(
            Code::Argument,
            format!("The {what} has a NUL at byte {place}, which nothing can have: leave it out."),
        )
    })
}

/// NULL for what is not given.
pub(crate) fn pointer(text: Option<&CString>) -> *const c_char {
    text.map_or(std::ptr::null(), |text| text.as_ptr())
}
