#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Names of files that are no regular files: nothing is replaced by a file, and nothing is waited for past a signal."""

import os
import signal
import stat
import subprocess
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from oscommit_testing import DONE, NOT_EXECUTED, BackendCase, main, tool


class Files(BackendCase):
    def fifo(self, name):
        path = os.path.join(self.folder, self.key(name))
        os.mkfifo(path)
        return path

    def object(self, data=b"object"):
        url = self.new_url("object")
        self.ok("put", "-", url, "--if-absent", data=data)
        return url

    def get_into_fifo(self, url, fifo):
        """What a reader of the FIFO gets while the tool writes into it."""
        got = []

        def read():
            with open(fifo, "rb") as reader:
                got.append(reader.read())

        thread = threading.Thread(target=read)
        thread.start()
        ran = self.run_tool("get", url, fifo)
        thread.join(60)
        self.assertEqual(ran.status, DONE, ran)
        return got[0]

    def test_a_fifo_gets_the_object_and_stays_a_fifo(self):
        data = os.urandom(1 << 20)
        url, fifo = self.object(data), self.fifo("fifo")
        self.assertEqual(self.get_into_fifo(url, fifo), data)
        self.assertTrue(stat.S_ISFIFO(os.lstat(fifo).st_mode))
        self.assertEqual(self.get_into_fifo(url, fifo), data)

    def test_a_device_gets_the_object_and_stays_a_device(self):
        device = os.path.join(self.folder, "null")
        try:
            os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 3))
            os.close(os.open(device, os.O_WRONLY))
        except PermissionError as error:
            self.skipTest(f"no device can be made here: {error}")
        self.ok("get", self.object(), device)
        self.ok("cp", self.object(), device)
        self.assertTrue(stat.S_ISCHR(os.lstat(device).st_mode))

    def test_stdout_by_its_names_is_not_replaced_and_goes_on(self):
        url = self.object()
        for name in ("/dev/fd/1", "/proc/self/fd/1"):  # not /dev/stdout: what replaces it, spoils the machine
            path = self.file("redirected", b"")
            with open(path, "ab") as out:
                out.write(b"before ")
                out.flush()
                subprocess.run([tool(), "get", url, name], env=self.base, stdout=out, timeout=120, check=True)
                out.write(b" behind")
            with open(path, "rb") as read:
                self.assertEqual(read.read(), b"before object behind", name)

    def test_a_link_stays_and_its_file_is_replaced(self):
        path = self.file("target", b"old")
        link = os.path.join(self.folder, "link")
        os.symlink("target", link)
        self.ok("get", self.object(), link)
        self.assertTrue(os.path.islink(link))
        with open(path, "rb") as read:
            self.assertEqual(read.read(), b"object")

    @staticmethod
    def wait_until_sigterm_is_heard(process):
        """The tool blocks it, and reads it from a descriptor; before that it would end the process."""
        blocked = 0
        while not blocked >> (signal.SIGTERM - 1) & 1 and process.poll() is None:
            with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
                blocked = next((int(line.split()[1], 16) for line in status if line.startswith("SigBlk:")), 0)

    def ends_on_sigterm(self, *arguments, environment=None):
        process = self.start(*arguments, environment=environment)
        self.wait_until_sigterm_is_heard(process)
        try:
            process.communicate(timeout=1)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGTERM)
        try:
            out, err = process.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            self.fail(f"{arguments} was not ended by SIGTERM: {out!r} {err!r}")
        return process.returncode, err.decode()

    def test_waiting_for_a_reader_ends_with_sigterm(self):
        status, said = self.ends_on_sigterm("get", self.object(), self.fifo("deaf"))
        self.assertEqual(status, NOT_EXECUTED, said)

    def test_a_fifo_in_place_of_a_setting_is_refused_and_not_waited_for(self):
        fifo = self.fifo("setting")
        nowhere = {"AWS_ENDPOINT_URL_S3": "http://127.0.0.1:1", "HOME": self.folder}
        keys = {"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret"}
        for environment, flags in (
            ({"AWS_SHARED_CREDENTIALS_FILE": fifo}, ()),
            ({"AWS_CONFIG_FILE": fifo}, ()),
            (keys, ("--store-profile", fifo, "--guard", "native")),
            (keys, ("--ca-file", fifo)),
        ):
            ran = self.run_tool("head", "s3://bucket/key", *flags, environment={**nowhere, **environment}, timeout=120)
            self.assertNotEqual(ran.status, DONE, ran)
            self.assertIn(fifo, ran.errors)
            self.assertIn("FIFO", ran.errors)

    def test_a_fifo_as_body_is_not_waited_for_past_the_deadline(self):
        ran = self.run_tool(
            "put", self.fifo("body"), self.new_url("never"), "--if-absent", "--deadline-ms", "300", timeout=120
        )
        self.assertEqual(ran.status, NOT_EXECUTED, ran)

    def test_a_fifo_as_ledger_is_refused_and_not_waited_for(self):
        root = os.path.join(self.folder, self.key("store"))
        self.ok("init", root)
        ledger = os.path.join(root, ".oscommit", "ledger.db")
        for name in (ledger, ledger + "-wal", ledger + "-shm"):
            if os.path.exists(name):
                os.remove(name)
        os.mkfifo(ledger)
        ran = self.run_tool("put", "-", f"file://{root}/never", "--if-absent", data=b"x", timeout=120)
        self.assertEqual(ran.status, NOT_EXECUTED, ran)
        self.assertTrue(stat.S_ISFIFO(os.lstat(ledger).st_mode))


if __name__ == "__main__":
    main(Files, only=("embedded",))
