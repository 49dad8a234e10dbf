#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each sentence of the tables in docs/ whose columns are what is said, what does it, and its tests, has a test that is there;
or its second column says why nothing does it ("none: ..."). What does it is there as well.

A test is a case, or a program; a case that stands behind a program is one of that program.

  sentences.py ROOT
"""
import pathlib
import re
import sys

HEADS = {"test", "tests"}
KINDS = (".c", ".h", ".py")
CASE = re.compile(r"^(?:TEST|SUITE)\w*\(([^)]*)\)", re.MULTILINE)
CHECKED_ROW = re.compile(r'^\s*\{"[^"]*",\s*(\w+)\},?$', re.MULTILINE)
PYTHON_CASE = re.compile(r"^\s+(?:async )?def (test_\w+)", re.MULTILINE)
INCLUDED = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def cases_of(path):
    text = path.read_text()
    names = set(PYTHON_CASE.findall(text)) if path.suffix == ".py" else set(CHECKED_ROW.findall(text))
    return names.union(*(re.findall(r"\w+", arguments) for arguments in CASE.findall(text)))


def with_included(folder, path, seen):
    """A test and what of test/ it includes."""
    if path in seen or not path.is_file():
        return
    seen.add(path)
    for name in INCLUDED.findall(path.read_text()):
        for place in (folder / name, path.parent / name):
            with_included(folder, place, seen)


def programs_of(folder):
    """Each program that is made of a file of its own, and that file."""
    programs = {}
    for path in folder.rglob("*_test.*"):
        parts = path.relative_to(folder).parts
        if path.suffix in KINDS and parts[0] in ("unit", "integration", "interop"):
            programs["_".join((*parts[:-1], path.stem.removesuffix("_test")))] = path
    return programs


def words_of(root):
    """What the code has names for."""
    folders = (root / name for name in ("include", "src"))
    sources = (path for folder in folders for path in folder.rglob("*.[ch]"))
    return set().union(*(re.findall(r"\w+", path.read_text()) for path in sources))


class Tests:
    def __init__(self, root):
        self.folder = root / "test"
        self.programs = programs_of(self.folder)
        sources = [path for path in self.folder.rglob("*") if path.suffix in KINDS]
        self.cases = set().union(*(cases_of(path) for path in sources))
        lists = self.folder.rglob("CMakeLists.txt")
        self.others = set().union(*(re.findall(r"NAME (\w+)", path.read_text()) for path in lists))

    def cases_in(self, program):
        files = set()
        with_included(self.folder, self.programs[program], files)
        return set().union(*(cases_of(path) for path in files))

    def faults(self, names):
        """What is wrong with the names of one cell."""
        program = None
        for name in names:
            if name in self.programs:
                program = name
            elif name in self.others:
                program = None
            elif name not in self.cases:
                yield f"names the test {name}, which is nowhere"
            elif program is not None and name not in self.cases_in(program):
                yield f"names the test {name}, which {program} does not have"


def rows_of(text):
    """The cells of each row of each table of three columns whose last is that of tests."""
    inside = False
    for line in text.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] if line.startswith("|") else []
        if not cells:
            inside = False
        elif not inside:
            inside = len(cells) == 3 and cells[2] in HEADS
        elif not set(cells[0]) <= set("-: "):
            yield cells


def main():
    root = pathlib.Path(sys.argv[1])
    tests = Tests(root)
    words = words_of(root)
    looked_at = 0
    wrong = []
    for document in sorted((root / "docs").glob("*.md")):
        for what, does, tested in rows_of(document.read_text()):
            looked_at += 1
            names = re.findall(r"`([^`]+)`", tested)
            wrong += [f"docs/{document.name}: \"{what[:60]}\" {fault}" for fault in tests.faults(names)]
            for name in re.findall(r"`(\w+(?:\.\w+)*)`", does):
                if not words.issuperset(name.split(".")):
                    wrong.append(f"docs/{document.name}: \"{what[:60]}\" names {name}, which the code does not have")
            if not names and not does.startswith("none: "):
                wrong.append(f"docs/{document.name}: \"{what[:60]}\" has no test, and no reason for that (none: ...)")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    if looked_at == 0:
        print("sentences: there was nothing to look at")
    elif wrong:
        print(f"sentences: {len(wrong)} violations")
    else:
        print(f"sentences: {looked_at} looked at, no violation")
    return 1 if wrong or looked_at == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
