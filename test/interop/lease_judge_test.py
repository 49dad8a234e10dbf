#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The judge of leases, each rule with a history that breaks it."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from lease_judge import NoHistory, judge, read_events


def event(kind, who, at_us=None, **more):
    found = {"event": kind, "who": who, **more}
    return found if at_us is None else {**found, "at_us": at_us}


def held(who, at_us, key="k", **more):
    return event("held", who, at_us, key=key, **more)


def until(who, until_us, at_us=None, key="k"):
    return event("until", who, at_us, key=key, until_us=until_us)


def released(who, at_us, **more):
    return event("released", who, at_us, **more)


def ends_of(who, *times):
    """A process that takes a lease and releases it, for each pair of times."""
    return [line for start, end in times for line in (held(who, start), released(who, end))]


def judged(*files, changes=0, sides=()):
    return judge(
        [read_events(f"file{number}", map(json.dumps, events)) for number, events in enumerate(files)], changes, sides
    )


class JudgeCase(unittest.TestCase):
    def exact(self, *files):
        self.assertEqual(judged(*files).faults, [])

    def broken(self, *files, faults=1):
        """The one fault, or the faults, that there are."""
        found = judged(*files).faults
        self.assertEqual(len(found), faults, found)
        return found[0] if faults == 1 else found


class Overlaps(JudgeCase):
    def test_one_after_the_other_is_exact(self):
        self.exact(ends_of("a", (0, 10), (20, 30)), ends_of("b", (10, 20), (31, 40)))

    def test_of_different_keys_is_exact(self):
        self.exact([held("a", 0)], [held("b", 0, key="other")])

    def test_two_at_once_are_not_and_the_lines_of_both_are_shown(self):
        fault = self.broken(ends_of("a", (0, 10)), ends_of("b", (9, 20)))
        self.assertIn("k: a and b both believe for 0.000001 s", fault)
        for place in ("file0:1", "file0:2", "file1:1", "file1:2"):
            self.assertIn(place, fault)

    def test_every_pair_is_reported(self):
        self.broken(ends_of("a", (0, 100)), ends_of("b", (10, 20)), ends_of("c", (15, 30)), faults=3)

    def test_one_within_a_long_one_is_found_behind_another_that_ended(self):
        self.broken(ends_of("a", (0, 100)), ends_of("b", (10, 20), (50, 60)), faults=2)

    def test_a_belief_that_nothing_ends_lasts_for_ever(self):
        self.assertIn("it never ended", self.broken([held("a", 0)], ends_of("b", (1000, 1001))))

    def test_whoever_takes_what_it_holds_already_is_found(self):
        self.broken([held("a", 0), held("a", 10), released("a", 20)])


class Ends(JudgeCase):
    def test_the_time_it_named_ends_it(self):
        self.exact([held("a", 0), until("a", 10)], ends_of("b", (10, 20)))
        self.exact([held("a", 0, until_us=10)], ends_of("b", (10, 20)))
        self.assertIn("file0:2", self.broken([held("a", 0), until("a", 11)], ends_of("b", (10, 20))))
        self.broken([held("a", 0, until_us=11)], ends_of("b", (10, 20)))

    def test_the_last_time_counts(self):
        self.broken([held("a", 0), until("a", 10), until("a", 30, 5)], ends_of("b", (20, 40)))
        self.exact([held("a", 0), until("a", 30), until("a", 10, 5)], ends_of("b", (20, 40)))

    def test_what_comes_first_ends_it(self):
        for kind in ("released", "lost"):
            self.exact([held("a", 0), until("a", 30), event(kind, "a", 10)], ends_of("b", (10, 20)))
            self.broken([held("a", 0), until("a", 30), event(kind, "a", 11)], ends_of("b", (10, 20)))
            self.exact([held("a", 0), until("a", 10), event(kind, "a", 30)], ends_of("b", (10, 20)))
        self.exact([held("a", 0), event("lost", "a", 10), released("a", 30)], ends_of("b", (10, 20)))

    def test_a_kill_ends_every_belief(self):
        taken = [held("a", 0), held("a", 0, key="other")]
        others = [ends_of("b", (10, 20)), [held("c", 10, key="other")]]
        self.exact(taken, *others, [event("killed", "a", 10)])
        self.broken(taken, *others, [event("killed", "a", 11)], faults=2)
        self.broken(taken, *others, [event("killed", "d", 11)], faults=2)
        self.exact([*taken, event("lost", "a", 10)], *others, [event("killed", "a", 11)])

    def test_an_end_of_one_key_is_none_of_another(self):
        self.exact([held("a", 0), event("lost", "a", 10, key="k")], ends_of("b", (10, 20)))
        self.broken([held("a", 0), event("lost", "a", 10, key="other")], ends_of("b", (10, 20)))
        self.exact([held("a", 0), event("lost", "a", 10)], ends_of("b", (10, 20)))

    def test_a_pause_ends_nothing_and_is_shown(self):
        driver = [event("paused", "a", 5), event("resumed", "a", 25)]
        fault = self.broken(ends_of("a", (0, 30)), ends_of("b", (10, 20)), driver)
        self.assertIn("file2:1", fault)
        self.assertIn("file2:2", fault)

    def test_an_answer_that_came_when_it_was_over_is_no_belief(self):
        found = judged([held("a", 15, until_us=10), released("a", 20)], ends_of("b", (10, 20)))
        self.assertEqual((found.faults, found.beliefs), ([], 1))

    def test_a_belief_that_is_over_is_not_extended(self):
        for before in ([released("a", 10)], [event("lost", "a", 10)], [until("a", 10)]):
            fault = self.broken([held("a", 0), *before, until("a", 30, 20)])
            self.assertIn("a belief is extended after its end", fault)
            if before[0]["event"] != "until":
                self.broken([held("a", 0), *before, until("a", 30)])
        self.exact([held("a", 0), until("a", 10), until("a", 30, 9)])


