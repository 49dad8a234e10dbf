#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Carries the patches over a change of the code below them.

  rebase.py BASE [--only TEXT]

BASE is the commit that the patches were made for. Each patch is put on BASE, and that is merged with HEAD by git, in
three ways and with moved files found. What merges is written anew and then applies without fuzz. What does not is
named: such a patch must be made by hand. The lines on top of a patch stay. Nothing is committed.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATCHES = pathlib.Path(__file__).resolve().parent / "patches"


def git(*arguments, check=True, **options):
    done = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=False, **options)
    if check and done.returncode:
        sys.exit(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done


def commit_with_patch(base, patch, index):
    """A commit that is BASE with the patch, or None when that does not apply."""
    environment = {**os.environ, "GIT_INDEX_FILE": index}
    git("read-tree", base, env=environment)
    if git("apply", "--cached", "-C1", str(patch), check=False, env=environment).returncode:
        return None
    tree = git("write-tree", env=environment).stdout.strip()
    return git("commit-tree", tree, "-p", base, "-m", patch.stem).stdout.strip()


def rebased(base, patch, index):
    """The patch for HEAD; None and the reason when there is none."""
    mutant = commit_with_patch(base, patch, index)
    if mutant is None:
        return None, "does not apply to the base"
    merged = git("merge-tree", "--write-tree", "HEAD", mutant, check=False)
    if merged.returncode:
        return None, "meets a change of the same lines"
    diff = git("diff", "--no-color", "--no-renames", "HEAD", merged.stdout.split()[0]).stdout
    if not diff:
        return None, "changes nothing any more"
    lines = [line for line in diff.splitlines() if not line.startswith(("diff --git ", "index "))]
    return "\n".join(lines) + "\n", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    base = git("rev-parse", "--verify", f"{arguments.base}^{{commit}}").stdout.strip()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for patch in sorted(PATCHES.glob("*.patch")):
            if arguments.only not in patch.name:
                continue
            text = patch.read_text()
            diff, why = rebased(base, patch, os.path.join(folder, "index"))
            if diff is None:
                print(f"{patch.stem}: {why}")
                failed += 1
            else:
                patch.write_text(text.split("\n--- ", 1)[0] + "\n" + diff)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
