#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What reaches a terminal: names that command it, that turn the writing around or cannot be seen, in every output."""

import json
import os
import pty
import subprocess
import sys
import unicodedata

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from oscommit_testing import BackendCase, main, tool

HOSTILE = "a\x9b1m\u202etxt.\u2066exe\u200b\u2028\ufeff\x7f\U000e0041é"
COMMANDING = HOSTILE + "\x1b[31m"  # no key may have this; a file that another program made can


def dangerous(text):
    return [
        f"U+{ord(c):04X}"
        for c in text
        if c not in "\r\n" and unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Cs")
    ]


class Terminal(BackendCase):
    def on_terminal(self, *arguments):
        """What the tool writes to a terminal that is both its stdout and its stderr."""
        leader, follower = pty.openpty()
        process = subprocess.Popen(
            [tool(), *arguments], env=self.base, stdin=subprocess.DEVNULL, stdout=follower, stderr=follower
        )
        os.close(follower)
        out = b""
        while True:
            try:
                piece = os.read(leader, 65536)
            except OSError:  # EIO: the last writer is gone
                break
            if not piece:
                break
            out += piece
        os.close(leader)
        process.wait(120)
        return out.decode()  # what is not UTF-8 ends the test

    def test_no_name_commands_a_terminal(self):
        url = f"{self.store}/terminal/{HOSTILE}"
        self.ok("put", "-", url, "--if-absent", data=b"x")
        with open(os.path.join(self.root, "terminal", COMMANDING), "wb"):
            pass
        commands = [
            ["head", url],
            ["put", "/etc/passwd", url, "--if-absent"],
            ["ls", f"{self.store}/terminal/"],
            ["ls", f"{self.store}/terminal/", "--json"],
            ["head", url, "--json"],
            ["get", url + "-absent"],
            ["get", url + "-absent", "-vv"],
            ["cp", url + "-absent", url + "2", "--if-absent"],
            ["table", "ls"],
            ["table", "ls", "--json"],
            ["table", "show", url],
            ["put", "/no/such/" + COMMANDING, url],
            ["put", "/etc/passwd", f"{self.store}/{COMMANDING}"],
            ["put", b"/no/such/\x9b\xff\xc3", url],
            ["resolve", url, COMMANDING],
            [COMMANDING],
            ["--" + COMMANDING],
            ["ls", "--guard", COMMANDING],
        ]
        for command in commands:
            text = self.on_terminal(*command)
            self.assertEqual(dangerous(text), [], (command, text))
            self.assertTrue(text, command)
        self.assertIn("a\\u009b1m\\u202etxt.\\u2066exe\\u200b\\u2028\\ufeff\\x7f\\U000e0041é",
                      self.on_terminal("ls", f"{self.store}/terminal/"))

    def test_a_pipe_gets_the_names_of_a_listing_as_they_are(self):
        self.ok("put", "-", f"{self.store}/pipe/{HOSTILE}", "--if-absent", data=b"x")
        self.assertTrue(self.ok("ls", f"{self.store}/pipe/").text.endswith(f" pipe/{HOSTILE}\n"))

    def test_json_says_the_name_exactly(self):
        url = f"{self.store}/json/{HOSTILE}"
        made = self.ok("put", "-", url, "--if-absent", "--json", data=b"x")
        self.assertEqual(made.line()["object"], url)
        self.assertEqual(dangerous(made.text), [])
        listed = self.ok("ls", f"{self.store}/json/", "--json")
        self.assertEqual(listed.line()["key"], f"json/{HOSTILE}")
        self.assertEqual(dangerous(listed.text), [])

    def test_a_file_name_that_is_not_utf8_is_shown(self):
        folder = os.path.join(self.root, "bytes").encode()
        os.makedirs(folder)
        with open(folder + b"/\xff\x9b", "wb"):
            pass
        text = self.on_terminal("ls", f"{self.store}/bytes/")
        self.assertEqual(dangerous(text), [])
        for line in self.run_tool("ls", f"{self.store}/bytes/", "--json").out.splitlines():
            json.loads(line)


if __name__ == "__main__":
    main(Terminal, only={"embedded"})
