# SPDX-License-Identifier: Apache-2.0
"""Transactions: what a function is given, and what becomes of it."""

from __future__ import annotations

import inspect
import logging
from collections.abc import AsyncIterable, Mapping, Sequence
from typing import Any, Callable, Generic, TypeVar, overload

from oscommit import _oscommit
from oscommit._requests import COMMITTED, CONFLICT, UNKNOWN, VERDICTS, Stream, native_body
from oscommit._types import Abandoned, Source, written_with
from oscommit.exceptions import (
    AlreadyExistsError,
    BaseError,
    ContentionError,
    InvalidFieldError,
    Unknown,
    error_of,
)
from oscommit.models import Key, M, Model, ask, native_of
from oscommit.queries import Query
from oscommit.stages import Intents

T = TypeVar("T")
_log = logging.getLogger("oscommit")


def _key_of(what: type[M] | Key[M], key: Any) -> Key[M]:
    if isinstance(what, Key):
        return what
    if isinstance(key, Key):
        return key
    if isinstance(key, Mapping):
        return what.key(**key)
    return what.key(*key) if isinstance(key, tuple) else what.key(key)


def _new_row_of(key: Any, fields: Mapping[str, Any]) -> Key[Any]:
    """A key together with the fields that a new row is to have."""
    parts = _checked(key).parts
    for name in fields:
        if name in parts:
            raise InvalidFieldError(f"{key.model.__name__}.{name} is given twice: it is a part of the key already.")
    return Key(key.model, {**parts, **fields})


def _checked(key: Any) -> Key[Any]:
    if not isinstance(key, Key):
        raise TypeError(f"A key is made by its model, as Account.key(...): {key!r} is none.")
    return key


class Changes:
    """What a transaction does that sends nothing before the commit."""

    def __init__(self, native: _oscommit.Txn, classes: dict[_oscommit.Model, type[Model]]) -> None:
        self._native, self._classes = native, classes
        self._ends: list[Callable[[str], object]] | None = []

    def _use(self, model: type[Model]) -> _oscommit.Model:
        native = native_of(model)
        self._classes[native] = model
        return native

    def _native_key(self, key: Key[Any]) -> tuple[_oscommit.Model, str]:
        return self._use(_checked(key).model), key.model._json_of(key.parts)

    def _read(self, keys: Sequence[Key[M]], create: bool, inconsistent: bool) -> list[M | None]:
        rows = ask(self._native.get, [self._native_key(key) for key in keys], create, inconsistent)
        return [None if row is None else key.model._of(row) for key, row in zip(keys, rows)]

    def _read_any(self, what: Any, key: Any, inconsistent: bool) -> Any:
        if isinstance(what, (Key, type)):
            return self._read([_key_of(what, key)], False, inconsistent)[0]
        return self._read(list(what), False, inconsistent)

    def _read_or_create(self, what: Any, fields: Mapping[str, Any]) -> Any:
        keys = [what] if isinstance(what, (Key, type)) else list(what)
        rows = self._read([_new_row_of(key, fields) for key in keys], True, False)
        return rows[0] if isinstance(what, Key) else rows

    def create(self, model: type[M], /, **fields: Any) -> M:
        """Makes a new row, which must not be there at the commit: else AlreadyExistsError. Sends nothing."""
        row = ask(self._native.create, self._use(model), model._json_of(fields))
        return model._of(row)

    def create_or_put(
        self, model: type[Model], /, fields: Mapping[str, Any], expected: Mapping[str, Any] | None = None
    ) -> None:
        """Writes a row whatever is there: the key and all fields that it is to have. With `expected` only if there is no row,
        or one with these values. Sends nothing."""
        wanted = None if expected is None else model._json_of(expected)
        ask(self._native.put, self._use(model), model._json_of(fields), wanted)

    def update(self, model: type[Model], /, original: Mapping[str, Any], updated: Mapping[str, Any]) -> None:
        """Changes a row that is not read before. `original` has its key, and the values that it must have; `updated` the new
        ones (None removes an optional field). Sends nothing."""
        ask(self._native.update, self._use(model), model._json_of(original), model._json_of(updated))

    def delete(self, /, *what: Model | Key[Any]) -> None:
        """Deletes rows that were read, which must still be there at the commit; or what has these keys, if anything has. Sends
        nothing."""
        for one in what:
            if isinstance(one, Model):
                ask(self._native.delete, one._row)
            elif one is None:
                raise TypeError("There is no row to delete: it is None, as what `get` does not find.")
            else:
                ask(self._native.delete_key, *self._native_key(one))

    def make_read_only(self) -> None:
        """From here on this run only reads, as with the option `read_only`. InvalidFieldError: something is to be written
        already."""
        ask(self._native.make_read_only)

    def cache_rows(self) -> None:
        """From here on a row that is read again is the one that was read before, as with the option `cache_rows`."""
        ask(self._native.cache_rows)

    def on_end(self, function: Callable[[str], object], /) -> None:
        """Asks for `function` to be called when the transaction is over, with its verdict: "committed", "conflict", "not
        executed" or "unknown". Once, and not if this run is followed by another. It may run transactions of its own. What it
        raises is logged, and changes no verdict. Of a coroutine's transaction it is called in the loop, or on another thread if
        nobody awaits the transaction any more. Sends nothing."""
        if self._ends is None:
            raise RuntimeError("The transaction has ended: nothing can be asked for its end.")
        if not callable(function) or inspect.iscoroutinefunction(function):
            raise TypeError("What is called at the end of a transaction is a function of its verdict, and no coroutine.")
        self._ends.append(function)

    def _query(
        self, model: type[Model], index: str | None, descending: bool, allow_lazy_filter: bool, inconsistent: bool
    ) -> _oscommit.Query:
        return ask(self._native.query, self._use(model), index, inconsistent, descending, allow_lazy_filter)

    def _scan(
        self, model: type[Model], index: str | None, shard_index: int, shard_count: int, inconsistent: bool
    ) -> _oscommit.Query:
        return ask(self._native.scan, self._use(model), index, inconsistent, shard_index, shard_count)

    def _stage(
        self,
        intents: Intents,
        body: Source,
        prefix: str,
        suffix: str,
        attributes: Mapping[str, str] | None,
        tags: Mapping[str, str] | None,
    ) -> str:
        if not isinstance(intents, Intents):
            raise TypeError("An object is staged with oscommit.Intents.")
        if isinstance(body, AsyncIterable) and not hasattr(body, "read"):
            raise TypeError("What is staged is bytes, a pathlib.Path, a binary file or an iterable, not an asynchronous one.")
        source = native_body(body)
        given = Stream(body).next if source is None else source
        return ask(self._native.stage, intents._model(), given, prefix, suffix, written_with(attributes, tags, 0, {}))


