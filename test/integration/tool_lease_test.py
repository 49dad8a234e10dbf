#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""oscommit lease and oscommit lock ls, show, break: a lease that goes from process to process, and what stands in a table."""

import contextlib
import os
import re
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from lease_testing import HELD_S, LOST, PATIENCE_S, SHORT_S, SLACK_S, LeaseCase
from oscommit_testing import CONFLICT, DONE, NOT_EXECUTED, USAGE, dynamo, main, tool


class Lease(LeaseCase):
    def acquire(self, name, *flags):
        """What the tool prints as JSON, and the environment for the commands that follow."""
        line = self.ok("lease", "acquire", name, "--json", *flags).line()
        return line, {"OSCOMMIT_LEASE_HANDLE": line["handle"]}

    def test_a_shell_acquires_extends_and_releases(self):
        name = self.key("shell")
        script = f'''set -e
            eval "$("$TOOL" lease acquire {name} --ttl 30s)"
            "$TOOL" lease extend {name} --ttl 40s
            "$TOOL" lease release {name}
            echo "$OSCOMMIT_FENCING_TOKEN"'''
        ran = subprocess.run(["sh", "-c", script], env={**self.base, "PATH": os.environ["PATH"], "TOOL": tool()},
                             capture_output=True, timeout=PATIENCE_S, check=False)
        self.assertEqual((ran.returncode, ran.stderr), (0, b""))
        extended, released, token = ran.stdout.decode().splitlines()
        self.assertRegex(extended, r"^certain for 3[0-8] s$")
        self.assertEqual(released, f"done {name}")
        self.assertEqual(self.ok("lease", "show", name, "--json").line()["token"], int(token))

    def test_a_script_does_not_go_on_without_the_lease(self):
        name = self.key("taken")
        holder = self.acquire(name)[0]
        for script in (f'set -e; eval "$("$TOOL" lease acquire {name})"; echo RUNS',
                       f'eval "$("$TOOL" lease acquire {name})" || {{ s=$?; env | grep OSCOMMIT_LEASE; exit $s; }}; echo RUNS'):
            ran = subprocess.run(["sh", "-c", script], capture_output=True, timeout=PATIENCE_S, check=False,
                                 env={**self.base, "PATH": os.environ["PATH"], "TOOL": tool(),
                                      "OSCOMMIT_LEASE_HANDLE": holder["handle"]})
            self.assertEqual((ran.returncode, ran.stdout), (CONFLICT, b""), ran)

    def test_an_extension_without_ttl_keeps_that_of_the_lease(self):
        name = self.key("longer")
        _, held = self.acquire(name, "--ttl", "10m")
        for flags in ((), ("--ttl", "30s")):
            self.ok("lease", "extend", name, *flags, environment=held)
            self.assertEqual(self.ok("lease", "show", name, "--json").line()["ttl_ms"], 600000)

    def test_quiet_says_what_is_needed_to_release_it(self):
        name = self.key("quiet")
        said = self.ok("lease", "acquire", name, "--quiet").text
        handle = re.search(r"OSCOMMIT_LEASE_HANDLE=(\S+)", said).group(1)
        self.ok("lease", "release", name, "--handle", handle)

    def test_what_it_prints_is_fit_for_eval(self):
        lines = self.ok("lease", "acquire", self.key("eval"), "--ttl", "60s").text.splitlines()
        self.assertRegex(lines[0], r"^export OSCOMMIT_LEASE_HANDLE=[0-9a-f]{32}-[1-9][0-9]*$")
        self.assertRegex(lines[1], r"^export OSCOMMIT_FENCING_TOKEN=[1-9][0-9]*$")
        self.assertTrue(re.fullmatch(r"# certain for (3[0-9]|[45][0-9]) s: extend it before", lines[2]), lines[2])
        self.assertEqual(len(lines), 3)

    def test_the_handle_and_the_token_stay_the_same(self):
        name = self.key("same")
        first, held = self.acquire(name, "--owner", "a script")
        for _ in range(3):
            again = self.ok("lease", "extend", name, "--json", environment=held).line()
            self.assertEqual((again["handle"], again["token"]), (first["handle"], first["token"]))
            self.exits(CONFLICT, "lease", "acquire", name)
        self.assertIn("held by a script", self.exits(CONFLICT, "lock", name, "--", "true").errors)
        self.ok("lease", "release", name, "--handle", first["handle"])
        self.ok("lock", name, "--", "true")

    def test_what_was_lost_is_lost(self):
        name = self.key("lost")
        line, held = self.acquire(name, "--ttl", f"{SHORT_S}s")
        self.ok("lock", name, "--wait", "2m", "--", "true")
        for command in ("extend", "release"):
            lost = self.exits(LOST, "lease", command, name, environment=held)
            self.assertIn("nobody holds it", lost.errors)
        after, _ = self.acquire(name, "--owner", "the next")
        self.assertGreater(after["token"], line["token"])
        lost = self.exits(LOST, "lease", "extend", name, "--json", environment=held).line()
        self.assertEqual((lost["verdict"], lost["error"]["code"]), ("lost", "OS_ERR_CONFLICT"))
        self.assertIn("the next holds it", lost["error"]["message"])
        self.delete_item(name)
        self.exits(LOST, "lease", "extend", name, "--handle", after["handle"])

    def test_who_is_late_and_nobody_has_taken_it_has_it_still(self):
        name = self.key("late")
        line, held = self.acquire(name, "--ttl", f"{SHORT_S}s")
        time.sleep(SHORT_S + 1)  # it is what the script does not do in time
        if not self.backend.embedded and self.ok("lease", "show", name, "--json").line()["held"] is False:
            self.skipTest("the table has deleted it by its TTL already")
        self.assertEqual(self.ok("lease", "extend", name, "--json", environment=held).line()["token"], line["token"])

    def test_a_result_that_nobody_got_is_not_kept(self):
        name = self.key("full")
        with open("/dev/full", "wb") as full:
            process = self.start("lease", "acquire", name, stdout=full)
            process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, NOT_EXECUTED)
        self.assertFalse(self.ok("lease", "show", name, "--json").line()["held"])

    def test_bad_usage(self):
        name = self.key("usage")
        for command in ("extend", "release"):
            self.assertIn("OSCOMMIT_LEASE_HANDLE", self.exits(USAGE, "lease", command, name).errors)
            self.assertIn("hex digits", self.exits(USAGE, "lease", command, name, "--handle", "x").errors)
        self.exits(USAGE, "lease", "acquire", name, "--ttl", "1s")
        self.exits(USAGE, "lease", "acquire", name, "--grace", "1s")
        self.exits(USAGE, "lease", "acquire")
        self.assertIn("acquire, extend, release, show", self.exits(USAGE, "lease").errors)


