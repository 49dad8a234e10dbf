#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A writer behind a slow uplink, in a network namespace of its own: its loopback has the segments of a real path, and
what the slow writer sends goes through a token bucket (tc htb). The servers are real ones, started in there. The slow
writer asks them over IPv6, everyone else over IPv4: so each connection of its own is slow, whenever it opens it."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import namespace
from namespace import run
from oscommit_testing import tool

TABLE = "slow-link"
BODY = 62000  # of the slow writer: at 36 kbit/s it takes 14 s
# One request carries the whole body (R15.2 would send it in parts, outside the lease). A store waits for a stalled body
# for longer; nothing here stalls on purpose. The rest are the defaults.
SHORT = ["--stage-above", "8388608", "--stalled-body-s", "3"]


def add_class(number, rate, *limits):
    kind = ["htb", "rate", rate, *limits, "quantum", "1600"]
    run("tc", "class", "replace", "dev", "lo", "parent", "1:", "classid", number, *kind)


def shape(rate):
    add_class("1:30", rate, "burst", "1600", "cburst", "1600")


def slow_endpoint(endpoint):
    return endpoint.replace("127.0.0.1", "[::1]")


def build_link():
    run("ip", "link", "set", "lo", "up", "mtu", "1500")
    run("tc", "qdisc", "add", "dev", "lo", "root", "handle", "1:", "htb", "default", "10")
    add_class("1:10", "10gbit")
    shape("36kbit")


def slow_down(endpoint):
    """What is sent to this server over IPv6 goes through the bucket."""
    match = ["match", "ip6", "dport", endpoint.rpartition(":")[2], "0xffff"]
    run("tc", "filter", "add", "dev", "lo", "parent", "1:", "protocol", "ipv6", "u32", *match, "flowid", "1:30")


def slow_bytes(name):
    """What the slow writer's class has sent ("Sent"), or still has to send ("backlog")."""
    shown = subprocess.run(["tc", "-s", "class", "show", "dev", "lo"], check=True, capture_output=True, text=True)
    return int(re.search(rf"class htb 1:30 .*?{name} (\d+)", shown.stdout, re.DOTALL).group(1))


def wait_until(holds, patience_s=180):
    until = time.monotonic() + patience_s
    while not holds():
        if time.monotonic() > until:  # each question is a run of tc; nothing tells when a counter moves
            raise AssertionError("nothing happened for three minutes")


