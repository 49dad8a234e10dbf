# SPDX-License-Identifier: Apache-2.0
"""Transactions of coroutines. The library runs a transaction on a thread; that waits while the coroutine is at work in its
loop, and does what asks the table, one step after the other."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import queue
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Callable, TypeVar, overload

from oscommit import _oscommit
from oscommit._threads import Flight, within
from oscommit._types import Source
from oscommit.exceptions import BaseError, error_of
from oscommit.models import Key, M, Model
from oscommit.queries import AsyncQuery
from oscommit.stages import Intents
from oscommit.transactions import Changes, Run

T = TypeVar("T")
_ENDED = "The transaction has ended: a row lives until its function returns."


class AsyncTransaction(Changes):
    """A Transaction of a coroutine: what asks the table is awaited, one step after the other. Only the loop's thread uses it,
    and only until the function returns."""

    _talk: _Talk

    async def _step(self, call: Callable[..., T], *arguments: Any) -> T:
        return await self._talk.step(call, *arguments)

    @overload
    async def get(self, what: type[M], key: Any, /, *, inconsistent: bool = False) -> M | None: ...
    @overload
    async def get(self, what: Key[M], /, *, inconsistent: bool = False) -> M | None: ...
    @overload
    async def get(self, what: Sequence[Key[M]], /, *, inconsistent: bool = False) -> list[M | None]: ...

    async def get(self, what: Any, key: Any = None, /, *, inconsistent: bool = False) -> Any:
        """As Transaction.get."""
        return await self._step(self._read_any, what, key, inconsistent)

    @overload
    async def get_or_create(self, what: Key[M], /, **fields: Any) -> M: ...
    @overload
    async def get_or_create(self, what: Sequence[Key[M]], /, **fields: Any) -> list[M]: ...

    async def get_or_create(self, what: Any, /, **fields: Any) -> Any:
        """As Transaction.get_or_create."""
        return await self._step(self._read_or_create, what, fields)

    def query(
        self,
        model: type[M],
        *,
        index: str | None = None,
        descending: bool = False,
        allow_lazy_filter: bool = False,
        inconsistent: bool = False,
    ) -> AsyncQuery[M]:
        """As Transaction.query, for `async for row in ...` and `await ....fetch(...)`."""
        native = self._query(model, index, descending, allow_lazy_filter, inconsistent)
        return AsyncQuery(model, native, self._step)

    def scan(
        self,
        model: type[M],
        *,
        index: str | None = None,
        shard_index: int = 0,
        shard_count: int = 0,
        inconsistent: bool = False,
    ) -> AsyncQuery[M]:
        """As Transaction.scan."""
        return AsyncQuery(model, self._scan(model, index, shard_index, shard_count, inconsistent), self._step)

    async def stage(
        self,
        intents: Intents,
        body: Source,
        *,
        prefix: str = "",
        suffix: str = "",
        attributes: Mapping[str, str] | None = None,
        tags: Mapping[str, str] | None = None,
    ) -> str:
        """As Transaction.stage. A file or an iterable is read on the thread of the transaction, so it may block."""
        return await self._step(self._stage, intents, body, prefix, suffix, attributes, tags)


def _closed() -> BaseError:
    message = "The client was closed while the function of the transaction was at work: nothing was applied."
    return error_of(("OS_ERR_CANCELLED", 0, "", "", message), None, "not executed")


def _settle(future: asyncio.Future[Any], value: Any, error: BaseException | None) -> None:
    if future.cancelled():
        return
    if error is None:
        future.set_result(value)
    else:
        future.set_exception(error)


class _Talk:
    """Between the thread of a transaction, which made it, and a coroutine that is at work in the loop."""

    def __init__(self, native: _oscommit.Txn, flight: Flight[Any]) -> None:
        self._native, self._flight = native, flight
        self._worker = self._home = threading.get_ident()
        self._lock = threading.Lock()
        self._steps: queue.SimpleQueue[tuple[Any, asyncio.Future[Any] | None]] = queue.SimpleQueue()
        self._busy = True  # until the coroutine begins
        self._closed = False
        self._over: BaseException | None = None

    # On the thread.

    def serve(self) -> BaseException | None:
        """Until the coroutine has ended: what it raised."""
        while True:
            step, future = self._steps.get()
            if future is None:
                break
            self._do(step, future)
        raised: BaseException | None = step
        with self._lock:
            self._over = _closed() if self._closed else RuntimeError(_ENDED)
        while not self._steps.empty():
            _, future = self._steps.get()
            if future is not None:
                self._flight.post(_settle, future, None, self._over)
        return raised

    def _do(self, step: Callable[[], Any], future: asyncio.Future[Any]) -> None:
        value = error = None
        try:
            value = step()
        except BaseException as raised:
            error = raised
        self._native.lend(self._home)
        self._flight.post(self._done, future, value, error)

    # In the loop.

    def _done(self, future: asyncio.Future[Any], value: Any, error: BaseException | None) -> None:
        self._busy = False
        _settle(future, value, error)

    def _put(self, call: Callable[..., T], arguments: tuple[Any, ...]) -> asyncio.Future[T]:
        with self._lock:
            if self._over is not None:
                raise self._over
            if self._busy:
                raise RuntimeError(
                    "A transaction does one step after the other: await each. get() of several keys reads them together."
                )
            self._busy = True
            future: asyncio.Future[T] = self._flight.loop.create_future()
            self._native.lend(self._worker)
            self._steps.put((lambda: call(*arguments), future))
        return future

    async def step(self, call: Callable[..., T], *arguments: Any) -> T:
        """Whoever is cancelled waits for its end, and with it the transaction is cancelled."""
        future = self._put(call, arguments)
        cancelled: BaseException | None = None
        while not future.done():
            try:
                await asyncio.wait([future])
            except asyncio.CancelledError as why:
                cancelled = cancelled or why
                self._flight.stop.cancel()
        if cancelled is None:
            return future.result()
        future.exception()
        try:
            raise cancelled
        finally:
            del cancelled

    def answer(self, raised: BaseException | None) -> None:
        """The coroutine has ended; None: well."""
        self._steps.put((raised, None))

    def close(self) -> None:
        """The thread does not wait for the coroutine any longer. On any thread."""
        self._closed = True
        self.answer(_closed())

    async def run(self, function: Callable[[], Any], keep: Callable[[Any], None]) -> None:
        self._home = threading.get_ident()
        self._native.lend(self._home)
        self._busy = False
        token = within.set(True)
        try:
            if self._flight.cancelled is not None:
                raise self._flight.cancelled
            value = function()
            keep(await value if inspect.isawaitable(value) else value)
        except GeneratorExit:  # nobody waits for it any more; its flight hears of that
            raise
        except BaseException as error:
            self.answer(error)
        else:
            self.answer(None)
        finally:
            with contextlib.suppress(ValueError):  # of a coroutine that is closed elsewhere
                within.reset(token)


class AsyncRun(Run[T]):
    """A function that may be a coroutine. `flight` is set before the library runs it."""

    flight: Flight[T]
    tx: AsyncTransaction  # type: ignore[assignment]

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._lock = threading.Lock()
        self._talk: _Talk | None = None
        self._given_up = False

    @staticmethod
    def check(function: Callable[..., Any]) -> None:
        pass

    def _run(self, native: _oscommit.Txn) -> None:
        self.native = native
        self.tx = AsyncTransaction(native, self.classes)
        self._begin(self.tx)
        self._in_loop(lambda: self.function(self.tx), self._keep)

    def _keep(self, value: T) -> None:
        self.value = value

    def _finalize(self, row: Model) -> None:
        self._in_loop(lambda: row.finalize(self.tx), lambda _: None)

    def _in_loop(self, function: Callable[[], Any], keep: Callable[[Any], None]) -> None:
        talk = self.tx._talk = _Talk(self.native, self.flight)
        with self._lock:
            if self._given_up:
                raise _closed()
            self._talk = talk
        self.flight.want(lambda: talk.run(function, keep))
        raised = talk.serve()
        with self._lock:
            self._talk = None
        if raised is not None:
            try:
                raise raised
            finally:
                del raised

    def give_up(self) -> None:
        with self._lock:
            self._given_up = True
            talk = self._talk
        if talk is not None:
            talk.close()
