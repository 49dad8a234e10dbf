// SPDX-License-Identifier: Apache-2.0
//! The trait of `object_store` 0.14.

use object_store::path::Path;
use object_store::{Attributes, GetResult, GetResultPayload, ListResult, ObjectMeta, PutResult};
use object_store_0_14 as object_store;
use std::ops::Range;

#[path = "adapter.rs"]
#[allow(clippy::duplicate_mod)] // the same source for each release of the trait
mod adapter;
#[path = "by_options.rs"]
#[allow(clippy::duplicate_mod)]
mod by_options;

fn list_result(common_prefixes: Vec<Path>, objects: Vec<ObjectMeta>) -> ListResult {
    ListResult { common_prefixes, objects, extensions: Default::default() }
}

fn put_result(e_tag: Option<String>, version: Option<String>) -> PutResult {
    PutResult { e_tag, version, extensions: Default::default() }
}

fn get_result(payload: GetResultPayload, meta: ObjectMeta, range: Range<u64>, attributes: Attributes) -> GetResult {
    GetResult { payload, meta, range, attributes, extensions: Default::default() }
}
