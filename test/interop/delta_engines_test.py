#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables that delta-rs 1.6.6 reads and writes beside this library, without a log store; and the commands of docs/delta.md, as
they stand there.

Runs: docs/delta.md"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import document
from delta_table import BUCKET, DELTALAKE, PEER, Table, run_with_servers
from oscommit_testing import DONE, NOT_EXECUTED, FaultProxy, tool


# Every type that an append can express, as pyarrow writes it.
TYPES = """
import datetime, decimal, sys
import pyarrow as pa, pyarrow.parquet
utc = datetime.timezone.utc
pa.parquet.write_table(pa.table({
    "boolean": pa.array([True, None]),
    "byte": pa.array([1, -1], pa.int8()), "short": pa.array([1, -1], pa.int16()),
    "integer": pa.array([1, -1], pa.int32()), "long": pa.array([1, -1], pa.int64()),
    "float": pa.array([1.5, 2], pa.float32()), "double": pa.array([1.5, 2], pa.float64()),
    "decimal": pa.array([decimal.Decimal("1.50"), None], pa.decimal128(38, 2)),
    "string": pa.array(["a", None]), "binary": pa.array([b"a", None]),
    "date": pa.array([datetime.date(2026, 1, 2), None]),
    "timestamp": pa.array([datetime.datetime(2026, 1, 2, tzinfo=utc), None], pa.timestamp("us", "UTC")),
    "list": pa.array([["a"], None], pa.list_(pa.string())),
    "map": pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int64())),
    "struct": pa.array([{"x": 1, "y": ["z"]}, None]),
}), sys.argv[1])
"""
READ = """
import json, sys
from deltalake import DeltaTable
table = DeltaTable(sys.argv[1])
print(json.dumps({"rows": table.to_pyarrow_table().to_pylist(), "schema": json.loads(table.schema().to_json())}, default=str))
"""

# A table of delta-rs with a checkpoint of version 2, written anew as others write theirs; the log before it is removed.
CHECKPOINT = """
import glob, os, sys
import pyarrow as pa, pyarrow.parquet
from deltalake import DeltaTable, write_deltalake
folder, how, partition = sys.argv[1], eval(sys.argv[2]), sys.argv[3:]
for number in range(3):
    write_deltalake(folder, pa.table({"id": ["a"], "length": pa.array([number], pa.int64())}), mode="append",
                    partition_by=partition or None, configuration={"delta.logRetentionDuration": "interval 30 days"})
DeltaTable(folder).create_checkpoint()
(checkpoint,) = glob.glob(folder + "/_delta_log/*.parquet")
if how:
    pa.parquet.write_table(pa.parquet.read_table(checkpoint), checkpoint, **how)
for version in (0, 1):
    os.unlink(f"{folder}/_delta_log/{version:020}.json")
"""
# A table of delta-rs in partitions, or a row more of one.
PARTITIONED = """
import datetime, sys
import pyarrow as pa
from deltalake import write_deltalake
write_deltalake(sys.argv[1], pa.table({"id": [sys.argv[2]], "length": pa.array([1], pa.int64()), "n": pa.array([1], pa.int32()),
                "day": [datetime.date(2026, 11, 28)]}), mode="append", partition_by=["day", "n"])
"""
# What an engine was asked has been answered by then. pyarrow's threads abort a process whose interpreter ends while they
# run ("terminate called without an active exception"): that of another is not what is tested.
LEAVE = "\nimport os, sys\nsys.stdout.flush()\nos._exit(0)\n"
FORMS = (
    {},
    {"compression": "snappy"},
    {"compression": "snappy", "data_page_version": "2.0"},
    {"compression": "none", "use_dictionary": False, "row_group_size": 2},
    {"compression": "snappy", "data_page_size": 16},
)


