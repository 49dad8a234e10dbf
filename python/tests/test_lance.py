# SPDX-License-Identifier: Apache-2.0
"""Lance tables: what pylance does through oscommit.lance.Tables and under oscommit.lance.commit_lock.

Runs: docs/lance.md"""

import datetime
import json
import os
import re
import threading

import oscommit
import pytest
from conftest import ROOT
from lance_place import judge, make_rows, pylance, read, rows, storage_options, uri_with_rows
from oscommit import exceptions

STAGED = "events/_versions/18446744073709551613.manifest-1"


@pytest.fixture
def lance():
    return pylance()


class Way:
    """One of the two ways to write a table: what pylance's functions are called with."""

    def __init__(self, lance, kind, place, store, endpoint=None, **more):
        import oscommit.lance as ours

        self.lance, options = lance, storage_options(place, endpoint)
        if kind == "rows":
            self.where, self.options = (more["uri"],), {"storage_options": {**options, **more["storage_options"]}}
        elif kind == "tables":
            self.lock, self.where = None, ()
            self.tables = ours.Tables(store, storage_options=options, **more)
            self.options = {"namespace_client": self.tables, "table_id": ["events"]}
        else:
            self.lock, self.where = ours.commit_lock(store, "events", **more), (f"{place.url}/events",)
            self.options = {"commit_lock": self.lock, "storage_options": options}

    def write(self, identity, mode="append"):
        return self.lance.write_dataset(rows(identity), *self.where, mode=mode, **self.options)

    def open(self):
        return self.lance.dataset(*self.where, **self.options)


@pytest.mark.parametrize("kind", ["tables", "lock"])
def test_everything_that_pylance_does_to_a_table(lance, place, store, kind):
    way = Way(lance, kind, place, store)
    way.write("a", mode="create")
    way.write("b")
    way.write("c")
    table = way.open()
    table.delete("id = 'a'")
    table.update({"id": "'z'"}, where="id = 'b'")
    table.create_scalar_index("id", "BTREE")
    table.optimize.compact_files()
    newest = table.version
    assert newest >= 6
    assert [version["version"] for version in table.versions()] == list(range(1, newest + 1))
    assert sorted(read(lance, place)[1]) == ["c", "z"]
    assert read(lance, place, 3) == (3, ["a", "b", "c"])
    staged = [meta["path"] for page in store.list("events/_versions/") for meta in page if ".manifest-" in meta["path"]]
    assert staged == []
    with pytest.raises(OSError, match="already exists"):
        way.write("other", mode="create")
    table.cleanup_old_versions(older_than=datetime.timedelta(0), delete_unverified=True)
    assert [version["version"] for version in way.open().versions()] == [newest]
    way.write("d")
    assert read(lance, place)[0] == newest + 1


@pytest.mark.parametrize("kind", ["tables", "lock"])
def test_who_loses_a_version_takes_the_next_one(lance, minio, kind):
    from plain_store import PlainStore

    plain = PlainStore(minio.options["s3_endpoint"])
    with minio.open(guard="record") as store:
        first, second = (Way(lance, kind, minio, store), Way(lance, kind, minio, store, plain.url))
        first.write("a", mode="create")
        other = []

        def overtake(method, path):
            if method == "PUT" and "/_transactions/" in path and not other:
                other.append(first.write("b").version)

        plain.decide = overtake
        assert second.write("c").version == 3 and other == [2]
        assert judge(lance, minio) == ["a", "b", "c"]
        direct = [path for method, path, _, _ in plain.seen if method == "PUT" and path.endswith(".manifest")]
        assert len(direct) == (kind == "lock")
    plain.close()


