# SPDX-License-Identifier: Apache-2.0
"""Support for tests of `oscommit race --faults`: a race by time whose history is judged twice."""

import json
import os

from oscommit_testing import BackendCase

SECONDS = 12


class FaultyRace(BackendCase):
    def race(self, faults, *more, seconds=SECONDS, writers=8):
        history = os.path.join(self.folder, self.key("history"))
        ran = self.ok(
            "race",
            self.url("races"),
            "--writers",
            writers,
            "--duration",
            f"{seconds}s",
            "--faults",
            faults,
            "--history",
            history,
            "--condition-headers",
            "off",
            "--json",
            *more,
            timeout=600,
        )
        line = ran.line()
        self.assertEqual(line["verdict"], "exact", line)
        self.assertEqual((line["unsettled"], line["objects_wrong"], line["lost_writers"]), (0, 0, 0), line)
        self.ok("check", history)  # says the same from the file
        with open(history, encoding="utf-8") as file:
            lines = [json.loads(text) for text in file]
        self.assertEqual(self.ok("ls", self.url("races/"), "--recursive", "--json").out, b"")  # nothing is left
        return line, lines

    def each(self, fault):
        line, lines = self.race(fault)
        told = sum(1 for entry in lines if entry.get("event") not in (None, "start"))
        self.assertEqual(set(line["faults"]), {fault})
        self.assertGreater(line["faults"][fault], 0, line)
        self.assertEqual(told, line["faults"][fault])
        for kind in ("creations", "increments", "copies", "deletes"):
            self.assertGreater(line[kind]["committed"], 0, line)
        return line, lines
