# SPDX-License-Identifier: Apache-2.0
"""Operations under way: of a thread that waits for one, or of an event loop that has any number.

An operation that completes, or wants something of Python, puts itself into the loop's port. The port's descriptor wakes
the loop once for all that have come meanwhile. No thread takes part but the client's own, and they run no Python.
"""

from __future__ import annotations

import asyncio
import collections
import os
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Callable, Generic, NoReturn, TypeVar

from oscommit import _oscommit
from oscommit.exceptions import error_of

if TYPE_CHECKING:
    from oscommit._types import Abandoned

READ, TRANSFORM, DONE = 1, 2, 3
_AT_ONCE = 64
T = TypeVar("T")


class Request(Generic[T]):
    """One call: how it starts, what it gives when the library asks, and what its outcome means."""

    # A request is in no circle of references: the bytes of its body go when the call returns.

    def __init__(self, start: Callable[[_oscommit.Port | None], _oscommit.Operation]) -> None:
        self.start_native = start
        self.error: BaseException | None = None
        """What the caller's own code raised, which it gets back."""

    def start(self, port: _oscommit.Port | None) -> _oscommit.Operation:
        try:
            return self.start_native(port)
        except _oscommit.Failure as failure:
            raise error_of(failure.args) from None

    def serve(self, operation: _oscommit.Operation, event: int) -> bytes | None:
        """The answer to READ or TRANSFORM; None: the operation is over already."""
        raise NotImplementedError

    async def serve_async(self, operation: _oscommit.Operation, event: int) -> bytes | None:
        return self.serve(operation, event)

    def finish(self, operation: _oscommit.Operation) -> T:
        return self._finish(operation.outcome(), operation)

    def _finish(self, outcome: _oscommit.Outcome, operation: _oscommit.Operation) -> T:
        raise NotImplementedError

    def throw(self, error: BaseException | None, cause: BaseException | None) -> NoReturn:
        """Raises it. A frame that a traceback keeps must not keep the exception, nor may the request: that would be a circle
        of references, and a body in it."""
        assert error is not None
        self.error = None
        try:
            if cause is None or cause is error:
                raise error
            raise error from cause
        finally:
            del error, cause

    def abandoned(self, operation: _oscommit.Operation) -> Abandoned | None:
        """What is to be told of it when nobody waits for it any more. Runs once, in place of `finish`."""
        return None

    def report(self, abandoned: Abandoned) -> None:
        """Tells the store's owner of it."""


def _answer(request: Request[Any], operation: _oscommit.Operation, event: int) -> None:
    try:
        operation.answer(request.serve(operation, event))
    except BaseException as error:
        request.error = error
        operation.answer(None)


def leave(why: BaseException, abandoned: Abandoned) -> None:
    """With an exception, for `oscommit.abandoned` and for whoever reads its traceback."""
    why.oscommit = abandoned  # type: ignore[attr-defined]
    if hasattr(why, "add_note"):
        why.add_note(f"The {abandoned.what} is {abandoned.verdict}. Ticket: {abandoned.ticket}")


def _give_up(request: Request[Any], operation: _oscommit.Operation, why: BaseException) -> None:
    """The operation has landed, and `why` is raised in place of its outcome: nothing of it may get lost."""
    abandoned = request.abandoned(operation)
    if abandoned is not None:
        leave(why, abandoned)
        request.report(abandoned)


def _land(operation: _oscommit.Operation) -> None:
    """Until a cancelled operation has completed, which is soon; further signals change nothing of that."""
    while True:
        try:
            if operation.wait() == DONE:
                return
        except BaseException:  # of the handler of another signal
            continue


def run(request: Request[T]) -> T:
    """Starts it and waits. The GIL is free meanwhile, and signals are handled."""
    return wait_for(request, request.start(None))


def wait_for(request: Request[T], operation: _oscommit.Operation) -> T:
    try:
        while True:
            event = operation.wait()
            if event == DONE:
                break
            _answer(request, operation, event)
    except BaseException as why:
        operation.cancel()
        _land(operation)
        _give_up(request, operation, why)
        raise
    return request.finish(operation)


def run_all(requests: Sequence[Request[Any]]) -> Sequence[Any]:
    """At the same time, on this thread, within bounds. All that were started have ended when it returns or raises; the first
    failure is raised, and nothing more is started after it."""
    results: list[Any] = []
    waiting: collections.deque[tuple[Request[Any], _oscommit.Operation]] = collections.deque()
    failure: BaseException | None = None
    left = iter(requests)
    while True:
        while failure is None and len(waiting) < _AT_ONCE and (request := next(left, None)) is not None:
            try:
                waiting.append((request, request.start(None)))
            except BaseException as error:
                failure = error
        if not waiting:
            break
        try:
            results.append(wait_for(*waiting.popleft()))
        except BaseException as error:
            failure = failure or error
    if failure is not None:
        raise failure
    return results


