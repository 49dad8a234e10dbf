#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Eight processes append to a Delta table while every fourth answer to a write of its log is lost.

    bench/delta_race/run.py [--oscommit PROGRAM] [--writers N] [--appends N] [--endpoint URL]

Prints how many appends stand twice in the log, how many failed for their writer, and how many rows delta-rs reads
then. Without --endpoint it starts the MinIO of the tests (OSCOMMIT_SERVERS=minio scripts/servers.sh install); with it,
the AWS_* variables name keys and region. Installs delta-rs, obstore and pyarrow by pip into a virtual environment
below ~/.cache, once."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PACKAGES = ("deltalake==1.6.6", "obstore==0.12.1", "pyarrow==26.0.1")
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "oscommit", "delta_race")

# What the table calls it, the appender's writer, and what its environment has beyond.
ROWS = (
    ("delta-rs 1.6.6, by `object_store`", "delta-rs", {}),
    ('obstore 0.12.1, by `object_store`: `put(mode="create")`', "obstore", {}),
    ("`oscommit put --if-absent`", "oscommit", {"OSCOMMIT_GUARD": "record"}),
)


def in_environment():
    """Runs this again with the packages, unless it does."""
    python = os.path.join(CACHE, "bin", "python")
    marker = os.path.join(CACHE, "-".join(PACKAGES))
    if not os.path.exists(marker):
        print("Installing", *PACKAGES, file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", CACHE], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
        with open(marker, "wb"):
            pass
    if os.path.realpath(sys.prefix) != os.path.realpath(CACHE):
        os.execv(python, [python, *sys.argv])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oscommit", default=find_oscommit(), help="the program [in build/, or on PATH]")
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--appends", type=int, default=10, help="of each writer")
    parser.add_argument("--every", type=int, default=4, help="which answer is lost: every Nth")
    parser.add_argument("--endpoint", help="an S3 server that enforces If-None-Match; default: a MinIO of its own")
    given = parser.parse_args()
    if not given.oscommit:
        parser.error("there is no oscommit program: build it, or name it with --oscommit")
    return given


def find_oscommit():
    for build in ("build", "build/release", "build/debug", "build/quickstart"):
        path = os.path.join(ROOT, build, "tool", "oscommit")
        if os.access(path, os.X_OK):
            return path
    return shutil.which("oscommit")


class Servers:
    """MinIO, as the tests start it; or nothing."""

    def __init__(self, folder, endpoint):
        self.folder = None if endpoint else os.path.join(folder, "servers")
        self.environment = {**os.environ, "OSCOMMIT_SERVERS": "minio"}
        self.endpoint = endpoint or self._start()

    def _script(self, action):
        script = os.path.join(ROOT, "scripts", "servers.sh")
        done = subprocess.run([script, action, self.folder], env=self.environment, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stderr or f"{script} {action} failed.")

    def _start(self):
        os.mkdir(self.folder)
        self._script("start")
        names = ("MINIO_ENDPOINT", "ACCESS_KEY", "SECRET_KEY", "REGION")
        show = f". {self.folder}/env && echo " + " ".join("$OSCOMMIT_TEST_" + name for name in names)
        said = subprocess.run(["sh", "-c", show], capture_output=True, text=True, check=True).stdout.split()
        os.environ.update(zip(("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"), said[1:]))
        return said[0]

    def stop(self):
        if self.folder:
            self._script("stop")


def start_writers(command, count, environment):
    """All begin at the same time."""
    processes = [
        subprocess.Popen(
            [*command, f"w{number}"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for number in range(count)
    ]
    for process in processes:
        process.stdout.readline()  # "ready"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    return processes


def make_bucket(endpoint, name):
    """By the tests' own signer: obstore makes no buckets."""
    sys.path.insert(0, os.path.join(ROOT, "test", "support"))
    os.environ.setdefault("OSCOMMIT_TEST_ACCESS_KEY", os.environ["AWS_ACCESS_KEY_ID"])
    os.environ.setdefault("OSCOMMIT_TEST_SECRET_KEY", os.environ["AWS_SECRET_ACCESS_KEY"])
    os.environ.setdefault("OSCOMMIT_TEST_REGION", os.environ["AWS_REGION"])
    from oscommit_testing import signed_request

    status, _, body = signed_request(endpoint, "s3", "PUT", "/" + name)
    if status != 200:
        sys.exit(f"The bucket {name} could not be made: {status} {body!r}")


class Race:
    def __init__(self, given, endpoint, bucket, folder):
        self.given, self.endpoint, self.bucket, self.folder = given, endpoint, bucket, folder
        self.every = given.every

    def run(self, table, kind, more):
        from lossy_proxy import LossyProxy

        self._create(table)
        where = urllib.parse.urlsplit(self.endpoint)
        proxy = LossyProxy(where.hostname, where.port, self.every)
        counts = self._append(table, kind, {**more, "AWS_ENDPOINT_URL_S3": proxy.url})
        proxy.close()
        return {**counts, "lost": proxy.lost, "twice": self._twice(table), "rows": self._rows(table)}

    def _create(self, table):
        from appender import rows
        from deltalake import DeltaTable

        DeltaTable.create(self._url(table), rows("none", 0).schema, storage_options=self._options())

    def _url(self, table):
        return f"s3://{self.bucket}/{table}"

    def _options(self):
        from appender import delta_options

        return delta_options(self.endpoint)

    def _append(self, table, kind, more):
        ledger = "sqlite://" + os.path.join(self.folder, table + ".db")
        environment = {
            **os.environ,
            "RACE_DIRECT": self.endpoint,
            "RACE_OSCOMMIT": os.path.abspath(self.given.oscommit),
            "OSCOMMIT_LEDGER": ledger,
            **more,
        }
        command = [sys.executable, "-B", os.path.join(HERE, "appender.py"), kind, self.bucket, table]
        if kind == "oscommit":
            create = [environment["RACE_OSCOMMIT"], "table", "create", "--store", "s3://" + self.bucket, "--quiet"]
            subprocess.run(create, env=environment, check=True)
        processes = start_writers([*command, str(self.given.appends)], self.given.writers, environment)
        sums = {}
        for process in processes:
            said = process.communicate()[0]
            if process.returncode != 0:
                sys.exit(f"A writer of {kind} ended with {process.returncode}.")
            for name, count in json.loads(said.splitlines()[-1]).items():
                sums[name] = sums.get(name, 0) + count
        return sums

    def _twice(self, table):
        """Data files that more than one entry of the log adds."""
        import obstore
        from appender import store

        direct, entries = store(self.bucket, self.endpoint), {}
        for page in obstore.list(direct, f"{table}/_delta_log/"):
            for found in page:
                if not found["path"].endswith(".json"):
                    continue
                for line in bytes(obstore.get(direct, found["path"]).bytes()).splitlines():
                    path = json.loads(line).get("add", {}).get("path")
                    if path:
                        entries[path] = entries.get(path, 0) + 1
        return sum(count > 1 for count in entries.values())

    def _rows(self, table):
        """As delta-rs reads them: a log with a gap, or with an entry that it cannot read, is none."""
        from deltalake import DeltaTable

        return DeltaTable(self._url(table), storage_options=self._options()).to_pyarrow_table().num_rows


def main():
    given = arguments()
    in_environment()
    appends = given.writers * given.appends
    bucket = f"delta-race-{os.getpid()}"
    with tempfile.TemporaryDirectory(prefix="oscommit-delta-race-") as folder:
        servers = Servers(folder, given.endpoint)
        try:
            make_bucket(servers.endpoint, bucket)
            race = Race(given, servers.endpoint, bucket, folder)
            print(f"| {given.writers} processes, {appends} appends | answers lost | stand twice | failed | rows then |")
            print("|---|---|---|---|---|")
            for number, (name, kind, more) in enumerate(ROWS):
                said = race.run(f"table-{number}", kind, more)
                print(f"| {name} | {said['lost']} | **{said['twice']}** | {said['failed']} | {said['rows']} |", flush=True)
        finally:
            servers.stop()


if __name__ == "__main__":
    main()
