// SPDX-License-Identifier: Apache-2.0
//! The calls of `Client`: each verdict and error as what it is.

#[macro_use]
mod support;

use oscommit::{
    Body, Client, Code, Committed, GetOptions, ListOptions, Options, PutOptions, SettleOptions, Ticket, UpdateOptions,
    Verdict, WriteError,
};
use std::io;

fn plain() -> PutOptions {
    PutOptions::default()
}

fn committed(verdict: Verdict) -> Committed {
    verdict.committed().unwrap_or_else(|error| panic!("not committed: {error}"))
}

fn etag(verdict: Verdict) -> String {
    committed(verdict).etag.expect("the store tells the ETag")
}

async fn read(client: &Client, key: &str) -> Vec<u8> {
    client.get(key, &GetOptions::default()).await.expect("the object is there").1.to_vec()
}

on_every_store! {
    a_create_and_its_conflict(it) {
        let client = it.client();
        let first = etag(client.put_if_absent("a", "one", &plain()).await);
        match client.put_if_absent("a", "two", &plain()).await {
            Verdict::Conflict(conflict) => {
                assert_eq!(conflict.found_etag.as_deref(), Some(first.as_str()));
                assert_eq!(conflict.error().code(), Code::Conflict);
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(read(client, "a").await, b"one");
    }

    a_replacement_and_a_delete(it) {
        let client = it.client();
        let first = etag(client.put_if_absent("a", "one", &plain()).await);
        let second = etag(client.put_if_match("a", &first, "two", &plain()).await);
        assert!(matches!(client.put_if_match("a", &first, "three", &plain()).await, Verdict::Conflict(_)));
        assert!(matches!(client.delete_if_match("a", &first).await, Verdict::Conflict(_)));
        committed(client.delete_if_match("a", &second).await);
        assert_eq!(client.head("a", None).await.unwrap_err().code(), Code::NotFound);
    }

    copies_and_a_rename(it) {
        let client = it.client();
        let first = etag(client.put_if_absent("a", "one", &plain()).await);
        committed(client.copy_if_not_exists("a", "b").await);
        assert!(matches!(client.copy_if_not_exists("a", "b").await, Verdict::Conflict(_)));
        let changed = etag(client.put_if_match("a", &first, "two", &plain()).await);
        assert_ne!(changed, first);
        let copy = client.head("b", None).await.expect("the copy").etag.expect("its ETag");
        committed(client.copy_if_match("a", "b", &copy).await);
        assert_eq!(read(client, "b").await, b"two");
        let renamed = committed(client.rename_if_not_exists("a", "c").await);
        assert_eq!(renamed.remark, None);
        assert_eq!(client.head("a", None).await.unwrap_err().code(), Code::NotFound);
        match client.copy_if_not_exists("a", "d").await {
            Verdict::NotExecuted(error) => assert_eq!(error.code(), Code::Source),
            other => panic!("{other:?}"),
        }
    }

    updates_lose_nothing(it) {
        let clients = [it.client().clone(), it.another().client().clone()];
        let tasks = clients.map(|client| tokio::spawn(async move {
            for _ in 0..10 {
                let increment = |current: oscommit::Current<'_>| {
                    let count: u32 = match current.data {
                        Some(data) => std::str::from_utf8(data)?.parse()?,
                        None => 0,
                    };
                    Ok::<_, Box<dyn std::error::Error + Send + Sync>>((count + 1).to_string().into_bytes())
                };
                committed(client.update("counter", increment, &UpdateOptions::default()).await);
            }
        }));
        for task in tasks {
            task.await.expect("the task ends");
        }
        assert_eq!(read(it.client(), "counter").await, b"20");
    }

    an_update_that_its_function_ends(it) {
        let client = it.client();
        let function = |_: oscommit::Current<'_>| Err::<Vec<u8>, _>(io::Error::other("not today"));
        match client.update("a", function, &UpdateOptions::default()).await {
            Verdict::NotExecuted(error) => {
                assert_eq!(error.code(), Code::Stopped);
                let source = std::error::Error::source(&error).expect("the function's error");
                assert_eq!(source.to_string(), "not today");
            }
            other => panic!("{other:?}"),
        }
        let unchanged = etag(client.put_if_absent("a", "one", &plain()).await);
        let same = |current: oscommit::Current<'_>| Ok::<_, io::Error>(current.data.unwrap_or_default().to_vec());
        let update = committed(client.update("a", same, &UpdateOptions::default()).await);
        assert!(update.unchanged);
        assert_eq!(update.etag, Some(unchanged));
    }

    bodies_of_every_kind(it) {
        let client = it.client();
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("body");
        std::fs::write(&path, "of a file").expect("a file");
        committed(client.put_if_absent("file", path.as_path(), &plain()).await);
        assert_eq!(read(client, "file").await, b"of a file");
        committed(client.put_if_absent("reader", Body::reader(io::Cursor::new(b"of a reader")), &plain()).await);
        assert_eq!(read(client, "reader").await, b"of a reader");
        committed(client.put_if_absent("empty", Vec::new(), &plain()).await);
        assert_eq!(read(client, "empty").await, b"");

        struct Broken;
        impl io::Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("the pipe is gone"))
            }
        }
        match client.put_if_absent("broken", Body::reader(Broken), &plain()).await {
            Verdict::NotExecuted(error) => {
                assert_eq!(error.code(), Code::Body);
                assert_eq!(std::error::Error::source(&error).expect("its cause").to_string(), "the pipe is gone");
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(client.head("broken", None).await.unwrap_err().code(), Code::NotFound);
    }

    properties_that_are_stored(it) {
        let client = it.client();
        let options = PutOptions { content_type: Some("text/plain".into()), fencing: 7, ..plain() };
        committed(client.put_if_absent("a", "one", &options).await);
        let object = client.head("a", None).await.expect("it is there");
        assert_eq!(object.content_type.as_deref(), Some("text/plain"));
        assert_eq!((object.length, object.fencing), (3, 7));
        assert!(object.nonce.is_some());
        assert!(object.last_modified().elapsed().is_ok_and(|age| age.as_secs() < 600));
        let older = PutOptions { fencing: 6, ..plain() };
        let etag = object.etag.expect("an ETag");
        assert!(matches!(client.put_if_match("a", &etag, "two", &older).await, Verdict::Conflict(_)));
    }

    lists_and_ranges(it) {
        let client = it.client();
        for key in ["a/1", "a/2", "b"] {
            client.put(key, "0123456789", &plain()).await.expect("it is put");
        }
        let all = client.list(&ListOptions::default()).await.expect("a list");
        assert_eq!(all.iter().map(|object| object.key.as_str()).collect::<Vec<_>>(), ["a/1", "a/2", "b"]);
        let top = ListOptions { delimiter: "/".into(), ..ListOptions::default() };
        let top = client.list(&top).await.expect("a list");
        assert_eq!(top.iter().map(|object| object.key.as_str()).collect::<Vec<_>>(), ["a/", "b"]);
        let range = GetOptions { offset: 2, count: 3, ..GetOptions::default() };
        let (object, bytes) = client.get("b", &range).await.expect("a range");
        assert_eq!((&bytes[..], object.length), (&b"234"[..], 10));
        let small = GetOptions { max_length: 4, ..GetOptions::default() };
        assert_eq!(client.get("b", &small).await.unwrap_err().code(), Code::TooLarge);
        client.delete("b").await.expect("it is deleted");
        client.delete("b").await.expect("nothing is there, which is what was wanted");
    }

    what_cannot_be_is_refused(it) {
        let client = it.client();
        assert_eq!(client.head("a\0b", None).await.unwrap_err().code(), Code::Argument);
        match client.put_if_match("a", "", "one", &plain()).await {
            Verdict::NotExecuted(error) => assert_eq!(error.code(), Code::Argument),
            other => panic!("an empty ETag must not be no condition: {other:?}"),
        }
        for resolved in [
            client.resolve(&Ticket::from("no ticket")).await,
            client.settle(&Ticket::from("no ticket"), &SettleOptions::default()).await,
            client.resolve(&Ticket::from("no\0ticket")).await,
        ] {
            match resolved {
                Verdict::Unknown(unknown) => {
                    assert!(unknown.ticket.is_some(), "the caller's ticket is still the one");
                    assert_eq!(unknown.error().code(), Code::Argument);
                }
                other => panic!("{other:?}"),
            }
        }
    }

    an_error_for_those_who_ask_by_a_question_mark(it) {
        let client = it.client();
        async fn create(client: &Client) -> Result<Committed, Box<dyn std::error::Error>> {
            Ok(client.put_if_absent("a", "one", &PutOptions::default()).await.committed()?)
        }
        create(client).await.expect("the first");
        let error = create(client).await.expect_err("the second");
        assert!(matches!(error.downcast_ref::<WriteError>(), Some(WriteError::Conflict(_))));
    }
}

#[test]
fn settings_that_are_wrong() {
    assert_eq!(Client::open(Options::new("ftp://somewhere")).unwrap_err().code(), Code::Config);
    let with_nul = Options::new("file:///tmp").secret_access_key("hidden\0");
    let error = Client::open(with_nul).unwrap_err();
    assert_eq!(error.code(), Code::Argument);
    assert!(!error.to_string().contains("hidden"), "{error}");
    let shown = format!("{:?}", Options::new("file:///tmp").secret_access_key("hidden"));
    assert!(!shown.contains("hidden"), "{shown}");
}

#[test]
fn one_version_of_everything() {
    assert_eq!(oscommit::library_version(), env!("CARGO_PKG_VERSION"));
}
