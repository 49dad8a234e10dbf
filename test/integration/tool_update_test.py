#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""oscommit update: a program changes an object, exactly once."""

import os
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from oscommit_testing import ABSENT, DONE, NOT_EXECUTED, UNKNOWN, USAGE, BackendCase, main, md5_etag

ADD_ONE = ("--", "awk", "{ n = $1 } END { print n + 1 }")


class Update(BackendCase):
    def object(self, url):
        return self.ok("get", url).out

    def test_what_is_absent_is_created_and_then_replaced(self):
        url = self.new_url("counter")
        first, one = self.ok("update", url, *ADD_ONE), md5_etag(b"1\n")
        self.assertTrue(first.text.startswith(f"committed {url} etag {one} ("), first)
        self.ok("update", url, *ADD_ONE)
        self.assertEqual(self.object(url), b"2\n")

    def test_eight_processes_count_exactly(self):
        url = self.new_url("counter")
        running = [self.start("update", url, "--json", *ADD_ONE) for _ in range(8)]
        for process in running:
            out, err = process.communicate(timeout=300)
            self.assertEqual(process.returncode, DONE, (out, err))
        self.assertEqual(self.object(url), b"8\n")

    def test_the_same_bytes_are_not_written(self):
        url = self.new_url("same")
        self.ok("put", "-", url, "--if-absent", data=b"same")
        same = self.ok("update", url, "--", "cat")
        self.assertTrue(same.text.startswith(f"unchanged {url} etag {md5_etag(b'same')} ("), same)
        line = self.ok("update", url, "--json", "--", "cat").line()
        self.assertEqual((line["command"], line["verdict"], line["unchanged"]), ("update", "committed", True))
        self.assertEqual((line["conflicts"], line["guards"]), (0, 0))

    def test_a_large_object_goes_through_a_program(self):
        url = self.new_url("large")
        data = os.urandom(300000)
        self.ok("put", "-", url, "--if-absent", data=data)
        self.ok("update", url, "--content-type", "text/x", "--", "sh", "-c", "cat; echo end")
        self.assertEqual(self.object(url), data + b"end\n")
        self.assertEqual(self.ok("head", url, "--json").line()["content_type"], "text/x")

    def test_a_conflict_runs_the_program_again(self):
        url = self.new_url("again")
        self.ok("put", "-", url, "--if-absent", data=b"old")
        other = self.file("other", b"other")
        mine = f'cat; echo " $OSCOMMIT_UPDATE_ROUND"; test $OSCOMMIT_UPDATE_ROUND != 1 || "$TOOL" put {other} {url} >&2'
        line = self.ok(
            "update", url, "--json", "--", "sh", "-c", mine, environment={"TOOL": os.environ["OSCOMMIT_TEST_TOOL"]}
        ).line()
        self.assertEqual((line["conflicts"], line["unchanged"]), (1, False))
        self.assertEqual(self.object(url), b"other 2\n")


