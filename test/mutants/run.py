#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes one rule at a time out of the library and demands that something notices.

Each file in patches/ is a small patch with three lines on top: the rule that it takes out, how, and which unit tests
look at that code. For each one: apply it to a copy of the tree, build, and run the finders: the unit tests that it
names, the explorer (test/model) and the simulator (test/sim), both in their quick mode. A mutant that nobody finds, a
patch that no longer applies, and a mutant that does not compile are failures; so is a finder that finds something in
the tree as it is. Prints the matrix rule x finder.

A fourth line, "Class: io", puts a mutant into the class "where a rule meets I/O": what is right in src/commit and is
lost on its way to a lock, a file, a socket, a page, a field or a flag. Such slips are not seen by a checker of the step
machine, so the class is counted by itself, and must not shrink below its least number.

  run.py [--out DIR] [--jobs N] [--matrix] [--only REGEX] [--class NAME] [--slice K/N] [--finders LIST] [--summary FILE]

  --jobs     so many copies of the tree, each with its own build; a mutant's tests mostly wait, so that twice as many as
             there are processors are right [2]
  --matrix   runs every finder on every mutant; without it the first one that notices ends the mutant. A finder whose
             program the mutant leaves as it is cannot notice it, and is not run
  --only     only the mutants in whose name the regular expression is found
  --class    only the mutants of that class
  --slice    only every Nth mutant, from the Kth (0 to N - 1); that every patch applies is looked at all the same
  --finders  only these, in this order [unit,explorer,simulator]
  --summary  writes "KILLED TOTAL" there
