# SPDX-License-Identifier: Apache-2.0
"""Versioned documents: what a device reports, and what is desired of it. Each write states the version that it replaces."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, TypeVar, Union

from oscommit import _oscommit
from oscommit._requests import COMMITTED, CONFLICT, UNKNOWN, VERDICTS
from oscommit._threads import Call
from oscommit._types import Abandoned
from oscommit.exceptions import BaseError, PreconditionError, Unknown, error_of
from oscommit.models import json_of

if TYPE_CHECKING:
    from oscommit.client import Client

T = TypeVar("T")
Store = tuple[Union[str, None], bool, bool, int, int, bool, bool]
_KINDS = {1: "reported", 2: "desired", 3: "combined"}
_MAY_BE = (COMMITTED, UNKNOWN)


@dataclass(frozen=True)
class DocumentVersions:
    """The versions of both models; 0: there is none."""

    reported_version: int = 0
    desired_version: int = 0


@dataclass(frozen=True)
class DocumentModel:
    """One model of a document."""

    version: int
    """0: there is none."""
    timestamp_ns: int
    """Since 1970, UTC, by the clock of who wrote it."""
    client_token: str | None
    """Who wrote it, as `write` was told, and what tells that write from others."""
    value: dict[str, Any] | None


@dataclass(frozen=True)
class Document:
    """A document as it was found."""

    id: str
    name: str
    reported: DocumentModel
    desired: DocumentModel

    @property
    def reported_version(self) -> int:
        return self.reported.version

    @property
    def desired_version(self) -> int:
        return self.desired.version

    @property
    def exists(self) -> bool:
        return self.reported.version > 0 or self.desired.version > 0


@dataclass(frozen=True)
class DocumentEntry:
    """An item of a list."""

    id: str
    name: str
    kind: str
    """ "reported", "desired" or "combined"."""
    version: int
    timestamp_ns: int
    client_token: str | None


@dataclass(frozen=True)
class DocumentWrite:
    """What one document is to be. A model that is None is not written; `after` has the versions that were seen: a Document, or
    what another write returned. None: there is no such document."""

    id: str
    name: str
    reported: Mapping[str, Any] | None = None
    desired: Mapping[str, Any] | None = None
    after: Document | DocumentVersions | None = None
    client_token: str | None = None


Found = list[Document]
Written = list[Union[DocumentVersions, BaseError]]
Listed = list[DocumentEntry]
Results = list["_oscommit.DocumentResult"]
Lost = list[Abandoned]


def _model_of(native: _oscommit.DocumentModel) -> DocumentModel:
    version, timestamp_ns, client_token, text = native
    return DocumentModel(version, timestamp_ns, client_token, None if text is None else json.loads(text))


def _text_of(value: Mapping[str, Any] | None, of: str) -> str | None:
    return None if value is None else json_of(value, of)


def _seen(after: Document | DocumentVersions | None) -> DocumentVersions | Document:
    if after is not None and not isinstance(after, (Document, DocumentVersions)):
        raise TypeError(f"`after` is a Document that was read, or what a write has returned: {after!r} is neither.")
    return after or DocumentVersions()


def _key_of(key: tuple[str, str]) -> tuple[str, str]:
    if not isinstance(key, tuple) or len(key) != 2:
        raise TypeError(f'A document is found by its id and its name, as docs["device-7", "pump"]: {key!r} is not both.')
    return key


def _error_of(native: _oscommit.DocumentResult) -> BaseError:
    verdict, failure, reported_version, desired_version, ticket = native
    assert failure is not None
    if verdict == UNKNOWN:
        unknown = error_of(failure, Unknown)
        assert isinstance(unknown, Unknown)
        unknown.ticket = ticket
        return unknown
    error = error_of(failure, PreconditionError if verdict == CONFLICT else None, VERDICTS[verdict])
    if isinstance(error, PreconditionError):
        error.versions = DocumentVersions(reported_version, desired_version)
    return error


def _written(write: DocumentWrite, native: _oscommit.DocumentResult) -> DocumentVersions | BaseError:
    """A model that was not written keeps the version that was seen."""
    if native[0] != COMMITTED:
        return _error_of(native)
    seen = write.after or DocumentVersions()
    return DocumentVersions(
        seen.reported_version if write.reported is None else native[2],
        seen.desired_version if write.desired is None else native[3],
    )


def _all(results: Written) -> Written:
    return results


def _only(results: Written) -> DocumentVersions:
    result = results[0]
    if isinstance(result, BaseError):
        raise result
    return result


def _check(native: _oscommit.DocumentResult) -> None:
    if native[0] != COMMITTED:
        raise _error_of(native)


def _abandoned(key: str, native: _oscommit.DocumentResult) -> Abandoned:
    if native[0] == COMMITTED:
        return Abandoned(key, "committed", None, None, None)
    return Abandoned(key, "unknown", native[4], None, _error_of(native))


class Documents(Mapping[tuple[str, str], Document]):
    """The documents of a table, by (id, name). `docs["device-7", "pump"]` reads one; KeyError: there is none. Iteration lists
    the table, which costs as much as a Scan."""

    def __init__(self, client: Client, store: Store) -> None:
        self._client, self._store = client, store

    def _ask(self, name: str, of: Any, give: Callable[[Any], T], deadline_s: float | None) -> Call[T]:
        native = getattr(self._client._client, name)
        return Call(self._client, native, self._store, of, deadline_s=deadline_s, give=give)

    def _change(
        self,
        name: str,
        of: Sequence[tuple[Any, ...]],
        give: Callable[[Results], T],
        deadline_s: float | None,
    ) -> Call[T]:
        into: Results = []

        def lost() -> Lost:
            pairs = zip(of, into)
            return [_abandoned(f"{one[0]}, {one[1]}", result) for one, result in pairs if result[0] in _MAY_BE]

        native = getattr(self._client._client, name)
        return Call(
            self._client,
            native,
            self._store,
            list(of),
            into,
            deadline_s=deadline_s,
            give=lambda nothing: give(into),
            lost=lost,
        )

    def _table(self, create: bool, deadline_s: float | None) -> Call[None]:
        return self._ask("documents_table", create, lambda nothing: None, deadline_s)

    def table(self, *, create: bool = False, deadline_s: float | None = None) -> None:
        """Checks that the table is fit, or makes it and waits until it can be used. NotFoundError: there is none. GenericError
        says what is wrong with it."""
        self._table(create, deadline_s).run()

    async def table_async(self, *, create: bool = False, deadline_s: float | None = None) -> None:
        """`table` without blocking."""
        await self._table(create, deadline_s).run_async()

    def _read(self, keys: Iterable[tuple[str, str]], deadline_s: float | None) -> Call[Found]:
        wanted = [_key_of(key) for key in keys]

        def give(found: _oscommit.DocumentPairs) -> Found:
            return [Document(*key, _model_of(models[0]), _model_of(models[1])) for key, models in zip(wanted, found)]

        return self._ask("documents_read", wanted, give, deadline_s)

    def read(self, keys: Iterable[tuple[str, str]], *, deadline_s: float | None = None) -> Found:
        """Reads documents by (id, name), none twice, consistently. One that is not there has the versions 0."""
        return self._read(keys, deadline_s).run()

    async def read_async(self, keys: Iterable[tuple[str, str]], *, deadline_s: float | None = None) -> Found:
        """`read` without blocking."""
        return await self._read(keys, deadline_s).run_async()

    def __getitem__(self, key: tuple[str, str]) -> Document:
        document = self.read([key])[0]
        if not document.exists:
            raise KeyError(key)
        return document

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(dict.fromkeys((entry.id, entry.name) for entry in self.list()))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def write(
        self,
        id: str,
        name: str,
        *,
        reported: Mapping[str, Any] | None = None,
        desired: Mapping[str, Any] | None = None,
        after: Document | DocumentVersions | None = None,
        client_token: str | None = None,
        deadline_s: float | None = None,
    ) -> DocumentVersions:
        """Writes one or both models of a document, if they are at the versions of `after`. Returns the new ones, which may be
        the `after` of the next write.

        after          what was seen: a Document, or what a write returned. None: there is no such document
        client_token   who writes

        PreconditionError: it is at another version; `versions` of it says at which. Unknown: keep the ticket."""
        write = DocumentWrite(id, name, reported, desired, after, client_token)
        return self._write_all([write], _only, deadline_s).run()

    async def write_async(
        self,
        id: str,
        name: str,
        *,
        reported: Mapping[str, Any] | None = None,
        desired: Mapping[str, Any] | None = None,
        after: Document | DocumentVersions | None = None,
        client_token: str | None = None,
        deadline_s: float | None = None,
    ) -> DocumentVersions:
        """`write` without blocking. Of a cancelled one `on_abandoned` of the client is told if it was, or may have been,
        applied, and `oscommit.abandoned` of the exception says so."""
        write = DocumentWrite(id, name, reported, desired, after, client_token)
        return await self._write_all([write], _only, deadline_s).run_async()

    def _write_all(
        self, writes: Sequence[DocumentWrite], of: Callable[[Written], T], deadline_s: float | None
    ) -> Call[T]:
        natives = []
        writes = list(writes)  # it is gone through again when the results are there
        for one in writes:
            if not isinstance(one, DocumentWrite):
                raise TypeError(f"What is written is a DocumentWrite(id, name, ...): {one!r} is none.")
            seen, which = _seen(one.after), f'Document "{one.name}" of "{one.id}"'
            reported, desired = _text_of(one.reported, which), _text_of(one.desired, which)
            models = reported, seen.reported_version, desired, seen.desired_version
            natives.append((one.id, one.name, *models, one.client_token))

        def give(results: Results) -> T:
            return of([_written(one, result) for one, result in zip(writes, results)])

        return self._change("documents_write", natives, give, deadline_s)

    def write_all(self, writes: Sequence[DocumentWrite], *, deadline_s: float | None = None) -> Written:
        """Writes documents, each as by `write`, no model of one twice. Gives what came of each: its versions, or the exception
        that `write` would have raised."""
        return self._write_all(writes, _all, deadline_s).run()

    async def write_all_async(self, writes: Sequence[DocumentWrite], *, deadline_s: float | None = None) -> Written:
        """`write_all` without blocking. If it is cancelled, `on_abandoned` is told of each write that was, or may have been,
        applied."""
        return await self._write_all(writes, _all, deadline_s).run_async()

    def _delete(
        self,
        id: str,
        name: str,
        reported: bool,
        desired: bool,
        after: Document | DocumentVersions | None,
        deadline_s: float | None,
    ) -> Call[None]:
        seen = _seen(after)
        if after is not None:
            reported, desired = reported and seen.reported_version > 0, desired and seen.desired_version > 0
            if not (reported or desired):
                raise ValueError(
                    f'`after` has seen no model of the document "{name}" of "{id}" that is to be deleted: read it again, '
                    "or give no `after`, to delete whatever is there."
                )
        deletion = id, name, reported, seen.reported_version, desired, seen.desired_version
        return self._change("documents_delete", [deletion], lambda results: _check(results[0]), deadline_s)

    def delete(
        self,
        id: str,
        name: str,
        *,
        reported: bool = True,
        desired: bool = True,
        after: Document | DocumentVersions | None = None,
        deadline_s: float | None = None,
    ) -> None:
        """Deletes models of a document: if they are at the versions of `after`, or (None) whatever is there. A model that
        `after` has not seen, whose version is 0, is left alone; ValueError: so are all. PreconditionError: another version.
        Unknown has no ticket: read what is there."""
        self._delete(id, name, reported, desired, after, deadline_s).run()

    async def delete_async(
        self,
        id: str,
        name: str,
        *,
        reported: bool = True,
        desired: bool = True,
        after: Document | DocumentVersions | None = None,
        deadline_s: float | None = None,
    ) -> None:
        """`delete` without blocking."""
        await self._delete(id, name, reported, desired, after, deadline_s).run_async()

    def _list(self, id: str | None, deadline_s: float | None) -> Call[Listed]:
        def give(entries: _oscommit.DocumentEntries) -> Listed:
            return [
                DocumentEntry(of, name, _KINDS[kind], version, timestamp_ns, client_token)
                for of, name, kind, version, timestamp_ns, client_token in entries
            ]

        return self._ask("documents_list", id, give, deadline_s)

    def list(self, id: str | None = None, *, deadline_s: float | None = None) -> Listed:
        """What is stored of an id, or in all, without the models. All costs as much as a Scan."""
        return self._list(id, deadline_s).run()

    async def list_async(self, id: str | None = None, *, deadline_s: float | None = None) -> Listed:
        """`list` without blocking."""
        return await self._list(id, deadline_s).run_async()

    def _resolve(self, ticket: str, deadline_s: float | None) -> Call[DocumentVersions]:
        def give(result: _oscommit.DocumentResult) -> DocumentVersions:
            _check(result)
            return DocumentVersions(result[2], result[3])

        return self._ask("documents_resolve", ticket, give, deadline_s)

    def resolve(self, ticket: str, *, deadline_s: float | None = None) -> DocumentVersions:
        """Asks what became of a write that was `Unknown`. Returns if it is committed; else raises as the write would have, or
        `Unknown` again. Writes nothing."""
        return self._resolve(ticket, deadline_s).run()

    async def resolve_async(self, ticket: str, *, deadline_s: float | None = None) -> DocumentVersions:
        """`resolve` without blocking."""
        return await self._resolve(ticket, deadline_s).run_async()
