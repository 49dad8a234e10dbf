#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""R17: somebody who can read the table writes a ticket for another's record, and a victim resolves it. Whatever the
ticket says, nothing of the writer that is still at it is released or aborted: there is one winner."""

import json
import os
import socket
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from oscommit_testing import DONE, NOT_EXECUTED, UNKNOWN, UNREACHABLE, USAGE, BackendCase, dynamo, main

FAST = ["--length-s", "8", "--allowance-s", "1", "--margin-s", "1", "--timeout-ms", "10000", "--max-clock-skew-rate", "2"]
# A writer that stays alive: what it sends may be applied for a minute.
SLOW = ["--length-s", "60", "--allowance-s", "10", "--timeout-ms", "90000", "--deadline-ms", "150000"]
LONG_AGO_S = 1000


class Forged(BackendCase):
    def setUp(self):
        self.store_proxy, _, self.environment = self.proxies()

    def hold(self, key, method):
        """Of a write in parts the request that joins them."""
        match = {"query_contains": "uploadId"} if method == "POST" else {}
        return self.store_proxy.add("hold", method=method, path_contains=key, times=1, **match)

    def genuine(self, name, *flags, data=b"doubtful"):
        """The ticket of a write of the attacker's own, which says how tickets look here."""
        key = self.key(name)
        rule = self.hold(key, "POST" if flags else "PUT")
        line = self.exits(
            UNKNOWN,
            *("put", "-", self.url(key), "--if-absent", "--json", "--deadline-ms", "8000"),
            *(FAST + list(flags)),
            environment=self.environment,
            data=data,
        ).line()
        self.store_proxy("release", id=rule, how="discard")
        return json.loads(line["ticket"])

    def start_writer(self, key, method, *flags, data=b"the writer's"):
        """A writer whose last request is on its way. Returns the process and the rule that holds the request."""
        rule = self.hold(key, method)
        process = self.start(
            *("put", self.file(key, data), self.url(key), "--if-absent"), *SLOW, *flags, environment=self.environment
        )
        self.addCleanup(self.end, process)
        self.assertTrue(self.store_proxy.wait_hits(rule))
        return process, rule

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def record(self, key):
        """As the table has it: whoever may read it sees all of this."""
        where = {"path": {"S": key}, "etag": {"S": "*"}}
        _, found = dynamo(
            self.ledger_endpoint, "GetItem", {"TableName": self.table, "Key": where, "ConsistentRead": True}
        )
        return {name: next(iter(value.values())) for name, value in found["Item"].items()}

    @staticmethod
    def forge(ticket, key, record, **changes):
        ticket = dict(ticket, key=key, expected_etag="*", saw=record.get("saw", ""), timeout_ms=record["timeout"])
        ticket.update({name: record[name] for name in ("generation", "ttl", "nonce", "fence")})
        ticket.update(d0=str(int(record["fence"]) - 60))
        ticket.update(changes)
        return json.dumps({name: value for name, value in ticket.items() if value is not None})

    def variants(self, record):
        past = int(time.time()) - LONG_AGO_S
        dead = {"fence": str(past), "d0": str(past - 10), "margin": "0"}
        return {
            "refused": {"not_applied": True},
            "refused, of another generation": {"not_applied": True, "generation": str(int(record["generation"]) + 1)},
            "dead": dead,
            "dead, of the generation before": dict(dead, generation=str(int(record["generation"]) - 1)),
            "dead, and will be the next": dict(dead, generation=str(int(record["generation"]) + 1)),
            "dead and refused": dict(dead, not_applied=True),
            "without a record": dict(dead, native=True),
            "without a fence": {"fence": None, "not_applied": True},
        }

    def resolve_all(self, ticket, key):
        """The victim resolves each of them; the record must stay as it is."""
        record = self.record(key)
        for name, changes in self.variants(record).items():
            with self.subTest(ticket=name):
                ran = self.run_tool(
                    *("resolve", self.url(key), self.forge(ticket, key, record, **changes), "--deadline-ms", "1500"),
                    environment=self.environment,
                )
                self.assertNotEqual(ran.status, DONE, ran)
                self.assertEqual(self.record(key), record, ran)

    def second_writer(self, key):
        return self.run_tool(
            *("put", "-", self.url(key), "--if-absent", "--deadline-ms", "2500"),
            environment=self.environment,
            data=b"the second's",
        )

    def one_winner(self, key, process, rule, content):
        second = self.second_writer(key)
        self.store_proxy("release", id=rule, how="forward")
        process.wait(120)
        winners = [status for status in (process.returncode, second.status) if status == DONE]
        self.assertEqual(len(winners), 1, second)
        self.assertEqual(second.status, NOT_EXECUTED, second)
        self.assertEqual(self.ok("get", self.url(key)).out, content)

    def test_a_live_record_is_not_released(self):
        ticket = self.genuine("own")
        key = self.key("live")
        process, rule = self.start_writer(key, "PUT")
        self.resolve_all(ticket, key)
        self.one_winner(key, process, rule, b"the writer's")

    def test_a_live_upload_is_not_aborted(self):
        large = os.urandom(6 << 20)
        parts = ["--stage-above", "1000000", "--part-size", str(5 << 20)]
        ticket = self.genuine("own-parts", *parts, data=large)
        key = self.key("parts")
        process, rule = self.start_writer(key, "POST", *parts, data=large)
        upload = self.record(key)["upload"]
        self.assertTrue(upload)
        ticket["upload"] = upload
        self.resolve_all(ticket, key)
        self.assertFalse(self.store_proxy.requests(method="DELETE", path_contains=key))
        self.one_winner(key, process, rule, large)


