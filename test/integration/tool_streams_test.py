#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A result that stdout does not take, a reader that is gone, and standard streams that are closed: no verdict is lost."""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from oscommit_testing import ABSENT, CONFLICT, DONE, NOT_EXECUTED, OUTPUT, USAGE, BackendCase, main, tool


class Streams(BackendCase):
    def run_to(self, stdout, *arguments, data=b""):
        """Exit status and stderr of a run whose stdout is `stdout`."""
        ran = subprocess.run(
            [tool(), *arguments], env=self.base, input=data, stdout=stdout, stderr=subprocess.PIPE, timeout=120, check=False
        )
        return ran.returncode, ran.stderr.decode()

    def run_full(self, *arguments, data=b""):
        with open("/dev/full", "wb") as full:
            return self.run_to(full, *arguments, data=data)

    def run_closed(self, closed, *arguments):
        """The same behind a shell that closes some of its streams, as in `oscommit ... >&-`."""
        script = 'exec "$0" "$@" ' + closed
        return subprocess.run(
            ["/bin/sh", "-c", script, tool(), *arguments],
            env=self.base, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, check=False,
        )

    def test_a_write_that_cannot_be_reported_is_written(self):
        for json in ([], ["--json"]):
            url = self.new_url("written")
            status, errors = self.run_full("put", "-", url, "--if-absent", *json, data=b"x")
            self.assertEqual(status, OUTPUT, errors)
            self.assertIn("No space left on device", errors)
            self.assertEqual(self.ok("get", url).out, b"x")
            status, errors = self.run_full("put", "-", url, "--if-absent", *json, data=b"y")
            self.assertEqual(status, CONFLICT, errors)
            self.assertEqual(self.run_full("put", "-", url, *json, data=b"z")[0], OUTPUT)
            self.assertEqual(self.ok("get", url).out, b"z")
            other = self.new_url("copy")
            self.assertEqual(self.run_full("cp", url, other, "--if-absent", *json)[0], OUTPUT)
            self.assertEqual(self.run_full("mv", other, other + "2", *json)[0], OUTPUT)
            self.assertEqual(self.run_full("rm", other + "2", *json)[0], OUTPUT)
            self.exits(ABSENT, "head", other + "2")

    def test_every_command_says_that_its_result_is_lost(self):
        url = self.new_url("every")
        self.ok("put", "-", url, "--if-absent", data=b"x")
        history = os.path.join(self.folder, "history.jsonl")
        race = ["race", self.store + "/race", "--writers", "2", "--keys", "2"]
        self.ok(*race, "--history", history)
        commands = [
            ["--help"], ["put", "--help"], ["--version"], ["version"], ["init", os.path.join(self.folder, "new")], ["head", url],
            ["ls", self.store], ["table", "create"], ["table", "check"], ["table", "ls"], ["table", "show", url],
            ["gc", self.store], ["check", history], race,
        ]
        commands = [command + (["--store", self.store] if command[0] == "table" and command[1] != "show" else [])
                    for command in commands]
        for command in commands:
            for json in ([], ["--json"]):
                if json and "--help" in command:
                    continue
                status, errors = self.run_full(*command, *json)
                self.assertEqual(status, OUTPUT, (command, json, errors))
                self.assertIn("the result could not be written to stdout: No space left on device", errors)
                self.assertIn("its output is not", errors)
        self.assertEqual(self.run_full("get", url)[0], OUTPUT)

    def test_other_statuses_stay(self):
        self.assertEqual(self.run_full("head", self.url("nothing"), "--json")[0], ABSENT)
        self.assertEqual(self.run_full("nonsense", "--json")[0], USAGE)

    def test_who_wants_no_result_gets_none(self):
        url = self.new_url("quiet")
        self.assertEqual(self.run_full("put", "-", url, "--if-absent", "-q", data=b"x"), (DONE, ""))
        ran = self.run_closed(">&-", "head", url, "-q")
        self.assertEqual((ran.returncode, ran.stderr), (DONE, b""))

    def test_a_reader_that_has_seen_enough_needs_no_message(self):
        url = self.new_url("gone")
        reader, writer = os.pipe()
        os.close(reader)
        try:
            self.assertEqual(self.run_to(writer, "put", "-", url, "--if-absent", data=b"x"), (OUTPUT, ""))
            self.assertEqual(self.run_to(writer, "ls", self.store, "--json"), (OUTPUT, ""))
        finally:
            os.close(writer)

    def test_a_missing_stdin_is_no_empty_object(self):
        url = self.new_url("stdin")
        ran = self.run_closed("<&-", "put", "-", url, "--if-absent")
        self.assertEqual(ran.returncode, NOT_EXECUTED, ran)
        self.assertIn(b"stdin could not be read", ran.stderr)
        self.exits(ABSENT, "head", url)

    def test_streams_that_are_closed_get_nothing_and_give_nothing(self):
        path = self.file("closed", b"content")
        for number, closed in enumerate(["<&-", ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"]):
            url = self.url(f"closed-{number}")
            lost = ">&-" in closed.split()
            ran = self.run_closed(closed, "put", path, url, "--if-absent")
            self.assertEqual(ran.returncode, OUTPUT if lost else DONE, (closed, ran))
            self.assertEqual(self.ok("get", url).out, b"content")
            ran = self.run_closed(closed, "put", path, url, "--if-absent", "-vv")
            self.assertEqual(ran.returncode, CONFLICT, (closed, ran))
            copy = os.path.join(self.folder, f"got-{number}")
            self.run_closed(closed, "get", url, copy)
            with open(copy, "rb") as got:
                self.assertEqual(got.read(), b"content")


if __name__ == "__main__":
    main(Streams, only={"embedded", "minio"})