class SlowLink(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        build_link()
        cls.folder = tempfile.TemporaryDirectory(prefix="oscommit-slow-link-")
        cls.servers = os.path.join(cls.folder.name, "servers")
        found = namespace.start_servers(cls.servers, "minio dynamodb")
        cls.url = f"s3://{found['OSCOMMIT_TEST_MINIO_BUCKET']}/"
        cls.environment = {
            "PATH": os.environ["PATH"],
            "HOME": cls.folder.name,
            "AWS_ACCESS_KEY_ID": found["OSCOMMIT_TEST_ACCESS_KEY"],
            "AWS_SECRET_ACCESS_KEY": found["OSCOMMIT_TEST_SECRET_KEY"],
            "AWS_REGION": "us-east-1",
            "OSCOMMIT_S3_ENDPOINT": found["OSCOMMIT_TEST_MINIO_ENDPOINT"],
            "OSCOMMIT_DYNAMODB_ENDPOINT": found["OSCOMMIT_TEST_DYNAMODB_ENDPOINT"],
            "OSCOMMIT_LEDGER": "dynamodb://" + TABLE,
        }
        slow = {name: slow_endpoint(value) for name, value in cls.environment.items() if name.endswith("_ENDPOINT")}
        for endpoint in slow.values():
            slow_down(endpoint)
        cls.slow_environment = cls.environment | slow
        cls.call("table", "create", "--store", cls.url, "--ledger", "dynamodb://" + TABLE)

    @classmethod
    def tearDownClass(cls):
        namespace.stop_servers(cls.servers)
        cls.folder.cleanup()

    @classmethod
    def start(cls, *arguments, data=None, environment=None):
        pipe = subprocess.PIPE
        environment = environment or cls.environment
        process = subprocess.Popen([tool(), *arguments], env=environment, stdin=pipe, stdout=pipe, stderr=pipe)
        if data is not None:
            process.stdin.write(data)
        process.stdin.close()
        process.stdin = None
        return process

    @classmethod
    def call(cls, *arguments, data=None):
        process = cls.start(*arguments, data=data)
        out, err = process.communicate()
        return process.returncode, out, err.decode()

    def put_slowly(self, key, letter, *flags):
        """Starts the slow writer, and returns when its record is written."""
        path = os.path.join(self.folder.name, key)
        with open(path, "wb") as file:
            file.write(letter * BODY)
        arguments = ["put", path, self.url + key, "--if-absent", "--json", *SHORT, *flags]
        writer = self.start(*arguments, environment=self.slow_environment)
        while writer.poll() is None:
            if self.call("table", "show", key, "--store", self.url)[0] == 0:
                break
        return writer

    def put_fast(self, key, *flags):
        status, out, err = self.call(
            "put", "-", self.url + key, "--if-absent", "--json", *SHORT, *flags, data=b"the fast one's"
        )
        return status, json.loads(out) if out else None, err

    def verdict(self, process):
        out, err = process.communicate()
        return json.loads(out)["verdict"], err.decode()

    def read(self, key):
        status, out, err = self.call("get", self.url + key)
        self.assertEqual(status, 0, err)
        return out

    def test_only_one_of_two_writers_commits(self):
        shape("36kbit")
        slow = self.put_slowly("two", b"A", "--deadline-ms", "45000")
        _, fast, err = self.put_fast("two", "--deadline-ms", "180000")  # any fence of the slow one has passed by then
        verdict, slow_err = self.verdict(slow)
        wait_until(lambda: slow_bytes("backlog") == 0)
        said = (verdict, slow_err, fast, err)
        self.assertEqual([verdict, fast["verdict"]].count("committed"), 1, said)
        # The slow one may win by a later attempt, which gets more time (E6), before the fast one's turn has come.
        if verdict == "committed":
            self.assertEqual((fast["verdict"], self.read("two")), ("conflict", b"A" * BODY), said)
            return
        self.assertTrue(fast["took_over"], said)
        self.assertIn(verdict, ("conflict", "unknown", "not executed"), said)
        self.assertEqual(self.read("two"), b"the fast one's")

    def test_what_a_killed_writer_had_under_way_is_never_whole(self):
        shape("8kbit")  # its body takes a minute: on a busy machine, too, it is in its midst when it is killed
        slow = self.put_slowly("killed", b"A", "--deadline-ms", "180000", "--minimum-rate", "4096")
        before = slow_bytes("Sent")
        wait_until(lambda: slow_bytes("Sent") > before + 4000)  # into its body
        self.assertIsNone(slow.poll())
        slow.kill()
        slow.communicate()
        shape("36kbit")
        _, fast, err = self.put_fast("killed", "--deadline-ms", "180000")
        self.assertEqual(fast["verdict"], "committed", (fast, err))
        wait_until(lambda: slow_bytes("backlog") == 0)
        self.assertEqual(self.read("killed"), b"the fast one's")

    def test_a_link_that_keeps_the_rate_commits(self):
        shape("400kbit")
        slow = self.put_slowly("kept", b"A", "--minimum-rate", "16384")
        verdict, err = self.verdict(slow)
        self.assertEqual((verdict, err), ("committed", ""))
        self.assertEqual(self.read("kept"), b"A" * BODY)

    def test_a_slow_link_gets_the_time_that_it_needs(self):
        shape("100kbit")
        slow = self.put_slowly("longer", b"A", "--deadline-ms", "180000")
        verdict, err = self.verdict(slow)
        self.assertEqual(verdict, "committed", err)
        self.assertEqual(self.read("longer"), b"A" * BODY)


if __name__ == "__main__":
    namespace.enter("ip link set lo up; ip -6 route get ::1; tc qdisc add dev lo root handle 1: htb default 10", "a token bucket")
    unittest.main(verbosity=2)
