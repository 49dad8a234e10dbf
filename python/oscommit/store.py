# SPDX-License-Identifier: Apache-2.0
"""A store of objects. Each method has a twin that ends in `_async`, takes the same arguments and does not block."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Callable, Literal, Optional, TypeVar, Union, overload

from oscommit import _oscommit
from oscommit._flight import Request, run, run_async, wait_for
from oscommit._opened import Opened, deadline_ms_of
from oscommit._reading import GetResult, Listing, Span, span_of
from oscommit._requests import (
    CREATE,
    MATCH,
    OVERWRITE,
    Guarded,
    GuardedPut,
    Plain,
    PlainPut,
    Stream,
    Update,
    conflict_of_ticket,
    native_body,
)
from oscommit._types import (
    Abandoned,
    AsyncSource,
    GetOptions,
    ListResult,
    ObjectMeta,
    PutMode,
    Result,
    Source,
    VersionMeta,
    meta_of,
    version_of,
    written_with,
)
from oscommit.exceptions import AlreadyExistsError, NotFoundError, PreconditionError

_log = logging.getLogger("oscommit")
T = TypeVar("T")
_FORWARD_ONLY = {None: 0, True: 1, False: 2}


def _log_abandoned(abandoned: Abandoned) -> None:
    if abandoned.verdict == "committed":
        _log.info("The write of %s was committed, though its call was cancelled.", abandoned.key)
    else:
        _log.warning(
            "The write of %s may have been applied, and its call was cancelled. Ticket: %s",
            abandoned.key,
            abandoned.ticket,
        )


def init(root: Union[str, os.PathLike[str]]) -> None:
    """Makes an embedded store in the folder `root`: objects are files there, records are in SQLite. Again changes nothing.
    ConfigurationError where a store cannot be. Blocks."""
    Opened._native(_oscommit.init, os.fspath(root))


class Store(Opened):
    """Where objects are, opened. Any number of threads and event loops may use one. Close it, or use it in `with`."""

    on_abandoned: Callable[[Abandoned], None]
    """Is told of each guarded write that was, or may have been, applied after its call was cancelled or interrupted. Runs
    where that call waited, before its exception is raised. By default it is logged: a warning with the ticket."""

    @classmethod
    def from_url(
        cls,
        url: Union[str, os.PathLike[str]],
        *,
        ledger: Optional[str] = None,
        mkdir: bool = False,
        environment: bool = False,
        on_abandoned: Optional[Callable[[Abandoned], None]] = None,
        **options: Any,
    ) -> Store:
        """Opens "s3://bucket[/prefix]" or "file:///root".

        ledger        where the records are: "dynamodb://TABLE", "sqlite:///FILE" (docs/configuration.md says where none is
                      needed)
        mkdir         makes the embedded store first, as `init`
        environment   fills what is not given from the OSCOMMIT_* variables of the tool
        options       members of os_options by their names: s3_endpoint, s3_region, guard="record", access_key_id ...;
                      "region" and "endpoint" name those of S3

        ConfigurationError, UnknownConfigurationKeyError: nothing was sent. Blocks only for an embedded store, or with
        check_table."""
        text = os.fspath(url)
        if mkdir:
            if not text.startswith("file://"):
                raise ValueError("Only a store of files can be made (mkdir).")
            init(text[len("file://") :])
        store = cls._open({"store_url": text, "ledger_url": ledger, **options}, environment)
        store._url = text
        store.on_abandoned = on_abandoned or _log_abandoned
        return store

    _url: str

    def __repr__(self) -> str:
        return f"Store({self._url!r}{', closed' if self.closed else ''})"

    def __reduce__(self) -> Any:
        """Another process opens a store of its own. What is pickled has the secrets that the options had."""
        return _reopen, (self._options, self._environment)

    def _abandoned(self, abandoned: Abandoned) -> None:
        try:
            self.on_abandoned(abandoned)
        except Exception:
            _log.exception("on_abandoned raised. The write of %s: %s", abandoned.key, abandoned)

    # ------------------------------------------------------------------------------------------------------- writes

    def _put(
        self,
        path: str,
        file: AsyncSource,
        *,
        mode: Optional[PutMode] = None,
        attributes: Optional[Mapping[str, str]] = None,
        tags: Optional[Mapping[str, str]] = None,
        fencing: int = 0,
        storage_class: Optional[str] = None,
        encryption: Optional[str] = None,
        kms_key_id: Optional[str] = None,
        deadline_s: Optional[float] = None,
        forward_only: Optional[bool] = None,
    ) -> Request[Any]:
        number, e_tag = _mode_of(mode)
        body = native_body(file)
        more = {"storage_class": storage_class, "encryption": encryption, "kms_key_id": kms_key_id}
        options = written_with(attributes, tags, fencing, more)
        timing = deadline_ms_of(deadline_s), _FORWARD_ONLY[forward_only]

        def start(port: Optional[_oscommit.Port]) -> _oscommit.Operation:
            return self._client.put(port, *timing, path, number, e_tag, body, options)

        request: Union[GuardedPut, PlainPut]
        if number == OVERWRITE:
            request = PlainPut(self, path, start, lambda meta, *_: _plain_result(meta, path))
        else:
            request = GuardedPut(self, path, AlreadyExistsError if number == CREATE else PreconditionError, start)
        if body is None:
            request.stream = Stream(file)
        return request

    def put(self, path: str, file: Source, *, mode: Optional[PutMode] = None, **options: Any) -> Result:
        """Writes an object.

        mode="create"           only if nothing is there (os_put_if_absent): AlreadyExistsError
        mode={"e_tag": ...}     only if it is that version (os_put_if_match): PreconditionError
        mode="overwrite"        in any case. Not guarded: not for keys that guarded writers share. The default, as in obstore
        attributes, tags        stored with it: {"Content-Type": ..., ...}; other names are metadata
        fencing                 the token of a lease that the write is done under
        storage_class, encryption, kms_key_id
        deadline_s              [120]
        forward_only            the promise of docs/configuration.md, for this call

        `Unknown` says that the write may have been applied. Other exceptions: it was not."""
        result: Result = run(self._put(path, file, mode=mode, **options))
        return result

    async def put_async(self, path: str, file: AsyncSource, *, mode: Optional[PutMode] = None, **options: Any) -> Result:
        """`put` without blocking; also of an asynchronous iterator."""
        result: Result = await run_async(self._put(path, file, mode=mode, **options))
        return result

    def _copy(
        self,
        from_: str,
        to: str,
        renames: bool,
        *,
        if_match: Optional[str] = None,
        source_e_tag: Optional[str] = None,
        source_version: Optional[str] = None,
        fencing: int = 0,
        deadline_s: Optional[float] = None,
        forward_only: Optional[bool] = None,
    ) -> Guarded:
        timing = deadline_ms_of(deadline_s), _FORWARD_ONLY[forward_only]
        mode = CREATE if if_match is None else MATCH
        rest = source_e_tag, source_version, fencing

        def start(port: Optional[_oscommit.Port]) -> _oscommit.Operation:
            return self._client.copy(port, *timing, from_, to, renames, mode, if_match, *rest)

        return Guarded(self, to, AlreadyExistsError if mode == CREATE else PreconditionError, start)

    def copy(self, from_: str, to: str, *, overwrite: bool = False, **options: Any) -> Result:
        """Copies inside the store, if nothing is there (AlreadyExistsError). A missing source is a SourceError.

        if_match        replaces `to` if it is that version: PreconditionError
        overwrite       replaces whatever is there, by `if_match` on what is found, again where another writer was faster
        source_e_tag, source_version   only this version of the source
        fencing, deadline_s, forward_only   as of `put`"""
        while True:
            if_match = self._found(to) if overwrite else options.pop("if_match", None)
            try:
                return run(self._copy(from_, to, False, if_match=if_match, **options))
            except (AlreadyExistsError, PreconditionError):
                if not overwrite:
                    raise

    async def copy_async(self, from_: str, to: str, *, overwrite: bool = False, **options: Any) -> Result:
        """`copy` without blocking."""
        while True:
            if_match = await self._found_async(to) if overwrite else options.pop("if_match", None)
            try:
                return await run_async(self._copy(from_, to, False, if_match=if_match, **options))
            except (AlreadyExistsError, PreconditionError):
                if not overwrite:
                    raise

    def _found(self, path: str) -> Optional[str]:
        try:
            return self.head(path)["e_tag"]
        except NotFoundError:
            return None

    async def _found_async(self, path: str) -> Optional[str]:
        try:
            return (await self.head_async(path))["e_tag"]
        except NotFoundError:
            return None

    def rename(self, from_: str, to: str, *, overwrite: bool = False, **options: Any) -> Result:
        """Renames if nothing is there: a guarded copy, then a guarded delete of exactly what was copied. At least one of
        the two objects is always there. `warning` of the result says if the source is still there, too.

        overwrite   replaces what is there, as `copy` does"""
        if not overwrite:
            return run(self._copy(from_, to, True, **options))
        e_tag = self.head(from_)["e_tag"]
        result = self.copy(from_, to, overwrite=True, source_e_tag=e_tag, **options)
        self.delete(from_, if_match=e_tag)
        return result

    async def rename_async(self, from_: str, to: str, *, overwrite: bool = False, **options: Any) -> Result:
        """`rename` without blocking."""
        if not overwrite:
            return await run_async(self._copy(from_, to, True, **options))
        e_tag = (await self.head_async(from_))["e_tag"]
        result = await self.copy_async(from_, to, overwrite=True, source_e_tag=e_tag, **options)
        await self.delete_async(from_, if_match=e_tag)
        return result

    def _delete(
        self, path: str, if_match: Optional[str], deadline_s: Optional[float], forward_only: Optional[bool]
    ) -> Request[Any]:
        timing = deadline_ms_of(deadline_s), _FORWARD_ONLY[forward_only]

        def start(port: Optional[_oscommit.Port]) -> _oscommit.Operation:
            return self._client.delete(port, *timing, path, if_match)

        if if_match is not None:
            return Guarded(self, path, PreconditionError, start)
        return Plain(self, path, start, lambda *_: None)

    def delete(
        self,
        paths: Union[str, Sequence[str]],
        *,
        if_match: Optional[str] = None,
        deadline_s: Optional[float] = None,
        forward_only: Optional[bool] = None,
    ) -> Optional[Result]:
        """Deletes an object, or several at the same time.

        if_match   only if it is that version, which guards the delete: PreconditionError, also where nothing is there.
                   The result says how it went. Of one path alone.

        Without it, nothing is compared, and a path where nothing is is no error."""
        requests = [self._delete(path, if_match, deadline_s, forward_only) for path in _paths(paths, if_match)]
        return _last(_run_all(requests))

    async def delete_async(
        self,
        paths: Union[str, Sequence[str]],
        *,
        if_match: Optional[str] = None,
        deadline_s: Optional[float] = None,
        forward_only: Optional[bool] = None,
    ) -> Optional[Result]:
        """`delete` without blocking."""
        requests = [self._delete(path, if_match, deadline_s, forward_only) for path in _paths(paths, if_match)]
        return _last(await _run_all_async(requests))

    def _update(
        self,
        path: str,
        transform: Callable[[Optional[bytes]], Any],
        *,
        max_length: int = 0,
        always_write: bool = False,
        attributes: Optional[Mapping[str, str]] = None,
        tags: Optional[Mapping[str, str]] = None,
        fencing: int = 0,
        deadline_s: Optional[float] = None,
        forward_only: Optional[bool] = None,
    ) -> Update:
        timing = deadline_ms_of(deadline_s), _FORWARD_ONLY[forward_only]
        options = written_with(attributes, tags, fencing, {})

        def start(port: Optional[_oscommit.Port]) -> _oscommit.Operation:
            return self._client.update(port, *timing, path, options, max_length, always_write)

        return Update(self, path, start, transform)

    def update(self, path: str, transform: Callable[[Optional[bytes]], bytes], **options: Any) -> Result:
        """Reads the object, lets `transform` make the new bytes of the current ones (None: nothing is there), and writes
        them if the object is still what was read; else again. So a counter or a pointer is changed exactly once.

        `transform` runs on this thread, perhaps several times; only its last run counts. What it raises ends the update,
        nothing is written, and the caller gets that exception.
        max_length      of the object, before and after [64 MiB]
        always_write    also where the bytes are the same
        attributes, tags, fencing, deadline_s, forward_only   as of `put`

        PreconditionError: the time is up, and every write lost to another. Unknown: resolve the ticket before you call
        again, or the change may be made twice."""
        return run(self._update(path, transform, **options))

    async def update_async(self, path: str, transform: Callable[[Optional[bytes]], Any], **options: Any) -> Result:
        """`update` without blocking. `transform` runs in the event loop; it may be a coroutine function."""
        return await run_async(self._update(path, transform, **options))

    # ------------------------------------------------------------------------------------------------------ tickets

    def _resolve(
        self,
        ticket: str,
        settles: bool,
        *,
        key: Optional[str] = None,
        same_store: bool = False,
        abort_upload: bool = False,
        give_up: bool = False,
        deadline_s: Optional[float] = None,
    ) -> Guarded:
        more = deadline_ms_of(deadline_s), 0, ticket, settles, key, same_store, abort_upload, give_up

        def start(port: Optional[_oscommit.Port]) -> _oscommit.Operation:
            return self._client.resolve(port, *more)

        return Guarded(self, key or "a ticket", conflict_of_ticket(ticket), start)

    def resolve(self, ticket: str, *, deadline_s: Optional[float] = None) -> Result:
        """Asks what became of a write that was `Unknown`, from its ticket, in any process. Returns if it is committed; else
        raises as the write would have, or `Unknown` again, whose ticket may know more. Makes no attempt itself."""
        return run(self._resolve(ticket, False, deadline_s=deadline_s))

    async def resolve_async(self, ticket: str, *, deadline_s: Optional[float] = None) -> Result:
        """`resolve` without blocking."""
        return await run_async(self._resolve(ticket, False, deadline_s=deadline_s))

    def settle(self, ticket: str, **options: Any) -> Result:
        """As `resolve`, and goes on until the verdict is final or the deadline has passed [120 s]; hours are fine.

        key           the ticket must be for this key
        same_store    another endpoint in the ticket is another name of this store
        abort_upload  the ticket is the caller's own: its upload may be aborted
        give_up       end when nothing has answered for ten seconds"""
        return run(self._resolve(ticket, True, **options))

    async def settle_async(self, ticket: str, **options: Any) -> Result:
        """`settle` without blocking."""
        return await run_async(self._resolve(ticket, True, **options))

    # ------------------------------------------------------------------------------------------------------- reading

    def _head(self, path: str, version: Optional[str], deadline_s: Optional[float]) -> Plain:
        def start(port: Optional[_oscommit.Port]) -> _oscommit.Operation:
            return self._client.head(port, deadline_ms_of(deadline_s), 0, path, version)

        return Plain(self, path, start, lambda meta, *_: meta_of(meta, path))

    def head(self, path: str, *, version: Optional[str] = None, deadline_s: Optional[float] = None) -> ObjectMeta:
        """What the store says of an object. NotFoundError, which is a FileNotFoundError."""
        meta: ObjectMeta = run(self._head(path, version, deadline_s))
        return meta

    async def head_async(
        self, path: str, *, version: Optional[str] = None, deadline_s: Optional[float] = None
    ) -> ObjectMeta:
        """`head` without blocking."""
        meta: ObjectMeta = await run_async(self._head(path, version, deadline_s))
        return meta

    def _get(self, path: str, span: Span, deadline_s: Optional[float], file: Optional[str] = None) -> Plain:
        def start(port: Optional[_oscommit.Port]) -> _oscommit.Operation:
            return self._client.get(port, deadline_ms_of(deadline_s), 0, path, span.version, file, span.start, span.count)

        return Plain(self, path, start, lambda meta, data, _: GetResult(meta_of(meta, path), data or b"", span))

    def get(
        self, path: str, *, options: Optional[GetOptions] = None, deadline_s: Optional[float] = None
    ) -> GetResult:
        """Reads an object, or the bytes of it that `options` ask for, into memory: all of them, and the right ones, or an
        exception. `download` reads what is too large for that. NotFoundError, PermissionDeniedError ..."""
        options = options or {}
        if "head" in options or "range" in options and "suffix" in options["range"]:
            meta = self.head(path, version=options.get("version"), deadline_s=deadline_s)
            span = span_of(options, meta)
            if span.empty:
                return GetResult(meta, b"", span).checked(options)
        else:
            span = span_of(options, None)
        result: GetResult = run(self._get(path, span, deadline_s))
        return result.checked(options)

    async def get_async(
        self, path: str, *, options: Optional[GetOptions] = None, deadline_s: Optional[float] = None
    ) -> GetResult:
        """`get` without blocking."""
        options = options or {}
        if "head" in options or "range" in options and "suffix" in options["range"]:
            meta = await self.head_async(path, version=options.get("version"), deadline_s=deadline_s)
            span = span_of(options, meta)
            if span.empty:
                return GetResult(meta, b"", span).checked(options)
        else:
            span = span_of(options, None)
        result: GetResult = await run_async(self._get(path, span, deadline_s))
        return result.checked(options)

    def get_range(self, path: str, *, start: int, end: Optional[int] = None, length: Optional[int] = None) -> bytes:
        """Bytes of an object: from `start` to before `end`, or `length` of them; fewer at its end."""
        result: GetResult = run(self._get(path, Span.of(start, end, length), None))
        return result.bytes()

    async def get_range_async(
        self, path: str, *, start: int, end: Optional[int] = None, length: Optional[int] = None
    ) -> bytes:
        """`get_range` without blocking."""
        result: GetResult = await run_async(self._get(path, Span.of(start, end, length), None))
        return result.bytes()

    def _ranges(
        self, path: str, starts: Sequence[int], ends: Optional[Sequence[int]], lengths: Optional[Sequence[int]]
    ) -> Sequence[Plain]:
        ends = ends if ends is not None else [start + n for start, n in zip(starts, lengths or ())]
        if len(ends) != len(starts):
            raise ValueError("get_ranges needs as many ends or lengths as starts.")
        return [self._get(path, Span.of(start, end, None), None) for start, end in zip(starts, ends)]

    def get_ranges(
        self,
        path: str,
        *,
        starts: Sequence[int],
        ends: Optional[Sequence[int]] = None,
        lengths: Optional[Sequence[int]] = None,
    ) -> Sequence[bytes]:
        """Several ranges of an object, read at the same time. PreconditionError if they are not of one version."""
        return _of_one_version(path, _run_all(self._ranges(path, starts, ends, lengths)))

    async def get_ranges_async(
        self,
        path: str,
        *,
        starts: Sequence[int],
        ends: Optional[Sequence[int]] = None,
        lengths: Optional[Sequence[int]] = None,
    ) -> Sequence[bytes]:
        """`get_ranges` without blocking."""
        return _of_one_version(path, await _run_all_async(self._ranges(path, starts, ends, lengths)))

    def download(
        self, path: str, file: Union[str, Path], *, version: Optional[str] = None, deadline_s: Optional[float] = None
    ) -> ObjectMeta:
        """Reads an object into a file, which appears when it is complete. Takes no memory for it."""
        result: GetResult = run(self._get(path, Span(version=version), deadline_s, os.fspath(file)))
        return result.meta

    async def download_async(
        self, path: str, file: Union[str, Path], *, version: Optional[str] = None, deadline_s: Optional[float] = None
    ) -> ObjectMeta:
        """`download` without blocking."""
        result: GetResult = await run_async(self._get(path, Span(version=version), deadline_s, os.fspath(file)))
        return result.meta

    # ------------------------------------------------------------------------------------------------------ listing

    def _list(
        self,
        prefix: Optional[str],
        give: Callable[..., T],
        delimiter: Optional[str] = None,
        offset: Optional[str] = None,
        max_keys: int = 0,
        versions: bool = False,
        deadline_s: Optional[float] = None,
    ) -> Plain:
        more = deadline_ms_of(deadline_s), 0, prefix, delimiter, offset, max_keys, versions

        def start(port: Optional[_oscommit.Port]) -> _oscommit.Operation:
            return self._client.list(port, *more)

        return Plain(self, prefix or "", start, lambda _, __, operation: give(operation.entries()))

    def list(self, prefix: Optional[str] = None, *, offset: Optional[str] = None, chunk_size: int = 1000) -> Listing:
        """The objects whose path starts with `prefix`, in order: an iterator, for `for` and `async for`, of lists of up to
        `chunk_size`. Only those behind `offset`. A page is read when it is asked for."""
        if chunk_size < 1:
            raise ValueError("chunk_size must be at least 1.")
        return Listing(self, prefix, offset, chunk_size)

    def list_with_delimiter(self, prefix: Optional[str] = None) -> ListResult:
        """The objects directly below `prefix`, and what else has a "/" behind it as prefixes."""
        result: ListResult = run(self._list(_folder(prefix), _with_delimiter, "/"))
        return result

    async def list_with_delimiter_async(self, prefix: Optional[str] = None) -> ListResult:
        """`list_with_delimiter` without blocking."""
        result: ListResult = await run_async(self._list(_folder(prefix), _with_delimiter, "/"))
        return result

    def list_versions(self, prefix: Optional[str] = None) -> Sequence[VersionMeta]:
        """Every version and delete marker of a versioned bucket; those of a path come newest first."""
        found: Sequence[VersionMeta] = run(self._list(prefix, _versions, versions=True))
        return found

    async def list_versions_async(self, prefix: Optional[str] = None) -> Sequence[VersionMeta]:
        """`list_versions` without blocking."""
        found: Sequence[VersionMeta] = await run_async(self._list(prefix, _versions, versions=True))
        return found

    # -------------------------------------------------------------------------------------------- client and table

    def warm(self, connections: int = 0, *, deadline_s: Optional[float] = None) -> None:
        """Opens connections ahead and finds out what the first write would: it then takes two round trips."""
        run(self._warm(connections, deadline_s))

    async def warm_async(self, connections: int = 0, *, deadline_s: Optional[float] = None) -> None:
        """`warm` without blocking."""
        await run_async(self._warm(connections, deadline_s))

    def _warm(self, connections: int, deadline_s: Optional[float]) -> Plain:
        def start(port: Optional[_oscommit.Port]) -> _oscommit.Operation:
            return self._client.warm(port, deadline_ms_of(deadline_s), 0, connections)

        return Plain(self, "", start, lambda *_: None)

    def table(self, *, create: bool = False, deadline_s: Optional[float] = None) -> None:
        """Checks the table of records, or creates it: NotFoundError, or GenericError that says why it is unfit."""

        def start(port: Optional[_oscommit.Port]) -> _oscommit.Operation:
            return self._client.table(port, deadline_ms_of(deadline_s), 0, create)

        run(Plain(self, "", start, lambda *_: None))


def _reopen(options: dict[str, Any], environment: bool) -> Store:
    more = {name: value for name, value in options.items() if name not in ("store_url", "ledger_url")}
    return Store.from_url(options["store_url"], ledger=options["ledger_url"], environment=environment, **more)


def _mode_of(mode: Optional[PutMode]) -> tuple[int, Optional[str]]:
    if mode is None or mode == "overwrite":
        return OVERWRITE, None
    if mode == "create":
        return CREATE, None
    e_tag = mode.get("e_tag") if isinstance(mode, Mapping) else None
    if not e_tag:
        raise ValueError('mode must be "create", "overwrite" or {"e_tag": the ETag of the version to replace}.')
    return MATCH, e_tag


def _plain_result(meta: Optional[_oscommit.Meta], path: str) -> Result:
    known = meta_of(meta, path) if meta else None
    return Result(known["e_tag"] if known else None, known["version"] if known else None)


def _paths(paths: Union[str, Sequence[str]], if_match: Optional[str]) -> Sequence[str]:
    if isinstance(paths, str):
        return [paths]
    if if_match is not None:
        raise ValueError("if_match is the ETag of one object: give one path.")
    return paths


def _last(results: Sequence[Any]) -> Optional[Result]:
    return results[-1] if results else None


def _run_all(requests: Sequence[Request[Any]]) -> Sequence[Any]:
    """At the same time, on this thread. All have ended when it returns or raises; the first failure is raised."""
    operations = [(request, request.start(None)) for request in requests]
    results, failure = [], None
    for request, operation in operations:
        try:
            results.append(wait_for(request, operation))
        except BaseException as error:
            failure = failure or error
    if failure is not None:
        raise failure
    return results


async def _run_all_async(requests: Sequence[Request[Any]]) -> Sequence[Any]:
    return await asyncio.gather(*(run_async(request) for request in requests))


def _of_one_version(path: str, results: Sequence[GetResult]) -> Sequence[bytes]:
    if len({result.meta["e_tag"] for result in results}) > 1:
        raise PreconditionError(f"{path} was replaced while its ranges were read: read it again.")
    return [result.bytes() for result in results]


def _folder(prefix: Optional[str]) -> Optional[str]:
    return prefix + "/" if prefix and not prefix.endswith("/") else prefix


def _with_delimiter(entries: Sequence[_oscommit.Meta]) -> ListResult:
    metas = [meta_of(entry, "") for entry in entries]
    prefixes = [meta["path"] for meta in metas if _is_prefix(meta)]
    return {"common_prefixes": prefixes, "objects": [meta for meta in metas if not _is_prefix(meta)]}


def _is_prefix(meta: ObjectMeta) -> bool:
    return meta["e_tag"] is None and meta["path"].endswith("/")


def _versions(entries: Sequence[_oscommit.Meta]) -> Sequence[VersionMeta]:
    return [version_of(entry) for entry in entries]
