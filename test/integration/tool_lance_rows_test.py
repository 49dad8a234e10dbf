#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`oscommit lance` on a table whose versions stand in rows, which are written here as pylance 14.0.2 writes them.
python/tests/test_lance_rows.py does the same with pylance itself."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from oscommit_testing import DONE, NOT_EXECUTED, BackendCase, dynamo, main, signed_request


def name_of(version):
    return f"{2**64 - 1 - version:020}.manifest"


class LanceRows(BackendCase):
    def setUp(self):
        self.events, self.rows = self.key("events"), self.key(self.table)
        self.ask(
            "CreateTable",
            BillingMode="PAY_PER_REQUEST",
            KeySchema=[
                {"AttributeName": "base_uri", "KeyType": "HASH"},
                {"AttributeName": "version", "KeyType": "RANGE"},
            ],
            AttributeDefinitions=[
                {"AttributeName": "base_uri", "AttributeType": "S"},
                {"AttributeName": "version", "AttributeType": "N"},
            ],
        )
        while self.ask("DescribeTable")["Table"]["TableStatus"] != "ACTIVE":
            pass
        self.put(name_of(1), b"one")
        self.row(1, name_of(1), 3)

    def ask(self, what, **request):
        status, answer = dynamo(self.ledger_endpoint, what, {"TableName": self.rows, **request})
        self.assertEqual(status, 200, answer)
        return answer

    def path(self, name):
        return f"/{self.store[len('s3://') :]}/{self.events}/_versions/{name}"

    def put(self, name, data):
        self.assertEqual(signed_request(self.store_endpoint, "s3", "PUT", self.path(name), data)[0], 200)

    def read(self, name):
        status, _, data = signed_request(self.store_endpoint, "s3", "GET", self.path(name))
        return data if status == 200 else None

    def row(self, version, name, size=None, base_uri=None):
        base_uri = base_uri or self.events
        item = {
            "base_uri": {"S": self.events},
            "version": {"N": str(version)},
            "path": {"S": f"{base_uri}/_versions/{name}"},
            "committer": {"S": "lancedb"},
        }
        self.ask("PutItem", Item={**item, **({"size": {"N": str(size)}} if size is not None else {})})

    def named(self, version):
        key = {"base_uri": {"S": self.events}, "version": {"N": str(version)}}
        item = self.ask("GetItem", Key=key, ConsistentRead=True)["Item"]
        self.assertEqual(item["committer"], {"S": "lancedb"})
        return item["path"]["S"].rsplit("/", 1)[1]

    def run_lance(self, command):
        return self.run_tool(
            "lance", command, self.url(self.events), "--manifest-store", "dynamodb://" + self.rows, "--json"
        )

    def findings(self):
        ran = self.run_lance("check")
        found = [json.loads(line) for line in ran.text.splitlines()]
        found = [(line["kind"], line.get("version")) for line in found if line["verdict"] == "found"]
        self.assertEqual(ran.status, NOT_EXECUTED if found else DONE, ran)
        return sorted(found)

    def completes(self, count):
        ran = self.run_lance("resolve")
        self.assertEqual(ran.status, DONE, ran)
        self.assertEqual(json.loads(ran.text)["completed"], count)

    def refuses(self, says):
        ran = self.run_lance("resolve")
        self.assertEqual(ran.status, NOT_EXECUTED, ran)
        self.assertIn(says, ran.errors)

    def test_rows_are_completed_wherever_their_writers_died(self):
        self.assertEqual(self.findings(), [])
        self.completes(0)
        staged = {version: f"{name_of(version)}-{version}" for version in (2, 3, 4)}
        self.put(staged[2], b"two")  # before its copy, by a release that wrote no size
        self.row(2, staged[2])
        self.put(staged[3], b"three")  # before its copy
        self.row(3, staged[3], 5)
        self.put(name_of(4), b"four")  # before its row, and the staged one is gone
        self.row(4, staged[4], 4)
        self.assertEqual(self.findings(), [("row incomplete", version) for version in (2, 3, 4)])
        self.completes(3)
        self.assertEqual(self.findings(), [])
        for version, data in ((2, b"two"), (3, b"three"), (4, b"four")):
            self.assertEqual((self.named(version), self.read(name_of(version))), (name_of(version), data))
            self.assertIsNone(self.read(staged.get(version)))

    def test_what_cannot_be_completed_is_named_and_left(self):
        staged = name_of(2) + "-2"
        self.row(2, staged, 3)
        self.assertEqual(self.findings(), [("row without version", 2)])
        self.refuses("neither its version nor its staged manifest is there")
        self.put(staged, b"other")
        self.refuses("its staged manifest has another size than the row says")
        self.put(name_of(2), b"overwritten")
        self.refuses("another writer's version is there")
        self.put(staged, b"ten")
        self.put(name_of(2), b"two")  # as long, and another's
        self.refuses("another writer's version is there")
        self.put(staged, b"other")
        self.put(name_of(2), b"overwritten")
        self.assertEqual((self.named(2), self.read(name_of(2))), (staged, b"overwritten"))
        self.row(2, staged, 3, base_uri="elsewhere")
        self.assertEqual(self.findings(), [("row without version", 2), ("staged manifest left", 2)])
        self.refuses("no manifest of that version")

    def test_a_check_finds_writers_that_do_not_ask_the_rows(self):
        self.put(name_of(3), b"three")
        self.row(3, name_of(3), 4)
        self.put(name_of(2), b"two")
        self.put(name_of(4), b"four")
        self.row(9, name_of(9), 4)
        self.assertEqual(
            self.findings(), [("row missing", 2), ("row missing", 4), ("row without version", 9), ("size differs", 3)]
        )


if __name__ == "__main__":
    main(LanceRows, only=("minio", "minio+dynalite"))
