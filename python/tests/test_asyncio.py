# SPDX-License-Identifier: Apache-2.0
"""Many operations on one thread, loops and threads side by side."""

import asyncio
import os
import threading

from oscommit import _flight


def threads_of_the_process():
    return len(os.listdir("/proc/self/task"))


async def in_flight(count):
    """Until so many are under way."""
    while sum(len(port.flights) for port in _flight._busy) < count:
        await asyncio.sleep(0)


async def test_a_thousand_commits_in_flight_on_one_thread(minio):
    # Threads are counted here, and not the seconds that a table on a busy machine takes for a thousand writes.
    with minio.open(request_timeout_ms=60_000) as store:
        await store.warm_async()
        before, ours = threads_of_the_process(), threading.active_count()
        commits = asyncio.gather(
            *(store.put_async(f"{i:04}", b"%d" % i, mode="create", deadline_s=600) for i in range(1000))
        )
        await asyncio.wait_for(in_flight(1000), 30)
        assert threads_of_the_process() == before, "one I/O thread, however many are in flight"
        assert threading.active_count() == ours
        results = await commits
        assert threads_of_the_process() == before
        assert all(result.e_tag for result in results)
        assert len(await store.list().collect_async()) == 1000


async def test_a_thousand_commits_in_flight_in_an_embedded_store(embedded):
    with embedded.open() as store:
        ours = threading.active_count()
        commits = asyncio.gather(*(store.put_async(f"{i:04}", b"%d" % i, mode="create") for i in range(1000)))
        await asyncio.wait_for(in_flight(1000), 30)
        results = await commits
        assert threading.active_count() == ours
        assert all(result.e_tag for result in results)
        assert threads_of_the_process() < 100, "the library's lanes, not a thread for each"


async def test_only_one_of_many_creates(store):
    results = await asyncio.gather(
        *(store.put_async("k", b"%d" % i, mode="create") for i in range(20)), return_exceptions=True
    )
    [winner] = [i for i, result in enumerate(results) if not isinstance(result, Exception)]
    assert store.get("k").bytes() == b"%d" % winner


def test_loops_and_threads_share_a_store(embedded):
    async def count(store, times):
        for _ in range(times):
            await store.update_async("counter", lambda data: b"%d" % (int(data or 0) + 1))

    with embedded.open() as store:
        threads = [threading.Thread(target=asyncio.run, args=(count(store, 10),)) for _ in range(3)]
        threads += [
            threading.Thread(
                target=lambda: [store.update("counter", lambda data: b"%d" % (int(data or 0) + 1)) for _ in range(10)]
            )
            for _ in range(3)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert store.get("counter").bytes() == b"60"
        assert not _flight._busy


async def test_the_loop_goes_on_while_an_update_waits(embedded):
    """An update waits for its turn; a plain call and a coroutine do not."""
    with embedded.open() as store:
        started, goes_on = asyncio.Event(), asyncio.Event()

        async def slow(data):
            started.set()
            await goes_on.wait()
            return (data or b"") + b"slow"

        first = asyncio.ensure_future(store.update_async("k", slow))
        await started.wait()
        second = asyncio.ensure_future(store.update_async("k", lambda data: data + b"second"))
        await store.put_async("other", b"", mode="create")
        assert not first.done() and not second.done()
        goes_on.set()
        await asyncio.gather(first, second)
        assert (await store.get_async("k")).bytes() == b"slowsecond"


async def test_an_update_that_is_cancelled_in_its_function(embedded):
    with embedded.open() as store:
        started = asyncio.Event()

        async def never(data):
            started.set()
            await asyncio.Event().wait()

        task = asyncio.ensure_future(store.update_async("k", never))
        await started.wait()
        task.cancel()
        try:
            await task
            raise AssertionError("it was cancelled")
        except asyncio.CancelledError:
            pass
        assert (await store.update_async("k", lambda data: b"1")).e_tag
