#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Folders and prefixes as a whole: cp --recursive and sync on every backend, each file with its own verdict."""

import json
import os
import signal
import stat
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from oscommit_testing import CONFLICT, NOT_EXECUTED, UNKNOWN, USAGE, BackendCase, main, md5_etag

# An attempt is dead ten seconds after it was signed. What is UNKNOWN at its deadline was sent by then, and not yet dead.
FAST = ["--length-s", "8", "--allowance-s", "1", "--margin-s", "1", "--timeout-ms", "10000", "--max-clock-skew-rate", "2"]
SENT_MS = "6000"
FILES = {"x": b"one", "a/y": b"two", "a/b/z": bytes(range(256)) * 400, "a/empty": b"", "with space ü": b"three"}


class Trees(BackendCase):
    def tree(self, files, name="tree"):
        top = os.path.join(self.folder, self.key(name))
        for path, data in files.items():
            os.makedirs(os.path.dirname(os.path.join(top, path)), exist_ok=True)
            with open(os.path.join(top, path), "wb") as out:
                out.write(data)
        return top

    @staticmethod
    def read(top):
        found = {}
        for folder, _, names in os.walk(top):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, top)] = file.read()
        return found

    def results(self, ran):
        """Verdicts by the end of the URL, and the counts of the last line that are not 0."""
        lines = ran.lines()
        counts = {name: count for name, count in lines[-1].items() if isinstance(count, int) and name != "summary"}
        return [line["verdict"] for line in lines[:-1]], {name: count for name, count in counts.items() if count}

    def manifest(self, path):
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file]


