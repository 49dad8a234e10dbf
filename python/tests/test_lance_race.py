# SPDX-License-Identifier: Apache-2.0
"""Processes append to one Lance table through pylance, on a store whose conditions do not count, and are killed at the
requests that matter; answers to the guarded writes get lost. Then every version is there once, and each row that was
acknowledged is in the table once.

OSCOMMIT_TEST_LANCE_APPENDS says how many rows each writer appends [8]: 100 take some minutes."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import urllib.parse

import pytest
from lance_place import judge, pylance, rows, storage_options
from proxy import HarmfulProxy

APPENDS = int(os.environ.get("OSCOMMIT_TEST_LANCE_APPENDS") or 8)
WRITERS = "abc"
PEER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lance_peer.py")


class Between(HarmfulProxy):
    """Before the guarded writes of one writer. `decide(method, path)` as of plain_store.PlainStore."""

    def __init__(self, endpoint, decide):
        where = urllib.parse.urlsplit(endpoint)
        self.decide = decide
        super().__init__(where.hostname, where.port)

    def _refuses(self, request):
        return self._asked(request, "before")

    def _loses(self, request):
        return self._asked(request, "after")

    def _asked(self, request, when):
        return self.decide(request.first[0], urllib.parse.unquote(request.first[1].split("?")[0]), when)


class Writer:
    """Appends one row after the other, by a process that is started anew whenever it was killed."""

    kill_chance, loss_chance = 0.06, 0.2

    def __init__(self, name, kind, place, seed):
        from plain_store import PlainStore

        self.name, self.kind = name, kind
        self.ids = [f"{name}{number:04}" for number in range(APPENDS)]
        self.said = {"committed": [], "unknown": [], "failed": []}
        self.kills, self.losses, self.silent, self.error = 0, 0, 0, None
        self._random, self._lock, self._process = random.Random(f"{seed} {name}"), threading.Lock(), None
        self._plain = PlainStore(place.options["s3_endpoint"])
        self._plain.decide = self.decide_of_pylance
        self._between = Between(place.options["s3_endpoint"], self.decide_of_ours)
        self._place = place
        self.thread = threading.Thread(target=self._run_to_the_end)

    # ----------------------------------------------------------------------------------- harm, on threads of proxies

    def decide_of_pylance(self, method, path):
        if method != "PUT" or "/_versions/" not in path:
            return None
        chance = self._random.random()
        if chance < self.kill_chance:
            self._kill()
            raise ConnectionError
        return (lambda status: self._kill()) if chance < 2 * self.kill_chance else None

    def decide_of_ours(self, method, path, when):
        """True: the connection is closed."""
        if method != "PUT" or not path.endswith((".manifest", ".json")):
            return False
        chance = self._random.random()
        if chance < self.kill_chance:
            self._kill()
            return True
        loses = when == "after" and chance < self.kill_chance + self.loss_chance
        self.losses += loses
        return loses

    def _kill(self):
        with self._lock:
            if self._process is not None and self._process.poll() is None:
                self._process.kill()
                self.kills += 1

    # ------------------------------------------------------------------------------------------------------ the work

    def _start(self):
        how = {
            "kind": self.kind,
            "url": self._place.url,
            "options": {**self._place.options, "s3_endpoint": self._between.url, "guard": "record"},
            "storage_options": storage_options(self._place, self._plain.url),
            "wait_s": 120,
        }
        path = os.pathsep.join(entry for entry in sys.path if entry)
        environment = {key: value for key, value in os.environ.items() if not key.startswith("OSCOMMIT_")}
        process = subprocess.Popen(
            [sys.executable, "-B", PEER],
            env={**environment, "PYTHONPATH": path, "AWS_EC2_METADATA_DISABLED": "true"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        with self._lock:
            self._process = process
        process.stdin.write(json.dumps(how) + "\n")

    def _end(self):
        """Standard input has ended, or the process has."""
        try:
            self._process.stdin.close()
        except BrokenPipeError:
            pass
        status = self._process.wait(timeout=120)
        self._process.stdout.close()
        assert status in (0, -signal.SIGKILL), status
        if status and self.kind == "lock":
            self._break_claims_of_the_dead()

    def _break_claims_of_the_dead(self):
        """The person that docs/lance.md asks for. No request of the process is under way: the proxies killed it at one that
        they had not passed on, or whose answer they had."""
        import oscommit.lance as ours

        with self._place.open(guard="record") as store:
            for claim in ours.claims(store, "events"):
                if claim.holder.endswith(f":{self._process.pid}"):
                    ours.break_claim(store, "events", claim.version)

    def _run_to_the_end(self):
        try:
            self._run()
        except Exception as error:  # told by the test, which would take the writer for one that is slow
            self.error = repr(error)

    def _run(self):
        self._start()
        for identity in self.ids:
            try:
                self._process.stdin.write(identity + "\n")
                self._process.stdin.flush()
                answer = self._process.stdout.readline().split(" ", 2)
            except BrokenPipeError:
                answer = [""]
            if answer[0] in self.said:
                self.said[answer[0]].append(identity)
                print(self.name, *answer) if answer[0] != "committed" else None
            else:
                self.silent += 1
                self._end()
                self._start()
        self._end()

    def close(self):
        self._plain.close()
        self._between.close()


@pytest.mark.parametrize("kind", ["tables", "lock"])
def test_a_race_with_kills_loses_no_row_and_doubles_none(minio, kind):
    lance = pylance()
    seed = random.randrange(1 << 32)
    print("seed", seed)
    with minio.open(guard="record") as store:
        import oscommit.lance as ours

        tables = ours.Tables(store, storage_options=storage_options(minio))
        lance.write_dataset(rows("first"), namespace_client=tables, table_id=["events"], mode="create")
    writers = [Writer(name, kind, minio, seed) for name in WRITERS]
    for writer in writers:
        writer.thread.start()
    for writer in writers:
        writer.thread.join()
        writer.close()
    for writer in writers:
        said = {word: len(identities) for word, identities in writer.said.items()}
        print(f"{writer.name}: {said}, {writer.kills} kills, {writer.losses} answers lost, {writer.silent} ends")
    assert [writer.error for writer in writers] == [None] * len(writers)
    found = judge(lance, minio)
    acknowledged = {identity for writer in writers for identity in writer.said["committed"]} | {"first"}
    failed = {identity for writer in writers for identity in writer.said["failed"]}
    assert acknowledged - set(found) == set(), "acknowledged, and lost"
    assert failed & set(found) == set(), "failed, and in the table"
    assert sum(writer.kills + writer.losses for writer in writers) > 0
    assert sum(len(writer.said["committed"]) for writer in writers) >= len(WRITERS)
