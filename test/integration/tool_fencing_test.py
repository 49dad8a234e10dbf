#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The token that an object carries: how it is shown, and what docs/operations.md does where no holder gets one as large
since the table of leases was made anew."""

import contextlib
import os
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from lease_testing import PATIENCE_S, LeaseCase, OnStoreCase
from oscommit_testing import CONFLICT, NOT_EXECUTED, USAGE, dynamo, main, tool

EPOCH = 1 << 32


class FencingCase(OnStoreCase):
    def under(self, lease, *command):
        """Runs the tool with these arguments while the lease is held, and so with its token."""
        return self.run_tool("lock", lease, "--ledger", self.base["LEASES"], "--", tool(), *command)

    def token_of(self, url):
        return self.ok("head", url, "--json").line().get("fencing")

    def etag_of(self, url):
        return self.ok("head", url, "--json").line()["etag"]

    def made_under(self, token, *flags):
        url = self.new_url("fenced")
        self.ok("put", self.file("made", b"made"), url, "--if-absent", *flags,
                environment={"OSCOMMIT_FENCING_TOKEN": str(token)})
        return url

    def replaces(self, lease, url):
        """What comes of a write under the lease."""
        return self.under(lease, "put", self.file("new", b"new"), url, "--if-match", self.etag_of(url), "--json")


class Shown(FencingCase):
    def test_head_shows_the_token_and_nothing_where_there_is_none(self):
        for token in (1, EPOCH + 1, (1 << 63) - 1):
            url = self.made_under(token)
            self.assertEqual(self.token_of(url), token)
            self.assertIn(f"fencing token  {token}\n", self.ok("head", url).text)
        bare = self.new_url("bare")
        self.ok("put", self.file("bare", b"bare"), bare, "--if-absent")
        self.assertIsNone(self.token_of(bare))
        self.assertNotIn("fencing", self.ok("head", bare).text)

    def test_one_beyond_what_a_number_of_json_can_be_is_a_text(self):
        url = self.made_under((1 << 64) - 1)
        self.assertEqual(self.token_of(url), str((1 << 64) - 1))
        self.assertIn(f"fencing token  {(1 << 64) - 1}\n", self.ok("head", url).text)

    def test_a_conflict_says_which_token_was_found(self):
        url = self.made_under(9)
        late = self.run_tool("put", self.file("late", b"late"), url, "--if-match", self.etag_of(url), "--json",
                             environment={"OSCOMMIT_FENCING_TOKEN": "8"})
        self.assertEqual((late.status, late.line()["found_fencing"]), (CONFLICT, 9), late)
        changed = self.run_tool("put", self.file("late", b"late"), url, "--if-match", '"0"', "--json")
        self.assertEqual(changed.status, CONFLICT, changed)


class TooLarge(FencingCase):
    """By the steps of docs/operations.md."""

    LARGE = 3 * EPOCH + 17  # the third epoch of a table that is gone

    def stuck(self, *flags):
        """A lease of a new table, and an object from before."""
        lease, url = self.key("lease"), self.made_under(self.LARGE, *flags)
        late = self.replaces(lease, url)
        self.assertEqual((late.status, late.line()["found_fencing"]), (CONFLICT, self.LARGE), late)
        return lease, url

    def raise_epoch(self, lease, epoch):
        """True: it was raised, and the lease's item, which is free, is deleted."""
        if self.backend.embedded:
            with contextlib.closing(sqlite3.connect(f"{self.root}/.oscommit/ledger.db", timeout=PATIENCE_S)) as db, db:
                raised = db.execute("UPDATE leases SET token = ?1 WHERE key = ?2 || '#fencing-epoch' AND token <= ?1",
                                    (epoch, lease)).rowcount
                return raised == 1 and db.execute("DELETE FROM leases WHERE key = ? AND version IS NULL",
                                                  (lease,)).rowcount == 1
        raised, _ = dynamo(self.ledger_endpoint, "UpdateItem", {
            "TableName": self.leases, "Key": {"key": {"S": lease + "#fencing-epoch"}},
            "UpdateExpression": "SET lease_token = :e", "ConditionExpression": "lease_token <= :e",
            "ExpressionAttributeValues": {":e": {"N": str(epoch)}}})
        deleted, _ = dynamo(self.ledger_endpoint, "DeleteItem", {
            "TableName": self.leases, "Key": {"key": {"S": lease}},
            "ConditionExpression": "attribute_not_exists(lease_version)"})
        return (raised, deleted) == (200, 200)

    def test_the_next_holder_has_a_larger_one_when_the_epoch_was_raised(self):
        lease, url = self.stuck()
        self.assertTrue(self.raise_epoch(lease, self.LARGE >> 32))
        self.assertFalse(self.raise_epoch(lease, 1))
        written = self.replaces(lease, url)
        self.assertEqual((written.status, self.token_of(url)), (0, (self.LARGE >> 32) * EPOCH + EPOCH + 1), written)
        late = self.run_tool("put", self.file("late", b"late"), url, "--if-match", self.etag_of(url),
                             environment={"OSCOMMIT_FENCING_TOKEN": str(self.LARGE)})
        self.assertEqual(late.status, CONFLICT, late)  # a holder by the table that is gone

    def test_the_item_of_a_lease_that_is_held_stays(self):
        lease, _ = self.stuck()
        held = self.ok("lease", "acquire", lease, "--ledger", self.base["LEASES"], "--json").line()
        self.assertFalse(self.raise_epoch(lease, self.LARGE >> 32))
        self.ok("lease", "release", lease, "--ledger", self.base["LEASES"], "--handle", held["handle"])
        again = self.ok("lease", "acquire", lease, "--ledger", self.base["LEASES"], "--json").line()
        self.assertLess(again["token"], self.LARGE)  # it goes on from the item, as that was not deleted

    def test_a_copy_there_and_back_forgets_it_and_keeps_the_rest(self):
        lease, url = self.stuck("--content-type", "text/x-mine")
        etag, aside = self.etag_of(url), url + ".aside"
        self.ok("cp", url, aside, "--if-absent")
        self.assertIsNone(self.token_of(aside))
        self.ok("cp", aside, url, "--if-match", etag)
        self.assertIsNone(self.token_of(url))
        self.assertEqual(self.ok("head", url, "--json").line()["content_type"], "text/x-mine")
        self.assertEqual(self.ok("get", url, "-").out, b"made")
        self.ok("rm", aside)
        self.assertEqual(self.replaces(lease, url).status, 0)
        self.assertGreater(self.token_of(url), EPOCH)

    def test_a_put_without_a_token_forgets_it(self):
        lease, url = self.stuck()
        self.ok("put", self.file("made", b"made"), url, "--if-match", self.etag_of(url))
        self.assertIsNone(self.token_of(url))
        self.assertEqual(self.replaces(lease, url).status, 0)

    def test_an_update_that_changes_nothing_keeps_it(self):
        _, url = self.stuck()
        self.ok("update", url, "--", "cat")
        self.assertEqual(self.token_of(url), self.LARGE)


