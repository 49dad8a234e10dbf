#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Objects of 1 GiB from a file, from a pipe and as a copy; eight processes that race with 200 MiB each; a SIGKILL in the
midst, and what `oscommit gc` makes of it. The peak memory of each process is held against docs/configuration.md.

Needs about 5 GiB below TMPDIR, and as much where the stores keep their data. Run by `scripts/test.sh --only large`."""

import os
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from oscommit_testing import ABSENT, CONFLICT, DONE, BackendCase, Ran, main, signed_request, tool

MIB = 1 << 20
LARGE_MIB, RACER_MIB, RACERS = 1024, 200, 8
# What the documentation promises: the parts in memory, and what the program needs besides.
PART_MIB, PARTS_AT_ONCE, BESIDES_MIB = 16, 4, 32
STAGED_MIB = (PARTS_AT_ONCE + 1) * PART_MIB + BESIDES_MIB
PATIENCE = ("--deadline-ms", "600000")


class Running:
    """A run of the tool whose peak memory is measured. What the kernel tells of a child begins at its fork, so it is never
    less than what this test itself has."""

    def __init__(self, case, *arguments, stdin=subprocess.DEVNULL, stdout=None):
        self.out, self.err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        self.begun = time.monotonic()
        self.process = subprocess.Popen(
            [tool(), *map(str, arguments), *PATIENCE],
            env=case.base,
            stdin=stdin,
            stdout=stdout or self.out,
            stderr=self.err,
        )

    def wait(self):
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for file in (self.out, self.err):
            file.seek(0)
            texts.append(file.read())
            file.close()
        ran = Ran(self.process.returncode, *texts)
        ran.peak_mib, ran.took_s = usage.ru_maxrss / 1024, time.monotonic() - self.begun
        return ran


class Large(BackendCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.large = cls.make_file("large", LARGE_MIB, os.urandom(MIB))

    @classmethod
    def make_file(cls, name, mib, block):
        """Every MiB of it is another one."""
        path = os.path.join(cls.folder, name)
        block = bytearray(block)
        with open(path, "wb") as out:
            for number in range(mib):
                block[:8] = number.to_bytes(8, "big")
                out.write(block)
        return path

    def measured(self, limit_mib, *arguments, **popen):
        ran = Running(self, *arguments, **popen).wait()
        self.assertEqual(ran.status, DONE, ran)
        self.check_peak(ran, limit_mib, arguments[0])
        return ran

    def check_peak(self, ran, limit_mib, what):
        print(f"{self.backend.name}: {what}: {ran.took_s:.1f} s, peak {ran.peak_mib:.0f} MiB", file=sys.stderr)
        self.assertLessEqual(ran.peak_mib, limit_mib, f"{what} needed more memory than is documented")

    def check_bytes(self, url, path):
        running = Running(self, "get", url, stdout=subprocess.PIPE)
        with open(path, "rb") as wanted, running.process.stdout as got:
            while True:
                block = wanted.read(MIB)
                self.assertTrue(got.read(len(block) or 1) == block, "the object has other bytes")
                if not block:
                    break
        ran = running.wait()
        self.assertEqual(ran.status, DONE, ran)
        self.check_peak(ran, BESIDES_MIB, "get")

    def check_object(self, url, line, path):
        head = self.ok("head", url, "--json").line()
        self.assertEqual((head["length"], head["etag"]), (os.path.getsize(path), line["etag"]))
        self.check_bytes(url, path)

    # -------------------------------------------------------------------------------------------------- uploads

    def uploads(self, key):
        """The ids of the uploads that are open for a key. (MinIO lists them by whole keys only.)"""
        if self.backend.embedded:
            folder = os.path.join(self.root, ".oscommit", "uploads")
            return [name for name in os.listdir(folder) if not name.endswith(".about")]
        status, _, body = signed_request(
            self.store_endpoint, "s3", "GET", "/" + self.table, query=f"prefix={key}&uploads="
        )
        self.assertEqual(status, 200, body)
        return re.findall("<UploadId>([^<]+)</UploadId>", body.decode())

    def parts_there(self, key, upload):
        if self.backend.embedded:
            return os.path.getsize(os.path.join(self.root, ".oscommit", "uploads", upload)) // (PART_MIB * MIB)
        status, _, body = signed_request(
            self.store_endpoint, "s3", "GET", f"/{self.table}/{key}", query=f"uploadId={upload}"
        )
        self.assertEqual(status, 200, body)
        return body.count(b"<Part>")

    def gc(self, url, *flags):
        *found, last = self.ok("gc", url, "--older-than", "1s", "--json", *flags).lines()
        return [(line["fate"], line["upload"]) for line in found if line["kind"] == "upload"], last

    # ---------------------------------------------------------------------------------------------------- tests

    def test_a_file_is_put_and_copied(self):
        source, copy, in_parts = (self.key(name) for name in ("file", "copy", "copy-in-parts"))
        put = self.measured(STAGED_MIB, "put", self.large, self.url(source), "--if-absent", "--json").line()
        self.assertEqual(put["request"], "CompleteMultipartUpload")
        self.check_object(self.url(source), put, self.large)
        for key, flags in ((copy, ()), (in_parts, ("--stage-above", 64 * MIB, "--part-size", 128 * MIB))):
            ran = self.measured(
                BESIDES_MIB, "cp", self.url(source), self.url(key), "--if-absent", "--json", *flags
            ).line()
            staged = key == in_parts and not self.backend.embedded
            self.assertEqual(ran["request"], "CompleteMultipartUpload" if staged else "CopyObject")
            self.check_object(self.url(key), ran, self.large)
            self.ok("rm", self.url(key))
        self.ok("rm", self.url(source))
        for key in (source, copy, in_parts):
            self.assertEqual(self.uploads(key), [])

    def test_a_pipe_is_put(self):
        key = self.key("pipe")
        with subprocess.Popen(["cat", self.large], stdout=subprocess.PIPE) as cat:
            put = self.measured(STAGED_MIB, "put", "-", self.url(key), "--if-absent", "--json", stdin=cat.stdout)
        self.check_object(self.url(key), put.line(), self.large)
        self.ok("rm", self.url(key))
        self.assertEqual(self.uploads(key), [])

    def test_eight_race_for_one_key(self):
        key = self.key("raced")
        url = self.url(key)
        files = [self.make_file(f"racer-{n}", RACER_MIB, os.urandom(MIB)) for n in range(RACERS)]
        running = [Running(self, "put", file, url, "--if-absent", "--json") for file in files]
        runs = [one.wait() for one in running]
        for ran in runs:
            self.check_peak(ran, STAGED_MIB, f"put in the race, exit {ran.status}")
        self.assertEqual(sorted(ran.status for ran in runs), [DONE] + [CONFLICT] * (RACERS - 1), runs)
        winner = next(n for n, ran in enumerate(runs) if ran.status == DONE)
        won = runs[winner].line()
        self.check_object(url, won, files[winner])
        for n, ran in enumerate(runs):
            self.assertEqual(n == winner or ran.line()["found_etag"] == won["etag"], True, ran)
        whole = -(-RACER_MIB // PART_MIB)
        self.assertGreater(sum(ran.line()["requests"] > whole for ran in runs), 1, "nobody came second with its parts")
        self.assertEqual(self.uploads(key), [])
        for file in files:
            os.remove(file)
        self.ok("rm", url)

    def test_a_killed_one_leaves_an_upload_that_gc_removes(self):
        key = self.key("killed")
        url = self.url(key)
        read, write = os.pipe()
        running = Running(self, "put", "-", url, "--if-absent", stdin=read)
        os.close(read)
        with os.fdopen(write, "wb", 0) as pipe, open(self.large, "rb") as source:
            # It holds PARTS_AT_ONCE + 1 parts at the most, and has taken all of these but what the pipe keeps: the others
            # are there. More is to come, as far as it knows: it waits for the pipe until it is killed.
            for _ in range((2 * PARTS_AT_ONCE + 2) * PART_MIB):
                pipe.write(source.read(MIB))
            (begun,) = self.uploads(key)
            self.assertGreaterEqual(self.parts_there(key, begun), PARTS_AT_ONCE)
            self.assertIsNone(running.process.poll())
            running.process.kill()
            self.assertLess(running.wait().status, 0)
        (left,) = self.uploads(key)
        self.exits(ABSENT, "head", url)
        found, last = self.gc(url)
        while not found:  # until the store's clock says that it is a second old
            found, last = self.gc(url)
        self.assertEqual((found, last["removing"]), ([("found", left)], False))
        self.assertEqual(self.uploads(key), [left])
        found, last = self.gc(url, "--remove")
        self.assertEqual((found, last["removed"], last["failed"]), ([("removed", left)], 1, 0))
        self.assertEqual(self.uploads(key), [])
        self.assertEqual(self.gc(url)[0], [])
        self.ok("put", "-", url, "--if-absent", data=b"the next one")


if __name__ == "__main__":
    main(Large, only=("minio", "versitygw", "embedded"))
