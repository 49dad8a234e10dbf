#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""E9: what stands in front of a store answers for it. An answer without the mark that the store puts on its own is no
evidence of what is there, and of no write that it was, or was not, applied. E10: nor is every Date the store's time."""

import email.utils
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from oscommit_testing import (
    CONFLICT,
    DONE,
    NOT_EXECUTED,
    UNKNOWN,
    UNREACHABLE,
    BackendCase,
    main,
    md5_etag,
)

FAST = ["--length-s", "8", "--allowance-s", "1", "--margin-s", "1", "--timeout-ms", "10000", "--max-clock-skew-rate", "2"]
MARK = "x-amz-request-id"
R1_HEAD = 3  # of the key: two of E7 come first
INGRESS = {"status": 404, "headers": "Content-Type: text/plain\r\n", "body": "default backend - 404"}


class Ingress(BackendCase):
    """A bare 404, and its like."""

    def setUp(self):
        self.proxy, _, self.environment = self.proxies()

    def holds(self, url, data):
        path = os.path.join(self.folder, "read")
        self.ok("get", url, path)
        with open(path, "rb") as file:
            self.assertEqual(file.read(), data)

    def committed(self, name, data=b"first"):
        key = self.key(name)
        url = self.url(key)
        self.ok("put", "-", url, "--if-absent", data=data)
        # Nor is a record in the way: what protects the object is that it is seen.
        self.ok("table", "release", url, "--force")
        return key, url

    def test_a_bare_404_is_no_proof_that_nothing_is_there(self):
        key, url = self.committed("there")
        for first in (1, R1_HEAD):
            rule = self.proxy.add("answer", method="HEAD", path_contains=key, first=first, times=2, **INGRESS)
            ran = self.run_tool(
                *("put", "-", url, "--if-absent", "--condition-headers", "off", *FAST),
                environment=self.environment,
                data=b"second",
            )
            self.assertEqual(ran.status, CONFLICT, ran)
            self.assertEqual(self.proxy("hits", id=rule)["hits"], 2)
            self.holds(url, b"first")

    def test_a_bare_404_is_no_proof_of_a_conflict(self):
        key, url = self.committed("match")
        self.proxy.add("answer", method="HEAD", path_contains=key, first=R1_HEAD, times=2, **INGRESS)
        self.ok("put", "-", url, "--if-match", md5_etag(b"first"), *FAST, environment=self.environment, data=b"second")
        self.holds(url, b"second")

    def test_an_ingress_that_answers_first_of_all_teaches_nothing(self):
        """Also to what finds out whether the store marks its answers."""
        key, url = self.committed("first-of-all")
        self.proxy.add("answer", times=4, **INGRESS)
        self.exits(CONFLICT, "put", "-", url, "--if-absent", *FAST, environment=self.environment, data=b"second")
        self.holds(url, b"first")

    def test_an_ingress_that_stays_is_no_store(self):
        self.proxy.add("answer", **INGRESS)
        ran = self.exits(
            UNREACHABLE, "put", "-", self.new_url("stays"), "--if-absent", *FAST, environment=self.environment, data=b""
        )
        self.assertIn("HTTP 404 and text/plain came without a mark", ran.errors)
        self.assertIn("ingress", ran.errors)

    def test_what_an_ingress_says_of_a_write_decides_nothing(self):
        """200, 403, 409 and 412, of a write that was applied, and of one that never came there."""
        for status in (200, 403, 409, 412):
            for action, wanted in (("answer_after", DONE), ("answer", NOT_EXECUTED)):
                with self.subTest(status=status, action=action):
                    key = self.key("write")
                    made_up = {"status": status, "headers": "ETag: \"made-up\"\r\n"}
                    self.proxy.add(action, method="PUT", path_contains=key, times=1, **made_up)
                    # Where it never came there, the one attempt is dead after some seconds, and is made anew.
                    wanted = DONE if wanted == NOT_EXECUTED else wanted
                    line = self.exits(
                        *(wanted, "put", "-", self.url(key), "--if-absent", "--json", *FAST),
                        environment=self.environment,
                        data=b"written",
                    ).line()
                    self.assertEqual(line["guards"], 2 if action == "answer" else 1, line)
                    self.holds(self.url(key), b"written")

    def test_a_ticket_is_not_settled_by_an_ingress(self):
        key = self.key("ticket")
        url = self.url(key)
        ticket = os.path.join(self.folder, key)
        self.proxy.add("answer_after", method="PUT", path_contains=key, times=1, status=404)
        self.proxy.add("answer", method="HEAD", path_contains=key, first=R1_HEAD + 1, times=1000, **INGRESS)
        ran = self.run_tool(
            *("put", "-", url, "--if-absent", "--ticket-file", ticket, "--deadline-ms", "9000", *FAST),
            environment=self.environment,
            data=b"written",
        )
        self.assertEqual(ran.status, UNKNOWN, ran)
        self.exits(
            *(UNKNOWN, "resolve", url, "--ticket-file", ticket, "--deadline-ms", "2000", *FAST),
            environment=self.environment,
        )
        self.proxy("clear")
        self.ok("resolve", url, "--ticket-file", ticket, *FAST, environment=self.environment)

    def test_a_page_of_an_ingress_is_no_object(self):
        key, url = self.committed("page")
        page = {"method": "GET", "path_contains": key, "status": 200, "body": "<html>Wait.</html>"}
        path = os.path.join(self.folder, "page")
        self.proxy.add("answer", times=1, **page)
        self.ok("get", url, path, environment=self.environment)
        with open(path, "rb") as got:
            self.assertEqual(got.read(), b"first")
        self.proxy.add("answer", times=1, **page)
        self.assertEqual(self.ok("get", url, "-", environment=self.environment).out, b"first")
        os.unlink(path)
        self.proxy.add("answer", **page)
        for target in (path, "-"):
            ran = self.exits(NOT_EXECUTED, *("get", url, target, "--deadline-ms", "8000"), environment=self.environment)
            self.assertEqual(ran.out, b"")
            self.assertIn("came without a mark", ran.errors)
        self.assertFalse(os.path.exists(path))


