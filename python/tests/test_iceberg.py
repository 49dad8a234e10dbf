# SPDX-License-Identifier: Apache-2.0
"""The catalog of pyiceberg, on both kinds of store; and what it says when a commit is in doubt."""

import contextlib
import json
import pickle
import re
import urllib.parse

import oscommit
import pytest
from iceberg_places import SCHEMA, catalog_of, ids_by_duckdb, ids_of, rows
from oscommit.iceberg import CommitUnknown, PointerCatalog
from proxy import DecidingProxy
from pyiceberg.catalog import load_catalog
from pyiceberg.exceptions import (
    CommitFailedException,
    CommitStateUnknownException,
    NamespaceNotEmptyError,
    NoSuchTableError,
    TableAlreadyExistsError,
)

POINTER = "db/events/metadata/version-hint.text"


@pytest.fixture
def catalog(place):
    catalog = catalog_of(place)
    yield catalog
    catalog.close()


@pytest.fixture
def table(catalog):
    return catalog.create_table("db.events", SCHEMA)


def test_appends_are_read_without_the_catalog(place, catalog, table):
    table.append(rows("a", "b"))
    assert ids_of(place) == ids_by_duckdb(place) == ["a", "b"]
    catalog.load_table("db.events").append(rows("c"))
    assert ids_of(place) == ids_by_duckdb(place) == ["a", "b", "c"]
    assert ids_by_duckdb(place, catalog.load_table("db.events").metadata_location) == ["a", "b", "c"]
    catalog.load_table("db.events").delete("id == 'b'")
    assert ids_of(place) == ids_by_duckdb(place) == ["a", "c"]
    pointer = catalog._store.get(POINTER).bytes().decode()
    assert f"{pointer}.metadata.json" == catalog.load_table("db.events").metadata_location.rpartition("/")[2]
    assert pointer.startswith("00003-")


def test_a_commit_on_an_old_version_is_made_again_on_the_new_one(place, catalog, table):
    other = catalog.load_table("db.events")
    table.append(rows("a"))
    other.append(rows("b"))
    assert ids_of(place) == ["a", "b"]
    assert len(other.metadata.snapshots) == 2


def test_what_cannot_be_made_again_fails_and_leaves_nothing(place, catalog, table):
    other = catalog.load_table("db.events")
    table.append(rows("a"))
    with other.transaction() as change:
        change.set_properties({"commit.retry.num-retries": "0"})
    stale = catalog.load_table("db.events")
    table.refresh().append(rows("b"))
    before = list_all(catalog)
    with pytest.raises(CommitFailedException):
        stale.append(rows("c"))
    assert ids_of(place) == ["a", "b"]
    (left,) = list_all(catalog) - before  # pyiceberg leaves the data file, and nothing names it
    assert left.endswith(".parquet")


def other_catalog(place):
    return contextlib.closing(catalog_of(place))


def list_all(catalog):
    """But the marks of folders that pyarrow makes."""
    return {meta["path"] for page in catalog._store.list("") for meta in page if not meta["path"].endswith("/")}


def test_a_table_is_made_once(catalog, table):
    before = list_all(catalog)
    with pytest.raises(TableAlreadyExistsError):
        catalog.create_table("db.events", SCHEMA)
    assert list_all(catalog) == before
    with pytest.raises(TableAlreadyExistsError):
        catalog.register_table("db.events", table.metadata_location)
    with catalog.create_table_transaction("db.more", SCHEMA) as change:
        change.set_properties({"owner": "me"})
    assert catalog.load_table("db.more").properties["owner"] == "me"


def test_a_pointer_that_moved_between_its_read_and_its_write_is_a_failed_commit(place, catalog, table, monkeypatch):
    """The window that only the guard closes: the requirements held when they were looked at."""
    move = PointerCatalog._move
    raced = []

    def move_late(self, identifier, metadata_location, expected):
        if not raced:
            raced.append(True)
            with other_catalog(place) as other:
                other.load_table("db.events").append(rows("first"))
        move(self, identifier, metadata_location, expected)

    monkeypatch.setattr(PointerCatalog, "_move", move_late)
    table.append(rows("second"))
    assert raced and ids_of(place) == ["first", "second"]