class Misplaced(BackendCase):
    """A ticket is of one store, one ledger, one key; and nothing is sent where it is of another."""

    def ticket(self, name, play="hold_answer", how="forward"):
        store, ledger, environment = self.proxies()
        key = self.key(name)
        rule = store.add(play, method="PUT", path_contains=key, times=1)
        looks = store.add("reset", method="HEAD", path_contains=key, first=4)  # V4.2, after E7 and R1
        line = self.exits(
            UNKNOWN,
            *("put", "-", self.url(key), "--if-absent", "--json", "--deadline-ms", "6000", *FAST),
            environment=environment,
            data=b"doubtful",
        ).line()
        store("remove", id=looks)
        store("release", id=rule, how=how)
        return line["ticket"], key, store, ledger, environment

    def refused(self, words, *arguments, environment):
        ran = self.exits(USAGE, "resolve", *arguments, environment=environment)
        self.assertIn(words, ran.errors)
        return ran

    def test_the_url_of_another_key_is_refused_before_anything_is_sent(self):
        ticket, key, store, ledger, environment = self.ticket("one")
        other = self.key("another")
        before = len(store.requests()) + len(ledger.requests())
        self.refused(f"for the object {key}, not for {other}", self.url(other), ticket, environment=environment)
        self.assertEqual(len(store.requests()) + len(ledger.requests()), before)

    def test_the_key_comes_from_the_ticket_where_a_store_is_given(self):
        ticket, key, _, _, environment = self.ticket("alone")
        line = self.ok("resolve", self.store, ticket, "--json", environment=environment).line()
        self.assertEqual(line["verdict"], "committed")
        self.ok("resolve", "--store", self.store, ticket, environment=environment)
        self.assertTrue(key)

    def test_another_prefix_or_record_prefix_is_refused(self):
        ticket, key, _, _, environment = self.ticket("prefix")
        self.refused(
            "prefix in the bucket", ticket, "--store", self.url("team"), environment=environment
        )
        self.refused("record_prefix", self.url(key), ticket, "--record-prefix", "x", environment=environment)

    def test_another_name_of_the_store_must_be_called_so(self):
        ticket, key, _, _, _ = self.ticket("renamed")
        self.refused("--same-store", self.url(key), ticket, environment={})
        line = self.ok("resolve", self.url(key), ticket, "--same-store", "--json").line()
        self.assertEqual(line["verdict"], "committed")

    def test_a_ledger_that_never_answers_is_given_up_after_ten_seconds(self):
        ticket, key, _, _, _ = self.ticket("silent", "hold", "discard")
        with socket.create_server(("127.0.0.1", 0)) as silent:
            endpoint = f"http://127.0.0.1:{silent.getsockname()[1]}"
            environment = {"AWS_ENDPOINT_URL_DYNAMODB": endpoint}
            start = time.monotonic()
            put = self.start("put", "/dev/null", self.new_url("silent"), "--if-absent", "--json", environment=environment)
            line = json.loads(put.stdout.readline())
            told = time.monotonic()
            self.assertIn(f"Check dynamodb_endpoint, which is {endpoint} (--dynamodb-endpoint, ", put.communicate()[1].decode())
            self.assertLess(time.monotonic() - told, 9)  # of the release that nobody answers: not ten once more
            self.assertEqual((put.returncode, line["verdict"]), (UNREACHABLE, "not executed"))
            ran = self.exits(UNKNOWN, "resolve", self.url(key), ticket, "--same-store", environment=environment)
            self.assertLess(time.monotonic() - start, 100)  # of both: not the two minutes of either
            self.assertIn(f"Check dynamodb_endpoint, which is {endpoint} (--dynamodb-endpoint, ", ran.errors)
            self.assertIn("Keep the ticket", ran.errors)
        self.exits(NOT_EXECUTED, "resolve", self.url(key), ticket, "--same-store")


if __name__ == "__main__":
    main(Forged, Misplaced, only=("minio", "versitygw"))
