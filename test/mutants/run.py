#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes one rule at a time out of the library and demands that something notices.

Each file in patches/ is a small patch with three lines on top: the rule that it takes out, how, and which unit tests
look at that code. For each one: apply it to a copy of the tree, build, and run the finders: the unit tests that it
names, the explorer (test/model) and the simulator (test/sim), both in their quick mode. A mutant that nobody finds, a
patch that no longer applies, and a mutant that does not compile are failures; so is a finder that finds something in
the tree as it is. Prints the matrix rule x finder.

  run.py [--out DIR] [--jobs N] [--matrix] [--only TEXT] [--finders LIST] [--summary FILE]

  --matrix   runs every finder on every mutant; without it the first one that notices ends the mutant
  --only     only the mutants whose name contains TEXT
  --finders  only these, in this order [unit,explorer,simulator]
  --summary  writes "KILLED TOTAL" there
"""
import argparse
import concurrent.futures
import pathlib
import queue
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATCHES = pathlib.Path(__file__).resolve().parent / "patches"
BUILD_TIMEOUT_S = 900
FINDER_TIMEOUT_S = 300  # a finder that hangs has noticed something, too: the step machine must end
FINDERS = ("unit", "explorer", "simulator")
PROGRAMS = {"explorer": "explore", "simulator": "oscommit_sim"}

# Rules that no mutant is made for, with the reason.
WITHOUT_MUTANT = {}


class Mutant:
    def __init__(self, path):
        self.path = path
        self.name = path.stem
        head = path.read_text().split("\n--- ", 1)[0]
        self.rule = self.field(head, "Rule")
        self.what = self.field(head, "Takes out")
        self.unit = self.field(head, "Unit tests")
        self.found = {}  # finder -> True, False; missing: not asked
        self.trouble = None
        self.seconds = 0.0

    @staticmethod
    def field(head, name):
        match = re.search(rf"^{name}: (.+)$", head, re.MULTILINE)
        if match is None:
            sys.exit(f"A patch has no line \"{name}: ...\":\n{head}")
        return match.group(1)

    @property
    def killed(self):
        return any(self.found.values())


class Tree:
    """A copy of the tracked files with its own build."""

    def __init__(self, folder, unit_patterns, finders):
        self.folder = folder
        self.source = folder / "source"
        self.build = folder / "build"
        shutil.rmtree(self.source, ignore_errors=True)
        self.source.mkdir(parents=True)
        files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
        for name in filter(None, files.decode().split("\0")):
            if (ROOT / name).is_file():
                target = self.source / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, target)  # with new times: a mutant may have been built there last
        self.log = open(folder / "log", "w")
        self.run(["cmake", "-S", self.source, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                  "-DCMAKE_C_COMPILER=gcc"], check=True)
        listed = self.run(["ninja", "-C", self.build, "-t", "targets", "all"], check=True)
        programs = re.findall(r"^test/(unit_[a-z0-9_]+): C_EXECUTABLE_LINKER", listed, re.M)
        self.programs = {finder: self.program(listed, name) for finder, name in PROGRAMS.items() if finder in finders}
        self.targets = [f"test/{unit}" for unit in programs if re.search(unit_patterns, unit)]
        self.targets += self.programs.values()

    def program(self, listed, name):
        match = re.search(rf"^(\S*/{name}): C_EXECUTABLE_LINKER", listed, re.M)
        if match is None:
            sys.exit(f"The build has no program named {name}.")
        return match.group(1)

    def run(self, command, check=False, timeout=BUILD_TIMEOUT_S):
        """What it printed; None when it failed or took too long."""
        command = [str(part) for part in command]
        try:
            done = subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=timeout, text=True, errors="replace", check=False)
        except subprocess.TimeoutExpired:
            self.log.write(f"$ {' '.join(command)}\n(took longer than {timeout} s)\n")
            return None
        self.log.write(f"$ {' '.join(command)}\n{done.stdout[-4000:]}\n")
        self.log.flush()
        if done.returncode == 0:
            return done.stdout
        if check:
            sys.exit(f"{' '.join(command)} failed:\n{done.stdout[-4000:]}")
        return None

    def make(self):
        return self.run(["ninja", "-C", self.build, *self.targets]) is not None

    def finds(self, finder, pattern):
        """Whether the finder notices something."""
        if finder == "unit":
            clean = self.run(["ctest", "--test-dir", self.build, "--no-tests=error", "--stop-on-failure",
                              "--label-regex", "^unit$", "--tests-regex", f"^({pattern})"], timeout=FINDER_TIMEOUT_S)
        else:
            clean = self.run([self.build / self.programs[finder], "--quick"], timeout=FINDER_TIMEOUT_S)
        return clean is None

    def play(self, mutant, finders, whole_matrix):
        start = time.monotonic()
        self.log.write(f"\n==== {mutant.name}\n")
        if self.run(["patch", "-p1", "-d", self.source, "-i", mutant.path, "--no-backup-if-mismatch"]) is None:
            mutant.trouble = "the patch does not apply"
        elif not self.make():
            mutant.trouble = "does not compile"
        else:
            for finder in finders:
                mutant.found[finder] = self.finds(finder, mutant.unit)
                if mutant.found[finder] and not whole_matrix:
                    break
        self.restore(mutant)
        mutant.seconds = time.monotonic() - start

    def restore(self, mutant):
        for name in re.findall(r"^\+\+\+ b/(\S+)", mutant.path.read_text(), re.MULTILINE):
            shutil.copyfile(ROOT / name, self.source / name)  # with a new time, so that it is compiled again
        for leftover in self.source.rglob("*.rej"):
            leftover.unlink()


def word(mutant, finder):
    if mutant.trouble:
        return "-"
    return {True: "found", False: ".", None: ""}[mutant.found.get(finder)]


def print_matrix(mutants):
    width = max(len(m.name) for m in mutants)
    print(f"{'mutant':{width}}  {'unit':9} {'explorer':9} {'simulator':9}")
    for m in mutants:
        cells = " ".join(f"{word(m, finder):9}" for finder in FINDERS)
        print(f"{m.name:{width}}  {cells} {m.trouble or ('' if m.killed else 'SURVIVED')}".rstrip())


def rules_without_mutant(mutants):
    """Rule ids of protocol.md, sections 2 to 4, that no mutant takes out."""
    text = (ROOT / "docs" / "protocol.md").read_text()
    rules = set(re.findall(r"\b([VTRN]\d+)\b", text))
    return sorted(rules - {m.rule for m in mutants} - set(WITHOUT_MUTANT), key=lambda r: (r[0], int(r[1:])))


def play_all(mutants, arguments):
    patterns = "|".join(sorted({m.unit for m in mutants}))
    trees = queue.Queue()
    for index in range(arguments.jobs):
        tree = Tree(arguments.out / f"tree-{index}", f"^({patterns})", arguments.finders)
        if index == 0:
            if not tree.make():
                sys.exit(f"The tree does not build; see {tree.folder}/log")
            for finder in arguments.finders:
                if tree.finds(finder, patterns):
                    sys.exit(f"The {finder} finds something in the tree as it is; see {tree.folder}/log")
            print("The tree as it is: nobody finds anything.", flush=True)
        trees.put(tree)

    def one(mutant):
        tree = trees.get()
        try:
            tree.play(mutant, arguments.finders, arguments.matrix)
        finally:
            trees.put(tree)
        state = mutant.trouble or ("killed" if mutant.killed else "SURVIVED")
        print(f"{state:9} {mutant.seconds:5.0f} s  {mutant.name}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(one, mutants))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / "mutants")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--matrix", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--finders", type=lambda text: text.split(","), default=list(FINDERS))
    parser.add_argument("--summary", type=pathlib.Path)
    arguments = parser.parse_args()
    if not set(arguments.finders) <= set(FINDERS):
        parser.error(f"The finders are {', '.join(FINDERS)}.")
    arguments.out = arguments.out.resolve()
    everything = [Mutant(path) for path in sorted(PATCHES.glob("*.patch"))]
    mutants = [m for m in everything if arguments.only in m.name]
    if not mutants:
        sys.exit(f"No mutant's name contains \"{arguments.only}\".")
    play_all(mutants, arguments)
    print()
    print_matrix(mutants)
    missing = rules_without_mutant(everything)
    killed = sum(m.killed for m in mutants)
    for rule, why in WITHOUT_MUTANT.items():
        print(f"{rule}: no mutant, {why}")
    for rule in missing:
        print(f"{rule}: NO MUTANT takes this rule out")
    print(f"{killed} of {len(mutants)} mutants killed")
    if arguments.summary:
        arguments.summary.write_text(f"{killed} {len(mutants)}\n")
    return 0 if killed == len(mutants) and not missing else 1


if __name__ == "__main__":
    sys.exit(main())
