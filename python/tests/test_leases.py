# SPDX-License-Identifier: Apache-2.0
"""Leases and locks as context managers."""

import asyncio
import os
import select
import sqlite3
import threading
import time
import uuid

import oscommit
import pytest
from oscommit import _flight, exceptions


@pytest.fixture(params=["sqlite", "dynamodb"])
def ledger(request, tmp_path):
    """(url, options) of a new table."""
    if request.param == "sqlite":
        return f"sqlite://{tmp_path}/leases.db", {}
    _, options = request.getfixturevalue("servers")
    names = ("dynamodb_endpoint", "access_key_id", "secret_access_key", "region", "no_environment")
    return f"dynamodb://leases-{uuid.uuid4().hex[:12]}", {name: options[name] for name in names}


@pytest.fixture
def leases(ledger):
    url, options = ledger
    with oscommit.Leases.from_url(url, create=True, **options) as opened:
        yield opened


@pytest.fixture
def locks(ledger):
    url, options = ledger
    with oscommit.Locks.from_url(url, owner="tests", instance="a", create=True, **options) as opened:
        yield opened


def test_one_holder_at_a_time(leases):
    with leases.hold("nightly", owner="first") as lease:
        assert lease.state == "held" and 0 < lease.remaining_s <= 60 and lease.token > 0
        lease.check()
        assert leases.read("nightly").owner == "first"
        with pytest.raises(exceptions.ConflictError, match="first"):
            leases.acquire("nightly")
        token = lease.token
    assert not leases.read("nightly").held
    with pytest.raises(ZeroDivisionError), leases.hold("nightly") as lease:
        assert lease.token > token
        raise ZeroDivisionError
    assert not leases.read("nightly").held
    assert lease.state == "lost"
    lease.release()


def test_a_lease_is_waited_for(leases):
    lease = leases.acquire("nightly")
    token = lease.token

    def release_when_waited_for():
        while leases._client.in_flight() == 0:
            time.sleep(0.001)  # nobody tells that a call has begun
        lease.release()

    releasing = threading.Thread(target=release_when_waited_for)
    releasing.start()
    with leases.hold("nightly", wait=True, deadline_s=30) as second:
        assert second.token > token
    releasing.join()


def test_a_lease_is_handed_on(leases):
    lease = leases.acquire("nightly", ttl_s=10)
    handle, token = lease.handle, lease.token
    lease.detach()
    adopted = leases.adopt("nightly", handle, ttl_s=10)
    assert adopted.token == token
    adopted.release()
    with pytest.raises(exceptions.ConflictError):
        leases.adopt("nightly", handle)


async def in_flight(table, count=1):
    """Until so many calls are under way."""
    while table._client.in_flight() < count:
        await asyncio.sleep(0)


async def test_the_same_without_blocking(leases):
    async with leases.hold_async("nightly") as lease:
        with pytest.raises(exceptions.ConflictError):
            await leases.acquire_async("nightly")
        waiting = asyncio.ensure_future(leases.acquire_async("nightly", wait=True))
        await in_flight(leases)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert lease.state == "held"
    with pytest.raises(ZeroDivisionError):
        async with leases.hold_async("nightly"):
            raise ZeroDivisionError
    assert not leases.read("nightly").held


async def test_closing_ends_a_wait(ledger):
    url, options = ledger
    table = oscommit.Leases.from_url(url, create=True, **options)
    await table.acquire_async("nightly")
    waiting = asyncio.ensure_future(table.acquire_async("nightly", wait=True))
    await in_flight(table)
    await table.close_async()
    with pytest.raises(exceptions.CancelledError):
        await waiting


def test_a_lost_lease_says_so(tmp_path):
    with oscommit.Leases.from_url(f"sqlite://{tmp_path}/leases.db", create=True) as leases:
        with pytest.raises(oscommit.LeaseLostError), leases.hold("nightly", ttl_s=2) as lease:
            with sqlite3.connect(tmp_path / "leases.db") as database:
                tables = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
                [table] = [name for name in tables if "lease" in name]
                assert database.execute(f"DELETE FROM {table}").rowcount > 0
            while lease.state != "lost":
                time.sleep(0.01)  # nobody tells: the next extension finds out
            with pytest.raises(oscommit.LeaseLostError):
                lease.check()


def test_writes_under_a_lease_carry_its_token(leases, embedded):
    with embedded.open() as store, leases.hold("nightly") as lease:
        written = store.put("k", b"1", mode="create", fencing=lease.token)
        assert store.head("k")["fencing"] == lease.token
        with pytest.raises(exceptions.PreconditionError):
            store.put("k", b"2", mode=written, fencing=lease.token - 1)


