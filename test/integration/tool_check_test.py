#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`oscommit check`: what it prints of a history and with which status it ends. Needs no server."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from oscommit_testing import CONFLICT, DONE, NOT_EXECUTED, USAGE, tool

UNDECIDED = 4


def call(number, expected, value, start, end, verdict="committed", **more):
    operation = "put_if_absent" if expected is None else "delete_if_match" if value is None else "put_if_match"
    return {"call": number, "writer": number % 3, "operation": operation, "key": "a/\u00e9", "expected": expected,
            "value": value, "start_us": start, "end_us": end, "verdict": verdict, **more}


def history(*lines):
    return "".join(json.dumps(line) + "\n" for line in ({"oscommit_history": 1}, *lines)).encode()


GOOD = history(
    call(1, None, '"1"', 0, 10), call(2, None, '"2"', 5, 15, "conflict"),
    call(3, '"1"', '"3"', 20, None, "unknown", settled="committed", settled_us=50),
    call(4, '"3"', '"4"', 60, 70, "unknown"),
    {"event": "kill", "writer": 0, "start_us": 30, "end_us": 30},
    {"final": "a/\u00e9", "value": '"3"', "at_us": 100, "versions": 2})
BAD = history(call(1, None, '"1"', 0, 10), call(2, None, '"2"', 1500000, 1500015))


def said(word, who, at_us, **more):
    return {"lease": word, "who": who, "key": "k", "at_us": at_us, **more}


LEASES = history(
    said("waits", "b", 5), said("held", "a", 0, token=1), said("released", "a", 10), said("let_go", "a", 12),
    said("held", "b", 500012, token=2), {"lease": "killed", "who": "b", "at_us": 600000})
TWO_HOLDERS = history(said("held", "a", 0, until_us=10), said("held", "b", 9), said("released", "b", 20))


def transaction(number, start, end, verdict="committed", **more):
    return {"transaction": number, "writer": number - 1, "start_us": start, "end_us": end, "verdict": verdict, **more}


def write(key, expected, value):
    return {"key": key, "expected": expected, "value": value}


TRANSACTIONS = history(
    {"sum": 100, "keys": ["a", "b"]},
    transaction(1, 0, 10, reads=[{"key": "a", "value": None}],
                writes=[{**write("a", None, "a1"), "amount": 60}, {**write("b", None, "b1"), "amount": 40}]),
    transaction(2, 20, None, "unknown", writes=[{"key": "log", "append": "x"}]),
    transaction(3, 30, 40, reads=[{"key": "a", "value": "a1", "amount": 60}, {"key": "b", "value": "b1"},
                                  {"key": "log", "list": ["x"]}]))
WRITE_SKEW = history(
    transaction(1, 0, 10, reads=[{"key": "a", "value": None}], writes=[write("b", None, "b1")]),
    transaction(2, 5, 15, reads=[{"key": "b", "value": None}], writes=[write("a", None, "a1")]))


def unlucky():
    """Two values that come and go, unknown writes between them and a number of versions that needs all but one of
    them: more orders than anybody can look at."""
    lines = [call(1, None, '"0"', 0, 1)]
    values = 24
    for number in range(2, 2 + values * (values - 1)):
        source, target = divmod(number - 2, values - 1)
        target += target >= source
        lines.append(call(number, f'"{source}"', f'"{target}"', 2, 3, "unknown"))
    lines.append({"final": "a/\u00e9", "value": '"0"', "at_us": 9, "versions": values * (values - 1)})
    return history(*lines)