"""
import argparse
import concurrent.futures
import contextlib
import hashlib
import os
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATCHES = pathlib.Path(__file__).resolve().parent / "patches"
BUILD_TIMEOUT_S = 900
FINDER_TIMEOUT_S = 300  # a finder that hangs has noticed something, too: the step machine must end
FINDERS = ("unit", "explorer", "simulator")
PROGRAMS = {"explorer": "explore", "simulator": "oscommit_sim"}
UNITS_PER_PROCESSOR = 16  # of `ctest --parallel`: test/CMakeLists.txt
CLASSES = {"io": ("where a rule meets I/O", 40)}  # what it is, and the least number of its mutants

RUNNING = set()  # the leaders of what was started; each has a session of its own, which no signal to ours reaches

# Rules that no mutant is made for, with the reason.
WITHOUT_MUTANT = {}


def kill_group(leader):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


def end_all(number, _frame):
    for leader in list(RUNNING):
        kill_group(leader)
    os._exit(128 + number)


class Mutant:
    def __init__(self, path):
        self.path = path
        self.name = path.stem
        head = path.read_text().split("\n--- ", 1)[0]
        self.rule = self.field(head, "Rule")
        self.what = self.field(head, "Takes out")
        self.unit = self.field(head, "Unit tests")
        self.class_name = self.field(head, "Class", "")
        if self.class_name and self.class_name not in CLASSES:
            sys.exit(f"{path.name} is of the class \"{self.class_name}\"; the classes are {', '.join(CLASSES)}.")
        self.found = {}  # finder -> True, False; missing: not asked
        self.by = []  # the tests and programs that noticed it
        self.trouble = None
        self.seconds = 0.0

    @staticmethod
    def field(head, name, otherwise=None):
        match = re.search(rf"^{name}: (.+)$", head, re.MULTILINE)
        if match is None and otherwise is None:
            sys.exit(f"A patch has no line \"{name}: ...\":\n{head}")
        return match.group(1) if match else otherwise

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
        self.failed_tests = []  # of the last command, if that was ctest
        self.run(["cmake", "-S", self.source, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
                  "-DCMAKE_C_FLAGS_DEBUG=", "-DCMAKE_C_COMPILER=gcc", "-DOSCOMMIT_TESTS=ON"], check=True)
        listed = self.run(["ninja", "-C", self.build, "-t", "targets", "all"], check=True)
        programs = re.findall(r"^test/(unit_[a-z0-9_]+): C_EXECUTABLE_LINKER", listed, re.M)
        self.programs = {finder: self.program(listed, name) for finder, name in PROGRAMS.items() if finder in finders}
        self.targets = [f"test/{unit}" for unit in programs if re.search(unit_patterns, unit)]
        self.targets += self.programs.values()

    def build_programs(self):
        """The explorer and the simulator of the tree as it is, to know which mutants change them."""
        if self.programs and not self.make(self.programs.values()):
            sys.exit(f"The tree does not build; see {self.folder}/log")
        self.digests = {finder: self.digest(finder) for finder in self.programs}

    def digest(self, finder):
        return hashlib.sha256((self.build / self.programs[finder]).read_bytes()).digest()

    def is_changed(self, finder):
        return finder not in self.programs or self.digest(finder) != self.digests[finder]

    def program(self, listed, name):
        match = re.search(rf"^(\S*/{name}): C_EXECUTABLE_LINKER", listed, re.M)
        if match is None:
            sys.exit(f"The build has no program named {name}.")
        return match.group(1)

    def run(self, command, check=False, timeout=BUILD_TIMEOUT_S):
        """What it printed; None when it failed or took too long."""
        command = [str(part) for part in command]
        printed, status = self.run_alone(command, timeout)
        if printed is None:
            self.log.write(f"$ {' '.join(command)}\n(took longer than {timeout} s)\n")
            return None
        self.log.write(f"$ {' '.join(command)}\n{printed[-4000:]}\n")
        self.log.flush()
        self.failed_tests = re.findall(r"^\s*\d+ - (\S+) \(", printed, re.MULTILINE)
        if status == 0:
            return printed
        if check:
            sys.exit(f"{' '.join(command)} failed:\n{printed[-4000:]}")
        return None

    def run_alone(self, command, timeout):
        """What it printed (None when it took too long) and its status. No test that it has started goes on after it: a
        mutant's may hang, and would take a processor from all that follow."""
        with subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", start_new_session=True) as process:
            RUNNING.add(process.pid)
            try:
                return process.communicate(timeout=timeout)[0], process.returncode
            except subprocess.TimeoutExpired:
                return None, None
            finally:
                kill_group(process.pid)
                RUNNING.discard(process.pid)

    def make(self, targets):
        return self.run(["ninja", "-C", self.build, *targets]) is not None

    def targets_of(self, finder, pattern):
        """What must be built for it: linking the tests of everybody else takes longer than running its own."""
        if finder != "unit":
            return [self.programs[finder]]
        return [target for target in self.targets if re.search(f"^test/({pattern})", target)]

    def finds(self, finder, pattern, parallel=1):
        """Whether the finder notices something."""
        if finder == "unit":
            clean = self.run(["ctest", "--test-dir", self.build, "--no-tests=error", "--stop-on-failure",
                              "--parallel", parallel, "--label-regex", "^unit$", "--tests-regex", f"^({pattern})"],
                             timeout=FINDER_TIMEOUT_S)
        else:
            clean = self.run([self.build / self.programs[finder], "--quick"], timeout=FINDER_TIMEOUT_S)
        return clean is None

    def play(self, mutant, finders, whole_matrix):
        start = time.monotonic()
        self.log.write(f"\n==== {mutant.name}\n")
        if self.run(["patch", "-p1", "-d", self.source, "-i", mutant.path, "--no-backup-if-mismatch"]) is None:
            mutant.trouble = "the patch does not apply"
        elif "unit" in finders and not self.targets_of("unit", mutant.unit):
            mutant.trouble = "no unit test has such a name"
        else:
            for finder in finders:
                if not self.make(self.targets_of(finder, mutant.unit)):
                    mutant.trouble = "does not compile"
                    break
                self.failed_tests = []
                mutant.found[finder] = self.is_changed(finder) and self.finds(finder, mutant.unit)
                if mutant.found[finder]:
                    mutant.by += self.failed_tests or [finder]
                if mutant.found[finder] and not whole_matrix:
                    break
        self.restore(mutant)
        mutant.seconds = time.monotonic() - start

    def restore(self, mutant):
        for name in re.findall(r"^\+\+\+ b/(\S+)", mutant.path.read_text(), re.MULTILINE):
            shutil.copyfile(ROOT / name, self.source / name)  # with a new time, so that it is compiled again
        for leftover in self.source.rglob("*.rej"):
            leftover.unlink()


def refuse_patches_that_do_not_apply(mutants):
    """Of all mutants, whichever are played: a patch is out of date as soon as the code moves."""
    stale = [m.name for m in mutants
             if subprocess.run(["patch", "-p1", "-d", ROOT, "-i", m.path, "--dry-run", "--force", "--silent"],
                               stdout=subprocess.DEVNULL, check=False).returncode]
    if stale:
        sys.exit("These patches do not apply: " + ", ".join(stale))


