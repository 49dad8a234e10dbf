#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `oscommit probe` finds is what is known of each store: test/data/stores/STORE.json.

    probe_stores_test.py                      probes each store that OSCOMMIT_TEST_STORE_ENDPOINT names, and compares
    probe_stores_test.py --probe STORE FILE   probes one store of the environment; the profile goes to FILE
    probe_stores_test.py --compare DIR STORE...
                                              compares DIR/STORE.json; DIR/STORE.missing says why there is none
    probe_stores_test.py --profiles DIR...    compares the profiles that are kept in these folders; nothing that is
                                              `unsafe` (broke once, in any race) may be atomic there

Prints a table of stores and questions, then the differences. Exit status 1 when there is one, 77 when no store is there.
"""

import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from oscommit_testing import EXIT_SKIPPED, tool

DATA = os.path.join(os.environ.get("OSCOMMIT_TEST_DATA") or os.path.join(HERE, "..", "data"), "stores")

# Heading, condition, and the atomicity that belongs to it.
QUESTIONS = [
    ("PUT absent", "put.absent"),
    ("PUT match", "put.match"),
    ("COPY absent", "copy.absent"),
    ("Compl absent", "complete.absent"),
    ("Compl match", "complete.match"),
    ("DEL match", "delete.match"),
    ("COPY source", "copy_source_match"),
    ("expiry", "expiry"),
]


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def known_stores():
    return sorted(name[: -len(".json")] for name in os.listdir(DATA) if name.endswith(".json"))


def known(store):
    return load(os.path.join(DATA, store + ".json"))


def field(profile, name):
    """A field of a profile, "put.absent" or "expiry"; None if it is left out."""
    request, _, member = name.rpartition(".")
    return (profile["requests"].get(request, {}) if request else profile).get(member)


# Not said, in the words of a profile.
UNSAID = (None, "unknown", 0)


def differences(store, profile, may_be_silent=False):
    """What the profile says otherwise. A kept one may leave a field out, and says "not atomic" where it is not proven."""
    found = []
    for name, truth in known(store)["truth"].items():
        value = field(profile, name)
        silent = value in UNSAID and not isinstance(value, bool)
        if may_be_silent and (silent or (name.endswith("_atomic") and value is False)):
            continue
        if value != truth:
            found.append(f"{store}: {name} is {json.dumps(value)}, and was {json.dumps(truth)}")
    return found


def cell(profile, name):
    value = str(field(profile, name))
    if field(profile, name + "_atomic"):
        value += " atomic"
    elif field(profile, name + "_rounds"):
        value += " broken"
    return value


def print_table(profiles, missing):
    rows = [["store", *(heading for heading, _ in QUESTIONS)]]
    for store, profile in profiles.items():
        rows.append([store, *(cell(profile, name) for _, name in QUESTIONS)])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip())
    for store, reason in missing.items():
        print(f"{store.ljust(widths[0])}  {reason}")


def report(profiles, missing):
    print_table(profiles, missing)
    found = [line for store, profile in profiles.items() for line in differences(store, profile)]
    for line in found:
        print("DIFFERENT: " + line)
    print(f"{len(profiles)} stores probed, {len(missing)} not there, {len(found)} differences")
    return 1 if found else 0


def probe(store, path):
    variable = f"OSCOMMIT_TEST_{store.upper()}_"
    environment = {
        "PATH": os.environ.get("PATH", ""),
        "HOME": os.path.dirname(os.path.abspath(path)),
        "AWS_ACCESS_KEY_ID": os.environ[variable + "ACCESS_KEY"],
        "AWS_SECRET_ACCESS_KEY": os.environ[variable + "SECRET_KEY"],
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL_S3": os.environ[variable + "ENDPOINT"],
    }
    url = f"s3://{os.environ[variable + 'BUCKET']}/"
    command = [tool(), "probe", url, "--profile-out", path, "--store-name", known(store)["store"]]
    rounds = os.environ.get("OSCOMMIT_PROBE_ROUNDS") or known(store).get("rounds")
    if rounds:
        command += ["--rounds", str(rounds)]
    subprocess.run(command, env=environment, check=True, timeout=1900)  # the probe's own deadline, and its cleaning


def compare(folder, stores):
    profiles, missing = {}, {}
    for store in stores:
        path = os.path.join(folder, store)
        if os.path.exists(path + ".json"):
            profiles[store] = load(path + ".json")
            continue
        reason = "the probe failed"
        if os.path.exists(path + ".missing"):
            with open(path + ".missing", encoding="utf-8") as file:
                missing[store] = file.read().strip()
        else:
            print(f"DIFFERENT: {store}: {reason}")
            return 1
    return report(profiles, missing) if profiles else EXIT_SKIPPED


def faults_of_kept(store, profile):
    """It is of the version and the day that are known, and proves nothing that broke once, in whatever race."""
    wanted = {"name": known(store)["store"], **{name: known(store)[name] for name in ("version", "measured_on")}}
    found = [f"{store}: {name} is {profile[name]!r}, not {value!r}" for name, value in wanted.items() if profile[name] != value]
    for name in known(store)["unsafe"]:
        if field(profile, name + "_atomic") is not False:
            found.append(f"{store}: {name} broke in a race, and is not said to be unsafe")
    return found


def kept_profile(store, folders):
    name = known(store)["profile"] + ".json"
    return next(load(path) for path in (os.path.join(folder, name) for folder in folders) if os.path.exists(path))


def compare_kept(folders):
    found = []
    for store in known_stores():
        profile = kept_profile(store, folders)
        found += faults_of_kept(store, profile) + differences(store, profile, may_be_silent=True)
    for line in found:
        print("DIFFERENT: " + line)
    print(f"{len(known_stores())} kept profiles compared, {len(found)} differences")
    return 1 if found else 0


def probe_all():
    stores = [store for store in known_stores() if os.environ.get(f"OSCOMMIT_TEST_{store.upper()}_BUCKET")]
    with tempfile.TemporaryDirectory(prefix="oscommit-probe-") as folder:
        for store in stores:
            probe(store, os.path.join(folder, store + ".json"))
        return compare(folder, stores)


def main(arguments):
    if arguments[:1] == ["--probe"] and len(arguments) == 3:
        probe(arguments[1], arguments[2])
        return 0
    if arguments[:1] == ["--compare"] and len(arguments) > 2:
        return compare(arguments[1], arguments[2:])
    if arguments[:1] == ["--profiles"] and len(arguments) > 1:
        return compare_kept(arguments[1:])
    if arguments:
        sys.exit(__doc__)
    return probe_all()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
