# SPDX-License-Identifier: Apache-2.0
"""What reading gives."""

from __future__ import annotations

import builtins
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oscommit._flight import run, run_async
from oscommit._types import GetOptions, ObjectMeta, meta_of
from oscommit.exceptions import NotModifiedError, PreconditionError

if TYPE_CHECKING:
    from oscommit._reads import Reads


@dataclass(frozen=True)
class Span:
    """The bytes that are wanted; a count of 0 means all to the end."""

    start: int = 0
    count: int = 0
    version: str | None = None
    empty: bool = False

    @staticmethod
    def of(start: int, end: int | None, length: int | None) -> Span:
        if (end is None) == (length is None):
            raise ValueError("A range needs either an end or a length.")
        count = length if length is not None else (end or 0) - start
        if start < 0 or count < 1:
            raise ValueError(f"A range of {count} bytes from byte {start} on cannot be read.")
        return Span(start, count)


def span_of(options: GetOptions, meta: ObjectMeta | None) -> Span:
    """`meta` is needed for a suffix; with "head", nothing is read."""
    version = options.get("version")
    wanted: Any = options.get("range")
    if options.get("head"):
        return Span(version=version, empty=True)
    if wanted is None:
        return Span(version=version)
    if isinstance(wanted, dict) and "offset" in wanted:
        return Span(wanted["offset"], 0, version)
    if isinstance(wanted, dict):
        assert meta is not None
        count = min(wanted["suffix"], meta["size"])
        return Span(meta["size"] - count, count, version or meta["version"], empty=count == 0)
    span = Span.of(wanted[0], wanted[1], None)
    return Span(span.start, span.count, version)


class GetResult:
    """An object that was read."""

    def __init__(self, meta: ObjectMeta, data: builtins.bytes, span: Span) -> None:
        self.meta = meta
        self._data = data
        self._start = span.start

    @property
    def range(self) -> tuple[int, int]:
        """(start, end) of the bytes that are here."""
        return self._start, self._start + len(self._data)

    @property
    def attributes(self) -> dict[str, str]:
        """What the store says of the content: its "Content-Type"."""
        content_type = self.meta["content_type"]
        return {"Content-Type": content_type} if content_type else {}

    def bytes(self) -> builtins.bytes:
        """The bytes. Nothing is copied."""
        return self._data

    async def bytes_async(self) -> builtins.bytes:
        """The same: they are here already."""
        return self._data

    def stream(self, min_chunk_size: int = 10 * 1024 * 1024) -> Iterator[memoryview]:
        """Piece after piece of them. Nothing is copied."""
        whole = memoryview(self._data)
        for start in builtins.range(0, len(whole), min_chunk_size):
            yield whole[start : start + min_chunk_size]

    def __iter__(self) -> Iterator[memoryview]:
        return self.stream()

    async def __aiter__(self) -> AsyncIterator[memoryview]:
        for piece in self.stream():
            yield piece

    def checked(self, options: GetOptions) -> GetResult:
        e_tag = self.meta["e_tag"] or ""
        path = self.meta["path"]
        if_match, if_none_match = options.get("if_match"), options.get("if_none_match")
        if if_match not in (None, "*") and not _names(if_match or "", e_tag):
            raise PreconditionError(f"{path} is the version {e_tag}, not {if_match}.")
        if if_none_match is not None and (if_none_match == "*" or _names(if_none_match, e_tag)):
            raise NotModifiedError(f"{path} is still the version {e_tag}.")
        return self


def _names(e_tags: str, e_tag: str) -> bool:
    return e_tag.strip('"') in [one.strip().strip('"') for one in e_tags.split(",")]


class Listing:
    """Pages of objects, each read when it is asked for: nothing is held between two of them."""

    def __init__(self, store: Reads, prefix: str | None, offset: str | None, chunk_size: int) -> None:
        self._store, self._prefix, self._offset, self._size = store, prefix, offset, chunk_size
        self._ended = False

    def _request(self, size: int) -> Any:
        return self._store._list(
            self._prefix, lambda entries: [meta_of(entry, "") for entry in entries], None, self._offset, size
        )

    def _took(self, page: list[ObjectMeta], size: int) -> list[ObjectMeta]:
        self._ended = not size or len(page) < size
        if page:
            self._offset = page[-1]["path"]
        return page

    def __iter__(self) -> Listing:
        return self

    def __next__(self) -> list[ObjectMeta]:
        page = [] if self._ended else self._took(run(self._request(self._size)), self._size)
        if not page:
            raise StopIteration
        return page

    def __aiter__(self) -> Listing:
        return self

    async def __anext__(self) -> list[ObjectMeta]:
        page = [] if self._ended else self._took(await run_async(self._request(self._size)), self._size)
        if not page:
            raise StopAsyncIteration
        return page

    def collect(self) -> list[ObjectMeta]:
        """All that is left, as one list."""
        return [] if self._ended else self._took(run(self._request(0)), 0)

    async def collect_async(self) -> list[ObjectMeta]:
        """`collect` without blocking."""
        return [] if self._ended else self._took(await run_async(self._request(0)), 0)
