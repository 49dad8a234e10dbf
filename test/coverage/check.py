#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the branch coverage that gcovr measured against what is asked of each file.

usage: check.py GCOVR.json ROOT

What decides (WHOLE): every branch. Parsers (parsers.txt): 95 % of the branches of each file. A line with a branch that
is not taken must stand in uncovered.txt, with the reason, and counts as covered in WHOLE alone. An entry whose line is
not there any more is a failure too; so is one of WHOLE that is covered. In a parser that is only printed: which
failures of memory torture meets depends on the threads.

jansson's macros have branches that nobody can take. A loop asks for an element where there must be one: that branch is
left out. json_is_string(value) asks for NULL first, and where there can be none uncovered.txt says so, with a reason that
begins with "the macro": one branch for each macro in that line is left out, and any other of the line still counts.
"""
import json
import pathlib
import re
import sys

WHOLE = ("src/commit", "src/transaction", "src/document")
PARSER_PERCENT = 95.0
LOOP = re.compile(r"^json_(array|object)_foreach\(")
MACRO = re.compile(r"json_is_(\w+)\(")
ASKS_TWICE = ("boolean", "number")  # each is one of two others


def read_entries(path):
    """FILE: TEXT OF THE LINE -- REASON"""
    entries = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        place, separator, reason = line.rpartition(" -- ")
        name, colon, text = place.partition(": ")
        if not separator or not colon or not reason.strip():
            sys.exit(f"{path}:{number}: not FILE: TEXT OF THE LINE -- REASON")
        entries[(name, text.strip())] = (number, reason.strip())
    return entries


def read_parsers(path, root):
    """The files. Each has a fuzz target, which there is."""
    parsers = set()
    for line in path.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        name, *targets = line.split()
        parsers.add(name)
        if not targets or not all((root / "fuzz" / f"{target}_fuzz.c").is_file() for target in targets):
            sys.exit(f"{path}: {name}: no fuzz target, or one that is not there")
    return parsers


def of_macros(text):
    """How many branches of the line ask a value for NULL."""
    return sum(2 if name in ASKS_TWICE else 1 for name in MACRO.findall(text))


class File:
    def __init__(self, root, measured):
        self.name = measured["file"]
        source = (root / self.name).read_text().splitlines()
        self.taken = self.total = 0
        self.missing = []  # (line number, text, branches not taken)
        for line in measured["lines"]:
            if line.get("gcovr/noncode"):
                continue
            counts = [branch["count"] for branch in line["branches"]]
            text = source[line["line_number"] - 1].strip()
            if LOOP.match(text) and 0 in counts:
                counts.remove(0)
            self.total += len(counts)
            self.taken += sum(count > 0 for count in counts)
            if 0 in counts:
                self.missing.append((line["line_number"], text, counts.count(0)))

    def percent(self, without=0):
        total = self.total - without
        return 100.0 * self.taken / total if total else 100.0


def check(file, entries, seen, whole):
    """The sentences of what is not as it must be."""
    complaints = []
    excused = impossible = 0
    for number, text, count in file.missing:
        key = (file.name, text)
        if key in entries:
            seen.add(key)
            excused += count
            if entries[key][1].startswith("the macro"):
                impossible += min(count, of_macros(text))
        else:
            complaints.append(f"{file.name}:{number}: {count} not taken, and not in uncovered.txt: {text}")
    if whole and file.taken + excused < file.total:
        complaints.append(f"{file.name}: {file.percent(excused):.1f} % of what can be taken, not 100")
    if not whole and file.percent(impossible) < PARSER_PERCENT:
        complaints.append(f"{file.name}: {file.percent(impossible):.1f} %, less than {PARSER_PERCENT:.0f}")
    return complaints


def whole_of(name):
    """The folder of WHOLE that the file is in; None: it is in none."""
    return next((folder for folder in WHOLE if name.startswith(folder + "/")), None)


def is_there(root, key):
    path = root / key[0]
    return path.is_file() and any(line.strip() == key[1] for line in path.read_text().splitlines())


def main():
    here = pathlib.Path(__file__).parent
    measured = json.loads(pathlib.Path(sys.argv[1]).read_text())
    root = pathlib.Path(sys.argv[2])
    entries = read_entries(here / "uncovered.txt")
    parsers = read_parsers(here / "parsers.txt", root)
    seen = set()
    complaints = []
    taken = dict.fromkeys((*WHOLE, "parsers"), 0)
    total = dict(taken)
    files = {entry["file"]: entry for entry in measured["files"]}
    complaints += [f"{name}: nothing was measured" for name in sorted(parsers - files.keys())]
    for name in sorted(files):
        whole = whole_of(name)
        if whole is None and name not in parsers:
            continue
        file = File(root, files[name])
        complaints += check(file, entries, seen, whole is not None)
        print(f"{file.percent():6.1f} %  {file.taken:4} of {file.total:4}  {name}")
        taken[whole or "parsers"] += file.taken
        total[whole or "parsers"] += file.total
    for key, (number, _) in entries.items():
        sentence = f"uncovered.txt:{number}: covered, or not there: {key[0]}: {key[1]}"
        if key not in seen and (whole_of(key[0]) is not None or not is_there(root, key)):
            complaints.append(sentence)
        elif key not in seen:
            print(sentence)
    print("; ".join(f"{part}: {taken[part]} of {total[part]}" for part in total), "branches")
    print("\n".join(complaints))
    if 0 in total.values() or complaints:
        sys.exit(1)


if __name__ == "__main__":
    main()