class Transaction(Changes):
    """One run of a transaction's function. Only the thread that runs it uses it, and only until the function returns."""

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
        return self._read_any(what, key, inconsistent)

    @overload
    def get_or_create(self, what: Key[M], /, **fields: Any) -> M: ...
    @overload
    def get_or_create(self, what: Sequence[Key[M]], /, **fields: Any) -> list[M]: ...

    def get_or_create(self, what: Any, /, **fields: Any) -> Any:
        """Reads a row, or makes it of its key and these fields. `is_new` of it says which. Of several keys as `get`."""
        return self._read_or_create(what, fields)

    def query(
        self,
        model: type[M],
        *,
        index: str | None = None,
        descending: bool = False,
        allow_lazy_filter: bool = False,
        inconsistent: bool = False,
    ) -> Query[M]:
        """The rows of one partition, in the order of their sort key. Sends nothing: that do `fetch` and `for row in ...`.

            for order in tx.query(Order, descending=True).where(shop="north").where("number", ">", 5): ...

        index               of an index; what that gives may be older than the last write
        descending          turns the order
        allow_lazy_filter   allows conditions on fields that are not of the key: all rows of the partition are read for them
        inconsistent        what the table gives may be older than the last write, too; costs half

        A row takes part in the commit if a field of it was read or set. That there is no other one is no condition."""
        return Query(model, self._query(model, index, descending, allow_lazy_filter, inconsistent))

    def scan(
        self,
        model: type[M],
        *,
        index: str | None = None,
        shard_index: int = 0,
        shard_count: int = 0,
        inconsistent: bool = False,
    ) -> Query[M]:
        """All rows, or those of one shard: 0 to shard_count - 1. No shard has a row of another, and together they are the table.
        The rest is as of `query`."""
        return Query(model, self._scan(model, index, shard_index, shard_count, inconsistent))

    def stage(
        self,
        intents: Intents,
        body: Source,
        *,
        prefix: str = "",
        suffix: str = "",
        attributes: Mapping[str, str] | None = None,
        tags: Mapping[str, str] | None = None,
    ) -> str:
        """Puts an object under a new key, which it returns: `prefix`, 32 hex digits, and `suffix`. Write the key into a row. If the
        transaction does not commit, the object is removed, at once or by `Client.gc_staged`. It takes three requests, and one
        of the 100 rows of a transaction. The rest is as of Store.put.

        body   bytes, a pathlib.Path, a binary file, or an iterable of bytes. A file or an iterable is used up: open it in the
               function, which may run again. It is read on this thread, and must not use the transaction"""
        return self._stage(intents, body, prefix, suffix, attributes, tags)


