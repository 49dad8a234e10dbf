# SPDX-License-Identifier: Apache-2.0
"""The examples of two documents run, one after the other, as they stand there but for their paths.

Runs: docs/python.md
Runs: docs/iceberg.md"""

import os
import re
import subprocess
import sys
import uuid

import oscommit
from conftest import ROOT


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def examples_of(document):
    """(line, "python" or "sh", text) of each that is to run."""
    text = read("docs", document)
    for match in re.finditer(r"^```(python|sh)\n(.*?)^```", text, re.M | re.S):
        yield text.count("\n", 0, match.start()) + 1, match.group(1), match.group(2)


def run_python(document, folder, shown=()):
    """`shown`: what stands in the document, and what is run instead."""
    names = {}
    for line, kind, example in examples_of(document):
        for text, run in (("/tmp/", f"{folder}/"), *shown):
            example = example.replace(text, run)
        if kind == "python":
            exec(compile("\n" * line + example, f"docs/{document}", "exec"), names)
        elif document != "python.md":  # whose shell lines install it
            path = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
            subprocess.run(["sh", "-ec", example], cwd=folder, env={**os.environ, "PATH": path}, check=True, timeout=120)
    return names


def test_the_examples_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert [kind for _, kind, _ in examples_of("python.md")].count("python") >= 7
    names = run_python("python.md", tmp_path)
    for opened in ("store", "client", "lake", "leases", "locks"):
        names[opened].close()


def test_the_example_of_the_readme_is_that_of_the_examples():
    assert f"```python\n{read('examples', 'publish.py')}```" in read("README.md")


def test_the_example_of_the_readme_publishes_once(place):
    environment = place.environment()
    command = [sys.executable, os.path.join(ROOT, "examples", "publish.py"), place.url]
    first, second = (subprocess.run(command, env=environment, capture_output=True, text=True) for _ in range(2))
    assert (first.returncode, first.stdout[:10], first.stderr) == (0, "committed ", "")
    assert (second.returncode, second.stdout, second.stderr[:9]) == (3, "", "conflict ")


def served_by(place):
    """What stands in the documents of the servers and their keys, and what there is here."""
    options = place.options
    return (
        ("http://localhost:9000", options["s3_endpoint"]),
        ("http://localhost:8000", options["dynamodb_endpoint"]),
        ("dynamodb://commits", f"{options['ledger']}-{uuid.uuid4().hex}"),  # the example makes it
        ("s3://bucket/lake", place.url),
        ('access-key-id": "minioadmin"', f'access-key-id": "{options["access_key_id"]}"'),
        ('secret-access-key": "minioadmin"', f'secret-access-key": "{options["secret_access_key"]}"'),
    )


def test_the_examples_of_iceberg_run(tmp_path, monkeypatch, minio):
    monkeypatch.chdir(tmp_path)
    kinds = [kind for _, kind, _ in examples_of("iceberg.md")]
    assert kinds.count("python") >= 5 and kinds.count("sh") >= 2
    names = run_python("iceberg.md", tmp_path, served_by(minio))
    assert names["table"].scan().to_arrow().num_rows == 2  # what the shell went back to, and what was then registered
    names["catalog"].close()


def test_every_exception_is_described():
    text = read("docs", "python.md")
    for name, kind in vars(oscommit.exceptions).items():
        if isinstance(kind, type) and issubclass(kind, oscommit.BaseError):
            described = {"ConflictError": "conflict", "UnknownConfigurationKeyError": "ConfigurationError"}
            described["NotModifiedError"] = "if_none_match"
            assert described.get(name, name) in text, name
