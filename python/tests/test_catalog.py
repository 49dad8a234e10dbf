# SPDX-License-Identifier: Apache-2.0
"""The catalog of the examples in Python, beside that in C: processes of both race on one catalog, and are killed."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import oscommit
import pytest
from conftest import ROOT

PYTHON = f'"{sys.executable}" "{ROOT}/examples/catalog.py"'
PACKAGE = Path(oscommit.__file__).parent


def program(path, text):
    path.write_text(f"#!/bin/bash\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@pytest.fixture(scope="session")
def in_c(tmp_path_factory):
    """The example in C, with the library of the package."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no compiler for examples/catalog.c")
    path = tmp_path_factory.mktemp("catalog") / "catalog"
    (library,) = (PACKAGE / "_tool" / "lib").glob("liboscommit.so*")
    source = [os.path.join(ROOT, "examples", "catalog.c"), "-I", os.path.join(ROOT, "include")]
    linked = [str(library), f"-Wl,-rpath,{library.parent}", "-o", str(path)]
    subprocess.run([compiler, "-D_POSIX_C_SOURCE=200809L", *source, *linked], check=True)
    return str(path)


def test_writers_of_both_languages_race(tmp_path, in_c):
    """Those with odd numbers are in Python, and so are the gcs: a writer and a gc are killed after each of their requests."""
    both = program(
        tmp_path / "both",
        f'case "$2 $3" in commit*[13579] | gc*) exec {PYTHON} "$@" ;; *) exec "{in_c}" "$@" ;; esac',
    )
    tool = program(tmp_path / "oscommit", f'exec "{sys.executable}" -m oscommit "$@"')
    store = f"file://{tmp_path}/store"
    oscommit.init(f"{tmp_path}/store")
    race = [os.path.join(ROOT, "test", "package", "catalog_test.sh"), tool, both, store]
    done = subprocess.run(["bash", *race], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    in_python, c = (
        subprocess.run(["bash", "-c", f'{command} "$0" log', store], capture_output=True, text=True, check=True).stdout
        for command in (PYTHON, in_c)
    )
    assert in_python == c and len(c.splitlines()) > 100
