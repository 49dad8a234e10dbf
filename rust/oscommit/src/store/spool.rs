// SPDX-License-Identifier: Apache-2.0
//! An upload in parts: they are kept in a file until it is completed, and then are one body. The C library sends that in
//! parts itself, under one deadline that begins then, and can guard it as a whole. So a slow writer keeps no thread and no
//! upload at the store, and parts may be of any size and be written in any order.

use super::failure::{Failure, Kind};
use super::{PutMultipartMode, Store};
use crate::{Body, Client, Code, Error, PutOptions};
use blocking::unblock;
use bytes::Bytes;
use std::fs::File;
use std::future::Future;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tempfile::NamedTempFile;

struct Spool {
    file: NamedTempFile,
    written: AtomicU64,
}

/// What a completed upload has made.
pub(super) struct Written {
    pub(super) etag: Option<String>,
    pub(super) version_id: Option<String>,
}

pub(super) struct Upload {
    client: Client,
    key: String,
    options: PutOptions,
    mode: PutMultipartMode,
    /// `None`: completed or aborted.
    spool: Option<Arc<Spool>>,
    length: u64,
}

fn failure(key: &str, what: &str, error: io::Error) -> Failure {
    let code = if error.kind() == io::ErrorKind::StorageFull { Code::NoSpace } else { Code::Io };
    let text = format!("The parts of {key} could not be {what} in a temporary file: {error}.");
    Failure::generic(key, Error::new(code, text).with_source(Some(Box::new(error))))
}

fn write_all(file: &File, mut offset: u64, pieces: &[Bytes]) -> io::Result<()> {
    for piece in pieces {
        file.write_all_at(piece, offset)?;
        offset += piece.len() as u64;
    }
    Ok(())
}

impl Upload {
    pub(super) async fn begin(
        store: &Store,
        key: String,
        options: PutOptions,
        mode: PutMultipartMode,
    ) -> Result<Self, Failure> {
        let folder = store.spool_folder.clone().unwrap_or_else(std::env::temp_dir);
        let file = unblock(move || tempfile::Builder::new().prefix("oscommit-").tempfile_in(folder)).await;
        let file = file.map_err(|error| failure(&key, "kept", error))?;
        let spool = Some(Arc::new(Spool { file, written: AtomicU64::new(0) }));
        Ok(Self { client: store.client.clone(), key, options, mode, spool, length: 0 })
    }

    /// Its place is where it is in the order of these calls, whenever the future runs.
    pub(super) fn put_part(
        &mut self,
        pieces: Vec<Bytes>,
    ) -> impl Future<Output = Result<(), Failure>> + Send + 'static {
        let spool = self.spool.clone();
        let key = self.key.clone();
        let offset = self.length;
        let length: u64 = pieces.iter().map(|piece| piece.len() as u64).sum();
        self.length += length;
        async move {
            let Some(spool) = spool else { return Err(over(&key)) };
            let own = Arc::clone(&spool);
            unblock(move || write_all(own.file.as_file(), offset, &pieces))
                .await
                .map_err(|error| failure(&key, "written", error))?;
            spool.written.fetch_add(length, Ordering::AcqRel);
            Ok(())
        }
    }

    pub(super) async fn complete(&mut self) -> Result<Written, Failure> {
        let spool = self.spool.take().ok_or_else(|| over(&self.key))?;
        let written = spool.written.load(Ordering::Acquire);
        if written != self.length {
            let text = format!(
                "Only {written} of the {} bytes of {} were put: await every part before you complete the upload.",
                self.length, self.key
            );
            return Err(Failure::generic(&self.key, Error::new(Code::Argument, text)));
        }
        let body = Body::file(spool.file.path()).guarded_by(spool);
        if self.mode == PutMultipartMode::Create {
            let verdict = self.client.put_if_absent(&self.key, body, &self.options).await;
            let committed = Failure::of_verdict(&self.key, verdict, Kind::AlreadyExists)?;
            return Ok(Written { etag: committed.etag, version_id: committed.version_id });
        }
        let object = self.client.put(&self.key, body, &self.options).await;
        let object = object.map_err(|error| Failure::of(&self.key, error))?;
        Ok(Written { etag: object.etag, version_id: object.version_id })
    }

    pub(super) fn abort(&mut self) {
        self.spool = None;
    }
}

fn over(key: &str) -> Failure {
    Failure::generic(key, Error::new(Code::Argument, format!("The upload of {key} was completed or aborted before.")))
}

impl std::fmt::Debug for Upload {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Upload").field("key", &self.key).field("length", &self.length).finish_non_exhaustive()
    }
}
