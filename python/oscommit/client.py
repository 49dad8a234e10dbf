# SPDX-License-Identifier: Apache-2.0
"""A client of tables: transactions over typed rows, and versioned documents."""

from __future__ import annotations

import functools
import inspect
import logging
import os
from collections.abc import Awaitable, Coroutine
from typing import TYPE_CHECKING, Any, Callable, TypedDict, TypeVar, cast, overload

from oscommit._abandons import Abandons, log_abandoned
from oscommit._threads import Call, Flight, transactions_of
from oscommit._types import Abandoned, CredentialProvider
from oscommit.async_transactions import AsyncRun, AsyncTransaction
from oscommit.documents import Documents
from oscommit.models import Model, native_of
from oscommit.stages import Intents, Sweep, sweep_of
from oscommit.store import url_of
from oscommit.transactions import Run, Transaction, finish, refuse_generator

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec, Protocol, Unpack

    P = ParamSpec("P")
    T = TypeVar("T")

    class _Decorator(Protocol):
        @overload
        def __call__(
            self, function: Callable[Concatenate[AsyncTransaction, P], Coroutine[Any, Any, T]], /
        ) -> Callable[P, Coroutine[Any, Any, T]]: ...
        @overload
        def __call__(self, function: Callable[Concatenate[Transaction, P], T], /) -> Callable[P, T]: ...
else:
    T = TypeVar("T")


def _milliseconds(seconds: float | None) -> int:
    """0 is the library's default."""
    if seconds is not None and seconds < 0:
        raise ValueError(f"A pause of {seconds} seconds cannot be.")
    return 0 if seconds is None else max(1, round(seconds * 1000))


class TransactOptions(TypedDict, total=False):
    """How a transaction is run; brackets name the defaults."""

    retries: int
    """Runs after the first, where another was faster [3]."""
    initial_backoff_s: float | None
    """Before the second run; doubles, and is random by a fifth [0.5]."""
    max_backoff_s: float | None
    """[10]"""
    read_only: bool
    """A write is refused [False]."""
    cache_rows: bool
    """A row that is read again is the one that was read before; else that is refused [False]."""
    deadline_s: float | None
    """Of all runs together [120]."""


class SweepOptions(TypedDict, total=False):
    """What a gc looks at; brackets name the defaults."""

    prefix: str | None
    """Only keys that start with it [all of the store]."""
    older_than_s: int
    """Only what was staged longer ago than this [86,400]: longer than any transaction may take, and by more than a quarter of an
    hour."""
    of_any_age: bool
    """Of any age. Only while nobody stages [False]."""
    remove: bool
    """Removes what is found, and does not only tell [False]."""
    deadline_s: float | None
    """[120]"""


