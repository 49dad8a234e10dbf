# SPDX-License-Identifier: Apache-2.0
"""Versioned documents as a mapping."""

import asyncio
import contextlib
import signal
import sqlite3
import threading
import time

import oscommit
import pytest
from oscommit import DocumentVersions, DocumentWrite, PreconditionError, documents, exceptions


@pytest.fixture
def docs(tables):
    opened = tables.documents(parallelism=4)
    opened.table(create=True)
    opened.table()
    return opened


def test_a_document_is_written_read_and_deleted(docs):
    with pytest.raises(KeyError):
        docs["device", "pump"]
    assert ("device", "pump") not in docs and docs.get(("device", "pump")) is None
    first = docs.write("device", "pump", reported={"on": True}, client_token="me")
    assert first == DocumentVersions(1, 0)
    second = docs.write("device", "pump", desired={"on": False, "speeds": [1, 2.5]}, after=first)
    assert second == DocumentVersions(1, 1)
    found = docs["device", "pump"]
    assert (found.id, found.name, found.exists) == ("device", "pump", True)
    assert found.reported.value == {"on": True} and found.reported.client_token.startswith("me#")
    assert found.reported.timestamp_ns > 1_700_000_000 * 10**9
    assert found.desired.value == {"on": False, "speeds": [1, 2.5]}
    both = docs.write("device", "pump", reported={"on": False}, desired={}, after=found)
    assert both == DocumentVersions(2, 2)
    docs.delete("device", "pump", reported=False, after=both)
    assert docs["device", "pump"].desired_version == 0
    docs.delete("device", "pump", desired=False)
    assert ("device", "pump") not in docs


def test_a_delete_leaves_what_it_has_not_seen(docs):
    seen = docs.write("device", "pump", reported={"on": True})
    docs.write("device", "pump", desired={"on": False}, after=seen)
    docs.delete("device", "pump", after=seen)
    assert (docs["device", "pump"].reported_version, docs["device", "pump"].desired_version) == (0, 1)
    with pytest.raises(ValueError, match="has seen no model"):
        docs.delete("device", "pump", desired=False, after=DocumentVersions(0, 1))
    docs.delete("device", "pump")
    assert ("device", "pump") not in docs


def test_another_version_is_a_conflict_that_tells_it(docs):
    seen = docs.write("device", "pump", reported={"n": 1})
    docs.write("device", "pump", reported={"n": 2}, after=seen)
    with pytest.raises(PreconditionError, match="another version") as caught:
        docs.write("device", "pump", reported={"n": 3}, after=seen)
    assert caught.value.versions == DocumentVersions(2, 0) and caught.value.verdict == "conflict"
    with pytest.raises(PreconditionError):
        docs.write("device", "pump", reported={"n": 3})
    with pytest.raises(PreconditionError) as caught:
        docs.delete("device", "pump", desired=False, after=seen)
    assert caught.value.versions.reported_version == 2
    assert docs["device", "pump"].reported.value == {"n": 2}


def test_both_models_in_one_item(tables):
    docs = tables.documents(combined=True)
    docs.table(create=True)
    first = docs.write("device", "pump", reported={"a": 1}, desired={"b": 2})
    assert first == DocumentVersions(1, 1)
    with pytest.raises(exceptions.InvalidPathError, match="both"):
        docs.write("device", "pump", reported={"a": 1}, after=first)
    with pytest.raises(PreconditionError) as caught:
        docs.write("device", "pump", reported={}, desired={})
    assert caught.value.versions == first
    assert [entry.kind for entry in docs.list()] == ["combined"]


@pytest.mark.parametrize("together", [False, True])
def test_one_model_goes_as_a_transaction(tmp_path, together):
    """A file remembers the tokens of transactions, and of nothing else."""
    path = tmp_path / "tables.db"
    with oscommit.Client.from_url(f"sqlite://{path}") as client:
        docs = client.documents(together=together)
        docs.table(create=True)
        first = docs.write("device", "pump", reported={"n": 1})
        with pytest.raises(PreconditionError):
            docs.write("device", "pump", reported={"n": 2})
        docs.delete("device", "pump", desired=False, after=first)
    with contextlib.closing(sqlite3.connect(path)) as file:
        (tokens,) = file.execute("SELECT count(*) FROM rows_tokens").fetchone()
    assert tokens == (2 if together else 0)


def test_many_are_written_and_read(docs):
    names = [("device", str(i)) for i in range(150)]
    docs.write("device", "7", reported={})
    results = docs.write_all([DocumentWrite(*name, reported={"name": name[1]}) for name in names])
    assert [isinstance(result, PreconditionError) for result in results] == [name[1] == "7" for name in names]
    assert results[8] == DocumentVersions(1, 0)
    found = docs.read([*names, ("device", "none")])
    assert [one.name for one in found] == [*(name for _, name in names), "none"]
    assert found[8].reported.value == {"name": "8"} and not found[-1].exists
    docs.write("other", "1", desired={})
    assert len(docs) == 151 and set(docs) == {*names, ("other", "1")}
    (entry,) = docs.list("other")
    assert (entry.id, entry.name, entry.kind, entry.version) == ("other", "1", "desired", 1)


def test_each_write_has_its_result_whatever_it_came_in(docs):
    writes = (DocumentWrite("device", str(i), reported={}) for i in range(2))
    assert docs.write_all(writes) == [DocumentVersions(1, 0)] * 2


