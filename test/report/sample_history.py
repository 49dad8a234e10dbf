#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Histories as a race would write them, from a seed: writers that create, replace, copy and delete, pauses, kills,
network faults, takeovers, unknown outcomes that are settled later, and, if asked for, a violation.

usage: sample_history.py [--calls N] [--writers N] [--keys N] [--seed N] [--violation] [--hostile] [--sparse] > FILE.jsonl
"""
import argparse
import hashlib
import json
import random
import sys

HOSTILE_KEYS = [
    "</script><script>window.broken=1</script>",
    "<!--<script>",
    "<img src=x onerror=window.broken=2>",
    "\"'&lt;&quot;\\u003c \\",
    "tab\tand\nline\u2028separator \u202e turned \u0007 bell \u0000zero".replace("\u0000", ""),
    "{{data}}{{script}}",
    "key with \U0001f511 and \u6f22\u5b57 and e\u0301",
    "__proto__",
    "a" * 1000,
]


class Writer:
    def __init__(self, lane):
        self.lane = lane
        self.now = lane * 1700


class Race:
    def __init__(self, arguments):
        self.arguments = arguments
        self.random = random.Random(arguments.seed)
        self.value = {}
        self.versions = {}
        self.calls = []
        self.events = []
        self.left_behind = {}  # key: since when a dead writer's record stands there
        self.keys = [f"key-{number:05d}" for number in range(arguments.keys)]
        if arguments.hostile:
            self.keys[: len(HOSTILE_KEYS)] = HOSTILE_KEYS[: arguments.keys]

    def event(self, kind, writer, start, end=None, what=""):
        self.events.append({"event": kind, "writer": writer.lane, "start_us": start, "end_us": end or start, "what": what})

    def etag(self):
        return '"' + hashlib.md5(str(len(self.calls)).encode() + b"seed%d" % self.arguments.seed).hexdigest() + '"'

    def operation(self, held):
        if held == "":
            return self.random.choices(["put_if_absent", "copy_if_absent"], [9, 1])[0], self.etag()
        kind = self.random.choices(["put_if_match", "copy_if_match", "delete_if_match"], [16, 2, 1])[0]
        return kind, "" if kind == "delete_if_match" else self.etag()

    def length(self):
        return int(self.random.lognormvariate(9.6, 0.45))

    def apply(self, key, value):
        self.value[key] = value
        if value:
            self.versions[key] = self.versions.get(key, 0) + 1

    def call(self, writer):
        key = self.random.choice(self.keys)
        held = self.value.get(key, "")
        start = writer.now
        kind, value = self.operation(held)
        length = self.length()
        fault = self.random.random()
        call = {"call": len(self.calls) + 1, "writer": writer.lane, "operation": kind, "key": key, "expected": held,
                "value": value, "start_us": start, "end_us": start + length, "verdict": "committed", "rule": "R9",
                "message": "", "generation": self.random.randrange(1, 4), "attempts": 1, "requests": 5, "guards": 1,
                "waited_ms": 0, "took_over": False}
        if key in self.left_behind:
            waited = self.random.randrange(300, 2600)
            call["end_us"] += waited * 1000
            call.update(waited_ms=waited, took_over=True, requests=5 + waited // 150, generation=call["generation"] + 1)
            del self.left_behind[key]
            self.apply(key, value)
        elif fault < 0.008:
            self.killed(writer, call)
        elif fault < 0.016:
            self.unknown(writer, call)
        elif fault < 0.022:
            pause = self.random.randrange(200, 1800) * 1000
            self.event("pause", writer, start + length // 2, start + length // 2 + pause)
            call["end_us"] += pause
            self.apply(key, value)
        elif fault < 0.04:
            self.event(self.random.choice(["5xx", "throttle", "slow"]), writer, start + length // 3,
                       start + length // 3 + self.random.randrange(1, 40) * 1000, f"PUT {key}"[:80])
            call.update(end_us=start + 4 * length, attempts=2, requests=9)
            self.apply(key, value)
        elif fault < 0.30:
            self.refused(call)
        elif fault < 0.33:
            call.update(verdict="not executed", rule="R2", message="The deadline passed before the record was free.",
                        end_us=start + 2 * length)
        else:
            self.apply(key, value)
        call.setdefault("settled", call["verdict"])
        call.setdefault("settled_us", 0)
        self.calls.append(call)
        writer.now = max(writer.now, call["end_us"] or 0, call["settled_us"]) + self.random.randrange(300, 6000)

    def refused(self, call):
        """An expectation that was not, or was no longer, true."""
        call.update(verdict="conflict", rule="R1", value=self.etag(), requests=1, end_us=call["start_us"] + 4000,
                    expected='"00000000000000000000000000000000"', operation="put_if_match", attempts=0, guards=1)

    def killed(self, writer, call):
        at = call["start_us"] + self.length() // 2
        self.event("kill", writer, at)
        self.event("start", writer, at + 40000)
        call.update(end_us=None, verdict="unknown", rule="", requests=0, attempts=0)
        self.left_behind[call["key"]] = at
        if self.random.random() < 0.5:
            self.apply(call["key"], call["value"])
        writer.now = at + 45000

    def unknown(self, writer, call):
        kind = self.random.choice(["lost_reply", "late"])
        self.event(kind, writer, call["start_us"] + 2000, what=f"PUT {call['key']}"[:80])
        call.update(end_us=call["start_us"] + 250000, verdict="unknown", rule="R13", requests=11,
                    message=f"The answer to PUT {call['key']} was lost, and the deadline passed before it could be told "
                            "whether it was applied; resolve its ticket.")
        if self.random.random() < 0.85:
            call["settled_us"] = call["end_us"] + self.random.randrange(20, 900) * 1000
            call["settled"] = self.random.choice(["committed", "committed", "not executed"])
        if call.get("settled") == "committed":
            self.apply(call["key"], call["value"])

    def run(self):
        writers = [Writer(lane) for lane in range(self.arguments.writers)]
        while len(self.calls) < self.arguments.calls:
            writer = min(writers, key=lambda one: one.now)
            self.call(writer)
        if self.arguments.violation:
            self.plant()

    def plant(self):
        """Two writers that are both told they created the same object."""
        end = max(call["end_us"] or 0 for call in self.calls)
        middle = end // 2
        for lane, shift in ((1 % self.arguments.writers, 0), (3 % self.arguments.writers, 6000)):
            self.calls.append({"call": len(self.calls) + 1, "writer": lane, "operation": "put_if_absent",
                               "key": "planted", "expected": "", "value": self.etag(), "start_us": middle + shift,
                               "end_us": middle + shift + 14000, "verdict": "committed", "settled": "committed",
                               "settled_us": 0, "rule": "R9", "message": "", "generation": 1, "attempts": 1,
                               "requests": 5, "guards": 1, "waited_ms": 0, "took_over": False})

    def write(self, out):
        facts = {"store": "s3://race at http://127.0.0.1:9000, condition_headers=off", "ledger": "dynamodb://records",
                 "faults": "pause, kill, slow, lost-reply, late, 5xx", "started": "2026-11-21T18:00:00Z",
                 "version": "oscommit 0.1.0", "seed": str(self.arguments.seed)}
        for call in self.calls if self.arguments.sparse else []:
            call["call"] = 256 * call["call"] + call["writer"]
        lines = [{"oscommit_history": 1}]
        lines += [{"fact": name, "value": value} for name, value in facts.items()]
        lines += sorted(self.calls, key=lambda call: call["start_us"]) + sorted(self.events, key=lambda one: one["start_us"])
        last = max([call["end_us"] or call["start_us"] for call in self.calls] + [0]) + 1000
        for key in self.keys:
            lines.append({"final": key, "value": self.value.get(key, "") or None, "at_us": last,
                          "versions": self.versions.get(key, 0)})
        for line in lines:
            out.write(json.dumps(line, ensure_ascii=False) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=400)
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--keys", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--violation", action="store_true")
    parser.add_argument("--hostile", action="store_true")
    parser.add_argument("--sparse", action="store_true", help="numbers of calls with gaps")
    race = Race(parser.parse_args())
    race.run()
    race.write(sys.stdout)


if __name__ == "__main__":
    main()
