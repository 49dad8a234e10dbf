# SPDX-License-Identifier: Apache-2.0
"""How Lance names the manifest of a version (its second scheme): the newest comes first in a list."""

from __future__ import annotations

import re

FOLDER = "_versions"
_LARGEST = 2**64 - 1
_NAME = re.compile(r"([0-9]{20})\.manifest")


def manifest_name(version: int) -> str:
    return f"{_LARGEST - version:020}.manifest"


def version_of_name(name: str) -> int | None:
    """None: it is the name of something else, such as a staged manifest."""
    match = _NAME.fullmatch(name)
    return _LARGEST - int(match.group(1)) if match else None
