# SPDX-License-Identifier: Apache-2.0
"""The catalog of the examples in Python, beside that in C: processes of both race on one catalog, and are killed."""

import json
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


@pytest.fixture(params=["embedded", "minio"])
def catalog(request):
    """(URL of the store, environment): there is no catalog yet."""
    place = request.getfixturevalue(request.param)
    environment = place.environment()
    if request.param == "embedded":
        oscommit.init(place.url[len("file://") :])
        return place.url, environment
    for table in ("Catalog", "CatalogIntents"):
        delete_table(place.options["dynamodb_endpoint"], table)
    return place.url, {**environment, "CATALOG_STRIDE": "12"}


def delete_table(endpoint, name):
    from oscommit_testing import signed_request

    headers = {"Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": "DynamoDB_20120810.DeleteTable"}
    signed_request(endpoint, "dynamodb", "POST", "/", json.dumps({"TableName": name}).encode(), headers)


def test_writers_of_both_languages_race(tmp_path, in_c, catalog):
    """Those with odd numbers are in Python, and so are the gcs: a writer and a gc are killed after each of their requests."""
    both = program(
        tmp_path / "both",
        f'case "$2 $3" in commit*[13579] | gc*) exec {PYTHON} "$@" ;; *) exec "{in_c}" "$@" ;; esac',
    )
    tool = program(tmp_path / "oscommit", f'exec "{sys.executable}" -m oscommit "$@"')
    url, environment = catalog

    def run(*command):
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
        return done.stdout

    run("bash", os.path.join(ROOT, "test", "package", "catalog_test.sh"), tool, both, url)
    log = run(in_c, url, "log")
    assert run("bash", "-c", f'{PYTHON} "$0" log', url) == log and len(log.splitlines()) > 100
