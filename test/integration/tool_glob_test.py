#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Patterns of keys: ls, get into a folder, cp --recursive."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from oscommit_testing import ABSENT, USAGE, BackendCase, main

KEYS = ("2026/a.json", "2026/b.json", "2026/c.txt", "2026/11/d.json", "2025/e.json", "odd/x[1]*.json", "odd/x1z.json")


class Patterns(BackendCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for key in KEYS:
            made = cls.run_tool("put", "-", f"{cls.store}/{key}", "--if-absent", data=key.encode())
            if made.status != 0:
                raise RuntimeError(f"{key} could not be put: {made}")

    def listed(self, pattern, *flags):
        return [line["key"] for line in self.ok("ls", self.url(pattern), "--json", *flags).lines() if "key" in line]

    def fetched(self, pattern, *flags, command=("get",)):
        top = os.path.join(self.folder, self.key("got"))
        self.ok(*command, self.url(pattern), top + "/", *flags)
        found = {}
        for folder, _, names in os.walk(top):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    found[os.path.relpath(os.path.join(folder, name), top)] = file.read().decode()
        return found

    def test_keys_that_match_are_listed(self):
        self.assertEqual(self.listed("2026/*.json"), ["2026/a.json", "2026/b.json"])
        self.assertEqual(self.listed("202?/[ae].json"), ["2025/e.json", "2026/a.json"])
        self.assertEqual(self.listed("2026/**/*.json"), ["2026/11/d.json", "2026/a.json", "2026/b.json"])
        self.assertEqual(self.listed("**/d.*"), ["2026/11/d.json"])
        self.assertEqual(self.listed("2026/*.json", "--max-keys", "1"), ["2026/a.json"])
        self.assertEqual(self.listed("2026/*.json", "--start-after", "2026/a.json"), ["2026/b.json"])

    def test_no_match_is_an_error(self):
        ran = self.exits(ABSENT, "ls", self.url("2024/*"))
        self.assertIn("No object matches", ran.errors)
        ran = self.exits(ABSENT, "get", self.url("2024/*"), self.folder)
        self.assertIn("No object matches", ran.errors)
        self.exits(ABSENT, "cp", "-r", self.url("2024/*"), self.new_url("none"), "--if-absent")

    def test_special_characters_can_be_meant(self):
        self.assertEqual(self.listed("odd/x[1]*.json"), ["odd/x1z.json"])
        self.assertEqual(self.listed("odd/x\\[1]\\*.json*"), ["odd/x[1]*.json"])
        self.assertEqual(self.listed("odd/x[1]*", "--literal"), ["odd/x[1]*.json"])
        self.assertEqual(self.ok("get", self.url("odd/x[1]*.json"), "-").out, b"odd/x[1]*.json", "one object is no pattern")
        self.assertEqual(self.ok("head", self.url("odd/x[1]*.json"), "--json").line()["length"], 14)

    def test_objects_that_match_are_got_into_a_folder(self):
        self.assertEqual(self.fetched("2026/*.json"), {"a.json": "2026/a.json", "b.json": "2026/b.json"})
        self.assertEqual(self.fetched("2026/**/*.json")["11/d.json"], "2026/11/d.json")
        self.assertEqual(set(self.fetched("20*/*.json", "--jobs", "2")), {"2026/a.json", "2026/b.json", "2025/e.json"})
        self.assertEqual(set(self.fetched("2026/*", command=("cp", "-r"))), {"a.json", "b.json", "c.txt"})

    def test_objects_that_match_are_copied(self):
        target = self.new_url("copies")
        self.ok("cp", "-r", self.url("2026/**/*.json"), target, "--if-absent")
        prefix = target.removeprefix(self.store + "/")
        self.assertEqual(self.listed(prefix + "/**"), [prefix + name for name in ("/11/d.json", "/a.json", "/b.json")])

    def test_a_bad_pattern_is_refused(self):
        for pattern in ("2026/[", "2026/*\\", "2026/[z-a]*"):
            self.exits(USAGE, "ls", self.url(pattern))
        self.exits(USAGE, "ls", self.url("2026/*"), "--delimiter", "/")
        self.exits(USAGE, "get", self.url("2026/*"), self.folder, "--range", "0-1")
        self.exits(USAGE, "get", self.url("2026/a.json"), "--jobs", "2")

    def test_a_long_list_has_etags(self):
        text = self.ok("ls", self.url("2026/*.json"), "-l").text
        etag = self.ok("head", self.url("2026/a.json"), "--json").line()["etag"]
        self.assertIn(f"{etag} 2026/a.json\n", text)
        self.assertIn(" - 2026/11/\n", self.ok("ls", self.url("2026/"), "-l").text)
        self.assertEqual(len(self.ok("ls", self.url("2026/"), "-r").text.splitlines()), 4)


if __name__ == "__main__":
    main(Patterns, only=("embedded", "minio", "versitygw"))