class Many(Trees):
    def test_a_folder_goes_up_and_down_again(self):
        top, url = self.tree(FILES), self.new_url("folder")
        verdicts, counts = self.results(self.ok("cp", "-r", top, url, "--if-absent", "--json"))
        self.assertEqual((set(verdicts), counts), ({"committed"}, {"committed": 5}))
        self.assertEqual(self.ok("get", url + "/a/b/z").out, FILES["a/b/z"])
        back = os.path.join(self.folder, self.key("back"))
        _, counts = self.results(self.ok("cp", "-r", url, back, "--json"))
        self.assertEqual(counts, {"done": 5})
        self.assertEqual(self.read(back), FILES)
        self.exits(CONFLICT, "cp", "-r", top, url + "/", "--if-absent", "--jobs", "1")

    def test_a_prefix_is_copied_inside_the_store(self):
        url, other = self.new_url("from"), self.new_url("to")
        self.ok("cp", "-r", self.tree(FILES), url, "--if-absent")
        self.ok("put", "-", url + "beside", "--if-absent", data=b"no part of it")
        _, counts = self.results(self.ok("cp", "-r", url, other, "--if-absent", "--json"))
        self.assertEqual(counts, {"committed": 5})
        back = os.path.join(self.folder, self.key("back"))
        self.ok("cp", "-r", other, back)
        self.assertEqual(self.read(back), FILES)
        _, counts = self.results(self.ok("sync", url, other, "--if-absent", "--json"))
        self.assertEqual(counts, {"unchanged": 5})

    def test_sync_adds_what_is_missing(self):
        top, url = self.tree(FILES), self.new_url("synced")
        self.ok("put", "-", url + "/x", "--if-absent", data=FILES["x"])
        _, counts = self.results(self.ok("sync", top, url, "--if-absent", "--json"))
        self.assertEqual(counts, {"committed": 4, "unchanged": 1})
        with open(os.path.join(top, "x"), "wb") as out:
            out.write(b"others")
        ran = self.exits(CONFLICT, "sync", top, url, "--if-absent", "--json")
        self.assertEqual(self.results(ran)[1], {"unchanged": 4, "conflict": 1})
        self.assertEqual(self.ok("get", url + "/x").out, FILES["x"])

    def test_sync_replaces_no_file(self):
        url, top = self.new_url("down"), self.tree({"x": b"mine", "a/y": FILES["a/y"]})
        self.ok("cp", "-r", self.tree(FILES), url, "--if-absent")
        ran = self.exits(CONFLICT, "sync", url, top, "--if-absent", "--json")
        self.assertEqual(self.results(ran)[1], {"done": 3, "unchanged": 1, "conflict": 1})
        self.assertEqual(self.read(top), {**FILES, "x": b"mine"})
        self.ok("cp", "-r", url, top)
        self.assertEqual(self.read(top), FILES)

    def test_what_cannot_become_an_object_is_said_and_the_rest_is_copied(self):
        top, url = self.tree({"x": b"1", "a/y": b"2"}), self.new_url("odd")
        os.symlink("/etc/hostname", os.path.join(top, "link"))
        os.symlink("a", os.path.join(top, "folder-link"))
        os.mkfifo(os.path.join(top, "fifo"))
        with open(os.path.join(os.fsencode(top), b"bad\xff"), "wb"):
            pass
        ran = self.exits(NOT_EXECUTED, "cp", "-r", top, url, "--if-absent", "--json")
        self.assertEqual(self.results(ran)[1], {"committed": 2, "not_executed": 4})
        for words in ("link is a symbolic link", "fifo is neither", "bad\\xff is not UTF-8"):
            self.assertIn(words, ran.errors)
        self.assertEqual(len(self.ok("ls", url + "/", "--recursive", "--json").lines()), 2)

    def test_nothing_is_written_outside_the_folder(self):
        url, top = self.new_url("link"), self.tree({})
        outside = self.tree({"kept": b"kept"}, "outside")
        os.makedirs(top)
        os.symlink(outside, os.path.join(top, "a"))
        os.symlink(os.path.join(outside, "kept"), os.path.join(top, "x"))
        self.ok("cp", "-r", self.tree(FILES), url, "--if-absent")
        ran = self.exits(NOT_EXECUTED, "cp", "-r", url, top, "--json")
        self.assertEqual(self.results(ran)[1], {"done": 2, "not_executed": 3})
        self.assertIn("a symbolic link, which is not followed", ran.errors)
        self.assertEqual(self.read(outside), {"kept": b"kept"})
        self.assertEqual(os.listdir(outside), ["kept"])
        self.assertTrue(stat.S_ISREG(os.lstat(os.path.join(top, "x")).st_mode), "the link itself was replaced")
        self.assertEqual([name for name in os.listdir(top) if name.startswith(".")], [])

    def test_a_manifest_lets_another_run_go_on(self):
        top, url = self.tree(FILES), self.new_url("manifest")
        manifest = os.path.join(self.folder, self.key("m") + ".jsonl")
        self.ok("cp", "-r", top, url, "--if-absent", "--manifest", manifest)
        begun, *lines = self.manifest(manifest)
        self.assertEqual((begun["manifest"], begun["command"]), (1, "cp"))
        self.assertEqual({line["verdict"] for line in lines}, {"committed"})
        self.assertEqual({line["owner"] for line in lines}, {begun["owner"]})
        for name, data in FILES.items():
            (line,) = [line for line in lines if line["key"].endswith("/" + name)]
            self.assertEqual(line["length"], len(data))
        with open(manifest, "a", encoding="utf-8") as out:
            out.write('{"key":"torn')
        os.makedirs(os.path.join(top, "new"))
        with open(os.path.join(top, "new", "n"), "wb") as out:
            out.write(b"new")
        _, counts = self.results(self.ok("cp", "-r", top, url, "--if-absent", "--manifest", manifest, "--json"))
        self.assertEqual(counts, {"committed": 1, "unchanged": 5})
        self.assertEqual(len(self.manifest(manifest)), 6 + 2)

    def test_a_manifest_is_not_believed_blindly(self):
        top, url = self.tree({"gone": b"1", "replaced": b"2", "changed": b"3", "touched": b"4"}), self.new_url("blind")
        manifest = os.path.join(self.folder, self.key("m") + ".jsonl")
        self.ok("cp", "-r", top, url, "--if-absent", "--manifest", manifest)
        self.ok("rm", url + "/gone")
        self.ok("put", "-", url + "/replaced", data=b"by others")
        with open(os.path.join(top, "changed"), "wb") as out:
            out.write(b"5")
        os.utime(os.path.join(top, "touched"), (1, 1))
        ran = self.exits(CONFLICT, "cp", "-r", top, url, "--if-absent", "--manifest", manifest, "--json")
        self.assertEqual(self.results(ran)[1], {"unchanged": 1, "conflict": 3})
        for words in ("now it is gone", "is there.", "has changed since it was committed"):
            self.assertIn(words, ran.errors)
        self.assertEqual(self.ok("get", url + "/changed").out, b"3")

    def test_a_run_whose_manifest_was_not_written_finds_its_own(self):
        """The process may die between the write and its line."""
        top, url = self.tree({"x": b"1", "y": b"2"}), self.new_url("killed")
        manifest = os.path.join(self.folder, self.key("m") + ".jsonl")
        self.ok("cp", "-r", top, url, "--if-absent", "--manifest", manifest)
        with open(manifest, encoding="utf-8") as file:
            first, *_ = file
        with open(manifest, "w", encoding="utf-8") as out:
            out.write(first)
        _, counts = self.results(self.ok("cp", "-r", top, url, "--if-absent", "--manifest", manifest, "--json"))
        self.assertEqual(counts, {"unchanged": 2})
        fresh = manifest + "2"
        self.exits(CONFLICT, "cp", "-r", top, url, "--if-absent", "--manifest", fresh)

    def test_bad_usage_is_told_before_anything_is_sent(self):
        top, url, other = self.tree({"x": b"1"}), self.new_url("usage"), self.new_url("usage")
        for arguments in (
            ("cp", "-r", top, url),
            ("sync", top, url),
            ("cp", "-r", top, top),
            ("cp", "-r", url, other),
            ("cp", "-r", url, url + "/below", "--if-absent"),
            ("cp", "-r", url, top, "--if-absent"),
            ("cp", "-r", url, top, "--manifest", "m"),
            ("cp", "-r", top, url, "--if-absent", "--ticket-file", "t"),
            ("cp", "-r", top, url, "--if-absent", "--jobs", "65"),
            ("cp", "-r", os.path.join(top, "x"), url, "--if-absent"),
            ("cp", "-r", os.path.join(top, "missing"), url, "--if-absent"),
            ("cp", os.path.join(top, "x"), url, "--if-absent", "--jobs", "2"),
            ("sync", url, other, "--if-absent", "--content-type", "a/b"),
        ):
            self.exits(USAGE, *arguments)
        self.assertEqual(self.ok("ls", url, "--recursive").out, b"")
        self.assertFalse(os.path.exists("m"))

    def test_many_files_have_many_verdicts(self):
        files = {f"d{number % 7}/{number}": str(number).encode() for number in range(120)}
        top, url = self.tree(files), self.new_url("hundred")
        for name in ("d0/0", "d1/1"):
            self.ok("put", "-", f"{url}/{name}", "--if-absent", data=b"others")
        ran = self.exits(CONFLICT, "cp", "-r", top, url, "--if-absent", "--json", "--jobs", "16")
        self.assertEqual(self.results(ran)[1], {"committed": 118, "conflict": 2})
        for line in ran.lines()[:-1]:
            name = line["object"].removeprefix(url + "/")
            expected = ("conflict", md5_etag(b"others")) if name in ("d0/0", "d1/1") else ("committed", md5_etag(files[name]))
            self.assertEqual((line["verdict"], line.get("etag", line.get("found_etag"))), expected)
        back = os.path.join(self.folder, self.key("back"))
        self.ok("cp", "-r", url, back, "--jobs", "16")
        self.assertEqual(self.read(back), {**files, "d0/0": b"others", "d1/1": b"others"})


