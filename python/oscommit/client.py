# SPDX-License-Identifier: Apache-2.0
"""A client of tables: transactions over typed rows, and versioned documents."""

from __future__ import annotations

import functools
import logging
from typing import TYPE_CHECKING, Any, Callable, TypeVar

from oscommit._opened import Opened, deadline_ms_of
from oscommit._types import CredentialProvider
from oscommit.documents import Documents
from oscommit.models import Model
from oscommit.transactions import Run, Transaction, finish

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    P = ParamSpec("P")

T = TypeVar("T")


def _milliseconds(seconds: float | None) -> int:
    """0 is the library's default."""
    return 0 if seconds is None else max(1, round(seconds * 1000))


class Client(Opened):
    """Tables of DynamoDB, or of a SQLite file, opened. Any number of threads may use one. Close it, or use it in `with`."""

    @classmethod
    def from_url(
        cls,
        ledger: str,
        *,
        environment: bool = False,
        logger: logging.Logger | None = None,
        credential_provider: CredentialProvider | None = None,
        **options: Any,
    ) -> Client:
        """Opens "dynamodb://TABLE" or "sqlite:///FILE". Models name tables of their own; TABLE is that of the documents, unless
        `documents` names another. The rest is as of Store.from_url."""
        return cls._open({"ledger_url": ledger, **options}, environment, logger, credential_provider)

    def close(self) -> None:
        """Cancels what is under way, and waits for it. A transaction that may have been applied is then `Unknown`, for whoever
        waits for it. Not from within a transaction."""
        if self._client.has_thread():
            raise RuntimeError("The function of a transaction cannot close its client.")
        super().close()

    def table(self, model: type[Model], *, create: bool = False, deadline_s: float | None = None) -> None:
        """Checks that the table of a model is fit, or makes it and waits until it can be used. NotFoundError: there is none.
        GenericError says what is wrong with it."""
        self._native(self._client.model_table, deadline_ms_of(deadline_s), model._model(), create)

    def transact(
        self,
        function: Callable[[Transaction], T],
        *,
        retries: int = 3,
        initial_backoff_s: float | None = None,
        max_backoff_s: float | None = None,
        read_only: bool = False,
        cache_rows: bool = False,
        deadline_s: float | None = None,
    ) -> T:
        """Runs a transaction: all that the function reads and writes happens at one instant, or nothing does. It may run
        several times; what its last run returns is returned.

        retries             runs after the first, where another was faster
        initial_backoff_s   before the second run; doubles, and is random by a fifth [0.5]
        max_backoff_s       [10]
        read_only           a write is refused
        cache_rows          a row that is read again is the one that was read before; else that is refused
        deadline_s          of all runs together [120]

        What the function raises ends the transaction, applies nothing, and comes out here. If the exception has an attribute
        `retryable` that is true, the function runs again.

        ContentionError: others were faster in every run. AlreadyExistsError: a row that was to be created is there.
        InvalidFieldError: a field or its value cannot be. Unknown: it may have been applied."""
        run = Run(function)
        pauses = _milliseconds(initial_backoff_s), _milliseconds(max_backoff_s)
        options = retries == 0, retries, *pauses, read_only, cache_rows
        try:
            self._native(self._client.transact, deadline_ms_of(deadline_s), run, *options)
        except BaseException as why:
            run.interrupted(why)
            raise
        return run.finish()

    def transaction(self, **options: Any) -> Callable[[Callable[Concatenate[Transaction, P], T]], Callable[P, T]]:
        """Makes a function one that runs as a transaction; its first argument is the Transaction. Options as of `transact`.

        @client.transaction(retries=4)
        def move(tx, source, target, amount): ...

        move("a", "b", 5)"""

        def decorate(function: Callable[Concatenate[Transaction, P], T]) -> Callable[P, T]:
            Run(function)  # refuses what cannot be one

            @functools.wraps(function)
            def run(*arguments: P.args, **named: P.kwargs) -> T:
                return self.transact(lambda tx: function(tx, *arguments, **named), **options)

            return run

        return decorate

    def resolve(self, ticket: str, *, deadline_s: float | None = None) -> None:
        """Asks what became of a transaction that was `Unknown`, and ends what may be applied yet. Returns if it was applied.
        ContentionError: it was not, and never will be. Unknown: it may be yet, or others have hidden it."""
        finish(self._native(self._client.txn_resolve, deadline_ms_of(deadline_s), ticket), ticket)

    def documents(
        self,
        table: str | None = None,
        *,
        combined: bool = False,
        fields_spelling: bool = False,
        max_read_batch: int = 100,
        parallelism: int = 1,
        keeps_all: bool = False,
    ) -> Documents:
        """The documents of a table. Sends nothing.

        table            [that of the client's URL; of a SQLite file "documents"]
        combined         both models of a document in one item, with one version; else each in one of its own
        fields_spelling  the attributes are spelled Version, TimeStamp ... and not version, timestamp ...
        max_read_batch   keys of one request, at most 100
        parallelism      requests that are under way at once, at most 100
        keeps_all        you promise that no document is ever deleted: then fewer writes end unknown"""
        store = table, combined, fields_spelling, max_read_batch, parallelism, keeps_all
        return Documents(self._client, store)
