# SPDX-License-Identifier: Apache-2.0
"""Tables of Lance, whose commits are guarded writes. Needs the package pylance. docs/lance.md says what is promised.

    tables = oscommit.lance.Tables(store)
    lance.write_dataset(data, namespace_client=tables, table_id=["events"], mode="append")

`commit_lock` is for programs that name their tables by URI. It is safe, too, but a writer that dies in it has to be dealt
with by a person. All writers of a table must use the same of the two.
"""

from __future__ import annotations

import logging
import re
import uuid
from collections.abc import Iterator, Mapping
from typing import Any, Callable

from oscommit._named import need

need("lance_namespace", "pylance")

from lance_namespace import (
    ConcurrentModificationError,
    CreateTableVersionResponse,
    DeclareTableResponse,
    DescribeTableResponse,
    DescribeTableVersionResponse,
    InvalidInputError,
    InvalidTableStateError,
    LanceNamespace,
    ListTableVersionsResponse,
    TableNotFoundError,
    TableVersion,
    TableVersionNotFoundError,
    UnsupportedOperationError,
)

from oscommit._lance_claims import Claim, ClaimInfo, CommitLock, break_claim, claims, commit_lock
from oscommit._lance_names import FOLDER, manifest_name, version_of_name
from oscommit._types import ObjectMeta
from oscommit.exceptions import BaseError, ConfigurationError, ConflictError, NotFoundError, Unknown
from oscommit.store import Store

__all__ = ["Claim", "ClaimInfo", "CommitLock", "Tables", "break_claim", "claims", "commit_lock"]

_log = logging.getLogger("oscommit")
_ASK_S = 10.0
_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.=-]*")


def _log_unknown(table: str, version: int, error: Unknown) -> None:
    _log.warning(
        "Version %d of the Lance table %s may have been committed, or may still be. Ticket: %s",
        version,
        table,
        error.ticket,
    )


def _log_not_executed(table: str, version: int, error: Exception) -> None:
    _log.warning(
        "Version %d of the Lance table %s was not committed by this attempt and never will be, although pylance may call it "
        "unknown: %s",
        version,
        table,
        error,
    )


def _refusal(ask: Callable[[], object], kind: type[BaseError]) -> BaseError | None:
    try:
        ask()
    except kind as error:
        return error
    except BaseError as error:  # the commit will meet it, or not
        _log.debug("Asked whether a commit is possible: %s", error)
    return None


