#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A body that goes in parts beside the peer: it knows neither the upload in our record nor that it could abort one."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fleet import (
    LEASE_MS,
    LONG_LEASE_MS,
    OUR_COMPLETE,
    OUR_RATE,
    PEER_ATTEMPT,
    PEER_LEASE_MS,
    PEER_RATE,
    PEER_RECORD,
    FleetCase,
    in_parallel,
    main,
)

BOUND_S = LEASE_MS * PEER_RATE / 1000
SLACK_S = 25  # less than the wait for a lease of the peer's own: 40 s


class Staged(FleetCase):
    def held_in_its_complete(self, name, *words):
        """A writer of ours whose parts are there, whose record names the upload, and whose Complete is held."""
        writer = self.our_short(name, "headers=off", "stage=1")
        rule = self.router.add("hold", times=1, path_contains=words[1], **OUR_COMPLETE)
        answer = writer.start(*words)
        self.waits_for(rule)
        return writer, answer, rule

    def takes_over(self, *words):
        """A peer that waits for the record that is there: after its bound, not before, it has its way."""
        answer = self.ok_answer(self.peer(lease_ms=LONG_LEASE_MS, rate=PEER_RATE)(*words))
        self.assertGreaterEqual(answer.took_s, BOUND_S)
        self.assertLess(answer.took_s, BOUND_S + SLACK_S)
        return answer

    def names_the_upload(self, key, etag="*"):
        record = self.record(key, etag)
        self.assertEqual([record["upload"]["S"]], self.uploads(key))
        return int(record["generation"]["N"])

    def is_the_peers(self, key, etag, generation):
        record = self.record(key, etag)
        self.assertEqual(set(record), {"path", "etag", "generation", "timeout", "ttl"})
        self.assertEqual(record["generation"], {"N": str(generation)})

    def stands(self, key, body):
        self.assertEqual(self.ok("get", self.url(key)).text, body)

    def test_the_peer_holds_back_for_an_upload_that_is_completed(self):
        key = self.key("completed")
        _, answer, rule = self.held_in_its_complete("ours-completed", "create", key, "ours")
        self.names_the_upload(key)
        asked = self.router.add("pass", times=1, **PEER_RECORD)
        theirs = self.peer(rate=PEER_RATE).start("create", key, "the peer's")
        self.waits_for(asked)
        self.lets_go(rule)
        self.ok_answer(answer())
        self.assertEqual(theirs().word, "conflict")
        self.stands(key, "ours")
        self.assertEqual(self.uploads(key), [])

    def test_after_a_kill_the_peer_takes_over_and_gc_removes_the_upload(self):
        updated = self.key("killed-updated")
        etag = self.ok_answer(self.ours("maker")("create", updated, "first")).etag
        created = self.key("killed-created")
        works = [
            (created, "*", ("create", created, "ours"), ("create", created, "the peer's")),
            (updated, etag, ("update", updated, etag, "ours"), ("update", updated, etag, "the peer's")),
        ]

        def work(key, expected, our_words, peer_words):
            writer, _, rule = self.held_in_its_complete(f"ours-{key}", *our_words)
            writer.kill()
            self.lets_go(rule, "discard")
            generation = self.names_the_upload(key, expected)
            self.takes_over(*peer_words)
            self.is_the_peers(key, expected, generation + 1)
            (left,) = self.uploads(key)
            ran = self.ok("gc", self.url(key), "--older-than", "1s", "--remove", "--json").lines()
            self.assertEqual([(line["fate"], line["upload"]) for line in ran[:-1]], [("removed", left)])
            self.assertEqual(self.uploads(key), [])
            self.stands(key, "the peer's")

        in_parallel([lambda parts=parts: work(*parts) for parts in works])

    def test_a_complete_that_comes_after_the_takeover_is_refused_and_we_are_told_conflict(self):
        key = self.key("late")
        writer, answer, rule = self.held_in_its_complete("ours-late", "create", key, "ours")
        writer.pause()
        self.takes_over("create", key, "the peer's")
        self.lets_go(rule)
        self.assertEqual(self.met(rule)["upstream_status"], 403)
        writer.go_on()
        # The upload is open still: that proves what a 403 alone could not (R14).
        self.assertEqual(answer().word, "conflict")
        self.stands(key, "the peer's")
        self.assertEqual(self.uploads(key), [])

    def test_we_wait_out_the_record_of_a_peer_that_is_stopped(self):
        key = self.key("stopped")
        theirs = self.peer(lease_ms=PEER_LEASE_MS, rate=PEER_RATE)
        rule = self.router.add("hold", times=1, path_contains=key, **PEER_ATTEMPT)
        late = theirs.start("create", key, "the peer's")
        self.waits_for(rule)
        ours = self.ours("ours-waits", LONG_LEASE_MS, OUR_RATE, ("headers=off", "stage=1"))
        answer = self.ok_answer(ours("create", key, "ours"))
        self.assertTrue(answer.took_over, answer)
        self.assertGreaterEqual(answer.took_s, PEER_LEASE_MS * OUR_RATE / 1000)
        self.lets_go(rule, "discard")
        self.assertEqual(late().word, "error")
        self.stands(key, "ours")
        self.assertEqual(self.uploads(key), [])


if __name__ == "__main__":
    main(Staged)
