# SPDX-License-Identifier: Apache-2.0
"""Support for tests of the oscommit program: backends, buckets, tables, the fault proxy, a runner that skips loudly.

Environment, as for the C tests (fixture.h), and
    OSCOMMIT_TEST_TOOL          the oscommit program; else one on PATH
    OSCOMMIT_TEST_FAULT_PROXY   the fault_proxy program; else one beside the tool's build, or on PATH
Only the standard library is used.
"""

import datetime
import hashlib
import hmac
import http.client
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse

ACCESS_KEY = os.environ.get("OSCOMMIT_TEST_ACCESS_KEY") or "oscommit"
SECRET_KEY = os.environ.get("OSCOMMIT_TEST_SECRET_KEY") or "oscommit-secret"
REGION = os.environ.get("OSCOMMIT_TEST_REGION") or "us-east-1"
EXIT_SKIPPED = 77

DONE, NOT_EXECUTED, USAGE, CONFLICT, UNKNOWN = 0, 1, 2, 3, 4
UNDECIDABLE, ABSENT, UNREACHABLE, OUTPUT, DENIED = 5, 66, 69, 74, 77


def _program(variable, name):
    path = os.environ.get(variable) or shutil.which(name)
    if not path or not os.access(path, os.X_OK):
        sys.exit(f"{name} is not there: set {variable} to the program")
    return os.path.abspath(path)


def tool():
    return _program("OSCOMMIT_TEST_TOOL", "oscommit")


class Backend:
    """A store and a ledger: where they are, and what they can do."""

    def __init__(self, name, store=None, ledger=None, fence=True, v2=False, ttl=True):
        self.name, self.store_variable, self.ledger_variable = name, store, ledger
        self.fence, self.v2, self.ttl, self.embedded = fence, v2, ttl, store is None

    def missing(self):
        for variable in (self.store_variable, self.ledger_variable):
            if variable and not os.environ.get(variable):
                return variable
        return None


_MINIO, _DYNAMODB = "OSCOMMIT_TEST_MINIO_ENDPOINT", "OSCOMMIT_TEST_DYNAMODB_ENDPOINT"
BACKENDS = [
    Backend("minio", _MINIO, _DYNAMODB),
    Backend("versitygw", "OSCOMMIT_TEST_VERSITYGW_ENDPOINT", _DYNAMODB),
    Backend("gofakes3", "OSCOMMIT_TEST_GOFAKES3_ENDPOINT", _DYNAMODB, fence=False),
    Backend("minio+dynalite", _MINIO, "OSCOMMIT_TEST_DYNALITE_ENDPOINT", ttl=False),
    Backend("minio+v2", _MINIO, _DYNAMODB, fence=False, v2=True),
    Backend("embedded"),
]


def _endpoint(variable):
    value = os.environ[variable]
    return value if "://" in value else "http://" + value


# ---------------------------------------------------------------------------------------------- signed requests


def _hmac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def signed_request(endpoint, service, method, path, body=b"", headers=None, query="", keys=(ACCESS_KEY, SECRET_KEY)):
    """One request signed by Signature V4, with a signer of its own. `query` is sent as it stands, "name=value&..." in
    the order of the names. Returns (status, headers, body)."""
    host = urllib.parse.urlsplit(endpoint).netloc
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    digest = hashlib.sha256(body).hexdigest()
    signed = {"host": host, "x-amz-date": now, "x-amz-content-sha256": digest}
    signed.update({name.lower(): value for name, value in (headers or {}).items()})
    names = ";".join(sorted(signed))
    quoted = urllib.parse.quote(path, safe="/-_.~")
    canonical = "\n".join(
        [method, quoted, query, *(f"{name}:{signed[name]}" for name in sorted(signed)), "", names, digest]
    )
    scope = f"{now[:8]}/{REGION}/{service}/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", now, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = _hmac(_hmac(_hmac(_hmac(("AWS4" + keys[1]).encode(), now[:8]), REGION), service), "aws4_request")
    signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    signed["authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={keys[0]}/{scope}, SignedHeaders={names}, Signature={signature}"
    )
    connection = http.client.HTTPConnection(host, timeout=120)
    try:
        connection.request(method, quoted + ("?" + query if query else ""), body, signed)
        answer = connection.getresponse()
        return answer.status, dict(answer.headers), answer.read()
    finally:
        connection.close()


def dynamo(endpoint, action, request):
    """One DynamoDB action. Returns (status, answer as an object)."""
    status, _, body = signed_request(
        endpoint,
        "dynamodb",
        "POST",
        "/",
        json.dumps(request).encode(),
        {"x-amz-target": "DynamoDB_20120810." + action, "content-type": "application/x-amz-json-1.0"},
    )
    return status, json.loads(body or b"{}")


RECORD_KEYS = (("path", "HASH"), ("etag", "RANGE"))


