# SPDX-License-Identifier: Apache-2.0
"""The calls of a store that write, and those that say what became of a write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Callable

from oscommit import _oscommit
from oscommit._abandons import Abandons
from oscommit._flight import Request, run, run_all, run_all_async, run_async
from oscommit._opened import deadline_ms_of
from oscommit._reads import Reads
from oscommit._requests import (
    CREATE,
    MATCH,
    OVERWRITE,
    Asking,
    Guarded,
    GuardedPut,
    Plain,
    PlainPut,
    Stream,
    Update,
    native_body,
)
from oscommit._types import AsyncSource, PutMode, Result, Source, meta_of, written_with
from oscommit.exceptions import AlreadyExistsError, NotFoundError, PreconditionError

FORWARD_ONLY = {None: 0, True: 1, False: 2}


class Writes(Reads, Abandons):
    """What writes."""

    def _put(
        self,
        path: str,
        file: AsyncSource,
        *,
        mode: PutMode | None = None,
        attributes: Mapping[str, str] | None = None,
        tags: Mapping[str, str] | None = None,
        fencing: int = 0,
        storage_class: str | None = None,
        encryption: str | None = None,
        kms_key_id: str | None = None,
        deadline_s: float | None = None,
        forward_only: bool | None = None,
    ) -> Request[Any]:
        number, e_tag = _mode_of(mode)
        body = native_body(file)
        more = {"storage_class": storage_class, "encryption": encryption, "kms_key_id": kms_key_id}
        options = written_with(attributes, tags, fencing, more)
        timing = deadline_ms_of(deadline_s), FORWARD_ONLY[forward_only]

        def start(port: _oscommit.Port | None) -> _oscommit.Operation:
            return self._client.put(port, *timing, path, number, e_tag, body, options)

        request: GuardedPut | PlainPut
        if number == OVERWRITE:
            request = PlainPut(self, path, start, lambda meta, *_: _plain_result(meta, path))
        else:
            request = GuardedPut(self, path, AlreadyExistsError if number == CREATE else PreconditionError, start)
        if body is None:
            request.stream = Stream(file)
        return request

    def put(self, path: str, file: Source, *, mode: PutMode | None = None, **options: Any) -> Result:
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

    async def put_async(self, path: str, file: AsyncSource, *, mode: PutMode | None = None, **options: Any) -> Result:
        """`put` without blocking; also of an asynchronous iterator."""
        result: Result = await run_async(self._put(path, file, mode=mode, **options))
        return result

    def _copy(
        self,
        from_: str,
        to: str,
        renames: bool,
        *,
        if_match: str | None = None,
        source_e_tag: str | None = None,
        source_version: str | None = None,
        fencing: int = 0,
        deadline_s: float | None = None,
        forward_only: bool | None = None,
    ) -> Guarded:
        timing = deadline_ms_of(deadline_s), FORWARD_ONLY[forward_only]
        mode = CREATE if if_match is None else MATCH
        rest = source_e_tag, source_version, fencing

        def start(port: _oscommit.Port | None) -> _oscommit.Operation:
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

    def _found(self, path: str) -> str | None:
        try:
            return self.head(path)["e_tag"]
        except NotFoundError:
            return None

    async def _found_async(self, path: str) -> str | None:
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
        self, path: str, if_match: str | None, deadline_s: float | None, forward_only: bool | None
    ) -> Request[Any]:
        timing = deadline_ms_of(deadline_s), FORWARD_ONLY[forward_only]

        def start(port: _oscommit.Port | None) -> _oscommit.Operation:
            return self._client.delete(port, *timing, path, if_match)

        if if_match is not None:
            return Guarded(self, path, PreconditionError, start)
        return Plain(self, path, start, lambda *_: None)

    def delete(
        self,
        paths: str | Sequence[str],
        *,
        if_match: str | None = None,
        deadline_s: float | None = None,
        forward_only: bool | None = None,
    ) -> Result | None:
        """Deletes an object, or several at the same time.

        if_match   only if it is that version, which guards the delete: PreconditionError, also where nothing is there.
                   The result says how it went. Of one path alone.

        Without it, nothing is compared, and a path where nothing is is no error."""
        requests = [self._delete(path, if_match, deadline_s, forward_only) for path in _paths(paths, if_match)]
        return _last(run_all(requests))

    async def delete_async(
        self,
        paths: str | Sequence[str],
        *,
        if_match: str | None = None,
        deadline_s: float | None = None,
        forward_only: bool | None = None,
    ) -> Result | None:
        """`delete` without blocking."""
        requests = [self._delete(path, if_match, deadline_s, forward_only) for path in _paths(paths, if_match)]
        return _last(await run_all_async(requests))

    def _update(
        self,
        path: str,
        transform: Callable[[bytes | None], Any],
        *,
        max_length: int = 0,
        always_write: bool = False,
        attributes: Mapping[str, str] | None = None,
        tags: Mapping[str, str] | None = None,
        fencing: int = 0,
        deadline_s: float | None = None,
        forward_only: bool | None = None,
    ) -> Update:
        timing = deadline_ms_of(deadline_s), FORWARD_ONLY[forward_only]
        options = written_with(attributes, tags, fencing, {})

        def start(port: _oscommit.Port | None) -> _oscommit.Operation:
            return self._client.update(port, *timing, path, options, max_length, always_write)

        return Update(self, path, start, transform)

    def update(self, path: str, transform: Callable[[bytes | None], bytes], **options: Any) -> Result:
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

    async def update_async(self, path: str, transform: Callable[[bytes | None], Any], **options: Any) -> Result:
        """`update` without blocking. `transform` runs in the event loop; it may be a coroutine function."""
        return await run_async(self._update(path, transform, **options))

    # ------------------------------------------------------------------------------------------------------ tickets

    def _resolve(
        self,
        ticket: str,
        settles: bool,
        *,
        key: str | None = None,
        same_store: bool = False,
        abort_upload: bool = False,
        give_up: bool = False,
        deadline_s: float | None = None,
    ) -> Guarded:
        more = deadline_ms_of(deadline_s), 0, ticket, settles, key, same_store, abort_upload, give_up

        def start(port: _oscommit.Port | None) -> _oscommit.Operation:
            return self._client.resolve(port, *more)

        return Asking(self, key or "a ticket", ticket, start)

    def resolve(self, ticket: str, *, deadline_s: float | None = None) -> Result:
        """Asks what became of a write that was `Unknown`, from its ticket, in any process. Returns if it is committed; else
        raises as the write would have, or `Unknown` again, whose ticket may know more. Makes no attempt itself."""
        return run(self._resolve(ticket, False, deadline_s=deadline_s))

    async def resolve_async(self, ticket: str, *, deadline_s: float | None = None) -> Result:
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


def _mode_of(mode: PutMode | None) -> tuple[int, str | None]:
    if mode is None or mode == "overwrite":
        return OVERWRITE, None
    if mode == "create":
        return CREATE, None
    e_tag = mode.get("e_tag") if isinstance(mode, Mapping) else None
    if not e_tag:
        raise ValueError('mode must be "create", "overwrite" or {"e_tag": the ETag of the version to replace}.')
    return MATCH, e_tag


def _plain_result(meta: _oscommit.Meta | None, path: str) -> Result:
    known = meta_of(meta, path) if meta else None
    return Result(known["e_tag"] if known else None, known["version"] if known else None)


def _paths(paths: str | Sequence[str], if_match: str | None) -> Sequence[str]:
    if isinstance(paths, str):
        return [paths]
    if if_match is not None:
        raise ValueError("if_match is the ETag of one object: give one path.")
    return paths


def _last(results: Sequence[Any]) -> Result | None:
    return results[-1] if results else None
