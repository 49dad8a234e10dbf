# SPDX-License-Identifier: Apache-2.0
"""Calls of the library that block. For an event loop each has a thread, and a coroutine that waits for it.

The thread may want something of the loop meanwhile, as that a function of the caller is run: that runs in the task which
made the call.
"""

from __future__ import annotations

import asyncio
import collections
import contextlib
import contextvars
import threading
import weakref
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, Callable, Generic, TypeVar

from oscommit import _oscommit
from oscommit._flight import leave
from oscommit._opened import Opened, deadline_ms_of
from oscommit.exceptions import BaseError, error_of

if TYPE_CHECKING:
    from oscommit._types import Abandoned
    from oscommit.client import Client

_AT_ONCE = 64
_NAME = "oscommit-call"
T = TypeVar("T")
Wanted = Callable[[], Awaitable[None]]


class Call(Generic[T]):
    """A call that blocks: `give` makes its value of what the library returns, or raises a BaseError, and `lost` says what is to
    be told if nobody gets that. `end` comes before `give`: what it returns is raised in place of the value."""

    def __init__(
        self,
        client: Client,
        native: Callable[..., Any],
        *arguments: Any,
        deadline_s: float | None,
        give: Callable[[Any], T],
        lost: Callable[[], list[Abandoned]] = list,
        end: Callable[[], BaseException | None] = lambda: None,
    ) -> None:
        deadline_ms_of(deadline_s)
        self.client, self.native, self.arguments, self.deadline_s = client, native, arguments, deadline_s
        self._give, self.lost, self._end = give, lost, end

    def run(self) -> T:
        return self.finish(lambda: Opened._native(self.native, deadline_ms_of(self.deadline_s), *self.arguments))

    def finish(self, ask: Callable[[], Any]) -> T:
        """`ask` gives what the library returns. What is raised besides an outcome, as by a signal, hides that."""
        value: T
        try:
            value, error = self._outcome(ask())
        except BaseException as why:
            self.interrupted(why)
            raise
        if error is None:
            return value
        try:
            raise error
        finally:
            del error  # a frame that it keeps must not keep it

    def _outcome(self, found: Any) -> tuple[Any, BaseError | None]:
        why = self._end()
        try:
            if why is not None:
                raise why
        finally:
            del why
        try:
            return self._give(found), None
        except BaseError as error:
            return None, error

    async def run_async(self) -> T:
        return await Flight(self).fly(_gates_of(asyncio.get_running_loop())[0])

    def interrupted(self, why: BaseException) -> None:
        """`why` is raised in place of the outcome, of which nothing may get lost. An exception has room for one: an unknown
        counts more."""
        lost = self.lost()
        for abandoned in sorted(lost, key=lambda one: one.verdict != "unknown", reverse=True):
            leave(why, abandoned)
        self.tell(lost)

    def tell(self, lost: list[Abandoned]) -> None:
        for abandoned in lost:
            self.client._abandoned(abandoned)


# ------------------------------------------------------------------------------------------------------------- gates


class _Gate:
    """Lets so many in at once; others wait for their turn."""

    def __init__(self) -> None:
        self._free = _AT_ONCE
        self._waiting: collections.deque[asyncio.Future[None]] = collections.deque()

    async def enter(self, deadline_s: float | None) -> None:
        if self._free > 0:
            self._free -= 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await asyncio.wait([turn], timeout=deadline_s)
        except BaseException:
            self._forgo(turn)
            raise
        if not turn.done():
            self._forgo(turn)
            message = f"The deadline passed while {_AT_ONCE} other calls of this loop were under way: nothing was sent."
            raise error_of(("OS_ERR_DEADLINE", 0, "", "", message), None, "not executed")

    def _forgo(self, turn: asyncio.Future[None]) -> None:
        if turn.done():
            self.leave()
        else:
            self._waiting.remove(turn)

    def leave(self) -> None:
        if self._waiting:
            self._waiting.popleft().set_result(None)
        else:
            self._free += 1


_gates: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[_Gate, _Gate]] = weakref.WeakKeyDictionary()
within: contextvars.ContextVar[bool] = contextvars.ContextVar("oscommit.within", default=False)
"""The function of a transaction is under way: what it begins would wait for ever behind others that wait as it does."""


