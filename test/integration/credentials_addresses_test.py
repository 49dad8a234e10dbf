#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The addresses at which platforms give out keys, as they are: 169.254.170.2 of ECS, [fd00:ec2::23] of EKS, and the metadata
service of an instance by IPv4 and IPv6. They stand on the loopback interface of a network namespace, and so does MinIO, whose
keys they give. A proxy is named, which must not hear of any of it."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import namespace
from aws_services import AwsServices, keys_of_minio
from loopback import LoopbackServer, Passage
from oscommit_testing import DENIED, DONE, tool

ECS, EKS, INSTANCE, INSTANCE_6 = "169.254.170.2", "fd00:ec2::23", "169.254.169.254", "fd00:ec2::254"
ADDRESSES = "; ".join(["ip link set lo up", *(f"ip addr add {address}/{128 if ':' in address else 32} dev lo"
                                              for address in (ECS, EKS, INSTANCE, INSTANCE_6))])
MODE = "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE"


class NoProxy(LoopbackServer):
    """Notes who comes."""

    def __init__(self):
        super().__init__()
        self.asked = []

    def serve(self, client):
        self.asked.append(client.recv(4096))


class Addresses(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        subprocess.run(["sh", "-ec", ADDRESSES], check=True)
        folder = tempfile.TemporaryDirectory(prefix="oscommit-addresses-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder, servers = folder.name, os.path.join(folder.name, "servers")
        cls.found = namespace.start_servers(servers, "minio ec2_metadata_mock")
        cls.addClassCleanup(namespace.stop_servers, servers)
        cls.keys = keys_of_minio(cls.found["OSCOMMIT_TEST_MINIO_ENDPOINT"], 3600, keys=(
            cls.found["OSCOMMIT_TEST_ACCESS_KEY"], cls.found["OSCOMMIT_TEST_SECRET_KEY"]))
        subprocess.run([tool(), "table", "create", "--ledger", f"sqlite://{cls.folder}/records.db"], check=True, capture_output=True)
        cls.url = f"s3://{cls.found['OSCOMMIT_TEST_MINIO_BUCKET']}/"

    def setUp(self):
        self.proxy = NoProxy()
        self.addCleanup(self.proxy.close)
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": self.folder, "AWS_REGION": "us-east-1",
            "OSCOMMIT_S3_ENDPOINT": self.found["OSCOMMIT_TEST_MINIO_ENDPOINT"],
            "OSCOMMIT_LEDGER": f"sqlite://{self.folder}/records.db",
            **{name: self.proxy.url for name in ("http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY")},
        }

    def services(self, host):
        services = AwsServices(host, 80)
        self.addCleanup(services.close)
        services.given = self.keys
        return services

    def tool(self, *words, data=None, environment=None):
        return subprocess.run([tool(), *words], env={**self.environment, **(environment or {})}, input=data,
                              capture_output=True, timeout=120)

    def check_commits(self, source, environment):
        done = self.tool("put", "-", self.url + self.id(), "--if-absent", "--json", data=b"x", environment=environment)
        self.assertEqual((done.returncode, json.loads(done.stdout)["verdict"]), (DONE, "committed"), done.stderr)
        done = self.tool("credentials", "--json", environment=environment)
        used = [line["source"] for line in map(json.loads, done.stdout.splitlines()) if line.get("used")]
        self.assertEqual((done.returncode, used), (DONE, [source]), done.stderr)
        self.assertEqual(self.proxy.asked, [])

    def test_a_task_of_ecs(self):
        services = self.services(ECS)
        self.check_commits("container", {"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/container/task?id=7"})
        self.assertEqual(services.asked("container"), ["id=7"] * 2)

    def test_a_pod_of_eks(self):
        self.services(EKS).container_token = "pod token"
        with open(os.path.join(self.folder, "token"), "w", encoding="utf-8") as out:
            out.write("pod token")
        self.check_commits("container", {
            "AWS_CONTAINER_CREDENTIALS_FULL_URI": f"http://[{EKS}]/container/pod",
            "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": out.name})

    def test_an_instance(self):
        services = self.services(INSTANCE)
        self.check_commits("instance", {})
        self.assertEqual(len(services.asked("imds_token")), 2)

    def test_an_instance_by_ipv6(self):
        services = self.services(INSTANCE_6)
        self.check_commits("instance", {MODE: "IPv6"})
        self.assertEqual(len(services.asked("imds_token")), 2)
        done = self.tool("credentials", environment={MODE: "IPv4"})  # there is nobody
        self.assertEqual(done.returncode, DENIED, done.stdout)
        self.assertIn(b"http://169.254.169.254", done.stdout + done.stderr)

    def test_amazons_own_mock_at_both_addresses(self):
        for host, mode in ((INSTANCE, "IPv4"), (INSTANCE_6, "IPv6")):
            with self.subTest(mode):
                passage = Passage(self.found["OSCOMMIT_TEST_EC2_METADATA_MOCK_ENDPOINT"], (host, 80))
                self.addCleanup(passage.close)
                done = self.tool("credentials", "--json", environment={MODE: mode})
                self.assertEqual(done.returncode, DONE, done.stderr)
                self.assertEqual(json.loads(done.stdout.splitlines()[-1])["source"], "instance")
        self.assertEqual(self.proxy.asked, [])


if __name__ == "__main__":
    namespace.enter(ADDRESSES, "the addresses of platforms")
    unittest.main(verbosity=2)
