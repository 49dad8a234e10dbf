#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writers of this library and of the crate object_store race, without faults: one winner per expectation."""

import itertools
import os
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fleet import OUR_ATTEMPT, OUR_RECORD, PEER_ATTEMPT, PEER_RECORD, FleetCase, in_parallel, main

KEYS = 200
APPENDS = 8  # by each writer
# By turns one side goes a little later, so that each meets the other at every stage of its write.
LATER, HEAD_START_S = (None, "ours", "peer"), 0.004


class Races(FleetCase):
    def race(self, writers, keys, command):
        """Every writer does the command for each key, all of them at about the same time. {key: {name: answer}}."""
        barrier = threading.Barrier(len(writers))

        def run(writer):
            answers = {}
            for key, later in zip(keys, itertools.cycle(LATER)):
                barrier.wait(120)
                if later and writer.name.startswith(later):
                    time.sleep(HEAD_START_S)
                answers[key] = writer(*command(writer, key))
            return answers

        by_writer = in_parallel([lambda writer=writer: run(writer) for writer in writers])
        return {key: {w.name: answers[key] for w, answers in zip(writers, by_writer)} for key in keys}

    def winners(self, outcomes):
        """{key: the name of the one that was told ok}; all others must have been told conflict."""
        won = {}
        for key, answers in outcomes.items():
            words = sorted(answer.word for answer in answers.values())
            self.assertEqual(words, ["conflict"] * (len(words) - 1) + ["ok"], (key, answers))
            won[key] = next(name for name, answer in answers.items() if answer.word == "ok")
        for side in ("ours", "peer"):
            count = sum(name.startswith(side) for name in won.values())
            print(f"{side}: {count} of {len(won)}", file=sys.stderr)
            self.assertGreater(count, 0, "one side never won: that was no race")
        return won

    def test_of_eight_that_create_a_key_one_wins(self):
        writers = self.fleet()
        keys = [self.key("created") for _ in range(KEYS)]
        won = self.winners(self.race(writers, keys, lambda writer, key: ("create", key, f"by {writer.name} {key}")))
        for key, name in won.items():
            self.assertEqual(writers[0]("get", key).body, f"by {name} {key}")
        # Both sides wrote through the one endpoint: the counts are not those of one side alone.
        for match in (OUR_ATTEMPT, OUR_RECORD, PEER_ATTEMPT, PEER_RECORD):
            self.assertGreater(len(self.router.requests(**match)), 0, match)
        attempts = self.router.requests(**OUR_ATTEMPT) + self.router.requests(**PEER_ATTEMPT)
        self.assertEqual(sum(attempt["upstream_status"] == 200 for attempt in attempts), KEYS)

    def test_of_eight_that_create_a_key_some_of_them_in_parts_one_wins(self):
        staged = [self.ours(f"ours-staged{n}", options=("headers=off", "stage=1")) for n in range(2)]
        writers = staged + self.fleet(2, 4)
        keys = [self.key("in-parts") for _ in range(KEYS // 4)]
        won = self.winners(self.race(writers, keys, lambda writer, key: ("create", key, f"by {writer.name} {key}")))
        for key, name in won.items():
            self.assertEqual(writers[0]("get", key).body, f"by {name} {key}")
            self.assertEqual(self.uploads(key), [])

    def test_of_eight_that_copy_to_a_key_one_wins(self):
        writers = self.fleet()
        for writer in writers:
            self.ok_answer(writer("create", f"source-{writer.name}", f"from {writer.name}"))
        keys = [self.key("copied") for _ in range(KEYS // 4)]
        won = self.winners(self.race(writers, keys, lambda writer, key: ("copy", f"source-{writer.name}", key)))
        for key, name in won.items():
            self.assertEqual(writers[0]("get", key).body, f"from {name}")

    def test_a_log_that_eight_append_to_is_exact(self):
        writers = self.fleet()
        key = self.key("log")
        self.ok_answer(writers[-1]("create", key, "start"))
        logs = [[] for _ in writers]
        in_parallel(
            [
                lambda writer=writer, log=log: self.append_until(
                    writer, key, [f"{writer.name}-{n}" for n in range(APPENDS)], log
                )
                for writer, log in zip(writers, logs)
            ]
        )
        standing = self.check_log(key, sum(logs, []))
        self.assertEqual(len(standing), len(writers) * APPENDS)


if __name__ == "__main__":
    main(Races)
