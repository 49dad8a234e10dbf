#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What somebody tries who meets the tool for the first time: it does what was meant, or says what to do."""

import os
import shlex
import signal
import socket
import subprocess
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from oscommit_testing import (
    ABSENT,
    CONFLICT,
    DENIED,
    NOT_EXECUTED,
    UNREACHABLE,
    USAGE,
    BackendCase,
    dynamo,
    main,
    md5_etag,
    tool,
)


class Streams(BackendCase):
    def test_a_device_is_read_to_its_end(self):
        url = self.new_url("null")
        line = self.ok("put", "/dev/null", url, "--if-absent", "--json").line()
        self.assertEqual((line["verdict"], line["etag"]), ("committed", md5_etag(b"")))
        self.assertEqual(self.ok("get", url).out, b"")
        self.exits(CONFLICT, "cp", "/dev/null", url, "--if-absent")

    def test_what_says_that_it_is_empty_is_read_all_the_same(self):
        url = self.new_url("proc")
        self.ok("put", "/proc/self/status", url)
        self.assertIn(b"oscommit", self.ok("get", url).out)

    def test_a_fifo_is_waited_for(self):
        url, path = self.new_url("fifo"), os.path.join(self.folder, "fifo")
        os.mkfifo(path)
        process = self.start("put", path, url, "--if-absent")
        data = b"through a pipe" * 100000
        with open(path, "wb") as fifo:
            fifo.write(data)
        out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, (out, err))
        self.assertEqual(self.ok("get", url).out, data)

    def test_a_fifo_that_nobody_writes_ends_at_the_deadline_or_a_signal(self):
        url, path = self.new_url("nobody"), os.path.join(self.folder, "nobody")
        os.mkfifo(path)
        ran = self.exits(NOT_EXECUTED, "put", path, url, "--if-absent", "--deadline-ms", "3000")
        self.assertIn(f"The deadline passed while {path} was read", ran.errors)
        process = self.start("put", path, url, "--if-absent")
        with open(path, "wb"):  # returns when the tool has it open
            process.send_signal(signal.SIGTERM)
            self.assertIn(b"A signal stopped the command while", process.communicate(timeout=120)[1])
        self.assertEqual(process.returncode, NOT_EXECUTED)
        self.assertNotEqual(self.run_tool("head", url).status, 0)

    def test_two_signals_at_once_are_one(self):
        """timeout(1) sends its signal to the process and then to the group: the verdict must still come."""
        url, path = self.new_url("twice"), os.path.join(self.folder, "twice")
        os.mkfifo(path)
        process = self.start("put", path, url, "--if-absent")
        with open(path, "wb"):
            process.send_signal(signal.SIGTERM)
            process.send_signal(signal.SIGINT) # of the same number the second could be lost
            self.assertIn(b"A signal stopped the command while", process.communicate(timeout=120)[1])
        self.assertEqual(process.returncode, NOT_EXECUTED)

    def test_process_substitution_of_a_shell(self):
        url = self.new_url("substitution")
        subprocess.run(["bash", "-c", '"$0" put <(printf hi) "$1" --if-absent', tool(), url], env=self.base, check=True,
                       stdout=subprocess.DEVNULL, timeout=60)
        self.assertEqual(self.ok("get", url).out, b"hi")

    def test_a_folder_is_no_body(self):
        ran = self.exits(NOT_EXECUTED, "put", self.folder, self.new_url("folder"))
        self.assertIn("is a folder", ran.errors)


