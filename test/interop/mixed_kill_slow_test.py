#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writers of this library are killed and paused in the middle of a write; the peer takes over after its bound."""

import itertools
import os
import re
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fleet import (
    LEASE_MS,
    LONG_LEASE_MS,
    OUR_ATTEMPT,
    OUR_RECORD,
    PEER_RATE,
    FleetCase,
    Gone,
    in_parallel,
    main,
)

BOUND_S = LEASE_MS * PEER_RATE / 1000
SLACK_S = 25  # less than the wait for a lease of the peer's own: 40 s
CALM = 20  # attempts between two faults
# R13 row F: the store refused the one copy that there was, but a peer, which leaves no nonce behind, has written under a
# record of the key since, and for all that can be read it may have replaced what another copy wrote.
EXPIRED_BESIDE_PEERS = r"unknown R13\.F .*Request has expired.*"


class Kills(FleetCase):
    def begun(self, action, match, *words, name="ours"):
        """A writer of ours with short times, at whose request the action waits: (writer, its answer, the rule)."""
        writer = self.our_short(name)
        rule = self.router.add(action, times=1, **match)
        answer = writer.start(*words)
        self.waits_for(rule)
        return writer, answer, rule

    def takes_over(self, *words):
        """A peer that waits for the record that is there: after its bound, not before, it has its way."""
        answer = self.ok_answer(self.peer(lease_ms=LONG_LEASE_MS, rate=PEER_RATE)(*words))
        self.assertGreaterEqual(answer.took_s, BOUND_S)
        self.assertLess(answer.took_s, BOUND_S + SLACK_S)

    def stands(self, key, body):
        self.assertEqual(self.ok("get", self.url(key)).text, body)

    # ------------------------------------------------------------------------------------------------ one writer

    def test_after_a_kill_before_the_put_the_peer_takes_over_and_continues_the_generation(self):
        ours = self.ours("maker")
        source, updated = self.key("source"), self.key("updated")
        self.ok_answer(ours("create", source, "copied bytes"))
        etag = self.ok_answer(ours("create", updated, "first")).etag
        created, copied = self.key("created"), self.key("copied")
        works = [
            (created, "*", ("create", created, "ours"), ("create", created, "the peer's"), "the peer's"),
            (copied, "*", ("copy", source, copied), ("copy", source, copied), "copied bytes"),
            (updated, etag, ("update", updated, etag, "ours"), ("update", updated, etag, "the peer's"), "the peer's"),
        ]

        def work(key, expected, our_words, peer_words, body):
            match = {**OUR_ATTEMPT, "path_contains": key}
            writer, _, rule = self.begun("hold", match, *our_words, name=f"killed-{key}")
            writer.kill()
            self.lets_go(rule, "discard")
            record = self.record(key, expected)
            self.assertEqual({"nonce", "fence"} - set(record), set(), record)
            # The version that we were about to replace was ours as well: then the record says so.
            self.assertEqual("saw" in record, expected != "*", record)
            self.takes_over(*peer_words)
            taken = self.record(key, expected)
            self.assertEqual(int(taken["generation"]["N"]), int(record["generation"]["N"]) + 1)
            self.assertNotIn("nonce", taken)
            self.stands(key, body)

        in_parallel([lambda parts=parts: work(*parts) for parts in works])

    def test_a_write_that_had_landed_before_the_kill_is_a_conflict_for_the_peer(self):
        key = self.key("landed")
        writer, _, rule = self.begun("hold_answer", {**OUR_ATTEMPT, "path_contains": key}, "create", key, "ours")
        writer.kill()
        self.lets_go(rule, "discard")
        answer = self.peer()("create", key, "the peer's")
        self.assertEqual(answer.word, "conflict", answer)
        self.stands(key, "ours")

    def test_paused_before_its_put_it_sends_nothing_when_it_goes_on(self):
        key = self.key("before-put")
        writer, answer, rule = self.begun("hold_answer", OUR_RECORD, "create", key, "ours")
        writer.pause()
        self.lets_go(rule)
        self.takes_over("create", key, "the peer's")
        writer.go_on()
        self.assertEqual(answer().word, "conflict")
        self.assertEqual(self.router.requests(path_contains=key, **OUR_ATTEMPT), [])
        self.stands(key, "the peer's")

    def test_paused_in_its_put_the_late_request_is_refused_and_the_verdict_is_unknown(self):
        key = self.key("in-put")
        writer, answer, rule = self.begun("hold", {**OUR_ATTEMPT, "path_contains": key}, "create", key, "ours")
        writer.pause()
        self.takes_over("create", key, "the peer's")
        self.lets_go(rule)
        self.assertEqual(self.met(rule)["upstream_status"], 403)
        writer.go_on()
        # V3: a 403 for an expired signature says nothing of other copies of the request, and the peer, which leaves no
        # nonce behind, may have taken over from a write that stood there.
        verdict = answer()
        self.assertEqual(verdict.word, "unknown", verdict)
        self.assertTrue(verdict.rest.startswith("R13.F "), verdict)
        self.stands(key, "the peer's")

    # ---------------------------------------------------------------------------------------------------- a fleet

    def victim(self, rule, writers):
        """The writer whose request the rule met."""
        name = re.search(r"(?im)^user-agent: *(\S+)", self.met(rule)["head"])[1]
        return writers[name]

    def disturb(self, key, writers, action, match, how):
        """One fault on the next attempt or record of ours; then the others go on before the next one."""
        rule = self.router.add(action, times=1, **match)
        self.waits_for(rule)
        victim = self.victim(rule, writers)
        before = self.etag_of(key)
        if how == "pause":
            victim.pause()
            if action == "hold_answer":
                self.lets_go(rule)
            self.wait_for_commit(key, before)
            if action == "hold":
                self.lets_go(rule)
                self.assertEqual(self.met(rule)["upstream_status"], 403, "the paused one's request must be dead")
            victim.go_on()
        else:
            victim.kill()
            self.lets_go(rule, how)
            self.wait_for_commit(key, before)
        calm = self.router.add("pass", method="PUT", path_contains=key, times=CALM)
        self.waits_for(calm, CALM)
        return victim.name

    def test_a_log_stays_exact_while_our_writers_are_killed_and_paused(self):
        ours = [self.our_short(f"ours{n}") for n in range(5)]
        peers = [self.peer(f"peer{n}") for n in range(3)]
        key = self.key("log")
        self.ok_answer(peers[0]("create", key, "start"))
        for writer in ours:  # R13: from its first commit a client knows what ETags the store makes
            self.ok_answer(writer("create", self.key(writer.name), "warm"))
        stop = threading.Event()
        logs = {writer.name: [] for writer in ours + peers}

        def append(writer):
            entries = itertools.takewhile(lambda _: not stop.is_set(), itertools.count())
            try:
                refusals = f"conflict|not_executed|{EXPIRED_BESIDE_PEERS}" if writer in ours else "conflict|not_executed"
                self.append_until(writer, key, (f"{writer.name}-{n}" for n in entries), logs[writer.name], refusals)
                return None
            except Gone:
                return writer.name

        def chaos():
            writers = {writer.name: writer for writer in ours}
            attempt = {**OUR_ATTEMPT, "path_contains": key}
            try:
                return [
                    self.disturb(key, writers, "hold", attempt, "pause"),
                    self.disturb(key, writers, "hold", attempt, "discard"),
                    self.disturb(key, writers, "hold_answer", OUR_RECORD, "pause"),
                    self.disturb(key, writers, "hold", attempt, "forward"),
                ]
            finally:
                stop.set()

        disturbed, *ended = in_parallel([chaos] + [lambda writer=writer: append(writer) for writer in ours + peers])
        self.assertEqual({name for name in ended if name}, {disturbed[1], disturbed[3]}, "who was killed, and only who")
        log = sum(logs.values(), [])
        standing = self.check_log(key, log)
        self.assertEqual(sum(word == "gone" for _, word in log), 2)
        for side in ("ours", "peer"):
            self.assertGreater(sum(token.startswith(side) for token in standing), 0, f"{side} never committed")
        unknown = sum(word == "unknown" for _, word in log)
        print(f"{len(standing)} commits, {len(log)} calls, {unknown} unknown", file=sys.stderr)


if __name__ == "__main__":
    main(Kills)