def http_date(ahead_s):
    return email.utils.formatdate(time.time() + ahead_s, usegmt=True)


class Clocks(BackendCase):
    """E10: a Date that is not S3 time."""

    HOUR_S = 3600
    # Of a writer that stays alive: what it sends may be applied for a minute.
    SLOW = ["--length-s", "50", "--allowance-s", "10", "--timeout-ms", "80000", "--deadline-ms", "150000"]

    def setUp(self):
        self.proxy, _, self.environment = self.proxies()

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def hold_a_writer(self, name):
        key = self.key(name)
        rule = self.proxy.add("hold", method="PUT", path_contains=key, times=1)
        first = self.start(
            *("put", self.file(key, b"the first writer's"), self.url(key), "--if-absent", *self.SLOW),
            environment=self.environment,
        )
        self.addCleanup(self.end, first)
        self.assertTrue(self.proxy.wait_hits(rule))
        return key, rule, first

    def test_one_date_an_hour_ahead_takes_no_live_record_over(self):
        cases = {
            "of a load balancer": {"status": 502, "headers": ""},
            "of a load balancer that passes marks on": {"status": 502, "headers": "x-amz-request-id: MADEUP\r\n"},
            "of an ingress": {"status": 404, "headers": ""},
            "of a front end whose clock is wrong": {"status": 404, "headers": "x-amz-request-id: MADEUP\r\n"},
        }
        for name, answer in cases.items():
            with self.subTest(name):
                key, held, first = self.hold_a_writer("live")
                answer = dict(answer, headers=answer["headers"] + f"Date: {http_date(self.HOUR_S)}\r\n")
                rule = self.proxy.add("answer", method="HEAD", path_contains=key, first=R1_HEAD + 1, times=1, **answer)
                second = self.run_tool(
                    *("put", "-", self.url(key), "--if-absent", "--json", "--deadline-ms", "9000"),
                    environment=self.environment,
                    data=b"the second writer's",
                )
                self.assertEqual(self.proxy("hits", id=rule)["hits"], 1)
                self.assertEqual(second.status, NOT_EXECUTED, second)
                self.assertEqual(second.line()["error"]["code"], "OS_ERR_BUSY", second)
                self.proxy("release", id=held, how="forward")
                _, errors = first.communicate(timeout=120)
                self.assertEqual(first.returncode, DONE, errors)

    def test_a_date_of_the_year_9999_is_refused(self):
        key = self.key("absurd")
        absurd = "Date: Fri, 31 Dec 9999 23:59:59 GMT\r\nx-amz-request-id: MADEUP\r\n"
        self.proxy.add("answer", method="HEAD", path_contains=key, status=404, headers=absurd)
        ran = self.exits(
            NOT_EXECUTED, "put", "-", self.url(key), "--if-absent", environment=self.environment, data=b"x"
        )
        self.assertIn("before 2006, or after 2100", ran.errors)
        self.ok("put", "-", self.url(key), "--if-absent", data=b"x")

    def test_a_store_without_dates_is_told_after_the_second_answer(self):
        key = self.key("dateless")
        self.proxy.add("strip_answer", header="date")
        begun = time.monotonic()
        ran = self.exits(
            NOT_EXECUTED, "put", "-", self.url(key), "--if-absent", environment=self.environment, data=b"x"
        )
        self.assertLess(time.monotonic() - begun, 60)  # the call's own time: two minutes
        self.assertIn("without a Date header", ran.errors)
        self.assertLessEqual(len(self.proxy.requests(method="HEAD", path_contains=key)), 4)


