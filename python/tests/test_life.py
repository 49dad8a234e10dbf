# SPDX-License-Identifier: Apache-2.0
"""Ends of processes and interpreters, forks, memory. Each script runs in an interpreter of its own."""

import asyncio
import gc
import os
import re
import subprocess
import sys
import textwrap
import tracemalloc

import oscommit


def run_script(text, root, *, status=0, timeout=60):
    head = f"import asyncio, os, sys, threading, oscommit\nURL = 'file://{root}'\n"
    head += "store = oscommit.Store.from_url(URL, mkdir=True)\n"
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-c", head + textwrap.dedent(text)],
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    assert done.returncode == status, done.stderr
    return done.stdout, done.stderr


def test_the_interpreter_ends_with_operations_in_flight(tmp_path):
    out, err = run_script(
        """
        def pieces():
            yield b"1"
            started.set()
            threading.Event().wait()

        started = threading.Event()
        threading.Thread(target=lambda: store.put("stream", pieces(), mode="create"), daemon=True).start()
        started.wait()

        async def main():
            for i in range(200):
                asyncio.ensure_future(store.put_async(str(i), b"", mode="create"))
            await asyncio.sleep(0)

        asyncio.run(main())
        loop = asyncio.new_event_loop()
        task = loop.create_task(store.put_async("late", b"", mode="create"))
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()
        print("end")
        """,
        tmp_path,
    )
    assert out == "end\n" and "Fatal" not in err


def test_the_interpreter_ends_with_transactions_under_way(tmp_path):
    """In their functions, and in their commits: of loops that have stopped, are closed, or are forgotten."""
    out, err = run_script(
        """
        from oscommit.models import Model, key

        class Row(Model):
            id: str = key()

        client = oscommit.Client.from_url(store=URL, on_abandoned=lambda left: print(left.verdict))
        client.table(Row, create=True)

        async def never(tx):
            tx.create(Row, id="never")
            await asyncio.Event().wait()

        async def inner(tx):
            await client.transact_async(never)

        async def commit(tx):
            tx.create(Row, id="commit")
            loop.stop()

        stopped = asyncio.new_event_loop()
        stays = stopped.create_task(client.transact_async(inner))
        stopped.run_until_complete(asyncio.sleep(0.1))
        loop = asyncio.new_event_loop()
        tasks = [loop.create_task(client.transact_async(function)) for function in (never, commit)]
        loop.run_forever()
        for flight in list(client._flights):
            if flight.loop is loop and flight._call.arguments[0].function is commit:
                flight._thread.join()
        loop.close()
        print("end", flush=True)
        """,
        tmp_path,
    )
    assert out == "end\ncommitted\n" and "Fatal" not in err


def test_an_open_store_is_closed_at_the_end(tmp_path):
    out, err = run_script("store.put('k', b'1', mode='create'); leases = None; print('end')", tmp_path)
    assert out == "end\n" and err == ""


def test_a_child_is_refused_and_its_parent_goes_on(tmp_path):
    out, _ = run_script(
        """
        async def main():
            await store.put_async("k", b"1", mode="create")

        asyncio.run(main())
        child = os.fork()
        if child == 0:
            try:
                store.put("child", b"", mode="create")
            except oscommit.exceptions.InvalidPathError as error:
                print(error)
            try:
                oscommit.Store.from_url(URL)
            except oscommit.BaseError as error:
                print(type(error).__name__)
            store.close()
            sys.exit(0)
        _, status = os.waitpid(child, 0)
        assert status == 0, status
        store.put("parent", b"", mode="create")
        asyncio.run(store.put_async("parent too", b"", mode="create"))
        print([meta["path"] for meta in store.list().collect()])
        """,
        tmp_path,
    )
    assert "fork" in out or "process" in out
    assert out.endswith("['k', 'parent', 'parent too']\n")


def test_a_transaction_of_a_child_is_refused(tmp_path):
    out, _ = run_script(
        """
        client = oscommit.Client.from_url(store=URL)
        child = os.fork()
        if child == 0:
            for call in (lambda: client.transact(lambda tx: None), client.documents().table):
                try:
                    call()
                except ValueError as error:
                    print(type(error).__name__, error.verdict, "fork" in str(error), flush=True)
            os._exit(0)
        print(os.waitpid(child, 0)[1])
        """,
        tmp_path,
    )
    assert out == "InvalidFieldError not executed True\nInvalidPathError None True\n0\n"


