#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""T4: two buckets with one table, and the same key in both."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from oscommit_testing import NOT_EXECUTED, USAGE, BackendCase, main, signed_request

# Who waits for a record waits for more than a minute.
LONG = ["--length-s", "60", "--timeout-ms", "90000"]


class TwoBuckets(BackendCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.second = cls.table + "-b"
        status, _, body = signed_request(cls.store_endpoint, "s3", "PUT", "/" + cls.second)
        if status != 200:
            raise RuntimeError(f"the bucket {cls.second} could not be made: {status} {body!r}")

    def create(self, how, bucket, key, *flags):
        """A creation with the given outcome; JSON on stdout, warnings on stderr."""
        url = f"s3://{bucket}/{key}"
        return how("put", "-", url, "--if-absent", "--json", *LONG, *flags, data=bucket.encode())

    def refused(self, *arguments, **options):
        return self.exits(NOT_EXECUTED, *arguments, **options)

    def test_with_their_names_before_the_keys_they_do_not_meet(self):
        key = self.key("apart")
        for bucket in (self.table, self.second):
            ran = self.create(self.ok, bucket, key, "--records-by-bucket")
            self.assertFalse(ran.line()["took_over"], ran)
            self.assertNotIn("another bucket", ran.errors)
            shown = self.ok("table", "show", f"s3://{bucket}/{key}", "--records-by-bucket", "--json").line()
            self.assertEqual((shown["path"], shown["bucket"]), (f"{bucket}/{key}", bucket))
        self.assertIn("name the store", self.exits(USAGE, "table", "show", key, "--records-by-bucket").errors)

    def test_without_them_they_wait_and_are_told_why(self):
        key = self.key("shared")
        self.create(self.ok, self.table, key)
        ran = self.create(self.refused, self.second, key, "--deadline-ms", "4000")
        self.assertEqual(ran.line()["error"]["code"], "OS_ERR_BUSY")
        self.assertIn("records_by_bucket", ran.line()["error"]["message"])
        self.assertIn(f"was written for another bucket, {self.table}", ran.errors)
        self.assertIn(f"bucket      {self.table}", self.ok("table", "show", f"s3://{self.table}/{key}").text)

    def test_a_check_of_the_table_warns(self):
        shared = "names do not begin with the bucket"
        divided = f"Some records of the bucket {self.table} have its name before the key"
        prefix = ["--record-prefix", "warns/"]  # apart from the other tests' records
        self.create(self.ok, self.table, "one", *prefix)
        self.create(self.ok, self.second, "one", *prefix, "--records-by-bucket")
        clean = self.ok("table", "check", *prefix).errors
        self.assertNotIn(shared, clean)
        self.assertNotIn("have its name", clean)
        self.create(self.ok, self.second, "two", *prefix)
        self.create(self.ok, self.table, "three", *prefix, "--records-by-bucket")
        warned = self.ok("table", "check", *prefix).errors
        self.assertIn(shared, warned)
        self.assertIn(divided, warned)
        self.assertNotIn("are released", warned)

    def test_records_of_writes_that_failed_are_told_as_such(self):
        prefix = ["--record-prefix", "failed/"]
        self.create(self.ok, self.table, "sound", *prefix)
        self.create(self.ok, self.second, "failed", *prefix, "--release", "always")  # as a failed one leaves its record
        warned = self.ok("table", "check", *prefix).errors
        self.assertIn("names do not begin with the bucket", warned)
        self.assertIn(f"All records of {self.second} are released: they block nobody.", warned)


if __name__ == "__main__":
    main(TwoBuckets, only=("minio",))