def slice_of(text):
    """"1/3" -> (1, 3)"""
    match = re.fullmatch(r"(\d+)/(\d+)", text)
    if not match or int(match[1]) >= int(match[2]):
        raise argparse.ArgumentTypeError(f"{text} is no K/N with K from 0 to N - 1")
    return int(match[1]), int(match[2])


def regex(text):
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text} is no regular expression: {error}") from None


def word(mutant, finder):
    if mutant.trouble:
        return "-"
    return {True: "found", False: ".", None: ""}[mutant.found.get(finder)]


def print_matrix(mutants):
    width = max(len(m.name) for m in mutants)
    print(f"{'mutant':{width}}  {'class':5} {'unit':9} {'explorer':9} {'simulator':9}")
    for m in mutants:
        cells = " ".join(f"{word(m, finder):9}" for finder in FINDERS)
        print(f"{m.name:{width}}  {m.class_name:5} {cells} {m.trouble or ('' if m.killed else 'SURVIVED')}".rstrip())


def rules_without_mutant(mutants):
    """Rule ids of docs/rules.md, but of assumptions and modes, that no mutant takes out."""
    text = (ROOT / "docs" / "rules.md").read_text()
    rules = set(re.findall(r"^### ([VTRN]\d+)\.", text, re.MULTILINE))
    return sorted(rules - {m.rule for m in mutants} - set(WITHOUT_MUTANT), key=lambda r: (r[0], int(r[1:])))


def refuse_small_classes(everything):
    for name, (what, least) in CLASSES.items():
        count = sum(m.class_name == name for m in everything)
        if count < least:
            sys.exit(f"The class {name} ({what}) has {count} mutants, and must have {least} or more.")


def print_classes(mutants):
    for name, (what, _) in CLASSES.items():
        of_class = [m for m in mutants if m.class_name == name]
        if of_class:
            print(f"class {name}, {what}: {sum(m.killed for m in of_class)} of {len(of_class)} mutants killed")


def play_all(mutants, arguments):
    patterns = "|".join(sorted({m.unit for m in mutants}))
    trees = queue.Queue()
    for index in range(arguments.jobs):
        tree = Tree(arguments.out / f"tree-{index}", f"^({patterns})", arguments.finders)
        tree.build_programs()
        if index == 0:
            if not tree.make(tree.targets):
                sys.exit(f"The tree does not build; see {tree.folder}/log")
            for finder in arguments.finders:
                if tree.finds(finder, patterns, os.cpu_count() * UNITS_PER_PROCESSOR):
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
        print(f"{state:9} {mutant.seconds:5.0f} s  {mutant.name}  {' '.join(mutant.by)}".rstrip(), flush=True)

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(one, mutants))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / "mutants")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--matrix", action="store_true")
    parser.add_argument("--only", type=regex, default="", metavar="REGEX")
    parser.add_argument("--class", dest="class_name", choices=list(CLASSES))
    parser.add_argument("--slice", type=slice_of, default=(0, 1), metavar="K/N")
    parser.add_argument("--finders", type=lambda text: text.split(","), default=list(FINDERS))
    parser.add_argument("--summary", type=pathlib.Path)
    arguments = parser.parse_args()
    if not set(arguments.finders) <= set(FINDERS):
        parser.error(f"The finders are {', '.join(FINDERS)}.")
    arguments.out = arguments.out.resolve()
    everything = [Mutant(path) for path in sorted(PATCHES.glob("*.patch"))]
    refuse_small_classes(everything)
    refuse_patches_that_do_not_apply(everything)
    mutants = [m for m in everything
               if arguments.only.search(m.name) and arguments.class_name in (None, m.class_name)]
    first, step = arguments.slice
    mutants = mutants[first::step]
    if not mutants:
        sys.exit("There is no such mutant.")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end_all)
    play_all(mutants, arguments)
    print()
    print_matrix(mutants)
    missing = rules_without_mutant(everything)
    killed = sum(m.killed for m in mutants)
    for rule, why in WITHOUT_MUTANT.items():
        print(f"{rule}: no mutant, {why}")
    for rule in missing:
        print(f"{rule}: NO MUTANT takes this rule out")
    print_classes(mutants)
    print(f"{killed} of {len(mutants)} mutants killed")
    if arguments.summary:
        arguments.summary.write_text(f"{killed} {len(mutants)}\n")
    return 0 if killed == len(mutants) and not missing else 1


if __name__ == "__main__":
    sys.exit(main())