class Check(unittest.TestCase):
    def check(self, status, *arguments, data=b""):
        ran = subprocess.run([tool(), "check", *arguments], input=data, capture_output=True, timeout=300)
        self.assertEqual(ran.returncode, status, ran)
        return ran.stdout.decode(), ran.stderr.decode()

    def file(self, data):
        file = tempfile.NamedTemporaryFile(suffix=".jsonl")
        self.addCleanup(file.close)
        file.write(data)
        file.flush()
        return file.name

    def test_a_true_history_is_accepted(self):
        name = self.file(GOOD)
        out, err = self.check(DONE, name)
        self.assertEqual(out.splitlines(), [
            f"accepted {name}",
            "  4 calls on 1 keys: 2 committed, 1 conflict, 0 not executed, 1 unknown, 0 killed in flight; 0 reads; "
            "1 settled, 1 not settled"])
        self.assertEqual(err, "")

    def test_who_was_killed_in_a_call_was_told_nothing(self):
        killed = history(
            call(1, None, '"1"', 0, 10), call(2, '"1"', '"2"', 20, None, "unknown"),
            call(3, '"1"', '"3"', 20, None, "unknown", settled="conflict", settled_us=50),
            call(4, '"1"', '"4"', 20, None, "unknown", settled_us=50),
            {"event": "kill", "writer": 2, "start_us": 30, "end_us": 30})
        self.assertIn("  4 calls on 1 keys: 1 committed, 1 conflict, 0 not executed, 1 unknown, 1 killed in flight; 0 reads; "
                      "1 settled, 1 not settled\n", self.check(DONE, "-", data=killed)[0])
        found = json.loads(self.check(DONE, "--json", "-", data=killed)[0])
        self.assertEqual((found["unknown"], found["killed"], found["settled"], found["unsettled"]), (1, 1, 1, 1))

    def test_leases_that_exclude_each_other_are_accepted(self):
        name = self.file(LEASES)
        out, err = self.check(DONE, name)
        self.assertEqual(out.splitlines()[:2], [f"accepted {name}", "  2 beliefs of 1 leases"])
        self.assertIn("  after a release        1 waited: p50 0.50 s", out)
        self.assertEqual(err, "")
        found = json.loads(self.check(DONE, "--json", name)[0])
        self.assertEqual((found["verdict"], found["acquired"], found["hand_overs"], found["released"],
                          found["killed_while_held"], found["findings"]), ("accepted", 2, 1, 1, 1, []))

    def test_two_holders_of_a_lease_are_refused(self):
        out, _ = self.check(CONFLICT, "-", data=TWO_HOLDERS)
        self.assertIn("  two holders: k: a (0.000000 s to 0.000010 s) and b (0.000009 s to 0.000020 s) both believe for "
                      "0.000001 s\n", out)
        found = json.loads(self.check(CONFLICT, "--json", "-", data=TWO_HOLDERS)[0])
        self.assertEqual((found["verdict"], found["violations"]), ("refused", 1))
        self.assertEqual((found["findings"][0]["violation"], found["findings"][0]["key"]), ("two holders", "k"))

    def test_what_of_leases_is_no_page_and_no_history_of_calls_is_said(self):
        _, err = self.check(NOT_EXECUTED, "--report", "/dev/null", self.file(LEASES))
        self.assertIn("this history is of leases", err)
        _, err = self.check(NOT_EXECUTED, "-", data=LEASES + json.dumps(call(1, None, '"1"', 0, 10)).encode())
        self.assertIn("is of several", err)

    def test_transactions_in_an_order_are_accepted(self):
        name = self.file(TRANSACTIONS)
        out, err = self.check(DONE, name)
        self.assertEqual(out.splitlines(), [
            f"accepted {name}",
            "  3 transactions on 3 keys: 2 committed, 0 conflict, 0 not executed, 1 unknown, of which 1 took effect, "
            "because they were seen"])
        self.assertEqual(err, "")
        found = json.loads(self.check(DONE, "--json", name)[0])
        self.assertEqual((found["verdict"], found["transactions"], found["keys"], found["committed"], found["unknown"],
                          found["unknown_but_seen"], found["findings"]), ("accepted", 3, 3, 2, 0, 1, []))

    def test_write_skew_is_refused_with_its_story(self):
        out, _ = self.check(CONFLICT, "-", data=WRITE_SKEW)
        self.assertEqual(out.splitlines()[2:], [
            "  write skew (G2-item): 2 transactions come one before the other in a circle, so none of them can be the "
            "first.",
            "    1. transaction 2 (writer 1, 0.000005 s to 0.000015 s, committed) read \"nothing\" of b, which "
            "transaction 1 (writer 0, 0.000000 s to 0.000010 s, committed) replaced by \"b1\".",
            "    2. transaction 1 (writer 0, 0.000000 s to 0.000010 s, committed) read \"nothing\" of a, which "
            "transaction 2 (writer 1, 0.000005 s to 0.000015 s, committed) replaced by \"a1\"."])
        found = json.loads(self.check(CONFLICT, "--json", "-", data=WRITE_SKEW)[0])
        self.assertEqual((found["verdict"], found["violations"]), ("refused", 1))
        self.assertEqual((found["findings"][0]["violation"], found["findings"][0]["transaction"],
                          len(found["findings"][0]["steps"])), ("write skew (G2-item)", 2, 2))

    def test_what_of_transactions_is_no_page_and_no_history_of_calls_is_said(self):
        _, err = self.check(NOT_EXECUTED, "--report", "/dev/null", self.file(TRANSACTIONS))
        self.assertIn("this history is of transactions", err)
        for other in (call(1, None, '"1"', 0, 10), said("held", "a", 0)):
            _, err = self.check(NOT_EXECUTED, "-", data=TRANSACTIONS + json.dumps(other).encode())
            self.assertIn("is of several", err)

    def test_stdin_is_read(self):
        out, _ = self.check(DONE, "-", data=GOOD)
        self.assertTrue(out.startswith("accepted -\n"), out)

    def test_a_finding_tells_both_calls(self):
        out, err = self.check(CONFLICT, "-", data=BAD)
        self.assertTrue(out.startswith("refused -\n"), out)
        self.assertIn(
            "two winners on a/\u00e9: call 1 (writer 1, put_if_absent, 0.000000 s to 0.000010 s, committed) and call 2 "
            "(writer 2, put_if_absent, 1.500000 s to 1.500015 s, committed) both committed under one expectation", out)
        self.assertEqual(err, "")

    def test_json_says_the_same(self):
        out, _ = self.check(CONFLICT, "--json", self.file(GOOD), self.file(BAD))
        good, bad = (json.loads(line) for line in out.splitlines())
        self.assertEqual((good["command"], good["verdict"], good["calls"], good["keys"]), ("check", "accepted", 4, 1))
        self.assertEqual((good["committed"], good["conflict"], good["settled"], good["unsettled"]), (2, 1, 1, 1))
        self.assertEqual(good["findings"], [])
        self.assertEqual((bad["verdict"], bad["refused_keys"]), ("refused", 1))
        finding = bad["findings"][0]
        self.assertEqual((finding["violation"], finding["key"], finding["call"], finding["other_call"]),
                         ("two winners", "a/\u00e9", 2, 1))

    def test_what_is_refused_outweighs_what_is_unreadable(self):
        missing = self.file(GOOD) + ".missing"
        self.check(CONFLICT, missing, self.file(BAD), self.file(GOOD))
        out, err = self.check(NOT_EXECUTED, missing, self.file(GOOD))
        self.assertIn("accepted", out)
        self.assertIn("cannot be opened", err)

    def test_a_line_that_is_no_history_is_told(self):
        name = self.file(GOOD + b'{"call":5}\n')
        out, err = self.check(NOT_EXECUTED, name, "--json")
        self.assertEqual(json.loads(out)["verdict"], "unreadable")
        self.assertIn(f"{name}, line 8: \"operation\" is missing.", err)

    def test_a_key_with_too_many_orders_is_neither_accepted_nor_refused(self):
        out, _ = self.check(UNDECIDED, "-", data=unlucky())
        self.assertTrue(out.startswith("undecided -\n"), out)
        self.assertIn("1 keys need more steps than the limit, so they are neither accepted nor refused", out)

    def test_a_control_character_does_not_reach_the_terminal(self):
        out, _ = self.check(CONFLICT, "-", data=history({"final": "\u001b[2J", "value": '"\u0007"'}))
        self.assertNotIn("\u001b", out)
        self.assertNotIn("\u0007", out)

    def test_a_file_is_needed(self):
        self.check(USAGE)


if __name__ == "__main__":
    unittest.main(verbosity=2)