class Remove(BackendCase):
    def test_what_is_not_there_is_not_removed(self):
        url = self.new_url("removed")
        self.ok("put", "-", url, data=b"x")
        self.ok("rm", url)
        ran = self.run_tool("rm", url, "--json")
        self.assertEqual(ran.status, self.run_tool("head", url).status)  # the status of "no such object"
        self.assertNotEqual(ran.status, 0)
        self.assertEqual(ran.line()["error"]["code"], "OS_ERR_NOT_FOUND")
        self.assertIn(f"There is no object {url}: nothing was deleted.", ran.errors)
        self.exits(CONFLICT, "rm", url, "--if-match", md5_etag(b"x"))

    def test_what_is_not_there_is_not_copied(self):
        source, target = self.new_url("no-source"), self.new_url("no-target")
        for flags in (["--if-absent"], ["--if-absent", "--stage-above", "1"], ["--if-match", md5_etag(b"x")]):
            if "--if-match" in flags:
                self.ok("put", "-", target, data=b"x")
            line = self.exits(ABSENT, "cp", source, target, "--json", *flags).line()
            self.assertEqual(line["verdict"], "not executed")
        self.exits(ABSENT, "mv", source, self.new_url("no-name"))

    def test_a_text_that_is_no_ticket_is_bad_usage(self):
        for text in ("{}", '{"oscommit_ticket":1}'):
            line = self.exits(USAGE, "resolve", self.new_url("no-ticket"), text, "--json").line()
            self.assertEqual((line["verdict"], line["error"]["code"]), ("bad usage", "OS_ERR_ARGUMENT"))

    def test_a_probe_that_sent_nothing_left_nothing(self):
        with socket.socket() as nobody:
            nobody.bind(("127.0.0.1", 0))
            endpoint = f"http://127.0.0.1:{nobody.getsockname()[1]}"
            ran = self.exits(UNREACHABLE, "probe", "s3://bucket/", "--s3-endpoint", endpoint, environment={
                "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"})
        self.assertNotIn("left", ran.errors)

    def test_a_refused_connection_is_told_at_once_and_counted(self):
        with socket.socket() as nobody:
            nobody.bind(("127.0.0.1", 0))
            endpoint = f"http://127.0.0.1:{nobody.getsockname()[1]}"
            ran = self.exits(NOT_EXECUTED, "put", "/dev/null", "s3://bucket/refused", "--if-absent", "-v", "--json",
                             "--deadline-ms", "1500", "--ledger", "dynamodb://commits", "--endpoint-url", endpoint,
                             environment={"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"})
        told = [line for line in ran.errors.splitlines() if line.endswith("It is tried again.")]
        self.assertEqual(len(told), 1, ran.errors)  # not once for each of them
        self.assertIn("Connection refused", told[0])
        self.assertGreater(ran.line()["requests"], 1)

    def test_when_keys_expire_is_told_in_utc_and_when_they_have(self):
        config, program = os.path.join(self.folder, "expiring.config"), os.path.join(self.folder, "expiring.sh")
        with open(config, "w", encoding="utf-8") as out:
            out.write(f"[profile expiring]\ncredential_process = sh {program}\n")
        for year, told in ((2030, "2030-01-01T00:00:00Z (UTC)\n"),
                           (2020, "2020-01-01T00:00:00Z (UTC): they have expired; renew them\n")):
            with open(program, "w", encoding="utf-8") as out:
                out.write('echo \'{"Version": 1, "AccessKeyId": "AKIAEXPIRING", "SecretAccessKey": "s", '
                          f'"SessionToken": "t", "Expiration": "{year}-01-01T00:00:00Z"}}\'\n')
            ran = self.ok("credentials", "s3://bucket", "--profile", "expiring", environment={"AWS_CONFIG_FILE": config})
            self.assertIn(f"expires          {told}", ran.text)

    def test_who_may_not_look_may_delete(self):
        if self.backend.embedded:
            return self.skipTest("no proxy before an embedded store")
        url = self.new_url("blind")
        self.ok("put", "-", url, data=b"x")
        store, _, environment = self.proxies()
        store.add("answer", method="HEAD", path_contains=url.rsplit("/", 1)[1], status=403,
                  headers="x-amz-request-id: MADEUP\r\n")
        self.ok("rm", url, environment=environment)
        self.assertEqual(self.run_tool("head", url, "--json").line()["error"]["code"], "OS_ERR_NOT_FOUND")


