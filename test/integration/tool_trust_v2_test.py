#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""E9 with Signature V2, as tool_trust_test.py has it with V4."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from oscommit_testing import CONFLICT, BackendCase, main

FAST = ["--length-s", "8", "--allowance-s", "1", "--margin-s", "1", "--timeout-ms", "10000", "--max-clock-skew-rate", "2"]
MARK = "x-amz-request-id"
INGRESS = {"status": 404, "headers": "Content-Type: text/plain\r\n", "body": "default backend - 404"}


class SignatureV2(BackendCase):
    """Through libs3, which knows no mark: what it is told is looked at before it reads it."""

    def setUp(self):
        self.proxy, _, self.environment = self.proxies()

    def test_a_bare_404_is_no_proof_that_nothing_is_there(self):
        key = self.key("there")
        url = self.url(key)
        self.ok("put", "-", url, "--if-absent", data=b"first")
        self.ok("table", "release", url, "--force")
        for match in ({"path_contains": key}, {}):  # as R1's, and as the first answer of all
            self.proxy.add("answer", times=2, **match, **INGRESS)
            self.exits(CONFLICT, "put", "-", url, "--if-absent", *FAST, environment=self.environment, data=b"second")

    def test_a_store_without_marks_is_used(self):
        self.proxy.add("strip_answer", header=MARK)
        url = self.new_url("plain")
        self.ok("put", "-", url, "--if-absent", *FAST, environment=self.environment, data=b"x")
        self.exits(CONFLICT, "put", "-", url, "--if-absent", *FAST, environment=self.environment, data=b"y")
        self.assertNotEqual(self.proxy.requests(path_contains=".oscommit-nowhere-"), [])


if __name__ == "__main__":
    main(SignatureV2, only=("minio+v2",))