def test_names_and_drops(place, catalog, table):
    assert catalog.list_tables("db") == [("db", "events")] and catalog.list_tables("none") == []
    assert ("db",) in catalog.list_namespaces()
    assert catalog.table_exists("db.events") and not catalog.table_exists("db.none")
    with pytest.raises(NamespaceNotEmptyError):
        catalog.drop_namespace("db")
    location = table.metadata_location
    catalog.drop_table("db.events")
    with pytest.raises(NoSuchTableError):
        catalog.load_table("db.events")
    again = catalog.register_table("db.events", location)
    again.append(rows("a"))
    assert ids_of(place) == ["a"]
    before = catalog.register_table("db.events", location, overwrite=True)  # back to where it was
    assert before.metadata.snapshots == [] and ids_of(place) == []
    catalog.purge_table("db.events")
    assert not catalog.table_exists("db.events") and POINTER not in list_all(catalog)
    assert not [name for name in list_all(catalog) if location.endswith(name)]


def test_metadata_that_readers_would_not_find_is_refused_before_it_is_written(catalog, table):
    before = list_all(catalog)
    with pytest.raises(ValueError, match="write.metadata.path"):
        with table.transaction() as change:
            change.set_properties({"write.metadata.path": table.location() + "/elsewhere"})
    with pytest.raises(ValueError, match="is not in"):
        catalog.create_table("db.more", SCHEMA, location=table.location() + "-2")
    assert list_all(catalog) == before
    for name in ("events", ("a", "db", "events")):
        for refused in (catalog.load_table, catalog.drop_table):
            with pytest.raises(NoSuchTableError, match=r'has two parts, NAMESPACE.TABLE, such as "default.events"'):
                refused(name)
        with pytest.raises(ValueError, match="NAMESPACE.TABLE"):
            catalog.create_table(name, SCHEMA)
        assert not catalog.table_exists(name)
    for name in (("db", "a/b"), ("db", ".."), ("", "x")):
        with pytest.raises(ValueError, match="cannot be the name"):
            catalog.load_table(name)


def test_a_pointer_is_read_as_the_name_that_it_was_given(catalog, table):
    """A number would be a version of Hadoop's catalog."""
    store, folder = catalog._store, "db/events/metadata/"
    metadata = store.get(folder + table.metadata_location.rpartition("/")[2]).bytes()
    for name in ("7", "v7"):
        store.put(f"{folder}{name}.metadata.json", metadata)
        location = f"{table.location()}/metadata/{name}.metadata.json"
        catalog.register_table("db.events", location, overwrite=True)
        assert catalog.load_table("db.events").metadata_location == location
    before = store.get(POINTER).bytes()
    for name in (" 7", "\u00fc", "7" * 600):
        with pytest.raises(ValueError, match="cannot stand in a pointer"):
            catalog._move("db.events", f"{table.location()}/metadata/{name}.metadata.json", "*")
    assert store.get(POINTER).bytes() == before


def test_a_pointer_that_names_no_file_is_told(catalog):
    for text in (b"", b"../../other", b"\xff\xfe", b"x" * 600):
        catalog._store.put(POINTER, text)
        with pytest.raises(ValueError, match="names no metadata file"):
            catalog.load_table("db.events")


def test_a_table_of_a_hadoop_catalog_goes_on_from_its_newest_version(place, catalog, table):
    """Its pointer is a number, which may lag behind."""
    table.append(rows("a"))
    store, folder = catalog._store, "db/events/metadata/"
    first, last = (entry.rpartition("/")[2] for entry in (table.metadata.metadata_log[0].metadata_file, table.metadata_location))
    for number, name in ((1, first), (2, last)):
        store.put(f"{folder}v{number}.metadata.json", store.get(folder + name).bytes())
    store.put(folder + "version-hint.text", b"1\n")
    hadoop = catalog.load_table("db.events")
    assert hadoop.metadata_location.endswith("/v2.metadata.json")
    hadoop.append(rows("b"))
    assert ids_of(place) == ["a", "b"]


