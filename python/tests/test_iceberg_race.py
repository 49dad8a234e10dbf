# SPDX-License-Identifier: Apache-2.0
"""Four processes append to one Iceberg table on MinIO, which is asked for no condition, with records in DynamoDB Local. Each
is killed once, two of them before a write of the pointer and two behind one, and an answer is lost to each. Then each append
that was acknowledged is in the table once, and none that was refused is.

OSCOMMIT_TEST_ICEBERG_APPENDS says how many appends each writer makes [6]."""

import json
import os
import random
import subprocess
import sys
import threading
import urllib.parse

from iceberg_places import SCHEMA, catalog_of, ids_of, properties_of
from proxy import DecidingProxy
from pyiceberg.exceptions import CommitFailedException

APPENDS = int(os.environ.get("OSCOMMIT_TEST_ICEBERG_APPENDS") or 6)
HERE = os.path.dirname(os.path.abspath(__file__))
POINTER = "/metadata/version-hint.text"
RETRIES = {"commit.retry.num-retries": "200", "commit.retry.min-wait-ms": "10", "commit.retry.max-wait-ms": "200"}


class Writer:
    def __init__(self, place, name, harm, seed):
        where = urllib.parse.urlsplit(place.options["s3_endpoint"])
        self.proxy = DecidingProxy(where.hostname, where.port)
        self.proxy.decide = self.decide
        self.properties = {**properties_of(place, self.proxy.url), "oscommit.length_s": "4"}
        self.ids = [f"{name}{number:03}" for number in range(APPENDS)]
        harms = [harm, "lose"] + [None] * (APPENDS - 3)  # each append but the one that is killed writes the pointer
        self.harms = random.Random(seed).sample(harms, len(harms))
        self.answers, self.error, self.process = [], None, None
        self.thread = threading.Thread(target=self.run_to_the_end)

    def decide(self, method, path):
        if method != "PUT" or not path.endswith(POINTER) or not self.harms:
            return None
        harm = self.harms.pop()
        if harm == "kill before":
            self.process.kill()
            return "refuse"
        return self.process.kill if harm == "kill behind" else harm

    def start(self):
        """Its process, when it has loaded the table."""
        words = [sys.executable, os.path.join(HERE, "iceberg_writer.py"), json.dumps(self.properties), "db.events"]
        environment = {**os.environ, "AWS_EC2_METADATA_DISABLED": "true"}
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        assert json.loads(self.process.stdout.readline())[1] == "ready"

    def end(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(60)

    def run(self):
        self.start()
        for identity in self.ids:
            try:
                self.process.stdin.write(identity + "\n")
                self.process.stdin.flush()
                line = self.process.stdout.readline()
            except BrokenPipeError:
                line = ""
            if line.endswith("\n"):
                self.answers.append(json.loads(line))
                continue
            self.process.wait(60)
            self.end()
            self.start()
        self.end()

    def run_to_the_end(self):
        try:
            self.run()
        except Exception as error:  # told by the test, which would take the writer for one that is slow
            self.error = repr(error)


def settled(catalog, answers):
    """Each id and what became of it, with no unknown left."""
    for identity, word, ticket in answers:
        if word == "unknown":
            try:
                catalog.settle("db.events", ticket)
                word = "committed"
            except CommitFailedException:
                word = "failed"
        yield identity, word


def test_a_race_with_kills_and_lost_answers_loses_no_append_and_doubles_none(minio):
    seed = random.randrange(1 << 32)
    print("seed", seed)
    catalog = catalog_of(minio)
    catalog.create_table("db.events", SCHEMA, properties=RETRIES)
    harms = ["kill before", "kill behind"] * 2
    writers = [Writer(minio, name, harm, f"{seed} {name}") for name, harm in zip("abcd", harms)]
    for writer in writers:
        writer.thread.start()
    for writer in writers:
        writer.thread.join()
        writer.proxy.close()
    for writer in writers:
        print([answer[:2] for answer in writer.answers])
        assert writer.error is None
        assert writer.harms == []
        assert len(writer.answers) == APPENDS - 1
    became = dict(pair for writer in writers for pair in settled(catalog, writer.answers))
    found = ids_of(minio)
    assert len(found) == len(set(found)), "an append is in the table twice"
    committed = {identity for identity, word in became.items() if word == "committed"}
    assert committed - set(found) == set(), "acknowledged, and lost"
    assert (set(became) - committed) & set(found) == set(), "refused, and in the table"
    assert len(committed) == len(became), "a writer that could try again gave up"
    table = catalog.load_table("db.events")
    assert len(table.metadata.snapshots) == len(found)  # each a commit of its own
    parents = [snapshot.parent_snapshot_id for snapshot in table.metadata.snapshots]
    assert len(parents) == len(set(parents)), "two snapshots follow on one"
    catalog.close()
