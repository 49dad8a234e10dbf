# SPDX-License-Identifier: Apache-2.0
"""Tests in a network namespace of their own, with real servers that are started in there. Needs root."""

import os
import subprocess
import sys

from oscommit_testing import EXIT_SKIPPED

INSIDE = "OSCOMMIT_TEST_INSIDE_NAMESPACE"
SERVERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "servers.sh")


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def start_servers(folder, names):
    """Starts them; returns what the environment says of them."""
    run_environment = dict(os.environ, OSCOMMIT_SERVERS=names, OSCOMMIT_NO_INSTALL="1")
    subprocess.run([SERVERS, "start", folder], check=True, env=run_environment)
    shell = f'. "{os.path.join(folder, "env")}" && env -0'
    output = subprocess.run(["bash", "-c", shell], check=True, capture_output=True).stdout
    return dict(line.split("=", 1) for line in output.decode().split("\0") if "=" in line)


def stop_servers(folder):
    subprocess.run([SERVERS, "stop", folder], check=True)


def enter(probe, what):
    """This program again, in a namespace, unless it is in there. Says why where `probe`, a command of a shell, fails in
    one: then there can be none with `what`."""
    if os.environ.get(INSIDE):
        return
    if not os.environ.get("OSCOMMIT_TEST_MINIO_ENDPOINT"):
        print("skipped: OSCOMMIT_TEST_MINIO_ENDPOINT is not set")
        sys.exit(EXIT_SKIPPED)
    try:
        tried = subprocess.run(["unshare", "-n", "sh", "-ec", probe], check=False, capture_output=True, text=True)
        why = tried.stderr.strip() if tried.returncode else None
    except OSError as error:
        why = str(error)
    if why is not None:
        print(f"skipped: no network namespace with {what} can be made here: {why}")
        sys.exit(EXIT_SKIPPED)
    os.environ[INSIDE] = "1"
    os.execvp("unshare", ["unshare", "-n", sys.executable, "-B", *sys.argv])
