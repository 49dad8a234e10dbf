#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Amazon S3's own host, played by a real store: an HTTP proxy stands where https_proxy points, shows a certificate for
that host, and passes on what the tool sends. So no endpoint is given, and the built-in profile is the default."""

import os
import re
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from loopback import TlsFront
from oscommit_testing import ABSENT, CONFLICT, NOT_EXECUTED, REGION, USAGE, BackendCase, main, md5_etag

HOST = f"s3.{REGION}.amazonaws.com"


class Amazon(TlsFront):
    """The proxy. Notes the heads of all requests."""

    def __init__(self, folder, store):
        self._lock, self._heard = threading.Lock(), []
        super().__init__(folder, store, f"DNS:{HOST},DNS:*.{HOST}")
        self.url = f"http://127.0.0.1:{self.port}"

    def heard(self):
        """The heads since it was last asked, in lower case."""
        with self._lock:
            heard, self._heard = self._heard, []
        heads = re.findall(rb"(?:^|\n)((?:GET|HEAD|PUT|POST|DELETE|CONNECT) .*?)\r\n\r\n", b"\n".join(heard), re.DOTALL)
        return [head.decode("latin-1").lower() for head in heads]

    def note(self, data):
        with self._lock:
            self._heard.append(data)

    def serve(self, client):
        asked = b""
        while b"\r\n\r\n" not in asked:
            asked += client.recv(4096)
        self.note(asked)
        client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        super().serve(client)


class AtAmazon(BackendCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.amazon = Amazon(cls.folder, cls.store_endpoint)
        cls.addClassCleanup(cls.amazon.close)
        cls.ledger = cls.base.pop("OSCOMMIT_LEDGER")
        del cls.base["AWS_ENDPOINT_URL_S3"]
        # Virtual hosts, which are the default there, the store behind the proxy does not know.
        cls.base.update(https_proxy=cls.amazon.url, OSCOMMIT_CA_FILE=cls.amazon.ca_file, OSCOMMIT_ADDRESSING="path")

    def setUp(self):
        self.amazon.heard()

    def put(self, url, *flags, **environment):
        return self.ok("put", "-", url, "--json", *flags, data=b"x", environment=environment).line()

    def writes(self):
        return [head for head in self.amazon.heard() if head.startswith("put ")]

    def test_guarded_writes_need_no_table(self):
        url = self.new_url("native")
        line = self.put(url, "--if-absent")
        self.assertEqual((line["guard"], line["request"]), ("native", "PutObject"))
        heads = self.amazon.heard()
        self.assertIn(f"connect {HOST}:443 ", heads[0])
        self.assertIn("if-none-match: *", [head for head in heads if head.startswith("put ")][0])
        self.exits(CONFLICT, "put", "-", url, "--if-absent", data=b"y")
        self.assertEqual(self.put(url, "--if-match", md5_etag(b"x"))["guard"], "native")
        self.exits(ABSENT, "head", self.new_url("none"))

    def test_nor_do_copies_deletions_and_uploads_in_parts(self):
        url, large, copy = self.new_url("source"), self.new_url("large"), self.new_url("copy")
        self.put(url, "--if-absent")
        line = self.ok("put", "-", large, "--if-absent", "--json", data=bytes(9 << 20)).line()
        self.assertEqual((line["guard"], line["request"]), ("native", "CompleteMultipartUpload"))
        line = self.ok("cp", url, copy, "--if-absent", "--json").line()
        self.assertEqual((line["guard"], line["request"]), ("native", "CopyObject"))
        line = self.ok("rm", copy, "--if-match", md5_etag(b"x"), "--json").line()
        self.assertEqual((line["guard"], line["request"]), ("native", "DeleteObject"))
        deletions = [head for head in self.amazon.heard() if head.startswith("delete ")]
        self.assertIn("if-match: " + md5_etag(b"x"), deletions[0])

    def test_with_a_ledger_record_and_condition_go_together(self):
        url = self.new_url("both")
        self.assertEqual(self.put(url, "--if-absent", OSCOMMIT_LEDGER=self.ledger)["guard"], "both")
        self.assertIn("if-none-match: *", self.writes()[0])
        shown = self.ok("table", "show", url, "--json", environment={"OSCOMMIT_LEDGER": self.ledger}).line()
        self.assertEqual(shown["etag"], "*")
        self.exits(CONFLICT, "put", "-", url, "--if-absent", data=b"y")  # natively
        native = self.new_url("native")
        self.put(native, "--if-absent")
        self.exits(CONFLICT, "put", "-", native, "--if-absent", data=b"y", environment={"OSCOMMIT_LEDGER": self.ledger})

    def test_what_is_said_counts_more(self):
        line = self.put(self.new_url("record"), "--if-absent", "--guard", "record", OSCOMMIT_LEDGER=self.ledger)
        self.assertEqual(line["guard"], "record")
        line = self.put(self.new_url("named"), "--if-absent", "--store-profile", "aws", OSCOMMIT_LEDGER=self.ledger)
        self.assertEqual(line["guard"], "native")

    def test_the_log_says_which_profile(self):
        ran = self.ok("put", "-", self.new_url("log"), "--if-absent", "-v", data=b"x")
        self.assertIn('its profile is the built-in "aws", and guarded writes go by the conditions that the profile proves', ran.errors)

    def refused(self, url, *flags, **environment):
        ran = self.exits(USAGE, "put", "-", url, "--if-absent", *flags, data=b"x", environment=environment)
        self.assertEqual(self.amazon.heard(), [], "nothing may be sent")
        self.assertIn(" 0 requests", ran.text)
        self.assertIn("A guarded put needs a ledger", ran.errors)
        self.assertIn("set ledger_url (--ledger, OSCOMMIT_LEDGER) to dynamodb://TABLE", ran.errors)
        return ran.errors

    def test_an_access_point_is_told_that_it_needs_a_table(self):
        self.assertIn("a directory bucket or an access point", self.refused("s3://point-hash-s3alias/key"))

    def test_a_directory_bucket_is_refused(self):
        ran = self.exits(NOT_EXECUTED, "put", "-", "s3://data--use1-az4--x-s3/key", "--if-absent", data=b"x")
        self.assertEqual(self.amazon.heard(), [], "nothing may be sent")
        self.assertIn("signed for by sessions (CreateSession), which is not supported", ran.errors)

    def test_an_endpoint_that_is_given_needs_a_table(self):
        self.refused(self.new_url("given"), AWS_ENDPOINT_URL_S3=self.store_endpoint)
        self.assertIn("store_profile=aws", self.refused(self.new_url("given"), AWS_ENDPOINT_URL_S3=f"https://{HOST}"))

    def test_a_setting_that_needs_a_table_is_named(self):
        self.assertIn("guard=record", self.refused(self.new_url("needs"), "--guard", "record"))
        self.assertIn("condition_headers=off", self.refused(self.new_url("needs"), "--condition-headers", "off"))


if __name__ == "__main__":
    main(AtAmazon, only=["minio"])
