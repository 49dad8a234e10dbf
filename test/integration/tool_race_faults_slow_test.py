#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`oscommit race --faults` with a network: each fault alone; an outsider is noticed, the key named."""

import json
import os
import re
import socket
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from loopback import TlsFront
from oscommit_testing import CONFLICT, main, signed_request
from race_testing import FaultyRace


class NetworkRace(FaultyRace):
    def test_held_requests_and_answers(self):
        self.each("slow")

    def test_lost_answers(self):
        self.each("lost-reply")

    def test_requests_that_come_late_or_twice(self):
        _, lines = self.each("late")
        # R6, E5: an attempt that is replayed would undo what was committed since.
        self.assertEqual([entry for entry in lines if re.match("again (PUT|COPY|DELETE)", entry.get("what", ""))], [])

    def test_errors_of_the_services(self):
        self.each("5xx")

    def test_a_throttled_table(self):
        self.each("throttle")

    def test_paused_processes(self):
        self.each("pause")

    def test_killed_processes_are_followed_by_others(self):
        line, _ = self.each("kill")
        self.assertEqual(line["processes"], 8 + line["faults"]["kill"], line)

    def test_short_deadlines_leave_unknowns_which_are_settled(self):
        line, lines = self.race("late,lost-reply,5xx,kill", "--deadline-ms", 1500, seconds=20)
        unknown = sum(line[kind]["unknown"] for kind in ("creations", "increments", "copies", "deletes"))
        settled = sum(
            line[kind]["settled_committed"] + line[kind]["settled_other"] + line[kind]["unknown_for_good"]
            for kind in ("creations", "increments", "copies", "deletes")
        )
        self.assertEqual(unknown, settled, line)
        self.assertTrue([entry for entry in lines if "call" in entry], "the history has calls")

    def test_an_endpoint_by_name_keeps_its_name(self):
        host = socket.gethostname()
        try:
            if socket.gethostbyname(host) != "127.0.0.1":
                self.skipTest(f"{host} is not 127.0.0.1, where the servers listen")
        except OSError:
            self.skipTest(f"{host} has no address")
        named = [endpoint.replace("127.0.0.1", host) for endpoint in (self.store_endpoint, self.ledger_endpoint)]
        line, _ = self.race("all", "--s3-endpoint", named[0], "--dynamodb-endpoint", named[1], writers=4)
        self.assertGreater(sum(line["faults"].values()), 3, line)

    def test_the_services_may_be_under_tls(self):
        store = TlsFront(self.folder, self.store_endpoint)
        self.addCleanup(store.close)
        ledger = TlsFront(self.folder, self.ledger_endpoint)
        self.addCleanup(ledger.close)
        line, _ = self.race(
            "all",
            "--s3-endpoint",
            store.url,
            "--dynamodb-endpoint",
            ledger.url,
            "--ca-file",
            store.ca_file,
            writers=4,
        )
        self.assertGreater(sum(line["faults"].values()), 3, line)

    def test_an_outsider_that_overwrites_a_key_is_noticed(self):
        name = self.key("outsider")
        store, _, environment = self.proxies()
        created = store.add("pass", method="PUT", path_contains="/key-")
        process = self.start(
            "race", self.url(name), "--writers", 4, "--duration", "8s", "--faults", "slow", "--json",
            "--condition-headers", "off", environment=environment,
        )
        try:
            self.assertTrue(store("wait_finished", id=created, count=1, timeout_ms=120000)["reached"], "no key was made")
            created = store.requests(method="PUT", path_contains="/key-")
            key = next(request["path"] for request in created if request["status"] == 200)
            key = key.split("?")[0].lstrip("/").split("/", 1)[1]
            bucket = self.store[len("s3://"):]
            self.assertEqual(signed_request(self.store_endpoint, "s3", "PUT", f"/{bucket}/{key}", b"mine now")[0], 200)
            out, err = process.communicate(timeout=300)
        finally:
            if process.poll() is None:
                process.kill()
                process.communicate()
        line = json.loads(out)
        self.assertEqual(process.returncode, CONFLICT, (out, err))
        self.assertEqual(line["verdict"], "broken", line)
        self.assertIn(key.rsplit("/", 1)[1], [finding["key"] for finding in line["findings"]])
        self.assertIn("kept", err.decode())  # the evidence


if __name__ == "__main__":
    main(NetworkRace, only=("minio",))
