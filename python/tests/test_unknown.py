# SPDX-License-Identifier: Apache-2.0
"""Writes whose answer is lost: the truth about them, the way of their tickets, cancellation."""

import asyncio
import json
import logging
import pickle
import signal
import threading

import oscommit
import pytest
from oscommit import exceptions


async def seen(proxy):
    await asyncio.get_running_loop().run_in_executor(None, proxy.applied.wait, 60)


def test_a_lost_answer_is_decided_by_the_evidence(proxy):
    harmful, place = proxy
    with place.open() as store:
        harmful.lose("k")
        healed = threading.Thread(target=lambda: harmful.applied.wait(60) and harmful.heal())
        healed.start()
        assert store.put("k", b"1", mode="create").e_tag == store.head("k")["e_tag"]
        healed.join()


@pytest.mark.parametrize("settles", [False, True])
@pytest.mark.parametrize("waits", [False, True])
async def test_an_unknown_is_resolved(proxy, minio, settles, waits):
    harmful, place = proxy
    with place.open() as store, minio.open() as elsewhere:
        harmful.lose("k")
        with pytest.raises(oscommit.Unknown) as caught:
            await store.put_async("k", b"1", mode="create", deadline_s=3)
        unknown = caught.value
        assert unknown.verdict == "unknown" and json.loads(unknown.ticket)["key"].endswith("/k") and not unknown.final
        with pytest.raises(oscommit.Unknown) as again:
            await unknown.resolve_async(deadline_s=0.5)
        assert again.value.ticket
        harmful.heal()
        name = "settle" if settles else "resolve"
        result = getattr(unknown, name)() if waits else await getattr(unknown, name + "_async")()
        assert result.e_tag == store.head("k")["e_tag"]
        # In another process, where nothing but the ticket is known; by another name of the same store.
        stranger = pickle.loads(pickle.dumps(unknown))
        with pytest.raises(ValueError, match="another process"):
            stranger.resolve()
        assert elsewhere.settle(stranger.ticket, same_store=True, key="k").e_tag == result.e_tag


async def test_a_ticket_of_a_write_that_never_was(proxy, minio):
    harmful, place = proxy
    with place.open() as store:
        harmful.lose("k")
        with pytest.raises(oscommit.Unknown) as caught:
            store.put("k", b"1", mode="create", deadline_s=3)
        changed = json.loads(caught.value.ticket)
        harmful.heal()
        with pytest.raises((exceptions.InvalidPathError, oscommit.Unknown)):
            store.resolve(json.dumps({**changed, "key": "other"}), deadline_s=5)
        for nonsense in ("", "{}", "[]", "no ticket"):
            with pytest.raises((exceptions.InvalidPathError, oscommit.Unknown)):
                store.resolve(nonsense)
        assert store.resolve(caught.value.ticket).e_tag


def test_a_plain_write_is_unknown_without_a_ticket(proxy):
    harmful, place = proxy
    with place.open() as store:
        harmful.lose("k")
        with pytest.raises(oscommit.Unknown) as caught:
            store.put("k", b"1", deadline_s=3)
        assert caught.value.ticket is None
        with pytest.raises(ValueError, match="look at the object"):
            caught.value.resolve()


async def test_a_cancelled_task_keeps_its_ticket(proxy, caplog):
    harmful, place = proxy
    told = []
    with place.open(on_abandoned=told.append) as store:
        harmful.hold("k")
        task = asyncio.ensure_future(store.put_async("k", b"1", mode="create"))
        await seen(harmful)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        [abandoned] = told
        assert (abandoned.key, abandoned.verdict) == ("k", "unknown") and abandoned.ticket
        harmful.heal()
        assert store.settle(abandoned.ticket).e_tag == store.head("k")["e_tag"]


