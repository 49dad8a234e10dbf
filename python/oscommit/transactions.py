# SPDX-License-Identifier: Apache-2.0
"""Transactions: what a function is given, and what becomes of it."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, Callable, Generic, TypeVar, overload

from oscommit import _oscommit
from oscommit._flight import leave
from oscommit._requests import COMMITTED, CONFLICT, UNKNOWN, VERDICTS
from oscommit._types import Abandoned
from oscommit.exceptions import (
    AlreadyExistsError,
    BaseError,
    ContentionError,
    InvalidFieldError,
    Unknown,
    error_of,
)
from oscommit.models import Key, M, Model, ask, json_of

T = TypeVar("T")


def _key_of(what: type[M] | Key[M], key: Any) -> Key[M]:
    if isinstance(what, Key):
        return what
    if isinstance(key, Key):
        return key
    if isinstance(key, Mapping):
        return what.key(**key)
    return what.key(*key) if isinstance(key, tuple) else what.key(key)


def _native_key(key: Key[Any]) -> tuple[_oscommit.Model, str]:
    return key.model._model(), json_of(key.model._named(key.parts))


class Transaction:
    """One run of a transaction's function. Only the thread that runs it uses it, and only until the function returns."""

    def __init__(self, native: _oscommit.Txn) -> None:
        self._native = native

    def _get(self, keys: Sequence[Key[M]], create: bool, inconsistent: bool) -> list[M | None]:
        rows = ask(self._native.get, [_native_key(key) for key in keys], create, inconsistent)
        return [None if row is None else key.model._of(row) for key, row in zip(keys, rows)]

    @overload
    def get(self, what: type[M], key: Any, /, *, inconsistent: bool = False) -> M | None: ...
    @overload
    def get(self, what: Key[M], /, *, inconsistent: bool = False) -> M | None: ...
    @overload
    def get(self, what: Sequence[Key[M]], /, *, inconsistent: bool = False) -> list[M | None]: ...

    def get(self, what: Any, key: Any = None, /, *, inconsistent: bool = False) -> Any:
        """Reads a row, or up to 100 as they are at one instant. One request. None where there is none, which must still be so
        at the commit.

            tx.get(Account, "a")
            tx.get(Order, ("north", 7))
            tx.get([Account.key("a"), Account.key("b")])

        inconsistent   may be older than the last write, and several rows of different instants"""
        if isinstance(what, (Key, type)):
            return self._get([_key_of(what, key)], False, inconsistent)[0]
        return self._get(list(what), False, inconsistent)

    def get_or_create(self, key: Key[M], /, **fields: Any) -> M:
        """Reads a row, or makes it of its key and these fields. `is_new` of it says which."""
        row = self._get([Key(key.model, {**key.parts, **fields})], True, False)[0]
        assert row is not None
        return row

    def create(self, model: type[M], /, **fields: Any) -> M:
        """Makes a new row, which must not be there at the commit: else AlreadyExistsError. Sends nothing."""
        return model._of(ask(self._native.create, model._model(), json_of(model._named(fields))))

    def create_or_put(
        self, model: type[Model], /, fields: Mapping[str, Any], expected: Mapping[str, Any] | None = None
    ) -> None:
        """Writes a row whatever is there: the key and all fields that it is to have. With `expected` only if there is no row,
        or one with these values. Sends nothing."""
        wanted = None if expected is None else json_of(model._named(expected))
        ask(self._native.put, model._model(), json_of(model._named(fields)), wanted)

    def update(self, model: type[Model], /, original: Mapping[str, Any], updated: Mapping[str, Any]) -> None:
        """Changes a row that is not read before. `original` has its key, and the values that it must have; `updated` the new
        ones (None removes an optional field). Sends nothing."""
        ask(self._native.update, model._model(), json_of(model._named(original)), json_of(model._named(updated)))

    def delete(self, what: Model | Key[Any], /) -> None:
        """Deletes a row that was read, which must still be there at the commit; or what has this key, if anything has. Sends
        nothing."""
        if isinstance(what, Key):
            ask(self._native.delete_key, *_native_key(what))
        else:
            ask(self._native.delete, what._row)


class Run(Generic[T]):
    """A function and what it gave when it ran last."""

    value: T

    def __init__(self, function: Callable[[Transaction], T]) -> None:
        if inspect.iscoroutinefunction(function):
            raise TypeError("The function of a transaction cannot be a coroutine: it runs while the call blocks.")
        self.function = function
        self.error: BaseException | None = None
        self.outcome: tuple[int, _oscommit.Error | None, int, int, str | None] | None = None

    def __call__(self, native: _oscommit.Txn) -> bool:
        """False: run it again."""
        self.error = None
        try:
            self.value = self.function(Transaction(native))
        except Exception as error:
            if not getattr(error, "retryable", False):
                raise
            self.error = error
            return False
        if inspect.iscoroutine(self.value):
            self.value.close()
            raise TypeError("The function of a transaction gave a coroutine, which nobody would run.")
        return True

    def interrupted(self, why: BaseException) -> None:
        """`why` is raised in place of the outcome, of which nothing may get lost."""
        if self.outcome is None or self.outcome[0] not in (COMMITTED, UNKNOWN):
            return
        verdict, failure, _, _, ticket = self.outcome
        error = None if failure is None else _error_of(verdict, failure, ticket)
        leave(why, Abandoned("", "committed" if error is None else "unknown", ticket, None, error), "transaction")

    def finish(self) -> T:
        assert self.outcome is not None
        verdict, failure, _, _, ticket = self.outcome
        cause, self.error = self.error, None
        try:
            finish((verdict, failure), ticket, cause)
        finally:
            del cause
        return self.value


def finish(outcome: tuple[int, _oscommit.Error | None], ticket: str | None, cause: BaseException | None = None) -> None:
    """Raises what came of it, unless it was applied."""
    verdict, failure = outcome
    if verdict != COMMITTED:
        assert failure is not None
        raise _error_of(verdict, failure, ticket) from cause


def _error_of(verdict: int, failure: _oscommit.Error, ticket: str | None) -> BaseError:
    if verdict == UNKNOWN:
        unknown = error_of(failure, Unknown)
        assert isinstance(unknown, Unknown)
        unknown.ticket = ticket
        return unknown
    kinds: dict[str, type[BaseError]] = {"OS_ERR_ARGUMENT": InvalidFieldError, "OS_ERR_CONFLICT": ContentionError}
    if verdict == CONFLICT:
        kinds["OS_ERR_BUSY"] = AlreadyExistsError
    return error_of(failure, kinds.get(failure[0]), VERDICTS[verdict])