def test_beside_writers_who_use_the_condition_of_the_store(lance, minio):
    """As pylance does without a lock. One of them comes between our look and our write."""
    from test_lance_race import Between

    options, other = storage_options(minio), []

    def overtake(method, path, when):
        if method == "PUT" and path.endswith(".manifest") and when == "before" and not other:
            uri = f"{minio.url}/events"
            other.append(lance.write_dataset(rows("b"), uri, mode="append", storage_options=options).version)
        return False

    between = Between(minio.options["s3_endpoint"], overtake)
    with minio.open(guard="both") as store, minio.open(guard="both", s3_endpoint=between.url) as late:
        Way(lance, "tables", minio, store).write("a", mode="create")
        assert Way(lance, "tables", minio, late).write("c").version == 3
    between.close()
    assert other == [2]
    assert judge(lance, minio) == ["a", "b", "c"]


def test_a_commit_whose_answer_is_lost_is_made_once(lance, proxy, minio):
    harmful, place = proxy
    with place.open(guard="record") as store:
        way = Way(lance, "tables", minio, store)
        way.write("a", mode="create")
        harmful.lose("18446744073709551613.manifest")
        healed = threading.Thread(target=lambda: harmful.applied.wait(60) and harmful.heal())
        healed.start()
        assert way.write("b").version == 2
        healed.join()
    assert judge(lance, minio) == ["a", "b"]


def test_a_commit_that_nobody_can_decide_is_unknown_and_has_a_ticket(lance, proxy, minio):
    harmful, place = proxy
    told = []
    with place.open(guard="record") as store:
        way = Way(lance, "tables", minio, store, deadline_s=3, on_unknown=lambda *what: told.append(what))
        way.write("a", mode="create")
        harmful.lose("18446744073709551613.manifest")
        with pytest.raises(OSError, match="unknown"):
            way.write("b")
        [(table, version, error)] = told
        assert (table, version, error.verdict) == ("events", 2, "unknown")
        harmful.heal()
        assert store.settle(error.ticket).e_tag
    assert judge(lance, minio) == ["a", "b"]


def test_the_ticket_is_told_although_its_question_fails(lance, proxy, minio, monkeypatch):
    """As of a store that is being closed."""
    harmful, place = proxy
    told = []

    def settle(self, **_):
        raise ValueError("The store is closed.")

    monkeypatch.setattr(oscommit.Unknown, "settle", settle)
    with place.open(guard="record") as store:
        way = Way(lance, "tables", minio, store, deadline_s=3, on_unknown=lambda *what: told.append(what))
        way.write("a", mode="create")
        harmful.lose("18446744073709551613.manifest")
        with pytest.raises(OSError, match="unknown"):
            way.write("b")
        harmful.heal()
        [(table, version, error)] = told
        assert (table, version) == ("events", 2) and store.settle(error.ticket).e_tag
    assert judge(lance, minio) == ["a", "b"]


def test_what_tables_refuse(lance, embedded):
    import lance_namespace as names

    with embedded.open() as store:
        tables = Way(lance, "tables", embedded, store).tables
        create, version = tables.create_table_version, {"id": ["events"], "version": 2}
        path = store._url[len("file:///") :] + "/" + STAGED
        for refused, request, kind in (
            (create, {**version, "manifest_path": "elsewhere/" + STAGED}, names.InvalidInputError),
            (create, {**version, "manifest_path": path.replace("613", "612")}, names.InvalidInputError),
            (create, {**version, "manifest_path": path, "naming_scheme": "V1"}, names.InvalidTableStateError),
            (create, {**version, "manifest_path": path, "branch": "b"}, names.UnsupportedOperationError),
            (create, {**version, "version": -5, "manifest_path": path}, names.UnsupportedOperationError),
            (create, {**version, "manifest_path": path}, oscommit.NotFoundError),
            (tables.describe_table, {"id": ["events"]}, names.TableNotFoundError),
            (tables.describe_table, {"id": []}, names.InvalidInputError),
            (tables.describe_table, {"id": ["a", ".."]}, names.InvalidInputError),
            (tables.describe_table_version, version, names.TableVersionNotFoundError),
            (tables.describe_table_version, {"id": ["events"]}, names.TableNotFoundError),
        ):
            with pytest.raises(kind):
                refused(request)
        assert tables.list_table_versions(version).versions == []
        lance.write_dataset(rows("a"), f"{embedded.url}/old", enable_v2_manifest_paths=False)
        with pytest.raises(names.InvalidTableStateError, match="migrate_manifest_paths_v2"):
            tables.describe_table({"id": ["old"]})
        lance.dataset(f"{embedded.url}/old").migrate_manifest_paths_v2()
        lance.write_dataset(rows("b"), namespace_client=tables, table_id=["old"], mode="append")
        old = tables.list_table_versions({"id": ["old"], "limit": 1})
        assert [found.version for found in old.versions] == [1]
        newest = tables.describe_table_version({"id": ["old"]}).version
        assert (newest.version, newest.manifest_size > 0) == (2, True)