class Tables(LanceNamespace):  # type: ignore[misc]
    """The Lance tables below a store, each under the key that its id names: ["events"], or ["sales", "events"].

    pylance writes data files and a staged manifest itself, by its own client; `storage_options` are for that. The one write
    that decides, of `_versions/NUMBER.manifest`, is a guarded write by `store`: only one writer makes a version, a lost
    answer is decided, and whoever dies leaves nothing that others have to wait for but for some seconds.

    deadline_s   of each request, of the guarded write, and once more to settle one that is unknown [120 each]
    on_unknown   is told table, version and the `Unknown` of a commit that is still not decided then. pylance raises
                 "Commit result for version N is unknown". By default the ticket is logged, as a warning.

    Blocks, on the threads of pylance. Refused with a sentence: branches, detached versions, and tables with the names of
    Lance's first scheme (`LanceDataset.migrate_manifest_paths_v2` changes those)."""

    def __init__(
        self,
        store: Store,
        *,
        storage_options: Mapping[str, str] | None = None,
        deadline_s: float | None = None,
        on_unknown: Callable[[str, int, Unknown], None] | None = None,
    ) -> None:
        self.store = store
        self._storage_options = dict(storage_options) if storage_options is not None else None
        self._deadline_s = deadline_s
        self._on_unknown = on_unknown or _log_unknown
        self._url = store._url.rstrip("/")
        self._root = re.sub(r"^(s3://[^/]*/?|file:///)", "", self._url)
        self._declared: set[str] = set()

    def namespace_id(self) -> str:
        """What pylance calls it in its messages."""
        return f"oscommit.lance.Tables({self._url!r})"

    # ---------------------------------------------------------------------------------------------------- tables

    def describe_table(self, request: Any) -> Any:
        """Where a table is, or will be once it was declared here: pylance asks again for its storage options before it has
        written the first version. TableNotFoundError: it has no version."""
        table = _table_of(_fields(request))
        if table in self._declared:
            return DescribeTableResponse(**self._description(table))
        for _ in self._versions(table):
            return DescribeTableResponse(**self._description(table))
        raise TableNotFoundError(f"There is no Lance table {self._url}/{table}.")

    def declare_table(self, request: Any) -> Any:
        """Where a table will be. Writes nothing: its first version makes the table. ConfigurationError: the store needs
        a ledger and has none. NotFoundError: the bucket, or the table of the ledger, is not there. Said here, as pylance
        would call what fails later unknown."""
        table = _table_of(_fields(request))
        self._refuse_without_guard(table)
        self._declared.add(table)
        return DeclareTableResponse(**self._description(table))

    def _refuse_without_guard(self, table: str) -> None:
        """Asks by reads, and by writes that cannot be. One without the ledger that it needs is refused at once; one with it
        looks at the object before it writes a record."""
        nothing = f"{table}/_oscommit/{uuid.uuid4()}"

        def replace() -> object:
            return self.store.put(nothing, b"", mode={"e_tag": '"0"'}, deadline_s=_ASK_S)

        def create() -> object:  # without a ledger it may be able to do this alone, by the store's own conditions
            return self.store.copy(nothing, f"{nothing}-2", deadline_s=_ASK_S)

        refused = _refusal(lambda: self.store.warm(deadline_s=_ASK_S), NotFoundError)
        if refused is None and _refusal(replace, ConfigurationError):
            refused = _refusal(create, ConfigurationError)
        if refused is not None:
            raise type(refused)(
                f"Nothing can be committed to the Lance table {self._url}/{table}, and nothing was written: {refused}"
            ) from refused

    def _description(self, table: str) -> dict[str, Any]:
        return {
            "location": f"{self._url}/{table}",
            "managed_versioning": True,
            "storage_options": self._storage_options,
        }

    # -------------------------------------------------------------------------------------------------- versions

    def create_table_version(self, request: Any) -> Any:
        """Makes a version of a staged manifest, if nobody has. ConcurrentModificationError: somebody has; pylance starts its
        commit anew on that version. Any other exception: pylance looks whether the version is there, and whose it is."""
        asked = _fields(request)
        table = _table_of(asked)
        version, staged = _version_of(asked), self._key_of(asked["manifest_path"])
        final = f"{table}/{FOLDER}/{manifest_name(version)}"
        if asked.get("naming_scheme", "V2") != "V2":
            raise _of_the_first_scheme(table)
        if not staged.startswith(f"{final}-"):
            raise InvalidInputError(f"{staged} is no staged manifest of version {version} of the Lance table {table}.")
        e_tag = self._create(table, version, staged, final)
        self._declared.discard(table)
        try:
            self.store.delete(staged, deadline_s=self._deadline_s)
        except BaseError as error:
            _log.info("The staged manifest %s is left, and no longer needed: %s", staged, error)
        return CreateTableVersionResponse(version=self._version(version, final, asked.get("manifest_size"), e_tag))

    def _create(self, table: str, version: int, staged: str, final: str) -> str | None:
        try:
            # Not copied by the store: more stores honour the condition of a PUT than that of a copy.
            manifest = self.store.get(staged, deadline_s=self._deadline_s).bytes()
            return self.store.put(final, manifest, mode="create", deadline_s=self._deadline_s).e_tag
        except ConflictError as error:
            raise ConcurrentModificationError(str(error)) from error
        except Unknown as error:
            return self._settle(table, version, error)
        except BaseError as error:
            _log_not_executed(table, version, error)
            raise

    def _settle(self, table: str, version: int, doubtful: Unknown) -> str | None:
        try:
            return doubtful.settle(deadline_s=self._deadline_s).e_tag
        except ConflictError as error:
            raise ConcurrentModificationError(str(error)) from error
        except Exception as error:
            # Another failure, such as that of a store that is being closed, says nothing of the commit.
            if getattr(error, "verdict", None) == "not executed":
                _log_not_executed(table, version, error)
            else:
                self._on_unknown(table, version, error if isinstance(error, Unknown) else doubtful)
            raise

    def describe_table_version(self, request: Any) -> Any:
        """A version, or the newest. TableVersionNotFoundError."""
        asked = _fields(request)
        table = _table_of(asked)
        if asked.get("version") is None:
            for number, meta in self._versions(table):
                return DescribeTableVersionResponse(
                    version=self._version(number, meta["path"], meta["size"], meta["e_tag"])
                )
            raise TableNotFoundError(f"There is no Lance table {self._url}/{table}.")
        version = _version_of(asked)
        key = f"{table}/{FOLDER}/{manifest_name(version)}"
        try:
            meta = self.store.head(key, deadline_s=self._deadline_s)
        except NotFoundError as error:
            raise TableVersionNotFoundError(f"The Lance table {self._url}/{table} has no version {version}.") from error
        return DescribeTableVersionResponse(version=self._version(version, key, meta["size"], meta["e_tag"]))

    def list_table_versions(self, request: Any) -> Any:
        """The versions that are there, up to `limit`; none where there is no table."""
        asked = _fields(request)
        limit, newest_first = asked.get("limit"), asked.get("descending")
        found = []
        for number, meta in self._versions(_table_of(asked)):
            found.append(self._version(number, meta["path"], meta["size"], meta["e_tag"]))
            if newest_first and limit and len(found) == limit:
                break
        if not newest_first:
            found = found[::-1][:limit]
        return ListTableVersionsResponse(versions=found)

    def _versions(self, table: str) -> Iterator[tuple[int, ObjectMeta]]:
        """The newest first, which is the order of their names."""
        for page in self.store.list(f"{table}/{FOLDER}/", chunk_size=100):
            for meta in page:
                name = meta["path"].rsplit("/", 1)[1]
                number = version_of_name(name)
                if number is not None:
                    yield number, meta
                elif re.fullmatch(r"[0-9]{1,19}\.manifest", name):
                    raise _of_the_first_scheme(table)

    def _version(self, version: int, key: str, size: int | None, e_tag: str | None) -> Any:
        path = f"{self._root}/{key}" if self._root else key
        return TableVersion(version=version, manifest_path=path, manifest_size=size, e_tag=e_tag)

    def _key_of(self, path: str) -> str:
        """pylance names objects from the root of the bucket or of the file system."""
        root = f"{self._root}/" if self._root else ""
        if not path.startswith(root):
            raise InvalidInputError(f"{path} is not in the store {self._url}.")
        return path[len(root) :]


def _fields(request: Any) -> Mapping[str, Any]:
    """pylance hands over a mapping, or one of lance_namespace's models."""
    fields: Mapping[str, Any] = request if isinstance(request, Mapping) else request.model_dump()
    if fields.get("branch"):
        raise UnsupportedOperationError("Branches of a Lance table are not supported here.")
    return fields


def _table_of(asked: Mapping[str, Any]) -> str:
    parts = asked.get("id") or []
    if not parts or not all(_PART.fullmatch(part) for part in parts):
        raise InvalidInputError(
            f"The id of a table is one or more names of letters, digits and _ . = -, and this is {parts!r}."
        )
    return "/".join(parts)


def _version_of(asked: Mapping[str, Any]) -> int:
    version = int(asked["version"])
    if version < 1:  # pylance has the highest bit set in the numbers of those
        raise UnsupportedOperationError("Detached versions of a Lance table are not supported here.")
    return version


def _of_the_first_scheme(table: str) -> InvalidTableStateError:
    return InvalidTableStateError(
        f"The Lance table {table} has manifests with names of the first scheme, such as 1.manifest. Change them by "
        "LanceDataset.migrate_manifest_paths_v2(), while nobody writes."
    )
