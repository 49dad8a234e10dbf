#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Delta tables in an embedded store: what is appended, what is refused, and what `delta check` finds. Files have a footer and
no rows: that is all of them that is read."""

import json
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from oscommit_testing import ABSENT, CONFLICT, DONE, NOT_EXECUTED, USAGE, BackendCase, main

INT32, INT64 = 1, 2
REQUIRED, OPTIONAL = 0, 1


def _varint(number):
    out = b""
    while number >= 0x80:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def _element(name, kind=None, repetition=None, children=None):
    """A SchemaElement in Thrift's compact protocol: fields 1, 3, 4 and 5."""
    out, last = b"", 0
    for field, value in ((1, kind), (3, repetition), (4, name), (5, children)):
        if value is None:
            continue
        is_text = isinstance(value, str)
        out += bytes([(field - last) << 4 | (8 if is_text else 5)])
        out += _varint(len(value)) + value.encode() if is_text else _varint(value << 1)
        last = field
    return out + b"\0"


def parquet(*columns, rows=0):
    """The bytes of a file with these (name, type, repetition)."""
    elements = [_element("schema", children=len(columns)), *(_element(*column) for column in columns)]
    footer = b"\x15\x02\x19\xfc" + _varint(len(elements)) + b"".join(elements) + b"\x16" + _varint(rows << 1) + b"\0"
    return b"PAR1" + footer + struct.pack("<I", len(footer)) + b"PAR1"


PLAIN = parquet(("id", INT64, OPTIONAL), ("n", INT32, OPTIONAL), rows=3)