def test_a_store_that_needs_a_ledger_and_has_none_is_refused_before_anything_is_written(lance, minio):
    nowhere = {**minio.options, "ledger": f"{minio.options['ledger']}-none"}
    none = {name: value for name, value in minio.options.items() if name != "ledger"}
    for options, kind, said in (
        (none, exceptions.ConfigurationError, r"needs a ledger: set ledger_url"),
        (nowhere, exceptions.NotFoundError, r"Create the table with `oscommit table create --ledger "),
    ):
        with oscommit.Store.from_url(minio.url, **options) as store:
            with pytest.raises(kind, match=f"Nothing can be committed to the Lance table .*, and nothing was written: .*{said}"):
                Way(lance, "tables", minio, store).write("a", mode="create")
            assert [meta for page in store.list("") for meta in page] == []


def test_a_table_is_declared_without_a_record_or_an_object(lance, minio):
    with minio.open(guard="record") as store:
        Way(lance, "tables", minio, store).tables.declare_table({"id": ["events"]})
        assert [meta for page in store.list("") for meta in page] == []
        requests = store.metrics()["requests"]
    assert set(requests) == {"HEAD bucket", "HEAD", "LIST", "table"} and requests["table"]["count"] == 1  # a GetItem


def test_what_was_certainly_not_committed_is_told_although_pylance_calls_it_unknown(lance, minio, caplog):
    """As of an append by a program that has not the ledger of the table's maker."""
    with minio.open() as store:
        Way(lance, "tables", minio, store).write("a", mode="create")
    options = {name: value for name, value in minio.options.items() if name != "ledger"}
    with oscommit.Store.from_url(minio.url, **options) as store, caplog.at_level("WARNING", "oscommit"):
        with pytest.raises(OSError, match="unknown"):
            Way(lance, "tables", minio, store).write("b")
    [told] = [record.getMessage() for record in caplog.records if record.name == "oscommit"]
    assert told.startswith("Version 2 of the Lance table events was not committed by this attempt and never will be")
    assert "needs a ledger: set ledger_url" in told
    assert judge(lance, minio) == ["a"]


# ------------------------------------------------------------------------------------------------------------ claims


def test_the_claim_of_a_holder_who_is_gone_stands_until_somebody_breaks_it(lance, place, store):
    import oscommit.lance as ours

    way = Way(lance, "lock", place, store, wait_s=0.2)
    way.write("a", mode="create")
    way.lock(2).__enter__()  # and never leaves
    with pytest.raises(OSError, match="break_claim"):
        way.write("b")
    [claim] = ours.claims(store, "events")
    assert (claim.version, claim.ended) == (2, False) and ":" in claim.holder
    ours.break_claim(store, "events", 2)
    assert ours.claims(store, "events") == []
    with pytest.raises(oscommit.NotFoundError):
        ours.break_claim(store, "events", 3)
    assert way.write("c").version == 2
    assert judge(lance, place) == ["a", "c"]


