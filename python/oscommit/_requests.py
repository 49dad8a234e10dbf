# SPDX-License-Identifier: Apache-2.0
"""The calls of a store as requests: what the extension module is given, and what its outcomes mean."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import AsyncIterable, AsyncIterator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Optional, cast

from oscommit._flight import READ, Request
from oscommit._types import Abandoned, AsyncSource, Buffer, Result, result_of
from oscommit.exceptions import (
    AlreadyExistsError,
    BaseError,
    ConflictError,
    PreconditionError,
    Unknown,
    error_of,
)

if TYPE_CHECKING:
    from oscommit import _oscommit
    from oscommit._opened import Opened
    from oscommit._writes import Writes

OVERWRITE, CREATE, MATCH = 0, 1, 2
COMMITTED, CONFLICT, NOT_EXECUTED, UNKNOWN = 1, 2, 3, 4
VERDICTS = {CONFLICT: "conflict", NOT_EXECUTED: "not executed", UNKNOWN: "unknown"}
_STOPPED = ("OS_ERR_STOPPED", "OS_ERR_BODY")

Start = Callable[[Optional["_oscommit.Port"]], "_oscommit.Operation"]
Transform = Callable[[Optional[bytes]], Any]


class Guarded(Request[Result]):
    """A guarded write: its verdict is a result or an exception."""

    def __init__(self, store: Writes, key: str, conflict: type[ConflictError], start: Start) -> None:
        super().__init__(start)
        self.store, self.key, self.conflict = store, key, conflict

    def _judge(self, outcome: _oscommit.Outcome) -> tuple[Result | None, BaseError | None]:
        verdict, failure, native, _, _ = outcome
        assert native is not None
        result = result_of(native, failure[4] if failure and verdict == COMMITTED else None)
        if verdict == COMMITTED:
            return result, None
        kind = {CONFLICT: self.conflict, UNKNOWN: Unknown}.get(verdict)
        assert failure is not None
        error = error_of(failure, kind, VERDICTS[verdict], result)
        if isinstance(error, Unknown):
            error.ticket, error.final, error.ask_again_ms = result.ticket, result.final, result.ask_again_ms
            error._store = self.store
        return result, error

    def _finish(self, outcome: _oscommit.Outcome, operation: _oscommit.Operation) -> Result:
        result, error = self._judge(outcome)
        if error is None:
            assert result is not None
            return result
        # The caller's own code failed. That counts, unless the write may have been applied.
        raises_own = self.error is not None and not isinstance(error, Unknown)
        try:
            self.throw(self.error if raises_own else error, self.error)
        finally:
            del error

    def abandoned(self, operation: _oscommit.Operation) -> Abandoned | None:
        result, error = self._judge(operation.outcome())
        if error is None:
            return Abandoned(self.key, "committed", None, result, None)
        if isinstance(error, Unknown):
            return Abandoned(self.key, "unknown", error.ticket, result, error)
        return None

    def report(self, abandoned: Abandoned) -> None:
        self.store._abandoned(abandoned)


class Asking(Guarded):
    """What became of a write: where that stays unknown, the ticket that was asked is kept, unless there is a newer one."""

    def __init__(self, store: Writes, key: str, ticket: str, start: Start) -> None:
        super().__init__(store, key, conflict_of_ticket(ticket), start)
        self.ticket = ticket

    def _judge(self, outcome: _oscommit.Outcome) -> tuple[Result | None, BaseError | None]:
        result, error = super()._judge(outcome)
        if isinstance(error, Unknown) and error.ticket is None:
            error.ticket = self.ticket
        return result, error


class Plain(Request[Any]):
    """A plain call: `give` makes its value of (meta, data, operation)."""

    def __init__(self, store: Opened, key: str, start: Start, give: Callable[..., Any]) -> None:
        super().__init__(start)
        self.store, self.key, self.give = store, key, give

    def _finish(self, outcome: _oscommit.Outcome, operation: _oscommit.Operation) -> Any:
        _, failure, _, meta, data = outcome
        if failure is None:
            return self.give(meta, data, operation)
        if self.error is not None and failure[0] in _STOPPED:
            self.throw(self.error, None)
        if failure[0] == "OS_ERR_STOPPED":
            raise MemoryError(f"There is no memory for what was read of {self.key}.")
        self.throw(error_of(failure), self.error)


# ------------------------------------------------------------------------------------------------------------ bodies


def native_body(source: AsyncSource) -> bytes | str | None:
    """What the library reads itself: bytes, or a path. None: it must ask for the parts of a stream."""
    if isinstance(source, bytes):
        return source
    if isinstance(source, Path):
        return str(source)
    if isinstance(source, str):
        raise TypeError("A body is bytes, a pathlib.Path or a stream. For text: text.encode().")
    if hasattr(source, "read") or hasattr(source, "__iter__") and not _has_buffer(source):
        return None
    if isinstance(source, AsyncIterable):
        return None
    return memoryview(cast(Buffer, source)).tobytes()  # a copy: somebody may change it while it is sent


def _has_buffer(source: Any) -> bool:
    try:
        memoryview(source)
    except TypeError:
        return False
    return True


class Stream:
    """Gives a source's bytes in the sizes that the library asks for."""

    def __init__(self, source: Any) -> None:
        self._read = getattr(source, "read", None)
        self._iterator: Iterator[Buffer] | None = None
        self._async_iterator: AsyncIterator[Buffer] | None = None
        if self._read is None and isinstance(source, AsyncIterable):
            self._async_iterator = source.__aiter__()
        elif self._read is None:
            self._iterator = iter(source)
        self._rest = memoryview(b"")

    def _take(self, size: int) -> bytes:
        taken, self._rest = bytes(self._rest[:size]), self._rest[size:]
        return taken

    def next(self, size: int) -> bytes:
        """b"" is the end; a source that gives an empty piece has not ended."""
        if self._async_iterator is not None:
            raise TypeError("This call takes no asynchronous iterator: use the one whose name ends in _async.")
        if self._read is not None:
            data = self._read(size)
            if not isinstance(data, (bytes, bytearray, memoryview)):
                raise TypeError("The file gives no bytes: open it in binary mode.")
            return bytes(data)
        assert self._iterator is not None
        while not self._rest:
            try:
                self._rest = memoryview(next(self._iterator)).cast("B")
            except StopIteration:
                return b""
        return self._take(size)

    async def next_async(self, size: int) -> bytes:
        """A file or a plain iterator may block, so another thread reads it."""
        if self._async_iterator is None:
            return await asyncio.get_running_loop().run_in_executor(None, self.next, size)
        while not self._rest:
            try:
                self._rest = memoryview(await self._async_iterator.__anext__()).cast("B")
            except StopAsyncIteration:
                return b""
        return self._take(size)


