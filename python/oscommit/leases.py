# SPDX-License-Identifier: Apache-2.0
"""Leases and locks, which one holder has at a time. docs/leases.md says what they promise."""

from __future__ import annotations

import os
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

from oscommit import _oscommit
from oscommit._opened import Opened, deadline_ms_of
from oscommit.exceptions import BaseError, LeaseLostError, error_of

_STATES = {1: "held", 2: "at risk", 3: "lost"}
_ACQUIRE, _RENEW, _RELEASE, _READ, _BREAK = range(5)


@dataclass(frozen=True)
class LeaseInfo:
    """What stands in the table under a name. `owner` is for people; `token` stays when the lease is free."""

    held: bool
    owner: str
    expiry_s: int
    ttl_ms: int
    token: int
    foreign: bool


class Lease:
    """A lease that is held, and extended by the library's own thread until it is released."""

    def __init__(self, table: Leases, name: str, native: _oscommit.Lease) -> None:
        self.name = name
        self._table, self._native = table, native

    @property
    def state(self) -> str:
        """ "held", "at risk" (half of its time has passed since it was extended), or "lost", for ever. Does not block."""
        return _STATES[self._native.state()]

    @property
    def remaining_s(self) -> float:
        """For how long nobody else can hold it, even if it is never extended again."""
        return self._native.remaining_ms() / 1000

    @property
    def token(self) -> int:
        """The fencing token, larger than that of every holder before: `put(..., fencing=lease.token)`. 0 without fencing."""
        return self._native.token()

    @property
    def handle(self) -> str:
        """What another process needs to go on with it (`Leases.adopt`)."""
        return self._table._native(self._native.handle)

    def check(self) -> None:
        """LeaseLostError if it is lost: call it before each step of the work."""
        if self._native.state() == 3:
            raise LeaseLostError(f"The lease {self.name} is lost: another may hold it.")

    def release(self, *, deadline_s: float | None = None) -> None:
        """Ends it; others can have it at once. LeaseLostError: it had been lost before. Unknown: it was held until now, but
        others may have to wait. Blocks; again does nothing."""
        self._table._run_blocking(self._release, deadline_ms_of(deadline_s))

    async def release_async(self, *, deadline_s: float | None = None) -> None:
        """`release` without blocking."""
        await self._table._run_blocking_async(self._release, deadline_ms_of(deadline_s))

    def _release(self, _: _oscommit.Cancel, deadline_ms: int) -> None:
        try:
            self._native.release(deadline_ms)
        except _oscommit.Failure as failure:
            if failure.args[0] == "OS_ERR_CONFLICT":
                raise error_of(failure.args, LeaseLostError) from None
            raise

    def detach(self) -> None:
        """Extends it no more, without releasing it: another process may adopt it in time."""
        self._table._native(self._native.detach)


class Leases(Opened):
    """A table of leases, opened: "dynamodb://TABLE" or "sqlite:///FILE"."""

    @classmethod
    def from_url(cls, ledger: str, *, create: bool = False, environment: bool = False, **options: Any) -> Leases:
        """`options` as of Store.from_url. `create` makes the table, and waits until it can be used."""
        self = cls._open({"ledger_url": ledger, **options}, environment)
        if create:
            self._run_blocking(self._client.table_of, 0, False, True)
        return self

    def acquire(
        self,
        name: str,
        *,
        ttl_s: int = 60,
        wait: bool = False,
        fencing: bool = True,
        owner: str | None = None,
        deadline_s: float | None = None,
    ) -> Lease:
        """Acquires a lease, and keeps it extended until `release`.

        ttl_s     for how long others wait for a holder who died
        wait      for another holder, until the deadline; else he is a ConflictError at once
        fencing   with a token
        owner     who holds it, for people [host name and process id]

        ConflictError: another holds it; the message says who. After any exception nothing is held."""
        more = deadline_ms_of(deadline_s), name, ttl_s, wait, fencing, owner
        return Lease(self, name, self._run_blocking(self._client.lease_acquire, *more, undo=_drop))

    async def acquire_async(
        self,
        name: str,
        *,
        ttl_s: int = 60,
        wait: bool = False,
        fencing: bool = True,
        owner: str | None = None,
        deadline_s: float | None = None,
    ) -> Lease:
        """`acquire` without blocking. A cancelled task holds nothing."""
        more = deadline_ms_of(deadline_s), name, ttl_s, wait, fencing, owner
        return Lease(self, name, await self._run_blocking_async(self._client.lease_acquire, *more, undo=_drop))

    @contextmanager
    def hold(self, name: str, **options: Any) -> Iterator[Lease]:
        """`with leases.hold("nightly", wait=True) as lease:` acquires it, and releases it at the end. LeaseLostError at the end
        says that it was lost meanwhile, unless the block itself raised."""
        lease = self.acquire(name, **options)
        try:
            yield lease
        except BaseException:
            try:
                lease.release()
            except BaseError:
                pass  # what the block raised counts
            raise
        lease.release()

    @asynccontextmanager
    async def hold_async(self, name: str, **options: Any) -> AsyncIterator[Lease]:
        """`async with leases.hold_async("nightly") as lease:`"""
        lease = await self.acquire_async(name, **options)
        try:
            yield lease
        except BaseException:
            try:
                await lease.release_async()
            except BaseError:
                pass  # what the block raised counts
            raise
        await lease.release_async()

    def adopt(
        self, name: str, handle: str, *, ttl_s: int = 60, fencing: bool = True, deadline_s: float | None = None
    ) -> Lease:
        """Goes on with a lease that was detached, or whose process is gone. ConflictError: it is lost."""
        more = deadline_ms_of(deadline_s), name, handle, ttl_s, fencing
        return Lease(self, name, self._run_blocking(self._client.lease_adopt, *more))

    def read(self, name: str, *, deadline_s: float | None = None) -> LeaseInfo:
        """What stands under a name; one request."""
        return LeaseInfo(*self._run_blocking(self._client.lease_read, deadline_ms_of(deadline_s), name))


