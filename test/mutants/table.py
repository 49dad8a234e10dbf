#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/mutants.md from the heads of the patches: which rule is in which files, and which mutant takes it out.

  table.py [--root DIR]           writes it
  table.py [--root DIR] --check   says whether it is out of date; and which test, configuration or mutant that
                                  docs/counterexamples.md names is not there; ends with 1 if there is anything to say
"""
import argparse
import pathlib
import re
import sys

from run import ROOT, Mutant

HEAD = """# Mutants

Each mutant is a small patch that takes one rule out of the code. `test/mutants/run.py` applies one at a time, and a test must notice.
This page is written by `test/mutants/table.py` from the heads of the patches: do not edit it. What is lost without a rule is in
[counterexamples.md](counterexamples.md).

## Where each rule is

The files that the mutants of a rule change.

| rule | | files | mutants |
|---|---|---|---|
"""


def order(rule):
    return "VTRNELXOQW".find(rule[0]), int(rule[1:])


def titles(docs):
    texts = [docs / name for name in ("rules.md", "transactions.md", "catalog.md", "models.md", "documents.md") if (docs / name).is_file()]
    return dict(pair for text in texts for pair in re.findall(r"^### ([A-Z]\d+)\. (.+)$", text.read_text(), re.MULTILINE))


def files_of(mutant):
    return sorted(set(re.findall(r"^\+\+\+ b/(\S+)", mutant.path.read_text(), re.MULTILINE)))


def cell(text):
    return text.replace("|", "\\|")


def code(names):
    return ", ".join(f"`{name}`" for name in names)


def page(mutants, names):
    rules = sorted({mutant.rule for mutant in mutants}, key=order)
    lines = []
    for rule in rules:
        of_rule = [mutant for mutant in mutants if mutant.rule == rule]
        files = sorted({name for mutant in of_rule for name in files_of(mutant)})
        lines.append(f"| [{rule}](#{rule.lower()}) | {names.get(rule, '')} | {code(files)} | {len(of_rule)} |")
    for rule in rules:
        lines += ["", f"## {rule}", "", "| mutant | what is taken out | noticed by |", "|---|---|---|"]
        lines += [f"| `{m.name}` | {cell(m.what)} | {code(m.unit.split('|'))} |" for m in mutants if m.rule == rule]
    return HEAD + "\n".join(lines) + "\n"


def missing_names(root, mutants):
    """What counterexamples.md names and nobody has."""
    folder = root / "test"
    patches = {mutant.name for mutant in mutants}
    sources = [path for path in folder.rglob("*") if path.suffix in (".c", ".py", ".sh") and path.parent.name != "mutants"]
    words = set().union(*(re.findall(r"[A-Za-z0-9_]+(?:-[a-z0-9]+)*", path.read_text()) for path in sources))
    words |= {path.name for path in sources}
    for line in (root / "docs" / "counterexamples.md").read_text().splitlines():
        known = patches if line.startswith("* mutants: ") else words
        if line.startswith(("* mutants: ", "* tests: ")):
            yield from (name for name in re.findall(r"`([^`]+)`", line) if name not in known)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    docs = arguments.root / "docs"
    patches = sorted((arguments.root / "test" / "mutants" / "patches").rglob("*.patch"))
    mutants = [Mutant(path) for path in patches]
    text = page(mutants, titles(docs))
    target = docs / "mutants.md"
    if not arguments.check:
        target.write_text(text)
        return 0
    wrong = [f"docs/counterexamples.md names {name}, which is nowhere" for name in missing_names(arguments.root, mutants)]
    if not target.is_file() or target.read_text() != text:
        wrong.append("docs/mutants.md is out of date: run test/mutants/table.py")
    print(*wrong, f"{len(mutants)} mutants", sep="\n")
    return 1 if wrong or not mutants else 0


if __name__ == "__main__":
    sys.exit(main())
