# SPDX-License-Identifier: Apache-2.0
"""What calls take and give."""

from __future__ import annotations

import datetime
from collections.abc import AsyncIterable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Callable, Literal, Optional, TypedDict, Union

if TYPE_CHECKING:
    from oscommit import _oscommit
    from oscommit.exceptions import BaseError

Buffer = Union[bytes, bytearray, memoryview]
Source = Union[Buffer, Path, IO[bytes], Iterable[Buffer]]
"""A body: bytes, anything else with a buffer, a path to a file, an open binary file, or buffers one after the other."""
AsyncSource = Union[Source, AsyncIterable[Buffer]]


class UpdateVersion(TypedDict, total=False):
    """The version of an object that a write replaces."""

    e_tag: str | None
    version: str | None
    """Is not looked at: the ETag decides."""


PutMode = Union[Literal["create", "overwrite"], UpdateVersion, "Result"]


class ObjectMeta(TypedDict):
    """What a store says of an object; as in obstore, and `content_type` and `fencing` beside it."""

    path: str
    last_modified: datetime.datetime
    size: int
    e_tag: str | None
    version: str | None
    content_type: str | None
    fencing: int
    """The fencing token that it was written with; 0: none. Of head and get."""


class VersionMeta(ObjectMeta):
    """A version of an object in a versioned bucket."""

    is_latest: bool
    is_delete_marker: bool


class _Credentials(TypedDict):
    access_key_id: str
    secret_access_key: str


class Credentials(_Credentials, total=False):
    """Access keys, as in obstore."""

    token: str | None
    """Of temporary keys."""
    expires_at: datetime.datetime | None
    """With a time zone. None, or left out: never."""


CredentialProvider = Callable[[], Credentials]


class RequestMetrics(TypedDict):
    """Requests of one kind to the store or to the ledger that have ended."""

    count: int
    duration_s: float
    """Of all of them together."""
    statuses: dict[int, int]
    """How many had this status of HTTP. 0: no answer came, a ledger said yes, or the store is local."""


class GuardedMetrics(TypedDict):
    """Guarded calls of one kind that have ended."""

    count: int
    duration_s: float
    guards: int
    requests: int
    """What they made of store and ledger."""
    verdicts: dict[str, int]


class Metrics(TypedDict):
    """What a store has counted since it was opened, by the names of operations."""

    requests: dict[str, RequestMetrics]
    guarded: dict[str, GuardedMetrics]


class ListResult(TypedDict):
    """Objects, and prefixes that stand for more of them."""

    common_prefixes: list[str]
    objects: list[ObjectMeta]


class OffsetRange(TypedDict):
    offset: int


class SuffixRange(TypedDict):
    suffix: int


class GetOptions(TypedDict, total=False):
    """As in obstore. The store is not told of `if_match` and `if_none_match`: what it gives is compared."""

    if_match: str | None
    if_none_match: str | None
    range: tuple[int, int] | list[int] | OffsetRange | SuffixRange
    """(start, end), where `end` is the first byte that is not wanted."""
    version: str | None
    head: bool


@dataclass(frozen=True)
class Result(Mapping[str, Optional[str]]):
    """How a guarded write went. Also a mapping with "e_tag" and "version", as obstore's PutResult is; so it may be the
    `mode` of the next put."""

    e_tag: str | None
    version: str | None
    generation: int = 0
    guards: int = 0
    attempts: int = 0
    requests: int = 0
    waited_ms: int = 0
    duration_ms: int = 0
    conflicts: int = 0
    took_over: bool = False
    fenced: bool = False
    unchanged: bool = False
    found_e_tag: str | None = None
    found_version: str | None = None
    found_fencing: int = 0
    rule: str = ""
    ticket: str | None = None
    guard: str = "auto"
    request: str = ""
    final: bool = False
    ask_again_ms: int = 0
    warning: str | None = field(default=None, compare=False)
    """Committed, but something is left to do: the source of a rename was not deleted."""

    def __getitem__(self, name: str) -> str | None:
        if name not in ("e_tag", "version"):
            raise KeyError(name)
        return self.e_tag if name == "e_tag" else self.version

    def __iter__(self) -> Iterator[str]:
        return iter(("e_tag", "version"))

    def __len__(self) -> int:
        return 2


@dataclass(frozen=True)
class Abandoned:
    """A guarded write, or a transaction, whose caller did not wait for its end, and which was, or may have been, applied
    nevertheless."""

    key: str
    """Of a write; of a document id and name; "" of a transaction."""
    verdict: str
    """ "committed" or "unknown"."""
    ticket: str | None
    result: Result | None
    error: BaseError | None

    @property
    def what(self) -> str:
        return f"write of {self.key}" if self.key else "transaction"


def result_of(native: _oscommit.Result, warning: str | None = None) -> Result:
    values: list[Any] = [*native[:2], *native[2], *native[3:], warning]
    return Result(*values)


def meta_of(native: _oscommit.Meta, path: str) -> ObjectMeta:
    key, size, modified_s, e_tag, version, content_type, fencing, _, _ = native
    return {
        "path": key or path,
        "last_modified": datetime.datetime.fromtimestamp(modified_s, datetime.timezone.utc),
        "size": size,
        "e_tag": e_tag,
        "version": version,
        "content_type": content_type,
        "fencing": fencing,
    }


def version_of(native: _oscommit.Meta) -> VersionMeta:
    return {**meta_of(native, ""), "is_latest": native[7], "is_delete_marker": native[8]}


_HEADERS = {
    "content-type": "content_type",
    "content-encoding": "content_encoding",
    "content-language": "content_language",
    "content-disposition": "content_disposition",
    "cache-control": "cache_control",
}


def written_with(
    attributes: Mapping[str, str] | None, tags: Mapping[str, str] | None, fencing: int, more: Mapping[str, Any]
) -> dict[str, Any]:
    """What is stored with an object, as the extension module takes it."""
    options: dict[str, Any] = {"fencing": fencing or None, **more}
    metadata = []
    for name, value in (attributes or {}).items():
        header = _HEADERS.get(name.lower())
        if header:
            options[header] = value
        else:
            metadata.append((name, value))
    options["metadata"] = metadata
    options["tags"] = list((tags or {}).items())
    return options


def metrics_of(rows: list[tuple[int, str, int, float, int, int, dict[Any, int]]]) -> Metrics:
    metrics: Metrics = {"requests": {}, "guarded": {}}
    for kind, operation, count, duration_s, guards, requests, ends in rows:
        if kind == 1:
            metrics["requests"][operation] = {"count": count, "duration_s": duration_s, "statuses": ends}
        else:
            metrics["guarded"][operation] = {
                "count": count,
                "duration_s": duration_s,
                "guards": guards,
                "requests": requests,
                "verdicts": ends,
            }
    return metrics