def test_the_catalog_is_made_by_its_name_and_pickled(place, catalog, table):
    table.append(rows("a"))
    named = load_catalog("lake", **{**catalog.properties, "py-catalog-impl": "oscommit.iceberg.PointerCatalog"})
    copied = pickle.loads(pickle.dumps(named))
    for one in (named, copied):
        assert one.load_table("db.events").scan().to_arrow()["id"].to_pylist() == ["a"]
        one.close()
    with place.open() as store:
        given = PointerCatalog("lake", store=store, **catalog.properties)
        assert given.load_table("db.events").metadata_location == table.metadata_location
        given.close()
        assert not store.closed
    with pytest.raises(ValueError, match="warehouse"):
        PointerCatalog("lake")
    with pytest.raises(oscommit.exceptions.UnknownConfigurationKeyError):
        PointerCatalog("lake", **{**catalog.properties, "oscommit.nonsense": "1"})


# ------------------------------------------------------------------------------------------------------- in doubt


@pytest.fixture
def behind(minio):
    """A proxy before MinIO."""
    where = urllib.parse.urlsplit(minio.options["s3_endpoint"])
    proxy = DecidingProxy(where.hostname, where.port)
    yield proxy
    proxy.close()


def append_in_doubt(minio, proxy, what):
    """From the first write of the pointer on, nothing is heard of the store. Gives a catalog that works, and what the
    append raised."""
    with other_catalog(minio) as catalog:
        catalog.create_table("db.events", SCHEMA).append(rows("a"))
    catalog = catalog_of(minio, proxy.url, **{"oscommit.deadline_s": "4"})
    table = catalog.load_table("db.events")
    harmed = []

    def decide(method, path):
        if method == "PUT" and path.endswith(POINTER):
            harmed.append(path)
            return what if len(harmed) == 1 else "refuse"
        return "refuse" if harmed else None

    proxy.decide = decide
    with pytest.raises(CommitStateUnknownException) as caught:
        table.append(rows("b"))
    proxy.decide = None
    assert harmed and isinstance(caught.value, CommitUnknown)
    return catalog, caught.value


def test_a_commit_whose_answer_is_lost_is_unknown_and_then_settled(minio, behind):
    catalog, error = append_in_doubt(minio, behind, "lose")
    assert json.loads(error.ticket)
    carried = pickle.loads(pickle.dumps(error))  # another process decides it
    assert carried.ticket == error.ticket
    for one in (error, carried):
        assert one.settle().metadata_location == catalog.load_table("db.events").metadata_location
    assert ids_of(minio) == ["a", "b"]
    catalog.close()


def test_a_commit_that_never_arrived_is_settled_as_failed_and_may_be_made_again(minio, behind):
    catalog, error = append_in_doubt(minio, behind, "refuse")
    doubtful = [name for name in list_all(catalog) if re.search(r"/00002-[^/]*\.metadata\.json$", name)]
    assert len(doubtful) == 1  # it may be named yet
    with pytest.raises(CommitFailedException):
        error.settle()
    assert ids_of(minio) == ["a"]
    catalog.load_table("db.events").append(rows("b"))
    assert ids_of(minio) == ["a", "b"]
    catalog.close()


def test_a_table_that_was_made_is_given_although_nothing_answers_any_more(minio, behind):
    made = []

    def decide(method, path):
        if made:
            return "refuse"
        if method == "PUT" and path.endswith(POINTER):
            made.append(path)
        return None

    behind.decide = decide
    with contextlib.closing(catalog_of(minio, behind.url, **{"oscommit.deadline_s": "4"})) as catalog:
        table = catalog.create_table("db.events", SCHEMA)
        behind.decide = None
        assert made and table == catalog.load_table("db.events")
        table.append(rows("a"))
    assert ids_of(minio) == ["a"]


def test_a_ticket_is_not_lost_by_asking_in_the_wrong_place(minio, behind, tmp_path):
    catalog, error = append_in_doubt(minio, behind, "lose")
    oscommit.init(str(tmp_path))
    with contextlib.closing(PointerCatalog("other", warehouse=tmp_path.as_uri())) as other:
        with pytest.raises(CommitUnknown) as again:
            other.settle("db.events", error.ticket)
    assert again.value.ticket == error.ticket
    catalog.settle("db.events", again.value.ticket)
    catalog.close()
