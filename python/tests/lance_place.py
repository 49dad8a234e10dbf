# SPDX-License-Identifier: Apache-2.0
"""A Lance table on MinIO with a ledger on DynamoDB Local, and pylance to write and to judge it."""

import os
import sys
import uuid

import pytest
from conftest import ROOT

sys.path.append(os.path.join(ROOT, "test", "interop"))
_FOLDER = os.environ.get("OSCOMMIT_TEST_PYLANCE")


def pylance():
    """The folder that scripts/servers/pylance.sh fills, made importable."""
    if not _FOLDER and os.environ.get("OSCOMMIT_REQUIRE_SERVERS") == "1":
        pytest.fail("OSCOMMIT_TEST_PYLANCE is not set: install it (scripts/servers.sh).")
    if not _FOLDER:
        pytest.skip("OSCOMMIT_TEST_PYLANCE is not set")
    if _FOLDER not in sys.path:
        sys.path.append(_FOLDER)
    os.environ["AWS_EC2_METADATA_DISABLED"] = "true"
    import lance

    return lance


def storage_options(place, endpoint=None):
    """What pylance needs for the same store."""
    if place.url.startswith("file:"):
        return None
    return {
        "access_key_id": place.options["access_key_id"],
        "secret_access_key": place.options["secret_access_key"],
        "region": place.options["region"],
        "allow_http": "true",
        "endpoint": endpoint or place.options["s3_endpoint"],
    }


def rows(*identities):
    import pyarrow

    return pyarrow.table({"id": list(identities)})


def read(lance, place, version=None):
    """(version, ids), by pylance alone."""
    table = lance.dataset(f"{place.url}/events", version=version, storage_options=storage_options(place))
    return table.version, table.to_table()["id"].to_pylist()


def judge(lance, place):
    """Every version is there once, and each holds what the one before it holds, and one row more. Gives the newest's ids."""
    newest, found = read(lance, place)
    for version in range(newest, 0, -1):
        assert read(lance, place, version) == (version, found[:version]), version
    assert len(found) == len(set(found)) == newest, "an append is in the table twice"
    return found


def make_rows(place):
    """A table for the rows of `s3+ddb://`: its name, and what asks it."""
    from oscommit_testing import dynamo

    name = f"lance-{uuid.uuid4().hex}"

    def ask(what, **request):
        status, answer = dynamo(place.options["dynamodb_endpoint"], what, {"TableName": name, **request})
        assert status == 200, answer
        return answer

    keys = {"base_uri": ("HASH", "S"), "version": ("RANGE", "N")}
    ask(
        "CreateTable",
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": key, "KeyType": role} for key, (role, _) in keys.items()],
        AttributeDefinitions=[{"AttributeName": key, "AttributeType": kind} for key, (_, kind) in keys.items()],
    )
    return name, ask


def uri_with_rows(place, name):
    return f"{place.url.replace('s3:', 's3+ddb:', 1)}/events?ddbTableName={name}"
