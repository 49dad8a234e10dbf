// SPDX-License-Identifier: Apache-2.0
//! The trait since `object_store` 0.13, where options say what a copy, a rename or a delete is.

use super::adapter;
use super::object_store::path::Path;
use super::object_store::{
    CopyMode, CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMultipartOptions, PutOptions, PutPayload, PutResult, RenameOptions, RenameTargetMode, Result,
};
use crate::store::{Store, copying};
use async_trait::async_trait;
use futures_util::stream::{BoxStream, StreamExt};

const DELETES_AT_ONCE: usize = 10;

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

    fn delete_stream(&self, locations: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        let store = self.clone();
        locations
            .map(move |location| {
                let store = store.clone();
                async move {
                    let location = location?;
                    adapter::delete(&store, &location).await.map(|()| location)
                }
            })
            .buffered(DELETES_AT_ONCE)
            .boxed()
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

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        let (from, to) = (from.as_ref(), to.as_ref());
        match options.mode {
            CopyMode::Overwrite => copying::copy(&self.client, from, to).await,
            CopyMode::Create => copying::copy_if_not_exists(&self.client, from, to).await,
        }
        .map_err(adapter::error)
    }

    async fn rename_opts(&self, from: &Path, to: &Path, options: RenameOptions) -> Result<()> {
        let (from, to) = (from.as_ref(), to.as_ref());
        match options.target_mode {
            RenameTargetMode::Overwrite => copying::rename(&self.client, from, to).await,
            RenameTargetMode::Create => copying::rename_if_not_exists(&self.client, from, to).await,
        }
        .map_err(adapter::error)
    }
}
