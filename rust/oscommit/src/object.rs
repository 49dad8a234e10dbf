// SPDX-License-Identifier: Apache-2.0
//! What a store says of an object.

use crate::text;
use oscommit_sys as sys;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The properties of an object, as far as the call learned them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Object {
    /// Of a list: relative to the prefix of the store's URL. Empty otherwise.
    pub key: String,
    /// In quotes; `None` for what keys have in common in a list with a delimiter.
    pub etag: Option<String>,
    /// In a versioned bucket, but not in a list.
    pub version_id: Option<String>,
    /// In bytes; of the whole object, also where a part of it was read.
    pub length: u64,
    /// Seconds since 1970.
    pub last_modified_s: i64,
    /// `None` in a list, and where the store does not tell it.
    pub content_type: Option<String>,
    /// Of the guarded write that made it.
    pub nonce: Option<String>,
    /// The fencing token of the guarded write that made it; 0: none.
    pub fencing: u64,
}

impl Object {
    pub(crate) fn from_c(object: &sys::os_object) -> Self {
        Self {
            key: String::new(),
            etag: text::given_in(&object.etag),
            version_id: text::given_in(&object.version_id),
            length: object.length,
            last_modified_s: object.last_modified_s,
            content_type: text::given_in(&object.content_type),
            nonce: text::given_in(&object.nonce),
            fencing: object.fencing,
        }
    }

    /// When it was written, as far as the store's seconds tell.
    #[must_use]
    pub fn last_modified(&self) -> SystemTime {
        let since = Duration::from_secs(self.last_modified_s.unsigned_abs());
        if self.last_modified_s < 0 { UNIX_EPOCH - since } else { UNIX_EPOCH + since }
    }
}
