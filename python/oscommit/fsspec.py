# SPDX-License-Identifier: Apache-2.0
"""A store as a file system of fsspec.

    fsspec.filesystem("oscommit", store="s3://bucket", ledger="dynamodb://commits")    paths are keys of the store
    fsspec.open("oscommit+s3://bucket/key", "xb", ledger="dynamodb://commits")

Mode "xb" (and mode="create" of pipe and put) writes if nothing is there: FileExistsError. Mode "ab" writes at its close if
the object is still the one that was opened. "wb" overwrites, and is not guarded. Nothing is written before the close.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from oscommit._named import need

need("fsspec", "fsspec")

from fsspec.asyn import AsyncFileSystem
from fsspec.spec import AbstractBufferedFile

from oscommit._types import ObjectMeta, PutMode
from oscommit.exceptions import NotFoundError, PreconditionError
from oscommit.store import Store


def _file_info(meta: ObjectMeta) -> dict[str, Any]:
    return {
        "name": meta["path"],
        "size": meta["size"],
        "type": "file",
        "e_tag": meta["e_tag"],
        "version": meta["version"],
        "last_modified": meta["last_modified"],
    }


def _folder_info(path: str) -> dict[str, Any]:
    return {"name": path.rstrip("/"), "size": 0, "type": "directory"}


class OscommitFileSystem(AsyncFileSystem):  # type: ignore[misc]
    """`store` is a Store or its URL [OSCOMMIT_STORE]; other options are those of Store.from_url. Folders exist as far as
    something is in them."""

    protocol: str | tuple[str, ...] = "oscommit"
    root_marker = ""
    cachable = True

    def __init__(
        self, store: Store | str | None = None, ledger: str | None = None, mkdir: bool = False, **options: Any
    ) -> None:
        given = ("asynchronous", "loop", "batch_size", "use_listings_cache", "listings_expiry_time", "max_paths")
        super().__init__(**{name: options.pop(name) for name in given if name in options})
        if not isinstance(store, Store):
            url = store or os.environ.get("OSCOMMIT_STORE")
            if not url:
                raise ValueError('Name the store: store="s3://bucket" or "file:///root", or set OSCOMMIT_STORE.')
            # Files are overwritten, removed and made again, without a guard as well: no write is to wait for the record of
            # one that has ended (docs/operations.md).
            options.setdefault("release", "always")
            store = Store.from_url(url, ledger=ledger, mkdir=mkdir, environment=True, **options)
        self.store = store

    @property
    def fsid(self) -> str:
        return f"oscommit:{self.store._url}"

    # ------------------------------------------------------------------------------------------------------ listing

    async def _info(self, path: str, **_: Any) -> dict[str, Any]:
        path = self._strip_protocol(path)
        if path:
            try:
                return _file_info(await self.store.head_async(path))
            except NotFoundError:
                pass
        async for page in self.store.list(path + "/" if path else "", chunk_size=1):
            if page:
                return _folder_info(path)
        if not path:
            return _folder_info(path)
        raise FileNotFoundError(path)

    async def _ls(self, path: str, detail: bool = True, **_: Any) -> Any:
        path = self._strip_protocol(path)
        found = await self.store.list_with_delimiter_async(path or None)
        infos = [_folder_info(prefix) for prefix in found["common_prefixes"]]
        infos += [_file_info(meta) for meta in found["objects"] if not meta["path"].endswith("/")]
        if not infos and path:
            infos = [_file_info(await self.store.head_async(path))]
        infos.sort(key=lambda info: info["name"])
        return infos if detail else [info["name"] for info in infos]

    # ------------------------------------------------------------------------------------------------------ reading

    async def _cat_file(self, path: str, start: int | None = None, end: int | None = None, **_: Any) -> bytes:
        path = self._strip_protocol(path)
        if start is None and end is None:
            return (await self.store.get_async(path)).bytes()
        start, end = start or 0, end
        if start < 0 or end is None or end < 0:
            size = (await self.store.head_async(path))["size"]
            start = max(0, start + size) if start < 0 else start
            end = size if end is None else end + size if end < 0 else end
        if start >= end:
            return b""
        return await self.store.get_range_async(path, start=start, end=end)

    async def _get_file(self, rpath: str, lpath: str, **_: Any) -> None:
        if os.path.isdir(lpath):
            return
        os.makedirs(os.path.dirname(lpath) or ".", exist_ok=True)
        if await self._isdir(rpath):
            os.makedirs(lpath, exist_ok=True)
            return
        await self.store.download_async(self._strip_protocol(rpath), lpath)

    # ------------------------------------------------------------------------------------------------------- writes

    async def _pipe_file(self, path: str, value: bytes, mode: str = "overwrite", **_: Any) -> None:
        await self.store.put_async(self._strip_protocol(path), value, mode=_put_mode(mode))

    async def _put_file(self, lpath: str, rpath: str, mode: str = "overwrite", **_: Any) -> None:
        if os.path.isdir(lpath):
            return
        await self.store.put_async(self._strip_protocol(rpath), Path(lpath), mode=_put_mode(mode))

    async def _cp_file(self, path1: str, path2: str, **_: Any) -> None:
        path1, path2 = self._strip_protocol(path1), self._strip_protocol(path2)
        if not await self._exists(path1):
            raise FileNotFoundError(path1)
        if await self._isfile(path1):
            await self.store.copy_async(path1, path2, overwrite=True)

    async def _rm_file(self, path: str, **_: Any) -> None:
        """What is there, and not what others make of it meanwhile."""
        path = self._strip_protocol(path)
        try:
            e_tag = (await self.store.head_async(path))["e_tag"] if path else None
        except NotFoundError:
            return  # a folder, which goes with what is in it
        if e_tag is not None:
            await self.store.delete_async(path, if_match=e_tag)

    async def _mkdir(self, path: str, create_parents: bool = True, **_: Any) -> None:
        """A folder is there when something is in it."""

    async def _makedirs(self, path: str, exist_ok: bool = False) -> None:
        """The same."""

    async def _rmdir(self, path: str) -> None:
        """The same: a folder without anything in it is not there."""

    def created(self, path: str) -> Any:
        return self.info(path)["last_modified"]

    modified = created

    def _open(self, path: str, mode: str = "rb", **options: Any) -> OscommitFile:
        return OscommitFile(self, self._strip_protocol(path), mode, **options)


class OscommitS3FileSystem(OscommitFileSystem):
    """oscommit+s3://bucket/key: the store is the bucket of the URL."""

    protocol = "oscommit+s3"

    @classmethod
    def _strip_protocol(cls, path: Any) -> Any:
        if isinstance(path, str) and path.startswith("oscommit+s3://"):
            path = path[len("oscommit+s3://") :].partition("/")[2]
        return super()._strip_protocol(path)

    @staticmethod
    def _get_kwargs_from_urls(path: str) -> dict[str, Any]:
        if not path.startswith("oscommit+s3://"):
            return {}
        return {"store": "s3://" + path[len("oscommit+s3://") :].partition("/")[0]}

    def unstrip_protocol(self, name: str) -> str:
        return f"oscommit+{self.store._url}/{self._strip_protocol(name)}"


