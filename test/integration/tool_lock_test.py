#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""oscommit lock: a program runs on one machine at a time. Who waits, who is killed, who is stopped, what the program sees."""

import contextlib
import os
import pty
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import wall_clock
from lease_testing import HELD_S, LOST, PATIENCE_S, PROMISED_S, SLACK_S, LeaseCase, OnStoreCase
from oscommit_testing import CONFLICT, DONE, NOT_EXECUTED, USAGE, FaultProxy, main, tool

NOT_RUNNABLE, NOT_FOUND = 126, 127
READY = "echo ready; exec sleep 600"


def is_there(process):
    """Runs still. What has ended, and nobody has asked for, does not."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as stat:
            return stat.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def is_stopped(process):
    """All of its threads."""
    states = []
    for thread in os.listdir(f"/proc/{process}/task"):
        with contextlib.suppress(OSError), open(f"/proc/{process}/task/{thread}/stat", encoding="utf-8") as stat:
            states.append(stat.read().rpartition(")")[2].split()[0])
    return set(states) == {"T"}


def children(process):
    """Of a process: {name: number}."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{name}/stat", encoding="utf-8") as stat:
            before, _, behind = stat.read().rpartition(")")
            if int(behind.split()[1]) == process:
                found[before.partition("(")[2]] = int(name)
    return found


class LockCase(LeaseCase):
    def hold(self, name, *flags, program=("sh", "-c", READY), **options):
        """Starts `oscommit lock`, and returns when its program has said that it runs."""
        process = self.start("lock", name, *flags, "--", *program, **options)
        self.addCleanup(self.clear, process)
        if process.stdout.readline() != b"ready\n":
            self.fail(f"the program does not run: {process.communicate(timeout=PATIENCE_S)}, {process.returncode}")
        return process

    @staticmethod
    def clear(process):
        with contextlib.suppress(OSError):
            process.send_signal(signal.SIGCONT)
        process.kill()
        process.communicate(timeout=PATIENCE_S)

    def ends(self, process, status):
        out, err = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, status, (out, err))
        return out.decode(), err.decode()

    def stop(self, *processes):
        """As a machine that stands still, but not in the midst of a transaction: the lock of the SQLite file would keep
        everybody waiting for as long as that."""
        for process in processes:
            os.kill(process, signal.SIGSTOP)
        while not all(map(is_stopped, processes)):
            time.sleep(0.01)  # a stop tells only the parent
        if not self.backend.embedded or self.nobody_has_the_file():
            return
        for process in processes:
            os.kill(process, signal.SIGCONT)
        self.stop(*processes)

    def nobody_has_the_file(self):
        file = f"{self.root}/.oscommit/ledger.db"
        with contextlib.closing(sqlite3.connect(file, isolation_level=None, timeout=0.3)) as db:
            try:
                db.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError:
                return False
            db.execute("ROLLBACK")
            return True

    def gone(self, process):
        end = time.monotonic() + PATIENCE_S
        while is_there(process):
            self.assertLess(time.monotonic(), end, f"process {process} is there still")
            time.sleep(0.02)  # the end of another's process tells nobody


