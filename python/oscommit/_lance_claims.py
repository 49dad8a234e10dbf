# SPDX-License-Identifier: Apache-2.0
"""`commit_lock` of pylance: a version of a table belongs to whoever has created its claim, a guarded write.

Within the lock pylance looks whether the manifest is there, and then writes it without a condition. Nobody can hold that
write back once it is under way, and it may come late. So a claim does not expire as a lease does: while it stands and the
manifest is not there, nobody else may write that manifest.
"""

from __future__ import annotations

import json
import logging
import os
import socket
import time
import uuid
from dataclasses import dataclass
from typing import Any

from oscommit._lance_names import FOLDER, manifest_name, version_of_name
from oscommit._types import ObjectMeta, Result
from oscommit.exceptions import AlreadyExistsError, BaseError, NotFoundError, PreconditionError, Unknown
from oscommit.store import Store

_log = logging.getLogger("oscommit")
_CLAIMS = "_oscommit/claims"
_CLAIMED, _ENDED = "claimed", "ended"
# S3 refuses what was signed more than 15 minutes ago or ahead, so by the store's clock no request comes later than 30
# minutes after it was sent; a minute for the seconds that dates leave out.
LATE_S = 31 * 60


@dataclass(frozen=True)
class ClaimInfo:
    """A claim that is in the way: the next version of the table is its holder's, and is not there."""

    version: int
    holder: str
    """Host name and process id."""
    ended: bool
    """Its commit failed, and its write may still come: others have the version half an hour after that. False: the holder
    is at work, or is gone."""
    meta: ObjectMeta


def commit_lock(
    store: Store, table: str, *, wait_s: float = 60, holder_gone_after_s: float | None = None
) -> CommitLock:
    """The `commit_lock` for pylance's functions on the table below the key `table` of `store`; its URI is the store's URL, a
    slash and that key. All writers of the table must use it.

    wait_s                how long a commit waits for another writer that has claimed the same version
    holder_gone_after_s   takes the claim of a holder that has not ended its commit for so long, by the store's clock; 1860
                          at least. A holder that was only stopped, and goes on later than that, overwrites the version of
                          whoever took it. [None: never; see `break_claim`]

    The lock blocks in the thread of pylance. It raises lance.commit.CommitConflictError, an OSError, where another has the
    version and does not write it; the message says who, and what to do. pylance then reports that nothing was committed,
    which is true."""
    if holder_gone_after_s is not None and holder_gone_after_s < LATE_S:
        raise ValueError(f"holder_gone_after_s must be at least {LATE_S}: a write may come so late.")
    return CommitLock(store, table.strip("/"), wait_s, holder_gone_after_s)


def claims(store: Store, table: str) -> list[ClaimInfo]:
    """The claims that are in the way of the next commit to a table; none where nothing is. Blocks."""
    newest = _newest(store, table)
    behind = _claim_key(table, newest) if newest else None
    found = []
    for page in store.list(f"{table}/{_CLAIMS}/", offset=behind):
        for meta in page:
            info = _read(store, meta["path"])
            if info is not None:
                found.append(info)
    return found


def break_claim(store: Store, table: str, version: int) -> None:
    """Deletes the claim of a version, so that the next writer can have it. NotFoundError: there is none. PreconditionError:
    it was ended or taken meanwhile; look again. Blocks.

    You say by this that the holder's process has ended, and half an hour ago, or that no request of its can be under way.
    If it is not so, its manifest overwrites that of the next writer, whose rows are lost."""
    key = _claim_key(table, version)
    store.delete(key, if_match=store.head(key)["e_tag"])


class CommitLock:
    """What `commit_lock` gives: called with a version, it gives the claim to enter."""

    def __init__(self, store: Store, table: str, wait_s: float, holder_gone_after_s: float | None) -> None:
        self.store, self.table, self.wait_s = store, table, wait_s
        self.holder_gone_after_s = holder_gone_after_s

    def __call__(self, version: int) -> Claim:
        return Claim(self, version)


