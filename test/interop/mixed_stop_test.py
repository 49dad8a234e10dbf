#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The peer is stopped between two of its requests: the router keeps the next one, or the answer to the last one.

Its late write is the one hole that no client can close (P2): shown here as it is.
"""

import itertools
import os
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fleet import (
    LONG_LEASE_MS,
    OUR_ATTEMPT,
    OUR_RATE,
    PEER_ATTEMPT,
    PEER_LEASE_MS,
    PEER_RATE,
    PEER_RECORD,
    FleetCase,
    in_parallel,
    main,
)

BOUND_S = PEER_LEASE_MS * OUR_RATE / 1000
SLACK_S = 30  # less than the wait for a lease of our own: 40 s
CALM = 20  # attempts between two stops


class Stops(FleetCase):
    def stopped_peer(self, action, match, *words):
        """A peer with a short lease whose one request is held: (answer of its command, the rule)."""
        peer = self.peer(lease_ms=PEER_LEASE_MS, rate=PEER_RATE)
        rule = self.router.add(action, times=1, **match)
        answer = peer.start(*words)
        self.waits_for(rule)
        return answer, rule

    def patient(self, headers):
        """Ours with the default lengths, so that its attempt does not die while the test looks."""
        return self.ours(f"ours-{headers}", LONG_LEASE_MS, OUR_RATE, (f"headers={headers}",))

    def takes_over(self, answer):
        self.ok_answer(answer)
        self.assertTrue(answer.took_over, answer)
        self.assertGreaterEqual(answer.took_s, BOUND_S, "the peer's whole lease times our rate must pass")
        self.assertLess(answer.took_s, BOUND_S + SLACK_S)

    def stands(self, key, body):
        self.assertEqual(self.ok("get", self.url(key)).text, body)

    # ---------------------------------------------------------------------------------------- before its record

    def test_a_peer_stopped_before_its_record_is_told_conflict(self):
        key = self.key("before-record")
        theirs, rule = self.stopped_peer("hold", {**PEER_RECORD}, "create", key, "the peer's")
        answer = self.ok_answer(self.patient("off")("create", key, "ours"))
        self.assertFalse(answer.took_over)
        self.lets_go(rule)
        self.assertEqual(theirs().word, "conflict")
        self.stands(key, "ours")

    # ---------------------------------------------------------------------------- between its record and its PUT

    def test_a_peer_that_wakes_after_its_lease_writes_nothing_more(self):
        key = self.key("wakes")
        theirs, rule = self.stopped_peer("hold_answer", {**PEER_RECORD}, "create", key, "the peer's")
        self.takes_over(self.patient("off")("create", key, "ours"))
        self.lets_go(rule)
        self.assertEqual(theirs().word, "error")
        self.assertEqual(self.router.requests(path_contains=key, **PEER_ATTEMPT), [])
        self.stands(key, "ours")

    def test_we_replace_and_copy_after_the_bound_where_the_peer_stopped(self):
        ours = self.patient("off")
        key, source = self.key("replaced"), self.key("source")
        made = self.ok_answer(ours("create", key, "first"))
        self.ok_answer(ours("create", source, "copied"))
        match = {**PEER_ATTEMPT, "path_contains": key}
        theirs, rule = self.stopped_peer("hold", match, "update", key, made.etag, "the peer's")
        target = self.key("target")
        match = {**PEER_ATTEMPT, "path_contains": target}
        copies, copy_rule = self.stopped_peer("hold", match, "copy", source, target)
        other = self.ours("other", LONG_LEASE_MS, OUR_RATE).start("copy", source, target)
        self.takes_over(ours("update", key, made.etag, "ours"))
        self.takes_over(other())
        for late, held in ((theirs, rule), (copies, copy_rule)):
            self.assertEqual(late().word, "error")
            self.lets_go(held, "discard")  # it never arrives: what stands is ours
        self.stands(key, "ours")
        self.stands(target, "copied")

    # ---------------------------------------------------------------------------------------------------- a fleet

    def stop_one(self, key, action, match, after):
        """Stops a peer once, until the others have committed; then what was held is let go, or never arrives."""
        rule = self.router.add(action, times=1, **match)
        self.waits_for(rule)
        before = self.etag_of(key)
        self.wait_for_commit(key, before)
        self.lets_go(rule, after)
        calm = self.router.add("pass", method="PUT", path_contains=key, times=CALM)
        self.waits_for(calm, CALM)

    def test_a_log_stays_exact_while_peers_are_stopped(self):
        ours = [self.ours(f"ours{n}", LONG_LEASE_MS, OUR_RATE) for n in range(4)]
        peers = [self.peer(f"peer{n}", PEER_LEASE_MS, PEER_RATE) for n in range(3)]
        key = self.key("log")
        self.ok_answer(peers[0]("create", key, "start"))
        stop = threading.Event()
        logs = [[] for _ in ours + peers]

        def append(writer, log):
            entries = itertools.takewhile(lambda _: not stop.is_set(), itertools.count())
            refusals = "conflict|error" if writer in peers else "conflict|not_executed"
            self.append_until(writer, key, (f"{writer.name}-{n}" for n in entries), log, refusals)

        def stops():
            try:
                self.stop_one(key, "hold", PEER_RECORD, "forward")
                self.stop_one(key, "hold", PEER_ATTEMPT, "discard")
                self.stop_one(key, "hold_answer", PEER_RECORD, "forward")
            finally:
                stop.set()

        in_parallel([stops] + [lambda w=w, log=log: append(w, log) for w, log in zip(ours + peers, logs)])
        log = sum(logs, [])
        standing = self.check_log(key, log)  # what a stopped peer is unsure of does not stand: it never arrived
        errors = [token for token, word in log if word == "error"]
        self.assertGreaterEqual(len(errors), 1)
        print(f"{len(standing)} commits, {len(log)} calls, {len(errors)} errors of the peers", file=sys.stderr)

    # ------------------------------------------------------------------------------------------- its late write

    def test_expected_hole_a_late_write_of_the_peer_overwrites_our_commit(self):
        key = self.key("late")
        theirs, rule = self.stopped_peer("hold", PEER_ATTEMPT, "create", key, "the peer's, late")
        ours = self.patient("on")
        answer = ours("create", key, "ours")
        self.takes_over(answer)
        self.stands(key, "ours")
        self.assertEqual(theirs().word, "error", "the peer gives up when its lease ends")
        # Its request is under way all the same, without a date at which it dies and without a condition.
        self.lets_go(rule)
        late = self.met(rule)
        self.assertEqual(late["upstream_status"], 200)
        self.assertNotIn("if-none-match", late["head"].lower())
        self.stands(key, "the peer's, late")
        # What we committed is gone, and whoever builds upon it is told so.
        self.assertEqual(ours("update", key, answer.etag, "ours, second").word, "conflict")

    def late_write_before_ours(self, headers):
        """The peer's late write lands between our takeover and our PUT: (our answer, our PUT's status)."""
        key = self.key(f"late-{headers}")
        theirs, rule = self.stopped_peer("hold", PEER_ATTEMPT, "create", key, "the peer's, late")
        our_rule = self.router.add("hold", times=1, **OUR_ATTEMPT)
        pending = self.patient(headers).start("create", key, "ours")
        self.waits_for(our_rule)
        self.lets_go(rule)
        self.assertEqual(self.met(rule)["upstream_status"], 200)
        self.assertEqual(theirs().word, "error")
        self.lets_go(our_rule)
        answer = pending()
        self.assertGreaterEqual(answer.took_s, BOUND_S)
        return key, answer, self.met(our_rule)["upstream_status"]

    def test_with_condition_headers_we_do_not_overwrite_the_late_write_of_the_peer(self):
        key, answer, status = self.late_write_before_ours("on")
        self.assertEqual((answer.word, status), ("conflict", 412), answer)
        self.stands(key, "the peer's, late")

    def test_without_condition_headers_we_do_overwrite_it(self):
        key, answer, status = self.late_write_before_ours("off")
        self.assertEqual((answer.word, status), ("ok", 200), answer)
        self.stands(key, "ours")


if __name__ == "__main__":
    main(Stops)
