# SPDX-License-Identifier: Apache-2.0
"""The examples of a document, to be run as they stand there, but for the names of places.

A block is run if its first line is ```sh, ```python or ```console, and nothing more. A console block has commands behind
"$ ", and below each what it prints. Behind another word, as in ```sh no-run, stands what nobody can run."""

import os
import re
import subprocess

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
KINDS = ("sh", "python", "console")


class Block:
    def __init__(self, where, kind, text):
        self.where, self.kind, self.text = where, kind, text

    def placed(self, names):
        """With other names of places, the longest first."""
        return re.sub("|".join(map(re.escape, sorted(names, key=len, reverse=True))) or "(?!)",
                      lambda found: names[found[0]], self.text)

    def commands(self, names):
        """Pairs of a command and what it should print: None where the document does not say it."""
        if self.kind != "console":
            return [(self.placed(names), None)]
        parts = re.split(r"^\$ (.*)\n", self.placed(names), flags=re.MULTILINE)
        assert parts[0] == "", self.where
        return list(zip(parts[1::2], parts[2::2]))


def blocks(path):
    """Those that are run, in their order."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        text = file.read()
    found = re.finditer(r"^```(\w*)([^\n]*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [Block(f"{path}:{text.count(chr(10), 0, block.start()) + 1}", block[1], block[3])
            for block in found if block[1] in KINDS and not block[2].strip()]


def marked(path, kind, mark):
    """The text of the blocks with this mark."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return re.findall(rf"^```{kind} {mark}\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)


def run(test, block, names, folder, environment, python=None, timeout=240):
    """Runs all of a block: each command must end well, and print what the document says, which test.same_output judges.
    `python` makes words of a block in that language."""
    for command, printed in block.commands(names):
        words = python(command) if block.kind == "python" else ["bash", "-euo", "pipefail", "-c", command]
        done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=timeout,
                              stdin=subprocess.DEVNULL)
        test.assertEqual(done.returncode, 0, (block.where, command, done.stdout, done.stderr))
        if printed is not None:
            test.same_output(printed, done.stdout)
