#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tool when things go wrong: unknown outcomes and their tickets, signals, refusals, settings from everywhere."""

import json
import os
import shlex
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from oscommit_testing import (
    ACCESS_KEY,
    ABSENT,
    CONFLICT,
    DENIED,
    DONE,
    NOT_EXECUTED,
    REGION,
    SECRET_KEY,
    UNDECIDABLE,
    UNKNOWN,
    UNREACHABLE,
    USAGE,
    BackendCase,
    dynamo,
    main,
    md5_etag,
    signed_request,
)

# An attempt is dead ten seconds after it was signed. What is UNKNOWN at its deadline was sent by then, and not yet dead.
FAST = ["--length-s", "8", "--allowance-s", "1", "--margin-s", "1", "--timeout-ms", "10000", "--max-clock-skew-rate", "2"]
SENT_MS = "6000"
LONG = ["--length-s", "60", "--timeout-ms", "70000"]  # dead after a minute, whatever the machine is at meanwhile


class Unknown(BackendCase):
    def unknown(self, name, action, *flags):
        """A put that ends unknown at its deadline. Returns (store proxy, environment, rule, key, ticket file)."""
        store, _, environment = self.proxies()
        key = self.key(name)
        ticket = os.path.join(self.folder, key + ".ticket")
        rule = store.add(action, method="PUT", path_contains=key, times=1)
        ran = self.exits(
            UNKNOWN,
            "put",
            "-",
            self.url(key),
            "--if-absent",
            "--deadline-ms",
            SENT_MS,
            "--ticket-file",
            ticket,
            *FAST,
            *flags,
            environment=environment,
            data=b"doubtful",
        )
        self.assertTrue(ran.text.startswith("unknown " + self.url(key)), ran)
        self.assertIn("oscommit resolve", ran.errors)
        self.assertIn(ticket, ran.errors)
        self.assertEqual(os.stat(ticket).st_mode & 0o777, 0o600)
        return store, environment, rule, key, ticket

    def test_a_copy_is_resolved_without_its_source(self):
        """A ticket does not name the source of a copy, and no sentence may want it."""
        store, _, environment = self.proxies()
        source, target = self.new_url("source"), self.new_url("copy")
        self.ok("put", "-", source, data=b"x")
        store.add("hold", method="PUT", path_contains=target.rsplit("/", 1)[1], times=1)
        ran = self.exits(UNKNOWN, "cp", source, target, "--if-absent", "--deadline-ms", SENT_MS, "--json", *FAST,
                         environment=environment)
        for refused in ("false", "true"):  # in a ticket of another make the store had refused the write
            ticket = ran.line()["ticket"].replace('"not_applied":false', f'"not_applied":{refused}')
            settled = self.run_tool("resolve", target, ticket, "--json", *FAST, environment=environment).line()
            self.assertEqual(settled["verdict"], "not executed", settled)
            self.assertNotIn("null", settled["error"]["message"])

    def test_a_write_that_landed_is_resolved_as_committed(self):
        store, environment, rule, key, ticket = self.unknown("landed", "hold", *LONG)
        store("release", id=rule, how="forward")
        self.assertTrue(store("wait_finished", id=rule, count=1, timeout_ms=60000)["reached"])
        line = self.ok("resolve", self.url(key), "--ticket-file", ticket, "--json", environment=environment).line()
        self.assertEqual((line["command"], line["verdict"], line["rule"]), ("resolve", "committed", "V4"))
        with open(ticket, encoding="utf-8") as file:
            self.ok("resolve", self.url(key), file.read().strip(), environment=environment)
        with open(ticket, "rb") as file:
            self.ok("resolve", self.url(key), "--ticket-file", "-", environment=environment, data=file.read())
        self.exits(
            USAGE, "put", "-", self.url(key), "--if-absent", "--ticket-file", ticket, environment=environment, data=b""
        )

    def test_the_command_that_is_printed_settles_it(self):
        """As a shell reads it: of a ticket in a file, and of one that is in the line itself."""
        for name, file in (("it's saved", True), ("it's printed", False)):
            store, _, environment = self.proxies()
            key = self.key(name)
            rule = store.add("hold", method="PUT", path_contains=key.rsplit(" ", 1)[1], times=1)
            flags = ["--ticket-file", os.path.join(self.folder, key)] if file else []
            ran = self.exits(UNKNOWN, "put", "-", self.url(key), "--if-absent", "--deadline-ms", SENT_MS, *FAST, *LONG, *flags,
                             environment=environment, data=b"doubtful")
            store("release", id=rule, how="forward")
            self.assertTrue(store("wait_finished", id=rule, count=1, timeout_ms=60000)["reached"])
            printed = [line for line in ran.errors.splitlines() if line.startswith("  oscommit resolve ")]
            self.assertEqual(len(printed), 1, ran)
            settled = self.ok(*shlex.split(printed[0])[1:], "--json", environment=environment).line()
            self.assertEqual((settled["verdict"], settled["rule"]), ("committed", "V4"))

    def test_a_write_that_never_landed_is_resolved_as_not_executed(self):
        store, environment, rule, key, ticket = self.unknown("lost", "hold")
        store("release", id=rule, how="discard")
        line = self.exits(
            NOT_EXECUTED, "resolve", self.url(key), "--ticket-file", ticket, "--json", environment=environment
        ).line()
        self.assertEqual((line["verdict"], line["rule"]), ("not executed", "R13.D"))

    def test_too_early_it_is_still_unknown(self):
        _, environment, _, key, ticket = self.unknown("early", "hold", *LONG)
        ran = self.exits(
            UNKNOWN, "resolve", self.url(key), "--ticket-file", ticket, "--deadline-ms", "300", environment=environment
        )
        self.assertIn("Keep the ticket", ran.errors)

    def test_without_evidence_it_is_unknown_for_good(self):
        store, environment, rule, key, ticket = self.unknown("outsider", "hold")
        store("release", id=rule, how="discard")
        status, _, _ = signed_request(
            self.store_endpoint, "s3", "PUT", f"/{self.store.removeprefix('s3://')}/{key}", b"an outsider's"
        )
        self.assertEqual(status, 200)
        ran = self.exits(
            UNDECIDABLE, "resolve", self.url(key), "--ticket-file", ticket, "--json", environment=environment
        )
        line = ran.line()
        self.assertEqual((line["verdict"], line["rule"], line["final"]), ("unknown", "R13.F", True))
        self.assertNotIn("ask_again_ms", line)
        self.assertNotIn("Keep the ticket", ran.errors)

    def test_it_is_said_when_to_ask_again(self):
        _, environment, _, key, ticket = self.unknown("later", "hold", *LONG)
        arguments = ["resolve", self.url(key), "--ticket-file", ticket, "--deadline-ms", "8000"]  # it asks the store first
        line = self.exits(UNKNOWN, *arguments, "--json", environment=environment).line()
        self.assertFalse(line["final"])
        self.assertGreater(line["ask_again_ms"], 20000)
        self.assertLess(line["ask_again_ms"], 70000)
        self.assertIn("resolve it again in", self.exits(UNKNOWN, *arguments, environment=environment).errors)

    def test_a_verdict_is_final(self):
        url = self.new_url("final")
        for status in (DONE, CONFLICT):
            line = self.exits(status, "put", "-", url, "--if-absent", "--json", data=b"x").line()
            self.assertTrue(line["final"])
            self.assertNotIn("ask_again_ms", line)

    def test_json_carries_the_ticket(self):
        store, _, environment = self.proxies()
        key = self.key("json-ticket")
        store.add("hold_answer", method="PUT", path_contains=key, times=1)
        looks = store.add("reset", method="HEAD", path_contains=key, first=4)  # V4.2, after E7 and R1
        line = self.exits(
            UNKNOWN,
            "put",
            "-",
            self.url(key),
            "--if-absent",
            "--json",
            "--deadline-ms",
            SENT_MS,
            *FAST,
            environment=environment,
            data=b"x",
        ).line()
        self.assertEqual((line["verdict"], line["error"]["code"]), ("unknown", "OS_ERR_UNDECIDED"))
        self.assertNotIn(SECRET_KEY, json.dumps(line))
        store("remove", id=looks)
        self.ok("resolve", self.url(key), line["ticket"], environment=environment)

    def test_a_resolution_that_cannot_begin_says_nothing_of_the_write(self):
        line = self.exits(
            UNKNOWN, "resolve", self.url("x"), "{}", "--check-table", "--json",
            environment={"OSCOMMIT_LEDGER": "dynamodb://no-such-table"},
        ).line()
        self.assertEqual((line["verdict"], line["error"]["code"]), ("unknown", "OS_ERR_NO_TABLE"))

    def test_a_broken_ticket_is_refused(self):
        for ticket in ("{}", '{"oscommit_ticket":1}'):
            ran = self.run_tool("resolve", self.url("x"), ticket)
            self.assertEqual(ran.status, USAGE, ran)
            self.assertIn("ticket", ran.errors)

    def test_a_signal_during_the_attempt_gives_a_ticket(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            store, _, environment = self.proxies()
            key = self.key("signal")
            ticket = os.path.join(self.folder, key + ".ticket")
            rule = store.add("hold_answer", method="PUT", path_contains=key, times=1)
            path = self.file(key, b"x")
            process = self.start(
                "put", path, self.url(key), "--if-absent", "--ticket-file", ticket, environment=environment
            )
            self.assertTrue(store.wait_hits(rule))
            process.send_signal(number)
            _, err = process.communicate(timeout=120)
            self.assertEqual(process.returncode, UNKNOWN, err)
            store("release", id=rule, how="forward")
            self.ok("resolve", self.url(key), "--ticket-file", ticket, environment=environment)

    def test_a_signal_before_the_attempt_is_not_executed(self):
        store, _, environment = self.proxies()
        key = self.key("early-signal")
        rule = store.add("hold", method="HEAD", path_contains=key)
        process = self.start("put", self.file(key, b"x"), self.url(key), "--if-absent", environment=environment)
        self.assertTrue(store.wait_hits(rule))
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, NOT_EXECUTED, err)


