#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether enough happened in a history of leases, and that its judge hears of every line."""

import json
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "support")]
from lease_history import NoHistory, judge


def held(who, at_us, key="k", **more):
    return {"event": "held", "who": who, "at_us": at_us, "key": key, **more}


def released(who, at_us):
    return {"event": "released", "who": who, "at_us": at_us}


def ends_of(who, *times):
    """A process that takes a lease and releases it, for each pair of times."""
    return [line for start, end in times for line in (held(who, start), released(who, end))]


def judged(*files, changes=0, sides=()):
    return judge([[json.dumps(event) for event in events] for events in files], changes, sides)


class Happened(unittest.TestCase):
    alone = ends_of("crate0", (0, 10), (20, 30))
    turns = [ends_of("crate0", (0, 10), (30, 40)), ends_of("ours0", (10, 20)), ends_of("crate1", (20, 30))]

    def test_one_that_takes_it_again_is_no_change(self):
        self.assertEqual(judged(self.alone, changes=1).missing, ["0 changes of holder, not 1"])

    def test_changes_are_counted(self):
        self.assertTrue(judged(*self.turns, changes=3).exact)
        found = judged(*self.turns, changes=4)
        self.assertEqual((found.exact, found.faults), (False, []))
        self.assertEqual(found.changes, {"ours0": 1, "crate1": 1, "crate0": 1})

    def test_keys_are_counted_apart(self):
        files = [[held("a", 0), released("a", 1)], [held("b", 2, key="other"), released("b", 3)]]
        self.assertEqual(judged(*files, changes=1).missing, ["0 changes of holder, not 1"])

    def test_an_answer_that_came_when_it_was_over_is_none(self):
        late = [held("b", 12, until_us=12)]
        self.assertEqual(judged(ends_of("a", (0, 10)), late, changes=1).missing, ["0 changes of holder, not 1"])

    def test_each_side_takes_it_from_another(self):
        self.assertTrue(judged(*self.turns, sides=["crate", "ours"]).exact)
        self.assertEqual(judged(*self.turns, sides=["crate", "ours"]).crossings, {"ours0": 1, "crate1": 1})
        self.assertEqual(judged(self.alone, sides=["crate"]).missing, ["crate never took a lease"])
        self.assertEqual(
            judged(self.turns[0], self.turns[2], sides=["crate", "ours"]).missing,
            ["crate never took a lease from another side", "ours never took a lease from another side"],
        )


class Judged(unittest.TestCase):
    def test_two_holders_are_found_from_two_files(self):
        found = judged(ends_of("a", (0, 10)), ends_of("b", (9, 20)))
        self.assertFalse(found.exact)
        self.assertEqual(len(found.faults), 1)
        self.assertIn("both believe for 0.000001 s", found.faults[0])

    def test_what_the_driver_did_counts(self):
        self.assertFalse(judged([held("a", 0)], ends_of("b", (10, 20))).exact)
        killed = [{"event": "killed", "who": "a", "at_us": 10}]
        self.assertTrue(judged([held("a", 0)], ends_of("b", (10, 20)), killed).exact)

    def test_what_is_no_event_is_no_history(self):
        for event in ({"event": "taken", "who": "a", "at_us": 1}, {"event": "held", "who": "a", "key": "k"}):
            with self.subTest(event), self.assertRaises(NoHistory):
                judged([event])


if __name__ == "__main__":
    unittest.main()
