#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of documents as they stand there, but for the names of places and for times.

Runs: docs/pipelines.md docs/credentials.md docs/race.md"""

import json
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import document
from credentials_row import pair
from oscommit_testing import BackendCase, main, tool

FILES = {
    "out/a.parquet": b"a", "out/b/c.json": b"{}", "report.pdf": b"%PDF-1.7", "report.csv": b"1,2\n",
}
NIGHTLY = "[profile nightly]\nrole_arn = arn:aws:iam::123456789012:role/nightly\nsource_profile = base\n"
CONFIG = "[profile tables]\nregion = us-east-1\n"
# What differs from one run to the next: the keys, and when they end.
KEY, TIME = re.compile(r"\.\.\.\S{4}$", re.MULTILINE), re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


class Documents(BackendCase):
    def setUp(self):
        self.place = os.path.join(self.folder, self.key("place"))
        os.mkdir(self.place)
        self.bucket = self.new_url("bucket")
        self.names = {"s3://bucket": self.bucket}
        self.environment = {**self.base, "PATH": os.path.dirname(tool()) + ":" + self.base["PATH"]}
        for name, data in FILES.items():
            self.write(name, data)

    def write(self, name, data, mode=0o644):
        path = os.path.join(self.place, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as out:
            out.write(data)
        os.chmod(path, mode)
        return path

    def read(self, name):
        with open(os.path.join(self.place, name), "rb") as file:
            return file.read()

    def needs(self, *names):
        missing = [name for name in names if not os.environ.get(name)]
        if missing and os.environ.get("OSCOMMIT_REQUIRE_SERVERS") == "1":
            self.fail(f"not set: {missing}")
        if missing:
            self.skipTest(f"not set: {missing}")

    def same_output(self, printed, said):
        for pattern in (KEY, TIME):
            printed, said = pattern.sub("*", printed), pattern.sub("*", said)
        self.assertEqual(printed, said)

    def run_all(self, path, least, before=lambda block: None):
        found = document.blocks(path)
        self.assertGreaterEqual(len(found), least)
        for block in found:
            before(block)
            document.run(self, block, self.names, self.place, self.environment)

    def test_pipelines(self):
        metrics = os.path.join(self.place, "oscommit.prom")
        self.names["/var/lib/node_exporter/oscommit.prom"] = metrics
        for key in ("2026/x.json", "2026/12/part-1.parquet"):
            self.ok("put", "-", f"{self.bucket}/{key}", data=b"{}")
        self.run_all("docs/pipelines.md", 5)
        self.assertEqual((self.read("in/a.parquet"), self.read("in/b/c.json"), self.read("reports/x.json")), (b"a", b"{}", b"{}"))
        keys = [line["key"] for line in self.ok("ls", self.bucket + "/", "--recursive", "--json").lines() if "key" in line]
        names = {key.split("/", 1)[1] for key in keys}
        self.assertEqual(names, {"2026/x.json", "2026/11/a.parquet", "2026/11/b/c.json", "2026/12/part-1.parquet",
                                 "checked/x.json", "inbox/1"})
        self.assertEqual(self.ok("get", self.bucket + "/inbox/1").out, FILES["report.pdf"])
        noted = [json.loads(line).get("verdict", "a run") for line in self.read("out.jsonl").splitlines()]
        self.assertEqual(sorted(noted), ["a run"] * 2 + ["committed"] * 2)
        self.assertIn(b'oscommit_runs_total{command="sync",status="0"} 1', self.read("oscommit.prom"))

    # ------------------------------------------------------------------------------------------------ credentials

    def home(self, block):
        """Of somebody who has the profiles that a block does not write itself."""
        home = os.path.join(self.place, "home")
        shutil.rmtree(home, ignore_errors=True)
        self.write("home/.aws/credentials", ("[base]\n" + pair("BASE") + "[tables]\n" + pair("TABLES")).encode())
        self.write("home/.aws/config", (CONFIG + ("" if NIGHTLY in block.text else NIGHTLY)).encode())

    def test_credentials(self):
        self.needs("OSCOMMIT_TEST_MOTO_ENDPOINT", "OSCOMMIT_TEST_EC2_METADATA_MOCK_ENDPOINT", "OSCOMMIT_TEST_AWSCLI")
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            del self.environment[name]
        program = self.write("keys-from-vault", b"#!/bin/sh\necho '%s'\n" % json.dumps(
            {"Version": 1, "AccessKeyId": "AKIAVAULT", "SecretAccessKey": "secret/VAULT"}).encode(), 0o755)
        self.names.update({
            "/run/ci/token": self.write("token", b"eyJ.a.token"), "/usr/local/bin/keys-from-vault": program,
            "dynamodb://commits": "dynamodb://" + self.table})
        self.environment.update(
            HOME=os.path.join(self.place, "home"), AWS_ENDPOINT_URL_STS=os.environ["OSCOMMIT_TEST_MOTO_ENDPOINT"],
            AWS_EC2_METADATA_SERVICE_ENDPOINT=os.environ["OSCOMMIT_TEST_EC2_METADATA_MOCK_ENDPOINT"],
            PATH=os.path.dirname(os.environ["OSCOMMIT_TEST_AWSCLI"]) + ":" + self.environment["PATH"])
        self.run_all("docs/credentials.md", 6, self.home)

    def test_a_manifest_for_kubernetes_is_one(self):
        self.needs("OSCOMMIT_TEST_AWSCLI")  # which brings a reader of YAML along
        sys.path.insert(0, os.path.join(os.path.dirname(os.environ["OSCOMMIT_TEST_AWSCLI"]), "lib"))
        import yaml

        manifests = [yaml.safe_load(text) for text in document.marked("docs/credentials.md", "yaml", "no-run")]
        self.assertEqual([(one["apiVersion"], one["kind"]) for one in manifests], [("batch/v1", "Job")])
        pod = manifests[0]["spec"]["template"]["spec"]
        self.assertEqual((pod["serviceAccountName"], pod["restartPolicy"]), ("publisher", "Never"))
        (container,) = pod["containers"]
        self.write("data/report.json", b"{}")
        words = [word.replace("s3://bucket", self.bucket).replace("/data", self.place + "/data")
                 for word in container["command"]]
        self.assertEqual(words[0], "oscommit")
        self.assertIn("committed", self.ok(*words[1:]).text)

    # ------------------------------------------------------------------------------------------------------- races

    def test_races(self):
        leases = self.table + "-leases"
        self.ok("table", "create", "--leases", "--ledger", "dynamodb://" + leases)
        del self.environment["OSCOMMIT_LEDGER"]  # the page names it where it is wanted
        self.names.update({
            "dynamodb://commits": "dynamodb://" + self.table, "dynamodb://leases": "dynamodb://" + leases,
            "https://store.example:9000": self.store_endpoint + " --rounds 3", "10m": "10s", "5m": "15s",
            "sqlite:///srv/leases.db": f"sqlite://{self.place}/leases.db --duration 8s",
            "race --lock    #": "race --lock --duration 8s #",
            "dynamodb://accounts": "dynamodb://" + self.table + "-accounts",
            "sqlite:///srv/rows.db": f"sqlite://{self.place}/rows.db --duration 4s",
            "race --transactions    #": "race --transactions --duration 4s #"})
        self.run_all("docs/race.md", 4)
        profile = json.loads(self.read("store.json"))
        self.assertEqual((profile["format"], profile["name"]), (1, "MinIO"))
        self.assertIn(b"<html", self.read("race.html"))


if __name__ == "__main__":
    main(Documents, only={"minio"})
