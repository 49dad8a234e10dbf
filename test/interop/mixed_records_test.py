#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each side reads the other's records, and continues their generation (T1)."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fleet import LEASE_MS, LONG_LEASE_MS, OUR_RATE, PEER_LEASE_MS, FleetCase, main

AT_ONCE_S = 30  # who waits for a record of either side waits a minute
NONCE = {"S": "00112233445566778899aabbccddeeff"}


class Records(FleetCase):
    def released(self, key, etag="*"):
        """Waits for a release in the background (R9); the record."""
        self.wait_until("the release", lambda: self.record(key, etag)["timeout"] == {"N": "0"}, body_contains=key)
        return self.record(key, etag)

    def is_the_peers(self, key, etag, generation):
        record = self.record(key, etag)
        self.assertEqual(set(record), {"path", "etag", "generation", "timeout", "ttl"})
        self.assertEqual(record["generation"], {"N": str(generation)})
        self.assertEqual(record["timeout"], {"N": str(LONG_LEASE_MS)})

    def test_the_peer_creates_at_once_what_we_created_and_deleted(self):
        ours, peer = self.ours(options=("headers=off", "release=always")), self.peer()
        key = self.key("again")
        for body in ("first", "second", "third"):
            made = self.ok_answer(ours("create", key, body))
            self.released(key)
            self.ok_answer(ours("delete", key, made.etag))
        before = self.released(key)
        self.assertIn("nonce", before)
        answer = self.ok_answer(peer("create", key, "the peer's"))
        self.assertLess(answer.took_s, AT_ONCE_S)
        self.is_the_peers(key, "*", int(before["generation"]["N"]) + 1)
        self.assertEqual(ours("get", key).body, "the peer's")

    def test_the_peer_updates_at_once_content_that_stood_there_before(self):
        ours, peer = self.ours(options=("headers=off", "release=always")), self.peer()
        key = self.key("back")
        first = self.ok_answer(ours("create", key, "these bytes"))
        other = self.ok_answer(ours("update", key, first.etag, "other bytes"))
        again = self.ok_answer(ours("update", key, other.etag, "these bytes"))
        self.assertEqual(again.etag, first.etag)
        before = self.released(key, first.etag)
        self.assertLessEqual({"nonce", "fence", "saw"}, set(before))
        self.assertLess(self.ok_answer(peer("update", key, first.etag, "the peer's")).took_s, AT_ONCE_S)
        self.is_the_peers(key, first.etag, int(before["generation"]["N"]) + 1)

    def test_the_peer_copies_at_once_to_what_we_released(self):
        ours, peer = self.ours(options=("headers=off", "release=always")), self.peer()
        key, source = self.key("copied"), self.key("source")
        self.ok_answer(peer("create", source, "copied bytes"))
        made = self.ok_answer(ours("copy", source, key))
        self.ok_answer(ours("delete", key, made.etag))
        before = self.released(key)
        self.assertLess(self.ok_answer(peer("copy", source, key)).took_s, AT_ONCE_S)
        self.is_the_peers(key, "*", int(before["generation"]["N"]) + 1)
        self.assertEqual(ours("get", key).body, "copied bytes")

    def test_our_records_start_at_a_random_generation_that_the_peer_continues(self):
        ours, peer = self.ours(options=("headers=off", "release=always")), self.peer()
        started = []
        for _ in range(8):
            key = self.key("random")
            made = self.ok_answer(ours("create", key, "ours"))
            started.append(made.generation)
            self.ok_answer(ours("delete", key, made.etag))
            released = int(self.released(key)["generation"]["N"])
            self.assertEqual(released, made.generation + 1)
            self.assertLess(self.ok_answer(peer("create", key, "the peer's")).took_s, AT_ONCE_S)
            self.is_the_peers(key, "*", released + 1)
        self.assertEqual(len(set(started)), 8)
        self.assertLess(max(started), 1 << 48)
        self.assertGreater(max(started), 1 << 40)  # by chance below that once in 2^64 runs

    def test_the_peer_reads_a_record_with_every_attribute_and_with_the_largest_numbers(self):
        peer = self.peer()
        for generation in (0, (1 << 48) - 1, (1 << 64) - 2):
            key = self.key("all")
            self.put_record(
                key,
                generation={"N": str(generation)},
                timeout={"N": "0"},
                nonce=NONCE,
                fence={"N": "1700000000"},
                saw=NONCE,
                upload={"S": "an-upload-id"},
            )
            self.assertLess(self.ok_answer(peer("create", key, "the peer's")).took_s, AT_ONCE_S)
            self.is_the_peers(key, "*", generation + 1)

    def test_the_tool_shows_the_record_of_the_peer(self):
        peer = self.peer()
        key = self.key("shown")
        made = self.ok_answer(peer("create", key, "the peer's"))
        self.ok_answer(peer("update", key, made.etag, "the peer's second"))
        lines = self.ok("table", "show", self.url(key), "--json").lines()
        self.assertEqual({line["etag"] for line in lines}, {"*", made.etag}, lines)
        for line in lines:
            self.assertEqual((line["generation"], line["timeout_ms"]), (0, LONG_LEASE_MS), line)
            self.assertFalse(line.get("nonce") or line.get("fence_s"), line)

    def test_we_wait_out_the_record_of_the_peer_and_continue_it(self):
        ours, peer = self.our_short(), self.peer(lease_ms=PEER_LEASE_MS)
        key = self.key("continued")
        made = self.ok_answer(peer("create", key, "the peer's"))
        self.ok_answer(ours("delete", key, made.etag))
        answer = self.ok_answer(ours("create", key, "ours"))
        self.assertGreaterEqual(answer.took_s, PEER_LEASE_MS * OUR_RATE / 1000)
        self.assertTrue(answer.took_over, answer)
        self.assertEqual(answer.generation, 1, "the peer starts at 0")
        record = self.record(key)
        self.assertLessEqual({"nonce", "fence"}, set(record))
        self.assertEqual(record["timeout"], {"N": str(LEASE_MS)})

    def test_we_take_over_a_released_record_without_nonce_and_fence_at_once(self):
        ours = self.ours()
        key = self.key("released")
        self.put_record(key, generation={"N": "41"}, timeout={"N": "0"})
        answer = self.ok_answer(ours("create", key, "ours"))
        self.assertLess(answer.took_s, AT_ONCE_S)
        self.assertTrue(answer.took_over, answer)
        self.assertEqual(answer.generation, 42)


if __name__ == "__main__":
    main(Records)
