#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python package beside obstore, as ratios of one run: time, processor time and memory of its process.

    bench/python.py [--rounds N] [--rows REGEX]

Wants both packages (a wheel of this one: scripts/python.sh builds it) and MinIO and DynamoDB Local of scripts/servers.sh,
whose env is sourced. The sides take turns, each measurement is a process of its own, and the table shows medians. Sides:

    native   this package under the store's own condition (bench/native.json), as obstore works
    record   this package under records in DynamoDB, which obstore cannot do
    obstore  obstore, `mode="create"`
"""

import argparse
import asyncio
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import time
import uuid

HERE = os.path.dirname(os.path.abspath(__file__))
SIDES = ("native", "record", "obstore")
# name: (what is done, in flight, how often, bytes). 0 in flight: blocking calls.
ROWS = {
    "create, blocking": ("create", 0, 400, 1024),
    "create, 64 in flight": ("create", 64, 3000, 1024),
    "create, 1,000 in flight": ("create", 1000, 3000, 1024),
    "get, blocking": ("get", 0, 1000, 1024),
    "get, 64 in flight": ("get", 64, 5000, 1024),
    "get of 64 MiB": ("get", 0, 4, 64 << 20),
    "overwrite of 64 MiB": ("put", 0, 4, 64 << 20),
}


class Ours:
    def __init__(self, side, bucket, table):
        import oscommit

        options = {"guard": side}
        if side == "native":
            options["store_profile"] = os.path.join(HERE, "native.json")
        else:
            options["ledger"] = f"dynamodb://{table}"
        self.store = oscommit.Store.from_url(
            f"s3://{bucket}",
            s3_endpoint=os.environ["OSCOMMIT_TEST_MINIO_ENDPOINT"],
            dynamodb_endpoint=os.environ["OSCOMMIT_TEST_DYNAMODB_ENDPOINT"],
            **options,
        )

    def __getattr__(self, name):
        return getattr(self.store, name)

    def get(self, path):
        return self.store.get(path).bytes()

    async def get_async(self, path):
        return (await self.store.get_async(path)).bytes()


class Obstore:
    def __init__(self, bucket):
        from obstore.store import S3Store

        self.store = S3Store(
            bucket,
            endpoint=os.environ["OSCOMMIT_TEST_MINIO_ENDPOINT"],
            region=os.environ["AWS_REGION"],
            client_options={"allow_http": True},
        )

    def __getattr__(self, name):
        return getattr(self.store, name)

    def get(self, path):
        return bytes(self.store.get(path).bytes())

    async def get_async(self, path):
        return bytes(await (await self.store.get_async(path)).bytes_async())


def call_of(store, what, path, data, suffix):
    """The call of one operation, and what it is given."""
    if what == "get":
        return getattr(store, "get" + suffix), ("get",), {}
    mode = {"mode": "create"} if what == "create" else {}
    return getattr(store, "put" + suffix), (path, data), mode


def blocking(store, what, count, data, scratch):
    for number in range(count):
        call, arguments, options = call_of(store, what, f"{scratch}/{number}", data, "")
        call(*arguments, **options)


async def at_once(store, what, flight, count, data, scratch):
    numbers = iter(range(count))

    async def lane():
        for number in numbers:
            call, arguments, options = call_of(store, what, f"{scratch}/{number}", data, "_async")
            await call(*arguments, **options)

    await asyncio.gather(*(lane() for _ in range(flight)))


def do(store, row, count, scratch):
    what, flight, _, size = row
    data = os.urandom(size)
    if flight:
        asyncio.run(at_once(store, what, flight, count, data, scratch))
    else:
        blocking(store, what, count, data, scratch)


def measure(side, name, bucket, table):
    """In a process of its own: wall and processor time of an operation, and the peak of its memory."""
    store = Obstore(bucket) if side == "obstore" else Ours(side, bucket, table)
    row = ROWS[name]
    what, flight, count, size = row
    if what == "get":
        store.put("get", b"x" * size)
    do(store, (what, flight, 0, 1024 if what != "get" else size), 1 if size > 1 << 20 else 64, uuid.uuid4().hex)
    before, started = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    do(store, row, count, uuid.uuid4().hex)
    took, after = time.monotonic() - started, resource.getrusage(resource.RUSAGE_SELF)
    cpu = sum(getattr(after, field) - getattr(before, field) for field in ("ru_utime", "ru_stime"))
    print(json.dumps({"wall_us": took / count * 1e6, "cpu_us": cpu / count * 1e6, "peak_mib": peak_mib()}))


def peak_mib():
    """Not ru_maxrss, which begins with that of the process that started this one."""
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM"))


def prepare():
    """A bucket, and a table of records."""
    sys.path.insert(0, os.path.join(os.path.dirname(HERE), "test", "support"))
    from oscommit_testing import ACCESS_KEY, REGION, SECRET_KEY, signed_request

    os.environ.update(AWS_ACCESS_KEY_ID=ACCESS_KEY, AWS_SECRET_ACCESS_KEY=SECRET_KEY, AWS_REGION=REGION)
    name = f"bench-{uuid.uuid4().hex[:12]}"
    status, _, body = signed_request(os.environ["OSCOMMIT_TEST_MINIO_ENDPOINT"], "s3", "PUT", "/" + name)
    if status != 200:
        sys.exit(f"The bucket could not be made: {status} {body!r}")
    Ours("record", name, name).store.table(create=True)
    return name


def shown(measured, side, metric):
    return statistics.median(one[metric] for one in measured[side])


def table_row(name, measured):
    cells = [name]
    for metric, scale in (("wall_us", 1000), ("cpu_us", 1000), ("peak_mib", 1)):
        values = {side: shown(measured, side, metric) / scale for side in SIDES}
        ratio = values["native"] / values["obstore"]
        cells += [f"{values[side]:.3g}" for side in SIDES] + [f"**{ratio:.2f}**"]
    return "| " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", default="")
    parser.add_argument("--measure", nargs=4, metavar=("SIDE", "ROW", "BUCKET", "TABLE"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        measure(*given.measure)
        return
    name = prepare()
    print("| | ms: " + " | ".join(SIDES) + " | ratio | CPU ms: " + " | ".join(SIDES), end=" | ratio | ")
    print("MiB: " + " | ".join(SIDES) + " | ratio |\n" + "|---" * 13 + "|")
    for row in filter(re.compile(given.rows).search, ROWS):
        measured = {side: [] for side in SIDES}
        for _ in range(given.rounds):
            for side in SIDES:
                command = [sys.executable, "-B", __file__, "--measure", side, row, name, name]
                measured[side].append(json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout))
        print(table_row(row, measured), flush=True)


if __name__ == "__main__":
    main()
