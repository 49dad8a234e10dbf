# SPDX-License-Identifier: Apache-2.0
"""Iceberg tables without a catalog service: a catalog of pyiceberg whose pointers are objects of a store.

    catalog = PointerCatalog("lake", warehouse="s3://bucket/lake", **{"oscommit.ledger": "dynamodb://commits"})
    load_catalog("lake", **{"py-catalog-impl": "oscommit.iceberg.PointerCatalog", "warehouse": ...})    the same

The pointer of a table is `NAMESPACE/TABLE/metadata/version-hint.text` below the warehouse, and names the current metadata
file. A commit writes a new metadata file under a name that nobody else has, and then moves the pointer by `put` with the
ETag that it has read. docs/iceberg.md says what that promises, and to whom.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, NamedTuple

from oscommit._named import need

need("pyiceberg", "pyiceberg[pyarrow]")

from pyiceberg.catalog import MetastoreCatalog, PropertiesUpdateSummary
from pyiceberg.exceptions import (
    CommitFailedException,
    CommitStateUnknownException,
    NamespaceNotEmptyError,
    NoSuchNamespaceError,
    NoSuchTableError,
    NoSuchViewError,
    TableAlreadyExistsError,
)
from pyiceberg.io import FileIO
from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC, PartitionSpec
from pyiceberg.serializers import FromInputFile
from pyiceberg.table import CommitTableResponse, StagedTable, Table
from pyiceberg.table.sorting import UNSORTED_SORT_ORDER, SortOrder
from pyiceberg.table.update import TableRequirement, TableUpdate
from pyiceberg.typedef import EMPTY_DICT, Identifier, Properties
from pyiceberg.view import View

from oscommit._iceberg_options import options_of, refuse_unknown
from oscommit._types import PutMode
from oscommit.exceptions import (
    AlreadyExistsError,
    BaseError,
    BusyError,
    ConflictError,
    DeadlineError,
    NetworkError,
    NotFoundError,
    PreconditionError,
    ThrottledError,
    Unknown,
)
from oscommit.store import Store

if TYPE_CHECKING:
    import pyarrow as pa
    from pyiceberg.schema import Schema

POINTER = "version-hint.text"
_SUFFIX = ".metadata.json"
_POINTER_MAX = 512
_MAY_BE_REPEATED = (BusyError, DeadlineError, NetworkError, ThrottledError)


class CommitUnknown(CommitStateUnknownException):
    """The pointer may have been moved, or may still be: neither a success nor a failure. Delete no file of the commit, and
    do not make it again before `settle` has said what became of it. `ticket` is a line of JSON without secrets; any
    process can ask `PointerCatalog.settle` with it."""

    def __init__(self, message: str, catalog: PointerCatalog, identifier: Identifier, ticket: str | None) -> None:
        super().__init__(message)
        self.ticket = ticket
        self._catalog, self._identifier = catalog, identifier

    def __reduce__(self) -> Any:
        return type(self), (str(self), self._catalog, self._identifier, self.ticket)

    def settle(self, *, deadline_s: float | None = None) -> Table:
        """As `PointerCatalog.settle` of its ticket."""
        if self.ticket is None:
            raise ValueError("This write has no ticket: load the table, and look for the snapshot.")
        return self._catalog.settle(self._identifier, self.ticket, deadline_s=deadline_s)


class Pointer(NamedTuple):
    """A pointer as it was read."""

    metadata_location: str
    e_tag: str | None


class PointerCatalog(MetastoreCatalog):
    """A catalog of pyiceberg over a store. Namespaces are folders of the warehouse, and tables are folders in them."""

    def __init__(self, name: str, *, store: Store | None = None, **properties: str) -> None:
        """`warehouse` is the URL of the store: "s3://bucket[/prefix]" or "file:///root". Options of the store are the
        properties "oscommit.NAME", such as "oscommit.ledger" or "oscommit.guard"; "oscommit.deadline_s" is of each write.
        Endpoint, region and keys are those that pyiceberg has: "s3.endpoint" ...; what nobody names is looked for in the
        OSCOMMIT_* and AWS_* variables. A `store` that is given is used as it is, and stays the caller's.

        ConfigurationError, also of a property that nobody knows, ValueError: nothing was sent. Blocks only as
        `Store.from_url` does."""
        if store is not None:
            properties["warehouse"] = store._url
        warehouse = properties.get("warehouse")
        if not warehouse:
            raise ValueError('Name the warehouse, the URL of the store: warehouse="s3://bucket/lake".')
        refuse_unknown(properties)
        super().__init__(name, **properties)
        options = options_of(properties)
        deadline_s = options.pop("deadline_s", None)
        self._deadline_s = float(deadline_s) if deadline_s is not None else None
        self._warehouse = warehouse.rstrip("/")
        self._owns = store is None
        self._store = store or Store.from_url(warehouse, environment=True, **options)

    @property
    def store(self) -> Store:
        """Where the pointers are. `catalog.store.table(create=True)` makes the table of records, once."""
        return self._store

    def close(self) -> None:
        """Closes the store, unless it was given."""
        if self._owns:
            self._store.close()

    # -------------------------------------------------------------------------------------------------------- pointers

    def _folder(self, identifier: str | Identifier, kind: type[Exception] = NoSuchTableError) -> str:
        """Of a table, below the warehouse. `kind` is raised of a name without a namespace."""
        parts = self.identifier_to_tuple(identifier)
        if len(parts) != 2:
            raise kind(
                f'"{_dotted(identifier)}" is not the name of a table here: it has two parts, NAMESPACE.TABLE, such as '
                f'"default.{parts[-1] if parts else "events"}".'
            )
        namespace, table = parts
        for part in (namespace, table):
            if part in ("", ".", "..") or "/" in part:
                raise ValueError(f'"{part}" cannot be the name of a folder, and so not of a namespace or a table.')
        return f"{namespace}/{table}"

    def _pointer_key(self, identifier: str | Identifier) -> str:
        return f"{self._folder(identifier)}/metadata/{POINTER}"

    def _read_pointer(self, identifier: str | Identifier) -> Pointer:
        key = self._pointer_key(identifier)
        try:
            found = self._store.get(key, deadline_s=self._deadline_s)
        except NotFoundError:
            raise NoSuchTableError(f"There is no table {_dotted(identifier)}: {key} is not there.") from None
        text = found.bytes()
        folder = f"{self._warehouse}/{self._folder(identifier)}/metadata"
        return Pointer(f"{folder}/{self._named_by(text, folder, key)}", found.meta["e_tag"])

    def _named_by(self, text: bytes, folder: str, key: str) -> str:
        """A pointer of Hadoop's catalog is a number, and only a hint: a later version may be there."""
        name = text.decode("ascii", "replace").strip()
        if not _can_be_named(name):
            raise ValueError(f"The pointer {key} names no metadata file: it was not written by a catalog.")
        if name.endswith(_SUFFIX):
            return name
        if not name.isdigit():
            return name + _SUFFIX
        io, version = self._load_file_io(location=folder), int(name)
        while io.new_input(f"{folder}/v{version + 1}{_SUFFIX}").exists():
            version += 1
        return f"v{version}{_SUFFIX}"

    def _text_of(self, identifier: str | Identifier, metadata_location: str) -> bytes:
        """What a pointer says of a metadata file. Without the suffix more readers understand it."""
        folder = f"{self._warehouse}/{self._folder(identifier)}/metadata/"
        name = metadata_location[len(folder) :]
        if not metadata_location.startswith(folder) or "/" in name or not name.endswith(_SUFFIX):
            raise ValueError(
                f"The metadata file {metadata_location} is not in {folder}, where the pointer of {_dotted(identifier)} "
                "and its readers look for it. Leave location and write.metadata.path of the table as they are."
            )
        stem = name[: -len(_SUFFIX)]
        if not _can_be_named(name) or stem != stem.strip():
            raise ValueError(f"The metadata file {metadata_location} has a name that cannot stand in a pointer.")
        return (name if stem.isdigit() else stem).encode("ascii")  # a number is read as one of Hadoop's catalog

    def _move(self, identifier: str | Identifier, metadata_location: str, expected: str | None) -> None:
        """Creates the pointer, or replaces the one that has the ETag `expected`. ConflictError and others: it was not
        moved and will not be."""
        mode: PutMode = "create" if expected is None else {"e_tag": expected}
        text = self._text_of(identifier, metadata_location)
        try:
            self._store.put(self._pointer_key(identifier), text, mode=mode, deadline_s=self._deadline_s)
        except Unknown as error:
            raise self._unknown(identifier, error) from error

    def _unknown(self, identifier: str | Identifier, error: Unknown) -> CommitUnknown:
        return CommitUnknown(str(error), self, self.identifier_to_tuple(identifier), error.ticket)

    def _commit_pointer(self, identifier: str | Identifier, staged: StagedTable, expected: str | None) -> None:
        """Writes the metadata file and moves the pointer to it. Where that is certain to have failed, the file goes."""
        self._text_of(identifier, staged.metadata_location)
        self._write_metadata(staged.metadata, staged.io, staged.metadata_location)
        try:
            self._move(identifier, staged.metadata_location, expected)
        except AlreadyExistsError as error:
            _delete_quietly(staged.io, staged.metadata_location)
            raise TableAlreadyExistsError(f"There is a table {_dotted(identifier)} already.") from error
        except PreconditionError as error:
            _delete_quietly(staged.io, staged.metadata_location)
            raise CommitFailedException(f"Another writer has committed to {_dotted(identifier)}.") from error
        except _MAY_BE_REPEATED as error:
            _delete_quietly(staged.io, staged.metadata_location)
            raise CommitFailedException(str(error)) from error
        except BaseError:
            _delete_quietly(staged.io, staged.metadata_location)
            raise

    def settle(self, identifier: str | Identifier, ticket: str, *, deadline_s: float | None = None) -> Table:
        """Decides a CommitUnknown from its ticket, in any process with the same store and ledger. Blocks, until the
        evidence decides or the deadline [120 s] has passed.

        The table: the commit is in it, once. CommitFailedException: it is not, and never will be; it may be made again.
        CommitUnknown: keep the ticket of that one, and ask again later. Other exceptions say nothing of the commit, such as
        those of a table that cannot be read; ask again. NoSuchTableError: so is what a drop did, or one has come since."""
        try:
            self._store.settle(ticket, deadline_s=deadline_s)
        except Unknown as error:
            raise self._unknown(identifier, error) from error
        except BaseError as error:
            if error.verdict is None:
                raise
            raise CommitFailedException(str(error)) from error
        return self.load_table(identifier)

    # ---------------------------------------------------------------------------------------------------------- tables

    def _table_at(self, identifier: str | Identifier, metadata_location: str) -> Table:
        io = self._load_file_io(location=metadata_location)
        metadata = FromInputFile.table_metadata(io.new_input(metadata_location))
        return Table(
            identifier=self.identifier_to_tuple(identifier),
            metadata=metadata,
            metadata_location=metadata_location,
            io=self._load_file_io(metadata.properties, metadata_location),
            catalog=self,
        )

    def load_table(self, identifier: str | Identifier) -> Table:
        """The table as its pointer says now. NoSuchTableError."""
        return self._table_at(identifier, self._read_pointer(identifier).metadata_location)

    def create_table(
        self,
        identifier: str | Identifier,
        schema: Schema | pa.Schema,
        location: str | None = None,
        partition_spec: PartitionSpec = UNPARTITIONED_PARTITION_SPEC,
        sort_order: SortOrder = UNSORTED_SORT_ORDER,
        properties: Properties = EMPTY_DICT,
    ) -> Table:
        """Makes a table exactly once. TableAlreadyExistsError: another was first. CommitUnknown: see there. ValueError: a
        location elsewhere than WAREHOUSE/NAMESPACE/TABLE."""
        self._folder(identifier, ValueError)
        staged = self._create_staged_table(identifier, schema, location, partition_spec, sort_order, properties)
        self._commit_pointer(identifier, staged, None)
        # Not loaded: what fails then would look like a table that was not made.
        return Table(
            identifier=self.identifier_to_tuple(identifier),
            metadata=staged.metadata,
            metadata_location=staged.metadata_location,
            io=staged.io,
            catalog=self,
        )

    def register_table(
        self, identifier: str | Identifier, metadata_location: str, overwrite: bool = False
    ) -> Table:
        """Makes a table of a metadata file that is in the table's folder already. `overwrite` moves the pointer of a table
        that is there, if nobody else does meanwhile: CommitFailedException."""
        table = self._table_at(identifier, metadata_location)
        try:
            expected = self._read_pointer(identifier).e_tag if overwrite else None
        except NoSuchTableError:
            expected = None
        try:
            self._move(identifier, metadata_location, expected)
        except AlreadyExistsError as error:
            raise TableAlreadyExistsError(f"There is a table {_dotted(identifier)} already.") from error
        except ConflictError as error:
            raise CommitFailedException(f"Another writer has committed to {_dotted(identifier)}.") from error
        return table

    def commit_table(
        self, table: Table, requirements: tuple[TableRequirement, ...], updates: tuple[TableUpdate, ...]
    ) -> CommitTableResponse:
        """Commits exactly once, or not at all. CommitFailedException: nothing was committed; pyiceberg tries appends again.
        CommitUnknown, a CommitStateUnknownException: see there. Other exceptions: nothing was committed."""
        identifier = table.name()
        try:
            pointer = self._read_pointer(identifier)
        except NoSuchTableError:
            pointer = None
        current = self._table_at(identifier, pointer.metadata_location) if pointer else None
        staged = self._update_and_stage_table(current, identifier, requirements, updates)
        if current and staged.metadata == current.metadata:
            return _response(current)
        self._commit_pointer(identifier, staged, pointer.e_tag if pointer else None)
        return _response(staged)

    def drop_table(self, identifier: str | Identifier) -> None:
        """Deletes the pointer if nobody commits meanwhile, and no other file. CommitFailedException: somebody has."""
        pointer = self._read_pointer(identifier)
        try:
            self._store.delete(self._pointer_key(identifier), if_match=pointer.e_tag, deadline_s=self._deadline_s)
        except ConflictError as error:
            raise CommitFailedException(f"Another writer has committed to {_dotted(identifier)}.") from error
        except Unknown as error:
            raise self._unknown(identifier, error) from error

    def rename_table(self, from_identifier: str | Identifier, to_identifier: str | Identifier) -> Table:
        raise NotImplementedError("A table is where its folder is: write another one, and drop this one.")

    # ------------------------------------------------------------------------------------------------------ namespaces

    def _below(self, folder: str) -> list[str]:
        found = self._store.list_with_delimiter(folder or None)["common_prefixes"]
        return [prefix.rstrip("/").rpartition("/")[2] for prefix in found]

    def list_tables(self, namespace: str | Identifier) -> list[Identifier]:
        """Looks for the pointer of each folder of the namespace."""
        database = self.identifier_to_database(namespace, NoSuchNamespaceError)
        found = [(database, name) for name in self._below(database)]
        return [identifier for identifier in found if self._has_pointer(identifier)]

    def _has_pointer(self, identifier: Identifier) -> bool:
        try:
            self._store.head(self._pointer_key(identifier), deadline_s=self._deadline_s)
        except NotFoundError:
            return False
        return True

    def list_namespaces(self, namespace: str | Identifier = ()) -> list[Identifier]:
        return [] if namespace else [(name,) for name in self._below("")]

    def create_namespace(self, namespace: str | Identifier, properties: Properties = EMPTY_DICT) -> None:
        """Changes nothing: a namespace is there as soon as a table is in it."""
        self.identifier_to_database(namespace)
        if properties:
            raise NotImplementedError("A namespace is a folder, and folders have no properties.")

    def drop_namespace(self, namespace: str | Identifier) -> None:
        if self.list_tables(namespace):
            raise NamespaceNotEmptyError(f"There are tables in the namespace {_dotted(namespace)}.")

    def load_namespace_properties(self, namespace: str | Identifier) -> Properties:
        """There are none."""
        self.identifier_to_database(namespace, NoSuchNamespaceError)
        return {}

    def update_namespace_properties(
        self, namespace: str | Identifier, removals: set[str] | None = None, updates: Properties = EMPTY_DICT
    ) -> PropertiesUpdateSummary:
        raise NotImplementedError("A namespace is a folder, and folders have no properties.")

    # ----------------------------------------------------------------------------------------------------------- views

    def list_views(self, namespace: str | Identifier) -> list[Identifier]:
        return []

    def view_exists(self, identifier: str | Identifier) -> bool:
        return False

    def load_view(self, identifier: str | Identifier) -> View:
        raise NoSuchViewError("This catalog has no views.")

    def drop_view(self, identifier: str | Identifier) -> None:
        raise NoSuchViewError("This catalog has no views.")

    def register_view(self, identifier: str | Identifier, metadata_location: str) -> View:
        raise NotImplementedError("This catalog has no views.")


def _can_be_named(name: str) -> bool:
    return bool(name) and len(name) <= _POINTER_MAX and name.isascii() and name.isprintable() and "/" not in name


def _response(table: Table) -> CommitTableResponse:
    return CommitTableResponse.model_validate(
        {"metadata": table.metadata, "metadata-location": table.metadata_location}
    )


def _dotted(identifier: str | Identifier) -> str:
    return identifier if isinstance(identifier, str) else ".".join(identifier)


def _delete_quietly(io: FileIO, location: str) -> None:
    """The file is named by nothing. One that stays costs its bytes."""
    with contextlib.suppress(Exception):
        io.delete(location)
