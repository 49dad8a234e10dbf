# SPDX-License-Identifier: Apache-2.0
"""Tests of the tool on a table of leases: one of its own in DynamoDB, or the embedded store's file."""
import contextlib
import sqlite3

from oscommit_testing import DONE, BackendCase, dynamo

LOST = 75
SHORT_S = 2  # the shortest time to live
HELD_S = 6  # one that is not over before a busy machine has started the programs of a test: what is over is lost
PROMISED_S = 2  # a dead holder's lease is another's so long after its time to live, at most ...
SLACK_S = 20  # ... and this comes on top where a slow machine is shared: processes start late, disks flush late
PATIENCE_S = 120


class LeaseCase(BackendCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if cls.backend.embedded:
            cls.base["OSCOMMIT_LEDGER"] = f"sqlite://{cls.root}/.oscommit/ledger.db"
        else:
            cls.leases = cls.table + "-leases"
            cls.base["OSCOMMIT_LEDGER"] = "dynamodb://" + cls.leases
            made = cls.run_tool("table", "create", "--leases")
            if made.status != DONE:
                raise RuntimeError(f"there is no table of leases: {made}")

    def delete_item(self, name):
        if self.backend.embedded:
            with contextlib.closing(sqlite3.connect(f"{self.root}/.oscommit/ledger.db", timeout=PATIENCE_S)) as db, db:
                db.execute("DELETE FROM leases WHERE key = ?", (name,))
        else:
            key = {"key": {"S": name}}
            status, said = dynamo(self.ledger_endpoint, "DeleteItem", {"TableName": self.leases, "Key": key})
            self.assertEqual(status, 200, said)


class OnStoreCase(LeaseCase):
    """Its writes have a ledger of their own; that of the leases stands in LEASES."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.base["LEASES"] = cls.base["OSCOMMIT_LEDGER"]
        if not cls.backend.embedded:
            cls.base["OSCOMMIT_LEDGER"] = "dynamodb://" + cls.table
