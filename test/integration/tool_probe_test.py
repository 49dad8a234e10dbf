#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`oscommit probe` on real servers: it prints what was measured there (test/data/stores), takes nothing that a proxy
says for the store's word, and leaves nothing behind."""

import json
import os
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from oscommit_testing import ABSENT, DENIED, NOT_EXECUTED, BackendCase, main, signed_request

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "stores")
PROOF = 50  # rounds that prove a condition: OS_PROBE_PROOF_ROUNDS
SHORT = ["--rounds", "1", "--writers", "4", "--no-held-body"]
AT_ONCE = 3  # writes of a kind: EVIDENCE_WANTED


def found(profile, path):
    request, _, field = path.partition(".")
    return profile["requests"][request][field] if field else profile[request]


class ProbeCase(BackendCase):
    def nothing_is_left(self):
        self.assertEqual(self.ok("ls", "--recursive", self.store + "/").out, b"")
        bucket = self.store[len("s3://"):]
        # MinIO names uploads of whole keys only: there this looks at nothing, on the others it does.
        status, _, body = signed_request(self.store_endpoint, "s3", "GET", "/" + bucket, query="uploads=")
        self.assertEqual(status, 200, body)
        self.assertNotIn(b"<UploadId>", body)

    def probe(self, *arguments, **options):
        return self.ok("probe", self.store + "/", "--json", *arguments, timeout=600, **options).line()


class Truth(ProbeCase):
    def test_it_finds_what_was_measured(self):
        with open(os.path.join(DATA, self.backend.name + ".json"), encoding="utf-8") as file:
            expected = {"versioned": "no", **json.load(file)["truth"]}
        path = os.path.join(self.folder, "store.json")
        line = self.probe("--profile-out", path, "--store-version", "here", "--rounds", str(PROOF))
        self.assertEqual((line["command"], line["verdict"]), ("probe", "done"))
        profile = line["profile"]
        self.assertEqual({name: found(profile, name) for name in expected}, expected)
        self.assertEqual(profile["version"], "here")
        self.assertRegex(profile["measured_on"], r"^\d{4}-\d\d-\d\d$")
        self.assertEqual(line["modes"]["copy"], {"absent": "record", "match": "record"})
        self.assertEqual(line["auto"]["match"], "record")  # nowhere here is DELETE proven
        with open(path, encoding="utf-8") as file:
            self.assertEqual(json.load(file), profile)
        self.nothing_is_left()
        url = self.new_url("used")
        self.ok("put", "-", url, "--if-absent", "--store-profile", path, data=b"x")
        self.ok("rm", url)

    def test_people_get_a_table(self):
        text = self.ok("probe", self.store + "/", *SHORT, timeout=600).text
        for words in ("PutObject", "DeleteObject", "--guard auto", "expired signatures"):
            self.assertIn(words, text)
        self.nothing_is_left()


class OnMinio(ProbeCase):
    """What does not depend on the store is tested on one that enforces the conditions of PUT."""

    def setUp(self):
        if self.backend.name != "minio":
            self.skipTest("tested on MinIO")


class Doubt(OnMinio):

    def rule(self, condition, action, **more):
        store, _, environment = self.proxies()
        rule = store.add(action, method="PUT", has_header=condition, lacks_header="x-amz-copy-source", **more)
        profile = self.probe(*SHORT, environment=environment)["profile"]
        self.assertTrue(store.wait_hits(rule))
        self.nothing_is_left()
        return profile["requests"]["put"]

    def test_one_501_or_503_changes_nothing(self):
        for status in (501, 503):
            put = self.rule("if-none-match", "answer", status=status, times=1)
            self.assertEqual((put["absent"], put["absent_atomic"]), ("enforced", True))

    def test_one_answer_that_is_lost_changes_nothing(self):
        put = self.rule("if-match", "drop_answer", times=1)
        self.assertEqual((put["match"], put["absent"]), ("enforced", "enforced"))

    def test_a_proxy_that_always_says_501_or_503_makes_it_unknown(self):
        for status in (501, 503):
            put = self.rule("if-none-match", "answer", status=status)
            self.assertEqual((put["absent"], put["absent_atomic"], put["match"]), ("unknown", False, "enforced"))

    def test_a_412_for_what_was_written_makes_it_unknown(self):
        put = self.rule("if-match", "answer_after", status=412, body="")
        self.assertEqual((put["match"], put["match_atomic"], put["absent"]), ("unknown", False, "enforced"))

    def test_a_200_for_what_was_not_written_makes_it_unknown(self):
        put = self.rule("if-none-match", "answer", status=200, headers='ETag: "0"\r\n', body="")
        self.assertEqual((put["absent"], put["absent_atomic"]), ("unknown", False))

    def test_a_header_that_is_stripped_is_not_taken_for_enforced(self):
        put = self.rule("if-none-match", "strip_request", header="if-none-match")
        self.assertNotEqual(put["absent"], "enforced")
        self.assertFalse(put["absent_atomic"])


class Ended(OnMinio):
    def test_what_is_interrupted_cleans_up(self):
        store, _, environment = self.proxies()
        # All that is on its way has been written by then: what the store is still at may land after it was removed.
        rule = store.add("hold_answer", method="PUT", has_header="if-match", times=AT_ONCE)
        process = self.start("probe", self.store + "/", *SHORT, environment=environment)
        self.assertTrue(store.wait_hits(rule, AT_ONCE))
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, NOT_EXECUTED, err)
        self.assertIn(b"cancelled", err)
        store("release", id=rule, how="forward")
        self.nothing_is_left()

    def test_a_deadline_that_passes_cleans_up(self):
        store, _, environment = self.proxies()
        rule = store.add("hold_answer", method="PUT")  # written, as above, and not answered
        # Shorter than the patience with an answer, so that nothing is sent again.
        ran = self.exits(
            NOT_EXECUTED, "probe", self.store + "/", *SHORT, "--deadline-ms", "8000", environment=environment
        )
        self.assertTrue(store.wait_hits(rule))
        self.assertIn("deadline", ran.errors)
        self.nothing_is_left()

    def test_a_bucket_that_is_not_there_is_named(self):
        ran = self.exits(ABSENT, "probe", f"s3://none-{time.time_ns()}/", *SHORT, "--json")
        self.assertEqual(ran.line()["error"]["code"], "OS_ERR_NO_BUCKET")

    def test_who_is_refused_has_left_nothing(self):
        ran = self.exits(DENIED, "probe", self.store + "/", *SHORT, environment={"AWS_SECRET_ACCESS_KEY": "wrong" * 8})
        self.assertNotIn("remove", ran.errors)

    def test_an_embedded_store_needs_none(self):
        root = os.path.join(self.folder, "embedded")
        self.ok("init", root)
        ran = self.exits(NOT_EXECUTED, "probe", f"file://{root}/", "--json", environment={"OSCOMMIT_LEDGER": ""})
        self.assertEqual(ran.line()["error"]["code"], "OS_ERR_UNSUPPORTED")

    def test_a_profile_that_cannot_be_written_is_said_before_anything_is_asked(self):
        ran = self.exits(NOT_EXECUTED, "probe", self.store + "/", "--profile-out", "/nonexistent/store.json")
        self.assertIn("/nonexistent/store.json", ran.errors)
        self.nothing_is_left()


if __name__ == "__main__":
    main(Truth, Doubt, Ended, only=["minio", "versitygw", "gofakes3"])