async def test_a_time_limit_keeps_the_ticket_in_its_exception(proxy, caplog):
    harmful, place = proxy
    with place.open() as store, caplog.at_level(logging.WARNING, "oscommit"):
        harmful.hold("k")
        waiting = asyncio.ensure_future(store.put_async("k", b"1", mode="create"))
        await seen(harmful)
        with pytest.raises(asyncio.TimeoutError) as caught:
            await asyncio.wait_for(waiting, 0.1)
        abandoned = oscommit.abandoned(caught.value)
        assert abandoned.verdict == "unknown" and abandoned.ticket in caplog.text
        harmful.heal()
        assert store.resolve(abandoned.ticket).e_tag
        assert oscommit.abandoned(ValueError()) is None


async def test_a_cancelled_task_of_a_write_that_was_not_sent(proxy):
    harmful, place = proxy
    told = []
    with place.open(on_abandoned=told.append) as store:
        harmful.down = harmful.holds = True  # no answer to the first HEAD
        task = asyncio.ensure_future(store.put_async("k", b"1", mode="create"))
        await asyncio.sleep(0)  # it has started then
        for _ in range(3):
            task.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await task
        assert told == []
        harmful.heal()
    with place.open() as store, pytest.raises(FileNotFoundError):
        store.head("k")


def test_a_signal_ends_a_call_and_keeps_the_ticket(proxy):
    class Interrupted(Exception):
        pass

    def handler(*_):
        raise Interrupted

    harmful, place = proxy
    told = []
    with place.open(on_abandoned=told.append) as store:
        harmful.hold("k")
        previous = signal.signal(signal.SIGUSR1, handler)
        main = threading.main_thread().ident
        sender = threading.Thread(target=lambda: harmful.applied.wait(60) and signal.pthread_kill(main, signal.SIGUSR1))
        sender.start()
        try:
            with pytest.raises(Interrupted) as caught:
                store.put("k", b"1", mode="create")
        finally:
            signal.signal(signal.SIGUSR1, previous)
            sender.join()
        assert told == [oscommit.abandoned(caught.value)]
        harmful.heal()
        assert store.resolve(told[0].ticket).e_tag


async def test_closing_ends_what_is_under_way(proxy):
    harmful, place = proxy
    store = place.open()
    harmful.hold("k")
    waiting = asyncio.ensure_future(store.put_async("k", b"1", mode="create"))
    await seen(harmful)
    await store.close_async()
    with pytest.raises(oscommit.Unknown) as caught:
        await waiting
    harmful.heal()
    with place.open() as another:
        assert another.resolve(caught.value.ticket).e_tag


def test_a_loop_that_ended_first_loses_no_ticket(proxy):
    harmful, place = proxy
    told = []
    store = place.open(on_abandoned=told.append)
    harmful.hold("k")
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda *_: None)  # of the task that is never ended
    task = loop.create_task(store.put_async("k", b"1", mode="create"))
    loop.run_until_complete(seen(harmful))
    loop.close()
    store.close()
    assert [one.verdict for one in told] == ["unknown"] and not task.done()
    harmful.heal()
    with place.open() as another:
        assert another.resolve(told[0].ticket).e_tag


def test_a_hook_that_raises_is_logged(proxy, caplog):
    harmful, place = proxy

    def fail(_):
        raise ZeroDivisionError

    async def main(store):
        task = asyncio.ensure_future(store.put_async("k", b"1", mode="create"))
        await seen(harmful)
        task.cancel()
        await task

    with place.open(on_abandoned=fail) as store:
        harmful.hold("k")
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(main(store))
        harmful.heal()
    assert "ticket" in caplog.text and "ZeroDivisionError" in caplog.text


async def test_a_coroutine_that_is_closed_leaves_its_ticket_to_the_owner(proxy):
    """It cannot wait for its end, as one that is cancelled does."""
    harmful, place = proxy
    told = asyncio.get_running_loop().create_future()
    with place.open(on_abandoned=told.set_result) as store:
        harmful.hold("k")
        coroutine = store.put_async("k", b"1", mode="create")
        coroutine.send(None)
        await seen(harmful)
        coroutine.close()
        abandoned = await asyncio.wait_for(told, 60)
        assert (abandoned.key, abandoned.verdict) == ("k", "unknown")
        harmful.heal()
        assert store.settle(abandoned.ticket).e_tag == store.head("k")["e_tag"]
