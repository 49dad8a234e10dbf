#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every command of the tool on every backend: what it does, what it prints, its exit status."""

import hashlib
import json
import os
import shlex
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from oscommit_testing import (
    ABSENT,
    CONFLICT,
    DONE,
    NOT_EXECUTED,
    OUTPUT,
    SECRET_KEY,
    USAGE,
    BackendCase,
    dynamo,
    main,
    md5_etag,
    signed_request,
    tool,
)


class Gc(BackendCase):
    def test_where_nothing_was_left_nothing_is_found(self):
        url = self.new_url("clean")
        self.ok("put", "-", url, "--if-absent", data=b"x")
        lines = [json.loads(line) for line in self.ok("gc", url, "--json").out.splitlines()]
        self.assertEqual([(line["verdict"], line["found"], line["removing"]) for line in lines], [("done", 0, False)])
        self.assertTrue(self.ok("gc", url, "--remove", "--older-than", "7d").text.startswith("0 removed"))
        self.assertEqual(self.ok("get", url).out, b"x")

    def test_an_age_that_is_none_is_refused(self):
        for age in ("", "x", "0", "1w", "-1d", "11y", "99999999999999999999"):
            self.exits(USAGE, "gc", self.new_url("age"), "--older-than", age)


class Versions(BackendCase):
    def test_what_is_current_is_a_version_too(self):
        url = self.new_url("version")
        self.ok("put", "-", url, "--if-absent", data=b"x")
        if self.backend.name not in ("minio", "versitygw"):
            return self.skipTest("no versions here, or other ids of them")
        (found,) = [json.loads(line) for line in self.ok("ls", url, "--versions", "--json").out.splitlines()]
        self.assertEqual((found["is_latest"], found["is_delete_marker"], found["length"]), (True, False, 1))
        self.assertIn(" latest ", self.ok("ls", url, "--versions").text)
        if self.backend.name == "minio":  # versitygw 1.8.0 knows no "null" where versioning was never turned on
            self.assertEqual(self.ok("head", url, "--version-id", "null", "--json").line()["etag"], md5_etag(b"x"))
            self.assertEqual(self.ok("get", url, "--version-id", "null").out, b"x")
        ran = self.run_tool("cp", url, self.new_url("none"), "--if-absent", "--source-version-id",
                            "b0b0b0b0-0000-4000-8000-000000000000")
        self.assertIn(ran.status, (ABSENT, NOT_EXECUTED), ran)  # versitygw calls the id invalid

    def test_versions_and_a_delimiter_exclude_each_other(self):
        self.exits(USAGE, "ls", self.new_url("usage"), "--versions", "--delimiter", "/")


class Rewritten(BackendCase):
    def test_an_old_version_is_copied_onto_its_own_key(self):
        if self.backend.name not in ("minio", "versitygw"):
            return self.skipTest("no versions here, or other ids of them")
        enabled = b"<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"
        bucket = "/" + self.store.removeprefix("s3://")
        status, _, body = signed_request(self.store_endpoint, "s3", "PUT", bucket, enabled, query="versioning=")
        self.assertEqual(status, 200, body)
        url = self.new_url("again")
        old = self.ok("put", "-", url, "--if-absent", "--json", data=b"old").line()["version_id"]
        new = self.ok("put", "-", url, "--if-match", md5_etag(b"old"), "--json", data=b"new").line()["etag"]
        self.exits(CONFLICT, "cp", url, url, "--source-version-id", old, "--if-match", md5_etag(b"old"))
        self.ok("cp", url, url, "--source-version-id", old, "--if-match", new)
        self.assertEqual(self.ok("get", url).out, b"old")
        self.exits(USAGE, "cp", url, url, "--if-match", md5_etag(b"old"))