async def test_a_thousand_leases_in_flight_on_one_thread(ledger):
    """A thousand are acquired at once, a thousand others wait for them, and no thread is started for any."""
    url, options = ledger
    with oscommit.Leases.from_url(url, create=True, **options) as leases:
        ours, before = threading.active_count(), len(os.listdir("/proc/self/task"))
        names = [f"{number:04}" for number in range(1000)]
        acquiring = asyncio.gather(*(leases.acquire_async(name, ttl_s=600, deadline_s=300) for name in names))
        await in_flight(leases, 1000)
        assert threading.active_count() == ours
        held = await acquiring
        assert all(lease.state == "held" for lease in held)
        # The library has one I/O thread; where the table is a file, those of its lanes, too.
        assert len(os.listdir("/proc/self/task")) < (100 if url.startswith("sqlite:") else before + 1)
        waiting = [
            asyncio.ensure_future(leases.acquire_async(name, ttl_s=600, wait=True, deadline_s=300)) for name in names
        ]
        await in_flight(leases, 1000)
        assert threading.active_count() == ours
        for task in waiting:
            task.cancel()
        ends = await asyncio.gather(*waiting, return_exceptions=True)
        assert all(isinstance(end, asyncio.CancelledError) for end in ends)
        assert all(lease.state == "held" for lease in held)
        await asyncio.gather(*(lease.release_async(deadline_s=300) for lease in held))
        infos = await leases.list_async(deadline_s=300)
        assert len(infos) == 1000 and not any(info.held for info in infos.values())


async def test_what_a_cancelled_acquire_has_got_is_let_go(leases):
    """The task is cancelled when the operation has completed, and before the loop has heard of it."""
    task = asyncio.ensure_future(leases.acquire_async("nightly"))
    await in_flight(leases)
    port = _flight._ports[asyncio.get_running_loop()]
    assert select.select([port.native], [], [], 30)[0]
    task.cancel()
    with pytest.raises(asyncio.CancelledError) as kept:
        await task
    assert not port.flights and kept.value.__traceback__ is not None
    lease = await leases.acquire_async("nightly", wait=True, deadline_s=30)
    assert lease.state == "held"
    await lease.release_async()


async def test_the_twins_of_leases(leases):
    await leases.table_async()
    lease = await leases.acquire_async("nightly", owner="first", ttl_s=30)
    assert (await leases.read_async("nightly")).owner == "first"
    handle = lease.handle
    await lease.detach_async()
    await lease.detach_async()
    assert lease.state == "lost"
    adopted = await leases.adopt_async("nightly", handle, ttl_s=30)
    assert list(await leases.list_async()) == ["nightly"] and leases.list()["nightly"].held
    await adopted.release_async()
    await adopted.release_async()
    adopted.release()
    with pytest.raises(exceptions.ConflictError):
        await leases.adopt_async("nightly", handle)


def test_a_table_that_is_not_there(ledger):
    url, options = ledger
    with oscommit.Leases.from_url(url, **options) as leases:
        with pytest.raises(exceptions.BaseError):
            leases.table()
        leases.table(create=True)
        leases.table()


def test_a_lease_after_its_store_was_closed(ledger):
    url, options = ledger
    table = oscommit.Leases.from_url(url, create=True, **options)
    lease, other = table.acquire("nightly", ttl_s=30), table.acquire("other", ttl_s=30)
    table.close()
    assert lease.state in ("held", "at risk")
    with pytest.raises(exceptions.CancelledError):
        lease.release()
    lease.release()
    with pytest.raises(exceptions.CancelledError):
        other.detach()
    with pytest.raises(ValueError, match="closed"):
        table.acquire("nightly")


def test_locks(locks, ledger):
    url, options = ledger
    with locks.hold("jobs", "nightly", duration_s=60) as lock:
        assert lock.info.owner == "tests" and lock.info.instance == "a" and lock.info.duration_s == 60
        assert lock.renew(30).duration_s == 90
        with oscommit.Locks.from_url(url, owner="tests", instance="b", **options) as others:
            with pytest.raises(exceptions.ConflictError):
                others.acquire("jobs", "nightly", duration_s=10)
            with pytest.raises(exceptions.ConflictError):
                others.break_expired("jobs", "nightly")
            assert others.read("jobs", "nightly").held
    assert not locks.read("jobs", "nightly").held
    with pytest.raises(exceptions.ConflictError):
        lock.renew(10)
    with pytest.raises(ZeroDivisionError), locks.hold("jobs", "nightly", duration_s=60):
        raise ZeroDivisionError
    assert not locks.read("jobs", "nightly").held


async def test_locks_without_blocking(locks):
    await locks.table_async()
    async with locks.hold_async("jobs", "nightly", duration_s=60):
        assert (await locks.acquire_async("jobs", "nightly", duration_s=60)).info.held
        with pytest.raises(exceptions.ConflictError):
            await locks.break_expired_async("jobs", "nightly")
    assert not (await locks.read_async("jobs", "nightly")).held
    lock = await locks.acquire_async("jobs", "a", duration_s=60)
    assert (await lock.renew_async(30)).duration_s == 90
    await locks.acquire_async("other", "b", duration_s=60)
    assert list(locks.list("jobs")) == [("jobs", "a")]
    assert sorted(await locks.list_async()) == [("jobs", "a"), ("other", "b")]
    await lock.release_async()
    assert list(locks.list("jobs")) == []
