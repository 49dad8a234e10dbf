#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the tests of a configured build need: how many there are, how many need servers, and what must be built.

  needs_of_tests.py BUILD REGEX EXCLUDED-LABELS     prints three lines: TESTS SERVERS, their names, the targets of ninja
"""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

SELF_CONTAINED = {"unit", "fuzz", "check", "model", "sim", "torture"}  # they start no program but those that they name
LOADED = "oscommit-sigv2"  # by the tool and the library, where Signature V2 is asked for


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def commands_of(build):
    """From the files that ctest reads: it says no command of a program that is not built yet."""
    for path in pathlib.Path(build).rglob("CTestTestfile.cmake"):
        for name, command in re.findall(r"^add_test\(\[=\[(.*?)\]=\] (.*)\)$", path.read_text(), re.MULTILINE):
            yield name, shlex.split(command)


def tests_of(build, regex, excluded):
    commands = dict(commands_of(build))
    listed = json.loads(output_of("ctest", "--test-dir", build, "--show-only=json-v1", "--tests-regex", regex,
                                  "--label-exclude", excluded))
    for test in listed["tests"]:
        properties = {entry["name"]: entry["value"] for entry in test["properties"]}
        yield test["name"], commands[test["name"]], properties


def targets_of(build, outputs, command, properties):
    """Its program, what it is given as arguments, and as variables where it starts the tool and others."""
    paths = list(command)
    if not SELF_CONTAINED.intersection(properties.get("LABELS", [])):
        paths += [variable.split("=", 1)[1] for variable in properties.get("ENVIRONMENT", [])]
        yield from {LOADED} & outputs
    for path in paths:
        target = os.path.relpath(path, build) if path.startswith(build) else None
        if target == ".":
            yield "all"
        elif target in outputs:
            yield target


def main():
    build, regex, excluded = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3]
    outputs = {line.rpartition(":")[0] for line in output_of("ninja", "-C", build, "-t", "targets", "all").splitlines()}
    tests = list(tests_of(build, regex, excluded))
    targets = {target for test in tests for target in targets_of(build, outputs, *test[1:])}
    print(len(tests), sum("servers" in properties.get("LABELS", []) for _, _, properties in tests))
    print(*(name for name, _, _ in tests))
    print(*sorted(targets))


if __name__ == "__main__":
    main()