class Put(BackendCase):
    def test_a_file_is_put_once(self):
        url = self.new_url("once")
        first = self.ok("put", self.file("a", b"hello"), url, "--if-absent")
        self.assertTrue(first.text.startswith(f"committed {url} etag {md5_etag(b'hello')} ("), first)
        if self.backend.fence:  # without one the tool warns (E7)
            self.assertEqual(first.err, b"")
        second = self.exits(CONFLICT, "put", self.file("b", b"other"), url, "--if-absent")
        self.assertTrue(second.text.startswith(f"conflict {url} found {md5_etag(b'hello')}"), second)
        self.assertIn("Nothing was written", second.errors)
        self.assertEqual(self.ok("get", url).out, b"hello")

    def test_json_says_what_happened(self):
        url = self.new_url("json")
        done = self.ok("put", "-", url, "--if-absent", "--json", data=b"x").line()
        self.assertEqual((done["command"], done["object"], done["verdict"]), ("put", url, "committed"))
        self.assertEqual((done["etag"], done["rule"], done["attempts"], done["guards"]), (md5_etag(b"x"), "R9", 1, 1))
        self.assertEqual(done["fenced"], self.backend.fence)
        self.assertFalse(done["took_over"])
        self.assertNotIn("error", done)
        again = self.exits(CONFLICT, "put", "-", url, "--if-absent", "--json", data=b"y").line()
        self.assertEqual((again["verdict"], again["found_etag"]), ("conflict", md5_etag(b"x")))
        self.assertEqual(again["error"]["code"], "OS_ERR_CONFLICT")
        self.assertNotIn("ticket", again)

    def test_stdin_is_put_and_stdout_is_got(self):
        url = self.new_url("stdio")
        data = bytes(range(256)) * 1000
        self.ok("put", "-", url, "--if-absent", data=data)
        self.assertEqual(self.ok("get", url, "-").out, data)
        self.assertEqual(self.ok("get", url).out, data)

    def test_an_empty_stdin_is_an_empty_object(self):
        url = self.new_url("empty")
        self.ok("put", "-", url, "--if-absent", data=b"")
        self.assertEqual(self.ok("get", url).out, b"")

    def test_a_version_is_replaced_by_its_etag(self):
        url = self.new_url("versions")
        etag = self.ok("put", "-", url, "--if-absent", "--json", data=b"1").line()["etag"]
        for number in (b"2", b"3"):
            etag = self.ok("put", "-", url, "--if-match", etag, "--json", data=number).line()["etag"]
        self.assertEqual(etag, md5_etag(b"3"))
        stale = self.exits(CONFLICT, "put", "-", url, "--if-match", md5_etag(b"1"), "--json", data=b"4").line()
        self.assertEqual(stale["found_etag"], etag)
        self.ok("put", "-", url, "--if-match", etag.strip('"'), data=b"5")
        self.assertEqual(self.ok("get", url).out, b"5")

    def test_a_plain_put_overwrites(self):
        url = self.new_url("plain")
        self.ok("put", "-", url, data=b"1")
        done = self.ok("put", "-", url, "--json", data=b"2").line()
        self.assertEqual((done["verdict"], done["etag"]), ("done", md5_etag(b"2")))
        self.assertEqual(self.ok("get", url).out, b"2")

    def test_headers_and_metadata_are_stored(self):
        url = self.new_url("headers")
        self.ok(
            "put",
            "-",
            url,
            "--if-absent",
            "--content-type",
            "text/x-test",
            "--metadata",
            "colour=blue",
            "--metadata",
            "shape=round",
            data=b"x",
        )
        self.assertEqual(self.ok("head", url, "--json").line()["content_type"], "text/x-test")

    def test_a_pipe_of_any_length_is_put_in_parts(self):
        data = bytes(range(251)) * ((21 << 20) // 251)
        for command in ("put", "cp"):
            url = self.new_url("large")
            flags = ("--part-size", str(5 << 20), "--parts-at-once", "2", "--json")
            if self.backend.v2:  # which has no uploads here
                with open(self.file("large", data), "rb") as unread:
                    ran = self.exits(NOT_EXECUTED, command, "-", url, "--if-absent", *flags, stdin=unread)
                self.assertEqual(ran.line()["error"]["code"], "OS_ERR_TOO_LARGE")
                self.exits(ABSENT, "head", url)
                continue
            ran = self.ok(command, "-", url, "--if-absent", *flags, data=data)
            self.assertEqual(ran.line()["request"], "CompleteMultipartUpload")
            self.assertEqual(self.ok("get", url, "-").out, data)
            with open(self.file("large", data), "rb") as unread:
                self.exits(CONFLICT, command, "-", url, "--if-absent", stdin=unread)
            self.ok(command, "-", url, data=data)
            self.assertEqual(self.ok("get", url, "-").out, data)

    def test_a_pipe_that_outlasts_the_deadline_is_not_executed(self):
        for guard in (("--if-absent",), ()):
            read, write = os.pipe()
            url = self.new_url("slow")
            with os.fdopen(read, "rb") as slow, os.fdopen(write, "wb") as ours:
                ours.write(bytes(9 << 10))
                ours.flush()
                ran = self.run_tool("put", "-", url, "--json", "--deadline-ms", "500", *guard, stdin=slow)
            self.assertEqual(ran.status, NOT_EXECUTED, ran)
            self.assertEqual(ran.line()["error"]["code"], "OS_ERR_DEADLINE")
            self.exits(ABSENT, "head", url)

    def test_a_missing_file_is_not_executed(self):
        ran = self.exits(NOT_EXECUTED, "put", "/nonexistent/file", self.new_url("none"), "--if-absent")
        self.assertIn("/nonexistent/file", ran.errors)

    def test_quiet_prints_nothing(self):
        ran = self.ok("put", "-", self.new_url("quiet"), "--if-absent", "--quiet", data=b"x")
        self.assertEqual((ran.out, ran.err), (b"", b""))

    def test_verbose_says_whether_the_store_gives_fences(self):
        if self.backend.embedded or self.backend.v2:
            self.skipTest("is not asked whether it refuses expired requests")
        ran = self.ok("put", "-", self.new_url("fenced"), "--if-absent", "-v", data=b"x")
        self.assertIn("records %s fences" % ("carry" if self.backend.fence else "carry no"), ran.errors)

    def test_verbose_logs_without_secrets(self):
        ran = self.ok("put", "-", self.new_url("verbose"), "--if-absent", "-v", "-v", data=b"x")
        self.assertNotEqual(ran.err, b"")
        self.assertNotIn(SECRET_KEY, ran.errors + ran.text)
        self.assertNotIn("X-Amz-Signature=", ran.errors)

    def test_keys_with_odd_characters(self):
        if self.backend.v2:
            self.skipTest("libs3 sends a blank as a plus sign")
        for key in ("with space", "plus+plus", "per%20cent", "a&b=c#d?e", "комета/日本"):
            self.ok("put", "-", self.url(key), "--if-absent", data=key.encode())
            self.assertEqual(self.ok("get", self.url(key)).out, key.encode())


class Get(BackendCase):
    def test_a_range_and_a_file(self):
        url = self.new_url("range")
        self.ok("put", "-", url, data=b"0123456789")
        self.assertEqual(self.ok("get", url, "-", "--range", "2-4").out, b"234")
        self.assertEqual(self.ok("get", url, "-", "--range", "7-").out, b"789")
        path = os.path.join(self.folder, "got")
        self.ok("get", url, path)
        with open(path, "rb") as got:
            self.assertEqual(got.read(), b"0123456789")

    def test_an_absent_object_is_not_executed_and_leaves_no_file(self):
        path = os.path.join(self.folder, "never")
        ran = self.exits(ABSENT, "get", self.url("no/such/object"), path, "--json")
        self.assertEqual(ran.line()["error"]["code"], "OS_ERR_NOT_FOUND")
        self.assertIn("no/such/object", ran.errors)
        self.assertFalse(os.path.exists(path))

    def test_head_shows_and_misses(self):
        url = self.new_url("head")
        self.ok("put", "-", url, "--if-absent", data=b"hello")
        head = self.ok("head", url, "--json").line()
        self.assertEqual((head["etag"], head["length"]), (md5_etag(b"hello"), 5))
        self.assertEqual(len(head["nonce"]), 32)
        self.assertRegex(head["last_modified"], r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        text = self.ok("head", url).text
        for part in (url, md5_etag(b"hello"), head["nonce"]):
            self.assertIn(part, text)
        self.assertNotIn("replaced", head)
        self.ok("put", "-", url, "--if-match", head["etag"], data=b"again")
        after = self.ok("head", url, "--json").line()
        self.assertEqual(after["replaced"], head["nonce"])
        self.assertRegex(self.ok("head", url).text, "(?m)^replaced +" + head["nonce"] + "$")
        missing = self.exits(ABSENT, "head", self.url("nothing"), "--json").line()
        self.assertEqual(missing["error"]["code"], "OS_ERR_NOT_FOUND")

    def test_a_reader_that_stops_early_ends_the_tool(self):
        url = self.new_url("pipe")
        self.ok("put", "-", url, data=bytes(3 << 20))
        process = self.start("get", url)
        self.assertEqual(len(process.stdout.read(10)), 10)
        process.stdout.close()
        process.stderr.read()
        process.stderr.close()
        self.assertNotEqual(process.wait(120), DONE)


class List(BackendCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for key in ("list/a", "list/b/1", "list/b/2", "list/c-d"):
            ran = cls.run_tool("put", "-", f"{cls.store}/{key}", data=b"x")
            assert ran.status == DONE, ran

    def test_one_level_and_all(self):
        level = self.ok("ls", self.url("list/"), "--json").lines()
        self.assertEqual([line.get("key") or line["prefix"] for line in level], ["list/a", "list/b/", "list/c-d"])
        every = self.ok("ls", self.url("list/"), "--recursive", "--json").lines()
        self.assertEqual([line["key"] for line in every], ["list/a", "list/b/1", "list/b/2", "list/c-d"])
        self.assertEqual(every[0]["object"], self.url("list/a"))
        self.assertEqual((every[0]["length"], every[0]["etag"]), (1, md5_etag(b"x")))

    def test_a_person_sees_keys(self):
        lines = self.ok("ls", self.url("list/")).text.splitlines()
        self.assertEqual([line.split(None, 2)[-1].strip() for line in lines[:1]], ["list/a"])
        self.assertTrue(lines[1].endswith("list/b/"))

    def test_bounds(self):
        some = self.ok("ls", self.url("list/"), "--recursive", "--json", "--start-after", "list/a", "--max-keys", "2")
        self.assertEqual([line["key"] for line in some.lines()], ["list/b/1", "list/b/2"])
        self.assertEqual(self.ok("ls", self.url("nothing/here/"), "--json").out, b"")


class CopyMoveRemove(BackendCase):
    def test_cp_from_and_to_files(self):
        url = self.new_url("cp-file")
        self.ok("cp", self.file("from", b"bytes"), url, "--if-absent")
        path = os.path.join(self.folder, "to")
        self.ok("cp", url, path)
        with open(path, "rb") as got:
            self.assertEqual(got.read(), b"bytes")

    def test_cp_inside_the_store_is_guarded(self):
        source, target = self.new_url("cp-source"), self.new_url("cp-target")
        self.ok("put", "-", source, "--content-type", "text/x-test", data=b"copied")
        self.exits(USAGE, "cp", source, target)
        done = self.ok("cp", source, target, "--if-absent", "--json").line()
        self.assertEqual((done["verdict"], done["object"]), ("committed", target))
        self.assertEqual(self.ok("head", target, "--json").line()["content_type"], "text/x-test")
        self.exits(CONFLICT, "cp", source, target, "--if-absent")
        self.ok("put", "-", source, data=b"newer")
        self.ok("cp", source, target, "--if-match", md5_etag(b"copied"))
        self.assertEqual(self.ok("get", target).out, b"newer")

    def test_cp_of_a_missing_or_changed_source_is_not_executed(self):
        missing = self.exits(ABSENT, "cp", self.url("no-source"), self.new_url("cp"), "--if-absent", "--json")
        self.assertEqual(missing.line()["error"]["code"], "OS_ERR_SOURCE")
        source = self.new_url("pinned")
        self.ok("put", "-", source, data=b"x")
        other = self.exits(
            NOT_EXECUTED, "cp", source, self.new_url("cp"), "--if-absent", "--source-etag", md5_etag(b"y"), "--json"
        )
        self.assertEqual(other.line()["error"]["code"], "OS_ERR_SOURCE")

    def test_mv_renames_once(self):
        source, target = self.new_url("mv-from"), self.new_url("mv-to")
        self.ok("put", "-", source, data=b"moved")
        self.ok("mv", source, target)
        self.assertEqual(self.ok("get", target).out, b"moved")
        self.exits(ABSENT, "head", source)
        self.ok("put", "-", source, data=b"again")
        self.exits(CONFLICT, "mv", source, target)
        self.assertEqual(self.ok("get", source).out, b"again")

    def test_rm_of_a_version_and_plainly(self):
        url = self.new_url("rm")
        self.ok("put", "-", url, data=b"x")
        refused = self.exits(CONFLICT, "rm", url, "--if-match", md5_etag(b"y"))
        self.assertIn("Nothing was deleted.", refused.errors)
        self.assertEqual(self.ok("rm", url, "--if-match", md5_etag(b"x"), "--json").line()["verdict"], "committed")
        self.exits(CONFLICT, "rm", url, "--if-match", md5_etag(b"x"))
        self.ok("put", "-", url, data=b"z")
        self.assertEqual(self.ok("rm", url, "--json").line()["verdict"], "done")
        self.exits(ABSENT, "head", url)


class Table(BackendCase):
    def test_create_and_check_twice(self):
        if not self.backend.ttl:
            self.skipTest("this ledger has no TTL")
        self.ok("table", "create", "--store", self.store)
        self.ok("table", "create", "--store", self.store)
        line = self.ok("table", "check", "--store", self.store, "--json").line()
        self.assertEqual(line["verdict"], "done")
        self.assertIn("Nothing is wrong. Looked at: the ", line["sentence"])
        self.assertIn("fit for records.", line["sentence"])

    def test_show_and_ls(self):
        key = self.key("shown")
        made = self.ok("put", "-", self.url(key), "--if-absent", "--json", data=b"x").line()
        shown = self.ok("table", "show", self.url(key), "--json").line()
        self.assertEqual((shown["path"], shown["etag"], shown["generation"]), (key, "*", made["generation"]))
        self.assertFalse(shown["released"])
        self.assertEqual("fence_s" in shown, self.backend.fence)
        self.assertEqual(shown["other"], {})
        text = self.ok("table", "show", self.url(key)).text
        for part in (key, str(made["generation"]), shown["nonce"]):
            self.assertIn(part, text)
        listed = self.ok("table", "ls", "--store", self.store, "--json").lines()
        self.assertIn((key, "*"), [(line["path"], line["etag"]) for line in listed])
        self.assertEqual(shown["state"], "live" if self.backend.fence else "unfenced")
        self.assertAlmostEqual(shown["since_s"], time.time(), delta=60)
        human = self.ok("table", "ls", "--store", self.store, environment={"TZ": "XXX-5:30"}).text
        line = next(line for line in human.splitlines() if key in line)
        self.assertIn(time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(shown["since_s"] + 5.5 * 3600)), line)
        self.assertIn(shown["nonce"][:8], line)
        stuck = self.ok("table", "ls", self.store, "--stuck").text
        self.assertNotIn(key, stuck)
        self.exits(ABSENT, "table", "show", self.url("never-written"))

    def test_stuck_is_what_is_in_the_way_and_how_to_mend_it(self):
        if self.backend.embedded:
            self.skipTest("its rows are damaged in unit/api/poisoned_test.c")
        there, missing = self.key("damaged-there"), self.key("damaged-missing")
        self.ok("put", "-", self.url(there), "--if-absent", data=b"x")
        for key in (there, missing):
            item = {"path": {"S": key}, "etag": {"S": "*"}, "generation": {"S": "seven"}, "timeout": {"N": "20000"}}
            self.assertEqual(dynamo(self.ledger_endpoint, "PutItem", {"TableName": self.table, "Item": item})[0], 200)
        lines = self.ok("table", "ls", self.store, "--stuck").text.splitlines()
        self.assertEqual([line for line in lines if there in line], [])  # nobody creates what is there
        at = next(i for i, line in enumerate(lines) if missing in line)
        self.assertTrue(lines[at].startswith("damaged"))
        self.assertIn('"generation" is not a number', self.ok("table", "show", self.url(missing)).text)
        self.assertEqual(self.ok("table", "show", self.url(missing), "--json").line()["state"], "damaged")
        refused = self.exits(NOT_EXECUTED, "put", "-", self.url(missing), "--if-absent", data=b"x")
        self.assertIn("oscommit table release", refused.errors)
        command = shlex.split(lines[at + 1])
        self.assertEqual(command[0], "oscommit")
        self.ok(*command[1:])
        self.ok("put", "-", self.url(missing), "--if-absent", data=b"x")

    def test_release_hands_over(self):
        key = self.key("released")
        self.ok("put", "-", self.url(key), "--if-absent", "--length-s", "60", data=b"x")
        busy = self.exits(NOT_EXECUTED, "table", "release", self.url(key), "--json").line()
        self.assertEqual(busy["error"]["code"], "OS_ERR_BUSY")
        before = self.ok("table", "show", self.url(key), "--json").line()
        self.ok("table", "release", self.url(key), "--force")
        after = self.ok("table", "show", self.url(key), "--json").line()
        self.assertEqual((after["generation"], after["released"]), (before["generation"] + 1, True))
        self.assertEqual(after["nonce"], before["nonce"])
        self.exits(ABSENT, "table", "release", self.url(key))
        self.exits(ABSENT, "table", "release", self.url("never-written"), "--etag", "*")


class Surface(BackendCase):
    """What does not depend on the backend."""

    def test_version_and_help(self):
        version = self.ok("version", "--json").line()
        self.assertEqual(version["tool"], version["library"])
        self.assertIn(version["tool"], self.ok("--version").text)
        overview = self.ok("--help").text
        for command in (
            "init",
            "put",
            "cp",
            "mv",
            "rm",
            "get",
            "head",
            "ls",
            "table create",
            "table check",
            "table ls",
            "table show",
            "table release",
            "resolve",
            "race",
            "version",
        ):
            self.assertIn(command, overview)
            text = self.ok(*command.split(), "--help").text
            self.assertIn("usage: oscommit " + command, text)
            self.assertIn("Examples:", text)

    def test_bad_usage_is_2_and_says_why(self):
        url = self.url("usage")
        cases = [
            ([], "usage"),
            (["frobnicate"], "frobnicate"),
            (["put"], "put"),
            (["put", "a", "b", "c"], "put"),
            (["put", "-", url, "--no-such-flag"], "no-such-flag"),
            (["put", "-", url, "--if-match"], "if-match"),
            (["put", "-", url, "--if-absent", "--if-match", "x"], "if-match"),
            (["put", "-", "gs://bucket/key"], "gs://"),
            (["put", "-", "bare-key"], "bare-key"),
            (["get", self.store], "key"),
            (["table"], "table"),
            (["table", "frobnicate"], "frobnicate"),
            (["race", url, "--writers", "none"], "writers"),
            (["race", url, "--writers", "0"], "writers"),
            (["get", url, "-", "--range", "9-2"], "range"),
            (["put", "-", url, "--signature", "v9"], "signature"),
            (["resolve", url], "ticket"),
            (["head", url, "--timeout-ms", "-1"], "timeout"),
            (["put", "-", url, "--s3-endpoint", "http://user:word@127.0.0.1"], "credentials"),
        ]
        for arguments, part in cases:
            with self.subTest(arguments=arguments):
                ran = self.exits(USAGE, *arguments, data=b"")
                self.assertIn(part, ran.errors)
                self.assertNotIn("word@", ran.errors)
        line = self.exits(USAGE, "put", "-", url, "--json", "--signature", "v9", data=b"").line()
        self.assertEqual(line["verdict"], "bad usage")

    def test_settings_that_break_the_protocol_are_bad_usage(self):
        for flags in (["--ttl-s", "599", "--timeout-ms", "5000"], ["--max-clock-skew-rate", "1"], ["--length-s", "61"]):
            self.exits(USAGE, "put", "-", self.url("protocol"), "--if-absent", *flags, data=b"x")

    def test_init_makes_a_store_twice(self):
        root = os.path.join(self.folder, "made", "twice")
        os.mkdir(os.path.dirname(root))
        self.assertEqual(self.ok("init", root, "--json").line()["object"], "file://" + os.path.realpath(root))
        self.ok("init", root)
        self.ok("put", "-", f"file://{root}/a/b", "--if-absent", data=b"x")
        with open(os.path.join(root, "a", "b"), "rb") as plain:
            self.assertEqual(plain.read(), b"x")
        self.exits(USAGE, "init", "s3://bucket")
        self.exits(NOT_EXECUTED, "init", "/dev/null/nothing")

    def test_a_bare_key_needs_a_store(self):
        self.ok("put", "-", "bare/key", "--store", self.store, "--if-absent", data=b"x")
        self.assertEqual(self.ok("get", "bare/key", environment={"OSCOMMIT_STORE": self.store}).out, b"x")

    def test_a_result_that_stdout_does_not_take_is_a_failure(self):
        url = self.new_url("full-stdout")
        self.ok("put", "-", url, data=b"x")
        for command in (["head", url], ["get", url], ["ls", url]):
            with open("/dev/full", "wb") as full:
                ran = subprocess.run(
                    [tool(), *command],
                    env=self.base,
                    stdin=subprocess.DEVNULL,
                    stdout=full,
                    stderr=subprocess.PIPE,
                    timeout=120,
                    check=False,
                )
            self.assertEqual(ran.returncode, OUTPUT, (command, ran.stderr))
            self.assertNotEqual(ran.stderr, b"")

    def test_a_large_object_goes_through_a_pipeline_unchanged(self):
        data = hashlib.sha256(b"seed").digest() * (8 << 15)
        url = self.new_url("pipeline")
        self.ok("put", "-", url, "--if-absent", data=data)
        self.assertEqual(hashlib.md5(self.ok("get", url).out).hexdigest(), hashlib.md5(data).hexdigest())
        self.assertEqual(json.loads(self.ok("head", url, "--json").text)["length"], len(data))


if __name__ == "__main__":
    main(Gc, Versions, Rewritten, Put, Get, List, CopyMoveRemove, Table, Surface)
