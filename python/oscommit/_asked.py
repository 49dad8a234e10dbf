# SPDX-License-Identifier: Apache-2.0
"""Calls on leases, locks and their tables, as requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, TypeVar

from oscommit import _oscommit
from oscommit._flight import Request, run, run_async
from oscommit._opened import Opened, deadline_ms_of
from oscommit._requests import Start
from oscommit.exceptions import BaseError, error_of

if TYPE_CHECKING:
    from oscommit._types import Abandoned

T = TypeVar("T")
Table = TypeVar("Table", bound="Tables")


class Asked(Request[T]):
    """A call on a lease, a lock or their table: `give` makes its value of the operation. Nothing is told of one that nobody
    waits for any more, but a lease in it is released."""

    def __init__(
        self, start: Start, give: Callable[[_oscommit.Operation], T], conflict: type[BaseError] | None = None
    ) -> None:
        super().__init__(start)
        self.give, self.conflict = give, conflict

    def abandoned(self, operation: _oscommit.Operation) -> Abandoned | None:
        operation.let_go()
        return None

    def _finish(self, outcome: _oscommit.Outcome, operation: _oscommit.Operation) -> T:
        failure = outcome[1]
        if failure is None:
            return self.give(operation)
        if failure[0] == "OS_ERR_STOPPED":
            raise MemoryError("There is no memory for what was listed.")
        raise error_of(failure, self.conflict if failure[0] == "OS_ERR_CONFLICT" else None)


def nothing(_: _oscommit.Operation) -> None:
    return None


class Tables(Opened):
    """A table of leases or of locks."""

    _locks: bool

    def _table(self, create: bool, deadline_s: float | None) -> Asked[None]:
        def start(port: _oscommit.Port | None) -> _oscommit.Operation:
            return self._client.table_of(port, deadline_ms_of(deadline_s), self._locks, create)

        return Asked(start, nothing)

    def table(self, *, create: bool = False, deadline_s: float | None = None) -> None:
        """Checks that the table is fit, or makes it and waits until it can be used. NotFoundError: there is none. GenericError
        says what is wrong with it."""
        run(self._table(create, deadline_s))

    async def table_async(self, *, create: bool = False, deadline_s: float | None = None) -> None:
        """`table` without blocking."""
        await run_async(self._table(create, deadline_s))

    def _with_table(self: Table, create: bool) -> Table:
        try:
            if create:
                self.table(create=True)
        except BaseException:
            self.close()
            raise
        return self