class TableOfLocks(LeaseCase):
    def locks(self):
        if self.backend.embedded:
            return f"sqlite://{self.folder}/{self.key('locks')}.db"
        return f"dynamodb://{self.table}-{self.key('locks')}"

    def test_it_is_made_and_checked(self):
        table = ("--locks", "--ledger", self.locks())
        absent = self.exits(NOT_EXECUTED, "table", "check", *table)
        self.assertIn("oscommit table create", absent.errors)
        self.ok("table", "create", *table)
        self.ok("table", "check", *table)
        self.ok("lock", "ls", "--namespace", "*", "--ledger", table[-1])
        for verb in ("create", "check"):
            self.assertIn("give one of --leases", self.exits(USAGE, "table", verb, "--leases", *table).errors)

    def test_that_of_leases_is_none(self):
        if self.backend.embedded:
            self.ok("table", "check", "--locks")  # one file has both
            return
        unfit = self.exits(NOT_EXECUTED, "table", "check", "--locks")
        self.assertIn("must be lockId (S, HASH)", unfit.errors)
        self.assertIn("`oscommit table create --locks --ledger ", unfit.errors)
        used = self.exits(NOT_EXECUTED, "lock", "show", "job", "--namespace", "space")
        self.assertIn("This table has other keys than one of locks", used.errors)


if __name__ == "__main__":
    main(Shown, TooLarge, TableOfLocks, only={"embedded", "minio"})