async def test_each_write_has_its_result_though_the_list_changes(docs):
    writes = [DocumentWrite("device", str(i), reported={}) for i in range(2)]
    task = asyncio.ensure_future(docs.write_all_async(writes))
    await asyncio.sleep(0)
    writes.clear()
    assert await task == [DocumentVersions(1, 0)] * 2


def test_what_a_document_cannot_be(docs, tables):
    with pytest.raises(exceptions.InvalidPathError):
        docs.write("", "pump", reported={})
    with pytest.raises(exceptions.InvalidPathError):
        docs.write("device", "pump")
    with pytest.raises(ValueError, match="JSON"):
        docs.write("device", "pump", reported={"n": float("inf")})
    with pytest.raises(ValueError, match='Document "pump" of "device": the value is no JSON'):
        docs.write("device", "pump", reported={"n": object()})
    with pytest.raises(TypeError):
        docs.write("device", 5, reported={})
    with pytest.raises(TypeError, match="1 is neither"):
        docs.write("device", "pump", reported={}, after=1)
    with pytest.raises(TypeError, match="1 is neither"):
        docs.delete("device", "pump", after=1)
    with pytest.raises(TypeError, match=r"DocumentWrite\(id, name, ...\)"):
        docs.write_all([("device", "pump")])
    for key in ("device", ("device",), ("device", "pump", "more")):
        with pytest.raises(TypeError, match="by its id and its name"):
            docs[key]
    with pytest.raises(exceptions.NotFoundError):
        tables.documents("none-of-this-name").read([("device", "pump")])
    assert not list(docs)


def test_a_write_without_an_answer_is_unknown(silent_client):
    docs = silent_client.documents()
    with pytest.raises(oscommit.Unknown) as caught:
        docs.write("device", "pump", reported={}, deadline_s=2)
    ticket = caught.value.ticket
    assert ticket.startswith("{") and caught.value.verdict == "unknown"
    with pytest.raises(oscommit.Unknown):
        docs.resolve(ticket, deadline_s=1)


def test_a_ticket_is_decided_where_the_table_answers(docs):
    with pytest.raises(oscommit.Unknown, match="ticket"):
        docs.resolve("{}")


async def test_documents_without_blocking(tables):
    docs = tables.documents()
    with pytest.raises(exceptions.NotFoundError):
        await docs.table_async()
    await docs.table_async(create=True)
    first = await docs.write_async("device", "pump", reported={"on": True}, client_token="me")
    second = await docs.write_async("device", "pump", desired={"on": False}, after=first)
    assert second == DocumentVersions(1, 1)
    with pytest.raises(PreconditionError) as caught:
        await docs.write_async("device", "pump", reported={"on": None}, after=DocumentVersions(7, 1))
    assert caught.value.versions.reported_version == 1
    (found,) = await docs.read_async([("device", "pump")])
    assert (found.reported.value, found.desired.value) == ({"on": True}, {"on": False})
    await docs.delete_async("device", "pump", reported=False, after=found)
    assert [entry.kind for entry in await docs.list_async()] == ["reported"]
    with pytest.raises(PreconditionError):
        await docs.delete_async("device", "pump", desired=False, after=DocumentVersions(7, 0))
    with pytest.raises(oscommit.Unknown, match="ticket"):
        await docs.resolve_async("{}")


async def test_many_are_written_at_once(docs):
    results = await asyncio.gather(*(docs.write_async("device", str(i), reported={"n": i}) for i in range(150)))
    assert set(results) == {DocumentVersions(1, 0)}
    results = await docs.write_all_async([DocumentWrite("device", str(i), reported={}) for i in range(149, 151)])
    assert isinstance(results[0], PreconditionError) and results[1] == DocumentVersions(1, 0)
    found = await docs.read_async([("device", str(i)) for i in range(150)])
    assert [one.reported.value for one in found] == [{"n": i} for i in range(150)]


def write_two(client):
    return client.documents(parallelism=2).write_all_async(
        [DocumentWrite("device", "pump", reported={}), DocumentWrite("device", "valve", reported={})], deadline_s=60
    )


async def test_a_cancelled_write_keeps_its_tickets(silent_client):
    told = []
    silent_client.on_abandoned = told.append
    task = asyncio.ensure_future(write_two(silent_client))
    while not silent_client.metrics()["requests"]:  # one was sent, and nobody has answered
        await asyncio.sleep(0.001)
    task.cancel()
    with pytest.raises(asyncio.CancelledError) as caught:
        await task
    assert told and {left.verdict for left in told} == {"unknown"}
    assert {left.key for left in told} <= {"device, pump", "device, valve"}
    assert all(left.ticket.startswith("{") for left in told)
    assert oscommit.abandoned(caught.value) in told


def test_an_interrupt_behind_a_write_says_what_was_committed(docs, tables, monkeypatch):
    def interrupt(results):
        raise KeyboardInterrupt

    monkeypatch.setattr(documents, "_only", interrupt)
    with pytest.raises(KeyboardInterrupt) as caught:
        docs.write("device", "pump", reported={})
    left = oscommit.abandoned(caught.value)
    assert (left.key, left.verdict) == ("device, pump", "committed")


def test_an_interrupt_keeps_the_ticket(silent_client, interruptible):
    told = []
    silent_client.on_abandoned = told.append

    def interrupt():
        while not silent_client.metrics()["requests"]:
            time.sleep(0.001)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt) as caught:
        silent_client.documents().write("device", "pump", reported={}, deadline_s=3)
    thread.join()
    left = oscommit.abandoned(caught.value)
    assert told == [left] and (left.key, left.verdict) == ("device, pump", "unknown") and left.ticket.startswith("{")