class Client(Abandons):
    """Tables of DynamoDB, or of a SQLite file, opened. Any number of threads may use one. Close it, or use it in `with`."""

    @classmethod
    def from_url(
        cls,
        ledger: str | None = None,
        *,
        store: str | os.PathLike[str] | None = None,
        environment: bool = False,
        on_abandoned: Callable[[Abandoned], None] | None = None,
        logger: logging.Logger | None = None,
        credential_provider: CredentialProvider | None = None,
        **options: Any,
    ) -> Client:
        """Opens "dynamodb://TABLE" or "sqlite:///FILE". Models name tables of their own; TABLE is that of the documents, unless
        `documents` names another.

        store   where `stage` of a transaction puts objects, as of Store.from_url. The tables of a store of files are in it,
                if no ledger is named

        The rest is as of Store.from_url."""
        url = None if store is None else url_of(store)
        client = cls._open(
            {"store_url": url, "ledger_url": ledger, **options}, environment, logger, credential_provider
        )
        client._flights = set()
        client.on_abandoned = on_abandoned or log_abandoned
        return client

    _flights: set[Flight[Any]]

    def close(self) -> None:
        """Cancels what is under way, and waits for it. A transaction that may have been applied is then `Unknown`, for whoever
        waits for it. Not from within a transaction that blocks."""
        if self._client.has_thread():
            raise RuntimeError("The function of a transaction cannot close its client.")
        super().close()

    def _close_native(self) -> None:
        """A function that a loop runs would keep it waiting: the loop may have stopped, or be that of the caller."""
        for flight in list(self._flights):
            flight.give_up()
        self._client.close()
        for flight in list(self._flights):
            flight.end()

    def _table(self, model: type[Model] | Intents, create: bool, deadline_s: float | None) -> Call[None]:
        return Call(
            self, self._client.model_table, native_of(model), create, deadline_s=deadline_s, give=lambda nothing: None
        )

    def table(self, model: type[Model] | Intents, *, create: bool = False, deadline_s: float | None = None) -> None:
        """Checks that the table of a model is fit, or makes it and waits until it can be used. NotFoundError: there is none.
        GenericError says what is wrong with it."""
        self._table(model, create, deadline_s).run()

    async def table_async(
        self, model: type[Model] | Intents, *, create: bool = False, deadline_s: float | None = None
    ) -> None:
        """`table` without blocking."""
        await self._table(model, create, deadline_s).run_async()

    def _transact(
        self,
        run: Run[T],
        *,
        retries: int = 3,
        initial_backoff_s: float | None = None,
        max_backoff_s: float | None = None,
        read_only: bool = False,
        cache_rows: bool = False,
        deadline_s: float | None = None,
    ) -> Call[T]:
        if retries < 0:
            raise ValueError(f"retries cannot be {retries}: it is 0 or more, and deadline_s ends what takes too long.")
        pauses = _milliseconds(initial_backoff_s), _milliseconds(max_backoff_s)
        options = retries == 0, retries, *pauses, read_only, cache_rows
        return Call(
            self,
            self._client.transact,
            run,
            *options,
            deadline_s=deadline_s,
            give=lambda outcome: run.finish(),
            lost=run.lost,
            end=run.end,
        )

    def transact(self, function: Callable[[Transaction], T], **options: Unpack[TransactOptions]) -> T:
        """Runs a transaction: all that the function reads and writes happens at one instant, or nothing does. It may run
        several times; what its last run returns is returned.

        retries             runs after the first, where another was faster [3]
        initial_backoff_s   before the second run; doubles, and is random by a fifth [0.5]
        max_backoff_s       [10]
        read_only           a write is refused [False]
        cache_rows          a row that is read again is the one that was read before; else that is refused [False]
        deadline_s          of all runs together [120]

        What the function raises ends the transaction, applies nothing, and comes out here. If the exception has an attribute
        `retryable` that is true, the function runs again.

        ContentionError: others were faster in every run. AlreadyExistsError: a row that was to be created is there.
        InvalidFieldError: a field or its value cannot be. Unknown: it may have been applied."""
        return self._transact(Run(function), **options).run()

    async def transact_async(
        self, function: Callable[[AsyncTransaction], Awaitable[T]], **options: Unpack[TransactOptions]
    ) -> T:
        """`transact` without blocking. The function is a coroutine, which runs in this task; what asks the table is awaited there.
        A transaction has a thread of its own while it lasts. More than 64 in a loop wait for their turn, but for those that the
        function of another begins.

        A task that is cancelled ends when the transaction has ended. If that was, or may have been, applied, `on_abandoned` is
        told, and `oscommit.abandoned` of the exception says so."""
        run: AsyncRun[T] = AsyncRun(function)
        run.flight = Flight(self._transact(run, **options), run.give_up)
        return await run.flight.fly(transactions_of(run.flight.loop))

    def transaction(self, misplaced: None = None, /, **options: Unpack[TransactOptions]) -> _Decorator:
        """Makes a function one that runs as a transaction; its first argument is the Transaction. A coroutine becomes one that
        is awaited, and has an AsyncTransaction. Options as of `transact`.

        @client.transaction(retries=4)
        def move(tx, source, target, amount): ...

        move("a", "b", 5)"""

        if misplaced is not None:
            raise TypeError("Write @client.transaction() with its parentheses, or client.transact(function).")

        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            refuse_generator(function)
            if inspect.iscoroutinefunction(function):

                @functools.wraps(function)
                async def run_async(*arguments: Any, **named: Any) -> Any:
                    return await self.transact_async(lambda tx: function(tx, *arguments, **named), **options)

                return run_async

            @functools.wraps(function)
            def run(*arguments: Any, **named: Any) -> Any:
                return self.transact(lambda tx: function(tx, *arguments, **named), **options)

            return run

        return cast("_Decorator", decorate)

    def _resolve(self, ticket: str, deadline_s: float | None) -> Call[None]:
        return Call(
            self,
            self._client.txn_resolve,
            ticket,
            deadline_s=deadline_s,
            give=lambda outcome: finish(outcome, ticket),
        )

    def resolve(self, ticket: str, *, deadline_s: float | None = None) -> None:
        """Asks what became of a transaction that was `Unknown`, and ends what may be applied yet. Returns if it was applied.
        ContentionError: it was not, and never will be. Unknown: it may be yet, or others have hidden it."""
        self._resolve(ticket, deadline_s).run()

    async def resolve_async(self, ticket: str, *, deadline_s: float | None = None) -> None:
        """`resolve` without blocking."""
        await self._resolve(ticket, deadline_s).run_async()

    def _gc_staged(
        self,
        intents: Intents,
        *,
        prefix: str | None = None,
        older_than_s: int = 0,
        of_any_age: bool = False,
        remove: bool = False,
        deadline_s: float | None = None,
    ) -> Call[Sweep]:
        which = prefix, older_than_s, of_any_age, remove
        return Call(self, self._client.txn_gc, native_of(intents), *which, deadline_s=deadline_s, give=sweep_of)

    def gc_staged(self, intents: Intents, **options: Unpack[SweepOptions]) -> Sweep:
        """Removes objects that were staged, and whose transactions ended without a commit, were killed, or are still unknown:
        those never commit afterwards. Several at once are fine. docs/catalog.md has the rules."""
        return self._gc_staged(intents, **options).run()

    async def gc_staged_async(self, intents: Intents, **options: Unpack[SweepOptions]) -> Sweep:
        """`gc_staged` without blocking."""
        return await self._gc_staged(intents, **options).run_async()

    def documents(
        self,
        table: str | None = None,
        *,
        combined: bool = False,
        fields_spelling: bool = False,
        max_read_batch: int = 100,
        parallelism: int = 1,
        keeps_all: bool = False,
        together: bool = False,
    ) -> Documents:
        """The documents of a table. Sends nothing.

        table            [that of the client's URL; of a SQLite file "documents"]
        combined         both models of a document in one item, with one version; else each in one of its own
        fields_spelling  the attributes are spelled Version, TimeStamp ... and not version, timestamp ...
        max_read_batch   keys of one request, at most 100
        parallelism      requests that are under way at once, at most 100
        keeps_all        you promise that no document is ever deleted: then fewer writes end unknown
        together         one model that is written or deleted alone goes as a transaction, for twice the price, where the
                         service is known to remember transactions (AWS does): then fewer end unknown"""
        store = table, combined, fields_spelling, max_read_batch, parallelism, keeps_all, together
        return Documents(self, store)
