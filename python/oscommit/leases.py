# SPDX-License-Identifier: Apache-2.0
"""Leases, which one holder has at a time, for as long as it extends them. docs/leases.md says what they promise."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from oscommit import _oscommit
from oscommit._asked import Asked, Tables, nothing
from oscommit._flight import run, run_async
from oscommit._opened import deadline_ms_of
from oscommit._requests import Start
from oscommit._types import CredentialProvider
from oscommit.exceptions import BaseError, LeaseLostError

_STATES = {1: "held", 2: "at risk", 3: "lost"}


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

    def _end(self, releases: bool, deadline_s: float | None) -> Asked[None]:
        def start(port: _oscommit.Port | None) -> _oscommit.Operation:
            return self._native.end(port, deadline_ms_of(deadline_s), releases)

        return Asked(start, nothing, LeaseLostError)

    def release(self, *, deadline_s: float | None = None) -> None:
        """Ends it; others can have it at once. LeaseLostError: it had been lost before. Unknown: it was held until now, but
        others may have to wait. Blocks; again does nothing."""
        with suppress(ReferenceError):
            run(self._end(True, deadline_s))

    async def release_async(self, *, deadline_s: float | None = None) -> None:
        """`release` without blocking. A cancelled task has it released all the same, or others have to wait."""
        with suppress(ReferenceError):
            await run_async(self._end(True, deadline_s))

    def detach(self) -> None:
        """Extends it no more, without releasing it: another process may adopt it in time. Again does nothing."""
        with suppress(ReferenceError):
            run(self._end(False, None))

    async def detach_async(self) -> None:
        """`detach` without blocking."""
        with suppress(ReferenceError):
            await run_async(self._end(False, None))


class Leases(Tables):
    """A table of leases, opened: "dynamodb://TABLE" or "sqlite:///FILE"."""

    _locks = False

    @classmethod
    def from_url(
        cls,
        ledger: str,
        *,
        create: bool = False,
        environment: bool = False,
        logger: logging.Logger | None = None,
        credential_provider: CredentialProvider | None = None,
        **options: Any,
    ) -> Leases:
        """The rest is as of Store.from_url. `create` makes the table, and waits until it can be used."""
        self = cls._open({"ledger_url": ledger, **options}, environment, logger, credential_provider)
        return self._with_table(create)

    def _got(self, name: str, start: Start) -> Asked[Lease]:
        return Asked(start, lambda operation: Lease(self, name, operation.lease()))

    def _acquire(
        self, name: str, ttl_s: int, wait: bool, fencing: bool, owner: str | None, deadline_s: float | None
    ) -> Asked[Lease]:
        def start(port: _oscommit.Port | None) -> _oscommit.Operation:
            return self._client.lease_acquire(port, deadline_ms_of(deadline_s), name, ttl_s, wait, fencing, owner)

        return self._got(name, start)

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
        return run(self._acquire(name, ttl_s, wait, fencing, owner, deadline_s))

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
        """`acquire` without blocking, and without a thread for those that wait. A cancelled task holds nothing: what it had
        got at that moment is released in the background."""
        return await run_async(self._acquire(name, ttl_s, wait, fencing, owner, deadline_s))

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

    def _adopt(self, name: str, handle: str, ttl_s: int, fencing: bool, deadline_s: float | None) -> Asked[Lease]:
        def start(port: _oscommit.Port | None) -> _oscommit.Operation:
            return self._client.lease_adopt(port, deadline_ms_of(deadline_s), name, handle, ttl_s, fencing)

        return self._got(name, start)

    def adopt(
        self, name: str, handle: str, *, ttl_s: int = 60, fencing: bool = True, deadline_s: float | None = None
    ) -> Lease:
        """Goes on with a lease that was detached, or whose process is gone. ConflictError: it is lost. After another exception
        it may still be held: try again in time."""
        return run(self._adopt(name, handle, ttl_s, fencing, deadline_s))

    async def adopt_async(
        self, name: str, handle: str, *, ttl_s: int = 60, fencing: bool = True, deadline_s: float | None = None
    ) -> Lease:
        """`adopt` without blocking."""
        return await run_async(self._adopt(name, handle, ttl_s, fencing, deadline_s))

    def _read(self, name: str, deadline_s: float | None) -> Asked[LeaseInfo]:
        def start(port: _oscommit.Port | None) -> _oscommit.Operation:
            return self._client.lease_read(port, deadline_ms_of(deadline_s), name)

        return Asked(start, lambda operation: LeaseInfo(*operation.lease_info()))

    def read(self, name: str, *, deadline_s: float | None = None) -> LeaseInfo:
        """What stands under a name; one request."""
        return run(self._read(name, deadline_s))

    async def read_async(self, name: str, *, deadline_s: float | None = None) -> LeaseInfo:
        """`read` without blocking."""
        return await run_async(self._read(name, deadline_s))

    def _list(self, deadline_s: float | None) -> Asked[dict[str, LeaseInfo]]:
        def start(port: _oscommit.Port | None) -> _oscommit.Operation:
            return self._client.lease_list(port, deadline_ms_of(deadline_s))

        return Asked(start, lambda operation: {name: LeaseInfo(*info) for name, info in operation.entries()})

    def list(self, *, deadline_s: float | None = None) -> dict[str, LeaseInfo]:
        """All leases of the table by their names, also those that are free and keep a token. Costs as much as a Scan."""
        return run(self._list(deadline_s))

    async def list_async(self, *, deadline_s: float | None = None) -> dict[str, LeaseInfo]:
        """`list` without blocking."""
        return await run_async(self._list(deadline_s))
