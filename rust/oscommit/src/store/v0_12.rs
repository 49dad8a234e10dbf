// SPDX-License-Identifier: Apache-2.0
//! The trait of `object_store` 0.12.

use super::{Store, copying};
use ::object_store;
use async_trait::async_trait;
use futures_util::stream::BoxStream;
use object_store::path::Path;
use object_store::{
    Attributes, GetOptions, GetResult, GetResultPayload, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};
use std::ops::Range;

#[path = "adapter.rs"]
#[allow(clippy::duplicate_mod)] // the same source for each release of the trait
mod adapter;

fn list_result(common_prefixes: Vec<Path>, objects: Vec<ObjectMeta>) -> ListResult {
    ListResult { common_prefixes, objects }
}

fn put_result(e_tag: Option<String>, version: Option<String>) -> PutResult {
    PutResult { e_tag, version }
}

fn get_result(payload: GetResultPayload, meta: ObjectMeta, range: Range<u64>, attributes: Attributes) -> GetResult {
    GetResult { payload, meta, range, attributes }
}

#[async_trait]
impl ObjectStore for Store {
    async fn put_opts(&self, location: &Path, payload: PutPayload, opts: PutOptions) -> Result<PutResult> {
        adapter::put(self, location, payload, opts).await
    }

    async fn put_multipart_opts(&self, location: &Path, opts: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        adapter::put_multipart(self, location, opts).await
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        adapter::get(self, location, options).await
    }

    async fn delete(&self, location: &Path) -> Result<()> {
        adapter::delete(self, location).await
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        adapter::list(self, prefix, None)
    }

    fn list_with_offset(&self, prefix: Option<&Path>, offset: &Path) -> BoxStream<'static, Result<ObjectMeta>> {
        adapter::list(self, prefix, Some(offset))
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        adapter::list_with_delimiter(self, prefix).await
    }

    async fn copy(&self, from: &Path, to: &Path) -> Result<()> {
        copying::copy(&self.client, from.as_ref(), to.as_ref()).await.map_err(adapter::error)
    }

    async fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        copying::rename(&self.client, from.as_ref(), to.as_ref()).await.map_err(adapter::error)
    }

    async fn copy_if_not_exists(&self, from: &Path, to: &Path) -> Result<()> {
        copying::copy_if_not_exists(&self.client, from.as_ref(), to.as_ref()).await.map_err(adapter::error)
    }

    async fn rename_if_not_exists(&self, from: &Path, to: &Path) -> Result<()> {
        copying::rename_if_not_exists(&self.client, from.as_ref(), to.as_ref()).await.map_err(adapter::error)
    }
}
