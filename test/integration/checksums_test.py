#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""AWS_REQUEST_CHECKSUM_CALCULATION and AWS_RESPONSE_CHECKSUM_VALIDATION on the wire: which sums go out, that the store checks
them, and whether those that come back are compared."""

import base64
import json
import os
import re
import sys
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
SHIPPED = os.path.join(HERE, "..", "..", "src", "profile", "shipped")
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from oscommit_testing import DONE, NOT_EXECUTED, USAGE, BackendCase, main, signed_request

REQUEST, RESPONSE = "AWS_REQUEST_CHECKSUM_CALCULATION", "AWS_RESPONSE_CHECKSUM_VALIDATION"
BODY, LARGE = b"twelve bytes", os.urandom(6 << 20)
PARTS = ["--stage-above", str(5 << 20), "--part-size", str(5 << 20)]


def sums(request):
    """The names of the headers with sums, and what they say."""
    found = re.findall(r"^(content-md5|x-amz-checksum-\w+|x-amz-sdk-checksum-algorithm): *(.*?)\r?$", request["head"],
                       re.MULTILINE | re.IGNORECASE)
    return {name.lower(): value for name, value in found}


def crc32(data):
    return base64.b64encode(zlib.crc32(data).to_bytes(4, "big")).decode()


class Checksums(BackendCase):
    def setUp(self):
        self.proxy, _, self.through = self.proxies()

    def put(self, environment, data=BODY, flags=()):
        """Returns what went out with the PUTs of one object."""
        url = self.new_url("sum")
        ran = self.ok("put", "-", url, "--if-absent", *flags, data=data, environment={**self.through, **environment})
        self.assertIn("committed", ran.text)
        self.assertEqual(self.ok("get", url).out, data)
        return [sums(request) for request in self.proxy.requests(method="PUT", path_contains=url.rsplit("/", 1)[1])]

    def profile(self, text):
        return {"HOME": os.path.dirname(os.path.dirname(self.file_in_home("config", text)))}

    def file_in_home(self, name, text):
        folder = os.path.join(self.folder, self.key("home"), ".aws")
        os.makedirs(folder)
        with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
            out.write("[default]\n" + text)
        return out.name

    def test_a_body_in_one_request(self):
        for environment, names in (
            ({}, {"content-md5"}),
            ({REQUEST: "when_required"}, {"content-md5"}),
            ({REQUEST: "WHEN_SUPPORTED"}, {"content-md5", "x-amz-checksum-crc32"}),
            (self.profile("request_checksum_calculation = when_supported\n"), {"content-md5", "x-amz-checksum-crc32"}),
            ({**self.profile("request_checksum_calculation = when_supported\n"), REQUEST: "when_required"}, {"content-md5"}),
        ):
            with self.subTest(environment):
                (found,) = self.put(environment)
                self.assertEqual(set(found), names)
                self.assertEqual(found.get("x-amz-checksum-crc32", crc32(BODY)), crc32(BODY))

    def test_the_sum_is_signed_and_the_store_has_it(self):
        url = self.new_url("kept")
        self.ok("put", "-", url, "--if-absent", data=BODY, environment={**self.through, REQUEST: "when_supported"})
        (request,) = self.proxy.requests(method="PUT", path_contains=url.rsplit("/", 1)[1])
        self.assertRegex(request["query"] + request["head"], "SignedHeaders=[^&, ]*x-amz-checksum-crc32")
        status, headers, _ = signed_request(self.store_endpoint, "s3", "HEAD", url.removeprefix("s3:/"),
                                            headers={"x-amz-checksum-mode": "ENABLED"})
        kept = {name.lower(): value for name, value in headers.items()}
        self.assertEqual((status, kept.get("x-amz-checksum-crc32")), (200, crc32(BODY)))

    def test_parts_have_what_the_profile_proves_unless_nothing_more_than_is_required_is_wanted(self):
        with open(os.path.join(SHIPPED, self.backend.name + ".json"), encoding="utf-8") as file:
            profile = {**json.load(file), "checksums": ["CRC64NVME"]}
        path = self.file("profile.json", json.dumps(profile).encode())
        flags = [*PARTS, "--store-profile", path]
        for value, wanted in (("", "x-amz-checksum-crc64nvme"), ("when_supported", "x-amz-checksum-crc64nvme"),
                              ("when_required", "content-md5")):
            with self.subTest(value):
                found = self.put({REQUEST: value}, LARGE, flags)
                self.assertEqual([set(one) - {"x-amz-sdk-checksum-algorithm"} for one in found], [{wanted}] * 2)

    def test_a_sum_that_came_back_is_compared_or_not_asked_for(self):
        url = self.new_url("wrong")
        self.ok("put", "-", url, data=BODY)
        headers = f'x-amz-request-id: MADEUP\r\nETag: "x"\r\nx-amz-checksum-crc32: {crc32(b"other")}\r\n'
        self.proxy.add("answer", method="GET", path_contains=url.rsplit("/", 1)[1], status=200, body=BODY.decode(),
                       headers=headers)
        for environment, status in (({}, NOT_EXECUTED), ({RESPONSE: "when_supported"}, NOT_EXECUTED),
                                    ({RESPONSE: "when_required"}, DONE)):
            with self.subTest(environment):
                self.exits(status, "get", url, environment={**self.through, **environment})
        asked = self.proxy.requests(method="GET", path_contains=url.rsplit("/", 1)[1])
        heads = [request["head"].lower() for request in asked]
        self.assertEqual(["x-amz-checksum-mode: enabled" in head for head in heads], [True, True, False])

    def test_another_value_is_refused_before_anything_is_sent(self):
        for environment, name in (({REQUEST: "always"}, REQUEST), ({RESPONSE: "when required"}, RESPONSE),
                                  (self.profile("request_checksum_calculation = never\n"), REQUEST)):
            with self.subTest(environment):
                ran = self.exits(USAGE, "put", "-", self.new_url("bad"), "--if-absent", data=b"x",
                                 environment={**self.through, **environment})
                self.assertIn(name, ran.errors)
                self.assertIn("there are when_required and when_supported", ran.errors)
        self.assertEqual(self.proxy.requests(), [])


if __name__ == "__main__":
    main(Checksums, only={"minio", "versitygw"})