class Unmarked(BackendCase):
    """A store that marks nothing: told by what it says of a key that is nowhere, and used like any other."""

    def setUp(self):
        self.proxy, _, self.environment = self.proxies()
        self.proxy.add("strip_answer", header=MARK)

    def test_a_store_without_marks_is_used(self):
        key = self.key("plain")
        url = self.url(key)
        self.ok("put", "-", url, "--if-absent", *FAST, environment=self.environment, data=b"x")
        self.exits(CONFLICT, "put", "-", url, "--if-absent", *FAST, environment=self.environment, data=b"y")
        asked = self.proxy.requests(path_contains=".oscommit-nowhere-")
        self.assertEqual([(each["method"], each["status"]) for each in asked], [("GET", 404)] * 2)

    def test_a_profile_spares_the_question(self):
        path = self.file(
            "none.json",
            b'{"format":1,"name":"n","measured_on":"2026-11","source":"by hand","answer_mark":"none"}',
        )
        self.ok(
            *("put", "-", self.new_url("told"), "--if-absent", "--store-profile", path, *FAST),
            environment=self.environment,
            data=b"x",
        )
        self.assertEqual(self.proxy.requests(path_contains=".oscommit-nowhere-"), [])


class Ledger(BackendCase):
    """The same of the table: {} would be a record that is written, or none that is there."""

    def test_a_200_of_another_is_no_record(self):
        _, ledger, environment = self.proxies()
        key = self.key("held")
        url = self.url(key)
        made_up = {"status": 200, "headers": "Content-Type: application/json\r\n", "body": "{}"}
        rule = ledger.add("answer", target="PutItem", times=1, **made_up)
        self.ok("put", "-", url, "--if-absent", *FAST, environment=environment, data=b"x")
        self.assertEqual(ledger("hits", id=rule)["hits"], 1)
        self.ok("table", "show", key)


if __name__ == "__main__":
    main(Ingress, Clocks, Unmarked, Ledger, only=("minio",))
