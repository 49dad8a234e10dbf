#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A store inside a store: two ledgers over one file would each grant what the other has granted."""

import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from oscommit_testing import CONFLICT, DENIED, DONE, NOT_EXECUTED, USAGE, BackendCase, main, tool

ROUNDS = 40


class Nested(BackendCase):
    def below(self, *parts):
        return os.path.join(self.root, *parts)

    def test_no_key_makes_a_store_inside_the_store(self):
        source = self.url("source")
        self.ok("put", "-", source, data=b"x")
        for key in ("a/.oscommit/ledger.db", ".oscommit/ledger.db", "a/.OSCOMMIT/objects.db", "a/.oscommit/tmp/x"):
            for arguments in (
                ("put", "-", self.url(key), "--if-absent"),
                ("put", "-", key, "--store", self.store),
                ("cp", source, self.url(key), "--if-absent"),
                ("mv", source, self.url(key)),
                ("get", self.url(key)),
                ("rm", self.url(key)),
            ):
                ran = self.run_tool(*arguments, data=b"x")
                self.assertEqual(ran.status, NOT_EXECUTED, (arguments, ran))
                self.assertIn(".oscommit", ran.errors)
        self.assertFalse(os.path.exists(self.below("a")))

    def test_no_store_is_made_inside_the_store(self):
        os.makedirs(self.below("folder"), exist_ok=True)
        for place in ("new", "folder", "folder/new/deeper"):
            ran = self.run_tool("init", self.below(place))
            self.assertEqual(ran.status, USAGE, ran)
            self.assertIn(self.root, ran.errors)
        self.assertEqual(os.listdir(self.below("folder")), [])

    def nest(self, name):
        """What earlier releases let somebody make: a whole store in a folder of the store."""
        apart = os.path.join(self.folder, self.key("apart"))
        self.ok("init", apart)
        os.makedirs(self.below(name))
        shutil.move(os.path.join(apart, ".oscommit"), self.below(name, ".oscommit"))

    def race(self, commands):
        """Puts all bodies at once; their statuses."""
        running = [self.start("put", body, *command, "--if-absent", "--json") for body, command in commands]
        for process in running:
            process.communicate(timeout=120)
        return [process.returncode for process in running]

    def test_of_the_writers_of_a_key_one_wins_however_they_name_it(self):
        self.nest("team")
        bodies = [self.file(f"body-{number}", str(number).encode()) for number in range(4)]
        for number in range(ROUNDS):
            key = f"k{number}"
            names = [
                (self.url(f"team/{key}"),),
                (f"team/{key}", "--store", self.store),
                (self.url(f"team/{key}"),),
                (key, "--store", self.url("team")),
            ]
            statuses = self.race(zip(bodies, names))
            self.assertEqual(statuses[3], USAGE, statuses)
            self.assertEqual(sorted(statuses[:3]), [DONE, CONFLICT, CONFLICT], (key, statuses))

    def test_a_name_of_the_store_alone_keeps_nobody_from_a_folder(self):
        os.makedirs(self.below("crew", ".oscommit"))
        with open(self.below("crew", ".oscommit", "x"), "wb"):
            pass
        self.ok("put", "-", self.url("crew/key"), "--if-absent", data=b"x")
        self.assertEqual(self.ok("get", self.url("crew/key")).out, b"x")
        listed = [line["object"] for line in self.ok("ls", self.url("crew/"), "--json").lines()]
        self.assertEqual(listed, [self.url("crew/key")])

    def test_a_link_into_the_store_is_no_second_store(self):
        self.nest("linked")
        link = os.path.join(self.folder, "link")
        os.symlink(self.below("linked"), link)
        ran = self.run_tool("put", "-", f"file://{link}/key", "--if-absent", data=b"x")
        self.assertEqual(ran.status, USAGE, ran)
        self.assertFalse(os.path.exists(self.below("linked", "key")))


class Strangers(BackendCase):
    def commands(self):
        """One of every command that opens a store."""
        key, other = self.url("key"), self.url("other")
        return (
            ("get", key),
            ("head", key),
            ("put", "-", key),
            ("put", "-", key, "--if-absent"),
            ("put", "-", "key", "--store", self.store),
            ("cp", key, other, "--if-absent"),
            ("mv", key, other),
            ("rm", key),
            ("ls", self.url("")),
            ("gc", self.store),
            ("probe", self.store),
            ("race", self.store, "--writers", "2", "--keys", "2"),
            *(("table", verb, "--store", self.store) for verb in ("create", "check", "ls")),
            *(("table", verb, key) for verb in ("show", "release")),
        )

    def run_as_a_stranger(self, *arguments):
        ran = subprocess.run(
            [tool(), *arguments], env=self.base, input=b"x", capture_output=True, user=54321, group=54321, timeout=120,
            check=False,
        )
        if b"cannot open shared object file" in ran.stderr or ran.returncode in (126, 127):
            self.skipTest("the tool may not be run by somebody else here")
        return ran

    def test_a_store_of_another_user_is_denied(self):
        if os.geteuid() != 0:
            self.skipTest("only root can be somebody else")
        os.chmod(self.folder, 0o755)
        for mode in (0o700, 0o755):  # of the root; .oscommit is private anyway
            os.chmod(self.root, mode)
            for arguments in self.commands():
                ran = self.run_as_a_stranger(*arguments)
                self.assertEqual(ran.returncode, DENIED, (oct(mode), ran))
                self.assertIn(b"Permission denied", ran.stderr)
                self.assertIn(self.root.encode(), ran.stderr)
                self.assertNotIn(b"oscommit init", ran.stderr)


if __name__ == "__main__":
    main(Nested, Strangers, only=("embedded",))