class Queries(LeaseCase):
    # As src/sqlite/tables.c makes it for the first lock.
    LOCKS = ("CREATE TABLE IF NOT EXISTS locks (lock_id TEXT NOT NULL PRIMARY KEY, namespace TEXT NOT NULL, "
             "lock_name TEXT NOT NULL, owner TEXT NOT NULL, instance_id TEXT NOT NULL, "
             "lease_duration_s INTEGER NOT NULL, expiry_s INTEGER NOT NULL) WITHOUT ROWID")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.locks = cls.base["OSCOMMIT_LEDGER"]
        if cls.backend.embedded:
            return
        table = cls.table + "-locks"
        cls.locks = "dynamodb://" + table
        status, said = dynamo(cls.ledger_endpoint, "CreateTable", {
            "TableName": table, "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": "lockId", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "lockId", "KeyType": "HASH"}]})
        if status != 200:
            raise RuntimeError(f"there is no table of locks: {said}")

    def put_lock(self, name_space, name, expiry_s, owner="somebody"):
        """As another client of the same table does."""
        row = (f"{name_space}:{name}", name_space, name, owner, "instance 1", 60, expiry_s)
        names = ("lockId", "namespace", "lockName", "owner", "instanceId", "leaseDuration", "expiry")
        if self.backend.embedded:
            with contextlib.closing(sqlite3.connect(f"{self.root}/.oscommit/ledger.db", timeout=PATIENCE_S)) as db, db:
                db.execute(self.LOCKS)
                db.execute(f"INSERT INTO locks VALUES ({','.join('?' * len(row))})", row)
            return
        item = {key: {"N": str(value)} if isinstance(value, int) else {"S": value} for key, value in zip(names, row)}
        status, said = dynamo(self.ledger_endpoint, "PutItem", {"TableName": self.table + "-locks", "Item": item})
        self.assertEqual(status, 200, said)

    def test_leases_are_listed_and_shown(self):
        held, free = self.key("held"), self.key("free")
        self.ok("lease", "acquire", held, "--owner", "a \x1b[1mbold\x1b[0m one")
        self.ok("lock", free, "--", "true")
        lines = {line["object"]: line for line in self.ok("lock", "ls", "--json").lines()}
        self.assertEqual((lines[held]["held"], lines[free]["held"]), (True, False))
        self.assertGreater(lines[free]["token"], 0)
        self.assertFalse([name for name in lines if "fencing-epoch" in name])
        text = self.ok("lock", "ls").text
        self.assertIn(f"  {held}\n", text)
        self.assertIn(f"free   -  {free}\n", text)
        self.assertNotIn("\x1b", text)
        self.assertEqual(self.ok("lock", "show", held).text, self.ok("lease", "show", held).text)

    def test_a_lease_that_has_the_name_of_a_query(self):
        self.assertEqual(self.ok("lock", "ls", "--", "echo", "ran").out, b"ran\n")
        self.assertIn("needs a program", self.exits(USAGE, "lock", "list").errors)

    def test_a_lease_whose_holder_is_gone_is_broken_when_its_time_is_over(self):
        name = self.key("gone")
        line = self.ok("lease", "acquire", name, "--ttl", f"{SHORT_S}s", "--json").line()
        self.assertIn("--force", self.exits(USAGE, "lock", "break", name).errors)
        since = time.monotonic()
        self.ok("lock", "break", name, "--force")
        self.assertGreater(time.monotonic() - since, SHORT_S - 1)
        self.assertLess(time.monotonic() - since, SHORT_S + 2 + SLACK_S)
        shown = self.ok("lease", "show", name, "--json").line()
        self.assertFalse(shown["held"])
        self.assertGreater(shown["token"], line["token"])
        self.exits(LOST, "lease", "extend", name, "--handle", line["handle"])
        self.ok("lock", "break", name, "--force")  # nothing is there to break

    def test_a_lease_whose_holder_lives_is_not_broken(self):
        name = self.key("lives")
        holder = self.start("lock", name, "--ttl", f"{HELD_S}s", "--", "sh", "-c", "echo ready; read line",
                            stdin=subprocess.PIPE)
        self.addCleanup(holder.kill)
        self.assertEqual(holder.stdout.readline(), b"ready\n")
        self.assertIn("lives. It has extended it", self.exits(CONFLICT, "lock", "break", name, "--force").errors)
        holder.communicate(b"\n", timeout=PATIENCE_S)
        self.assertEqual(holder.returncode, DONE)

    def test_locks_are_listed_shown_and_broken(self):
        at = ("--ledger", self.locks, "--namespace")
        held, over = self.key("lock-held"), self.key("lock-over")
        self.put_lock("ns", held, int(time.time()) + 3600)
        self.put_lock("ns", over, int(time.time()) - 10)
        self.put_lock("other", held, int(time.time()) + 3600)
        lines = {line["object"]: line for line in self.ok("lock", "ls", *at, "ns", "--json").lines()}
        self.assertEqual((lines[held]["state"], lines[over]["state"]), ("held", "expired"))
        text = self.ok("lock", "ls", *at, "*").text
        self.assertIn(f"held     somebody  other:{held}\n", text)
        self.assertIn(f"expired  somebody  ns:{over}\n", text)
        self.assertIn("instance    instance 1\n", self.ok("lock", "show", held, *at, "ns").text)
        self.assertIn("held by somebody", self.exits(CONFLICT, "lock", "break", held, "--force", *at, "ns").errors)
        self.ok("lock", "break", over, "--force", *at, "ns")
        self.assertIn("state       free\n", self.ok("lock", "show", over, *at, "ns").text)
        self.assertIn("state       held\n", self.ok("lock", "show", held, *at, "other").text)

    def test_what_is_no_lease_is_told(self):
        if self.backend.embedded:
            self.skipTest("a SQLite file has no other items in its table")
        beside, odd = self.key("beside"), self.key("odd")
        self.ok("lease", "acquire", beside)
        item = {"key": {"S": odd}, "lease_expiry": {"S": "soon"}, "lease_version": {"N": "1"}}
        status, said = dynamo(self.ledger_endpoint, "PutItem", {"TableName": self.leases, "Item": item})
        self.assertEqual(status, 200, said)
        told = self.exits(NOT_EXECUTED, "lock", "ls")
        self.delete_item(odd)
        self.assertIn("could not be read as a lease", told.errors)
        self.assertIn(beside, told.text)


if __name__ == "__main__":
    main(Lease, Queries, only={"embedded", "minio"})
