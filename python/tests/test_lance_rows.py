# SPDX-License-Identifier: Apache-2.0
"""`oscommit lance check` and `resolve` beside pylance's own s3+ddb://: what its writers leave when they are killed is found and
completed, also while others write."""

import json
import os
import re
import subprocess
import sys
import threading

import pytest
from conftest import ROOT
from lance_place import judge, make_rows, pylance, read, rows, storage_options, uri_with_rows
from test_lance_race import Between

PEER = os.path.join(ROOT, "python", "tests", "lance_peer.py")
NAME = "events/_versions/%020d.manifest"


class Table:
    """A Lance table whose versions stand in rows."""

    def __init__(self, lance, place):
        self.lance, self.place = lance, place
        self.rows_in, self.ask = make_rows(place)
        self.base_uri = place.url.split("/", 3)[3] + "/events"
        self.uri = uri_with_rows(place, self.rows_in)

    def options(self, s3=None, dynamodb=None):
        endpoint = {"dynamodb_endpoint": dynamodb or self.place.options["dynamodb_endpoint"]}
        return {**storage_options(self.place, s3), **endpoint}

    def write(self, identity, mode="append"):
        return self.lance.write_dataset(rows(identity), self.uri, mode=mode, storage_options=self.options()).version

    def paths(self):
        """What the rows name, by version."""
        items = self.ask("Scan", ConsistentRead=True)["Items"]
        return {int(item["version"]["N"]): item["path"]["S"].split("/_versions/")[1] for item in items}

    def put_row(self, version, path, **more):
        item = {"base_uri": {"S": self.base_uri}, "version": {"N": str(version)}, "path": {"S": path}, **more}
        self.ask("PutItem", Item=item)

    def tool(self, *words):
        given = self.place.options
        environment = {
            "PATH": os.environ["PATH"],
            "AWS_ACCESS_KEY_ID": given["access_key_id"],
            "AWS_SECRET_ACCESS_KEY": given["secret_access_key"],
            "AWS_REGION": given["region"],
            "AWS_EC2_METADATA_DISABLED": "true",
            "OSCOMMIT_S3_ENDPOINT": given["s3_endpoint"],
            "OSCOMMIT_DYNAMODB_ENDPOINT": given["dynamodb_endpoint"],
        }
        words = [sys.executable, "-m", "oscommit", "lance", words[0], f"{self.place.url}/events", *words[1:], "--json"]
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120)
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr

    def check(self, *more):
        status, lines, errors = self.tool("check", "--manifest-store", f"dynamodb://{self.rows_in}", *more)
        found = [(line["kind"], line.get("version")) for line in lines if line["verdict"] == "found"]
        assert status == (1 if found else 0), errors
        return sorted(found)

    def resolve(self):
        status, lines, errors = self.tool("resolve", "--manifest-store", f"dynamodb://{self.rows_in}")
        return (status, lines[-1]["completed"] if status == 0 else errors)


@pytest.fixture
def table(minio):
    made = Table(pylance(), minio)
    made.write("a", mode="create")
    return made


