# SPDX-License-Identifier: Apache-2.0
"""Threads that run the caller's functions for the library, whose own threads run no Python: its log, and credentials."""

from __future__ import annotations

import datetime
import logging
import math
import os
import threading
import time
import traceback
from typing import Any, Callable

from oscommit import _oscommit
from oscommit._types import CredentialProvider

_LEVELS = {1: logging.ERROR, 2: logging.WARNING, 3: logging.INFO, 4: logging.DEBUG}
_RENEWED_BEFORE_S = 600
"""The library asks 300 s before the end: by then there are new ones."""
_AGAIN_AFTER_S = 30
_JOINED_FOR_S = 5
_log = logging.getLogger("oscommit")


class Helper:
    """A thread that ends when it is told to."""

    def __init__(self, name: str, run: Callable[[], None], stop: Callable[[], None]) -> None:
        self._stop, self._process = stop, os.getpid()
        # At the end of the interpreter the store is closed, and this with it.
        self._thread = threading.Thread(target=run, name=name, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """It ends soon. A forked child has none, and its locks are as they were."""
        if self._process == os.getpid():
            self._stop()

    def join(self) -> None:
        """Of a function that does not return it is not waited for any longer; the thread ends when that does."""
        if threading.current_thread() is not self._thread:
            self._thread.join(_JOINED_FOR_S)


# ---------------------------------------------------------------------------------------------------------- logging


def level_of(logger: logging.Logger) -> int:
    """What the library need not say, nobody has to throw away."""
    least = logger.getEffectiveLevel()
    return max((level for level, value in _LEVELS.items() if value >= least), default=1)


def _write(logger: logging.Logger, level: int, text: str) -> None:
    try:
        logger.log(level, "%s", text)
    except Exception:  # of a handler, which is the end of one line, and not of the log
        if logging.raiseExceptions:
            traceback.print_exc()


def _tell(lines: _oscommit.Lines, logger: logging.Logger) -> None:
    while (taken := lines.take()) is not None:
        for level, text in taken[0]:
            _write(logger, _LEVELS[level], text)
        if taken[1]:
            _write(logger, logging.WARNING, f"{taken[1]} lines of the log were dropped: its handlers are too slow.")


def log_helper(logger: logging.Logger) -> tuple[_oscommit.Lines, Helper]:
    lines = _oscommit.Lines()
    return lines, Helper("oscommit-log", lambda: _tell(lines, logger), lines.stop)


# ------------------------------------------------------------------------------------------------------ credentials


def _text(given: Any, name: str) -> str:
    text = given[name]
    if not isinstance(text, str) or not text:
        raise TypeError(f"The credential provider gave a {name} that is no text, or is empty.")
    return text


def _expiry_s(given: Any) -> int:
    """Epoch seconds; 0: never."""
    expires_at = given.get("expires_at")
    if expires_at is None:
        return 0
    if not isinstance(expires_at, datetime.datetime) or expires_at.tzinfo is None:
        raise TypeError("The expires_at of a credential provider is a datetime with a time zone, or None.")
    return math.floor(expires_at.timestamp())


def _ask(keys: _oscommit.Keys, provider: CredentialProvider) -> float:
    """Asks once, and gives what it got. Returns after how many seconds it is to be asked again; < 0: never."""
    given = provider()
    expires_s = _expiry_s(given)
    keys.give(_text(given, "access_key_id"), _text(given, "secret_access_key"), given.get("token"), expires_s)
    if expires_s == 0:
        return -1
    left_s = expires_s - time.time()
    return max(1, left_s - min(_RENEWED_BEFORE_S, left_s / 2))


def _provide(keys: _oscommit.Keys, provider: CredentialProvider) -> None:
    after_s: float = -1
    while keys.wait(after_s):
        try:
            after_s = _ask(keys, provider)
        except BaseException:
            _log.exception("The credential provider gave no credentials.")
            keys.refuse()
            after_s = -1 if after_s < 0 else _AGAIN_AFTER_S


def keys_helper(provider: CredentialProvider) -> tuple[_oscommit.Keys, Helper]:
    if not callable(provider):
        raise TypeError("A credential provider is a function without arguments.")
    keys = _oscommit.Keys()
    return keys, Helper("oscommit-credentials", lambda: _provide(keys, provider), keys.stop)
