#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writers of ours on a store with conditions, through a log store, beside writers that do what delta-rs 1.6.0 does when its
own requests fail: they take back whatever entry is incomplete, and repair what they find. Answers get lost, and our writers
are killed, at any request. Then each append that was acknowledged is in the log once, and no other of ours is.

OSCOMMIT_TEST_STORM_APPENDS says how many appends each writer of ours makes [4], OSCOMMIT_TEST_SEED what happens."""

import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import uuid

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from delta_schedules_test import Fleet, version_name
from delta_table import DYNAMODB, MINIO, is_version, run_with_servers
from oscommit_testing import CONFLICT, DONE, UNKNOWN, dynamo, signed_request, tool

APPENDS = int(os.environ.get("OSCOMMIT_TEST_STORM_APPENDS") or 4)
ENFORCED = {"put": {"absent": "enforced", "absent_atomic": True}}
PROFILE = {"format": 1, "name": "of the test", "measured_on": "2026-11-28", "source": "documentation", "requests": ENFORCED}


class Ours:
    """One append after the other, each a process, until the log says what became of it."""

    def __init__(self, fleet, seed, profile, file):
        self.fleet, self.random, self.profile, self.file = fleet, random.Random(seed), profile, file
        self.store, self.table = fleet.writer(conditions=True)
        self.store.decide = self.table.decide = lambda *_: self.harm()
        self.acknowledged, self.refused, self.unknown, self.killed = [], 0, [], 0
        self.process, self.error = None, None
        self.thread = threading.Thread(target=self.run_to_the_end)

    def harm(self):
        chance = self.random.random()
        if chance < 0.004:
            self.process.kill()
            raise ConnectionError
        if chance < 0.06:
            raise ConnectionError
        return self.lose if chance < 0.14 else None

    @staticmethod
    def lose(_):
        raise ConnectionError

    def run_to_the_end(self):
        try:
            for _ in range(APPENDS):
                self.append()
        except Exception as error:  # told by the test, which would take the writer for one that is slow
            self.error = repr(error)

    def append(self):
        words = [tool(), "delta", "append", self.fleet.url, self.file, "--log-store", "dynamodb://" + self.fleet.log_store]
        words += ["--store-profile", self.profile, "--deadline-ms", "20000", "--json"]
        own = {**self.fleet.environment(self.store.url), "OSCOMMIT_DYNAMODB_ENDPOINT": self.table.url}
        self.process = subprocess.Popen(words, env=own, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        out, _ = self.process.communicate(timeout=120)
        status = self.process.returncode
        if status == DONE:
            self.acknowledged.append(json.loads(out)["version"])
        elif status == UNKNOWN:
            self.unknown.append(json.loads(out)["ticket"])
        elif status > 0:
            self.refused += 1
        else:
            self.killed += 1


class Theirs:
    """What delta-rs 1.6.0 does, request by request. None of its own commits is judged: it is known to lose some."""

    def __init__(self, fleet, seed):
        self.fleet, self.random, self.ends, self.error = fleet, random.Random(seed), threading.Event(), None
        self.committed = 0
        self.thread = threading.Thread(target=self.run_to_the_end)

    def run_to_the_end(self):
        try:
            while not self.ends.wait(self.random.random() / 5):
                self.commit()
        except Exception as error:
            self.error = repr(error)

    def update(self, version):
        values = {":c": {"S": "true"}, ":e": {"N": str(int(time.time()) + 86400)}, ":f": {"S": "false"}}
        change = {"UpdateExpression": "SET complete = :c, expireTime = :e", "ConditionExpression": "complete = :f"}
        request = {"TableName": self.fleet.log_store, "Key": self.fleet.key_of(version), **change}
        dynamo(DYNAMODB, "UpdateItem", {**request, "ExpressionAttributeValues": values})

    def move(self, version, temp):
        """'moved', 'taken' or 'gone'; the writer may stand still between its two requests."""
        body = self.fleet.get(temp)
        if body is None:
            return "gone"
        self.ends.wait(self.random.choice((0, 0, 0.05, 0.4)))
        path = self.fleet.path(version_name(version))
        status, _, _ = signed_request(MINIO, "s3", "PUT", path, body, {"if-none-match": "*"})
        if status == 200:
            self.fleet.remove(temp)
        return "moved" if status == 200 else "taken"

    def repair(self, version, temp):
        for _ in range(4):
            done = self.move(version, temp)
            if done != "taken":
                self.update(version)
                return True
        return False

    def latest(self):
        request = {"KeyConditionExpression": "tablePath = :p", "ExpressionAttributeValues": {":p": {"S": self.fleet.url}}}
        request.update(TableName=self.fleet.log_store, ConsistentRead=True, Limit=1, ScanIndexForward=False)
        item = dynamo(DYNAMODB, "Query", request)[1]["Items"][0]
        version, temp = int(item["fileName"]["S"].split(".")[0]), item["tempPath"]["S"]
        return version if item["complete"]["S"] == "true" or self.repair(version, temp) else None

    def commit(self):
        version, temp = self.latest(), f"_commit_{uuid.uuid4()}.json.tmp"
        if version is None:
            return
        version += 1
        self.fleet.put(temp, self.fleet.theirs(version, "theirs-" + temp))
        chance = self.random.random()
        if chance < 0.2:  # its request failed, as far as it knows: an entry of anybody's goes
            self.fleet.take_entry_back(version)
            self.fleet.remove(temp)
            return
        item = {**self.fleet.key_of(version), "tempPath": {"S": temp}, "complete": {"S": "false"}}
        condition = "attribute_not_exists(tablePath) and attribute_not_exists(fileName)"
        request = {"TableName": self.fleet.log_store, "Item": item, "ConditionExpression": condition}
        if dynamo(DYNAMODB, "PutItem", request)[0] != 200 or chance < 0.3:  # it lost, or dies
            return
        if chance < 0.4 or not self.repair(version, temp):
            self.fleet.take_entry_back(version)
        else:
            self.committed += 1


class Storm(unittest.TestCase):
    def setUp(self):
        self.fleet, self.folder = Fleet(), tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.addCleanup(self.fleet.close)
        self.file, self.profile = (os.path.join(self.folder.name, name) for name in ("file.parquet", "profile.json"))
        self.fleet.write_file(self.file)
        with open(self.profile, "w") as out:
            json.dump(PROFILE, out)
        self.log_store = "dynamodb://" + self.fleet.log_store
        status, _, errors = self.fleet.run("table", "create", "--log-entries", "--ledger", self.log_store)
        self.assertEqual(status, DONE, errors)

    def append(self):
        words = ("delta", "append", self.fleet.url, self.file, "--log-store", self.log_store, "--store-profile", self.profile)
        status, result, errors = self.fleet.run(*words)
        self.assertEqual(status, DONE, errors)
        return result["version"]

    def settle(self, ticket):
        status, result, errors = self.fleet.run(
            "delta", "resolve", self.fleet.url, ticket, "--log-store", self.log_store, "--store-profile", self.profile
        )
        self.assertIn(status, (DONE, CONFLICT), errors)
        return result["version"] if status == DONE else None

    def ours(self):
        """The versions in the log that this library wrote."""
        names = [name for name in self.fleet.log() if is_version("/" + name)]
        self.assertEqual(names, [*map(version_name, range(len(names)))])
        return [number for number, name in enumerate(names) if b'"engineInfo":"oscommit"' in self.fleet.get(name)]

    def test_every_acknowledged_append_is_in_the_log_once(self):
        seed = os.environ.get("OSCOMMIT_TEST_SEED") or str(random.randrange(1 << 32))
        print("seed", seed, file=sys.stderr)
        first = self.append()
        writers = [Ours(self.fleet, f"{seed} ours {i}", self.profile, self.file) for i in range(3)]
        others = [Theirs(self.fleet, f"{seed} theirs {i}") for i in range(2)]
        for actor in writers + others:
            actor.thread.start()
        for writer in writers:
            writer.thread.join()
        for other in others:
            other.ends.set()
            other.thread.join()
        self.assertEqual([actor.error for actor in writers + others], [None] * 5)
        last = self.append()  # it repairs what the last of them has left, and takes the version of what is unknown
        settled = [self.settle(ticket) for writer in writers for ticket in writer.unknown]
        acknowledged = [version for writer in writers for version in writer.acknowledged] + [first, last]
        acknowledged += [version for version in settled if version is not None]
        found, killed = self.ours(), sum(writer.killed for writer in writers)
        committed = sum(other.committed for other in others)
        print(f"{len(found)} of ours, {killed} killed, {len(settled)} unknown, {committed} of theirs", file=sys.stderr)
        self.assertEqual(len(set(acknowledged)), len(acknowledged), "one version for two appends")
        self.assertEqual(set(acknowledged) - set(found), set(), "acknowledged, and lost")
        self.assertLessEqual(len(found) - len(acknowledged), killed, "in the log, and refused")
        self.assertNotIn("file twice", [kind for kind in self.fleet.findings()])
        self.assertGreater(committed, 0)
        self.assertGreater(len(acknowledged), 2)


if __name__ == "__main__":
    run_with_servers()
