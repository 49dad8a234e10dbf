// SPDX-License-Identifier: Apache-2.0
//! What the trait's own tests leave out: large objects, objects that change, long lists, uploads that create, attributes.

#[macro_use]
mod support;

use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::path::Path;
use object_store::{
    Attribute, Attributes, Error, GetOptions, GetRange, ObjectStore, PutMode, PutMultipartOptions, PutOptions,
    PutPayload, TagSet, UpdateVersion,
};
use oscommit::PutMultipartMode;

/// Longer than one request of a read.
fn large() -> Vec<u8> {
    (0..20_000_000_u32).map(|at| (at / 7 % 251) as u8).collect()
}

fn creating() -> PutMultipartOptions {
    let mut options = PutMultipartOptions::default();
    options.extensions.insert(PutMultipartMode::Create);
    options
}

on_every_store! {
    a_large_object_comes_in_pieces(it) {
        let (key, data) = (Path::from("large"), large());
        it.store.put(&key, data.clone().into()).await.expect("it is put");
        let whole = it.store.get(&key).await.expect("it is there");
        assert_eq!((whole.range.clone(), whole.meta.size), (0..20_000_000, 20_000_000));
        assert!(whole.bytes().await.expect("its bytes") == data);
        let options = GetOptions { range: Some(GetRange::Bounded(3..18_000_001)), ..GetOptions::default() };
        let part = it.store.get_opts(&key, options).await.expect("a range").bytes().await.expect("its bytes");
        assert!(part == data[3..18_000_001]);
        let options = GetOptions { range: Some(GetRange::Suffix(9_000_000)), ..GetOptions::default() };
        let part = it.store.get_opts(&key, options).await.expect("a range").bytes().await.expect("its bytes");
        assert!(part == data[11_000_000..]);
    }

    an_object_that_is_replaced_while_it_is_read_is_not_mixed(it) {
        let key = Path::from("large");
        it.store.put(&key, large().into()).await.expect("it is put");
        let mut body = it.store.get(&key).await.expect("it is there").into_stream();
        body.next().await.expect("a piece").expect("its bytes");
        it.store.put(&key, vec![7; 20_000_000].into()).await.expect("it is replaced");
        let rest: Result<Vec<_>, _> = body.try_collect().await;
        let error = rest.expect_err("the rest is of another object");
        assert!(error.to_string().contains("was replaced"), "{error}");
    }

    a_long_list_comes_in_pages(it) {
        let keys: Vec<Path> = (0..1_205).map(|number| Path::from(format!("many/{number:05}"))).collect();
        let put = |key: Path| { let store = &it.store; async move { store.put(&key, PutPayload::new()).await.map(drop) } };
        stream::iter(keys.clone()).map(put).buffer_unordered(32).try_collect::<()>().await.expect("all are put");
        let listed: Vec<Path> =
            it.store.list(None).map_ok(|object| object.location).try_collect().await.expect("a list");
        assert_eq!(listed, keys);
        let behind = it.store.list_with_offset(None, &keys[1_200]).count().await;
        assert_eq!(behind, 4);
        // More lists than the client has threads for them, all of them begun.
        let mut open: Vec<_> = (0..12).map(|_| it.store.list(None)).collect();
        for list in &mut open {
            list.next().await.expect("an object").expect("its properties");
        }
        it.store.delete(&keys[0]).await.expect("lists that wait hold nothing up");
    }

    an_upload_in_parts_creates_once(it) {
        let key = Path::from("upload");
        let mut first = it.store.put_multipart_opts(&key, creating()).await.expect("an upload");
        let mut second = it.store.put_multipart_opts(&key, creating()).await.expect("another");
        first.put_part("one ".into()).await.expect("a part");
        first.put_part("two".into()).await.expect("a part");
        second.put_part("three".into()).await.expect("a part");
        let result = first.complete().await.expect("the first");
        assert!(result.e_tag.is_some());
        let error = second.complete().await.expect_err("the second");
        assert!(matches!(error, Error::AlreadyExists { .. }), "{error}");
        assert_eq!(&it.store.get(&key).await.unwrap().bytes().await.unwrap()[..], b"one two");
        let error = first.complete().await.expect_err("once is enough");
        assert!(error.to_string().contains("completed or aborted before"), "{error}");
    }

    an_upload_with_a_part_that_was_not_awaited_is_none(it) {
        let key = Path::from("upload");
        let mut upload = it.store.put_multipart(&key).await.expect("an upload");
        upload.put_part("one".into()).await.expect("a part");
        drop(upload.put_part("two".into()));
        let error = upload.complete().await.expect_err("a part is missing");
        assert!(error.to_string().contains("await every part"), "{error}");
        assert!(matches!(it.store.head(&key).await.unwrap_err(), Error::NotFound { .. }));
        let mut empty = it.store.put_multipart(&key).await.expect("an upload");
        empty.complete().await.expect("an upload without parts is an empty object");
        assert_eq!(it.store.head(&key).await.expect("it is there").size, 0);
        let mut aborted = it.store.put_multipart(&Path::from("aborted")).await.expect("an upload");
        aborted.put_part("one".into()).await.expect("a part");
        aborted.abort().await.expect("it is aborted");
        assert!(aborted.put_part("two".into()).await.is_err());
    }

    attributes_and_tags(it) {
        let key = Path::from("a");
        let attributes = Attributes::from_iter([
            (Attribute::ContentType, "text/html"),
            (Attribute::ContentEncoding, "identity"),
            (Attribute::ContentLanguage, "en-US"),
            (Attribute::ContentDisposition, "attachment"),
            (Attribute::CacheControl, "max-age=60"),
            (Attribute::Metadata("colour".into()), "blue"),
        ]);
        let options = PutOptions { attributes, ..PutOptions::default() };
        it.store.put_opts(&key, "<p>".into(), options).await.expect("it is put");
        let read = it.store.get(&key).await.expect("it is there");
        let content_type = read.attributes.get(&Attribute::ContentType).map(|value| value.as_ref());
        assert_eq!(content_type, Some("text/html"), "the one that the C library gives back");
        let mut tags = TagSet::default();
        tags.push("a kind", "a b+c=d");
        let tagged = it.store.put_opts(&Path::from("t"), "x".into(), PutOptions { tags, ..PutOptions::default() }).await;
        match tagged {
            Ok(_) => assert!(!it.is_embedded()),
            Err(error) => assert!(it.is_embedded() && matches!(error, Error::NotSupported { .. }), "{error}"),
        }
    }

    what_has_no_condition_is_no_update(it) {
        let version = UpdateVersion { e_tag: None, version: Some("1".into()) };
        let error = it.store.put_opts(&Path::from("a"), "x".into(), PutMode::Update(version).into()).await.unwrap_err();
        assert!(error.to_string().contains("give the ETag"), "{error}");
        let (a, absent) = (Path::from("a"), Path::from("absent"));
        it.store.put(&a, "x".into()).await.expect("it is put");
        it.store.copy(&a, &a).await.expect("a copy to itself changes nothing");
        it.store.rename(&a, &a).await.expect("a rename to itself loses nothing");
        assert_eq!(&it.store.get(&a).await.unwrap().bytes().await.unwrap()[..], b"x");
        assert!(matches!(it.store.rename(&absent, &absent).await.unwrap_err(), Error::NotFound { .. }));
        it.store.rename_if_not_exists(&a, &Path::from("b")).await.expect("it is renamed");
        assert!(matches!(it.store.head(&a).await.unwrap_err(), Error::NotFound { .. }));
    }
}