class _Streamed:
    """Of a request whose body may be a stream."""

    stream: Stream | None = None

    def serve(self, operation: _oscommit.Operation, event: int) -> bytes | None:
        assert event == READ and self.stream is not None
        return self.stream.next(operation.wanted())

    async def serve_async(self, operation: _oscommit.Operation, event: int) -> bytes | None:
        assert event == READ and self.stream is not None
        return await self.stream.next_async(operation.wanted())


class GuardedPut(_Streamed, Guarded):
    """os_put_if_absent, os_put_if_match"""


class PlainPut(_Streamed, Plain):
    """os_put"""


# ------------------------------------------------------------------------------------------------------------ update


class Update(Guarded):
    """os_update: the transform runs where the caller waits, on its thread or in its loop."""

    def __init__(self, store: Writes, key: str, start: Start, transform: Transform) -> None:
        super().__init__(store, key, PreconditionError, start)
        self.transform = transform

    def _run(self, operation: _oscommit.Operation) -> Any:
        current = operation.current()
        if current is None:
            return None
        exists, data, _, _ = current
        return self.transform(data if exists else None)

    def serve(self, operation: _oscommit.Operation, event: int) -> bytes | None:
        made = self._run(operation)
        if inspect.isawaitable(made):
            if inspect.iscoroutine(made):
                made.close()
            raise TypeError("The function is asynchronous: use update_async.")
        return _made(made)

    async def serve_async(self, operation: _oscommit.Operation, event: int) -> bytes | None:
        made = self._run(operation)
        return _made(await made if inspect.isawaitable(made) else made)


def _made(data: Any) -> bytes | None:
    if data is None:
        raise TypeError("The function of an update gave None and no bytes. To leave the object as it is, raise.")
    if isinstance(data, str):
        raise TypeError("The function of an update gave text. Give bytes: text.encode().")
    return data if isinstance(data, bytes) else memoryview(data).tobytes()


def conflict_of_ticket(ticket: str) -> type[ConflictError]:
    """What the call that gave the ticket would have raised. Whether it is a ticket, the library says."""
    try:
        expected = json.loads(ticket).get("expected_etag")
    except (ValueError, AttributeError):
        return ConflictError
    return AlreadyExistsError if expected == "*" else PreconditionError
