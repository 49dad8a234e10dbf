# SPDX-License-Identifier: Apache-2.0
"""Queries and scans of a transaction."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Iterator
from typing import Any, Callable, Generic, Optional, TypeVar

from oscommit import _oscommit
from oscommit.exceptions import InvalidFieldError
from oscommit.models import M, ask, json_of

_PAGE = 100
Page = tuple[list[M], Optional[str]]
"""Rows of a query, and the token of where the next page begins; None: there is none."""
Q = TypeVar("Q", bound="Asked[Any]")


class Asked(Generic[M]):
    """What a query or a scan asks for."""

    def __init__(self, model: type[M], native: _oscommit.Query) -> None:
        self._model, self._native = model, native

    def where(self: Q, field: str = "", operation: str = "", value: Any = None, /, **equal: Any) -> Q:
        """Adds a condition on a field, which has none yet: `where("price", ">", 3)`, or `where(shop="north")`. Gives the query
        again.

        a part of the partition key   "==", and every part wants one
        a part of the sort key        "==" ">" ">=" "<" "<=" "between" "prefix"
        another field                 all but "prefix", and "!=" and "contains", if the query has allow_lazy_filter

        The value of "between" is a pair of both bounds, which are in it."""
        if field:
            self._filter(field, operation, value)
        for name, wanted in equal.items():
            self._filter(name, "==", wanted)
        return self

    def _filter(self, field: str, operation: str, value: Any) -> None:
        (name,) = self._model._named({field: None})
        ask(self._native.filter, name, operation, json_of(value, f"{self._model.__name__}.{field}"))

    def _page(self, count: int, token: str | None) -> Page[M]:
        if count < 0:
            raise InvalidFieldError(f"A fetch wants at least one row, and not {count}.")
        rows, following = ask(self._native.fetch, count, token)
        return [self._model._of(row) for row in rows], following


class Query(Asked[M]):
    """The rows of one partition, of the table or of an index, in the order of their sort key; or, of a scan, all rows."""

    def fetch(self, count: int, token: str | None = None) -> Page[M]:
        """Reads the next `count` rows, in as many requests as it takes. There are fewer at the end alone. `token` is that of the
        page before, which may be of another transaction or process; None: the beginning. The last page may be empty."""
        return self._page(count, token)

    def run(self, count: int | None = None) -> Iterator[M]:
        """The first `count` rows, or all, one after the other. They are read a hundred at a time."""
        token: str | None = None
        while count is None or count > 0:
            rows, token = self.fetch(_PAGE if count is None else min(count, _PAGE), token)
            yield from rows
            if token is None:
                return
            count = None if count is None else count - len(rows)

    def __iter__(self) -> Iterator[M]:
        return self.run()


class AsyncQuery(Asked[M]):
    """A Query of an AsyncTransaction."""

    def __init__(self, model: type[M], native: _oscommit.Query, step: Callable[..., Awaitable[Any]]) -> None:
        super().__init__(model, native)
        self._step = step

    async def fetch(self, count: int, token: str | None = None) -> Page[M]:
        """As Query.fetch."""
        page: Page[M] = await self._step(self._page, count, token)
        return page

    async def run(self, count: int | None = None) -> AsyncIterator[M]:
        """As Query.run, for `async for`."""
        token: str | None = None
        while count is None or count > 0:
            rows, token = await self.fetch(_PAGE if count is None else min(count, _PAGE), token)
            for row in rows:
                yield row
            if token is None:
                return
            count = None if count is None else count - len(rows)

    def __aiter__(self) -> AsyncIterator[M]:
        return self.run()