def _drop(native: _oscommit.Lease) -> None:
    try:
        native.release(0)
    except _oscommit.Failure:
        pass  # it ends by itself, after its time to live


@dataclass(frozen=True)
class LockInfo:
    """What stands in the table; `held` is also true of a lock that has expired: see `expiry_s`, in epoch seconds."""

    held: bool
    owner: str
    instance: str
    duration_s: int
    expiry_s: int


class Lock:
    """A lock that was acquired. Nothing happens by itself: renew it in time."""

    def __init__(self, table: Locks, namespace: str, name: str, info: LockInfo) -> None:
        self.namespace, self.name, self.info = namespace, name, info
        self._table = table

    def renew(self, duration_s: int, *, deadline_s: float | None = None) -> LockInfo:
        """Adds to its duration and expiry. ConflictError: it has expired, or is another's. Unknown: no answer says whether it
        was added."""
        self.info = self._table._call(_RENEW, self.namespace, self.name, duration_s, deadline_s)
        return self.info

    def release(self, *, deadline_s: float | None = None) -> None:
        """Ends it, also where it has expired. ConflictError: another holds it."""
        self._table._call(_RELEASE, self.namespace, self.name, 0, deadline_s)


class Locks(Opened):
    """A table of locks, and who acquires them: whoever has the same owner and instance holds the same lock."""

    owner: str
    instance: str

    @classmethod
    def from_url(
        cls,
        ledger: str,
        *,
        owner: str,
        instance: str | None = None,
        create: bool = False,
        environment: bool = False,
        **options: Any,
    ) -> Locks:
        """`owner` is a service or a user, `instance` one of its processes [host name and process id]."""
        self = cls._open({"ledger_url": ledger, **options}, environment)
        self.owner, self.instance = owner, instance or f"{socket.gethostname()}:{os.getpid()}"
        if create:
            self._run_blocking(self._client.table_of, 0, True, True)
        return self

    def _judged(self, answer: tuple[_oscommit.Error | None, _oscommit.LockInfo]) -> LockInfo:
        failure, info = answer
        if failure is not None:
            raise error_of(failure)
        return LockInfo(*info)

    def _arguments(
        self, which: int, namespace: str, name: str, duration_s: int, deadline_s: float | None
    ) -> tuple[Any, ...]:
        return deadline_ms_of(deadline_s), which, namespace, name, self.owner, self.instance, duration_s

    def _call(self, which: int, namespace: str, name: str, duration_s: int, deadline_s: float | None) -> LockInfo:
        arguments = self._arguments(which, namespace, name, duration_s, deadline_s)
        return self._judged(self._run_blocking(self._client.lock, *arguments))

    async def _call_async(
        self, which: int, namespace: str, name: str, duration_s: int, deadline_s: float | None
    ) -> LockInfo:
        arguments = self._arguments(which, namespace, name, duration_s, deadline_s)
        return self._judged(await self._run_blocking_async(self._client.lock, *arguments))

    def acquire(self, namespace: str, name: str, *, duration_s: int, deadline_s: float | None = None) -> Lock:
        """Acquires a lock for so many seconds: where there is none, it has expired, or this owner and instance hold it.
        ConflictError: another holds it; the message says who. One request, which is never sent twice."""
        return Lock(self, namespace, name, self._call(_ACQUIRE, namespace, name, duration_s, deadline_s))

    async def acquire_async(
        self, namespace: str, name: str, *, duration_s: int, deadline_s: float | None = None
    ) -> Lock:
        """`acquire` without blocking."""
        return Lock(self, namespace, name, await self._call_async(_ACQUIRE, namespace, name, duration_s, deadline_s))

    @contextmanager
    def hold(self, namespace: str, name: str, *, duration_s: int, deadline_s: float | None = None) -> Iterator[Lock]:
        """`with locks.hold("jobs", "nightly", duration_s=60) as lock:`"""
        lock = self.acquire(namespace, name, duration_s=duration_s, deadline_s=deadline_s)
        try:
            yield lock
        except BaseException:
            try:
                lock.release()
            except BaseError:
                pass  # what the block raised counts
            raise
        lock.release()

    @asynccontextmanager
    async def hold_async(
        self, namespace: str, name: str, *, duration_s: int, deadline_s: float | None = None
    ) -> AsyncIterator[Lock]:
        """`async with locks.hold_async(...) as lock:`"""
        lock = await self.acquire_async(namespace, name, duration_s=duration_s, deadline_s=deadline_s)
        try:
            yield lock
        except BaseException:
            try:
                await self._call_async(_RELEASE, namespace, name, 0, None)
            except BaseError:
                pass  # what the block raised counts
            raise
        await self._call_async(_RELEASE, namespace, name, 0, None)

    def read(self, namespace: str, name: str, *, deadline_s: float | None = None) -> LockInfo:
        """What stands under a namespace and a name."""
        return self._call(_READ, namespace, name, 0, deadline_s)

    def break_expired(self, namespace: str, name: str, *, deadline_s: float | None = None) -> None:
        """Deletes a lock whose time is over, whosever it is. ConflictError: it is not over."""
        self._call(_BREAK, namespace, name, 0, deadline_s)
