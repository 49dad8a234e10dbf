// SPDX-License-Identifier: Apache-2.0
//! Lists as streams. A page is one operation that ends before it is given on, so that a slow reader of the stream keeps no
//! thread of the client's, however many lists are open.

use super::failure::Failure;
use crate::{Client, ListOptions, Object};
use futures_util::stream::{self, BoxStream, StreamExt, TryStreamExt};

const FIRST_PAGE: u64 = 1_000; // as many as S3 gives at once
const LARGEST_PAGE: u64 = 64_000; // a local store looks at its files once for each

struct Pages {
    client: Client,
    options: ListOptions,
    is_over: bool,
}

impl Pages {
    async fn next(mut self) -> Result<Option<(Vec<Object>, Self)>, Failure> {
        if self.is_over {
            return Ok(None);
        }
        let page = self.client.list(&self.options).await.map_err(|error| Failure::of(&self.options.prefix, error))?;
        self.is_over = (page.len() as u64) < self.options.max_keys;
        if let Some(last) = page.last() {
            self.options.start_after.clone_from(&last.key);
        }
        self.options.max_keys = (self.options.max_keys * 2).min(LARGEST_PAGE);
        Ok(Some((page, self)))
    }
}

/// Empty: all keys.
pub(super) fn list(
    client: &Client,
    prefix: String,
    start_after: String,
) -> BoxStream<'static, Result<Object, Failure>> {
    let options = ListOptions { prefix, start_after, max_keys: FIRST_PAGE, ..ListOptions::default() };
    let pages = Pages { client: client.clone(), options, is_over: false };
    stream::try_unfold(pages, Pages::next).map_ok(|page| stream::iter(page.into_iter().map(Ok))).try_flatten().boxed()
}

/// The objects of one folder, and the folders in it with their slash. In one go, as the result is in memory anyway.
pub(super) async fn list_folder(client: &Client, prefix: String) -> Result<(Vec<Object>, Vec<String>), Failure> {
    let options = ListOptions { prefix, delimiter: "/".to_string(), ..ListOptions::default() };
    let listed = client.list(&options).await.map_err(|error| Failure::of(&options.prefix, error))?;
    let (objects, folders): (Vec<_>, Vec<_>) =
        listed.into_iter().partition(|object| object.etag.is_some() || !object.key.ends_with('/'));
    Ok((objects, folders.into_iter().map(|folder| folder.key).collect()))
}
