// SPDX-License-Identifier: Apache-2.0
//! object_store 0.12.5 with DynamoCommit: a record in DynamoDB around each conditional write.

extern crate with_record as object_store;

mod client;
mod lines;
mod load;
mod measure;

use object_store::aws::{AmazonS3, AmazonS3Builder, S3ConditionalPut, S3CopyIfNotExists};
use object_store::path::Path;
pub use object_store::ObjectStore as Plain;

// The crate calls the table deprecated in favour of the store's own conditions.
#[allow(deprecated)]
fn open(options: &client::Options) -> object_store::Result<AmazonS3> {
    let commit = object_store::aws::DynamoCommit::new(options.table.clone());
    AmazonS3Builder::from_env()
        .with_endpoint(&options.endpoint)
        .with_bucket_name(&options.bucket)
        .with_allow_http(true)
        .with_conditional_put(S3ConditionalPut::Dynamo(commit.clone()))
        .with_copy_if_not_exists(S3CopyIfNotExists::Dynamo(commit))
        .build()
}

async fn copy(store: &AmazonS3, from: &Path, to: &Path) -> object_store::Result<()> {
    store.copy_if_not_exists(from, to).await
}

fn main() {
    client::main()
}
