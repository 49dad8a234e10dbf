# SPDX-License-Identifier: Apache-2.0
"""Objects that become visible together with rows, or not at all. docs/catalog.md has the rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from oscommit import _oscommit
from oscommit.models import ask

_FATES = {1: "found", 2: "removed", 3: "spared", 4: "failed"}


class Intents:
    """A table of intents: before a transaction puts an object, a row here says that it will. One table may be for many buckets.
    `client.table(intents, create=True)` makes it."""

    def __init__(self, table: str) -> None:
        self._native = ask(_oscommit.stage_model, table)

    def _model(self) -> _oscommit.Model:
        return self._native


@dataclass(frozen=True)
class Garbage:
    """An object that was staged, and that a gc has looked at."""

    key: str
    fate: str
    """ "found" (a dry run: it would be removed), "removed", "spared" or "failed"."""
    since_s: int
    """When it was staged, by the clock of who did; epoch seconds."""
    reason: str
    """A sentence, or ""."""


@dataclass(frozen=True)
class Sweep:
    """What a gc has seen and done."""

    seen: int
    """Intents of this store, of any age."""
    found: int
    removed: int
    spared: int
    """Its transaction committed meanwhile, or another gc has removed it."""
    failed: int
    objects: Sequence[Garbage]


def sweep_of(native: _oscommit.Swept) -> Sweep:
    objects = [Garbage(key, _FATES[fate], since_s, reason) for fate, key, since_s, reason in native[5]]
    return Sweep(*native[:5], objects)
