# SPDX-License-Identifier: Apache-2.0
"""What a sentence says of a name that is not known, and of a package that is not installed."""

from __future__ import annotations

import difflib
import importlib.util
from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """' Did you mean "ledger"?', or nothing. A name within a known one is near, too: "endpoint" is in "s3_endpoint"."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    near = near or [other for other in names if len(name) >= 4 and (name in other or other in name)]
    return f' Did you mean "{near[0]}"?' if near else ""


def need(module: str, package: str) -> None:
    """ImportError with a sentence where a package that only a part of this one needs is not there."""
    if importlib.util.find_spec(module) is None:
        raise ModuleNotFoundError(
            f"This part of oscommit needs the package {package}, which is not installed: "
            f'python3 -m pip install "{package}". The rest of oscommit works without it.',
            name=module,
        )
