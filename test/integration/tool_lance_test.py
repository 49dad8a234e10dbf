#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`oscommit lance` on an embedded store: what is found by names alone, and what is refused. python/tests/test_lance_rows.py has
rows, and pylance."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from oscommit_testing import ABSENT, DONE, NOT_EXECUTED, USAGE, BackendCase, main

VERSION_1, VERSION_2 = "18446744073709551614.manifest", "18446744073709551613.manifest"


class Lance(BackendCase):
    def put(self, table, name):
        folder = os.path.join(self.root, table, "_versions")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, name), "w") as out:
            out.write("manifest")

    def check(self, table, *words):
        return self.run_tool("lance", "check", self.url(table), *words)

    def test_a_check_says_what_writers_have_left(self):
        table = self.key("table")
        self.assertEqual(self.check(table).status, ABSENT)
        self.put(table, VERSION_1)
        self.put(table, "latest_version_hint.json")
        clean = self.check(table + "/")
        self.assertEqual(clean.status, DONE)
        self.assertIn(": Nothing was found. The versions and staged manifests were listed.", clean.text)
        self.put(table, VERSION_2 + "-left")
        ran = self.check(table, "--json")
        [found, *_] = [json.loads(line) for line in ran.text.splitlines()]
        self.assertEqual((ran.status, found["verdict"], found["kind"]), (NOT_EXECUTED, "found", "staged manifest left"))
        self.assertEqual((found["version"], found["name"]), (2, VERSION_2 + "-left"))
        self.put(table, "7.manifest")
        ran = self.check(table)
        self.assertEqual(ran.status, NOT_EXECUTED)
        self.assertEqual(
            [line.split(":")[0] for line in ran.text.splitlines()], ["first naming scheme", "staged manifest left"]
        )
        self.assertEqual(self.check(table, "--quiet").text, "")

    def test_rows_are_refused_where_there_can_be_none(self):
        table = self.key("table")
        self.put(table, VERSION_1)
        ran = self.run_tool("lance", "resolve", self.url(table))
        self.assertEqual(ran.status, USAGE, ran)
        self.assertIn("manifest store", ran.errors)
        ran = self.check(table, "--manifest-store", "sqlite://" + os.path.join(self.folder, "rows.db"))
        self.assertEqual(ran.status, USAGE, ran)
        self.assertIn("A manifest store is a table of DynamoDB", ran.errors)
        self.assertEqual(self.run_tool("lance", "check").status, USAGE)


if __name__ == "__main__":
    main(Lance, only=("embedded",))