def make_table(endpoint, table, keys=RECORD_KEYS):
    """A table for records, without TTL, as far as a ledger without it can have one; or of other keys, which are strings."""
    status, answer = dynamo(
        endpoint,
        "CreateTable",
        {
            "TableName": table,
            "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name, _ in keys],
            "KeySchema": [{"AttributeName": name, "KeyType": role} for name, role in keys],
        },
    )
    if status != 200:
        raise RuntimeError(f"the table {table} could not be made: {answer}")
    while dynamo(endpoint, "DescribeTable", {"TableName": table})[1]["Table"]["TableStatus"] != "ACTIVE":
        time.sleep(0.05)  # a table tells nobody that it can be used


# ---------------------------------------------------------------------------------------------------- the fault proxy


class FaultProxy:
    """The fault_proxy program in front of one server, or of two: then a router. Commands as fault_proxy_main.c lists
    them."""

    def __init__(self, upstream, ledger=None):
        program = os.environ.get("OSCOMMIT_TEST_FAULT_PROXY") or shutil.which("fault_proxy")
        if not program:
            for folder in (os.path.dirname(tool()), os.path.dirname(os.path.dirname(tool()))):
                for found in ("fault_proxy", "test/fault_proxy", "test/support/fault_proxy", "bin/fault_proxy"):
                    if os.access(os.path.join(folder, found), os.X_OK):
                        program = program or os.path.join(folder, found)
        if not program:
            sys.exit("fault_proxy is not there: set OSCOMMIT_TEST_FAULT_PROXY to the program")
        upstreams = [upstream] if ledger is None else [upstream, ledger]
        self._process = subprocess.Popen([program, *upstreams], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._lock = threading.Lock()
        self.url = json.loads(self._process.stdout.readline())["listening"]

    def __call__(self, op, **arguments):
        with self._lock:
            self._process.stdin.write(json.dumps({"op": op, **arguments}) + "\n")
            self._process.stdin.flush()
            answer = json.loads(self._process.stdout.readline())
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer

    def add(self, action, **arguments):
        return self("add", action=action, **arguments)["id"]

    def wait_hits(self, rule, count=1, seconds=120):
        return self("wait_hits", id=rule, count=count, timeout_ms=int(seconds * 1000))["reached"]

    def requests(self, **match):
        return self("requests", **match)["requests"]

    def after_each(self, **match):
        """Yields now, and again whenever the upstream has answered such a request well; ends when none comes for a minute."""
        answered = sum(request["upstream_status"] == 200 for request in self.requests(**match))
        while True:
            yield
            answered += 1
            if not self("wait_answered", count=answered, status=200, timeout_ms=60000, **match)["reached"]:
                return

    def close(self):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(120)


# -------------------------------------------------------------------------------------------------- running the tool


class Ran:
    """What a run of the tool left: exit status, stdout and stderr as bytes, and the JSON lines of stdout."""

    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    @property
    def text(self):
        return self.out.decode()

    @property
    def errors(self):
        return self.err.decode()

    def lines(self):
        return [json.loads(line) for line in self.out.decode().splitlines()]

    def line(self):
        lines = self.lines()
        assert len(lines) == 1, f"one JSON object was expected, not {self.out!r}"
        return lines[0]

    def __repr__(self):
        return f"exit {self.status}\nstdout: {self.out[:2000]!r}\nstderr: {self.err[:2000]!r}"


class BackendCase(unittest.TestCase):
    """Tests that run on one backend; `backend` is set by on_backends(). Each class makes a bucket and a table."""

    backend = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="oscommit-tool-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, True)
        cls.counter = 0
        cls.base = {"PATH": os.environ.get("PATH", ""), "HOME": cls.folder, "LANG": "C.UTF-8"}
        for name in (
            "ASAN_OPTIONS",
            "UBSAN_OPTIONS",
            "TSAN_OPTIONS",
            "LSAN_OPTIONS",
            "LD_LIBRARY_PATH",
            "LLVM_PROFILE_FILE",
        ):
            if name in os.environ:
                cls.base[name] = os.environ[name]
        cls.store_endpoint = cls.ledger_endpoint = None
        if cls.backend is None or cls.backend.embedded:
            cls.root = os.path.join(cls.folder, "store")
            cls.store = "file://" + cls.root
            made = cls.run_tool("init", cls.root)
        else:
            cls.store_endpoint = _endpoint(cls.backend.store_variable)
            cls.ledger_endpoint = _endpoint(cls.backend.ledger_variable)
            name = f"tool-{time.time_ns()}-{os.getpid()}"
            status, _, body = signed_request(cls.store_endpoint, "s3", "PUT", "/" + name)
            if status != 200:
                raise RuntimeError(f"the bucket {name} could not be made: {status} {body!r}")
            cls.store = "s3://" + name
            cls.table = name
            cls.base.update(
                AWS_ACCESS_KEY_ID=ACCESS_KEY,
                AWS_SECRET_ACCESS_KEY=SECRET_KEY,
                AWS_REGION=REGION,
                AWS_ENDPOINT_URL_S3=cls.store_endpoint,
                AWS_ENDPOINT_URL_DYNAMODB=cls.ledger_endpoint,
                OSCOMMIT_LEDGER="dynamodb://" + name,
            )
            if cls.backend.v2:
                cls.base["OSCOMMIT_SIGNATURE"] = "v2"
            if cls.backend.ttl:
                made = cls.run_tool("table", "create")
            else:
                make_table(cls.ledger_endpoint, name)
                made = cls.run_tool("version")
        if made.status != DONE:
            raise RuntimeError(f"the backend could not be set up: {made}")

    @classmethod
    def start(cls, *arguments, environment=None, **popen):
        """Starts the tool without waiting for it."""
        return subprocess.Popen(
            [tool(), *map(str, arguments)],
            env={**cls.base, **(environment or {})},
            stdin=popen.pop("stdin", subprocess.DEVNULL),
            stdout=popen.pop("stdout", subprocess.PIPE),
            stderr=subprocess.PIPE,
            **popen,
        )

    @classmethod
    def run_tool(cls, *arguments, environment=None, data=None, timeout=300, **popen):
        popen.setdefault("stdin", subprocess.DEVNULL if data is None else subprocess.PIPE)
        process = cls.start(*arguments, environment=environment, **popen)
        try:
            out, err = process.communicate(data, timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            raise AssertionError(
                f"oscommit {' '.join(map(str, arguments))} did not end in {timeout} s\n{out!r}\n{err!r}"
            ) from None
        return Ran(process.returncode, out, err)

    def ok(self, *arguments, **options):
        ran = self.run_tool(*arguments, **options)
        self.assertEqual(ran.status, DONE, ran)
        return ran

    def exits(self, status, *arguments, **options):
        ran = self.run_tool(*arguments, **options)
        self.assertEqual(ran.status, status, ran)
        return ran

    def key(self, name):
        type(self).counter += 1
        return f"{name}-{type(self).counter}"

    def url(self, key):
        return f"{self.store}/{key}"

    def new_url(self, name):
        return self.url(self.key(name))

    def file(self, name, data):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as out:
            out.write(data)
        return path

    def proxies(self):
        """Proxies before the store and the ledger, and the environment that sends requests through them."""
        store, ledger = FaultProxy(self.store_endpoint), FaultProxy(self.ledger_endpoint)
        self.addCleanup(store.close)
        self.addCleanup(ledger.close)
        return store, ledger, {"AWS_ENDPOINT_URL_S3": store.url, "AWS_ENDPOINT_URL_DYNAMODB": ledger.url}


def md5_etag(data):
    return '"' + hashlib.md5(data).hexdigest() + '"'


def on_backends(*cases, only=None):
    """Copies of each case, one for every backend that has its servers; and the names of those that have not."""
    wanted = [name for name in os.environ.get("OSCOMMIT_TEST_BACKENDS", "").split(",") if name]
    made, missing = [], []
    for backend in BACKENDS:
        if (only and backend.name not in only) or (wanted and backend.name not in wanted):
            continue
        variable = backend.missing()
        if variable:
            missing.append(f"{backend.name}: {variable} is not set")
            continue
        for case in cases:
            name = f"{case.__name__}_{backend.name.replace('+', '_')}"
            made.append(type(name, (case,), {"backend": backend, "__module__": case.__module__}))
    return made, missing


def of_this_share(tests):
    """OSCOMMIT_TEST_SHARE=K/N: every Nth test, from the Kth (0 to N - 1)."""
    first, step = map(int, (os.environ.get("OSCOMMIT_TEST_SHARE") or "0/1").split("/"))
    if first >= step:
        sys.exit("OSCOMMIT_TEST_SHARE is K/N, with K from 0 to N - 1")
    return tests[first::step]


def main(*cases, only=None):
    """Runs the cases on every backend. Exit status 77 when all that ran passed but servers are missing."""
    made, missing = on_backends(*cases, only=only)
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{pattern}*" for pattern in sys.argv[1:]] or None
    tests = of_this_share([test for case in made for test in loader.loadTestsFromTestCase(case)])
    if not tests and not missing:
        print("SKIPPED: nothing is in its OSCOMMIT_TEST_BACKENDS and OSCOMMIT_TEST_SHARE", file=sys.stderr)
        sys.exit(EXIT_SKIPPED)
    result = unittest.TextTestRunner(verbosity=2, buffer=False).run(unittest.TestSuite(tests))
    required = os.environ.get("OSCOMMIT_REQUIRE_SERVERS") == "1"
    for line in missing:
        print(("FAILED: " if required else "SKIPPED: ") + line, file=sys.stderr)
    if not result.wasSuccessful() or (missing and required):
        sys.exit(1)
    sys.exit(EXIT_SKIPPED if missing else 0)