class Lock(LockCase):
    def test_its_status_is_that_of_the_program(self):
        name = self.key("status")
        for status in (0, 1, 3, 75, 255):
            ran = self.exits(status, "lock", name, "--", "sh", "-c", f"echo out; echo err >&2; exit {status}")
            self.assertEqual((ran.out, ran.err), (b"out\n", b"err\n"))
        self.exits(128 + signal.SIGKILL, "lock", name, "--", "sh", "-c", "kill -9 $$")
        self.assertIn("No such file", self.exits(NOT_FOUND, "lock", name, "--", "/no/such/program").errors)
        self.assertIn("denied", self.exits(NOT_RUNNABLE, "lock", name, "--", self.folder).errors)
        self.ok("lock", name, "--", "true")  # released each time

    def test_the_token_grows_and_stands_in_the_environment(self):
        name, tokens = self.key("token"), []
        show = 'echo "$OSCOMMIT_FENCING_TOKEN $OSCOMMIT_LEASE_NAME"'
        for _ in range(3):
            ran = self.ok("lock", name, "--", "sh", "-c", show, environment={"OSCOMMIT_FENCING_TOKEN": "of another"})
            token, said = ran.text.split()
            self.assertEqual(said, name)
            tokens.append(int(token))
        self.assertEqual(tokens, sorted(set(tokens)))
        shown = self.ok("lease", "show", name, "--json").line()
        self.assertEqual((shown["held"], shown["token"]), (False, tokens[-1]))

    def test_json_says_what_happened(self):
        name = self.key("json")
        line = self.exits(4, "lock", name, "--json", "--", "sh", "-c", "exit 4").line()
        self.assertEqual((line["command"], line["object"], line["verdict"]), ("lock", name, "done"))
        self.assertEqual(line["exit_status"], 4)
        self.assertGreater(line["token"], 0)
        self.assertEqual(self.exits(137, "lock", name, "--json", "--", "sh", "-c", "kill -9 $$").line()["signal"], 9)

    def test_another_holder_is_a_conflict_at_once(self):
        name = self.key("conflict")
        holder = self.hold(name, "--owner", "the first")
        again = self.exits(CONFLICT, "lock", name, "--", "echo", "ran")
        self.assertIn("held by the first", again.errors)
        self.assertEqual(again.out, b"")
        line = self.exits(CONFLICT, "lock", name, "--json", "--", "echo", "ran").line()
        self.assertEqual((line["verdict"], line["error"]["code"]), ("conflict", "OS_ERR_CONFLICT"))
        for wait in ("1s", "0", "0s"):
            self.exits(CONFLICT, "lock", name, "--wait", wait, "--", "echo", "ran")
        shown = self.ok("lease", "show", name, "--json").line()
        self.assertEqual((shown["held"], shown["owner"], shown["ttl_ms"]), (True, "the first", 60000))
        self.assertIn("owner       the first\n", self.ok("lease", "show", name).text)
        self.ok("lock", self.key("other"), "--", "true")
        holder.terminate()
        self.ends(holder, 128 + signal.SIGTERM)
        self.assertIn("state       free\n", self.ok("lease", "show", name).text)

    def test_who_waits_runs_when_the_other_has_ended(self):
        name = self.key("wait")
        order = self.file("order", b"")
        first = self.hold(name, program=("sh", "-c", f"echo ready; read line; echo first >>{order}"), stdin=-1)
        second = self.start("lock", name, "--wait", "10m", "--", "sh", "-c", f"echo second >>{order}")
        first.stdin.write(b"\n")
        first.stdin.flush()
        self.ends(first, DONE)
        since = time.monotonic()
        self.ends(second, DONE)
        self.assertLess(time.monotonic() - since, 1 + SLACK_S)  # it asks each second
        with open(order, "rb") as lines:
            self.assertEqual(lines.read(), b"first\nsecond\n")

    def test_bad_usage(self):
        name = self.key("usage")
        for arguments in ((name,), (name, "--"), ("--", "true"), (name, "x", "--", "true"), ("", "--", "true")):
            self.exits(USAGE, "lock", *arguments)
        for flag, value in (("--ttl", "1s"), ("--ttl", "2d"), ("--ttl", "x"), ("--wait", "-1"), ("--grace", "1w"),
                            ("--owner", "n" * 256)):
            self.exits(USAGE, "lock", name, flag, value, "--", "true")
        for command in (("lock", name, "--", "true"), ("lease", "show", name)):
            self.assertIn("--ledger", self.exits(USAGE, *command, environment={"OSCOMMIT_LEDGER": ""}).errors)
        self.assertIn("show", self.exits(USAGE, "lease").errors)

    def test_the_table_must_be_one_of_leases(self):
        self.ok("table", "check", "--leases")
        if self.backend.embedded:
            self.ok("table", "check")  # the same file
            other = {"OSCOMMIT_LEDGER": f"sqlite://{self.folder}/none.db"}
        else:
            unfit = self.exits(NOT_EXECUTED, "table", "check", "--leases", "--ledger", "dynamodb://" + self.table)
            self.assertIn("must be key (S, HASH)", unfit.errors)
            self.assertIn("oscommit table create --leases", unfit.errors)
            used = self.exits(NOT_EXECUTED, "lock", "x", "--ledger", "dynamodb://" + self.table, "--", "true")
            self.assertIn("This table has other keys than one of leases", used.errors)
            beside = f"oscommit table create --leases --ledger dynamodb://{self.table}-leases "
            self.assertIn(beside, unfit.errors)
            self.assertIn(beside, used.errors)
            self.ok("lock", self.key("listed"), "--", "true")  # leaves its item, for the token
            for command in (("gc", self.url("")), ("table", "ls")):
                taken = self.exits(NOT_EXECUTED, *command)
                self.assertIn("other keys than one of records", taken.errors)
                self.assertIn("perhaps leases or locks", taken.errors)
            other = {"OSCOMMIT_LEDGER": f"dynamodb://{self.table}-{self.key('none')}"}
        absent = self.exits(NOT_EXECUTED, "lock", "x", "--", "echo", "ran", environment=other)
        self.assertEqual(absent.out, b"")
        advised = re.search("`(oscommit table create [^`]*)`", absent.errors).group(1)
        self.ok(*shlex.split(advised)[1:])
        self.ok("lock", "x", "--", "true", environment=other)