def _gates_of(loop: asyncio.AbstractEventLoop) -> tuple[_Gate, _Gate]:
    """For calls, and for transactions: their functions may make calls."""
    gates = _gates.get(loop)
    if gates is None:
        gates = _gates[loop] = (_Gate(), _Gate())
    return gates


def transactions_of(loop: asyncio.AbstractEventLoop) -> _Gate:
    return _Gate() if within.get() else _gates_of(loop)[1]


# ----------------------------------------------------------------------------------------------------------- flights


class Flight(Generic[T]):
    """A call on its thread. `give_up` makes it end where it waits for the loop."""

    def __init__(self, call: Call[T], give_up: Callable[[], None] = lambda: None) -> None:
        self.loop = asyncio.get_running_loop()
        self.stop = _oscommit.Stop()
        self.cancelled: BaseException | None = None
        self.give_up = give_up
        self._call = call
        self._wanted: collections.deque[Wanted | None] = collections.deque()
        self._waiter: asyncio.Future[None] | None = None
        self._lock = threading.Lock()
        self._landed = self._forsaken = self._told = False
        self._value: Any = None
        self._error: BaseException | None = None

    async def fly(self, gate: _Gate) -> T:
        begun = self.loop.time()
        await gate.enter(self._call.deadline_s)
        try:
            left_s = self._call.deadline_s and max(0.001, self._call.deadline_s - (self.loop.time() - begun))
            self._start(deadline_ms_of(left_s))
            while (wanted := await self._next()) is not None:
                await wanted()
        except GeneratorExit:
            self.forsake()
            raise
        finally:
            with contextlib.suppress(RuntimeError):  # the loop is closed
                self.loop.call_soon_threadsafe(gate.leave)
        return self._finish()

    def _start(self, deadline_ms: int) -> None:
        # At the end of the interpreter the client is closed, and the thread ends.
        self._thread = threading.Thread(target=self._work, args=(deadline_ms,), name=_NAME, daemon=True)
        client = self._call.client
        client._flights.add(self)
        try:
            if client.closed:
                raise ValueError("The client is closed.")
            self._thread.start()
        except BaseException:
            client._flights.discard(self)
            raise

    async def _next(self) -> Wanted | None:
        """What the thread wants next; None: it has landed. A cancelled task waits for that."""
        while not self._wanted:
            self._waiter = self.loop.create_future()
            try:
                await self._waiter
            except asyncio.CancelledError as why:
                self.cancelled = self.cancelled or why
                self.stop.cancel()
        return self._wanted.popleft()

    def _finish(self) -> T:
        self._leave_behind()
        why, self.cancelled = self.cancelled or self._error, None
        self._error = None
        if why is None:
            return self._call.finish(lambda: self._value)
        try:
            self._call.interrupted(why)
            raise why
        finally:
            del why  # a frame that it keeps must not keep it

    # On the thread.

    def _work(self, deadline_ms: int) -> None:
        try:
            self._value = Opened._native(self._call.native, (deadline_ms, self.stop), *self._call.arguments)
        except BaseException as error:
            self._error = error
        with self._lock:
            self._landed = True
            forsaken = self._forsaken
        if forsaken:
            self._tell()
        else:
            self.want(None)

    def want(self, wanted: Wanted | None) -> None:
        self.post(self._arrive, wanted)

    def post(self, callback: Callable[..., None], *arguments: Any) -> None:
        try:
            self.loop.call_soon_threadsafe(callback, *arguments)
        except RuntimeError:  # it is closed
            self.forsake()

    # On any thread, or in the loop.

    def _arrive(self, wanted: Wanted | None) -> None:
        self._wanted.append(wanted)
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def forsake(self) -> None:
        """No coroutine waits for it: what became of it is the client's owner's to hear."""
        with self._lock:
            self._forsaken = True
            landed = self._landed
        if landed:
            self._tell()
        else:
            self.stop.cancel()
            self.give_up()

    def _leave_behind(self) -> bool:
        """False: that was done before."""
        with self._lock:
            told, self._told = self._told, True
        self._call.client._flights.discard(self)
        return not told

    def _tell(self) -> None:
        if self._leave_behind():
            self._call.tell(self._call.lost())

    def end(self) -> None:
        """The client is closed."""
        if threading.current_thread() is not self._thread:
            with contextlib.suppress(RuntimeError):  # it was not started
                self._thread.join()
        if self.loop.is_closed():
            self.forsake()
