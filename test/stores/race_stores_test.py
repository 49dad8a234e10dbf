#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Eight writers race on one store in every mode that its profile allows, and must be exact.

    race_stores_test.py STORE PROFILE   the store and DynamoDB Local are those of the environment (scripts/servers.sh)

One line for each mode: what was raced, and what the judge said; `refused` where the profile does not prove the mode
(which it must not be for the record). Exit status 1 when a race was not exact, or a refusal gave no reason. A store that
test/data/stores says "misreads" (two versions mixed, or none, for who reads during a write) may also be broken or incomplete.
"""

import atexit
import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from oscommit_testing import NOT_EXECUTED, tool

DATA = os.path.join(os.environ.get("OSCOMMIT_TEST_DATA") or os.path.join(HERE, "..", "data"), "stores")
NAMES = ["--keys", "20"]
UPDATES = ["--updates", "20"]
COPIES = ["--copies", "6"]
DELETES = ["--deletes", "4"]
# What each mode is tried with; the profile may prove the first of several and not the others.
MODES = [
    ("record", [NAMES + UPDATES + COPIES + DELETES]),
    ("auto", [NAMES + UPDATES + COPIES + DELETES]),
    ("both", [NAMES, NAMES + UPDATES, NAMES + UPDATES + COPIES]),
    ("native", [NAMES, NAMES + COPIES, NAMES + UPDATES, NAMES + UPDATES + COPIES + DELETES]),
]


class Store:
    def __init__(self, name, profile):
        variable = f"OSCOMMIT_TEST_{name.upper()}_"
        self.name, self.profile = name, profile
        home = tempfile.mkdtemp(prefix="oscommit-race-")
        atexit.register(shutil.rmtree, home)
        os.mkdir(os.path.join(home, ".aws"))
        # DynamoDB Local does not take the keys of every store for keys (Swift's have a colon).
        with open(os.path.join(home, ".aws", "credentials"), "w", encoding="utf-8") as file:
            file.write(f"[ledger]\naws_access_key_id = {secrets.token_hex(8)}\naws_secret_access_key = unused\n")
        self.url = f"s3://{os.environ[variable + 'BUCKET']}/race"
        self.environment = {
            "PATH": os.environ.get("PATH", ""),
            "HOME": home,
            "AWS_ACCESS_KEY_ID": os.environ[variable + "ACCESS_KEY"],
            "AWS_SECRET_ACCESS_KEY": os.environ[variable + "SECRET_KEY"],
            "AWS_REGION": "us-east-1",
            "OSCOMMIT_S3_ENDPOINT": os.environ[variable + "ENDPOINT"],
            "OSCOMMIT_DYNAMODB_ENDPOINT": os.environ["OSCOMMIT_TEST_DYNAMODB_ENDPOINT"],
            "OSCOMMIT_DYNAMODB_PROFILE": "ledger",
            "OSCOMMIT_LEDGER": "dynamodb://race-" + secrets.token_hex(6),
        }

    def run(self, *arguments):
        return subprocess.run(
            [tool(), *arguments], env=self.environment, capture_output=True, text=True, timeout=600, check=False
        )

    def race(self, guard, flags):
        """(words, is good)"""
        headers = ["--condition-headers", "off"] if guard == "record" else []
        ran = self.run(
            *("race", self.url, "--writers", "8", "--guard", guard, "--release", "always", "--json", *headers, *flags),
            *([] if guard == "record" else ["--store-profile", self.profile]),
        )
        reason = ran.stderr.strip().splitlines()[-1] if ran.stderr.strip() else ""
        if guard in ("both", "native") and ran.returncode == NOT_EXECUTED and re.search("does not prove|profile", reason):
            return "refused", True
        lines = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]
        if lines and "verdict" in lines[-1]:
            for finding in lines[-1].get("findings") or []:
                print(f"    {json.dumps(finding)}")
            return lines[-1]["verdict"], lines[-1]["verdict"] == "exact"
        return f"exit {ran.returncode}: {reason}", False


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__)
    store = Store(*arguments)
    with open(os.path.join(DATA, store.name + ".json"), encoding="utf-8") as file:
        misreads = json.load(file).get("misreads", False)
    made = store.run("table", "create", "--store", store.url)
    if made.returncode != 0:
        sys.exit(made.stderr)
    bad = 0
    for guard, tried in MODES:
        for flags in tried:
            start = time.monotonic()
            words, good = store.race(guard, flags)
            misread = misreads and words in ("broken", "incomplete")
            bad += not good and not misread
            print(f"{store.name:<11} {guard:<7} {' '.join(flags):<52} {words}, {time.monotonic() - start:.0f} s"
                + (" (the store misreads)" if misread else ""), flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
