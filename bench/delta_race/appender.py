# SPDX-License-Identifier: Apache-2.0
"""One process that appends to a Delta table, in one of several ways. Started by run.py, which reads its last line.

    appender.py WRITER BUCKET TABLE APPENDS WHO      storage and credentials: the AWS_* variables, RACE_DIRECT
"""

import io
import json
import os
import subprocess
import sys
import time

import obstore
import pyarrow as pa
import pyarrow.parquet as parquet
from obstore.store import S3Store

COMMITTED, CONFLICT, FAILED = "committed", "conflict", "failed"


def store(bucket, endpoint):
    return S3Store(
        bucket,
        endpoint=endpoint,
        region=os.environ["AWS_REGION"],
        access_key_id=os.environ["AWS_ACCESS_KEY_ID"],
        secret_access_key=os.environ["AWS_SECRET_ACCESS_KEY"],
        client_options={"allow_http": True},
    )


def delta_options(endpoint):
    """Names that delta-rs knows."""
    names = ("AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
    return {**{name: os.environ[name] for name in names}, "AWS_ENDPOINT_URL": endpoint, "AWS_ALLOW_HTTP": "true"}


def rows(who, number):
    return pa.table({"id": pa.array([f"{who}-{number}"]), "number": pa.array([number], pa.int64())})


class ByDeltaRs:
    """The whole append is delta-rs's."""

    def __init__(self, bucket, table, who):
        self.url, self.who = f"s3://{bucket}/{table}", who
        self.options = delta_options(os.environ["AWS_ENDPOINT_URL_S3"])

    def append(self, number):
        from deltalake import write_deltalake

        write_deltalake(self.url, rows(self.who, number), mode="append", storage_options=self.options)
        return COMMITTED


class ByEntries:
    """Writes the data file, then the first log entry that is free. How that is put, the classes below say."""

    def __init__(self, bucket, table, who):
        self.bucket, self.table, self.who, self.version = bucket, table, who, 1
        self.data = store(bucket, os.environ["RACE_DIRECT"])

    def append(self, number):
        name, size = self._write_data(number)
        add = {
            "path": name,
            "partitionValues": {},
            "size": size,
            "modificationTime": int(time.time() * 1000),
            "dataChange": True,
        }
        info = {"timestamp": int(time.time() * 1000), "operation": "WRITE", "operationParameters": {"mode": "Append"}}
        entry = "".join(json.dumps(action) + "\n" for action in ({"commitInfo": info}, {"add": add})).encode()
        while True:
            said = self.put_if_absent(f"{self.table}/_delta_log/{self.version:020d}.json", entry)
            if said != FAILED:
                self.version += 1
            if said != CONFLICT:
                return said

    def _write_data(self, number):
        file = io.BytesIO()
        parquet.write_table(rows(self.who, number), file)
        name = f"part-{self.who}-{number}.parquet"
        obstore.put(self.data, f"{self.table}/{name}", file.getvalue())
        return name, len(file.getvalue())


class ByObstore(ByEntries):
    def __init__(self, bucket, table, who):
        super().__init__(bucket, table, who)
        self.log = store(bucket, os.environ["AWS_ENDPOINT_URL_S3"])

    def put_if_absent(self, key, entry):
        try:
            obstore.put(self.log, key, entry, mode="create")
            return COMMITTED
        except obstore.exceptions.AlreadyExistsError:
            return CONFLICT


class ByOscommit(ByEntries):
    """The tool, with the guard that OSCOMMIT_GUARD and its relatives say."""

    def put_if_absent(self, key, entry):
        url = f"s3://{self.bucket}/{key}"
        ran = self._run("put", "-", url, "--if-absent", "--json", data=entry)
        if ran.returncode == 4:
            ticket = json.loads(ran.stdout)["ticket"].encode()
            ran = self._run("resolve", url, "--ticket-file", "-", "--json", data=ticket)
        if ran.returncode in (0, 3):
            return COMMITTED if ran.returncode == 0 else CONFLICT
        sys.stderr.write(ran.stderr.decode())
        return FAILED

    @staticmethod
    def _run(*arguments, data):
        return subprocess.run([os.environ["RACE_OSCOMMIT"], *arguments], input=data, capture_output=True, check=False)


WRITERS = {"delta-rs": ByDeltaRs, "obstore": ByObstore, "oscommit": ByOscommit}


def main(kind, bucket, table, appends, who):
    writer = WRITERS[kind](bucket, table, who)
    counts = {COMMITTED: 0, FAILED: 0}
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(int(appends)):
        try:
            counts[writer.append(number)] += 1
        except Exception as error:  # whatever a library raises: its caller is told that the append failed
            counts[FAILED] += 1
            print(f"{who}-{number}: {error}".splitlines()[0][:300], file=sys.stderr)
    print(json.dumps(counts))


if __name__ == "__main__":
    main(*sys.argv[1:])