def test_a_commit_that_failed_has_its_version_for_as_long_as_its_write_may_come(lance, minio, monkeypatch):
    import oscommit.lance as ours
    from oscommit import _lance_claims

    with minio.open() as store:
        way = Way(lance, "lock", minio, store, wait_s=0.2)
        way.write("a", mode="create")
        claim = way.lock(2)
        claim.__enter__()
        claim.__exit__(OSError, OSError("commit failed"), None)
        with pytest.raises(OSError, match="its write may still come"):
            way.write("b")
        [found] = ours.claims(store, "events")
        assert found.ended
        monkeypatch.setattr(_lance_claims, "LATE_S", 2)
        way.lock.wait_s = 60
        assert way.write("c").version == 2
        assert judge(lance, minio) == ["a", "c"]
        with pytest.raises(ValueError, match="at least"):
            ours.commit_lock(store, "events", holder_gone_after_s=1)


def test_what_stands_under_a_claim_and_is_none(lance, embedded):
    import oscommit.lance as ours

    with embedded.open() as store:
        way = Way(lance, "lock", embedded, store, wait_s=0.1)
        way.write("a", mode="create")
        for number, body in enumerate((b"", b"[]", json.dumps({"state": "ended"}).encode())):
            store.put(f"events/_oscommit/claims/{2 + number:020}.json", body)
        assert [claim.ended for claim in ours.claims(store, "events")] == [False] * 3
        with pytest.raises(OSError, match="claimed by somebody"):
            way.write("b")


def test_a_version_that_was_removed_is_not_made_again(lance, embedded):
    from lance.commit import CommitConflictError

    with embedded.open() as store:
        way = Way(lance, "lock", embedded, store)
        way.write("a", mode="create")
        for identity in "bc":
            way.write(identity)
        way.open().cleanup_old_versions(older_than=datetime.timedelta(0), delete_unverified=True)
        with pytest.raises(CommitConflictError, match="in the past"):
            way.lock(2).__enter__()


class Stopped:
    """A writer that is stopped before its manifest is sent, which the store has seen nothing of."""

    def __init__(self, lance, kind, place, store, plain, **more):
        self.reached, self.goes_on = threading.Event(), threading.Event()
        plain.decide = self._decide
        self.way = Way(lance, kind, place, store, plain.url, **more)
        self.thread = threading.Thread(target=self._write)
        self.version = self.error = None

    def _decide(self, method, path):
        if method == "PUT" and ".manifest" in path and not self.reached.is_set():
            self.reached.set()
            assert self.goes_on.wait(120)

    def _write(self):
        try:
            self.version = self.way.write("stopped").version
        except OSError as error:
            self.error = error

    def __enter__(self):
        self.thread.start()
        assert self.reached.wait(60)
        return self

    def __exit__(self, *_):
        self.goes_on.set()
        self.thread.join()


@pytest.fixture
def plain(minio):
    from plain_store import PlainStore

    store = PlainStore(minio.options["s3_endpoint"])
    yield store
    store.close()


def test_a_writer_that_was_stopped_overwrites_nothing(lance, minio, plain):
    with minio.open(guard="record") as store:
        other = Way(lance, "tables", minio, store)
        other.write("a", mode="create")
        with Stopped(lance, "tables", minio, store, plain) as stopped:
            assert other.write("b").version == 2
        assert stopped.version == 3
    assert judge(lance, minio) == ["a", "b", "stopped"]


def test_a_writer_of_rows_overwrites_a_version_that_has_none(lance, minio, plain):
    """Why `s3+ddb://` and Tables do not mix."""
    uri, endpoint = uri_with_rows(minio, make_rows(minio)[0]), {"dynamodb_endpoint": minio.options["dynamodb_endpoint"]}
    with minio.open(guard="record") as store:
        ours = Way(lance, "tables", minio, store)
        ours.write("a", mode="create")
        with Stopped(lance, "rows", minio, store, plain, uri=uri, storage_options=endpoint) as stopped:
            assert ours.write("b").version == 2
            assert read(lance, minio) == (2, ["a", "b"])
        assert (stopped.version, stopped.error) == (2, None)
        assert read(lance, minio) == (2, ["a", "stopped"])