class Killed:
    """A writer of rows that is killed at a request: `decide(method, path, target, when)`, with the DynamoDB operation."""

    def __init__(self, table, decide):
        self.kills, self._decide, self._lock, self._process = 0, decide, threading.Lock(), None
        options = table.place.options
        self._s3 = Between(options["s3_endpoint"], lambda *request: self._asked("s3", *request))
        self._dynamodb = Between(options["dynamodb_endpoint"], lambda *request: self._asked("dynamodb", *request))
        self.how = {
            "kind": "rows",
            "uri": table.uri,
            "storage_options": table.options(self._s3.url, self._dynamodb.url),
        }

    def _asked(self, *request):
        if not self._decide(*request):
            return False
        with self._lock:
            if self._process.poll() is None:
                self._process.kill()
                self.kills += 1
        return True

    def append(self, identities):
        """What it says of each, until it is killed."""
        path = os.pathsep.join(entry for entry in sys.path if entry)
        process = subprocess.Popen(
            [sys.executable, "-B", PEER],
            env={"PATH": os.environ["PATH"], "PYTHONPATH": path, "AWS_EC2_METADATA_DISABLED": "true"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        with self._lock:
            self._process = process
        said, _ = process.communicate("\n".join([json.dumps(self.how), *identities]) + "\n", timeout=300)
        return [line.split(" ", 2)[:2] for line in said.splitlines()]

    def close(self):
        self._s3.close()
        self._dynamodb.close()


def is_final(path):
    return path.endswith(".manifest")


# (who is asked, method, is it of the final name, when)
ENDS = {
    "before the copy": lambda who, method, path, when: (
        who == "s3" and method == "PUT" and is_final(path) and when == "before"
    ),
    "after the copy": lambda who, method, path, when: (
        who == "s3" and method == "PUT" and is_final(path) and when == "after"
    ),
}


@pytest.mark.parametrize("end", ENDS)
def test_the_version_of_a_writer_that_died_is_completed(table, end):
    killed = Killed(table, ENDS[end])
    assert killed.append(["b"]) == [] and killed.kills == 1
    killed.close()
    assert table.check() == [("row incomplete", 2)]
    assert table.resolve() == (0, 1)
    assert table.check() == [] and table.resolve() == (0, 0)
    assert is_final(table.paths()[2])
    assert judge(table.lance, table.place) == ["a", "b"]
    assert table.write("c") == 3
    assert table.check() == []


def test_what_others_have_left_is_found(table):
    place = table.place
    with place.open() as store:
        staged = NAME % (2**64 - 3) + "-left"
        store.put(staged, b"staged")
        assert table.check() == [("staged manifest left", 2)]
        store.delete(staged)
        assert table.lance.write_dataset(
            rows("b"), f"{place.url}/events", mode="append", storage_options=storage_options(place)
        ).version == 2  # fmt: skip
        assert table.check() == [("row missing", 2)]
        assert table.tool("check")[0] == 0  # without rows there is nothing to miss
        table.put_row(3, f"{table.base_uri}/_versions/{2**64 - 4}.manifest")
        assert table.check() == [("row missing", 2), ("row without version", 3)]
        table.put_row(3, f"{table.base_uri}/_versions/{2**64 - 4}.manifest-gone")
        assert table.check() == [("row missing", 2), ("row without version", 3)]
        status, errors = table.resolve()
        assert status == 1 and "neither its version nor its staged manifest is there" in errors
        table.put_row(3, f"elsewhere/_versions/{2**64 - 4}.manifest-gone")
        assert table.check() == [("row missing", 2), ("row without version", 3)]
        status, errors = table.resolve()
        assert status == 1 and "no manifest of that version" in errors
        table.put_row(2, f"{table.base_uri}/_versions/{2**64 - 3}.manifest", size={"N": "1"})
        assert table.check() == [("row without version", 3), ("size differs", 2)]
        table.put_row(2, f"{table.base_uri}/_versions/{2**64 - 3}.manifest-gone", size={"N": "1"})
        status, errors = table.resolve()
        assert status == 1 and "another writer's version is there" in errors


def test_the_commands_of_the_document_run(table):
    with open(os.path.join(ROOT, "docs", "lance.md"), encoding="utf-8") as file:
        blocks = re.findall(r"^```sh\n(.*?)^```", file.read(), re.M | re.S)
    lines = [line for block in blocks for line in block.splitlines()]
    assert len(lines) == 2
    for line in lines:
        program, group, *words = line.replace("dynamodb://lance", f"dynamodb://{table.rows_in}").split()
        words.remove("s3://bucket/events")
        assert (program, group) == ("oscommit", "lance")
        assert table.tool(*words)[0] == 0, line


def test_what_is_refused(table):
    status, _, errors = table.tool("resolve")
    assert status == 2 and "manifest store" in errors
    assert table.tool("check", "--manifest-store", "sqlite:///tmp/rows.db")[0] != 0
    other = Table(table.lance, table.place)
    other.place = type(table.place)(table.place.url + "-none", **table.place.options)
    assert other.tool("check")[0] == 66


def test_a_race_of_writers_that_are_killed_and_somebody_who_completes(table):
    count, kills, chance, done = 5, [], [0], threading.Event()

    def decide(who, method, path, when):
        chance[0] += 1
        is_write = who == "dynamodb" or method in ("PUT", "DELETE")
        return is_write and chance[0] % 37 == 0

    said = []

    def write(name):
        identities = [f"{name}{number:03}" for number in range(count)]
        while identities:
            killed = Killed(table, decide)
            told = killed.append(identities)
            said.extend(told)
            kills.append(killed.kills)
            killed.close()
            identities = identities[len(told) + 1 :]  # the one at which it died is not appended again

    completed = []

    def complete():
        while not done.is_set():
            status, number = table.resolve()
            assert status == 0, number
            completed.append(number)

    failures = []

    def guarded(function, *arguments):
        try:
            function(*arguments)
        except BaseException as error:  # told by the test
            failures.append(error)

    writers = [threading.Thread(target=guarded, args=(write, name)) for name in "xyz"]
    completer = threading.Thread(target=guarded, args=(complete,))
    for thread in (completer, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    completer.join()
    assert failures == []
    assert table.resolve()[0] == 0
    assert set(kind for kind, _ in table.check()) <= {"staged manifest left"}
    found = judge(table.lance, table.place)
    assert {identity for word, identity in said if word == "committed"} - set(found) == set()
    assert {identity for word, identity in said if word == "failed"} & set(found) == set()
    assert all(is_final(name) for name in table.paths().values())
    assert read(table.lance, table.place)[0] == max(table.paths())
    print(
        f"{len(said)} said, {sum(kills)} kills, {sum(completed)} rows completed by `resolve` in {len(completed)} runs"
    )
    assert sum(kills) > 0
