#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""URLs that oscommit presign makes, sent by another program."""

import os
import sys
import urllib.error
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from oscommit_testing import NOT_EXECUTED, SECRET_KEY, USAGE, BackendCase, main

PROFILE = ("--store-profile", "aws", "--guard", "both")


class Presign(BackendCase):
    def send(self, url, method="GET", data=None, headers=None):
        request = urllib.request.Request(url, data, headers or {}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()

    def presign(self, *arguments):
        ran = self.ok("presign", *arguments)
        self.assertNotIn(SECRET_KEY, ran.text + ran.errors)
        self.assertNotIn("X-Amz-Signature", ran.errors)
        return ran.text.strip()


class Stores(Presign):
    def setUp(self):
        if self.backend.embedded or self.backend.v2:
            self.skipTest("nothing can be signed in advance here")

    def test_an_object_is_read_by_its_url(self):
        url = self.new_url("with blank ü+%")
        self.ok("put", "-", url, "--if-absent", data=b"content")
        signed = self.presign(url, "-vv")
        self.assertEqual(self.send(signed), (200, b"content"))
        self.assertEqual(self.send(signed, "HEAD")[0], 403)
        self.assertEqual(self.send(self.presign(url, "--method", "head"), "HEAD")[0], 200)
        self.assertEqual(self.send(self.presign(self.new_url("absent")))[0], 404)
        self.assertIn("X-Amz-Expires=900&", self.presign(url, "--expires", "15m"))

    def test_a_put_is_applied_once(self):
        url = self.new_url("put")
        line = self.ok("presign", url, "--method", "put", "--json", *PROFILE).line()
        self.assertEqual(line["headers"], {"if-none-match": "*"})
        self.assertIn(self.send(line["url"], "PUT", b"first")[0], (400, 403), "the condition is signed")
        self.assertEqual(self.send(line["url"], "PUT", b"first", line["headers"])[0], 200)
        self.assertEqual(self.send(line["url"], "PUT", b"second", line["headers"])[0], 412)
        self.assertEqual(self.ok("get", url).out, b"first")

    def test_a_content_type_is_signed(self):
        url = self.new_url("type")
        line = self.ok("presign", url, "--method", "put", "--content-type", "text/x-a", "--json", *PROFILE).line()
        other = {**line["headers"], "content-type": "text/x-b"}
        self.assertEqual(self.send(line["url"], "PUT", b"x", other)[0], 403)
        self.assertEqual(self.send(line["url"], "PUT", b"x", line["headers"])[0], 200)
        self.assertEqual(self.ok("head", url, "--json").line()["content_type"], "text/x-a")

    def test_a_put_without_a_proven_condition_is_refused(self):
        url = self.new_url("unproven")
        for flags in ((), ("--guard", "record"), ("--guard", "both"), ("--store-profile", "aws", "--guard", "record")):
            ran = self.exits(NOT_EXECUTED, "presign", url, "--method", "put", *flags)
            self.assertIn("leaves no record", ran.errors)
            self.assertEqual(ran.out, b"")

    def test_a_url_ends(self):
        url = self.new_url("ends")
        self.ok("put", "-", url, "--if-absent", data=b"x")
        signed = self.presign(url, "--expires", "1s")
        while self.send(signed)[0] == 200:  # the store's clock tells nobody that it has passed
            pass
        self.assertEqual(self.send(signed)[0], 403)


class Refused(Presign):
    def test_what_cannot_be_signed_is_refused(self):
        if self.backend.embedded or self.backend.v2:
            ran = self.exits(NOT_EXECUTED, "presign", self.new_url("x"))
            self.assertEqual(ran.out, b"")
            self.assertIn("signature v4 only" if self.backend.v2 else "is no S3 store", ran.errors)

    def test_bad_usage(self):
        for flags in (("--expires", "8d"), ("--expires", "soon"), ("--method", "delete")):
            self.exits(USAGE, "presign", self.new_url("x"), *flags)
        if not self.backend.embedded and not self.backend.v2:
            self.exits(NOT_EXECUTED, "presign", self.new_url("x"), "--content-type", "a/b")
            self.exits(NOT_EXECUTED, "presign", self.new_url("x"), "--method", "put", "--version-id", "v", *PROFILE)


if __name__ == "__main__":
    main(Stores, Refused, only=("embedded", "minio", "versitygw"))