class Engines(unittest.TestCase):
    def setUp(self):
        self.table = Table()
        self.addCleanup(self.table.close)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = self.table.folder = folder.name

    def python(self, which, script, *words):
        done = subprocess.run([DELTALAKE, which, "-c", script + LEAVE, *words], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_every_type_is_read_by_an_engine_as_it_was_written(self):
        store, file = os.path.join(self.folder, "store"), os.path.join(self.folder, "types.parquet")
        self.python("new", TYPES, file)
        for words in (("init", store), ("delta", "append", f"file://{store}/types", file)):
            subprocess.run([tool(), *words], check=True, capture_output=True)
        found = json.loads(self.python("new", READ, os.path.join(store, "types")))
        first = found["rows"][0]
        self.assertEqual(
            (first["decimal"], first["date"], first["map"], first["struct"]),
            ("1.50", "2026-01-02", [["k", 1]], {"x": 1, "y": ["z"]}),
        )
        self.assertTrue(first["timestamp"].startswith("2026-01-02 00:00:00"))
        self.assertEqual(found["rows"][1], {**dict.fromkeys(first), **{key: found["rows"][1][key] for key in (
            "byte", "short", "integer", "long", "float", "double")}})
        types = {field["name"]: field["type"] for field in found["schema"]["fields"]}
        self.assertEqual({name: kind for name, kind in types.items() if isinstance(kind, str)}, {
            **{name: name for name in types if isinstance(types[name], str)}, "decimal": "decimal(38,2)"})

    def append_behind(self, name, how, *partition):
        """(status, errors, path) of an append to such a table."""
        store = os.path.join(self.folder, name)
        subprocess.run([tool(), "init", store], check=True, capture_output=True)
        table = os.path.join(store, "events")
        self.python("new", CHECKPOINT, table, repr(how), *partition)
        words = ["delta", "append", f"file://{table}", os.path.join(self.folder, "b.parquet")]
        done = subprocess.run([tool(), *words], capture_output=True, text=True, timeout=120)
        return done.returncode, done.stderr, table

    def test_behind_a_checkpoint_the_log_need_not_be_there(self):
        subprocess.run([DELTALAKE, "new", PEER, "make", self.folder, "b"], check=True)
        for number, how in enumerate(FORMS):
            with self.subTest(how):
                status, errors, table = self.append_behind(f"form{number}", how)
                self.assertEqual(status, DONE, errors)
                found = json.loads(self.python("new", READ, table))
                self.assertEqual(sorted(row["id"] for row in found["rows"]), ["a", "a", "a", "b"])

    def test_what_a_checkpoint_says_of_the_table_counts(self):
        subprocess.run([DELTALAKE, "new", PEER, "make", self.folder, "b"], check=True)
        status, errors, _ = self.append_behind("partitioned", {}, "id")
        self.assertEqual(status, NOT_EXECUTED)
        self.assertIn('partitioned by "id"', errors)
        status, errors, _ = self.append_behind("packed", {"compression": "zstd"})
        self.assertEqual(status, NOT_EXECUTED)
        self.assertIn("codec 6", errors)

    def test_partitions_are_read_and_written_by_both(self):
        """Each kind of value as delta-rs reads it; then delta-rs appends to the table of ours, and ours to one of delta-rs."""
        subprocess.run([DELTALAKE, "new", PEER, "make", self.folder, *"abc"], check=True)
        store = os.path.join(self.folder, "store")
        subprocess.run([tool(), "init", store], check=True, capture_output=True)
        first = {"day:date": "2026-11-28", "n:long": "-7", "s": "x=y/ä %41", "b:boolean": "true", "d:decimal(5,2)": "1.50",
                 "t:timestamp": "2026-11-28T06:00:00.123456Z", "f:double": "1.5E-3", "i:integer": "3"}
        second = {**{name.partition(":")[0]: "" for name in first}, "day": "2026-11-29"}
        for name, values in (("a", first), ("b", second)):
            self.append_to(f"file://{store}/ours", name, values)
        found = json.loads(self.python("new", READ, store + "/ours"))
        rows = {row.pop("id"): row for row in found["rows"]}
        self.assertEqual(rows["a"], {"length": 1, "day": "2026-11-28", "n": -7, "s": "x=y/ä %41", "b": True, "d": "1.50", "f": 0.0015,
                                     "t": "2026-11-28 06:00:00.123456+00:00", "i": 3})
        self.assertEqual(rows["b"], {**dict.fromkeys(rows["a"]), "length": 1, "day": "2026-11-29"})
        self.python("new", PARTITIONED, store + "/theirs", "a")
        self.append_to(f"file://{store}/theirs", "b", {"day": "2026-11-29", "n": "2"})
        self.python("new", PARTITIONED, store + "/theirs", "c")
        done = subprocess.run([tool(), "delta", "append", f"file://{store}/theirs", os.path.join(self.folder, "c.parquet"),
                               "--partition", "n=1"], capture_output=True, text=True)
        self.assertEqual(done.returncode, NOT_EXECUTED)
        self.assertIn('no value is given for "day"', done.stderr)
        found = json.loads(self.python("new", READ, store + "/theirs"))
        self.assertEqual(sorted((row["id"], row["day"], row["n"]) for row in found["rows"]),
                         [("a", "2026-11-28", 1), ("b", "2026-11-29", 2), ("c", "2026-11-28", 1)])

    def append_to(self, table, name, values):
        words = [word for pair in values.items() for word in ("--partition", "=".join(pair))]
        done = subprocess.run([tool(), "delta", "append", table, os.path.join(self.folder, name + ".parquet"), *words],
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, DONE, done.stderr)

    def test_beside_delta_rs_on_a_store_with_conditions_each_append_is_there_once(self):
        mine, theirs = [f"m{number}" for number in range(8)], [f"t{number}" for number in range(8)]
        environment = {**self.table.environment(os.environ["OSCOMMIT_TEST_MINIO_ENDPOINT"])}
        environment.update(OSCOMMIT_GUARD="native", OSCOMMIT_STORE_PROFILE="aws")  # what MinIO's conditions do, too
        subprocess.run([DELTALAKE, "new", PEER, "make", self.folder, *mine], check=True)
        peer = subprocess.Popen(
            [DELTALAKE, "new", PEER, "append", self.table.url],
            env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        answers = []
        writer = threading.Thread(target=lambda: answers.append(peer.communicate("".join(name + "\n" for name in theirs))[0]))
        writer.start()
        for name in mine:
            words = ["delta", "append", self.table.url, os.path.join(self.folder, name + ".parquet")]
            done = subprocess.run([tool(), *words], env=environment, capture_output=True, text=True, timeout=120)
            self.assertEqual(done.returncode, DONE, done.stderr)
        writer.join()
        self.assertEqual(answers[0].count("committed"), len(theirs), answers)
        version, found = self.table.read("new")
        self.assertEqual((version, sorted(found)), (15, sorted(mine + theirs)))

    def test_an_answer_that_is_lost_makes_no_second_commit(self):
        proxy = FaultProxy(os.environ["OSCOMMIT_TEST_MINIO_ENDPOINT"])
        self.addCleanup(proxy.close)
        subprocess.run([DELTALAKE, "new", PEER, "make", self.folder, *"abcd"], check=True)
        records = "dynamodb://records_" + self.table.log_store
        status, _, errors = self.table.oscommit("table", "create", "--ledger", records)
        self.assertEqual(status, DONE, errors)
        lost = proxy.add("drop_answer", method="PUT", path_contains="_delta_log/0")
        for number, guard in enumerate((("native", "--store-profile", "aws"), ("record", "--ledger", records)) * 2):
            words = ["delta", "append", self.table.url, os.path.join(self.folder, "abcd"[number] + ".parquet"), "--guard"]
            status, result, errors = self.table.oscommit(*words, *guard, endpoint=proxy.url)
            self.assertEqual((status, result["version"], result["conflicts"]), (DONE, number, 0), errors)
        self.assertTrue(proxy.wait_hits(lost, 4))
        version, found = self.table.read("new")
        self.assertEqual((version, sorted(found)), (3, list("abcd")))

    def test_the_commands_of_the_document_run_as_they_stand_there(self):
        found = document.blocks("docs/delta.md")
        self.assertGreaterEqual([block.kind for block in found].count("sh"), 2)
        subprocess.run([DELTALAKE, "new", PEER, "make", self.folder, "part-1", "part-2", "part-3"], check=True)
        environment = self.table.environment(os.environ["OSCOMMIT_TEST_MINIO_ENDPOINT"])
        environment["PATH"] = os.path.dirname(tool()) + ":" + environment["PATH"]
        names = {"/srv/store": self.folder + "/store", "s3://bucket/events": self.table.url, "dynamodb://delta_log":
                 "dynamodb://" + self.table.log_store}
        for block in found:
            document.run(self, block, names, self.folder, environment,
                         lambda text: [DELTALAKE, "new", "-c", text + LEAVE])
        self.assertIn(BUCKET, self.table.url)


if __name__ == "__main__":
    run_with_servers()
