# SPDX-License-Identifier: Apache-2.0
"""What holders of leases print, as a history that `oscommit check` judges; and whether enough happened in it.

A line is one JSON object. Its `event` is one of the words of lab/history/lease_judge.h, which says what each means and
which fields it has: there the word's name is `lease`.
"""

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass, field

from oscommit_testing import CONFLICT, DONE, tool


class NoHistory(Exception):
    """What was given is no history: nothing can be said of it."""


@dataclass
class Event:
    kind: str
    who: str
    key: str | None = None
    at_us: int | None = None
    until_us: int | None = None

    @property
    def began(self):
        """A belief, and not an answer that came when it was over."""
        return self.kind == "held" and (self.until_us is None or self.until_us > self.at_us)


@dataclass
class Judgement:
    faults: list = field(default_factory=list)
    missing: list = field(default_factory=list)
    beliefs: int = 0
    keys: int = 0
    changes: dict = field(default_factory=dict)  # by the name of who took over
    crossings: dict = field(default_factory=dict)  # the same, where it was from another side

    @property
    def exact(self):
        return not self.faults and not self.missing


def read_events(lines):
    events = []
    for line in lines:
        found = json.loads(line)
        events.append(Event(found["event"], *(found.get(name) for name in ("who", "key", "at_us", "until_us"))))
    return events


def check(files):
    """What `oscommit check` says of the lines of all files."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as history:
        print('{"oscommit_history":1}', file=history)
        for line in (line for lines in files for line in lines):
            found = json.loads(line)
            print(json.dumps({"lease": found.pop("event"), **found}), file=history)
        history.flush()
        ran = subprocess.run([tool(), "check", "--json", history.name], capture_output=True, text=True, check=False,
                             env={"PATH": os.environ.get("PATH", "")})
    if ran.returncode not in (DONE, CONFLICT):
        raise NoHistory(ran.stdout + ran.stderr)
    return json.loads(ran.stdout)


def side_of(who, sides):
    return next((side for side in sides if who.startswith(side)), None)


def count(counts, what):
    counts[what] = counts.get(what, 0) + 1


def count_changes(events, sides, judgement):
    for key in {event.key for event in events if event.began}:
        taken = sorted((event for event in events if event.began and event.key == key), key=lambda event: event.at_us)
        for before, after in zip(taken, taken[1:]):
            if after.who != before.who:
                count(judgement.changes, after.who)
                if side_of(after.who, sides) != side_of(before.who, sides):
                    count(judgement.crossings, after.who)


def judge(files, changes, sides=()):
    """The lines of each file; how often the holder must have changed; what the names of each side begin with, of which
    each must have taken a lease: where there are several, from another one."""
    checked = check(files)
    judgement = Judgement(beliefs=checked.get("acquired", 0), keys=checked.get("leases", 0))
    judgement.faults = [finding["message"] for finding in checked["findings"]]
    count_changes([event for lines in files for event in read_events(lines)], sides, judgement)
    happened = sum(judgement.changes.values())
    if happened < changes:
        judgement.missing.append(f"{happened} changes of holder, not {changes}")
    counted = judgement.crossings if len(sides) > 1 else judgement.changes
    for side in sides:
        if not any(side_of(who, sides) == side for who in counted):
            judgement.missing.append(f"{side} never took a lease" + (" from another side" if len(sides) > 1 else ""))
    return judgement


def describe(judgement):
    word = "exact" if judgement.exact else "not exact" if judgement.faults else "too little happened"
    changes = ", ".join(f"{who} {number}" for who, number in sorted(judgement.changes.items()))
    lines = [
        f"{word}: {judgement.beliefs} beliefs of {judgement.keys} keys, "
        f"{sum(judgement.changes.values())} changes of holder ({changes}), "
        f"{sum(judgement.crossings.values())} from one side to another"
    ]
    return "\n".join(lines + judgement.missing + judgement.faults)
