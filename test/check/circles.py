#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No two files of src, tool and lab need each other, and no two folders, directly or by way of others.

A file needs another when its object uses a symbol that the other's defines. What a reader has to understand together
is then never more than one file and those below it. Pointers to functions are no need: who calls through one does not
know whom. usage: circles.py OBJECT...
"""
import collections
import os
import re
import subprocess
import sys


def name_of(path):
    """folder/file of the source, without its ending."""
    match = re.search(r"oscommit_([^/]+)\.dir/(.+?)(\.c)?\.o$", os.path.normpath(path))
    if match is None:
        sys.exit(f"circles: {path} is not an object of a part (oscommit_FOLDER.dir/...)")
    folder, file = match.group(1), match.group(2)
    return file if file.startswith(folder + "/") else f"{folder}/{file}"


def folder_of(name):
    return name.split("/", 1)[0]


def symbols_of(path):
    """What it defines, and what it only uses."""
    listed = subprocess.run(["nm", "-P", "-g", path], check=True, capture_output=True, text=True).stdout
    defined, used = set(), set()
    for line in listed.splitlines():
        symbol, kind = line.split()[:2]
        (used if kind in "Uwv" else defined).add(symbol)
    return defined, used


def read_objects(paths):
    """{(from, to): symbols} between files."""
    symbols = {name_of(path): symbols_of(path) for path in paths}
    if not any(defined for defined, _ in symbols.values()):
        sys.exit("circles: there was nothing to look at")
    definer = {symbol: name for name, (defined, _) in symbols.items() for symbol in defined}
    uses = collections.defaultdict(set)
    for name, (_, used) in symbols.items():
        for symbol in used & definer.keys():
            uses[name, definer[symbol]].add(symbol)
    return symbols.keys(), uses


def reachable(start, needs):
    found, open_ = set(), [start]
    while open_:
        for name in needs[open_.pop()] - found:
            found.add(name)
            open_.append(name)
    return found


def circles(names, edges):
    """The sets of names in which each needs every other."""
    needs = collections.defaultdict(set)
    for user, used in edges:
        needs[user].add(used)
    below = {name: reachable(name, needs) for name in names}
    found = {frozenset(other for other in below[name] if name in below[other]) for name in names}
    return sorted(sorted(circle) for circle in found if len(circle) > 1)


def describe(what, circle, edges):
    print(f"a circle of {len(circle)} {what}: {' '.join(circle)}")
    for (user, used), symbols in sorted(edges.items()):
        if user in circle and used in circle:
            print(f"    {user} needs {', '.join(sorted(symbols))} of {used}")


def main(paths):
    files, uses = read_objects(paths)
    wrong = circles(files, uses)
    for circle in wrong:
        describe("files", circle, uses)
    between = {}
    for (user, used), symbols in uses.items():
        if folder_of(user) != folder_of(used):
            between.setdefault((folder_of(user), folder_of(used)), set()).update(symbols)
    folders = {folder_of(file) for file in files}
    wrong_folders = circles(folders, between)
    for circle in wrong_folders:
        describe("folders", circle, between)
    if wrong or wrong_folders:
        sys.exit(f"circles: {len(wrong) + len(wrong_folders)} violations")
    print(f"circles: {len(files)} files in {len(folders)} folders, no violation")


if __name__ == "__main__":
    main(sys.argv[1:])