class Faults(Trees):
    """With a proxy before the store."""

    def setUp(self):
        if self.backend.embedded:
            self.skipTest("nothing is between the tool and its store")
        self.store_proxy, _, self.environment = self.proxies()

    def unknown(self, action):
        """A run with one unknown outcome. The arguments that go on with it, its manifest, and the rule."""
        url = self.new_url("doubt")
        top = self.tree({"sure": b"1", "doubtful": b"2"})
        manifest = os.path.join(self.folder, self.key("m") + ".jsonl")
        arguments = ["cp", "-r", top, url, "--if-absent", "--manifest", manifest, "--json", *FAST]
        rule = self.store_proxy.add(action, method="PUT", path_contains="doubtful", times=1)
        # It is the first of one job: behind E7 and R1 comes V4.2, which would see the object.
        looks = self.store_proxy.add("reset", method="HEAD", path_contains="doubtful", first=4)
        ran = self.exits(UNKNOWN, *arguments, "--deadline-ms", SENT_MS, "--jobs", "1",
                         environment=self.environment)
        self.store_proxy("remove", id=looks)
        self.assertEqual(self.results(ran)[1], {"committed": 1, "unknown": 1})
        self.assertIn("Its ticket is in the manifest", ran.errors)
        (line,) = [line for line in self.manifest(manifest) if line.get("verdict") == "unknown"]
        self.assertTrue(line["key"].endswith("/doubtful") and "nonce" in line["ticket"])
        return arguments, url, manifest, rule

    def test_an_unknown_write_that_was_applied_is_settled_by_its_ticket(self):
        arguments, url, manifest, rule = self.unknown("hold_answer")
        sent = len(self.store_proxy.requests(method="PUT", path_contains="doubtful"))
        self.store_proxy("release", id=rule, how="discard")
        ran = self.ok(*arguments, environment=self.environment)
        self.assertEqual(self.results(ran)[1], {"committed": 1, "unchanged": 1})
        self.assertEqual(len(self.store_proxy.requests(method="PUT", path_contains="doubtful")), sent)
        self.assertEqual(self.manifest(manifest)[-1]["verdict"], "committed")
        self.assertEqual(self.ok("get", url + "/doubtful").out, b"2")

    def test_an_unknown_write_that_was_not_applied_is_made_again(self):
        arguments, url, manifest, rule = self.unknown("hold")
        self.store_proxy("release", id=rule, how="discard")
        ran = self.ok(*arguments, environment=self.environment)
        self.assertEqual(self.results(ran)[1], {"committed": 1, "unchanged": 1})
        self.assertEqual(self.ok("get", url + "/doubtful").out, b"2")

    def test_a_killed_run_goes_on(self):
        url, top = self.new_url("killed"), self.tree({"1": b"1", "2": b"2", "3": b"3"})
        manifest = os.path.join(self.folder, self.key("m") + ".jsonl")
        arguments = ["cp", "-r", top, url, "--if-absent", "--manifest", manifest, "--jobs", "1", "--json", *FAST]
        rule = self.store_proxy.add("hold_answer", method="PUT", path_contains=url.rsplit("/", 1)[1] + "/2", times=1)
        process = self.start(*arguments, environment=self.environment)
        self.assertTrue(self.store_proxy.wait_hits(rule))
        self.assertIn("in use by another process", self.exits(USAGE, *arguments).errors)
        process.kill()
        process.communicate()
        self.store_proxy("release", id=rule, how="discard")
        self.assertEqual([line.get("verdict") for line in self.manifest(manifest)], [None, "committed"])
        _, counts = self.results(self.ok(*arguments, environment=self.environment))
        self.assertEqual(counts, {"committed": 1, "unchanged": 2})

    def test_a_signal_ends_what_runs_and_begins_no_more(self):
        url, top = self.new_url("signal"), self.tree({str(number): b"x" for number in range(9)})
        rule = self.store_proxy.add("hold", method="HEAD", path_contains=url.rsplit("/", 1)[1] + "/0", times=1)
        process = self.start("cp", "-r", top, url, "--if-absent", "--jobs", "1", "--json", environment=self.environment)
        self.assertTrue(self.store_proxy.wait_hits(rule))
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=60)
        summary = json.loads(out.splitlines()[-1])
        self.assertEqual((summary["not_executed"], summary["not_begun"]), (1, 8))
        self.assertEqual(process.returncode, NOT_EXECUTED)

    def test_a_file_that_changes_while_it_is_sent_is_told(self):
        url, top = self.new_url("changes"), self.tree({"x": b"before"})
        rule = self.store_proxy.add("hold", method="PUT", path_contains=url.rsplit("/", 1)[1] + "/x", times=1)
        process = self.start("cp", "-r", top, url, "--if-absent", "--json", environment=self.environment)
        self.assertTrue(self.store_proxy.wait_hits(rule))
        with open(os.path.join(top, "x"), "r+b") as file:
            file.write(b"behind")
        self.store_proxy("release", id=rule)
        out, err = process.communicate(timeout=60)
        self.assertEqual(json.loads(out.splitlines()[0])["verdict"], "committed")
        self.assertIn(b"was changed while it was read", err)
        self.assertEqual(process.returncode, NOT_EXECUTED)

    def answer_list(self, url, *keys):
        """The next list has these keys below the URL, whatever is there."""
        prefix = url.rsplit("/", 1)[1]
        entries = "".join(
            f"<Contents><Key>{prefix}/{key}</Key><LastModified>2026-11-28T10:00:00.000Z</LastModified>"
            f"<ETag>&quot;{'0' * 32}&quot;</ETag><Size>{0 if key.endswith('/') else 1}</Size></Contents>"
            for key in sorted(keys)
        )
        body = (
            '<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><Name>b</Name><Prefix></Prefix>'
            f"<KeyCount>{len(keys)}</KeyCount><MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated>{entries}"
            "</ListBucketResult>"
        )
        self.store_proxy.add(
            "answer", method="GET", query_contains="list-type", times=1, status=200, body=body,
            headers="Content-Type: application/xml\r\nx-amz-request-id: 1\r\n",
        )

    def test_names_that_lead_out_of_the_folder_are_refused(self):
        url, top = self.new_url("list"), self.tree({})
        self.ok("put", "-", url + "/good", "--if-absent", data=b"x")
        self.answer_list(url, "../../evil", "a/../../evil", "/etc/evil", "a//b", "good", "./here", "marker/")
        ran = self.exits(NOT_EXECUTED, "cp", "-r", url, top, "--json", environment=self.environment)
        self.assertEqual(self.results(ran)[1], {"done": 1, "not_executed": 5})
        self.assertIn("has a part that is . or ..", ran.errors)
        self.assertEqual(self.read(top), {"good": b"x"})

    def test_a_key_that_is_a_folder_of_others_collides(self):
        url, top = self.new_url("list"), self.tree({})
        self.ok("put", "-", url + "/a/b", "--if-absent", data=b"x")
        self.answer_list(url, "a", "a/b")
        ran = self.exits(NOT_EXECUTED, "cp", "-r", url, top, "--json", environment=self.environment)
        self.assertEqual(self.results(ran)[1], {"done": 1, "not_executed": 1})
        self.assertIn("they collide", ran.errors)
        self.assertEqual(self.read(top), {"a/b": b"x"})


if __name__ == "__main__":
    main(Many, Faults, only=("embedded", "minio", "versitygw"))
