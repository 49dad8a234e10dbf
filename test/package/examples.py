# SPDX-License-Identifier: Apache-2.0
"""Runs the Python examples of a document, one after the other, as a reader would; but those that import what only a
developer has. usage: examples.py DOCUMENT"""

import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    document = file.read()
examples = [text for text in re.findall(r"^```python\n(.*?)^```", document, re.M | re.S) if "import fsspec" not in text]
assert len(examples) >= 6, len(examples)
names = {}
for example in examples:
    exec(compile(example, sys.argv[1], "exec"), names)
for opened in ("store", "leases", "locks"):
    names[opened].close()
print(f"{len(examples)} examples")
