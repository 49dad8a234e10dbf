#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`oscommit race --transactions` in a SQLite file: there is an order; an outsider that brings old rows back is noticed."""

import contextlib
import os
import sqlite3
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from oscommit_testing import CONFLICT, main
from race_testing import TransactionRace


class RaceWithTransactions(TransactionRace):
    def test_there_is_an_order_although_some_are_killed_and_some_are_stopped(self):
        line, _ = self.has_an_order("--keys", 10, seconds=8)
        self.assertEqual(set(line["faults"]), {"pause", "kill"})
        self.assertGreater(line["conflict"], 0, line)

    def test_without_a_table_it_makes_one_and_takes_it_away(self):
        self.makes_a_file_and_takes_it_away(
            "race with transactions", "--duration", "2s", "--writers", 4, "--faults", "pause")

    def test_faults_of_a_network_and_what_is_of_objects_are_refused(self):
        self.refuses(
            (("--faults", "late"), "table in a file has no network"),
            (("--copies", 3), "--transactions and --copies exclude each other"),
            (("file:///srv/store",), "--transactions takes no URL"),
            (("--ttl", "3s"), "needs --lock"),
            (("--keys", 1), "2 to 100"),
            (("--keys", 101), "2 to 100"),
        )

    def test_an_outsider_that_brings_old_rows_back_is_noticed(self):
        over = threading.Event()

        def bring_back():
            file = sqlite3.connect(self.ledger[len("sqlite://"):], timeout=10, isolation_level=None)
            old = []
            with contextlib.closing(file):
                while not over.wait(0.5):
                    with contextlib.suppress(sqlite3.Error):
                        file.executemany("UPDATE rows_items SET item = ? WHERE partition = ? AND sort = ?", old)
                        old = file.execute("SELECT item, partition, sort FROM rows_items WHERE sort = x''").fetchall()

        outsider = threading.Thread(target=bring_back)
        outsider.start()
        try:
            line, _ = self.race("--writers", 4, "--keys", 4, "--faults", "pause", seconds=5, status=CONFLICT)
        finally:
            over.set()
            outsider.join()
        self.assertEqual(line["verdict"], "broken", line)
        self.assertIn("lost update", {finding["violation"] for finding in line["findings"]}, line)


if __name__ == "__main__":
    main(RaceWithTransactions, only=("embedded",))
