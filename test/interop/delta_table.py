# SPDX-License-Identifier: Apache-2.0
"""A Delta table on MinIO with its log store on DynamoDB Local, for the tests beside delta-rs.

Environment, as for the other tests of programs (oscommit_testing.py), and
    OSCOMMIT_TEST_DELTALAKE   the program that scripts/servers/deltalake.sh makes
"""

import json
import os
import subprocess
import sys
import unittest
import uuid

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from oscommit_testing import ACCESS_KEY, EXIT_SKIPPED, REGION, SECRET_KEY, dynamo, tool
from plain_store import PlainStore

MINIO = os.environ.get("OSCOMMIT_TEST_MINIO_ENDPOINT")
DYNAMODB = os.environ.get("OSCOMMIT_TEST_DYNAMODB_ENDPOINT")
DELTALAKE = os.environ.get("OSCOMMIT_TEST_DELTALAKE")
BUCKET = os.environ.get("OSCOMMIT_TEST_MINIO_BUCKET")
PEER = os.path.join(HERE, "delta_peer.py")


class Table:
    """A Delta table and its log store, and what a writer's environment says of both."""

    def __init__(self):
        name = uuid.uuid4().hex[:12]
        self.log_store, self.key = "delta_log_" + name, f"delta-{name}/events"
        self.url = f"s3://{BUCKET}/{self.key}"
        self.stores = []

    def environment(self, endpoint):
        own = {key: value for key, value in os.environ.items() if not key.startswith(("AWS_", "OSCOMMIT_"))}
        return {
            **own,
            "AWS_ACCESS_KEY_ID": ACCESS_KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
            "AWS_REGION": REGION,
            "AWS_ENDPOINT_URL": endpoint,
            "AWS_ENDPOINT_URL_DYNAMODB": DYNAMODB,
            "AWS_S3_LOCKING_PROVIDER": "dynamodb",
            "DELTA_DYNAMO_TABLE_NAME": self.log_store,
            "OSCOMMIT_S3_ENDPOINT": endpoint,
            "OSCOMMIT_DYNAMODB_ENDPOINT": DYNAMODB,
        }

    def store(self, conditions=False):
        store = PlainStore(MINIO, conditions)
        self.stores.append(store)
        return store

    def close(self):
        for store in self.stores:
            store.close()

    def oscommit(self, *words, endpoint=MINIO):
        done = subprocess.run(
            [tool(), *words, "--json"], env=self.environment(endpoint), capture_output=True, text=True, timeout=180
        )
        lines = done.stdout.splitlines()
        return done.returncode, json.loads(lines[-1]) if lines else {}, done.stderr

    def append(self, file, endpoint=MINIO, **more):
        words = ["delta", "append", self.url, file, "--log-store", "dynamodb://" + self.log_store]
        return self.oscommit(*words, *more.get("words", ()), endpoint=endpoint)

    def resolve(self, ticket):
        return self.oscommit("delta", "resolve", self.url, ticket, "--log-store", "dynamodb://" + self.log_store)

    def read(self, which="old"):
        """(version, ids)"""
        done = subprocess.run(
            [DELTALAKE, which, PEER, "read", self.url],
            env=self.environment(MINIO),
            capture_output=True,
            text=True,
            timeout=120,
        )
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        version, *ids = done.stdout.split()
        return int(version), ids

    def entries(self):
        """By version."""
        status, answer = dynamo(
            DYNAMODB,
            "Query",
            {
                "TableName": self.log_store,
                "KeyConditionExpression": "tablePath = :p",
                "ExpressionAttributeValues": {":p": {"S": self.url}},
                "ConsistentRead": True,
            },
        )
        assert status == 200, answer
        return {int(item["fileName"]["S"].split(".")[0]): item for item in answer["Items"]}

    def findings(self):
        """Their kinds, as `delta check` says them."""
        words = [tool(), "delta", "check", self.url, "--log-store", "dynamodb://" + self.log_store, "--json"]
        done = subprocess.run(words, env=self.environment(MINIO), capture_output=True, text=True, timeout=180)
        assert done.returncode in (0, 1), done.stderr
        return [found["kind"] for found in map(json.loads, done.stdout.splitlines()) if found["verdict"] == "found"]

    def log(self):
        """Names below the log."""
        done = subprocess.run(
            [tool(), "ls", "--recursive", f"{self.url}/_delta_log/", "--json"],
            env=self.environment(MINIO),
            capture_output=True,
            text=True,
            check=True,
        )
        return [json.loads(line)["key"].rsplit("/", 1)[1] for line in done.stdout.splitlines() if '"key"' in line]


def is_version(path):
    return path.endswith(".json") and path.rsplit("/", 1)[1][:-5].isdigit()


def run_with_servers():
    """The tests of the program, or what is missing for them."""
    missing = [name for name, value in (("MINIO", MINIO), ("DYNAMODB", DYNAMODB), ("DELTALAKE", DELTALAKE)) if not value]
    if missing:
        required = os.environ.get("OSCOMMIT_REQUIRE_SERVERS") == "1"
        print("FAILED:" if required else "SKIPPED:", "no server:", *missing, file=sys.stderr)
        sys.exit(1 if required else EXIT_SKIPPED)
    unittest.main(verbosity=2)
