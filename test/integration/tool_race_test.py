#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`oscommit race` on every backend, by the guard alone: one winner per key, an exact counter."""

import concurrent.futures
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from oscommit_testing import CONFLICT, DONE, BackendCase, main, md5_etag


class Race(BackendCase):
    def test_a_small_race_is_exact(self):
        ran = self.ok(
            "race",
            self.url("races"),
            "--writers",
            8,
            "--keys",
            12,
            "--updates",
            5,
            "--condition-headers",
            "off",
            "--json",
            timeout=600,
        )
        line = ran.line()
        self.assertEqual((line["keys_created"], line["objects_right"], line["objects_wrong"]), (12, 12, 0), line)
        self.assertEqual((line["creations"]["committed"], line["creations"]["conflict"]), (12, 12 * 7), line)
        self.assertEqual((line["counter_found"], line["counter_expected"]), (40, 40), line)
        self.assertEqual((line["lost_writers"], sum(line["won_by_writer"])), (0, 12), line)
        self.assertEqual(self.ok("ls", self.url("races/"), "--recursive", "--json").out, b"")  # nothing is left

    def test_the_table_for_a_person_shows_the_counts(self):
        ran = self.ok("race", self.url("shown"), "--writers", 3, "--keys", 4, "--keep", timeout=300)
        for part in ("3 writers, 4 keys", "committed", "keys created once", "4 of 4", "exact"):
            self.assertIn(part, ran.text)
        self.assertEqual(
            len([key for key in self.ok("ls", self.url("shown/"), "--recursive", "--json").lines() if "key" in key])
            >= 4,
            True,
        )

    def test_sixteen_tools_race_for_a_name(self):
        url = self.new_url("by-hand")
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            runs = list(
                pool.map(
                    lambda n: (
                        n,
                        self.run_tool(
                            "put", "-", url, "--if-absent", "--condition-headers", "off", data=b"writer %d" % n
                        ),
                    ),
                    range(16),
                )
            )
        statuses = sorted(ran.status for _, ran in runs)
        self.assertEqual(
            statuses, [DONE] + [CONFLICT] * 15, [ran for _, ran in runs if ran.status not in (DONE, CONFLICT)]
        )
        winner = next(n for n, ran in runs if ran.status == DONE)
        self.assertEqual(self.ok("get", url).out, b"writer %d" % winner)

    def test_a_counter_kept_by_a_shell_loop_is_exact(self):
        url = self.new_url("counter")
        self.ok("put", "-", url, "--if-absent", data=b"0 start")

        def increment(who):
            committed = 0
            for serial in range(40):
                value = self.ok("get", url).out
                ran = self.run_tool(
                    "put",
                    "-",
                    url,
                    "--if-match",
                    md5_etag(value),
                    "--condition-headers",
                    "off",
                    data=b"%d by %d #%d" % (int(value.split()[0]) + 1, who, serial),
                )
                self.assertIn(ran.status, (DONE, CONFLICT), ran)
                committed += ran.status == DONE
                if committed == 3:
                    break
            return committed

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            committed = sum(pool.map(increment, range(4)))
        self.assertEqual(committed, 12)
        self.assertEqual(int(self.ok("get", url).out.split()[0]), 12)


if __name__ == "__main__":
    main(Race)