class Refused(BackendCase):
    def test_a_denied_write_is_not_executed_and_hands_over(self):
        store, _, environment = self.proxies()
        key = self.key("denied")
        store.add(
            "answer",
            method="PUT",
            path_contains=key,
            times=1,
            status=403,
            headers="x-amz-request-id: MADEUP\r\n",
            body="<Error><Code>AccessDenied</Code><Message>No.</Message></Error>",
        )
        line = self.exits(
            DENIED, "put", "-", self.url(key), "--if-absent", "--json", *LONG, environment=environment, data=b"x"
        ).line()
        self.assertEqual(
            (line["verdict"], line["rule"], line["error"]["code"]), ("not executed", "R8", "OS_ERR_DENIED")
        )
        self.assertEqual(line["error"]["service_code"], "AccessDenied")
        self.assertEqual(line["error"]["request_id"], "MADEUP")
        self.assertEqual(line["error"]["http_status"], 403)
        start = time.monotonic()
        self.ok("put", "-", self.url(key), "--if-absent", data=b"y")
        self.assertLess(time.monotonic() - start, 40)  # its fence is a minute away

    def test_bucket_table_and_keys_that_are_not_there(self):
        no_keys = {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}
        for arguments, environment, code, status in (
            (["s3://no-such-bucket-anywhere/key"], {}, "OS_ERR_NO_BUCKET", ABSENT),
            ([self.url("x")], {"OSCOMMIT_LEDGER": "dynamodb://no-such-table"}, "OS_ERR_NO_TABLE", NOT_EXECUTED),
            ([self.url("x")], no_keys, "OS_ERR_CREDENTIALS", DENIED),
            ([self.url("x")], {"AWS_SECRET_ACCESS_KEY": "wrong-secret-0123456789"}, "OS_ERR_DENIED", DENIED),
        ):
            with self.subTest(code=code):
                ran = self.exits(
                    status, "put", "-", *arguments, "--if-absent", "--json", environment=environment, data=b"x"
                )
                self.assertEqual(ran.line()["error"]["code"], code, ran)
                self.assertNotIn("wrong-secret", ran.text + ran.errors)

    def test_a_missing_bucket_is_no_missing_object(self):
        url = "s3://no-such-bucket-anywhere/key"
        for arguments in (["get", url, os.path.join(self.folder, "nothing")], ["head", url], ["rm", url], ["put", "-", url]):
            with self.subTest(command=arguments[0]):
                ran = self.exits(ABSENT, *arguments, "--json", data=b"x")
                self.assertIn("The bucket no-such-bucket-anywhere does not exist", ran.errors)
                self.assertIn('"OS_ERR_NO_BUCKET"', ran.text + ran.errors)

    def test_a_table_with_other_keys_is_reported(self):
        table = self.table + "-odd"
        status, _ = dynamo(
            self.ledger_endpoint,
            "CreateTable",
            {
                "TableName": table,
                "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            },
        )
        self.assertEqual(status, 200)
        ran = self.exits(
            NOT_EXECUTED, "table", "check", "--json", environment={"OSCOMMIT_LEDGER": "dynamodb://" + table}
        )
        self.assertEqual(ran.line()["error"]["code"], "OS_ERR_TABLE")
        self.assertIn(table, ran.errors)

    def test_a_guarded_put_without_a_ledger_says_so(self):
        ran = self.run_tool("put", "-", self.url("x"), "--if-absent", environment={"OSCOMMIT_LEDGER": ""}, data=b"x")
        self.assertIn(ran.status, (NOT_EXECUTED, USAGE), ran)
        self.assertIn("ledger", ran.errors)


class StuckRecord(BackendCase):
    def test_release_shows_and_frees_a_stuck_record(self):
        key = self.key("stuck")
        status, _ = dynamo(
            self.ledger_endpoint,
            "PutItem",
            {
                "TableName": self.table,
                "Item": {
                    "path": {"S": key},
                    "etag": {"S": "*"},
                    "generation": {"N": "3"},
                    "timeout": {"N": "600000"},
                    "ttl": {"N": str(int(time.time()) + 3600)},
                    "owner": {"BOOL": True},
                },
            },
        )
        self.assertEqual(status, 200)
        busy = self.exits(
            NOT_EXECUTED, "put", "-", self.url(key), "--if-absent", "--deadline-ms", "6000", "--json", data=b"x"
        )
        self.assertEqual(busy.line()["error"]["code"], "OS_ERR_BUSY")
        self.assertIn("table show", busy.errors)
        shown = self.ok("table", "show", key, "--json").line()
        self.assertEqual((shown["generation"], shown["timeout_ms"]), (3, 600000))
        self.assertEqual(shown["other"], {"owner": {"BOOL": True}})
        self.exits(NOT_EXECUTED, "table", "release", self.url(key))
        freed = self.ok("table", "release", self.url(key), "--force")
        self.assertIn(key, freed.text)
        start = time.monotonic()
        self.assertTrue(self.ok("put", "-", self.url(key), "--if-absent", "--json", data=b"x").line()["took_over"])
        self.assertLess(time.monotonic() - start, 60)  # not the ten minutes that it was held for


class Statuses(BackendCase):
    """Why nothing was applied, as a script hears it: each of docs/operations.md's statuses from 66 on."""

    UNUSED = "http://127.0.0.1:9"

    def all_say(self, status, *commands, environment=None):
        for command in commands:
            with self.subTest(command=command[0]):
                ran = self.run_tool(*command, "--json", environment=environment, data=b"x")
                self.assertEqual(ran.status, status, ran)
                self.assertEqual(ran.line()["verdict"], "not executed", ran)

    def test_what_is_not_there(self):
        into = os.path.join(self.folder, "none")
        nothing = self.url("nothing-here")
        self.all_say(ABSENT, ["get", nothing, into], ["head", nothing], ["table", "show", nothing])

    def test_who_may_not(self):
        into = os.path.join(self.folder, "none")
        url = self.new_url("denied")
        self.ok("put", "-", url, "--if-absent", data=b"x")
        self.all_say(
            DENIED,
            *(["get", url, into], ["head", url], ["ls", self.store], ["put", "-", url], ["put", "-", url, "--if-absent"]),
            ["rm", url, "--if-match", md5_etag(b"x")],
            environment={"AWS_SECRET_ACCESS_KEY": "wrong-secret-0123456789"},
        )

    def test_what_cannot_be_reached(self):
        into = os.path.join(self.folder, "none")
        url = self.new_url("unreachable")
        self.all_say(
            UNREACHABLE,
            *(["get", url, into], ["head", url], ["ls", self.store], ["put", "-", url], ["put", "-", url, "--if-absent"]),
            environment={"AWS_ENDPOINT_URL_S3": self.UNUSED},
        )
        self.all_say(UNREACHABLE, ["table", "ls", self.store], environment={"AWS_ENDPOINT_URL_DYNAMODB": self.UNUSED})


class Settings(BackendCase):
    """A flag counts more than its OSCOMMIT_ variable, and both more than AWS's own; profile files come last."""

    nowhere = "http://127.0.0.1:9"

    def head(self, *flags, **environment):
        base = {"AWS_ENDPOINT_URL_S3": "", "AWS_ENDPOINT_URL_DYNAMODB": ""}
        return self.run_tool(
            "head", self.url("none"), "--json", "--deadline-ms", "9000", *flags, environment={**base, **environment}
        ).line()["error"]["code"]

    def test_endpoints(self):
        there = "OS_ERR_NOT_FOUND"
        self.assertEqual(self.head("--s3-endpoint", self.store_endpoint, AWS_ENDPOINT_URL=self.nowhere), there)
        self.assertEqual(self.head(OSCOMMIT_S3_ENDPOINT=self.store_endpoint, AWS_ENDPOINT_URL_S3=self.nowhere), there)
        self.assertEqual(self.head("--s3-endpoint", self.store_endpoint, OSCOMMIT_S3_ENDPOINT=self.nowhere), there)
        self.assertEqual(self.head("--endpoint-url", self.store_endpoint, OSCOMMIT_S3_ENDPOINT=self.nowhere), there)
        self.assertEqual(self.head(AWS_ENDPOINT_URL_S3=self.store_endpoint, AWS_ENDPOINT_URL=self.nowhere), there)
        self.assertEqual(self.head(AWS_ENDPOINT_URL=self.store_endpoint), there)
        self.assertNotEqual(self.head(AWS_ENDPOINT_URL=self.nowhere), there)

    def test_profile_files(self):
        folder = os.path.join(self.folder, ".aws")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "credentials"), "w", encoding="utf-8") as file:
            file.write(
                f"[default]\naws_access_key_id = nobody\naws_secret_access_key = nothing-at-all\n\n"
                f"[tests]\naws_access_key_id = {ACCESS_KEY}\naws_secret_access_key = {SECRET_KEY}\n"
            )
        with open(os.path.join(folder, "config"), "w", encoding="utf-8") as file:
            file.write(
                f"[profile tests]\nregion = {REGION}\nservices = local\n\n[services local]\n"
                f"s3 =\n  endpoint_url = {self.store_endpoint}\n"
                f"dynamodb =\n  endpoint_url = {self.ledger_endpoint}\n"
            )
        bare = {
            name: ""
            for name in (
                "AWS_ACCESS_KEY_ID",
                "AWS_SECRET_ACCESS_KEY",
                "AWS_REGION",
                "AWS_ENDPOINT_URL_S3",
                "AWS_ENDPOINT_URL_DYNAMODB",
            )
        }
        url = self.new_url("by-profile")
        self.ok("put", "-", url, "--if-absent", "--profile", "tests", environment=bare, data=b"x")
        self.exits(CONFLICT, "put", "-", url, "--if-absent", environment={**bare, "AWS_PROFILE": "tests"}, data=b"x")
        self.exits(
            DENIED,
            "put",
            "-",
            url,
            "--if-absent",
            "--s3-endpoint",
            self.store_endpoint,
            "--dynamodb-endpoint",
            self.ledger_endpoint,
            environment=bare,
            data=b"x",
        )

    def test_every_default_of_the_protocol_can_be_set(self):
        key = self.key("set")
        self.ok(
            "put",
            "-",
            self.url(key),
            "--if-absent",
            "--timeout-ms",
            "30000",
            "--max-clock-skew-rate",
            "4",
            "--ttl-s",
            "7200",
            "--length-s",
            "6",
            "--allowance-s",
            "7",
            "--margin-s",
            "3",
            "--record-prefix",
            "fleet/",
            data=b"x",
        )
        record = self.ok("table", "show", self.url(key), "--record-prefix", "fleet/", "--json").line()
        self.assertEqual((record["path"], record["timeout_ms"]), ("fleet/" + key, 30000))
        self.assertEqual(record["ttl_s"] - record["fence_s"], 7200 - 13)
        self.ok(
            "put",
            "-",
            self.new_url("url-timeout"),
            "--if-absent",
            "--ledger",
            f"dynamo:{self.table}:45000",
            "--json",
            data=b"x",
        )
        with_url = self.ok("table", "show", self.url(f"url-timeout-{self.counter}"), "--json").line()
        self.assertEqual(with_url["timeout_ms"], 45000)


if __name__ == "__main__":
    main(Unknown, Refused, Statuses, StuckRecord, Settings, only=("minio",))