class Delta(BackendCase):
    def file(self, name, data=PLAIN):
        path = os.path.join(self.folder, self.key(name))
        with open(path, "wb") as out:
            out.write(data)
        return path

    def append(self, table, *words):
        return self.run_tool("delta", "append", self.url(table), *words, "--json")

    def appended(self, table, *words):
        ran = self.append(table, *words)
        self.assertEqual(ran.status, DONE, ran)
        return json.loads(ran.text)

    def path(self, table, *parts):
        return os.path.join(self.root, table, *parts)

    def log(self, table, version):
        with open(self.path(table, "_delta_log", "%020d.json" % version)) as lines:
            return [json.loads(line) for line in lines]

    def write_log(self, table, version, *actions):
        folder = self.path(table, "_delta_log")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "%020d.json" % version), "w") as out:
            out.writelines(json.dumps(action) + "\n" for action in actions)

    def table_of(self, table, protocol=None, configuration=None, partitions=(), fields=None):
        fields = fields or [
            {"name": name, "type": kind, "nullable": True, "metadata": {}} for name, kind in (("id", "long"), ("n", "integer"))
        ]
        schema = json.dumps({"type": "struct", "fields": fields})
        metadata = {"id": "x", "schemaString": schema, "partitionColumns": list(partitions), "configuration": configuration or {}}
        self.write_log(
            table, 0, {"protocol": protocol or {"minReaderVersion": 1, "minWriterVersion": 2}}, {"metaData": metadata}
        )

    def refused(self, table, *words, says, status=NOT_EXECUTED):
        before = self.tree()
        ran = self.append(table, *words)
        self.assertEqual(ran.status, status, ran)
        self.assertIn(says, ran.errors)
        self.assertEqual(self.tree(), before)

    def tree(self):
        return sorted(
            os.path.join(folder, name)
            for folder, folders, names in os.walk(self.root)
            for name in names
            if ".oscommit" not in folder
        )

    def findings(self, table):
        ran = self.run_tool("delta", "check", self.url(table), "--json")
        found = [json.loads(line) for line in ran.text.splitlines()]
        found = [line for line in found if line["verdict"] == "found"]
        self.assertEqual(ran.status, NOT_EXECUTED if found else DONE, ran)
        return [line["kind"] for line in found]

    # ---------------------------------------------------------------------------------------------------- appends

    def test_the_first_append_makes_the_table_and_the_next_ones_add_to_it(self):
        table = self.key("table")
        first = self.appended(table, self.file("a"), self.file("b"))
        self.assertEqual((first["version"], first["files"], first["records"], first["created"]), (0, 2, 6, True))
        second = self.appended(table + "/", self.file("c"))
        self.assertEqual((second["version"], second["created"]), (1, False))
        names = [next(iter(action)) for action in self.log(table, 0)]
        self.assertEqual(names, ["commitInfo", "protocol", "metaData", "add", "add"])
        (info, add) = self.log(table, 1)
        self.assertTrue(info["commitInfo"]["isBlindAppend"])
        self.assertEqual(add["add"]["size"], len(PLAIN))
        self.assertEqual(json.loads(add["add"]["stats"]), {"numRecords": 3})
        with open(self.path(table, add["add"]["path"]), "rb") as data:
            self.assertEqual(data.read(), PLAIN)
        self.assertEqual(self.findings(table), [])

    def test_every_one_of_many_writers_has_a_version_of_its_own(self):
        table, file = self.key("many"), self.file("many.parquet")
        running = [self.start("delta", "append", self.url(table), file, "--json") for _ in range(8)]
        answers = [process.communicate(timeout=120)[0] for process in running]
        self.assertEqual([process.returncode for process in running], [DONE] * 8)
        results = [json.loads(answer) for answer in answers]
        self.assertEqual(sorted(result["version"] for result in results), list(range(8)))
        self.assertEqual([result["created"] for result in results].count(True), 1)
        self.assertEqual(self.findings(table), [])

    def test_a_commit_of_an_application_is_made_once(self):
        table, file = self.key("application"), self.file("application.parquet")
        nightly = ("--app-id", "nightly", "--app-version")
        self.appended(table, file, *nightly, "7")
        self.refused(table, file, *nightly, "7", says="nightly", status=CONFLICT)
        self.refused(table, file, *nightly, "6", says="nightly", status=CONFLICT)
        self.appended(table, file, "--app-id", "hourly", "--app-version", "1")
        self.appended(table, file)
        self.assertEqual(self.appended(table, file, *nightly, "8")["version"], 3)
        self.refused(table, file, *nightly, "7", says="nightly", status=CONFLICT)

    def test_two_runs_of_an_application_at_once_make_one_commit(self):
        table, file = self.key("twice"), self.file("twice.parquet")
        words = ("delta", "append", self.url(table), file, "--app-id", "job", "--app-version", "1")
        running = [self.start(*words) for _ in range(6)]
        for process in running:
            process.communicate(timeout=120)
        self.assertEqual(sorted(process.returncode for process in running), [DONE] + [CONFLICT] * 5)
        self.assertEqual(len([name for name in os.listdir(self.path(table)) if name.endswith(".parquet")]), 1)

    def test_the_log_is_found_behind_a_checkpoint_and_without_its_hint(self):
        table, file = self.key("checkpoint"), self.file("checkpoint.parquet")
        for _ in range(4):
            self.appended(table, file)
        hint = self.path(table, "_delta_log", "_last_checkpoint")
        for said in ('{"version":2,"size":1}', '{"version":99,"size":1}', "no hint"):
            with open(hint, "w") as out:
                out.write(said)
            version = self.appended(table, file)["version"]
        self.assertEqual(version, 6)
        checkpoint = self.path(table, "_delta_log", "%020d.checkpoint.parquet" % 2)
        parts = self.path(table, "_delta_log", "%020d.checkpoint.0000000001.0000000002.parquet" % 2)
        open(parts, "w").close()
        self.assertEqual(self.appended(table, file)["version"], 7)  # in parts, so the log behind it is read
        for removed in (0, 1):
            os.unlink(self.path(table, "_delta_log", "%020d.json" % removed))
        self.refused(table, file, says="in several parts")
        os.rename(parts, checkpoint)
        self.refused(table, file, says="no Parquet file that can be read")
        with open(checkpoint, "wb") as out:
            out.write(PLAIN)
        self.refused(table, file, says="does not say what protocol and schema")
        os.unlink(checkpoint)
        self.refused(table, file, says="version 1 is not")

    # ------------------------------------------------------------------------------------------------ refused files

    def test_a_file_that_is_no_parquet_is_refused_before_anything_is_written(self):
        table = self.key("files")
        for name, data in (
            ("empty", b""),
            ("short", b"PAR1PAR1"),
            ("text", b"x" * 100),
            ("footer", b"PAR1" + struct.pack("<I", 1 << 30) + b"PAR1"),
            ("encrypted", PLAIN[:-4] + b"PARE"),
            ("garbage", b"PAR1" + b"\xff" * 50 + struct.pack("<I", 50) + b"PAR1"),
        ):
            with self.subTest(name):
                says = "damaged" if name == "garbage" else "no Parquet file"
                file = self.file(name, data)
                self.refused(table, file, says=says)
                self.refused(table, file, says=file)
        self.refused(table, os.path.join(self.folder, "nowhere"), says="cannot be opened")
        self.refused(table, self.folder, says="opened")

    def test_files_of_two_schemas_are_refused(self):
        other = self.file("other", parquet(("id", INT32, OPTIONAL), ("n", INT32, OPTIONAL)))
        self.refused(self.key("two"), self.file("one"), other, says="has another schema")

    def test_a_file_that_does_not_fit_the_table_is_refused(self):
        table = self.key("fit")
        self.appended(table, self.file("fits"))
        for name, columns in (
            ("type", (("id", INT32, OPTIONAL), ("n", INT32, OPTIONAL))),
            ("missing", (("id", INT64, OPTIONAL),)),
            ("more", (("id", INT64, OPTIONAL), ("n", INT32, OPTIONAL), ("z", INT32, OPTIONAL))),
        ):
            with self.subTest(name):
                self.refused(table, self.file(name, parquet(*columns)), says="does not fit the table")
        self.appended(table, self.file("required", parquet(("n", INT32, REQUIRED), ("id", INT64, REQUIRED))))

    # --------------------------------------------------------------------------------------------------- partitions

    def test_files_are_added_to_a_partition(self):
        table, file = self.key("partitioned"), self.file("partitioned")
        self.appended(table, file, "--partition", "day:date=2026-11-28", "--partition", "s=a=b:c")
        self.appended(table, file, "--partition", "s=", "--partition", "day=2026-11-29")
        metadata = self.log(table, 0)[2]["metaData"]
        self.assertEqual(metadata["partitionColumns"], ["day", "s"])
        fields = [(field["name"], field["type"]) for field in json.loads(metadata["schemaString"])["fields"]]
        self.assertEqual(fields, [("id", "long"), ("n", "integer"), ("day", "date"), ("s", "string")])
        values = [self.log(table, version)[-1]["add"]["partitionValues"] for version in (0, 1)]
        self.assertEqual(values, [{"day": "2026-11-28", "s": "a=b:c"}, {"day": "2026-11-29", "s": None}])
        self.assertEqual(self.findings(table), [])
        self.refused(table, file, says='no value is given for "day"')
        self.refused(table, file, "--partition", "day=2026-11-30", "--partition", "s=", "--partition", "x=1", says='not by "x"')
        self.refused(table, file, "--partition", "day=today", "--partition", "s=", says='"today" is no value')
        self.refused(table, file, "--partition", "day:long=7", "--partition", "s=", says="of the type date in the table")

    def test_what_cannot_be_a_partition_is_refused_before_anything_is_read(self):
        table, file = self.key("none"), self.file("none")
        self.refused(table, file, "--partition", "day", says="wants NAME=VALUE", status=USAGE)
        self.refused(table, file, "--partition", "d=1", "--partition", "D=2", says="given twice")
        self.refused(table, file, "--partition", "d:binary=1", says='"binary" is no type')
        self.refused(table, file, "--partition", "id:long=1", says="stands in the file, too")

    # ----------------------------------------------------------------------------------------------- refused tables

    def test_a_table_that_asks_for_more_is_refused_by_the_name_of_what_it_asks_for(self):
        file = self.file("plain")
        for says, made in (
            ('"day"', {"partitions": ["day"]}),
            ("deletionVectors", {"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, "writerFeatures": ["deletionVectors"]}}),
            ("columnMapping", {"configuration": {"delta.columnMapping.mode": "id"}}),
            ("checkConstraints", {"configuration": {"delta.constraints.x": "id > 0"}}),
            ("minWriterVersion 9", {"protocol": {"minReaderVersion": 1, "minWriterVersion": 9}}),
        ):
            with self.subTest(says):
                table = self.key("asks" + str(abs(hash(says)) % 1000))
                self.table_of(table, **made)
                self.refused(table, file, says=says)

    def test_a_log_that_is_damaged_is_told(self):
        file, table = self.file("log"), self.key("damaged")
        self.write_log(table, 0, {"commitInfo": {}})
        self.refused(table, file, says="no protocol or no metaData")
        self.table_of(table)
        with open(self.path(table, "_delta_log", "%020d.json" % 1), "w") as out:
            out.write("{no json\n")
        self.refused(table, file, says="Version 1 of the table")

    # --------------------------------------------------------------------------------------------------------- check

    def test_what_a_fleet_has_left_is_found(self):
        table, file = self.key("left"), self.file("left.parquet")
        for _ in range(4):
            self.appended(table, file)
        paths = [next(action["add"]["path"] for action in self.log(table, version) if "add" in action) for version in range(4)]
        os.unlink(self.path(table, paths[3]))
        open(self.path(table, "_delta_log", "_commit_x.json.tmp"), "w").close()
        self.write_log(table, 4, {"add": {"path": paths[0]}}, {"remove": {"path": paths[2]}})
        self.write_log(table, 5, {"add": {"path": paths[2]}})
        with open(self.path(table, "_delta_log", "%020d.json" % 6), "w") as out:
            out.write("[]")
        os.unlink(self.path(table, "_delta_log", "%020d.json" % 1))
        self.assertEqual(
            sorted(self.findings(table)),
            ["file missing", "file twice", "temp file left", "version missing", "version unreadable"],
        )

    def test_a_check_that_finds_nothing_says_what_it_looked_at(self):
        table = self.key("sound")
        self.appended(table, self.file("sound"))
        sentence = "Nothing was found. Every version of the log was read, and every object listed."
        ran = self.run_tool("delta", "check", self.url(table))
        self.assertEqual((ran.status, ran.text), (DONE, f"done {self.url(table)}: {sentence}\n"))
        ran = self.run_tool("delta", "check", self.url(table), "--json")
        self.assertEqual(json.loads(ran.text)["sentence"], sentence)
        self.assertEqual(self.run_tool("delta", "check", self.url(table), "--quiet").text, "")

    def test_where_there_is_no_table_nothing_is_checked(self):
        ran = self.run_tool("delta", "check", self.url("nowhere"))
        self.assertEqual(ran.status, ABSENT, ran)

    # --------------------------------------------------------------------------------------------------------- usage

    def test_words_that_cannot_be_are_refused(self):
        file, url = self.file("usage"), self.url("usage")
        for words in (
            ("append", url),
            ("append", url, file, "--app-id", "x"),
            ("append", url, file, "--app-version", "1"),
            ("append", url, file, "--log-store", "nowhere://x"),
            ("append", url, file, "--log-store", "sqlite:///nowhere/x.db"),
            ("resolve", url),
            ("resolve", url, "{}", "--ticket-file", "x"),
        ):
            with self.subTest(words=words):
                ran = self.run_tool("delta", *words)
                self.assertIn(ran.status, (USAGE, NOT_EXECUTED), ran)
                self.assertNotEqual(ran.errors, "")
        self.assertEqual(self.run_tool("delta", "resolve", url, "{}").status, 4)

    def test_a_log_store_is_for_tables_in_s3(self):
        ran = self.append(self.key("local"), self.file("local"), "--log-store", "dynamodb://delta_log")
        self.assertEqual(ran.status, USAGE, ran)
        self.assertIn("a store of files needs none", ran.errors)


if __name__ == "__main__":
    main(Delta, only=("embedded",))
