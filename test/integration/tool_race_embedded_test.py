#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`oscommit race --faults` in a folder: pauses and kills; what needs a network is refused."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from oscommit_testing import USAGE, main
from race_testing import FaultyRace


class EmbeddedRace(FaultyRace):
    def test_pauses_and_kills_in_a_folder(self):
        line, _ = self.race("pause,kill")
        self.assertGreater(line["faults"]["pause"], 0, line)
        self.assertGreater(line["faults"]["kill"], 0, line)

    def test_other_faults_are_refused_in_a_folder(self):
        ran = self.exits(USAGE, "race", self.url("races"), "--faults", "late")
        self.assertIn("pause,kill", ran.errors)

    def test_counts_are_reached_although_processes_are_killed(self):
        line = self.ok(
            "race", self.url("counts"), "--writers", 4, "--keys", 200, "--updates", 100, "--copies", 20, "--deletes", 3,
            "--release", "always", "--faults", "pause,kill", "--json", timeout=600,
        ).line()
        self.assertEqual((line["verdict"], line["keys_created"]), ("exact", 200), line)
        self.assertGreaterEqual(line["increments"]["committed"], 400, line)
        self.assertGreaterEqual(line["deletes"]["committed"], 12, line)

    def test_the_same_history_makes_a_page(self):
        page = os.path.join(self.folder, "race.html")
        self.ok("race", self.url("page"), "--writers", 2, "--keys", 3, "--report", page, "--json")
        with open(page, encoding="utf-8") as file:
            text = file.read()
        self.assertTrue(text.lstrip().lower().startswith("<!doctype html>"), text[:80])
        self.assertIn("key-00002", text)


if __name__ == "__main__":
    main(EmbeddedRace, only=("embedded",))
