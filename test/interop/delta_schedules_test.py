#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Schedules that could break a commit through a log store, each made by hand: the requests of a writer are held, lost or
refused, and what others do in between is done to the store and to its table. Every append that was acknowledged is then in
the log once, and no other is."""

import json
import os
import sys
import unittest
import uuid

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "integration"))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import delta_table
from delta_table import BUCKET, DYNAMODB, MINIO, Table, is_version, run_with_servers
from oscommit_testing import CONFLICT, DONE, NOT_EXECUTED, UNKNOWN, UNREACHABLE, dynamo, signed_request
from plain_table import PlainTable
from tool_delta_test import PLAIN

REFUSED = (400, {"__type": "com.amazon.coral.service#AccessDeniedException", "Message": "not now"})
SHORT = ["--deadline-ms", "2500"]


def version_name(version):
    return "%020d.json" % version


class Once:
    """What is done at the first request that is meant, and not again."""

    def __init__(self, act):
        self.act, self.done = act, False

    def __call__(self, *arguments):
        if not self.done:
            self.done = True
            return self.act(*arguments)
        return None


class Fleet(Table):
    """Writers of one table, each with a store and a log store of its own to go through."""

    def __init__(self):
        super().__init__()
        self.tables = []

    @staticmethod
    def write_file(path):
        with open(path, "wb") as out:
            out.write(PLAIN)

    def writer(self, conditions=False):
        store, table = self.store(conditions), PlainTable(DYNAMODB)
        self.tables.append(table)
        return store, table

    def close(self):
        super().close()
        for table in self.tables:
            table.close()

    def run(self, *words, by=None):
        endpoint, ledger = (by[0].url, by[1].url) if by else (MINIO, DYNAMODB)
        own, delta_table.DYNAMODB = delta_table.DYNAMODB, ledger
        try:
            return self.oscommit(*words, endpoint=endpoint)
        finally:
            delta_table.DYNAMODB = own

    # -------------------------------------------------------------------------------------- what others do

    def path(self, name):
        return f"/{BUCKET}/{self.key}/_delta_log/{name}"

    def put(self, name, body):
        status, _, answer = signed_request(MINIO, "s3", "PUT", self.path(name), body)
        assert status == 200, answer

    def get(self, name):
        status, _, body = signed_request(MINIO, "s3", "GET", self.path(name))
        return body if status == 200 else None

    def remove(self, name):
        signed_request(MINIO, "s3", "DELETE", self.path(name))

    def key_of(self, version):
        return {"tablePath": {"S": self.url}, "fileName": {"S": version_name(version)}}

    def put_entry(self, version, temp, complete="false"):
        item = {**self.key_of(version), "tempPath": {"S": temp}, "complete": {"S": complete}}
        status, answer = dynamo(DYNAMODB, "PutItem", {"TableName": self.log_store, "Item": item})
        assert status == 200, answer

    def take_entry_back(self, version):
        """As delta-rs 1.6.0 does it: whosever it is."""
        request = {"TableName": self.log_store, "Key": self.key_of(version), "ConditionExpression": "complete = :f"}
        dynamo(DYNAMODB, "DeleteItem", {**request, "ExpressionAttributeValues": {":f": {"S": "false"}}})

    def expire(self, version):
        dynamo(DYNAMODB, "DeleteItem", {"TableName": self.log_store, "Key": self.key_of(version)})

    def theirs(self, version, name):
        """A commit of another writer, as the bytes of its version."""
        add = {"path": name, "partitionValues": {}, "size": 1, "modificationTime": 1, "dataChange": True}
        return (json.dumps({"add": add}) + "\n").encode()


class Schedules(unittest.TestCase):
    def setUp(self):
        self.fleet = Fleet()
        self.addCleanup(self.fleet.close)
        self.file = f"/tmp/{uuid.uuid4().hex}.parquet"
        self.addCleanup(lambda: os.unlink(self.file))
        self.fleet.write_file(self.file)
        status, _, errors = self.fleet.run("table", "create", "--log-entries", "--ledger", self.log_store())
        self.assertEqual(status, DONE, errors)
        self.appended(0)

    def log_store(self):
        return "dynamodb://" + self.fleet.log_store

    def append(self, by=None, words=()):
        return self.fleet.run("delta", "append", self.fleet.url, self.file, "--log-store", self.log_store(), *words, by=by)

    def appended(self, version, by=None, words=()):
        status, result, errors = self.append(by, words)
        self.assertEqual((status, result.get("version")), (DONE, version), errors)

    def resolve(self, ticket, by=None, words=()):
        words = ["delta", "resolve", self.fleet.url, ticket, "--log-store", self.log_store(), *words]
        return self.fleet.run(*words, by=by)[0]

    def left_unknown(self, version, by, words=SHORT):
        status, result, errors = self.append(by, words)
        self.assertEqual((status, result.get("version")), (UNKNOWN, version), errors)
        return result["ticket"]

    def check_log(self, versions, findings=(), ignored=()):
        """Every version is there, no data file is added twice, and every entry is complete."""
        found = [kind for kind in self.fleet.findings() if kind not in ignored]
        self.assertEqual(sorted(found), sorted(findings))
        self.assertEqual([name for name in self.fleet.log() if is_version("/" + name)], [*map(version_name, range(versions))])
        complete = {number: item["complete"]["S"] for number, item in self.fleet.entries().items()}
        self.assertEqual(complete, {number: "true" for number in range(versions)})

    @staticmethod
    def at_version(version, act):
        """`act(method, path)` at the first request for this version's file by this method and name."""
        once = Once(act)
        return lambda method, path: once(method, path) if path.endswith(version_name(version)) else None

    @staticmethod
    def lose(*_):
        raise ConnectionError

    def no_version(self, version):
        return lambda method, path: self.lose() if method == "PUT" and path.endswith(version_name(version)) else None

    # ------------------------------------------------------------------------------------------- tickets

    def test_a_ticket_of_a_version_that_somebody_else_wrote_is_a_conflict(self):
        """The next of ours completes the entry, since its version is there. That says nothing of whose it is."""
        by = self.fleet.writer()
        by[0].decide = self.no_version(1)
        ticket = self.left_unknown(1, by)
        self.fleet.put(version_name(1), self.fleet.theirs(1, "outsider"))
        self.appended(2)
        self.assertEqual(self.fleet.entries()[1]["complete"]["S"], "true")
        self.assertEqual(self.resolve(ticket), CONFLICT)
        self.assertEqual(self.fleet.get(version_name(1)), self.fleet.theirs(1, "outsider"))

    def test_a_repair_that_cannot_read_the_entry_again_completes_nothing(self):
        by = self.fleet.writer()
        by[0].decide = self.no_version(1)
        ticket = self.left_unknown(1, by)
        other, reads = self.fleet.writer(), []

        def decide(action, request):
            reads.append(action)
            put_soon = reads.count("GetItem") > 6  # it waits for its writer first
            return REFUSED if action == "GetItem" and (put_soon or len(reads) == 2) else None

        other[1].decide = decide
        self.assertEqual(self.resolve(ticket, other, SHORT), UNKNOWN)
        self.assertIsNone(self.fleet.get(version_name(1)))
        self.assertEqual(self.fleet.entries()[1]["complete"]["S"], "false")
        self.assertEqual(self.resolve(ticket), DONE)
        self.check_log(2)

    def test_a_ticket_is_good_when_its_entry_and_its_temp_file_are_gone(self):
        by = self.fleet.writer()
        by[0].decide = self.no_version(1)
        ticket = self.left_unknown(1, by)
        self.appended(2)
        self.fleet.expire(1)
        self.assertEqual(self.resolve(ticket), DONE)
        self.fleet.put_entry(1, "_commit_late.json.tmp", "true")  # of a writer that stood still for a day
        self.assertEqual(self.resolve(ticket), DONE)

    # -------------------------------------------------------------------------------- an entry that goes away

    def test_an_entry_that_delta_rs_took_back_by_mistake_is_put_again(self):
        """Else the next delta-rs takes the version before for the newest, and writes this one over."""
        by = self.fleet.writer()
        once = Once(lambda: self.fleet.take_entry_back(1))
        by[1].decide = lambda action, request: once() if action == "UpdateItem" else None
        self.appended(1, by)
        self.check_log(2)

    def test_an_entry_that_was_taken_back_and_taken_by_another_is_a_conflict(self):
        by, temp = self.fleet.writer(), "_commit_theirs.json.tmp"

        def take(method, path):
            if method != "GET":
                return None
            self.fleet.take_entry_back(1)
            self.fleet.put(temp, self.fleet.theirs(1, "theirs"))
            self.fleet.put_entry(1, temp)
            self.fleet.put(version_name(1), self.fleet.theirs(1, "theirs"))
            return None

        looks = []
        by[0].decide = lambda method, path: (
            looks.append(method) or (take(method, path) if len(looks) == 2 else None)
            if path.endswith(version_name(1))
            else None
        )
        self.appended(2, by)
        self.assertEqual(self.fleet.get(version_name(1)), self.fleet.theirs(1, "theirs"))
        self.check_log(3, ["file missing"])

    def test_an_entry_that_expired_while_its_next_writer_stood_still_for_a_day(self):
        """B commits, its entry expires, and A, which has seen no version 1, enters it again; then the next one repairs."""
        by = self.fleet.writer()

        def sleep():
            self.appended(1)
            self.fleet.expire(1)

        entering, repairing = Once(sleep), Once(lambda: self.appended(2))
        by[1].decide = lambda action, request: (
            entering() if action == "PutItem" else repairing() if action == "UpdateItem" else None
        )
        self.appended(3, by)
        self.check_log(4)

    def test_a_temp_file_that_a_repair_removed_is_not_counted_on_for_the_next_version(self):
        """An outsider writes our version, a repair completes our entry, and we die behind our next entry."""
        by = self.fleet.writer()
        outsider = Once(lambda: self.fleet.put(version_name(1), self.fleet.theirs(1, "outsider")))
        repairing = Once(lambda: self.appended(2))
        by[1].decide = lambda action, request: (
            outsider() if action == "PutItem" else repairing() if action in ("UpdateItem", "DeleteItem") else None
        )
        by[0].decide = self.no_version(3)
        ticket = self.left_unknown(3, by, ["--deadline-ms", "10000"])  # a repair takes its time
        self.appended(4)
        self.assertEqual(self.resolve(ticket), DONE)
        self.check_log(5, ["file missing"])

    # ----------------------------------------------------------------------------------------------- repairs

    def test_a_complete_entry_without_a_version_is_made_from_its_temp_file(self):
        """delta-rs completes whatever entry is incomplete, also one that took the place of its own."""
        self.fleet.put("_commit_theirs.json.tmp", self.fleet.theirs(1, "theirs"))
        self.fleet.put_entry(1, "_commit_theirs.json.tmp", "true")
        self.appended(2)
        self.assertEqual(self.fleet.get(version_name(1)), self.fleet.theirs(1, "theirs"))
        self.check_log(3, ["file missing"])

    def test_a_writer_that_is_alive_is_left_alone(self):
        """delta-rs 1.6.0 takes a version that was made for it for another's, if its temp file is there, and commits again."""
        by, temp = self.fleet.writer(), "_commit_alive.json.tmp"
        self.fleet.put(temp, self.fleet.theirs(1, "alive"))
        self.fleet.put_entry(1, temp)

        def finish(action, request):
            if action == "GetItem" and by[1].seen.count("GetItem") == 4:
                self.fleet.put(version_name(1), self.fleet.theirs(1, "alive"))
                self.fleet.remove(temp)
                self.fleet.put_entry(1, temp, "true")

        by[1].decide = finish
        self.appended(2, by)
        theirs = [method for method, path, _, _ in by[0].seen if path.endswith((version_name(1), temp)) and method != "GET"]
        self.assertEqual(set(theirs) - {"HEAD"}, set())
        self.check_log(3, ["file missing"])

    def test_an_entry_that_is_taken_back_while_it_is_repaired_is_not_made(self):
        by, temp = self.fleet.writer(), "_commit_back.json.tmp"
        self.fleet.put(temp, self.fleet.theirs(1, "back"))
        self.fleet.put_entry(1, temp)
        once = Once(lambda: self.fleet.take_entry_back(1))
        by[0].decide = lambda method, path: once() if method == "GET" and path.endswith(temp) else None
        self.appended(1, by)
        self.check_log(2, ["temp file left"])

    def test_an_entry_that_has_lost_its_temp_file_is_told(self):
        self.fleet.put_entry(1, "_commit_lost.json.tmp")
        status, _, errors = self.append()
        self.assertEqual(status, NOT_EXECUTED)
        self.assertIn("neither that version nor its temp file", errors)
        self.fleet.take_entry_back(1)
        for hostile in ("../../other/_commit_x.json.tmp", ".tmp/../x", "_commit_a/b.json.tmp", "x.json"):
            self.fleet.put_entry(1, hostile)
            status, _, errors = self.append()
            self.assertEqual(status, NOT_EXECUTED)
            self.assertIn("no temp file of a log", errors)

    # --------------------------------------------------------------------------- every answer is lost, once

    def test_a_lost_answer_to_any_request_of_a_commit_changes_nothing(self):
        committed = 1
        for where in range(2):
            for number in range(1, 12):
                by, count = self.fleet.writer(), []

                def decide(*_, count=count, number=number):
                    count.append(1)
                    return self.lose if len(count) == number else None

                by[where].decide = decide
                status, result, errors = self.append(by, ["--deadline-ms", "20000"])
                with self.subTest(where=where, number=number):
                    self.assertEqual((status, result.get("version")), (DONE, committed), errors)
                committed += 1
                if len(count) < number:
                    break
        self.assertGreater(committed, 10)
        self.check_log(committed)

    def test_a_writer_that_dies_behind_any_request_leaves_what_the_next_one_can_go_on_with(self):
        versions, number, deadline_ms = 1, 1, 700
        while number < 16:  # every version that is there already costs requests, too: it has more than that
            by, count = self.fleet.writer(), []

            def decide(*_, count=count, number=number):
                """The answer of this one is lost, and the network with it."""
                count.append(1)
                return self.lose() if len(count) > number else self.lose if len(count) == number else None

            by[0].decide = by[1].decide = decide
            ended, result, errors = self.append(by, ["--deadline-ms", str(deadline_ms)])
            with self.subTest(number=number, ended=ended):
                self.assertIn(ended, (DONE, NOT_EXECUTED, UNKNOWN, UNREACHABLE), errors)
                settled = self.resolve(result["ticket"]) if ended == UNKNOWN else ended
                if settled == UNKNOWN:  # nothing was entered; whoever takes the version decides it
                    status, after, errors = self.append()
                    settled = self.resolve(result["ticket"])
                    self.assertEqual(settled, CONFLICT)
                else:
                    status, after, errors = self.append()
                self.assertEqual(status, DONE, errors)
                self.assertEqual(after["version"] + 1 - versions, 2 if settled == DONE else 1)
                versions = after["version"] + 1
            if len(count) >= number:
                number += 1
            else:  # the deadline came before this one
                self.assertNotEqual(ended, DONE)
                deadline_ms *= 2
        self.check_log(versions, ignored=["temp file left"])


if __name__ == "__main__":
    run_with_servers()
