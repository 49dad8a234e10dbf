// SPDX-License-Identifier: Apache-2.0
//! The newest object_store with the store's own conditions; its copy is an upload of one part.

extern crate with_condition as object_store;

mod client;
mod lines;
mod load;
mod measure;

use object_store::aws::{AmazonS3, AmazonS3Builder, S3ConditionalPut, S3CopyIfNotExists};
use object_store::path::Path;
pub use object_store::ObjectStoreExt as Plain;

fn open(options: &client::Options) -> object_store::Result<AmazonS3> {
    AmazonS3Builder::from_env()
        .with_endpoint(&options.endpoint)
        .with_bucket_name(&options.bucket)
        .with_allow_http(true)
        .with_conditional_put(S3ConditionalPut::ETagMatch)
        .with_copy_if_not_exists(S3CopyIfNotExists::Multipart)
        .build()
}

async fn copy(store: &AmazonS3, from: &Path, to: &Path) -> object_store::Result<()> {
    store.copy_if_not_exists(from, to).await
}

fn main() {
    client::main()
}