# ------------------------------------------------------------------------------------------------------------ asyncio


class _Flight:
    __slots__ = ("forsaken", "future", "landed", "operation", "request", "task", "told")

    def __init__(self, request: Request[Any], operation: _oscommit.Operation, future: asyncio.Future[None]) -> None:
        self.request, self.operation, self.future = request, operation, future
        self.task: asyncio.Task[None] | None = None
        self.landed = self.forsaken = self.told = False

    async def serve(self, event: int) -> None:
        try:
            self.operation.answer(await self.request.serve_async(self.operation, event))
        except BaseException as error:
            self.request.error = error
            self.operation.answer(None)
            if not isinstance(error, Exception) and not isinstance(error, asyncio.CancelledError):
                raise

    def cancel(self) -> None:
        self.operation.cancel()
        if self.task is not None:
            self.task.cancel()

    def tell(self) -> None:
        """It has landed, and no coroutine waits for it: what became of it is the store's owner's to hear."""
        if self.told:
            return
        self.told = True
        abandoned = self.request.abandoned(self.operation)
        if abandoned is not None:
            self.request.report(abandoned)

    def forsake(self) -> None:
        """Its coroutine was closed where it waited."""
        self.forsaken = True
        if self.landed:
            self.tell()
        else:
            self.cancel()


class _LoopPort:
    """The port of one event loop. It does not hold the loop, which holds it; while something is under way, it stays even
    if the loop is gone."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = weakref.ref(loop)
        self.native = _oscommit.Port()
        self.flights: dict[_oscommit.Operation, _Flight] = {}
        loop.add_reader(self.native.fileno(), self.drain)

    def fly(self, request: Request[Any], loop: asyncio.AbstractEventLoop) -> _Flight:
        operation = request.start(self.native)
        flight = self.flights[operation] = _Flight(request, operation, loop.create_future())
        _busy.add(self)
        return flight

    def land(self, operation: _oscommit.Operation) -> _Flight:
        flight = self.flights.pop(operation)
        flight.landed = True
        if not self.flights:
            _busy.discard(self)
        return flight

    def drain(self) -> None:
        for operation, event in self.native.drain():
            if event == DONE:
                flight = self.land(operation)
                if flight.forsaken:
                    flight.tell()
                elif not flight.future.done():
                    flight.future.set_result(None)
            else:
                flight = self.flights[operation]
                flight.task = flight.future.get_loop().create_task(flight.serve(event))

    def abandon(self) -> None:
        """The loop is closed, and so is the client of what is drained: no coroutine waits for it."""
        for operation, event in self.native.drain():
            if event == DONE:
                self.land(operation).tell()


_ports: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _LoopPort] = weakref.WeakKeyDictionary()
_busy: set[_LoopPort] = set()


def _port_of(loop: asyncio.AbstractEventLoop) -> _LoopPort:
    port = _ports.get(loop)
    if port is None:
        port = _ports[loop] = _LoopPort(loop)
    return port


def abandon_closed_loops() -> None:
    """After a client was closed: says what became of operations whose loop was closed before they completed."""
    for port in list(_busy):
        loop = port.loop()
        if loop is None or loop.is_closed():
            port.abandon()


def _forget() -> None:
    _ports.clear()
    _busy.clear()


if hasattr(os, "register_at_fork"):
    # A child has its parent's descriptors: what it read from them, the parent would miss.
    os.register_at_fork(after_in_child=_forget)


async def _wait_for_landing(flight: _Flight, loop: asyncio.AbstractEventLoop) -> None:
    try:
        await flight.future
    except asyncio.CancelledError as why:
        flight.cancel()
        while not flight.landed:
            flight.future = loop.create_future()
            try:
                await flight.future
            except asyncio.CancelledError:
                continue
        _give_up(flight.request, flight.operation, why)
        raise


async def run_async(request: Request[T]) -> T:
    """Starts it and lets the loop go on. A cancelled task cancels the operation, waits for its end, and then ends. A
    coroutine that is closed cannot wait."""
    loop = asyncio.get_running_loop()
    flight = _port_of(loop).fly(request, loop)
    try:
        await _wait_for_landing(flight, loop)
    except GeneratorExit:
        flight.forsake()
        raise
    return request.finish(flight.operation)


async def run_all_async(requests: Sequence[Request[Any]]) -> Sequence[Any]:
    """The same, in the loop; but what has not been started when one fails is started nevertheless."""
    gate = asyncio.Semaphore(_AT_ONCE)

    async def one(request: Request[Any]) -> Any:
        async with gate:
            return await run_async(request)

    results = await asyncio.gather(*(one(request) for request in requests), return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results
