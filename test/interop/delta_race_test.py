#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writers of this library and of delta-rs 1.6.0 append to one table, on a store without conditions, through one log store.
Both are killed at the requests that matter, and answers to ours get lost. Then every version is there once, each append
that was acknowledged is in the table once, and none that was not acknowledged is there twice.

OSCOMMIT_TEST_DELTA_APPENDS says how many appends each writer makes [8]: 200 take some minutes."""

import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from delta_table import DELTALAKE, PEER, Table, is_version, run_with_servers
from oscommit_testing import CONFLICT, DONE, UNKNOWN, tool

APPENDS = int(os.environ.get("OSCOMMIT_TEST_DELTA_APPENDS") or 8)


class Writer:
    """Appends one id after the other. `acknowledged` are those of which it was told that they are in the table;
    `refused` those of which it was told that they are not and never will be."""

    def __init__(self, table, name, ids, seed):
        self.table, self.name, self.ids = table, name, ids
        self.acknowledged, self.refused, self.unknown = [], [], []  # of the last: (id, ticket)
        self.kills, self.losses, self.failures, self.crashes = 0, 0, [], []
        self._random, self._process, self._lock = random.Random(seed), None, threading.Lock()
        self.store = table.store()
        self.store.decide = self.decide
        self.error = None
        self.thread = threading.Thread(target=self.run_to_the_end)

    def run_to_the_end(self):
        try:
            self.run()
        except Exception as error:  # told by the test, which would take the writer for one that is slow
            self.error = repr(error)

    def kill(self):
        with self._lock:
            if self._process and self._process.poll() is None:
                self._process.kill()
                self.kills += 1
        raise ConnectionError

    def decide(self, method, path):
        if method not in ("PUT", "POST") or not is_version(path):
            return None
        chance = self._random.random()
        if chance < self.kill_chance:
            self.kill()
        return (lambda status: self.kill()) if chance < 2 * self.kill_chance else self.decide_more(chance)

    def decide_more(self, chance):
        return None


class Ours(Writer):
    kill_chance = 0.1

    def decide_more(self, chance):
        return (lambda status: self.lose()) if chance < 0.4 else None

    def lose(self):
        self.losses += 1
        raise ConnectionError

    def run(self):
        for identity in self.ids:
            words = [tool(), "delta", "append", self.table.url, os.path.join(self.table.folder, identity + ".parquet")]
            kills = self.kills
            words += ["--log-store", "dynamodb://" + self.table.log_store, "--json"]
            with self._lock:
                self._process = subprocess.Popen(
                    words, env=self.table.environment(self.store.url), stdout=subprocess.PIPE, stderr=subprocess.PIPE
                )
            out, err = self._process.communicate(timeout=180)
            self.note(identity, kills, self._process.returncode, out, err)

    def note(self, identity, kills, status, out, err):
        if status == DONE:
            self.acknowledged.append(identity)
        elif status == UNKNOWN:
            self.unknown.append((identity, json.loads(out)["ticket"]))
        elif status > 0:
            self.refused.append(identity)
            self.failures.append(err.decode(errors="replace"))
        elif kills == self.kills:
            self.crashes.append((status, err.decode(errors="replace")))


class Theirs(Writer):
    kill_chance = 0.04  # of three requests a commit
    release = "old"

    def start(self):
        with self._lock:
            self._process = subprocess.Popen(
                [DELTALAKE, self.release, PEER, "append", self.table.url],
                env=self.table.environment(self.store.url),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )

    def end(self):
        """Standard input has ended, or the process has."""
        self._process.stdin.close()
        self._process.wait(timeout=60)
        self._process.stdout.close()

    def run(self):
        self.start()
        for identity in self.ids:
            try:
                self._process.stdin.write(identity + "\n")
                self._process.stdin.flush()
                answer = self._process.stdout.readline().split(" ", 2)
            except BrokenPipeError:
                answer = []
            if answer and answer[0] == "committed":
                self.acknowledged.append(identity)
            elif answer and answer[0] == "failed":
                self.failures.append(answer[-1])
            else:
                self.end()
                self.start()
        self.end()


class DeltaRace(unittest.TestCase):
    def setUp(self):
        self.table = Table()
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.addCleanup(self.table.close)
        self.table.folder = self.folder.name
        status, _, errors = self.table.oscommit(
            "table", "create", "--log-entries", "--ledger", "dynamodb://" + self.table.log_store
        )
        self.assertEqual(status, DONE, errors)

    def make(self, *ids):
        subprocess.run([DELTALAKE, "old", PEER, "make", self.folder.name, *ids], check=True, timeout=120)

    def file(self, identity):
        return os.path.join(self.folder.name, identity + ".parquet")

    def check_log(self, version):
        self.assertEqual(set(self.table.findings()) - {"temp file left"}, set())
        names = [name for name in self.table.log() if is_version("/" + name)]
        self.assertEqual(names, ["%020d.json" % number for number in range(version + 1)])
        entries = self.table.entries()
        self.assertEqual(sorted(entries), list(range(version + 1)))
        incomplete = [number for number, item in entries.items() if item["complete"]["S"] != "true"]
        self.assertEqual(incomplete, [])

    def test_a_race_of_old_and_new_writers_loses_no_row_and_doubles_none(self):
        seed = random.randrange(1 << 32)
        print("seed", seed, file=sys.stderr)
        names = {"a": Ours, "b": Ours, "x": Theirs, "y": Theirs}
        ids = {name: [f"{name}{number:04}" for number in range(APPENDS)] for name in names}
        self.make("first", "last", *ids["a"], *ids["b"])
        self.assertEqual(self.table.append(self.file("first"))[0], DONE)
        writers = [kind(self.table, name, ids[name], f"{seed} {name}") for name, kind in names.items()]
        for writer in writers:
            writer.thread.start()
        for writer in writers:
            writer.thread.join()
        for writer in writers:
            for identity, ticket in writer.unknown:
                status, _, errors = self.table.resolve(ticket)
                self.assertIn(status, (DONE, CONFLICT), errors)
                (writer.acknowledged if status == DONE else writer.refused).append(identity)
        status, result, errors = self.table.append(self.file("last"))  # it repairs what the last of them has left
        self.assertEqual(status, DONE, errors)
        version, found = self.table.read()
        self.assertEqual(version, result["version"])
        self.check_log(version)
        acknowledged = {identity for writer in writers for identity in writer.acknowledged} | {"first", "last"}
        refused = {identity for writer in writers for identity in writer.refused}
        self.assertEqual(sorted(found), sorted(set(found)), "an append is in the table twice")
        self.assertEqual(acknowledged - set(found), set(), "acknowledged, and lost")
        self.assertEqual(refused & set(found), set(), "refused, and in the table")
        self.assertEqual(self.table.read("new"), (version, found))
        for writer in writers:
            print(
                f"{writer.name}: {len(writer.acknowledged)} of {len(writer.ids)} acknowledged, {writer.kills} kills, "
                f"{writer.losses} answers lost, {len(writer.failures)} failed {writer.failures[:1]}",
                file=sys.stderr,
            )
            self.assertEqual(writer.crashes, [])
            self.assertIsNone(writer.error)
        self.assertGreater(sum(writer.kills + writer.losses for writer in writers), 0)

    # -------------------------------------------------------------------------------------------- one writer's end

    def begin(self, *ids):
        self.make("first", *ids)
        self.assertEqual(self.table.append(self.file("first"))[0], DONE)

    def killed(self, writer, decide):
        """It runs until a request of its own, at which it is killed."""
        writer.store.decide = decide
        writer.run()
        writer.store.decide = None
        self.assertEqual(writer.kills, 1)
        self.assertEqual(writer.acknowledged, [])

    def test_the_version_of_a_writer_of_ours_that_died_is_made_by_delta_rs(self):
        self.begin("ours")
        ours = Ours(self.table, "ours", ["ours"], 1)
        self.killed(ours, lambda method, path: ours.kill() if method == "PUT" and is_version(path) else None)
        self.assertEqual(self.table.entries()[1]["complete"]["S"], "false")
        self.assertEqual(sorted(self.table.findings()), ["entry incomplete"])
        theirs = Theirs(self.table, "theirs", ["theirs"], 1)
        theirs.store.decide = None
        theirs.run()
        self.assertEqual(theirs.acknowledged, ["theirs"])
        version, found = self.table.read()
        self.assertEqual((version, sorted(found)), (2, ["first", "ours", "theirs"]))
        self.check_log(2)

    def test_the_version_of_delta_rs_that_died_is_made_by_ours(self):
        self.begin("ours")
        theirs = Theirs(self.table, "theirs", ["theirs"], 1)
        self.killed(theirs, lambda method, path: theirs.kill() if method != "GET" and is_version(path) else None)
        self.assertEqual(self.table.entries()[1]["complete"]["S"], "false")
        self.assertEqual(self.table.append(self.file("ours"))[0], DONE)
        version, found = self.table.read()
        self.assertEqual((version, sorted(found)), (2, ["first", "ours", "theirs"]))
        self.check_log(2)
        self.assertEqual(self.table.findings(), [])

    def test_a_version_whose_answer_was_lost_is_committed_once(self):
        self.begin("ours")
        lost = []

        def lose(status):
            lost.append(status)
            raise ConnectionError

        store = self.table.store()
        store.decide = lambda method, path: lose if method == "PUT" and is_version(path) and not lost else None
        status, result, errors = self.table.append(self.file("ours"), endpoint=store.url)
        self.assertEqual((status, result["version"]), (DONE, 1), errors)
        self.assertEqual(lost, [200])
        self.assertEqual(sorted(self.table.read()[1]), ["first", "ours"])
        self.check_log(1)

    def test_what_cannot_be_written_after_its_entry_is_unknown_until_its_ticket_is_resolved(self):
        self.begin("ours")
        status, settled, errors = self.table.resolve(self.unknown_append("ours"))
        self.assertEqual((status, settled["version"]), (DONE, 1), errors)
        self.assertEqual(sorted(self.table.read()[1]), ["first", "ours"])
        self.check_log(1)

    def test_a_writer_that_does_not_use_the_log_store_is_seen_and_its_version_is_kept(self):
        self.begin("ours", "theirs")
        theirs = Theirs(self.table, "theirs", ["theirs"], 1)
        theirs.release = "new"
        theirs.store.decide = None
        theirs.run()
        self.assertEqual(theirs.acknowledged, ["theirs"])
        self.assertEqual(self.table.findings(), ["entry missing"])
        status, result, errors = self.table.append(self.file("ours"))
        self.assertEqual((status, result["version"]), (DONE, 2), errors)
        self.assertEqual(sorted(self.table.read("new")[1]), ["first", "ours", "theirs"])

    def test_a_commit_whose_version_such_a_writer_took_is_told_as_lost(self):
        """Its entry stands all the same: whoever looks at nothing else takes it for committed."""
        for who in ("itself", "another"):
            with self.subTest(who):
                self.table = Table()
                self.addCleanup(self.table.close)
                self.table.folder = self.folder.name
                words = ("table", "create", "--log-entries", "--ledger", "dynamodb://" + self.table.log_store)
                self.assertEqual(self.table.oscommit(*words)[0], DONE)
                self.begin("ours", "theirs", "next")
                ticket = self.unknown_append("ours")
                theirs = Theirs(self.table, "theirs", ["theirs"], 1)
                theirs.release, theirs.store.decide = "new", None
                theirs.run()
                self.assertEqual(theirs.acknowledged, ["theirs"])
                if who == "another":  # which repairs the entry before its writer asks
                    self.assertEqual(self.table.append(self.file("next"))[0], DONE)
                status, settled, errors = self.table.resolve(ticket)
                self.assertEqual((status, settled["verdict"]), (CONFLICT, "conflict"), errors)
                names = ["first", "theirs"] + (["next"] if who == "another" else [])
                self.assertEqual(sorted(self.table.read("new")[1]), sorted(names))

    def unknown_append(self, name):
        store = self.table.store()

        def refuse(method, path):
            if method == "PUT" and is_version(path):
                raise ConnectionError

        store.decide = refuse
        words = ["--deadline-ms", "1500"]
        status, result, errors = self.table.append(self.file(name), endpoint=store.url, words=words)
        self.assertEqual((status, result["verdict"], result["version"]), (UNKNOWN, "unknown", 1), errors)
        return result["ticket"]


if __name__ == "__main__":
    run_with_servers()
