# SPDX-License-Identifier: Apache-2.0
"""Support for tests of `oscommit race --faults`, `--lock` and `--transactions`: races by time whose histories are judged twice."""

import json
import os

from oscommit_testing import DONE, USAGE, BackendCase

SECONDS = 12
TTL_S = 2  # of a lease: the shortest


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


class TableRace(BackendCase):
    """A race in a table, or in a file, of the class's own."""

    flags = ()  # that ask for it

    def race(self, *more, seconds=SECONDS, status=DONE):
        """What the race says, and the lines of its history."""
        history = os.path.join(self.folder, self.key("history"))
        ran = self.exits(
            status, "race", *self.flags, "--ledger", self.ledger, "--duration", f"{seconds}s",
            "--history", history, "--json", *more, timeout=600,
        )
        checked = self.exits(status, "check", "--json", history).line()  # says the same from the file
        self.assertEqual(checked["violations"], ran.line()["violations"])
        with open(history, encoding="utf-8") as file:
            return ran.line(), [json.loads(text) for text in file]

    def makes_a_file_and_takes_it_away(self, title, *more):
        place = os.path.join(self.folder, "place")
        os.mkdir(place)
        ran = self.ok("race", *self.flags, *more, environment={"TMPDIR": place}, timeout=300)
        self.assertIn(f"{title} in sqlite://{place}/oscommit-race-", ran.text)
        self.assertIn("\nexact: ", ran.text)
        self.assertEqual(os.listdir(place), [])

    def refuses(self, *cases):
        for flags, said in cases:
            with self.subTest(flags):
                self.assertIn(said, self.exits(USAGE, "race", *self.flags, "--ledger", self.ledger, *flags).errors)


class LeaseRace(TableRace):
    flags = ("--lock", "--ttl", f"{TTL_S}s")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if cls.backend.embedded:
            cls.ledger = f"sqlite://{cls.folder}/leases.db"
            return
        cls.leases = cls.table + "-leases"
        cls.ledger = "dynamodb://" + cls.leases
        made = cls.run_tool("table", "create", "--leases", "--ledger", cls.ledger)
        if made.status != DONE:
            raise RuntimeError(f"there is no table of leases: {made}")

    def excludes(self):
        """Killed and stopped, they exclude each other; and the history tells it all."""
        line, lines = self.race("--writers", 8, "--keys", 2)
        self.assertEqual((line["verdict"], line["violations"], line["lost_writers"]), ("exact", 0, 0), line)
        self.assertEqual((set(line["faults"]), line["leases"]), ({"pause", "kill"}, 2), line)
        self.assertGreater(line["faults"]["kill"], 0, line)
        self.assertGreater(line["faults"]["pause"], 0, line)
        self.assertEqual(line["processes"], 8 + line["faults"]["kill"], line)
        self.assertGreater(line["hand_overs"], 1, line)
        told = {kind: [entry for entry in lines if entry.get("lease") == kind] for kind in
                ("held", "let_go", "killed", "paused", "resumed")}
        self.assertEqual(
            {kind: len(entries) for kind, entries in told.items()},
            {"held": line["acquired"], "let_go": line["released"], "killed": line["faults"]["kill"],
             "paused": line["faults"]["pause"], "resumed": line["faults"]["pause"]})
        self.assertTrue(all(entry["token"] > 0 for entry in told["held"]), told["held"])


class TransactionRace(TableRace):
    flags = ("--transactions",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ledger = f"sqlite://{cls.folder}/rows.db" if cls.backend.embedded else f"dynamodb://{cls.table}-accounts"

    def has_an_order(self, *more, seconds=SECONDS, sums=2):
        """What the race says; every transaction that was begun stands in the history, and at least so many `sums` of all
        accounts, of which the last is the end state."""
        line, lines = self.race("--writers", 8, *more, seconds=seconds)
        self.assertEqual((line["verdict"], line["violations"], line["lost_writers"]), ("exact", 0, 0), line)
        self.assertEqual((line["unsettled"], line["read_back"]), (0, True), line)
        self.assertGreater(line["faults"]["kill"], 0, line)
        self.assertEqual(line["processes"], 8 + line["faults"]["kill"], line)
        told = [entry for entry in lines if "transaction" in entry]
        self.assertEqual(len(told), line["transactions"])
        self.assertEqual(sum(1 for entry in told if entry["end_us"] is None), line["killed"])
        (total,) = (entry for entry in lines if "sum" in entry)
        self.assertEqual((total["sum"], len(total["keys"])), (100 * line["accounts"], line["accounts"]))
        added_up = [entry for entry in told if len(entry.get("reads", ())) == line["accounts"]]
        self.assertGreaterEqual(len(added_up), sums)
        for entry in added_up:
            self.assertEqual(sum(read["amount"] for read in entry["reads"]), total["sum"], entry)
        for name in ("account-", "document-"):
            written = {item["key"] for entry in told if entry["transaction"] >= 256 and entry["verdict"] == "committed"
                       for item in entry.get("writes", ()) if item["key"].startswith(name)}
            self.assertGreater(len(written), 1, name)
        return line, told
