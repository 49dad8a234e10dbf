#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The judge of leases: at no instant did two holders believe that they hold one key.

    lease_judge.py --changes N [--side NAME]... FILE...

Each FILE has the lines of one process of a fleet, or of the test that drives it. A line is one JSON object; every
instant is CLOCK_MONOTONIC of one machine, in microseconds, and `key` and `who` are texts:

    held      who key at_us [until_us] [token]   from now on it believes that it holds the key, until `until_us`
    until     who key until_us [at_us]           its belief ends then, and no longer when it said before
    lost      who [key] at_us                    it was told, or has seen, that it is over; no key: every one
    released  who [key] at_us                    said before it begins to release
    killed    who at_us                          by the test, once the process is gone
    paused    who at_us                          by the test, once the process stands still
    resumed   who at_us                          by the test, before the process goes on

A belief lasts from `held` to the first of `released`, `lost`, `killed` and the last `until_us`; without any of them,
for ever. A pause ends no belief: whoever goes on after one has the belief still, until it looks. A name is of one
process.

Not exact (exit status 1), each with the lines that show it: two beliefs of a key that overlap; a token that is not
greater than every earlier one of its key; a belief that is extended after its end. Nor is a history in which too little
happened: fewer than N changes of holder, or a side (whose names begin with NAME) without any; where several sides are
named, only what a side took from another one counts for it. Exit status 2: the files are no such history.
"""

import argparse
import json
import math
import sys
from dataclasses import dataclass, field

FIELDS = {
    "held": {"key", "at_us"},
    "until": {"key", "until_us"},
    "lost": {"at_us"},
    "released": {"at_us"},
    "killed": {"at_us"},
    "paused": {"at_us"},
    "resumed": {"at_us"},
}


class NoHistory(Exception):
    """What was given is no history: nothing can be said of it."""


@dataclass
class Event:
    place: str
    text: str
    kind: str
    who: str
    key: str | None = None
    at_us: int | None = None
    until_us: int | None = None
    token: int | None = None

    def __str__(self):
        return f"{self.place}: {self.text}"


@dataclass
class Belief:
    held: Event
    until: Event | None = None
    end: Event | None = None

    @property
    def start_us(self):
        return self.held.at_us

    @property
    def end_us(self):
        """The first of what ends it."""
        return min(
            self.end.at_us if self.end else math.inf,
            self.until.until_us if self.until else math.inf,
        )

    def lines(self):
        """The evidence: how it began, and what ended it."""
        shown = [self.held]
        if self.end and self.end.at_us == self.end_us:
            shown.append(self.end)
        elif self.until and self.until is not self.held:
            shown.append(self.until)
        return [str(event) for event in shown] + (["it never ended"] if self.end_us == math.inf else [])


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


# ------------------------------------------------------------------------------------------------------------- reading


def read_event(place, text):
    try:
        found = json.loads(text)
        kind, who = found.pop("event"), found.pop("who")
        needed = FIELDS[kind]
    except (ValueError, KeyError, AttributeError, TypeError):
        raise NoHistory(f"{place}: no event: {text}") from None
    event = Event(place, text, kind, who)
    for name in ("key", "at_us", "until_us", "token"):
        value = found.get(name)
        right = str if name == "key" else int
        if (value is None and name in needed) or (value is not None and type(value) is not right):
            raise NoHistory(f"{place}: {name} is missing or of another kind: {text}")
        setattr(event, name, value)
    if not isinstance(who, str):
        raise NoHistory(f"{place}: who is a text: {text}")
    return event


def read_events(name, lines):
    return [read_event(f"{name}:{number}", line.strip()) for number, line in enumerate(lines, 1)]


# ------------------------------------------------------------------------------------------------------------- judging


class History:
    """The beliefs and the pauses of each name, and the extensions that no belief was there for."""

    def __init__(self, files):
        self.beliefs, self.pauses, self.faults = [], {}, []
        self._last, self._killed = {}, {}  # (who, key): its last belief; who: when it was killed
        for events in files:
            self._check_time(events)
            for event in events:
                getattr(self, "_on_" + event.kind)(event)
        for belief in self.beliefs:
            self._cut(belief)

    @staticmethod
    def _check_time(events):
        last = {}
        for event in events:
            before = last.get(event.who)
            if event.at_us is not None:
                if before is not None and event.at_us < before.at_us:
                    raise NoHistory(f"the time goes back\n    {before}\n    {event}")
                last[event.who] = event

    def _cut(self, belief):
        killed = self._killed.get(belief.held.who)
        if killed is None:
            return
        for event in filter(None, (belief.held, belief.end)):
            if killed.at_us < event.at_us:
                raise NoHistory(f"it was killed before\n    {killed}\n    {event}")
        belief.end = belief.end or killed

    def _on_held(self, event):
        belief = Belief(event, until=event if event.until_us is not None else None)
        self.beliefs.append(belief)
        self._last[event.who, event.key] = belief

    def _on_until(self, event):
        belief = self._last.get((event.who, event.key))
        if belief is None:
            raise NoHistory(f"it never took that lease\n    {event}")
        if belief.end or (event.at_us is not None and event.at_us > belief.end_us):
            self.faults.append("\n    ".join(["a belief is extended after its end", *belief.lines(), str(event)]))
        belief.until = event

    def _on_lost(self, event):
        for (who, key), belief in self._last.items():
            if who == event.who and event.key in (None, key) and belief.end is None:
                belief.end = event

    _on_released = _on_lost

    def _on_killed(self, event):
        self._killed[event.who] = event

    def _on_paused(self, event):
        pauses = self.pauses.setdefault(event.who, [])
        if pauses and pauses[-1][1] is None:
            raise NoHistory(f"it stands still already\n    {pauses[-1][0]}\n    {event}")
        pauses.append((event, None))

    def _on_resumed(self, event):
        pauses = self.pauses.get(event.who)
        if not pauses or pauses[-1][1] is not None:
            raise NoHistory(f"it does not stand still\n    {event}")
        pauses[-1] = (pauses[-1][0], event)

    def pauses_in(self, who, from_us, to_us):
        """The lines of the pauses that reach into a time."""
        for paused, resumed in self.pauses.get(who, []):
            if paused.at_us < to_us and (resumed is None or resumed.at_us > from_us):
                yield from (str(event) for event in (paused, resumed) if event)


def overlaps(history, beliefs):
    """Every pair of the beliefs of one key, in the order of their begin, that overlap."""
    standing = []
    for belief in beliefs:
        standing = [other for other in standing if other.end_us > belief.start_us]
        for other in standing:
            to_us = min(belief.end_us, other.end_us)
            lines = [
                f"{belief.held.key}: {other.held.who} and {belief.held.who} both believe for "
                + ("ever" if to_us == math.inf else f"{(to_us - belief.start_us) / 1e6:.6f} s")
            ]
            for one in (other, belief):
                lines += one.lines() + list(history.pauses_in(one.held.who, one.start_us, one.end_us))
            yield "\n    ".join(lines)
        standing.append(belief)


def tokens_that_do_not_grow(beliefs):
    greatest = None
    for belief in beliefs:
        token = belief.held.token
        if token is None:
            continue
        if greatest is not None and token <= greatest.token:
            yield f"{belief.held.key}: the token does not grow\n    {greatest}\n    {belief.held}"
        else:
            greatest = belief.held


def side_of(who, sides):
    return next((side for side in sides if who.startswith(side)), None)


def count(counts, what):
    counts[what] = counts.get(what, 0) + 1


def judge(files, changes, sides=()):
    """files: the events of each file, as read_events() gives them."""
    history = History(files)
    judgement = Judgement(faults=list(history.faults))
    for key in sorted({belief.held.key for belief in history.beliefs}):
        of_key = sorted(
            (belief for belief in history.beliefs if belief.held.key == key), key=lambda belief: belief.start_us
        )
        judgement.faults += tokens_that_do_not_grow(of_key)
        # One that was over before it began was never a belief: the answer came too late.
        of_key = [belief for belief in of_key if belief.end_us > belief.start_us]
        judgement.faults += overlaps(history, of_key)
        judgement.beliefs += len(of_key)
        judgement.keys += 1
        for before, after in zip(of_key, of_key[1:]):
            who = after.held.who
            if who != before.held.who:
                count(judgement.changes, who)
                if side_of(who, sides) != side_of(before.held.who, sides):
                    count(judgement.crossings, who)
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


def main(arguments):
    parser = argparse.ArgumentParser(description="Judges whether leases excluded each other.")
    parser.add_argument("--changes", type=int, required=True, help="how often the holder must have changed")
    parser.add_argument("--side", action="append", default=[], help="what the names of one side begin with")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args(arguments)
    try:
        files = []
        for name in options.files:
            with open(name, encoding="utf-8") as lines:
                files.append(read_events(name, lines))
        judgement = judge(files, options.changes, options.side)
    except (OSError, UnicodeError, NoHistory) as error:
        print(f"no history: {error}", file=sys.stderr)
        return 2
    print(describe(judgement))
    return 0 if judgement.exact else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
