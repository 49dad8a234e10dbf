# SPDX-License-Identifier: Apache-2.0
"""A mixed fleet: writers of this library (interop_writer) and of the crate object_store (interop_peer), each a process
of its own that is driven by lines, on one bucket and one table through one router. See writer.c and peer/src/main.rs.

Environment, as for the other tests of programs (oscommit_testing.py), and
    OSCOMMIT_TEST_WRITER   the interop_writer program
    OSCOMMIT_TEST_PEER     the interop_peer program (scripts/servers.sh builds it and says where it is)
"""

import concurrent.futures
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import oscommit_testing
from oscommit_testing import EXIT_SKIPPED, BackendCase, FaultProxy, dynamo, signed_request

# Requests as the router sees them. An attempt of this library carries its signature in the query.
OUR_ATTEMPT = {"method": "PUT", "query_contains": "X-Amz-Signature"}
OUR_COMPLETE = {"method": "POST", "query_contains": "X-Amz-Signature"}
OUR_RECORD = {"target": "PutItem", "body_contains": '"nonce"'}
PEER_ATTEMPT = {"method": "PUT", "has_header": "authorization"}
PEER_RECORD = {"target": "PutItem", "body_contains": '"#pk"'}

# Short times for what waits. Of ours: an attempt is dead 4 s after it was signed; a peer waits LEASE_S * PEER_RATE for
# it. Of the peer's: a contender of this library waits PEER_LEASE_S * OUR_RATE.
LEASE_MS, OUR_RATE = 4000, 2
SHORT = ("length=2", "allowance=1", "margin=1")
PEER_LEASE_MS, PEER_RATE = 2000, 2
# Where nothing is to be waited out: the defaults of both sides. The peer's own stalls begin where its lease ends.
LONG_LEASE_MS, LONG_RATE = 20000, 3

ANSWER_S = 120


class Answer:
    """What a writer said: the first word, and the rest."""

    def __init__(self, line, took_s):
        self.word, _, self.rest = line.partition(" ")
        self.line, self.took_s = line, took_s

    @property
    def etag(self):
        return self.rest.split(" ")[0]

    @property
    def body(self):
        return self.rest.partition(" ")[2]

    @property
    def generation(self):
        return int(self.rest.split(" ")[1])

    @property
    def took_over(self):
        return self.rest.split(" ")[2] == "1"

    def __repr__(self):
        return f"{self.line!r} after {self.took_s:.2f} s"


class Gone(Exception):
    """The writer ended before it answered."""


