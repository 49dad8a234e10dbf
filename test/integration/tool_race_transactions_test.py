#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`oscommit race --transactions` in DynamoDB: killed, stopped, and with their requests harmed, transactions have an order."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from oscommit_testing import main
from race_testing import TransactionRace

OF_THE_NETWORK = ("slow", "lost-reply", "late", "5xx", "throttle")


class RaceWithTransactions(TransactionRace):
    def test_there_is_an_order_although_requests_are_harmed(self):
        line, _ = self.has_an_order("--faults", "all", seconds=20)
        self.assertGreater(sum(line["faults"][name] for name in OF_THE_NETWORK), 5, line)

    def test_what_is_unknown_is_settled_by_its_ticket(self):
        """With so short a deadline an answer that is late leaves it open, and its rows are seldom written again before its
        ticket is looked at. It may be too short for reading all accounts."""
        faults = "kill,slow,late,lost-reply"
        line, told = self.has_an_order("--faults", faults, "--deadline-ms", 150, "--keys", 100, seconds=20, sums=1)
        settled = {entry["settled"] for entry in told if "settled" in entry}
        self.assertTrue(settled & {"committed", "not executed"}, line)


if __name__ == "__main__":
    main(RaceWithTransactions, only=("minio",))
