#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`oscommit race --lock` in a SQLite file: they exclude each other; an outsider that ends a lease is noticed."""

import contextlib
import os
import sqlite3
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from oscommit_testing import CONFLICT, NOT_EXECUTED, USAGE, main
from race_testing import LeaseRace


class RaceForLeases(LeaseRace):
    def test_they_exclude_each_other_although_some_are_killed_and_some_are_stopped(self):
        self.excludes()

    def test_without_a_table_it_makes_one_and_takes_it_away(self):
        self.makes_a_file_and_takes_it_away(
            "race for leases", "--duration", "5s", "--writers", 4, "--keys", 1, "--faults", "pause")

    def test_one_alone_shows_nothing(self):
        ran = self.exits(NOT_EXECUTED, "race", "--lock", "--duration", "1s", "--writers", 1, "--json")
        self.assertEqual(ran.line()["verdict"], "incomplete", ran)
        self.assertIn("from one process to another", ran.line()["message"])

    def test_faults_of_a_network_and_what_is_of_objects_are_refused(self):
        self.refuses(
            (("--faults", "late"), "table in a file has no network"),
            (("--updates", 3), "--lock and --updates exclude each other"),
            (("--report", "page.html"), "--lock and --report exclude each other"),
            (("--transactions",), "--lock and --transactions exclude each other"),
            (("file:///srv/store",), "--lock takes no URL"),
            (("--ttl", "1s"), "--ttl wants a time from 2s to 1d"),
            (("--keys", 1001), "at most 1000"),
        )
        self.assertIn("needs --lock", self.exits(USAGE, "race", self.url("x"), "--ttl", "3s").errors)
        self.assertIn("needs a URL", self.exits(USAGE, "race").errors)

    def test_an_outsider_that_deletes_what_is_held_is_noticed(self):
        """Two believe then, until the first one extends and is told: the judge must see it."""
        over = threading.Event()

        def delete_again_and_again():
            while not over.wait(0.2):
                with contextlib.suppress(sqlite3.Error), contextlib.closing(
                    sqlite3.connect(self.ledger[len("sqlite://"):], timeout=10, isolation_level=None)
                ) as file:
                    file.execute("DELETE FROM leases")

        outsider = threading.Thread(target=delete_again_and_again)
        outsider.start()
        try:
            line, _ = self.race("--writers", 6, "--keys", 1, "--faults", "pause", status=CONFLICT)
        finally:
            over.set()
            outsider.join()
        self.assertEqual(line["verdict"], "broken", line)
        self.assertIn("two holders", {finding["violation"] for finding in line["findings"]}, line)
        self.assertRegex(line["message"], r"w\d+\.\d+ \(\d+\.\d+ s to .* both believe for \d+\.\d+ s")


if __name__ == "__main__":
    main(RaceForLeases, only=("embedded",))