class Signals(LockCase):
    def test_what_ends_it_is_passed_on_and_the_end_is_waited_for(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            name = self.key("signal")
            clean = "trap 'sleep 0.3; echo cleaned; exit 9' TERM INT HUP; echo ready; while :; do sleep 0.1; done"
            holder = self.hold(name, program=("sh", "-c", clean))
            holder.send_signal(number)
            self.assertEqual(self.ends(holder, 9)[0], "cleaned\n")
            self.ok("lock", name, "--", "true")

    def test_all_of_the_group_is_waited_for_when_a_signal_was_passed_on(self):
        name = self.key("group")
        clean = "(trap 'sleep 0.5; echo cleaned; exit' TERM; echo ready; while :; do sleep 0.1; done) & wait"
        holder = self.hold(name, program=("sh", "-c", clean))
        holder.terminate()
        out, _ = self.ends(holder, 128 + signal.SIGTERM)
        self.assertEqual(out, "cleaned\n")

    def test_the_program_gets_its_signals_as_usual(self):
        said = self.ok("lock", self.key("masks"), "--", "grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status")
        for line in said.text.splitlines():
            for number in (signal.SIGPIPE, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD, signal.SIGTSTP):
                self.assertFalse(int(line.split()[1], 16) >> (number - 1) & 1, said)

    def test_a_signal_while_it_waits_ends_it(self):
        name = self.key("waits")
        holder = self.hold(name)
        waiting = self.start("lock", name, "--wait", "1h", "-vv", "--", "echo", "ran")
        self.assertTrue(waiting.stderr.readline())  # it has asked once
        waiting.terminate()
        out, _ = self.ends(waiting, -signal.SIGTERM)  # as any program that waits: a loop in a shell ends with it
        self.assertEqual(out, "")
        holder.terminate()
        self.ends(holder, 128 + signal.SIGTERM)


class Killed(LockCase):
    def test_a_dead_holder_is_followed_when_its_time_is_over(self):
        name = self.key("killed")
        holder = self.hold(name, "--ttl", f"{HELD_S}s", program=("sh", "-c", "sleep 600 & echo ready; echo $!; wait"))
        program = int(holder.stdout.readline())  # a child of the shell, which no death signal reaches
        keeper = children(holder.pid)["lock-keeper"]
        second = self.start("lock", name, "--wait", "5m", "--ttl", f"{HELD_S}s", "--", "echo", "second")
        since = time.monotonic()
        holder.kill()
        self.assertEqual(second.stdout.readline(), b"second\n")
        took = time.monotonic() - since
        self.assertFalse(is_there(program), "two programs at a time")
        print(f"\n{type(self).__name__}: another ran {took:.2f} s after the kill, with a time to live of {HELD_S} s")
        self.assertLess(took, HELD_S + PROMISED_S + SLACK_S)
        self.ends(second, DONE)
        self.gone(keeper)
        self.ends(holder, -signal.SIGKILL)

    def test_one_that_does_not_end_is_killed(self):
        holder = self.hold(self.key("deaf"), "--ttl", f"{HELD_S}s",
                           program=("sh", "-c", "trap '' TERM; echo ready; echo $$; while :; do sleep 0.1; done"))
        program = int(holder.stdout.readline())
        holder.kill()
        self.gone(program)


class Stopped(LockCase):
    def stopped(self, name, more):
        """A holder that is stopped, with all or some of its processes, until another was there."""
        holder = self.hold(name, "--ttl", f"{HELD_S}s", program=("sh", "-c", "echo ready; echo $$; exec sleep 600"))
        program = int(holder.stdout.readline())
        processes = [holder.pid, *more(children(holder.pid)["lock-keeper"], program)]
        self.stop(*processes)
        self.assertEqual(self.ok("lock", name, "--wait", "5m", "--", "echo", "second").out, b"second\n")
        return holder, program, processes

    def goes_on(self, holder, program, processes):
        for process in reversed(processes):  # the first one ends the others
            os.kill(process, signal.SIGCONT)
        _, err = self.ends(holder, LOST)
        self.assertIn("lost", err)
        self.gone(program)

    def test_one_that_was_stopped_with_all_its_processes_ends_its_program(self):
        stopped = self.stopped(self.key("all"), lambda keeper, program: [keeper, program])
        self.assertTrue(is_there(stopped[1]))
        self.goes_on(*stopped)

    def test_the_program_of_one_that_was_stopped_alone_is_ended_before_another_runs(self):
        stopped = self.stopped(self.key("alone"), lambda keeper, program: [])
        self.assertFalse(is_there(stopped[1]), "two programs at a time")
        self.goes_on(*stopped)


class ClockMoved(LockCase):
    """The wall clock of the holder's machine is set, while it holds."""
    AN_HOUR_S = 3600

    def setUp(self):
        super().setUp()
        self.clock = wall_clock.of(self)

    def test_an_hour_forward_ends_the_program_before_another_runs(self):
        name = self.key("forward")
        holder = self.hold(name, "--ttl", f"{HELD_S}s", environment=self.clock.environment,
                           program=("sh", "-c", "echo ready; echo $$; exec sleep 600"))
        program = int(holder.stdout.readline())
        second = self.start("lock", name, "--wait", "5m", "--", "echo", "second")
        since = time.monotonic()
        self.clock.set(self.AN_HOUR_S)
        self.assertEqual(second.stdout.readline(), b"second\n")
        took = time.monotonic() - since
        self.assertFalse(is_there(program), "two programs at a time")
        print(f"\n{type(self).__name__}: another ran {took:.2f} s after the clock was set, time to live {HELD_S} s")
        self.assertLess(took, HELD_S + PROMISED_S + SLACK_S)
        self.ends(second, DONE)
        _, err = self.ends(holder, LOST)
        self.assertIn("lost", err)

    def test_an_hour_back_changes_nothing(self):
        name = self.key("back")
        holder = self.hold(name, "--ttl", f"{HELD_S}s", environment=self.clock.environment, stdin=subprocess.PIPE,
                           program=("sh", "-c", "echo ready; read line"))
        self.clock.set(-self.AN_HOUR_S)
        self.exits(CONFLICT, "lock", name, "--wait", f"{2 * HELD_S}s", "--", "echo", "second")
        holder.stdin.write(b"\n")
        holder.stdin.flush()
        self.ends(holder, DONE)


class Tokens(OnStoreCase, LockCase):
    def token(self, name):
        leases = self.base["LEASES"]
        return int(self.ok("lock", name, "--ledger", leases, "--", "sh", "-c", "echo $OSCOMMIT_FENCING_TOKEN").text)

    @staticmethod
    def under(token):
        return {"environment": {"OSCOMMIT_FENCING_TOKEN": str(token)}}

    def etag(self, *arguments, **options):
        return self.ok(*arguments, "--json", **options).line()["etag"]

    def setUp(self):
        super().setUp()
        name, self.source, self.target = self.key("lease"), self.new_url("source"), self.new_url("target")
        self.older, self.newer = self.token(name), self.token(name)
        self.ok("put", self.file("one", b"one"), self.source, "--if-absent")

    def test_a_copy_cannot_replace_what_a_newer_holder_has_copied(self):
        first = self.etag("put", self.file("two", b"two"), self.target, "--if-absent")
        copied = self.etag("cp", self.source, self.target, "--if-match", first, **self.under(self.newer))
        again = ("cp", self.source, self.target, "--if-match", copied)
        late = self.exits(CONFLICT, *again, **self.under(self.older))
        self.assertIn(f"the fencing token {self.newer}, which is newer than {self.older}", late.errors)
        self.assertIn("which is no token", self.exits(USAGE, *again, **self.under("x")).errors)
        bare = self.exits(USAGE, "cp", self.source, self.target, **self.under(self.newer))
        self.assertIn("always guarded", bare.errors)

    def test_what_is_made_by_cp_and_mv_has_the_token(self):
        for command in (("cp", self.source, self.new_url("made"), "--if-absent"),
                        ("mv", self.source, self.new_url("moved"))):
            made = self.etag(*command, **self.under(self.newer))
            put = ("put", self.file("three", b"three"), command[2], "--if-match", made)
            self.assertIn("token", self.exits(CONFLICT, *put, **self.under(self.older)).errors)
            self.ok(*put, **self.under(self.newer))

    def test_mv_without_a_token_that_can_be_one_moves_nothing(self):
        moved = ("mv", self.source, self.target)
        self.assertIn("which is no token", self.exits(USAGE, *moved, **self.under("-1")).errors)
        self.ok("head", self.source)


class Compactor(OnStoreCase, LockCase):
    """examples/compact.sh: one stops between its look at the parts and its write, for longer than its lease lives."""

    SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "compact.sh")
    # Stands before the tool. The first update says who it is, and waits to be stopped.
    WAITS = """#!/bin/sh
if [ "$1" = update ] && mkdir "$FOLDER/first" 2>/dev/null; then
    echo ready; echo $$; read -r _ <"$FOLDER/goes_on"
    %s
fi
exec "$TOOL" "$@"
"""

    def compact(self, folder, table, ttl_s):
        path = f"{folder}:{self.base['PATH']}"
        process = subprocess.Popen(
            ["sh", self.SCRIPT, "--ttl", f"{ttl_s}s", "--wait", "5m"],
            env={**self.base, "TOOL": tool(), "FOLDER": folder, "STORE": self.store, "TABLE": table, "PATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.addCleanup(self.clear, process)
        return process

    def raced(self, at_the_first):
        """What a compactor says that was stopped until its successor was done, and the object then. It went on before
        its holder did, which would have ended it: so it goes where a whole machine was suspended."""
        folder, table = os.path.join(self.folder, self.key("tools")), self.key("compacted")
        os.mkdir(folder)
        os.mkfifo(folder + "/goes_on")
        with open(os.open(folder + "/oscommit", os.O_CREAT | os.O_WRONLY, 0o700), "w", encoding="utf-8") as waits:
            waits.write(self.WAITS % at_the_first)
        self.ok("put", self.file("part", b"one\n"), self.url(f"{table}/parts/1"), "--if-absent")
        holder = self.compact(folder, table, HELD_S)
        self.assertEqual(holder.stdout.readline(), b"ready\n", "the compactor does not write")
        first = int(holder.stdout.readline())
        group, keeper = os.getpgid(first), children(holder.pid)["lock-keeper"]
        os.killpg(group, signal.SIGSTOP)
        self.stop(holder.pid, keeper)
        self.ok("put", self.file("part", b"two\n"), self.url(f"{table}/parts/2"), "--if-absent")
        self.ends(self.compact(folder, table, PATIENCE_S), DONE)
        self.assertEqual(self.ok("get", self.url(f"{table}/all"), "-").out, b"one\ntwo\n")
        os.killpg(group, signal.SIGCONT)
        with open(folder + "/goes_on", "w", encoding="utf-8") as goes_on:
            goes_on.write("\n")
        self.gone(group)
        for process in (keeper, holder.pid):  # the last one ends the other
            os.kill(process, signal.SIGCONT)
        said = [text.decode() for text in holder.communicate(timeout=PATIENCE_S)]
        return holder.returncode, *said, self.ok("get", self.url(f"{table}/all"), "-").out

    def test_it_cannot_write_over_its_successor(self):
        status, out, err, there = self.raced("")
        self.assertEqual(there, b"one\ntwo\n", "the successor's object is lost")
        self.assertIn("token", err)
        self.assertNotIn("committed", out)
        self.assertEqual(status, LOST, (out, err))

    def test_without_its_token_it_would(self):
        _, out, _, there = self.raced("unset OSCOMMIT_FENCING_TOKEN")
        self.assertIn("committed", out)
        self.assertEqual(there, b"one\n")


class Lost(LockCase):
    CLEANS = "trap 'echo cleaned; exit 0' TERM; echo ready; while :; do sleep 0.1; done"

    def test_a_lease_that_somebody_removed_ends_the_program(self):
        name = self.key("removed")
        holder = self.hold(name, "--ttl", f"{HELD_S}s", program=("sh", "-c", self.CLEANS))
        self.delete_item(name)
        out, err = self.ends(holder, LOST)
        self.assertEqual(out, "cleaned\n")
        self.assertIn("is lost", err)
        self.assertIn("SIGTERM", err)

    def test_json_says_that_it_was_lost(self):
        name = self.key("lost-json")
        holder = self.hold(name, "--ttl", f"{HELD_S}s", "--json", program=("sh", "-c", "echo ready; exec sleep 600"))
        self.delete_item(name)
        out, _ = self.ends(holder, LOST)
        self.assertIn('"verdict":"lost"', out)
        self.assertIn('"signal":15', out)

    def test_one_that_does_not_end_is_killed(self):
        name = self.key("deaf")
        deaf = "trap '' TERM; echo ready; while :; do sleep 0.1; done"
        holder = self.hold(name, "--ttl", f"{HELD_S}s", program=("sh", "-c", deaf))
        self.delete_item(name)
        self.ends(holder, LOST)

    def test_where_the_table_is_away_the_program_ends_before_the_lease_does(self):
        name, ttl_s = self.key("away"), 5
        with contextlib.ExitStack() as undo:
            environment, go_away = self.table_that_goes(undo)
            holder = self.hold(name, "--ttl", f"{ttl_s}s", program=("sh", "-c", self.CLEANS), environment=environment)
            go_away()
            self.assertEqual(holder.stdout.readline(), b"cleaned\n")
        _, err = self.ends(holder, LOST)
        self.assertIn("about to be lost", err)

    def test_one_that_is_killed_in_its_grace_leaves_its_program_no_more_time(self):
        name, grace_s, program = self.key("grace"), 4, "trap 'echo asked' TERM; echo ready; echo $$; while :; do sleep 0.1; done"
        with contextlib.ExitStack() as undo:
            environment, go_away = self.table_that_goes(undo)
            holder = self.hold(name, "--ttl", f"{8 * grace_s}s", "--grace", f"{grace_s}s", program=("sh", "-c", program),
                               environment=environment)
            deaf = int(holder.stdout.readline())
            go_away()
            self.assertEqual(holder.stdout.readline(), b"asked\n")
            asked = time.monotonic()
            time.sleep(grace_s * 3 / 4)  # the most of the grace: it is time that is tested
            holder.kill()
            self.gone(deaf)
        took = time.monotonic() - asked
        print(f"\n{type(self).__name__}: gone {took:.2f} s after SIGTERM, with a grace of {grace_s} s")
        self.assertLess(took, grace_s * 3 / 2, "another could have the lease by then")

    def table_that_goes(self, undo):
        """The environment in which the table can be made to go away, until `undo`; and what does that."""
        if self.backend.embedded:
            db = sqlite3.connect(f"{self.root}/.oscommit/ledger.db", isolation_level=None, timeout=PATIENCE_S)
            undo.callback(db.close)
            return {}, lambda: db.execute("BEGIN IMMEDIATE")
        proxy = FaultProxy(self.ledger_endpoint)
        undo.callback(proxy.close)
        return {"AWS_ENDPOINT_URL_DYNAMODB": proxy.url}, lambda: proxy.add("hold")


class OnTerminal(LockCase):
    def setUp(self):
        super().setUp()
        self.unread = b""

    def on_terminal(self, *command):
        """Starts it as the first process of a session of its own, whose terminal is the one that is returned."""
        process, leader = pty.fork()
        if process == 0:
            os.execve(tool(), [tool(), *command], self.base)
        self.addCleanup(os.close, leader)
        return process, leader

    def says(self, leader, words):
        """Reads up to these words. What has come behind them is for the next call: nobody says it again."""
        said, self.unread = self.unread, b""
        while words not in said:
            said += os.read(leader, 4096)
        self.unread = said.partition(words)[2]

    def test_the_program_reads_from_the_terminal(self):
        process, leader = self.on_terminal("lock", self.key("reads"), "--", "sh", "-c",
                                           "echo ready; read line; echo got $line; exit 7")
        self.says(leader, b"ready")
        os.write(leader, b"words\n")
        self.says(leader, b"got words")
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), 7)

    def test_ctrl_c_ends_the_program_and_then_the_tool(self):
        name = self.key("ctrl-c")
        process, leader = self.on_terminal("lock", name, "--", "sh", "-c", READY)
        self.says(leader, b"ready")
        os.write(leader, b"\x03")
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), -signal.SIGINT)
        self.ok("lock", name, "--", "true")

    def test_ctrl_c_is_the_programs_own_affair(self):
        process, leader = self.on_terminal("lock", self.key("own"), "--", "sh", "-c",
                                           "trap 'echo cleaned; exit 8' INT; echo ready; while :; do sleep 0.1; done")
        self.says(leader, b"ready")
        os.write(leader, b"\x03")
        self.says(leader, b"cleaned")
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), 8)

    READS = "sh -c 'echo ready; read line; echo got $line'"

    def in_shell(self, script):
        """A shell with job control, and its terminal."""
        process, leader = pty.fork()
        if process == 0:
            os.execve("/bin/bash", ["bash", "--norc", "-c", "set -m; " + script], self.base)
        self.addCleanup(os.waitpid, process, 0)
        self.addCleanup(os.close, leader)
        return leader

    def test_a_shell_can_stop_it_and_go_on(self):
        lock = f"{tool()} lock {self.key('ctrl-z')} -- {self.READS}"
        leader = self.in_shell(f"{lock}; echo stopped $?; fg; echo ended $?")
        self.says(leader, b"ready")
        os.write(leader, b"\x1a")
        self.says(leader, b"stopped 148")
        os.write(leader, b"words\n")
        self.says(leader, b"ended 0")

    def test_a_shell_can_stop_it_while_it_waits(self):
        name = self.key("waits")
        holder = self.hold(name)
        leader = self.in_shell(f"{tool()} lock {name} --wait 1h -vv -- echo got it; echo stopped $?; fg; echo ended $?")
        self.says(leader, b"oscommit: ")
        os.write(leader, b"\x1a")
        self.says(leader, b"stopped 148")
        holder.terminate()
        self.says(leader, b"got it")
        self.says(leader, b"ended 0")

    def test_one_in_the_background_stops_when_it_wants_to_read_and_has_the_terminal_later(self):
        leader = self.in_shell(f"{tool()} lock {self.key('back')} -- {self.READS} & "
                               "until jobs -s | grep -q lock; do sleep 0.1; done; echo stopped; fg; echo ended $?")
        self.says(leader, b"stopped")
        os.write(leader, b"words\n")
        self.says(leader, b"ended 0")


if __name__ == "__main__":
    main(Lock, Signals, Killed, Stopped, ClockMoved, Tokens, Compactor, Lost, OnTerminal, only={"embedded", "minio"})
