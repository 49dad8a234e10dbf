# SPDX-License-Identifier: Apache-2.0
"""The calls of a store that read."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from oscommit import _oscommit
from oscommit._flight import run, run_all, run_all_async, run_async
from oscommit._opened import Opened, deadline_ms_of
from oscommit._reading import GetResult, Listing, Span, span_of
from oscommit._requests import Plain
from oscommit._types import GetOptions, ListResult, ObjectMeta, VersionMeta, meta_of, version_of
from oscommit.exceptions import PreconditionError


class Reads(Opened):
    """What reads, lists, and gets ready."""

    def _head(self, path: str, version: str | None, deadline_s: float | None) -> Plain:
        def start(port: _oscommit.Port | None) -> _oscommit.Operation:
            return self._client.head(port, deadline_ms_of(deadline_s), 0, path, version)

        return Plain(self, path, start, lambda meta, *_: meta_of(meta, path))

    def head(self, path: str, *, version: str | None = None, deadline_s: float | None = None) -> ObjectMeta:
        """What the store says of an object. NotFoundError, which is a FileNotFoundError."""
        meta: ObjectMeta = run(self._head(path, version, deadline_s))
        return meta

    async def head_async(self, path: str, *, version: str | None = None, deadline_s: float | None = None) -> ObjectMeta:
        """`head` without blocking."""
        meta: ObjectMeta = await run_async(self._head(path, version, deadline_s))
        return meta

    def _get(self, path: str, span: Span, deadline_s: float | None, file: str | None = None) -> Plain:
        def start(port: _oscommit.Port | None) -> _oscommit.Operation:
            return self._client.get(
                port, deadline_ms_of(deadline_s), 0, path, span.version, file, span.start, span.count
            )

        return Plain(self, path, start, lambda meta, data, _: GetResult(meta_of(meta, path), data or b"", span))

    def get(self, path: str, *, options: GetOptions | None = None, deadline_s: float | None = None) -> GetResult:
        """Reads an object, or the bytes of it that `options` ask for, into memory: all of them, and the right ones, or an
        exception. `download` reads what is too large for that. NotFoundError, PermissionDeniedError ..."""
        options = options or {}
        if "head" in options or "range" in options and "suffix" in options["range"]:
            meta = self.head(path, version=options.get("version"), deadline_s=deadline_s)
            span = span_of(options, meta)
            if span.empty:
                return GetResult(meta, b"", span).checked(options)
        else:
            span = span_of(options, None)
        result: GetResult = run(self._get(path, span, deadline_s))
        return result.checked(options)

    async def get_async(
        self, path: str, *, options: GetOptions | None = None, deadline_s: float | None = None
    ) -> GetResult:
        """`get` without blocking."""
        options = options or {}
        if "head" in options or "range" in options and "suffix" in options["range"]:
            meta = await self.head_async(path, version=options.get("version"), deadline_s=deadline_s)
            span = span_of(options, meta)
            if span.empty:
                return GetResult(meta, b"", span).checked(options)
        else:
            span = span_of(options, None)
        result: GetResult = await run_async(self._get(path, span, deadline_s))
        return result.checked(options)

    def get_range(self, path: str, *, start: int, end: int | None = None, length: int | None = None) -> bytes:
        """Bytes of an object: from `start` to before `end`, or `length` of them; fewer at its end."""
        result: GetResult = run(self._get(path, Span.of(start, end, length), None))
        return result.bytes()

    async def get_range_async(
        self, path: str, *, start: int, end: int | None = None, length: int | None = None
    ) -> bytes:
        """`get_range` without blocking."""
        result: GetResult = await run_async(self._get(path, Span.of(start, end, length), None))
        return result.bytes()

    def _ranges(
        self, path: str, starts: Sequence[int], ends: Sequence[int] | None, lengths: Sequence[int] | None
    ) -> Sequence[Plain]:
        ends = ends if ends is not None else [start + n for start, n in zip(starts, lengths or ())]
        if len(ends) != len(starts):
            raise ValueError("get_ranges needs as many ends or lengths as starts.")
        return [self._get(path, Span.of(start, end, None), None) for start, end in zip(starts, ends)]

    def get_ranges(
        self,
        path: str,
        *,
        starts: Sequence[int],
        ends: Sequence[int] | None = None,
        lengths: Sequence[int] | None = None,
    ) -> Sequence[bytes]:
        """Several ranges of an object, read at the same time. PreconditionError if they are not of one version."""
        return _of_one_version(path, run_all(self._ranges(path, starts, ends, lengths)))

    async def get_ranges_async(
        self,
        path: str,
        *,
        starts: Sequence[int],
        ends: Sequence[int] | None = None,
        lengths: Sequence[int] | None = None,
    ) -> Sequence[bytes]:
        """`get_ranges` without blocking."""
        return _of_one_version(path, await run_all_async(self._ranges(path, starts, ends, lengths)))

    def download(
        self, path: str, file: str | Path, *, version: str | None = None, deadline_s: float | None = None
    ) -> ObjectMeta:
        """Reads an object into a file, which appears when it is complete. Takes no memory for it."""
        result: GetResult = run(self._get(path, Span(version=version), deadline_s, os.fspath(file)))
        return result.meta

    async def download_async(
        self, path: str, file: str | Path, *, version: str | None = None, deadline_s: float | None = None
    ) -> ObjectMeta:
        """`download` without blocking."""
        result: GetResult = await run_async(self._get(path, Span(version=version), deadline_s, os.fspath(file)))
        return result.meta

    # ------------------------------------------------------------------------------------------------------ listing

    def _list(
        self,
        prefix: str | None,
        give: Callable[..., Any],
        delimiter: str | None = None,
        offset: str | None = None,
        max_keys: int = 0,
        versions: bool = False,
        deadline_s: float | None = None,
    ) -> Plain:
        more = deadline_ms_of(deadline_s), 0, prefix, delimiter, offset, max_keys, versions

        def start(port: _oscommit.Port | None) -> _oscommit.Operation:
            return self._client.list(port, *more)

        return Plain(self, prefix or "", start, lambda _, __, operation: give(operation.entries()))

    def list(self, prefix: str | None = None, *, offset: str | None = None, chunk_size: int = 1000) -> Listing:
        """The objects whose path starts with `prefix`, in order: an iterator, for `for` and `async for`, of lists of up to
        `chunk_size`. Only those behind `offset`. A page is read when it is asked for."""
        if chunk_size < 1:
            raise ValueError("chunk_size must be at least 1.")
        return Listing(self, prefix, offset, chunk_size)

    def list_with_delimiter(self, prefix: str | None = None) -> ListResult:
        """The objects directly below `prefix`, and what else has a "/" behind it as prefixes."""
        result: ListResult = run(self._list(_folder(prefix), _with_delimiter, "/"))
        return result

    async def list_with_delimiter_async(self, prefix: str | None = None) -> ListResult:
        """`list_with_delimiter` without blocking."""
        result: ListResult = await run_async(self._list(_folder(prefix), _with_delimiter, "/"))
        return result

    def list_versions(self, prefix: str | None = None) -> Sequence[VersionMeta]:
        """Every version and delete marker of a versioned bucket; those of a path come newest first."""
        found: Sequence[VersionMeta] = run(self._list(prefix, _versions, versions=True))
        return found

    async def list_versions_async(self, prefix: str | None = None) -> Sequence[VersionMeta]:
        """`list_versions` without blocking."""
        found: Sequence[VersionMeta] = await run_async(self._list(prefix, _versions, versions=True))
        return found

    # -------------------------------------------------------------------------------------------- client and table

    def warm(self, connections: int = 0, *, deadline_s: float | None = None) -> None:
        """Opens connections ahead and finds out what the first write would: it then takes two round trips."""
        run(self._warm(connections, deadline_s))

    async def warm_async(self, connections: int = 0, *, deadline_s: float | None = None) -> None:
        """`warm` without blocking."""
        await run_async(self._warm(connections, deadline_s))

    def _warm(self, connections: int, deadline_s: float | None) -> Plain:
        def start(port: _oscommit.Port | None) -> _oscommit.Operation:
            return self._client.warm(port, deadline_ms_of(deadline_s), 0, connections)

        return Plain(self, "", start, lambda *_: None)

    def table(self, *, create: bool = False, deadline_s: float | None = None) -> None:
        """Checks the table of records, or creates it: NotFoundError, or GenericError that says why it is unfit."""

        def start(port: _oscommit.Port | None) -> _oscommit.Operation:
            return self._client.table(port, deadline_ms_of(deadline_s), 0, create)

        run(Plain(self, "", start, lambda *_: None))


def _of_one_version(path: str, results: Sequence[GetResult]) -> Sequence[bytes]:
    if len({result.meta["e_tag"] for result in results}) > 1:
        raise PreconditionError(f"{path} was replaced while its ranges were read: read it again.")
    return [result.bytes() for result in results]


def _folder(prefix: str | None) -> str | None:
    return prefix + "/" if prefix and not prefix.endswith("/") else prefix


def _with_delimiter(entries: Sequence[_oscommit.Meta]) -> ListResult:
    metas = [meta_of(entry, "") for entry in entries]
    prefixes = [meta["path"] for meta in metas if _is_prefix(meta)]
    return {"common_prefixes": prefixes, "objects": [meta for meta in metas if not _is_prefix(meta)]}


def _is_prefix(meta: ObjectMeta) -> bool:
    return meta["e_tag"] is None and meta["path"].endswith("/")


def _versions(entries: Sequence[_oscommit.Meta]) -> Sequence[VersionMeta]:
    return [version_of(entry) for entry in entries]