class Tokens(JudgeCase):
    def test_they_grow(self):
        self.exact([held("a", 0, token=1), released("a", 5)], [held("b", 5, token=2), released("b", 6)])
        # Whoever has none stands between those that have.
        self.exact([held("a", 0, token=1), released("a", 5), held("a", 7, token=3)], ends_of("b", (5, 7)))
        self.exact([held("a", 0, token=2), held("a", 0, key="other", token=1)])

    def test_the_same_or_a_smaller_one_is_a_fault(self):
        for token in (6, 7):
            first = [held("a", 0, token=7), released("a", 5)]
            fault = self.broken(first, ends_of("b", (5, 6)), [held("c", 6, token=token), released("c", 8)])
            self.assertIn("the token does not grow", fault)
            self.assertIn("file0:1", fault)
            self.assertIn("file2:1", fault)

    def test_the_greatest_counts_and_not_the_last(self):
        self.broken([held("a", at, token=token, until_us=at + 1) for at, token in ((0, 7), (2, 3), (4, 5))], faults=2)

    def test_of_a_belief_that_came_too_late_it_counts(self):
        self.broken([held("a", 15, until_us=10, token=2)], [held("b", 16, token=2)])


class Happened(unittest.TestCase):
    alone = ends_of("crate0", (0, 10), (20, 30))
    turns = [ends_of("crate0", (0, 10), (30, 40)), ends_of("ours0", (10, 20)), ends_of("crate1", (20, 30))]

    def test_an_empty_history_is_not_enough(self):
        self.assertFalse(judged([], changes=1).exact)
        self.assertTrue(judged([], changes=0).exact)

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

    def test_each_side_takes_it_from_another(self):
        self.assertTrue(judged(*self.turns, sides=["crate", "ours"]).exact)
        self.assertEqual(judged(*self.turns, sides=["crate", "ours"]).crossings, {"ours0": 1, "crate1": 1})
        self.assertEqual(judged(self.alone, sides=["crate"]).missing, ["crate never took a lease"])
        self.assertEqual(
            judged(self.turns[0], self.turns[2], sides=["crate", "ours"]).missing,
            ["crate never took a lease from another side", "ours never took a lease from another side"],
        )


class Readings(unittest.TestCase):
    def test_what_is_no_event_is_refused(self):
        for line in (
            "",
            "{",
            "[]",
            '"held"',
            '{"event":"held","who":"a","key":"k"}',
            '{"event":"held","who":"a","at_us":1}',
            '{"event":"held","who":"a","key":"k","at_us":"1"}',
            '{"event":"held","who":"a","key":"k","at_us":1.5}',
            '{"event":"held","who":"a","key":"k","at_us":true}',
            '{"event":"held","who":1,"key":"k","at_us":1}',
            '{"event":"held","key":"k","at_us":1}',
            '{"event":"until","who":"a","key":"k"}',
            '{"event":"killed","who":"a"}',
            '{"event":"taken","who":"a","at_us":1}',
            '{"event":["held"],"who":"a","at_us":1}',
        ):
            with self.subTest(line), self.assertRaises(NoHistory):
                read_events("file", [line])

    def test_what_contradicts_itself_is_refused(self):
        for files in (
            [[held("a", 10), released("a", 9)]],
            [[until("a", 10)]],
            [[held("a", 10)], [event("killed", "a", 9)]],
            [[held("a", 1), released("a", 10)], [event("killed", "a", 9)]],
            [[event("paused", "a", 1), event("paused", "a", 2)]],
            [[event("resumed", "a", 1)]],
        ):
            with self.subTest(files), self.assertRaises(NoHistory):
                judged(*files)


class Program(unittest.TestCase):
    def run_judge(self, *files, options=("--changes", "1")):
        with tempfile.TemporaryDirectory(prefix="oscommit-judge-") as folder:
            names = [os.path.join(folder, str(number)) for number in range(len(files))]
            for name, events in zip(names, files):
                with open(name, "w", encoding="utf-8") as out:
                    out.writelines(json.dumps(line) + "\n" for line in events)
            return subprocess.run(
                [sys.executable, "-B", os.path.join(HERE, "lease_judge.py"), *options, *names],
                capture_output=True,
                text=True,
                check=False,
            )

    def test_its_exit_status_says_it(self):
        first, second = ends_of("a", (0, 10)), ends_of("b", (10, 20))
        ran = self.run_judge(first, second)
        self.assertEqual((ran.returncode, ran.stdout.split(":")[0]), (0, "exact"), ran)
        ran = self.run_judge(first, ends_of("b", (9, 20)))
        self.assertEqual((ran.returncode, ran.stdout.split(":")[0]), (1, "not exact"), ran)
        ran = self.run_judge(first, second, options=("--changes", "2", "--side", "a", "--side", "c"))
        self.assertEqual((ran.returncode, ran.stdout.split(":")[0]), (1, "too little happened"), ran)
        ran = self.run_judge(first, [{"event": "taken"}])
        self.assertEqual((ran.returncode, ran.stdout), (2, ""), ran)
        self.assertEqual(self.run_judge(options=("--changes", "1", "/nonexistent")).returncode, 2)
        self.assertEqual(self.run_judge(first, options=()).returncode, 2)


if __name__ == "__main__":
    unittest.main()