def test_nobody_gets_the_version_of_a_holder_that_was_stopped(lance, minio, plain):
    with minio.open(guard="record") as store:
        other = Way(lance, "lock", minio, store, wait_s=0.5)
        other.write("a", mode="create")
        with Stopped(lance, "lock", minio, store, plain) as stopped:
            with pytest.raises(OSError, match="is claimed by"):
                other.write("b")
        assert stopped.version == 2
        assert other.write("c").version == 3
    assert judge(lance, minio) == ["a", "stopped", "c"]


def test_what_holder_gone_after_s_costs_if_the_holder_was_only_stopped(lance, minio, plain, monkeypatch):
    """The schedule that docs/lance.md tells: it is why this is not the default."""
    from oscommit import _lance_claims

    monkeypatch.setattr(_lance_claims, "LATE_S", 2)
    with minio.open(guard="record") as store:
        other = Way(lance, "lock", minio, store, wait_s=60, holder_gone_after_s=2)
        other.write("a", mode="create")
        with Stopped(lance, "lock", minio, store, plain) as stopped:
            assert other.write("b").version == 2
            assert read(lance, minio) == (2, ["a", "b"])
        assert stopped.version == 2
    assert read(lance, minio) == (2, ["a", "stopped"])


def test_a_claim_that_was_broken_cannot_be_ended(lance, embedded, caplog):
    import oscommit.lance as ours

    with embedded.open() as store:
        claim = ours.commit_lock(store, "events")(1)
        claim.__enter__()
        ours.break_claim(store, "events", 1)
        claim.__exit__(OSError, OSError("commit failed"), None)
        assert "The claim of version 1 of events is left" in caplog.text
        assert ours.claims(store, "events") == []


# --------------------------------------------------------------------------------------------------------- documents


def test_the_examples_of_the_document_run(lance, minio, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with open(os.path.join(ROOT, "docs", "lance.md"), encoding="utf-8") as file:
        text = file.read()
    assert f"pylance=={lance.__version__}" in text
    options = storage_options(minio)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):  # as with a role, the options have no keys
        monkeypatch.setenv(name, options.pop(name.lower().removeprefix("aws_")))
    names = {"PLACE": {"url": minio.url, **minio.options}, "OPTIONS": options}
    examples = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    assert len(examples) == 6
    for example in examples:
        for shown, run in (
            ("/tmp/", f"{tmp_path}/"),
            ("http://localhost:9000", minio.options["s3_endpoint"]),
            ("http://localhost:8000", minio.options["dynamodb_endpoint"]),
            ('access_key_id": "minioadmin"', f'access_key_id": "{minio.options["access_key_id"]}"'),
            ('secret_access_key": "minioadmin"', f'secret_access_key": "{minio.options["secret_access_key"]}"'),
            ('ledger="dynamodb://commits",\n', f'ledger="{minio.options["ledger"]}",\n'),
            ('"s3://bucket", ledger="dynamodb://commits"', "**PLACE"),
            ('{"region": "eu-central-1"}', "OPTIONS"),
            ("s3://bucket/", f"{minio.url}/"),
        ):
            example = example.replace(shown, run)
        if "break_claim" in example:
            names["lock"](3).__enter__()  # a holder that is gone
        exec(compile(example, "docs/lance.md", "exec"), names)
    assert names["dataset"].count_rows() == 2
    assert names["claim"].version == 3 and oscommit.lance.claims(names["store"], "log") == []
    unknown = exceptions.Unknown("told")
    unknown.ticket = "a ticket"
    names["keep"]("events", 4, unknown)
    assert (tmp_path / "events-4.ticket").read_text() == "a ticket"
    names["store"].close()


def test_what_the_document_names_is_there():
    with open(os.path.join(ROOT, "docs", "lance.md"), encoding="utf-8") as file:
        named = set(re.findall(r"`(test_[a-z_]+)`", file.read()))
    assert named and named <= set(globals())
