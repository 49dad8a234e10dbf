# SPDX-License-Identifier: Apache-2.0
"""The examples of docs/python.md run, one after the other, as they stand there but for their paths.

Runs: docs/python.md"""

import os
import re

import oscommit
from conftest import ROOT


def test_the_examples_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with open(os.path.join(ROOT, "docs", "python.md"), encoding="utf-8") as file:
        text = file.read()
    examples = [(match.start(), match.group(1)) for match in re.finditer(r"^```python\n(.*?)^```", text, re.M | re.S)]
    assert len(examples) >= 7
    names = {}
    for start, example in examples:
        line = text.count("\n", 0, start) + 1
        code = "\n" * line + example.replace("/tmp/", f"{tmp_path}/")
        exec(compile(code, "docs/python.md", "exec"), names)
    for opened in ("store", "leases", "locks"):
        names[opened].close()


def test_every_exception_is_described():
    with open(os.path.join(ROOT, "docs", "python.md"), encoding="utf-8") as file:
        text = file.read()
    for name, kind in vars(oscommit.exceptions).items():
        if isinstance(kind, type) and issubclass(kind, oscommit.BaseError):
            described = {"ConflictError": "conflict", "UnknownConfigurationKeyError": "ConfigurationError"}
            described["NotModifiedError"] = "if_none_match"
            assert described.get(name, name) in text, name