class Writer:
    """A process of one side. Calls may come from any thread, one at a time."""

    def __init__(self, name, program, arguments, environment):
        self.name, self.killed = name, False
        self._process = subprocess.Popen(
            [program, *map(str, arguments)],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self._answers = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.pid = self._process.pid

    def _read(self):
        for line in self._process.stdout:
            self._answers.put(line.rstrip("\n"))
        self._answers.put(None)

    def __call__(self, *words):
        return self.start(*words)()

    def start(self, *words):
        """Sends a command; what it returns waits for the answer when it is called."""
        begun = time.monotonic()
        try:
            self._process.stdin.write(" ".join(words) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise Gone(self.name) from None

        def answer():
            line = self._answers.get(timeout=ANSWER_S)
            if line is None:
                raise Gone(self.name)
            return Answer(line, time.monotonic() - begun)

        return answer

    def kill(self):
        self.killed = True
        self._process.kill()
        self._process.wait(60)

    def pause(self):
        os.kill(self.pid, signal.SIGSTOP)
        with open(f"/proc/{self.pid}/stat", encoding="ascii") as stat:
            while stat.read().rpartition(")")[2].split()[0] != "T":
                stat.seek(0)

    def go_on(self):
        os.kill(self.pid, signal.SIGCONT)

    def close(self):
        if self._process.poll() is None:
            self.go_on()
            try:
                self._process.stdin.write("quit\n")
                self._process.stdin.close()
            except BrokenPipeError:
                pass
            try:
                self._process.wait(60)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(60)
        self._reader.join(30)
        self._process.stdout.close()
        return self._process.returncode


class FleetCase(BackendCase):
    """A bucket, a table and a router of the class's own; writers that end with their test."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.router = FaultProxy(cls.store_endpoint, cls.ledger_endpoint)
        cls.addClassCleanup(cls.router.close)

    def setUp(self):
        self.router("forget")
        self.addCleanup(self.router, "clear")

    def _start(self, name, variable, arguments):
        writer = Writer(name, os.environ[variable], [self.router.url, self.table, self.table, *arguments], self.base)
        self.addCleanup(self._close, writer)
        return writer

    def _close(self, writer):
        status = writer.close()
        self.assertTrue(status == 0 or writer.killed, f"{writer.name} ended with status {status}")

    def ours(self, name="ours", lease_ms=LONG_LEASE_MS, rate=LONG_RATE, options=("headers=off",)):
        return self._start(name, "OSCOMMIT_TEST_WRITER", [lease_ms, rate, f"agent={name}", *options])

    def our_short(self, name="ours", *options):
        """Ours with the short times; without condition headers unless they are asked for."""
        return self.ours(name, LEASE_MS, OUR_RATE, SHORT + (options or ("headers=off",)))

    def peer(self, name="peer", lease_ms=LONG_LEASE_MS, rate=LONG_RATE):
        return self._start(name, "OSCOMMIT_TEST_PEER", [lease_ms, rate])

    def fleet(self, ours=4, peers=4):
        return [self.ours(f"ours{n}") for n in range(ours)] + [self.peer(f"peer{n}") for n in range(peers)]

    def ok_answer(self, answer):
        self.assertEqual(answer.word, "ok", answer)
        return answer

    def waits_for(self, rule, count=1):
        self.assertTrue(self.router.wait_hits(rule, count, 60), "the request that a rule waits for did not come")

    def lets_go(self, rule, how="forward", count=1):
        self.router("release", id=rule, how=how)
        self.assertTrue(self.router("wait_finished", id=rule, count=count, timeout_ms=60000)["reached"])

    def met(self, rule):
        """The one request that a rule met, once it has been answered or let go."""
        found = [request for request in self.router.requests() if request["rule"] == rule]
        self.assertEqual(len(found), 1, found)
        return found[0]

    def wait_until(self, what, is_so, **match):
        """Looks again after each request of this kind that was answered well."""
        self.assertTrue(any(is_so() for _ in self.router.after_each(**match)), f"{what}: not within a minute")

    # ------------------------------------------------------------------------------------------------- records

    def record(self, key, etag="*"):
        """The attributes of a record as they stand, {name: {type: text}}, or None."""
        status, answer = dynamo(
            self.ledger_endpoint,
            "GetItem",
            {"TableName": self.table, "ConsistentRead": True, "Key": {"path": {"S": key}, "etag": {"S": etag}}},
        )
        self.assertEqual(status, 200, answer)
        return answer.get("Item")

    def put_record(self, key, etag="*", **attributes):
        item = {"path": {"S": key}, "etag": {"S": etag}, "ttl": {"N": str(int(time.time()) + 3600)}, **attributes}
        status, answer = dynamo(self.ledger_endpoint, "PutItem", {"TableName": self.table, "Item": item})
        self.assertEqual(status, 200, answer)

    def generation(self, key, etag="*"):
        return int(self.record(key, etag)["generation"]["N"])

    def uploads(self, key):
        """The ids of the uploads that are open for a key."""
        status, _, body = signed_request(
            self.store_endpoint, "s3", "GET", "/" + self.table, query=f"prefix={key}&uploads="
        )
        self.assertEqual(status, 200, body)
        return re.findall("<UploadId>([^<]+)</UploadId>", body.decode())

    # ----------------------------------------------------------------------------------------- a log of commits

    def etag_of(self, key):
        return signed_request(self.store_endpoint, "s3", "HEAD", f"/{self.table}/{key}")[1].get("ETag")

    def wait_for_commit(self, key, etag):
        self.wait_until("the next commit", lambda: self.etag_of(key) != etag, method="PUT", path_contains=key)

    def append_until(self, writer, key, entries, log, refusals="conflict|not_executed"):
        """Appends entries to the object, each by an update of the version that was read, until it has been told of each
        that it stands. What was said is noted in log: (entry, word). refusals: a pattern of what else may be said."""
        for entry in entries:
            for serial in range(10000):
                token = f"{entry}.{serial}"
                found = self.ok_answer(writer("get", key))
                try:
                    answer = writer("update", key, found.etag, f"{found.body} {token}")
                except Gone:
                    log.append((token, "gone"))
                    raise
                log.append((token, answer.word))
                if answer.word == "ok":
                    break
                self.assertRegex(answer.line, rf"^({refusals})( |$)", writer.name)

    def check_log(self, key, log):
        """Each commit stands there once, nothing that was refused does, and what nobody was told of once at most."""
        standing = self.ok("get", self.url(key)).text.split()[1:]
        self.assertEqual(len(standing), len(set(standing)), "an entry stands there twice")
        said = dict(log)
        self.assertEqual([token for token, word in log if word == "ok" and token not in standing], [], "lost commits")
        self.assertEqual(
            [token for token in standing if said.get(token) not in ("ok", "gone")], [], "refused, but standing"
        )
        return standing


def in_parallel(calls):
    """Runs each call in a thread of its own; their results, or the first error."""
    with concurrent.futures.ThreadPoolExecutor(len(calls)) as pool:
        return [future.result() for future in [pool.submit(call) for call in calls]]


def main(*cases):
    """Runs the cases on MinIO and DynamoDB Local; exit status 77 where they or the peer are not there."""
    if not os.environ.get("OSCOMMIT_TEST_PEER"):
        required = os.environ.get("OSCOMMIT_REQUIRE_SERVERS") == "1"
        print(
            ("FAILED: " if required else "SKIPPED: ") + "OSCOMMIT_TEST_PEER is not set: scripts/servers.sh builds it",
            file=sys.stderr,
        )
        sys.exit(1 if required else EXIT_SKIPPED)
    oscommit_testing.main(*cases, only=("minio",))
