# SPDX-License-Identifier: Apache-2.0
"""What a store and the tables of leases and locks have in common: an opened client, and its end."""

from __future__ import annotations

import asyncio
import atexit
import logging
import math
import os
import weakref
from typing import Any, Callable, TypeVar

from oscommit import _oscommit
from oscommit._flight import abandon_closed_loops
from oscommit._helpers import Helper, keys_helper, level_of, log_helper
from oscommit._named import did_you_mean
from oscommit._types import CredentialProvider, Metrics, metrics_of
from oscommit.exceptions import UnknownConfigurationKeyError, error_of

T = TypeVar("T")
Self = TypeVar("Self", bound="Opened")
ALIASES = {"region": "s3_region", "endpoint": "s3_endpoint", "addressing": "s3_addressing"}


def deadline_ms_of(deadline_s: float | None) -> int:
    """0 is the library's default."""
    if deadline_s is None:
        return 0
    if not 0 < deadline_s < 1e9 or math.isnan(deadline_s):
        raise ValueError(f"A deadline of {deadline_s} seconds cannot be.")
    return max(1, round(deadline_s * 1000))


def _named(options: dict[str, Any]) -> dict[str, Any]:
    named = {ALIASES.get(name, name): value for name, value in options.items()}
    for name in named:
        if name not in _oscommit.OPTIONS:
            raise UnknownConfigurationKeyError(
                f'There is no option "{name}".{did_you_mean(name, (*_oscommit.OPTIONS, *ALIASES, "ledger"))} '
                f"There are: {', '.join(_oscommit.OPTIONS)}."
            )
    return named


class Opened:
    """Is closed at the end of the interpreter, if it was not before."""

    _client: _oscommit.Client
    _options: dict[str, Any]
    _environment: bool
    _process: int
    _closed: bool
    _lent: tuple[logging.Logger | None, CredentialProvider | None]
    _helpers: dict[str, Helper]

    @classmethod
    def _open(
        cls: type[Self],
        options: dict[str, Any],
        environment: bool,
        logger: logging.Logger | None,
        credential_provider: CredentialProvider | None,
    ) -> Self:
        self = cls()
        self._options, self._environment = _named(options), environment
        self._lent = logger, credential_provider
        self._helpers = {}
        try:
            self._client = self._open_native()
        except BaseException:
            _stop(self._helpers)
            raise
        # Of one that nobody closes: its threads would wait for ever.
        weakref.finalize(self, _stop, self._helpers).atexit = False
        self._process = os.getpid()
        self._closed = False
        _open_ones.add(self)
        return self

    def _open_native(self) -> _oscommit.Client:
        logger, provider = self._lent
        lines = keys = None
        if logger is not None:
            lines, self._helpers["log"] = log_helper(logger)
        if provider is not None:
            keys, self._helpers["keys"] = keys_helper(provider)
        level = 0 if logger is None else level_of(logger)
        return self._native(_oscommit.open, self._options, self._environment, lines, level, keys)

    def metrics(self) -> Metrics:
        """What was counted since it was opened. Does not block; also after the close."""
        return metrics_of(self._client.metrics())

    @staticmethod
    def _native(call: Callable[..., T], *arguments: Any) -> T:
        try:
            return call(*arguments)
        except _oscommit.Failure as failure:
            raise error_of(failure.args) from None

    @property
    def closed(self) -> bool:
        return self._closed

    def close(self) -> None:
        """Cancels what is under way, waits until it has ended, and frees what belongs to it. A guarded write that may have
        been applied is then `Unknown`, with its ticket, for whoever waits for it. Blocks; again does nothing."""
        self._closed = True
        # In a forked child there are none of the threads that would end, nor whoever holds their locks.
        if self._process != os.getpid():
            return
        if "keys" in self._helpers:
            self._helpers["keys"].stop()  # what waits for keys would keep the close waiting
        self._close_native()
        _stop(self._helpers)
        for helper in self._helpers.values():
            helper.join()
        _open_ones.discard(self)
        abandon_closed_loops()

    def _close_native(self) -> None:
        self._client.close()

    async def close_async(self) -> None:
        """`close` without blocking."""
        await asyncio.get_running_loop().run_in_executor(None, self.close)

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self: Self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close_async()


def _stop(helpers: dict[str, Helper]) -> None:
    for helper in helpers.values():
        helper.stop()


_open_ones: weakref.WeakSet[Opened] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for opened in list(_open_ones):
        opened.close()