def _put_mode(mode: str) -> PutMode:
    if mode not in ("overwrite", "create"):
        raise ValueError(f'mode must be "overwrite" or "create", not {mode!r}.')
    return "create" if mode == "create" else "overwrite"


class OscommitFile(AbstractBufferedFile):  # type: ignore[misc]
    """An object that is open. What is written waits in a temporary file for the close."""

    _e_tag: str | None = None
    _spool: Any = None

    def __init__(self, fs: OscommitFileSystem, path: str, mode: str = "rb", **options: Any) -> None:
        if mode == "rb" and options.get("size") is None:
            meta = fs.store.head(path)
            options["size"], self._e_tag = meta["size"], meta["e_tag"]
        if mode == "xb" and fs.exists(path):
            raise FileExistsError(path)  # early; the close decides
        super().__init__(fs, path, mode, **options)
        if mode == "ab":
            self._load()

    def _load(self) -> None:
        """What is there comes first, and must still be there at the close."""
        try:
            found = self.fs.store.get(self.path)
        except NotFoundError:
            return
        self._e_tag = found.meta["e_tag"]
        self.buffer.write(found.bytes())
        self.loc = len(found.bytes())

    def _fetch_range(self, start: int, end: int) -> bytes:
        result = self.fs.store.get(self.path, options={"range": (start, end)})
        e_tag = result.meta["e_tag"]
        if self._e_tag is None:
            self._e_tag = e_tag
        if e_tag != self._e_tag:
            raise PreconditionError(f"{self.path} was replaced while it was read: open it again.")
        data: bytes = result.bytes()
        return data

    def _initiate_upload(self) -> None:
        self._spool = tempfile.NamedTemporaryFile(prefix="oscommit-")

    def _upload_chunk(self, final: bool = False) -> bool:
        self._spool.write(self.buffer.getbuffer())
        if final and self.autocommit:
            self.commit()
        return True

    def _mode(self) -> PutMode:
        if self.mode == "xb" or self.mode == "ab" and self._e_tag is None:
            return "create"
        return "overwrite" if self.mode == "wb" else {"e_tag": self._e_tag}

    def commit(self) -> None:
        """Writes the object."""
        self._spool.flush()
        try:
            self.fs.store.put(self.path, Path(self._spool.name), mode=self._mode())
        finally:
            self.discard()

    def discard(self) -> None:
        if self._spool is not None:
            self._spool.close()
            self._spool = None
