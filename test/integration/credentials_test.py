#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The search for keys beside botocore's: in each environment both find the same keys by the same source, or both refuse,
but for what docs/credentials.md says. Usage: credentials_test.py [PART OF A TEST'S NAME...]"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import credentials_files
import credentials_services
from aws_services import AwsServices
from oscommit_testing import DENIED, DONE, EXIT_SKIPPED, USAGE, of_this_share, tool

SUPPORT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support")
DOCUMENT = os.path.join(SUPPORT, "..", "..", "docs", "credentials.md")
NEEDED = ["OSCOMMIT_TEST_BOTOCORE", "OSCOMMIT_TEST_MOTO_ENDPOINT", "OSCOMMIT_TEST_EC2_METADATA_MOCK_ENDPOINT"]
GROUPS = {
    "variables": credentials_files.VARIABLES, "files": credentials_files.FILES, "spelling": credentials_files.SPELLING,
    "roles": credentials_services.ROLES, "web_identity": credentials_services.WEB_IDENTITY,
    "container": credentials_services.CONTAINERS, "instance": credentials_services.INSTANCES,
    "identity_center": credentials_services.IDENTITY_CENTER, "process": credentials_services.PROCESSES,
    "order": credentials_services.ORDER,
}
STATUSES = {"OS_ERR_CREDENTIALS": DENIED, "OS_ERR_CONFIG": USAGE}
NAMES = {"env": "environment", "assume-role-with-web-identity": "web-identity", "custom-process": "process",
         "shared-credentials-file": "credentials-file", "container-role": "container", "iam-role": "instance"}
# How botocore says that an environment gives no keys. Anything else would be a fault of the test's own.
REFUSALS = {
    "None", "ProfileNotFound", "PartialCredentialsError", "InvalidConfigError", "InfiniteLoopConfigError",
    "CredentialRetrievalError", "MetadataRetrievalError", "ConfigParseError", "ClientError", "TokenRetrievalError",
    "SSOTokenLoadError", "UnauthorizedSSOTokenError", "MissingDependencyException",
    "EOFError",  # at the code of a device
    "FileNotFoundError", "ValueError", "JSONDecodeError",  # what it passes on as it comes
    "RuntimeError",  # the keys have expired
}
KEPT = ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS", "LD_LIBRARY_PATH", "LLVM_PROFILE_FILE")


class Agreement(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="oscommit-credentials-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, True)
        cls.home = os.path.join(cls.folder, "home")
        cls.base = {name: os.environ[name] for name in KEPT if name in os.environ}
        cls.base.update(HOME=cls.home, LANG="C.UTF-8")
        cls.services = AwsServices()
        cls.addClassCleanup(cls.services.close)
        # Without a terminal, at which it would ask for the codes of devices.
        cls.botocore = subprocess.Popen(
            [sys.executable, "-B", os.path.join(SUPPORT, "botocore_keys.py")], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, start_new_session=True,
            env={**cls.base, "PYTHONPATH": os.environ["OSCOMMIT_TEST_BOTOCORE"]})
        cls.addClassCleanup(cls.end_botocore)
        with open(DOCUMENT, encoding="utf-8") as document:
            cls.documented = set(re.findall(r"^\* \*\*(.*?)\.\*\*", document.read(), re.MULTILINE))

    @classmethod
    def end_botocore(cls):
        cls.botocore.stdin.close()
        cls.botocore.stdout.close()
        cls.botocore.wait(60)

    def placed(self, text):
        for name, value in (("@HOME@", self.home), ("@SERVICES@", self.services.url),
                            ("@LOCALHOST@", self.services.url.replace("127.0.0.1", "localhost")),
                            ("@MOTO@", os.environ["OSCOMMIT_TEST_MOTO_ENDPOINT"]),
                            ("@MOCK@", os.environ["OSCOMMIT_TEST_EC2_METADATA_MOCK_ENDPOINT"])):
            text = text.replace(name, value)
        return text

    def set_up(self, row):
        """The home folder and the services of a row, as nobody has used them yet. Returns its variables."""
        shutil.rmtree(self.home, True)
        os.mkdir(self.home)
        for path, text in row.files.items():
            path = os.path.join(self.home, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8", newline="") as out:
                out.write(self.placed(text))
        self.services.reset()
        self.services.container_token, self.services.imds_v1 = row.container_token, row.imds_v1
        self.services.lives_s = 3600 if row.lives_s is None else row.lives_s
        for name, status in row.refuse.items():
            self.services.refuse(name, status)
        return {**self.base, **{name: self.placed(value) for name, value in row.environment.items() if value is not None}}

    def theirs(self, row):
        self.botocore.stdin.write(json.dumps({"environment": self.set_up(row), "profile": row.profile}) + "\n")
        self.botocore.stdin.flush()
        answer = json.loads(self.botocore.stdout.readline())
        if "source" in answer:
            answer["source"] = NAMES.get(answer["source"], answer["source"])
        return answer

    def ours(self, row):
        environment = self.set_up(row)
        ran = subprocess.run([os.environ["OSCOMMIT_TEST_PRINT_KEYS"], *([row.profile] if row.profile else [])],
                             env=environment, capture_output=True, timeout=120, stdin=subprocess.DEVNULL)
        self.assertEqual(ran.returncode, 0, ran)
        return json.loads(ran.stdout)

    def check(self, who, answer, want):
        """`want` as credentials_row.py describes it."""
        if want.startswith("refused: "):
            self.assertIn("refused", answer, who)
            self.assertTrue(answer["refused"].startswith("OS_ERR_") or answer["refused"] in REFUSALS, answer)
            self.assertIn(want.removeprefix("refused: "), "{refused}: {sentence}".format(**answer), who)
            return
        self.assertNotIn("refused", answer, who)
        found = answer["source"]
        if " " in want:
            found += " " + answer["id"] + (" +token" if answer["token"] else "")
        self.assertEqual(found, want, who)

    def check_the_same(self, row, ours, theirs):
        if row.made_up:
            self.assertEqual((ours["id"][:4], theirs["id"][:4]), ("ASIA", "ASIA"))
            self.assertTrue(ours["token"] and theirs["token"])
        else:
            for name in ("id", "secret", "token"):
                self.assertEqual(ours[name], theirs[name], name)
        if ours["expires"] and row.lives_s is None and "@MOCK@" not in str(row.environment):
            self.assertAlmostEqual(ours["expires"], theirs["expires"], delta=120)

    def check_the_tool(self, row, ours):
        """The same by `oscommit credentials`, which tells no secret."""
        command = [tool(), "credentials", "--json"]
        ran = subprocess.run(command + (["--profile", row.profile] if row.profile else []), env=self.set_up(row),
                             capture_output=True, timeout=120, stdin=subprocess.DEVNULL)
        lines = [json.loads(line) for line in ran.stdout.splitlines()]
        if "refused" in ours:
            self.assertEqual(ran.returncode, STATUSES[ours["refused"]], ran)
            self.assertEqual(lines[-1]["error"], {**lines[-1]["error"], "code": ours["refused"]})
        else:
            self.assertEqual(ran.returncode, DONE, ran)
            self.assertEqual(lines[-1]["source"], ours["source"])
            self.assertTrue(row.made_up or ours["id"].endswith(lines[-1]["key"]))
            self.assertEqual([line["source"] for line in lines if line.get("used")], [ours["source"]])
        for secret in (b"secret/", b"token/", b"token+"):
            self.assertNotIn(secret, ran.stdout + ran.stderr)

    def compare(self, rows):
        for row in of_this_share(rows):
            with self.subTest(row.name):
                theirs, ours = self.theirs(row), self.ours(row)
                self.check("this library", ours, row.want)
                self.check("botocore", theirs, row.botocore)
                if row.differs is not None:
                    self.assertIn(row.differs, self.documented)
                elif "refused" not in ours:
                    self.check_the_same(row, ours, theirs)
                self.check_the_tool(row, ours)


def add_group(name, rows):
    setattr(Agreement, "test_" + name, lambda self: self.compare(rows))


for group_name, group_rows in GROUPS.items():
    add_group(group_name, group_rows)


def main():
    missing = [name for name in NEEDED if not os.environ.get(name)]
    for name in missing:
        print(f"SKIPPED: {name} is not set", file=sys.stderr)
    if missing:
        sys.exit(1 if os.environ.get("OSCOMMIT_REQUIRE_SERVERS") == "1" else EXIT_SKIPPED)
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{pattern}*" for pattern in sys.argv[1:]] or None
    result = unittest.TextTestRunner(verbosity=2).run(loader.loadTestsFromTestCase(Agreement))
    print(f"{sum(map(len, GROUPS.values()))} environments are in the table", file=sys.stderr)
    sys.exit(not result.wasSuccessful())


if __name__ == "__main__":
    main()
