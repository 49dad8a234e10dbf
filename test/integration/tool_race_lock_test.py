#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`oscommit race --lock` in DynamoDB: killed, stopped, and with their requests harmed, they exclude each other."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from oscommit_testing import CONFLICT, DONE, dynamo, main
from race_testing import LeaseRace


class RaceForLeases(LeaseRace):
    def test_they_exclude_each_other_although_some_are_killed_and_some_are_stopped(self):
        self.excludes()

    def test_requests_of_holders_are_harmed_too(self):
        line, _ = self.race("--faults", "all", seconds=15)
        self.assertEqual(line["verdict"], "exact", line)
        self.assertGreater(sum(line["faults"][name] for name in ("slow", "lost-reply", "late", "5xx", "throttle")), 3)

    def test_a_table_that_is_not_there_or_not_fit_is_said_once(self):
        for name in (self.leases + "-none", self.table):
            with self.subTest(name):
                ran = self.run_tool("race", "--lock", "--ledger", "dynamodb://" + name)
                self.assertNotIn(ran.status, (DONE, CONFLICT), ran)
                self.assertEqual(len(ran.errors.splitlines()), 1, ran)
                self.assertIn(name, ran.errors)

    def test_what_stays_is_of_each_lease_its_token_and_its_epoch(self):
        before = self.items()
        self.race("--writers", 4, "--keys", 3, "--faults", "pause", seconds=5)
        new = [item for item in self.items() if item not in before]
        self.assertTrue(0 < len(new) <= 3 * 2, new)
        self.assertTrue(all(item["key"]["S"].startswith("race-") for item in new), new)
        self.assertEqual({frozenset(item) for item in new}, {frozenset({"key", "lease_token"})})

    def items(self):
        status, answer = dynamo(self.ledger_endpoint, "Scan", {"TableName": self.leases, "ConsistentRead": True})
        self.assertEqual(status, 200, answer)
        return answer["Items"]


if __name__ == "__main__":
    main(RaceForLeases, only=("minio",))
