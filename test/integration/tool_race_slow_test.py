#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The full race, without condition headers: 8 processes, 50 keys, 25 increments each."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from oscommit_testing import BackendCase, main


class FullRace(BackendCase):
    def test_eight_writers_fifty_keys_twenty_five_updates(self):
        line = self.ok(
            "race",
            self.url("full"),
            "--writers",
            8,
            "--keys",
            50,
            "--updates",
            25,
            "--condition-headers",
            "off",
            "--json",
            timeout=600,
        ).line()
        self.assertEqual((line["keys_created"], line["objects_right"]), (50, 50), line)
        # A call that its deadline ends in mid-answer is unknown first, and settled then: a machine may stand still so long.
        created = line["creations"]["committed"] + line["creations"]["settled_committed"]
        self.assertEqual(created, 50, line)
        self.assertEqual(line["verdict"], "exact", line)
        self.assertEqual((line["counter_found"], line["counter_expected"]), (200, 200), line)


if __name__ == "__main__":
    main(FullRace, only=("minio", "versitygw", "embedded"))