class Claim:
    """One commit's claim of one version."""

    def __init__(self, lock: CommitLock, version: int) -> None:
        self._lock, self._store, self._version = lock, lock.store, version
        self._key = _claim_key(lock.table, version)
        self._made: Result | None = None
        self._look_again_at: tuple[str | None, float] = (None, 0)

    def __enter__(self) -> None:
        """Returns when the version is claimed, or its manifest is there, which pylance finds out next."""
        deadline, pause_s = time.monotonic() + self._lock.wait_s, 0.05
        while not self._try():
            if time.monotonic() >= deadline:
                raise _conflict(self._sentence())
            time.sleep(pause_s)  # nothing tells when the other's manifest is there
            pause_s = min(2 * pause_s, 1)

    def __exit__(self, kind: Any, *_: object) -> None:
        """A failure says that the manifest may still come, if pylance had not found one: then the claim has to stand for a
        while."""
        if kind is None or self._made is None:
            return
        try:
            if not self._has_manifest():
                self._write(_ENDED, self._made)
        except BaseError as error:
            _log.warning("The claim of version %d of %s is left: %s", self._version, self._lock.table, error)

    # ------------------------------------------------------------------------------------------------------ steps

    def _try(self) -> bool:
        try:
            self._made = self._write(_CLAIMED, "create")
            return True
        except AlreadyExistsError:
            pass
        if self._has_manifest():
            return True
        if _newest(self._store, self._lock.table) > self._version:
            raise _conflict(f"Version {self._version} of {self._lock.table} is in the past, and was removed.")
        found = _read(self._store, self._key)
        return found is not None and self._is_over(found) and self._take(found)

    def _take(self, found: ClaimInfo) -> bool:
        try:
            self._made = self._write(_CLAIMED, {"e_tag": found.meta["e_tag"]})
        except PreconditionError:
            return False
        _log.warning("Took the claim of version %d of %s from %s.", self._version, self._lock.table, found.holder)
        return True

    def _is_over(self, found: ClaimInfo) -> bool:
        limit_s = LATE_S if found.ended else self._lock.holder_gone_after_s
        e_tag, at = self._look_again_at
        if limit_s is None or e_tag == found.meta["e_tag"] and time.monotonic() < at:
            return False
        left_s = limit_s - self._age_s(found.meta)
        self._look_again_at = found.meta["e_tag"], time.monotonic() + left_s
        return left_s <= 0

    def _age_s(self, meta: ObjectMeta) -> float:
        """By the store's clock, which alone says whether it still accepts what was signed then."""
        key = f"{self._lock.table}/_oscommit/clock"
        self._store.put(key, uuid.uuid4().bytes)
        return (self._store.head(key)["last_modified"] - meta["last_modified"]).total_seconds()

    def _has_manifest(self) -> bool:
        try:
            self._store.head(f"{self._lock.table}/{FOLDER}/{manifest_name(self._version)}")
        except NotFoundError:
            return False
        return True

    def _write(self, state: str, mode: Any) -> Result:
        holder = f"{socket.gethostname()}:{os.getpid()}"
        body = {"version": self._version, "state": state, "holder": holder, "nonce": uuid.uuid4().hex}
        try:
            return self._store.put(self._key, json.dumps(body).encode(), mode=mode)
        except Unknown as error:
            return error.settle()

    def _sentence(self) -> str:
        found = _read(self._store, self._key)
        who, state = (found.holder, found.ended) if found else ("another writer", False)
        what = f"Version {self._version} of {self._lock.table} is claimed by {who}, and is not there. "
        if state:
            return (
                what
                + "Its commit failed, and its write may still come: others can have the version half an hour after that."
            )
        return (
            what
            + "If that process has ended, and half an hour ago, oscommit.lance.break_claim gives the version to others."
        )


def _claim_key(table: str, version: int) -> str:
    return f"{table}/{_CLAIMS}/{version:020}.json"


def _read(store: Store, key: str) -> ClaimInfo | None:
    try:
        result = store.get(key)
    except NotFoundError:
        return None
    try:
        body = json.loads(result.bytes())
        holder, ended = str(body["holder"]), body["state"] == _ENDED
    except (ValueError, KeyError, TypeError):
        holder, ended = "somebody who wrote something else there", False
    version = int(key.rsplit("/", 1)[1].split(".")[0])
    return ClaimInfo(version, holder, ended, result.meta)


def _newest(store: Store, table: str) -> int:
    """0: there is none."""
    for page in store.list(f"{table}/{FOLDER}/", chunk_size=100):
        for meta in page:
            version = version_of_name(meta["path"].rsplit("/", 1)[1])
            if version is not None:
                return version
    return 0


def _conflict(sentence: str) -> Exception:
    """As pylance documents it for a commit_lock. Its release 14.0.2 does not know the class there, and reports an OSError with
    the same sentence."""
    from lance.commit import CommitConflictError

    conflict: Exception = CommitConflictError(sentence)
    return conflict