class Program(BackendCase):
    """What does not depend on the backend."""

    def refuses(self, words, *program, status=NOT_EXECUTED, flags=(), **options):
        url = self.new_url("refused")
        self.ok("put", "-", url, "--if-absent", data=b"old")
        ran = self.exits(status, "update", url, *flags, "--", *program, **options)
        self.assertIn(words, ran.errors)
        self.assertEqual(self.ok("get", url).out, b"old")

    def test_what_it_prints_before_it_fails_is_not_written(self):
        self.refuses("exit status 3", "sh", "-c", "echo half; exit 3")
        self.refuses("signal 9", "sh", "-c", "echo half; kill -9 $$")
        self.refuses("No such file", "/no/such/program")

    def test_its_output_and_its_time_have_a_bound(self):
        self.refuses("--max-length", "yes", flags=("--max-length", "100"))
        self.refuses("--max-length", "cat", flags=("--max-length", "2"))
        self.refuses("--deadline-ms", "sh", "-c", "exec sleep 600", flags=("--deadline-ms", "700"))

    def test_one_that_does_not_read_is_no_failure(self):
        url = self.new_url("deaf")
        self.ok("put", "-", url, "--if-absent", data=b"x" * 1000000)
        self.ok("update", url, "--", "echo", "new")
        self.assertEqual(self.ok("get", url).out, b"new\n")

    def test_it_may_print_nothing(self):
        url = self.new_url("nothing")
        self.ok("update", url, "--", "true")
        self.assertEqual(self.ok("get", url).out, b"")

    def test_its_environment_says_what_is_there(self):
        url = self.new_url("environment")
        names = ("EXISTS", "ETAG", "URL", "ROUND")
        show = 'for name in EXISTS ETAG URL ROUND; do eval "echo \\"\\$OSCOMMIT_UPDATE_$name\\""; done'
        self.ok("update", url, "--", "sh", "-c", show, environment={"OSCOMMIT_UPDATE_ETAG": "of another"})
        absent = self.ok("get", url).out
        said = dict(zip(names, absent.decode().split("\n")))
        self.assertEqual(said, {"EXISTS": "0", "ETAG": "", "URL": url, "ROUND": "1"})
        self.ok("update", url, "--", "sh", "-c", show)
        self.assertEqual(self.ok("get", url).out.decode(), f"1\n{md5_etag(absent)}\n{url}\n1\n")

    def test_its_flags_are_its_own(self):
        url = self.new_url("flags")
        self.ok("update", url, "--", "printf", "%s %s", "--json", "--")
        self.assertEqual(self.ok("get", url).out, b"--json --")

    def test_it_gets_its_signals_as_usual(self):
        url = self.new_url("signals")
        self.ok("update", url, "--", "grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status")
        masks = [int(line.split()[1], 16) for line in self.ok("get", url).out.decode().splitlines()]
        for mask in masks:
            for number in (signal.SIGPIPE, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                self.assertFalse(mask >> (number - 1) & 1, masks)

    def test_a_signal_ends_both(self):
        url = self.new_url("signal")
        process = self.start("update", url, "--", "sh", "-c", "echo started >&2; exec sleep 600")
        self.assertEqual(process.stderr.readline(), b"started\n")
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=120)  # the sleep has the pipe, too
        self.assertEqual(process.returncode, NOT_EXECUTED, (out, err))
        self.assertIn(b"signal", err)
        self.exits(ABSENT, "head", url)

    def test_bad_usage(self):
        url = self.new_url("usage")
        for arguments in ((url,), (url, "--"), ("--", "cat"), (url, "x", "--", "cat")):
            self.assertIn("update", self.exits(USAGE, "update", *arguments).errors)


class Lost(BackendCase):
    def test_after_an_unknown_the_program_is_not_run_again(self):
        if self.backend.embedded:
            self.skipTest("no proxy stands before it")
        store, _, environment = self.proxies()
        key, ticket = self.key("lost"), os.path.join(self.folder, "ticket")
        url, runs = self.url(key), self.file("runs", b"")
        self.ok("put", "-", url, "--if-absent", data=b"1\n")
        held = store.add("hold", method="PUT", path_contains=key, times=1)
        flags = ("--ticket-file", ticket, "--deadline-ms", "5000")
        again = self.exits(
            UNKNOWN, "update", url, *flags, "--", "sh", "-c", f"echo run >>{runs}; cat; echo 2", environment=environment
        )
        self.assertIn("oscommit resolve", again.errors)
        store("release", id=held, how="discard")
        with open(runs, "rb") as lines:
            self.assertEqual(lines.read(), b"run\n")
        self.assertTrue(os.path.exists(ticket))
        self.assertEqual(self.object(url), b"1\n")

    def object(self, url):
        return self.ok("get", url).out


if __name__ == "__main__":
    main(Update, Program, Lost)
