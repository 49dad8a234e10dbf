# SPDX-License-Identifier: Apache-2.0
"""Versioned documents: what a device reports, and what is desired of it. Each write states the version that it replaces."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

from oscommit import _oscommit
from oscommit._opened import Opened, deadline_ms_of
from oscommit._requests import COMMITTED, CONFLICT, UNKNOWN, VERDICTS
from oscommit.exceptions import BaseError, PreconditionError, Unknown, error_of

Store = tuple[Union[str, None], bool, bool, int, int, bool]
_KINDS = {1: "reported", 2: "desired", 3: "combined"}


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


def _model_of(native: _oscommit.DocumentModel) -> DocumentModel:
    version, timestamp_ns, client_token, text = native
    return DocumentModel(version, timestamp_ns, client_token, None if text is None else json.loads(text))


def _text_of(value: Mapping[str, Any] | None) -> str | None:
    return None if value is None else json.dumps(value, allow_nan=False)


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


class Documents(Mapping[tuple[str, str], Document]):
    """The documents of a table, by (id, name). `docs["device-7", "pump"]` reads one; KeyError: there is none. Iteration lists
    the table, which costs as much as a Scan."""

    def __init__(self, client: _oscommit.Client, store: Store) -> None:
        self._client, self._store = client, store

    def _ask(self, name: str, of: Any, deadline_s: float | None) -> Any:
        return Opened._native(getattr(self._client, name), deadline_ms_of(deadline_s), self._store, of)

    def table(self, *, create: bool = False, deadline_s: float | None = None) -> None:
        """Checks that the table is fit, or makes it and waits until it can be used. NotFoundError: there is none. GenericError
        says what is wrong with it."""
        self._ask("documents_table", create, deadline_s)

    def read(self, keys: Iterable[tuple[str, str]], *, deadline_s: float | None = None) -> Found:
        """Reads documents by (id, name), none twice, consistently. One that is not there has the versions 0."""
        wanted = [(id, name) for id, name in keys]
        found = self._ask("documents_read", wanted, deadline_s)
        return [Document(*key, _model_of(models[0]), _model_of(models[1])) for key, models in zip(wanted, found)]

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
        result = self.write_all([write], deadline_s=deadline_s)[0]
        if isinstance(result, BaseError):
            raise result
        return result

    def write_all(self, writes: Sequence[DocumentWrite], *, deadline_s: float | None = None) -> Written:
        """Writes documents, each as by `write`, no model of one twice. Gives what came of each: its versions, or the exception
        that `write` would have raised."""
        natives = []
        for one in writes:
            seen = one.after or DocumentVersions()
            models = _text_of(one.reported), seen.reported_version, _text_of(one.desired), seen.desired_version
            natives.append((one.id, one.name, *models, one.client_token))
        results = self._ask("documents_write", natives, deadline_s)
        return [_written(one, result) for one, result in zip(writes, results)]

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
        """Deletes models of a document: if they are at the versions of `after`, or (None, or a version of 0) whatever is there.
        PreconditionError: another version. Unknown has no ticket: read what is there."""
        seen = after or DocumentVersions()
        deletion = id, name, reported, seen.reported_version, desired, seen.desired_version
        result = self._ask("documents_delete", [deletion], deadline_s)[0]
        if result[0] != COMMITTED:
            raise _error_of(result)

    def list(self, id: str | None = None, *, deadline_s: float | None = None) -> Listed:
        """What is stored of an id, or in all, without the models. All costs as much as a Scan."""
        entries = []
        for entry in self._ask("documents_list", id, deadline_s):
            of, name, kind, version, timestamp_ns, client_token = entry
            entries.append(DocumentEntry(of, name, _KINDS[kind], version, timestamp_ns, client_token))
        return entries

    def resolve(self, ticket: str, *, deadline_s: float | None = None) -> DocumentVersions:
        """Asks what became of a write that was `Unknown`. Returns if it is committed; else raises as the write would have, or
        `Unknown` again. Writes nothing."""
        result = self._ask("documents_resolve", ticket, deadline_s)
        if result[0] != COMMITTED:
            raise _error_of(result)
        return DocumentVersions(result[2], result[3])
