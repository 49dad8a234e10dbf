#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Eight writers race in every mode that the profile of the store allows; where it proves nothing, native is refused."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from oscommit_testing import NOT_EXECUTED, BackendCase, main


class RaceModes(BackendCase):
    def race(self, guard, *flags):
        ran = self.ok(
            *("race", self.url("race"), "--writers", "8", "--keys", "12", "--updates", "8"),
            *("--store-profile", self.backend.name, "--guard", guard, "--release", "always", "--json"),
            *flags,
        )
        line = ran.line()
        self.assertEqual(line["verdict"], "exact", ran)
        return line

    def check_guards(self, line, kind, **wanted):
        self.assertEqual({name: line[kind]["guarded_" + name] for name in wanted}, wanted)
        self.assertEqual(line[kind]["unknown"], 0)

    def test_record_is_exact(self):
        line = self.race("record", "--copies", "4", "--deletes", "4")
        for kind in ("creations", "increments", "copies", "deletes"):
            self.check_guards(line, kind, natively=0, by_both=0, by_record=line[kind]["calls"])

    def test_both_is_exact(self):
        line = self.race("both", "--copies", "4")
        for kind in ("creations", "increments"):
            self.check_guards(line, kind, natively=0, by_both=line[kind]["calls"], by_record=0)

    def test_native_is_exact_and_asks_no_ledger(self):
        line = self.race("native", "--copies", "4", "--ledger", "dynamodb://there-is-no-such-table")
        for kind in ("creations", "increments", "copies"):
            self.check_guards(line, kind, natively=line[kind]["calls"], by_both=0, by_record=0)

    def test_auto_is_exact(self):
        line = self.race("auto", "--copies", "4", "--deletes", "4")
        self.check_guards(line, "creations", natively=line["creations"]["calls"], by_both=0, by_record=0)
        # A deletion is not proven here, so that whatever expects a version keeps its record; what creates needs none.
        self.check_guards(line, "increments", natively=0, by_both=0, by_record=line["increments"]["calls"])
        self.assertGreater(line["deletes"]["guarded_by_record"], 0)
        self.assertGreater(line["deletes"]["guarded_natively"], 0)

    def test_native_is_refused_where_it_is_not_proven(self):
        ran = self.exits(
            NOT_EXECUTED,
            *("race", self.url("race"), "--writers", "2", "--keys", "2"),
            *("--store-profile", "garage", "--guard", "native"),
        )
        self.assertIn("does not prove", ran.errors)


if __name__ == "__main__":
    main(RaceModes, only=("minio", "versitygw"))
