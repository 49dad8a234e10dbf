# SPDX-License-Identifier: Apache-2.0
"""Eight threads, half of them on a store of their own: each name has one winner, and no increment is lost.
usage: threads.py FOLDER"""

import sys
import threading

import oscommit

THREADS, NAMES, UPDATES = 8, 10, 5
url = "file://" + sys.argv[1]
won = []
failures = []


def work(store, number, together):
    together.wait()
    for name in range(NAMES):
        try:
            store.put(f"name-{name}", b"%d" % number, mode="create")
            won.append((name, number))
        except oscommit.AlreadyExistsError:
            pass
    for _ in range(UPDATES):
        store.update("counter", lambda data: b"%d" % (int(data or 0) + 1))


def run(*args):
    try:
        work(*args)
    except BaseException as error:
        failures.append(error)


with oscommit.Store.from_url(url, mkdir=True) as shared, oscommit.Store.from_url(url) as other:
    together = threading.Barrier(THREADS)
    threads = [threading.Thread(target=run, args=(other if n % 2 else shared, n, together)) for n in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures
    assert sorted(name for name, _ in won) == list(range(NAMES)), won
    for name, number in won:
        assert shared.get(f"name-{name}").bytes() == b"%d" % number, (name, number)
    assert shared.get("counter").bytes() == b"%d" % (THREADS * UPDATES), shared.get("counter").bytes()