def test_a_child_may_open_another_kind_of_store(minio, tmp_path):
    """A store of a server is another matter than files with locks."""
    options = {"url": minio.url, **minio.options}
    script = f"""
        remote = oscommit.Store.from_url(**{options!r})
        remote.put("k", b"1", mode="create")
        child = os.fork()
        if child == 0:
            with oscommit.Store.from_url(**{options!r}) as own:
                asyncio.run(own.put_async("child", b"", mode="create"))
            sys.exit(0)
        _, status = os.waitpid(child, 0)
        print(status, [meta["path"] for meta in remote.list().collect()])
        """
    # The embedded store of the head is closed: a child inherits nothing of it.
    out, _ = run_script("store.close()\n" + textwrap.dedent(script), tmp_path)
    assert out == "0 ['child', 'k']\n"


def test_the_tool_of_the_wheel_runs(tmp_path):
    command = [sys.executable, "-m", "oscommit"]
    done = subprocess.run([*command, "version"], capture_output=True, text=True)
    assert done.returncode == 0 and oscommit.__version__ in done.stdout, done
    long = subprocess.run([*command, "version", "--verbose"], capture_output=True, text=True).stdout
    assert re.search("^certificates +[/n]", long, re.M), long  # a path, or "none found"
    assert "this build of the library has left out" in long and "libs3-dev" not in long, long
    assert subprocess.run([*command, "init", str(tmp_path / "s")]).returncode == 0
    url = f"file://{tmp_path}/s/k"
    for status in (0, 3):
        assert subprocess.run([*command, "put", __file__, url, "--if-absent"]).returncode == status
    script = os.path.join(os.path.dirname(sys.executable), "oscommit")
    assert subprocess.run([script, "get", url, "-"], stdout=subprocess.DEVNULL).returncode == 0
    raced = subprocess.run([*command, "race", f"file://{tmp_path}/s", "--writers", "2", "--keys", "2"])
    assert raced.returncode == 0


def test_a_call_keeps_nothing_of_its_body(tmp_path):
    """Not even until the next collection of garbage: bodies are large."""
    body, stream = b"x" * 100_000, [b"y" * 100_000]
    with oscommit.Store.from_url(f"file://{tmp_path}/s", mkdir=True) as store:
        gc.collect()
        gc.disable()
        try:
            counts = sys.getrefcount(body), sys.getrefcount(stream[0])
            store.put("a", body)
            store.put("b", body, mode="create")
            store.put("c", stream, mode="create")
            store.update("d", lambda data: body)
            asyncio.run(store.put_async("e", body, mode="create"))
            for mode in ("create", {"e_tag": '"1"'}):
                try:
                    store.put("b", body, mode=mode)
                    raise AssertionError("it fails")
                except oscommit.ConflictError:
                    pass
            assert (sys.getrefcount(body), sys.getrefcount(stream[0])) == counts
        finally:
            gc.enable()


def resident_bytes():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def work(store, count):
    """Successes and failures of every kind of call; 20 operations a round."""
    for number in range(count // 20):
        key = f"k{number % 50}"
        store.put(key, b"x" * 1000)
        store.update("counter", lambda data: b"%d" % (int(data or 0) + 1))
        for _ in range(6):
            store.get(key)
            store.head(key)
        for call in (
            lambda: store.head("nothing"),
            lambda: store.put(key, b"", mode="create"),
            lambda: store.put("", b""),
            lambda: store.update("counter", lambda data: 1 / 0),
            lambda: store.put(key, b"", mode={"e_tag": '"1"'}),
        ):
            try:
                call()
                raise AssertionError("it fails")
            except (oscommit.BaseError, ZeroDivisionError):
                pass
        store.list(chunk_size=10).__next__()


def test_ten_thousand_operations_leave_nothing(tmp_path):
    with oscommit.Store.from_url(f"file://{tmp_path}/s", mkdir=True, release="always") as store:
        work(store, 2_000)
        gc.collect()
        tracemalloc.start()
        before, resident = tracemalloc.take_snapshot(), resident_bytes()
        work(store, 10_000)
        gc.collect()
        grown = resident_bytes() - resident
        after = tracemalloc.take_snapshot()
        tracemalloc.stop()
    package = [tracemalloc.Filter(True, os.path.dirname(oscommit.__file__) + "/*")]
    differences = after.filter_traces(package).compare_to(before.filter_traces(package), "lineno")
    leaked = sum(difference.size_diff for difference in differences)
    assert leaked < 50_000, differences[:5]
    # 10,000 operations that each leave 1 KB would be 10 MB.
    assert grown < 8 << 20, f"{grown} bytes"
