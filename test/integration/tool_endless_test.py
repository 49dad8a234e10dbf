#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server, or what stands before it, whose answers have no end where nobody looks for one: behind the last chunk of a
body, and within the line that says how long a chunk is. The tool ends with a sentence, soon, and in little memory."""

import concurrent.futures
import datetime
import os
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from loopback import LoopbackServer
from oscommit_testing import ABSENT, DONE, NOT_EXECUTED, UNREACHABLE, BackendCase, main

SECONDS = 100  # ten, and what a slow machine takes beside others; the call's own time is two minutes
MEMORY_KIB = 64 * 1024  # over eight times what a run takes that does nothing: sanitizers take more
BYTES = 96 << 20  # of an answer: what a turn takes, and what the kernel keeps
SENTENCES = {
    "v4": "more than 128 trailers|a trailer is longer|malformed in its chunks|has more than"
    "|stood still",
    "v2": "the server sent more bytes than its answer can have|the answer was cut short",
}
CUT_SHORT = [("one trailer", "v2"), ("length of a chunk", "v2"), ("slow chunk extension", "v2")]  # libcurl gives up by itself
HEAD = (
    "HTTP/1.1 200 OK\r\nDate: {date}\r\nETag: \"900150983cd24fb0d6963f7d28e17f72\"\r\n"
    "Last-Modified: Mon, 02 Nov 2026 10:00:00 GMT\r\nx-amz-request-id: MADEUP\r\n"
    "Content-Type: {type}\r\nTransfer-Encoding: chunked\r\n\r\n"
)
# What comes behind the head, and what is then repeated without end.
KINDS = {
    "trailers": (b"3\r\nabc\r\n0\r\n", b"x-t: 1\r\n" * 1024),
    "one trailer": (b"3\r\nabc\r\n0\r\nx-t: ", b"t" * 8192),
    "chunk extension": (b"3;e=", b"e" * 8192),
    "second chunk's extension": (b"3\r\nabc\r\n3;e=", b"e" * 8192),
    "slow chunk extension": (b"3;e=", b"e" * 1000, 0.05),
    "length of a chunk": (b"3\r\nabc\r\n", b"0" * 8192),
}


class Endless(LoopbackServer):
    """Answers every request so."""

    def __init__(self, kind, content_type="text/plain"):
        self._first, self._rest, *pause = KINDS[kind]
        self._pause_s = pause[0] if pause else 0
        self._type = content_type
        self.requests, self.sent = 0, 0
        self._lock = threading.Lock()
        super().__init__()

    def serve(self, client):
        asked = b""
        while b"\r\n\r\n" not in asked:
            more = client.recv(65536)
            if not more:
                return
            asked += more
        self._answer(client)

    def _answer(self, client):
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%a, %d %b %Y %H:%M:%S GMT")
        with self._lock:
            self.requests += 1
        client.sendall(HEAD.format(date=now, type=self._type).encode() + self._first)
        while True:
            client.sendall(self._rest)
            time.sleep(self._pause_s)  # a slow server is what is tested
            with self._lock:
                self.sent += len(self._rest)


# Only the close of the connection ends a body then, and so does whatever cuts it short (RFC 9112, section 6.3).
UNBOUNDED = {
    "neither": ("1.1", "", b"half"),
    "neither, and nothing yet": ("1.1", "", b""),
    "HTTP/1.0": ("1.0", "", b"half"),
    "a coding that does not end": ("1.1", "Transfer-Encoding: identity\r\n", b"half"),
    "chunks, and another coding": ("1.1", "Transfer-Encoding: gzip, chunked\r\n", b"4\r\nhalf\r\n"),
}


class Unbounded(LoopbackServer):
    """Answers every request so, and closes the connection."""

    def __init__(self, kind):
        self._version, self._header, self._body = UNBOUNDED[kind]
        super().__init__()

    def serve(self, client):
        asked = b""
        while b"\r\n\r\n" not in asked:
            asked += client.recv(65536)
        head = HEAD.replace("HTTP/1.1", "HTTP/" + self._version).replace("Transfer-Encoding: chunked\r\n", self._header)
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%a, %d %b %Y %H:%M:%S GMT")
        client.sendall(head.format(date=now, type="text/plain").encode() + self._body)


class UnboundedAnswers(BackendCase):
    def refused(self, kind, signature, *arguments):
        server = Unbounded(kind)
        self.addCleanup(server.close)
        environment = {"AWS_ENDPOINT_URL_S3": server.url, "OSCOMMIT_SIGNATURE": signature}
        with self.subTest((kind, signature, arguments[0])):
            ran = self.exits(NOT_EXECUTED, *arguments, environment=environment)
            self.assertIn("it does not say how long it is, so nobody can tell whether it is complete", ran.errors)
            self.assertNotIn("half", ran.text)

    def test_a_read_whose_end_nobody_can_see_is_refused(self):
        target = os.path.join(self.folder, "unbounded")
        for kind in UNBOUNDED:
            self.refused(kind, "v4", "get", "s3://bucket/key", target)
            self.refused(kind, "v4", "get", "s3://bucket/key")
            self.assertFalse(os.path.exists(target))
        self.refused("neither", "v4", "update", "s3://bucket/key", "--", "cat")
        self.refused("neither", "v2", "get", "s3://bucket/key")


class EndlessAnswers(BackendCase):
    def measured(self, *arguments, **environment):
        """Of one run: the exit status, what it printed, seconds, KiB."""
        start = time.monotonic()
        process = self.start(*arguments, environment=environment)
        killer = threading.Timer(2 * SECONDS, process.kill)
        killer.start()
        out, err = process.stdout.read(), process.stderr.read().decode()
        _, waited, usage = os.wait4(process.pid, 0)  # of this child alone
        killer.cancel()
        process.returncode = os.waitstatus_to_exitcode(waited)
        process.stdout.close()
        process.stderr.close()
        return process.returncode, out, err, time.monotonic() - start, usage.ru_maxrss

    def bounded(self, server, wanted, *arguments, **environment):
        """The tool ends soon, with this status, in little memory, and takes little of what it could have."""
        self.addCleanup(server.close)
        usual = self.measured("version")[-1]
        status, out, err, seconds, memory = self.measured(*arguments, **environment)
        told = f"{arguments} {environment}: {out[:500]!r} {err!r}"
        self.assertIn(status, wanted if isinstance(wanted, tuple) else (wanted,), told)
        self.assertLess(seconds, SECONDS, told)
        self.assertLess(memory, MEMORY_KIB + 8 * usual, told)
        self.assertLess(server.sent / server.requests, BYTES, told)
        return err

    def get(self, kind, signature):
        server = Endless(kind)
        environment = {"AWS_ENDPOINT_URL_S3": server.url, "OSCOMMIT_SIGNATURE": signature}
        target = os.path.join(self.folder, f"{kind} {signature}")
        status = UNREACHABLE if (kind, signature) in CUT_SHORT else NOT_EXECUTED
        err = self.bounded(server, status, "get", "s3://bucket/key", target, **environment)
        self.assertIn("GET of s3://bucket/key", err)
        self.assertRegex(err, SENTENCES[signature])
        self.assertFalse(os.path.exists(target), "what has no end is not kept")

    def head(self, kind, signature):
        """No body follows a HEAD, whatever the server sends: it is the end of the connection."""
        server = Endless(kind)
        environment = {"AWS_ENDPOINT_URL_S3": server.url, "OSCOMMIT_SIGNATURE": signature}
        self.bounded(server, DONE, "head", "s3://bucket/key", **environment)

    def at_once(self, play, *signatures):
        with concurrent.futures.ThreadPoolExecutor(len(KINDS) * len(signatures)) as pool:
            plays = [(kind, signature) for kind in KINDS for signature in signatures]
            runs = [pool.submit(play, *arguments) for arguments in plays]
        for arguments, run in zip(plays, runs):
            with self.subTest(arguments):
                run.result()

    def test_get(self):
        self.at_once(self.get, "v4", "v2")

    def test_head(self):
        self.at_once(self.head, "v4", "v2")

    def test_the_ledgers_answers(self):
        self.at_once(self.commit, "v4")

    def test_the_ledgers_answers_beside_signature_v2(self):
        self.commit("trailers", "v2")

    def commit(self, kind, signature):
        server = Endless(kind, "application/x-amz-json-1.0")
        url = self.url(f"ledger {kind} {signature}".replace(" ", "-"))
        environment = {"AWS_ENDPOINT_URL_DYNAMODB": server.url, "OSCOMMIT_SIGNATURE": signature}
        # Of a slow one nothing is wrong but the time; of the others the last answer was refused, or was under way still.
        status = UNREACHABLE if kind.startswith("slow") else (NOT_EXECUTED, UNREACHABLE)
        err = self.bounded(server, status, "put", "/dev/null", url, "--if-absent", **environment)
        self.assertIn("because its ledger has not answered for ten seconds or more", err)
        self.assertIn(f"Check dynamodb_endpoint, which is {server.url} (--dynamodb-endpoint, ", err)
        self.exits(ABSENT, "head", url)


class Unknown(BackendCase):
    def test_a_host_without_a_name(self):
        for service in ("S3", "DYNAMODB"):
            environment = {f"AWS_ENDPOINT_URL_{service}": "http://no-such-host.invalid:9000"}
            ran = self.exits(UNREACHABLE, "put", self.file("k", b"x"), self.new_url("k"), "--if-absent",
                             environment=environment)
            self.assertIn("the host name no-such-host.invalid could not be looked up", ran.errors)


if __name__ == "__main__":
    main(UnboundedAnswers, EndlessAnswers, Unknown, only=["minio"])
