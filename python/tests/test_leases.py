# SPDX-License-Identifier: Apache-2.0
"""Leases and locks as context managers."""

import asyncio
import sqlite3
import threading
import time
import uuid

import oscommit
import pytest
from oscommit import exceptions


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
        while not leases._calls:
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


async def begun(table):
    """Until a blocking call is under way."""
    while not table._calls:
        await asyncio.sleep(0)


async def test_the_same_without_blocking(leases):
    async with leases.hold_async("nightly") as lease:
        with pytest.raises(exceptions.ConflictError):
            await leases.acquire_async("nightly")
        waiting = asyncio.ensure_future(leases.acquire_async("nightly", wait=True))
        await begun(leases)
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
    await begun(table)
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
    async with locks.hold_async("jobs", "nightly", duration_s=60):
        assert (await locks.acquire_async("jobs", "nightly", duration_s=60)).info.held
    assert not locks.read("jobs", "nightly").held
