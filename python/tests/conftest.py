# SPDX-License-Identifier: Apache-2.0
"""Where the tests run: the embedded store, and MinIO with DynamoDB Local (scripts/servers.sh; its env is sourced).

Without the servers' environment those tests are skipped, or fail where OSCOMMIT_REQUIRE_SERVERS is 1."""

import itertools
import os
import signal
import sys
import uuid

import oscommit
import pytest
from accounts import account_model

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "test", "support"), os.path.join(ROOT, "bench", "delta_race")]
_count = itertools.count()


def endpoint(name):
    value = os.environ.get(f"OSCOMMIT_TEST_{name}_ENDPOINT")
    if not value and os.environ.get("OSCOMMIT_REQUIRE_SERVERS") == "1":
        pytest.fail(f"OSCOMMIT_TEST_{name}_ENDPOINT is not set: start the servers (scripts/servers.sh).")
    if not value:
        pytest.skip(f"OSCOMMIT_TEST_{name}_ENDPOINT is not set")
    return value


class Place:
    """Options of Store.from_url, with a prefix of its own for each store."""

    def __init__(self, url, **options):
        self.url, self.options = url, options

    def open(self, **more):
        return oscommit.Store.from_url(**{"url": self.url, **self.options, **more})

    def environment(self):
        """Of a program that takes its options from there, but the URL."""
        variables = {
            "s3_endpoint": "AWS_ENDPOINT_URL_S3",
            "dynamodb_endpoint": "AWS_ENDPOINT_URL_DYNAMODB",
            "access_key_id": "AWS_ACCESS_KEY_ID",
            "secret_access_key": "AWS_SECRET_ACCESS_KEY",
            "region": "AWS_REGION",
            "ledger": "OSCOMMIT_LEDGER",
        }
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "OSCOMMIT_"))}
        environment["AWS_EC2_METADATA_DISABLED"] = "true"
        environment.update({variables[name]: value for name, value in self.options.items() if name in variables})
        return environment


@pytest.fixture(scope="session")
def servers():
    """A bucket and a table, made once: (url, options)."""
    s3, dynamodb = endpoint("MINIO"), endpoint("DYNAMODB")
    from oscommit_testing import ACCESS_KEY, REGION, SECRET_KEY, signed_request

    name = f"python-{uuid.uuid4().hex[:16]}"
    status, _, body = signed_request(s3, "s3", "PUT", "/" + name)
    assert status == 200, body
    options = {
        "ledger": f"dynamodb://{name}",
        "s3_endpoint": s3,
        "dynamodb_endpoint": dynamodb,
        "access_key_id": ACCESS_KEY,
        "secret_access_key": SECRET_KEY,
        "region": REGION,
        "no_environment": True,
    }
    with oscommit.Store.from_url(f"s3://{name}", **options) as store:
        store.table(create=True)
    return f"s3://{name}", options


@pytest.fixture
def minio(servers):
    url, options = servers
    return Place(f"{url}/{next(_count)}", **options)


@pytest.fixture
def embedded(tmp_path):
    return Place(f"file://{tmp_path}/store", mkdir=True)


@pytest.fixture(params=["embedded", "minio"])
def place(request):
    return request.getfixturevalue(request.param)


@pytest.fixture
def store(place):
    with place.open() as opened:
        yield opened


@pytest.fixture(params=["sqlite", "dynamodb"])
def tables(request, tmp_path):
    """A client of tables, of which there are none yet."""
    if request.param == "sqlite":
        url, options = f"sqlite://{tmp_path}/tables.db", {}
    else:
        _, options = request.getfixturevalue("servers")
        names = ("dynamodb_endpoint", "access_key_id", "secret_access_key", "region", "no_environment")
        url, options = f"dynamodb://tables-{uuid.uuid4().hex[:12]}", {name: options[name] for name in names}
    with oscommit.Client.from_url(url, **options) as client:
        yield client


@pytest.fixture
def account(tables):
    """A model whose table has the row "a" with 5."""
    model = account_model()
    tables.table(model, create=True)
    tables.transact(lambda tx: tx.create(model, id="a", balance=5).id)
    return model


@pytest.fixture
def embedded_account(tmp_path):
    with oscommit.Client.from_url(f"sqlite://{tmp_path}/tables.db") as client:
        model = account_model()
        client.table(model, create=True)
        yield client, model, f"{tmp_path}/tables.db"


@pytest.fixture
def silent_client():
    """A client of a table that answers nothing."""
    from silent_table import SilentTable

    table = SilentTable()
    options = {"access_key_id": "a", "secret_access_key": "b", "region": "us-east-1", "no_environment": True}
    with oscommit.Client.from_url("dynamodb://silent", dynamodb_endpoint=table.url, **options) as client:
        yield client
    table.close()


@pytest.fixture
def proxy(minio):
    """A proxy before MinIO: (proxy, the place behind it)."""
    import urllib.parse

    from proxy import HarmfulProxy

    where = urllib.parse.urlsplit(minio.options["s3_endpoint"])
    harmful = HarmfulProxy(where.hostname, where.port)
    yield harmful, Place(minio.url, **{**minio.options, "s3_endpoint": harmful.url})
    harmful.close()


@pytest.fixture
def interruptible():
    """SIGINT raises KeyboardInterrupt, also where a shell has started the tests in its background and ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