class Run(Generic[T]):
    """A function and what it gave when it ran last. The library calls it, and `finalize`, on the thread of the call."""

    value: T

    def __init__(self, function: Callable[..., Any]) -> None:
        refuse_generator(function)
        self.check(function)
        self.function = function
        self.classes: dict[_oscommit.Model, type[Model]] = {}
        self.error: BaseException | None = None
        self._begun: Changes | None = None
        self._ends: list[Callable[[str], object]] = []
        self.outcome_is_lost = False
        self.outcome: tuple[int, _oscommit.Error | None, int, int, str | None] | None = None

    @staticmethod
    def check(function: Callable[..., Any]) -> None:
        if inspect.iscoroutinefunction(function):
            raise TypeError("The function of a transaction that blocks cannot be a coroutine: use transact_async.")

    def __call__(self, native: _oscommit.Txn) -> bool:
        """False: run it again."""
        return self._answer(self._run, native)

    def finalize(self, row: _oscommit.Row) -> bool:
        """The same of a row that is written."""
        model = self.classes.get(row.model())
        if model is None or model.finalize is Model.finalize:
            return True
        return self._answer(self._finalize, model._of(row))

    def _answer(self, call: Callable[[Any], None], of: Any) -> bool:
        self.error = None
        try:
            call(of)
        except Exception as error:
            if not getattr(error, "retryable", False):
                raise
            self.error = error
            return False
        return True

    def _begin(self, tx: Changes) -> None:
        """A run; what the one before has asked for is off."""
        if self._begun is not None:
            self._begun._ends = None
        self._begun = tx

    def _verdict(self) -> str:
        if self.outcome is not None:
            return VERDICTS.get(self.outcome[0], "committed")
        # What was raised ended the run before its commit.
        return "unknown" if self.outcome_is_lost else "not executed"

    def end(self) -> BaseException | None:
        """Calls what was asked for, once. What it raises is logged; the first that is to end the program is returned. Of one that
        was interrupted the rest is called by the next."""
        tx, self._begun = self._begun, None
        if tx is not None:
            self._ends, tx._ends = tx._ends or [], None
        verdict = self._verdict()
        first: BaseException | None = None
        while self._ends:
            function = self._ends.pop(0)
            try:
                function(verdict)
            except BaseException as error:
                _log.exception("%r, which was to be called at the end of a transaction, has failed.", function)
                if first is None and isinstance(error, (KeyboardInterrupt, SystemExit)):
                    first = error
        try:
            return first
        finally:
            del first

    def _run(self, native: _oscommit.Txn) -> None:
        self.tx = Transaction(native, self.classes)
        self._begin(self.tx)
        self.value = _refuse_coroutine(self.function(self.tx))

    def _finalize(self, row: Model) -> None:
        _refuse_coroutine(row.finalize(self.tx))

    def lost(self) -> list[Abandoned]:
        self.end()
        if self.outcome is None or self.outcome[0] not in (COMMITTED, UNKNOWN):
            return []
        verdict, failure, _, _, ticket = self.outcome
        error = None if failure is None else _error_of(verdict, failure, ticket)
        return [Abandoned("", "committed" if error is None else "unknown", ticket, None, error)]

    def finish(self) -> T:
        assert self.outcome is not None
        verdict, failure, _, _, ticket = self.outcome
        cause, self.error = self.error, None
        try:
            finish((verdict, failure), ticket, cause)
        finally:
            del cause
        return self.value


def refuse_generator(function: Callable[..., Any]) -> None:
    """A call of one runs nothing of it, so it would commit nothing, and say that it did."""
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError("The function of a transaction cannot be a generator: return a list, and leave out yield.")


def _refuse_coroutine(value: Any) -> Any:
    if inspect.iscoroutine(value):
        value.close()
        raise TypeError("The function of a transaction that blocks gave a coroutine, which nobody would run.")
    return value


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