class Statuses(BackendCase):
    def test_without_a_ledger_nothing_is_sent(self):
        if self.backend.embedded:
            self.skipTest("a store of files has its ledger")
        bare = {"OSCOMMIT_LEDGER": ""}
        url, path = self.new_url("bare"), self.file("bare", b"x")
        folder = os.path.join(self.folder, "bare-folder")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "file"), "wb"):
            pass
        self.ok("put", path, url)
        for arguments in (
            ("put", path, url, "--if-absent"),
            ("put", path, url, "--if-match", md5_etag(b"x")),
            ("cp", url, self.new_url("bare"), "--if-absent"),
            ("mv", url, self.new_url("bare")),
            ("rm", url, "--if-match", md5_etag(b"x")),
            ("cp", "-r", folder, self.new_url("bare"), "--if-absent"),
            ("race", self.new_url("bare"), "--writers", "2"),
            ("table", "ls", self.store),
            ("lock", "ls"),
        ):
            self.assertIn("ledger", self.exits(USAGE, *arguments, environment=bare).errors, arguments)
        ran = self.exits(USAGE, "update", url, "--", "cat", environment=bare)
        self.assertIn("0 requests", ran.text)

    def test_what_a_service_has_answered_is_no_bad_usage(self):
        if self.backend.embedded:
            self.skipTest("a store of files has its ledger")
        elsewhere = {"AWS_ENDPOINT_URL_DYNAMODB": self.store_endpoint}
        ran = self.exits(NOT_EXECUTED, "table", "ls", environment=elsewhere)
        self.assertIn("something that is not DynamoDB", ran.errors)

    def test_what_was_never_tried_is_not_counted(self):
        if self.backend.embedded:
            self.skipTest("a store of files needs no keys and no network")
        nobody = {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_EC2_METADATA_DISABLED": "true"}
        url = self.new_url("unsent")
        for arguments in (("put", "/dev/null", url, "--if-absent"), ("update", url, "--", "cat"), ("mv", url, url + "2")):
            self.assertIn(" ms, 0 requests", self.exits(DENIED, *arguments, environment=nobody).text)

    def test_a_bucket_that_is_not_there_has_one_status(self):
        if self.backend.embedded:
            self.skipTest("a store of files has no buckets")
        url = "s3://no-such-bucket-anywhere/key"
        for arguments in (
            ("head", url),
            ("get", url),
            ("ls", url),
            ("put", "/dev/null", url),
            ("put", "/dev/null", url, "--if-absent"),
            ("race", url, "--writers", "2"),
        ):
            self.exits(ABSENT, *arguments)

    def denied_to_a_stranger(self, *arguments, status=DENIED):
        environment = {"OSCOMMIT_STORE": "", "OSCOMMIT_LEDGER": ""}
        try:
            ran = self.run_tool(*arguments, environment=environment, user=54321, group=54321)
        except PermissionError:
            self.skipTest("only root can be somebody else, and the tool may not be run by anybody here")
        if b"cannot open shared object file" in ran.err:
            self.skipTest("the tool may not be run by somebody else here")
        self.assertEqual(ran.status, status, (arguments, ran))
        return ran

    def test_who_may_not_write_a_ledger_is_told_what_to_do(self):
        os.chmod(self.folder, 0o755)
        folder = os.path.join(self.folder, "read-only")
        os.makedirs(folder, exist_ok=True)
        ledger = f"sqlite://{folder}/ledger.db"
        self.ok("table", "create", "--ledger", ledger)
        os.chmod(os.path.join(folder, "ledger.db"), 0o644)
        os.chmod(folder, 0o755)
        for arguments in (("lock", "a", "--ledger", ledger, "--", "true"), ("table", "create", "--ledger", ledger + "2")):
            ran = self.denied_to_a_stranger(*arguments)
            self.assertIn("Let the user of this process write the file and its folder", ran.errors)
            self.assertIn("with --ledger", ran.errors)
        missing = self.exits(NOT_EXECUTED, "table", "create", "--ledger", f"sqlite://{folder}/none/ledger.db")
        self.assertIn("Make its folder first", missing.errors)

    def test_a_file_that_may_not_be_used_is_denied(self):
        os.chmod(self.folder, 0o755)
        closed = os.path.join(self.folder, "closed")
        os.makedirs(closed, exist_ok=True)
        secret = os.path.join(closed, "secret")
        with open(secret, "wb") as out:
            out.write(b"x")
        os.chmod(closed, 0o700)
        url = "s3://nothing-is-sent/key"
        for arguments in (
            ("put", secret, url),
            ("put", "/etc/passwd", url, "--ca-file", secret),
            ("put", "/etc/passwd", url, "--store-profile", secret),
            ("put", "/etc/passwd", url, "--config", secret),
            ("put", "/etc/passwd", url, "--if-absent", "--ticket-file", secret + ".json"),
            ("probe", url, "--profile-out", secret + ".json"),
            ("cp", "-r", closed, url, "--if-absent"),
            ("cp", "-r", url, closed),
            ("init", os.path.join(closed, "store")),
            ("table", "create", "--ledger", f"sqlite://{closed}/ledger.db"),
            ("check", secret),
            ("delta", "append", url, secret),
        ):
            ran = self.denied_to_a_stranger(*arguments)
            self.assertIn("Permission denied", ran.errors)
        # Of the ticket's write nothing is known.
        self.denied_to_a_stranger("resolve", url, "--ticket-file", secret, status=USAGE)


class Advice(BackendCase):
    def advised(self, output):
        """The commands that stand on lines of their own, without the first word."""
        lines = [line.strip() for line in output.splitlines()]
        return [shlex.split(line)[1:] for line in lines if line.startswith("oscommit ") and not line.startswith("oscommit:")]

    def test_a_table_of_leases_is_no_table_of_records(self):
        if self.backend.embedded:
            self.skipTest("a file of SQLite keeps leases apart")
        where = ("--ledger", f"dynamodb://{self.table}-leases", "--dynamodb-endpoint", self.ledger_endpoint)
        bare = {"AWS_ENDPOINT_URL_DYNAMODB": "", "OSCOMMIT_LEDGER": ""}
        self.ok("table", "create", "--leases", *where, environment=bare)
        self.ok("lease", "acquire", "nightly", *where, environment=bare)
        for flags in ((), ("--stuck",)):
            ran = self.exits(NOT_EXECUTED, "table", "ls", *flags, *where, environment=bare)
            self.assertEqual(ran.text, "")
            self.assertIn("perhaps leases or locks", ran.errors)

    def test_how_to_release_a_stuck_record_works_when_it_is_copied(self):
        if self.backend.embedded:
            self.skipTest("a store of files has its ledger")
        key = self.key("stuck")
        self.damage(key)
        bare = {"AWS_ENDPOINT_URL_DYNAMODB": "", "AWS_ENDPOINT_URL_S3": "", "OSCOMMIT_LEDGER": ""}
        where = ("--ledger", f"dynamodb://{self.table}", "--dynamodb-endpoint", self.ledger_endpoint)
        there = (*where, "--s3-endpoint", self.store_endpoint)
        commands = self.advised(self.ok("table", "ls", "--stuck", self.url(""), *there, environment=bare).text)
        (command,) = [command for command in commands if self.url(key) in command]
        self.ok(*command, environment=bare)
        self.damage(key)
        commands = self.advised(self.ok("table", "ls", "--stuck", *where, environment=bare).text)
        (command,) = [command for command in commands if key in command]
        self.assertEqual(command[command.index("--store") + 1], "s3://BUCKET")

    def damage(self, key):
        item = {"path": {"S": key}, "etag": {"S": "*"}, "generation": {"S": "no number"}}
        status, body = dynamo(self.ledger_endpoint, "PutItem", {"TableName": self.table, "Item": item})
        self.assertEqual(status, 200, body)


class Init(BackendCase):
    def path(self, *names):
        return os.path.join(self.folder, f"init-{self.key('store')}", *names)

    def test_the_folders_above_are_made(self):
        root = self.path("a", "b", "c")
        ran = self.ok("init", root, umask=0o022)
        self.assertEqual(ran.text, f"done file://{os.path.realpath(root)}\n")
        modes = [os.stat(folder).st_mode & 0o777 for folder in (os.path.dirname(root), root)]
        self.assertEqual(modes, [0o755, 0o700])
        self.ok("init", root)
        self.ok("put", "-", f"file://{root}/key", "--if-absent", data=b"x")
        for spelling in ("x//y/z/", "./v/w", "u/../t/s"):
            self.ok("init", os.path.join(self.path(), spelling))

    def test_many_at_once_make_one_store(self):
        root = self.path("many", "at", "once")
        runs = [threading.Thread(target=self.ok, args=("init", root)) for _ in range(8)]
        for run in runs:
            run.start()
        for run in runs:
            run.join()
        self.ok("put", "-", f"file://{root}/key", "--if-absent", data=b"x")

    def test_what_was_made_in_vain_is_taken_away(self):
        top = self.path()
        os.makedirs(top)
        ran = self.exits(NOT_EXECUTED, "init", os.path.join(top, "a", "b", "n" * 300, "c"))
        self.assertIn("File name too long", ran.errors)
        self.assertEqual(os.listdir(top), [])
        self.exits(NOT_EXECUTED, "init", os.path.join(self.file("plain", b""), "below"))


class Help(BackendCase):
    def test_help_is_a_command_too(self):
        self.assertEqual(self.ok("help").out, self.ok("--help").out)
        self.assertEqual(self.ok("help", "put").out, self.ok("put", "--help").out)
        self.assertEqual(self.ok("help", "table", "ls").out, self.ok("table", "ls", "--help").out)
        self.assertEqual(self.ok("help", "table").out, self.ok("table", "--help").out)
        self.assertIn("table release", self.ok("help", "table").text)
        self.assertEqual(self.ok("help", "put", "--all").out, self.ok("put", "--help", "--all").out)
        self.assertIn('Did you mean "put"?', self.exits(USAGE, "help", "pot").errors)
        self.exits(USAGE, "help", "put", "get")

    def test_help_is_short_and_with_all_complete(self):
        text, whole = self.ok("rm", "--help").text, self.ok("rm", "--help", "--all").text
        self.assertLess(text.count("\n"), 45)
        for flag in ("--if-match", "--store", "--ledger", "--json", "--help --all"):
            self.assertIn(flag, text)
        for flag in ("--max-clock-skew-rate", "--allowance-s", "OSCOMMIT_RECORD_PREFIX"):
            self.assertNotIn(flag, text)
            self.assertIn(flag, whole)

    def test_a_default_is_told_once(self):
        text = self.ok("race", "--help").text
        self.assertEqual(text.count("3s"), 1)
        self.assertIn("[60s; of a race 3s]", text)

    def test_a_path_in_a_store_is_told_as_its_url(self):
        root = os.path.join(self.folder, "hinted")
        self.ok("init", root)
        for path, cwd in (("hinted/a/b", self.folder), ("./a/b", root), (os.path.join(root, "a/b"), "/")):
            ran = self.exits(USAGE, "put", "/etc/passwd", path, cwd=cwd)
            self.assertIn(f"Did you mean file://{root}/a/b?", ran.errors)
        self.assertNotIn("Did you mean", self.exits(USAGE, "put", "/etc/passwd", "a/b", cwd="/").errors)

    def test_a_misspelt_variable_is_told(self):
        ran = self.ok("version", environment={"OSCOMMIT_STOER": "x"})
        self.assertIn("Did you mean OSCOMMIT_STORE?", ran.errors)
        self.assertEqual(self.ok("version", "-q", environment={"OSCOMMIT_STOER": "x"}).err, b"")

    def test_a_near_miss_is_told(self):
        self.assertIn('Did you mean "rm"?', self.exits(USAGE, "delete", "x").errors)
        self.assertIn("Did you mean --if-absent?", self.exits(USAGE, "put", "a", "b", "--ifabsent").errors)


if __name__ == "__main__":
    main(Streams, Remove, Statuses, Advice, Init, Help, only={"embedded", "minio", "gofakes3"})
