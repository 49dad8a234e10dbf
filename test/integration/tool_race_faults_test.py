#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`oscommit race` with a network and every fault that there is. Each fault alone: tool_race_faults_slow_test.py."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from oscommit_testing import main
from race_testing import FaultyRace


class NetworkRace(FaultyRace):
    def test_everything_at_once(self):
        line, lines = self.race("all", seconds=60)
        self.assertEqual(len(line["faults"]), 7, line)
        self.assertGreater(sum(line["faults"].values()), 20, line)
        boundaries = {re.sub(" .*", "", entry["what"]) for entry in lines if entry.get("event") in ("kill", "pause")}
        self.assertTrue(boundaries & {"answered", "after"}, boundaries)  # not only when a request arrives
        self.assertTrue(boundaries - {"answered", "after"}, boundaries)


if __name__ == "__main__":
    main(NetworkRace, only=("minio",))
