# SPDX-License-Identifier: Apache-2.0
"""The programs of the benchmark: clients, the stub and the router.

Environment, from run.sh: OSCOMMIT_BENCH_PROGRAMS, OSCOMMIT_BENCH_PEERS and OSCOMMIT_BENCH_SDK (folders),
OSCOMMIT_TEST_... (the servers, and where boto3 is).
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "test", "support"))
import oscommit_testing

BUCKET, SECOND_BUCKET, TABLE, ROWS_TABLE = "bench-one", "bench-two", "bench-records", "bench-rows"
NATIVE = ["--guard", "native", "--profile", os.path.join(HERE, "native.json")]
RECORD = ["--guard", "record", "--table", TABLE]

# What a client's answer may take beyond what it was asked for: a peer waits for its lease of 60 s.
PATIENCE_S = 200

PROGRAMS = {"ours": "bench_client", "null": "bench_null", "fsync": "bench_fsync"}
PEERS = {"peer": "bench_peer", "native": "bench_native"}


def _in(variable, name):
    return os.path.join(os.environ.get(variable, ""), name)


def program(side):
    if side in PEERS:
        return [_in("OSCOMMIT_BENCH_PEERS", PEERS[side])]
    return [_in("OSCOMMIT_BENCH_PROGRAMS", PROGRAMS[side])]


def transact_program(side):
    """What writes rows in transactions."""
    if side == "boto3":
        return [sys.executable, "-B", os.path.join(HERE, "transact.py")]
    if side == "sdk":
        return [_in("OSCOMMIT_BENCH_SDK", "bench_sdk")]
    return [_in("OSCOMMIT_BENCH_PROGRAMS", "bench_transact")]


def client_environment():
    names = ("PATH", "HOME", "LD_LIBRARY_PATH", "OSCOMMIT_TEST_BOTO3")
    kept = {name: os.environ[name] for name in names if name in os.environ}
    return {
        **kept,
        "AWS_ACCESS_KEY_ID": oscommit_testing.ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": oscommit_testing.SECRET_KEY,
        "AWS_REGION": oscommit_testing.REGION,
    }


_serial = 0


def new_prefix():
    """No two measurements share a key."""
    global _serial
    _serial += 1
    return f"b{os.getpid()}-{int(time.time())}-{_serial}"


class Failed(Exception):
    """A client did not do what it was asked for; the text says what it said."""


class Service:
    """The stub, or a router: runs as long as its standard input is open."""

    def __init__(self, name, *arguments):
        path = os.path.join(os.environ["OSCOMMIT_BENCH_PROGRAMS"], name)
        self._process = subprocess.Popen(
            [path, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.port = int(self._process.stdout.readline())
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(10)


def stub():
    return Service("bench_stub")


@contextlib.contextmanager
def tls_stub():
    """The stub over TLS, and the file of the certificate that it shows."""
    with tempfile.TemporaryDirectory() as folder:
        certificate, key = os.path.join(folder, "certificate.pem"), os.path.join(folder, "key.pem")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1"]
            + ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
            check=True,
            capture_output=True,
        )
        with Service("bench_stub", certificate, key) as service:
            service.url = service.url.replace("http:", "https:")
            yield service, certificate


class Router(Service):
    """In front of a store and a ledger, given by their ports."""

    def __init__(self, store_port, ledger_port):
        super().__init__("bench_router", store_port, ledger_port)
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def _ask(self, what, **arguments):
        query = urllib.parse.urlencode(arguments)
        with self._opener.open(f"{self.url}/-/{what}?{query}") as answer:
            return json.load(answer)

    def reset(self, delay_ms=0):
        self._ask("reset", delay_us=int(1000 * delay_ms))

    def counts(self):
        return self._ask("counts")

    def fault(self, kind, request, hold_ms=0):
        """What happens to the next request of this kind."""
        self._ask("fault", kind=kind, request=request, times=1, hold_ms=hold_ms)

    def wait_for_fault(self):
        until = time.monotonic() + 30
        while self.counts()["fault_met"] == 0:
            if time.monotonic() > until:
                raise Failed("the request that a fault waits for did not come")
            time.sleep(0.01)


def _port(variable):
    return urllib.parse.urlsplit(os.environ[variable]).port


def real_router():
    """In front of MinIO and DynamoDB Local."""
    return Router(_port("OSCOMMIT_TEST_MINIO_ENDPOINT"), _port("OSCOMMIT_TEST_DYNAMODB_ENDPOINT"))


def prepare_servers():
    for bucket in (BUCKET, SECOND_BUCKET):
        oscommit_testing.signed_request(os.environ["OSCOMMIT_TEST_MINIO_ENDPOINT"], "s3", "PUT", "/" + bucket)
    oscommit_testing.make_table(os.environ["OSCOMMIT_TEST_DYNAMODB_ENDPOINT"], TABLE)
    oscommit_testing.make_table(os.environ["OSCOMMIT_TEST_DYNAMODB_ENDPOINT"], ROWS_TABLE, [("_id", "HASH")])


def _arguments(side, endpoint, bucket, more):
    table = [] if "--table" in more or side in ("ours", "null") else ["--table", TABLE]
    return ["--s3", endpoint, "--bucket", bucket, *table, *more]


def run_load(side, mode, endpoint, more, when_ready=None):
    """Runs a load on a service to its end. when_ready is called when it is warm. Returns what it measured."""
    arguments = _arguments(side, endpoint, BUCKET, ["--prefix", new_prefix(), *more])
    return _run(program(side), mode, arguments, when_ready)


def run_transactions(side, mode, endpoint, more, when_ready):
    """The same of transactions over rows."""
    arguments = ["--ledger", endpoint, "--table", ROWS_TABLE, "--prefix", new_prefix(), *more]
    return _run(transact_program(side), mode, arguments, when_ready)


def run_in_folder(side, mode, folder, more):
    """The same in an empty folder: an embedded store, or files alone."""
    return _run(program(side), mode, ["--folder", folder, *more])


def _run(command, mode, arguments, when_ready=None):
    process = subprocess.Popen(
        [*command, mode, *map(str, arguments)],
        env=client_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        ready = process.stdout.readline()
        if ready == "ready\n" and when_ready is not None:
            when_ready()
        out, err = process.communicate("go\n", PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise Failed(f"no end within {PATIENCE_S} s") from None
    if process.returncode != 0 or ready != "ready\n":
        raise Failed(err.strip()[-300:] or f"status {process.returncode}")
    return json.loads(out.splitlines()[-1])


class Writer:
    """A client that is driven by lines: each call returns (word, milliseconds, ETag or reason)."""

    def __init__(self, side, endpoint, more, bucket=BUCKET):
        arguments = _arguments(side, endpoint, bucket, list(more))
        self._process = subprocess.Popen(
            [*program(side), "lines", *arguments],
            env=client_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._process.poll() is None:
            self._process.stdin.close()
            self._process.wait(60)
        self._process.stdout.close()

    def send(self, *words):
        self._process.stdin.write(" ".join(words) + "\n")
        self._process.stdin.flush()

    def answer(self):
        word, ms, more = self._process.stdout.readline().rstrip("\n").split(" ", 2)
        return word, float(ms), more

    def __call__(self, *words):
        self.send(*words)
        return self.answer()

    def commit(self, *words):
        """A step that only prepares: its ETag."""
        word, _, more = self(*words)
        if word != "committed":
            raise Failed(f"{words[0]}: {word} {more[:200]}")
        return more

    def kill(self):
        self._process.kill()
        self._process.wait(10)
