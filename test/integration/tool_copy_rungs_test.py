#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whatever request carries a copy, the object that it makes is the one that a plain CopyObject makes: metadata, content
headers, tags, storage class, encryption, bytes. Profiles that say what is not so force the rungs of the ladder."""

import json
import os
import sys
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from oscommit_testing import NOT_EXECUTED, BackendCase, main, signed_request

BODY = b"0123456789abcdef" * 4096
HEADERS = {
    "content-type": "text/x-of-its-own; charset=utf-8",
    "content-encoding": "zstd",
    "content-language": "de, en",
    "content-disposition": 'attachment; filename="a b.txt"',
    "cache-control": "max-age=77",
    "expires": "Wed, 21 Oct 2043 07:28:00 GMT",
    "x-amz-meta-colour": "dark blue",
    "x-amz-meta-size": "7",
    "x-amz-tagging": "project=x%2Fy&kept=yes%20%2B%20no%3D",
}
PROVEN = {"absent": "enforced", "absent_atomic": True, "absent_rounds": 50, "status_unmet": 412}
IGNORED = {"absent": "ignored", "absent_atomic": False}


def profile(**fields):
    requests = {"put": PROVEN, "copy": fields.pop("copy", IGNORED), "complete": fields.pop("complete", IGNORED)}
    return {
        "format": 1,
        "name": "forced",
        "measured_on": "2026-11-22",
        "source": "test",
        "requests": requests,
        "expiry": "start",
        **fields,
    }


VENDOR = {"alibaba": {"copy": "enforced", "copy_atomic": True, "copy_rounds": 50}}
# name, profile, flags, guard and request that the result has to name
RUNGS = [
    ("CopyObject under the record", None, [], "record", "CopyObject"),
    ("parts under the record", None, ["--stage-above", "1000"], "record", "CompleteMultipartUpload"),
    ("CopyObject with a condition", profile(copy=PROVEN), ["--guard", "native"], "native", "CopyObject"),
    ("parts with a condition", profile(complete=PROVEN), ["--guard", "native"], "native", "CompleteMultipartUpload"),
    ("a vendor's header", profile(vendors=VENDOR), ["--guard", "native"], "native", "CopyObject"),
    ("both, in parts", profile(complete=PROVEN), ["--guard", "both"], "both", "CompleteMultipartUpload"),
    ("both", profile(copy=PROVEN), ["--guard", "both"], "both", "CopyObject"),
]


class Rungs(BackendCase):
    def path(self, key):
        return "/" + self.store.removeprefix("s3://") + "/" + key

    def s3(self, method, key, **more):
        return signed_request(self.store_endpoint, "s3", method, self.path(key), **more)

    def put_source(self, name):
        key = self.key(name)
        status, _, body = self.s3("PUT", key, body=BODY, headers=HEADERS)
        self.assertEqual(status, 200, body)
        return key

    def traits(self, key):
        """All that is to be equal."""
        status, headers, body = self.s3("GET", key)
        self.assertEqual(status, 200, body)
        names = ("content-", "cache-control", "expires", "x-amz-meta-", "x-amz-storage", "x-amz-server-side")
        kept = {name.lower(): value for name, value in headers.items() if name.lower().startswith(names)}
        kept.pop("x-amz-meta-oscommit-nonce", None)
        kept.pop("x-amz-meta-oscommit-replaced", None)
        status, _, text = self.s3("GET", key, query="tagging=")
        self.assertEqual(status, 200, text)
        tags = sorted(
            tuple(field.text for field in tag)
            for tag in xml.etree.ElementTree.fromstring(text).iter()
            if tag.tag.endswith("}Tag") or tag.tag == "Tag"
        )
        return kept, tags, body

    def plain_copy(self, source):
        key = self.key("plain")
        status, _, body = self.s3("PUT", key, headers={"x-amz-copy-source": self.path(source)})
        self.assertEqual(status, 200, body)
        return key

    def test_the_object_is_that_of_a_plain_copy_at_every_rung(self):
        source = self.put_source("source")
        wanted = self.traits(self.plain_copy(source))
        self.assertEqual(wanted[0]["x-amz-meta-colour"], "dark blue")
        wanted[0].setdefault("expires", HEADERS["expires"])  # a plain CopyObject of MinIO 2026-02 drops it
        self.assertEqual(wanted[1], [("kept", "yes + no="), ("project", "x/y")])
        for name, forced, flags, guard, request in RUNGS:
            with self.subTest(name):
                if forced:
                    flags = flags + ["--store-profile", self.file("forced.json", json.dumps(forced).encode())]
                key = self.key("rung")
                line = self.ok("cp", self.url(source), self.url(key), "--if-absent", "--json", *flags).line()
                self.assertEqual((line["guard"], line["request"]), (guard, request))
                self.assertEqual(self.traits(key), wanted)

    def test_an_object_without_tags_and_metadata_is_copied_in_parts_too(self):
        source = self.key("bare")
        self.assertEqual(self.s3("PUT", source, body=b"bare", headers={"content-type": "text/plain"})[0], 200)
        wanted = self.traits(self.plain_copy(source))
        key = self.key("bare-copy")
        self.ok("cp", self.url(source), self.url(key), "--if-absent", "--stage-above", "3")
        self.assertEqual(self.traits(key), wanted)

    def test_without_a_rung_nothing_is_written(self):
        source = self.put_source("unwanted")
        path = self.file("none.json", json.dumps(profile()).encode())
        key = self.key("refused")
        ran = self.exits(
            NOT_EXECUTED, "cp", self.url(source), self.url(key), "--if-absent", "--guard", "native", "--store-profile", path
        )
        self.assertIn("guard=record", ran.errors)
        self.assertEqual(self.s3("HEAD", key)[0], 404)


if __name__ == "__main__":
    main(Rungs, only=("minio", "versitygw"))
