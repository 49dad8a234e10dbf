# SPDX-License-Identifier: Apache-2.0
"""Locks with an owner and an instance, which last for a time that the holder names. docs/leases.md says what they promise."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

from oscommit import _oscommit
from oscommit._asked import Asked, Tables
from oscommit._flight import run, run_async
from oscommit._opened import deadline_ms_of
from oscommit._types import CredentialProvider
from oscommit.exceptions import BaseError

_ACQUIRE, _RENEW, _RELEASE, _READ, _BREAK = range(5)


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
        self.info = run(self._table._ask(_RENEW, self.namespace, self.name, duration_s, deadline_s))
        return self.info

    async def renew_async(self, duration_s: int, *, deadline_s: float | None = None) -> LockInfo:
        """`renew` without blocking."""
        self.info = await run_async(self._table._ask(_RENEW, self.namespace, self.name, duration_s, deadline_s))
        return self.info

    def release(self, *, deadline_s: float | None = None) -> None:
        """Ends it, also where it has expired. ConflictError: another holds it."""
        run(self._table._ask(_RELEASE, self.namespace, self.name, 0, deadline_s))

    async def release_async(self, *, deadline_s: float | None = None) -> None:
        """`release` without blocking."""
        await run_async(self._table._ask(_RELEASE, self.namespace, self.name, 0, deadline_s))


class Locks(Tables):
    """A table of locks, and who acquires them: whoever has the same owner and instance holds the same lock."""

    _locks = True
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
        logger: logging.Logger | None = None,
        credential_provider: CredentialProvider | None = None,
        **options: Any,
    ) -> Locks:
        """`owner` is a service or a user, `instance` one of its processes [host name and process id]."""
        self = cls._open({"ledger_url": ledger, **options}, environment, logger, credential_provider)
        self.owner, self.instance = owner, instance or f"{socket.gethostname()}:{os.getpid()}"
        return self._with_table(create)

    def _ask(self, which: int, namespace: str, name: str, duration_s: int, deadline_s: float | None) -> Asked[LockInfo]:
        def start(port: _oscommit.Port | None) -> _oscommit.Operation:
            return self._client.lock(
                port, deadline_ms_of(deadline_s), which, namespace, name, self.owner, self.instance, duration_s
            )

        return Asked(start, lambda operation: LockInfo(*operation.lock_info()))

    def _acquire(self, namespace: str, name: str, duration_s: int, deadline_s: float | None) -> Asked[Lock]:
        asked = self._ask(_ACQUIRE, namespace, name, duration_s, deadline_s)
        return Asked(asked.start_native, lambda operation: Lock(self, namespace, name, asked.give(operation)))

    def acquire(self, namespace: str, name: str, *, duration_s: int, deadline_s: float | None = None) -> Lock:
        """Acquires a lock for so many seconds: where there is none, it has expired, or this owner and instance hold it.
        ConflictError: another holds it; the message says who. One request, which is never sent twice."""
        return run(self._acquire(namespace, name, duration_s, deadline_s))

    async def acquire_async(
        self, namespace: str, name: str, *, duration_s: int, deadline_s: float | None = None
    ) -> Lock:
        """`acquire` without blocking. After a cancelled one the lock may be held: release it, or acquire it again."""
        return await run_async(self._acquire(namespace, name, duration_s, deadline_s))

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
                await lock.release_async()
            except BaseError:
                pass  # what the block raised counts
            raise
        await lock.release_async()

    def read(self, namespace: str, name: str, *, deadline_s: float | None = None) -> LockInfo:
        """What stands under a namespace and a name."""
        return run(self._ask(_READ, namespace, name, 0, deadline_s))

    async def read_async(self, namespace: str, name: str, *, deadline_s: float | None = None) -> LockInfo:
        """`read` without blocking."""
        return await run_async(self._ask(_READ, namespace, name, 0, deadline_s))

    def break_expired(self, namespace: str, name: str, *, deadline_s: float | None = None) -> None:
        """Deletes a lock whose time is over, whosever it is. ConflictError: it is not over."""
        run(self._ask(_BREAK, namespace, name, 0, deadline_s))

    async def break_expired_async(self, namespace: str, name: str, *, deadline_s: float | None = None) -> None:
        """`break_expired` without blocking."""
        await run_async(self._ask(_BREAK, namespace, name, 0, deadline_s))

    def _list(self, namespace: str | None, deadline_s: float | None) -> Asked[dict[tuple[str, str], LockInfo]]:
        def start(port: _oscommit.Port | None) -> _oscommit.Operation:
            return self._client.lock_list(port, deadline_ms_of(deadline_s), namespace)

        return Asked(
            start, lambda operation: {(space, name): LockInfo(*info) for space, name, info in operation.entries()}
        )

    def list(
        self, namespace: str | None = None, *, deadline_s: float | None = None
    ) -> dict[tuple[str, str], LockInfo]:
        """All locks of a namespace, or of the table, by (namespace, name). Costs as much as a Scan."""
        return run(self._list(namespace, deadline_s))

    async def list_async(
        self, namespace: str | None = None, *, deadline_s: float | None = None
    ) -> dict[tuple[str, str], LockInfo]:
        """`list` without blocking."""
        return await run_async(self._list(namespace, deadline_s))
