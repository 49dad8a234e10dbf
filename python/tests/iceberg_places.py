# SPDX-License-Identifier: Apache-2.0
"""A catalog over a place of the tests (conftest.py), and its tables as a reader without a catalog sees them."""

import importlib.util
import os
import urllib.parse

import duckdb
import pyarrow
from oscommit import init
from oscommit.iceberg import PointerCatalog
from pyiceberg.table import StaticTable

SCHEMA = pyarrow.schema([("id", pyarrow.string()), ("length", pyarrow.int64())])


def rows(*ids):
    return pyarrow.table({"id": list(ids), "length": [len(identity) for identity in ids]}, schema=SCHEMA)


def properties_of(place, endpoint=None):
    """Of the catalog, and of a reader."""
    options = place.options
    if "s3_endpoint" not in options:
        init(place.url[len("file://") :])
        return {"warehouse": place.url}
    return {
        "warehouse": place.url,
        "s3.endpoint": endpoint or options["s3_endpoint"],
        "s3.region": options["region"],
        "s3.access-key-id": options["access_key_id"],
        "s3.secret-access-key": options["secret_access_key"],
        "oscommit.ledger": options["ledger"],
        "oscommit.dynamodb_endpoint": options["dynamodb_endpoint"],
        "oscommit.guard": "record",
        "oscommit.no_environment": "1",
    }


def catalog_of(place, endpoint=None, **more):
    return PointerCatalog("lake", **properties_of(place, endpoint), **more)


def ids_of(place, identifier="db.events"):
    """What a reader finds who knows nothing but the table's folder."""
    properties = properties_of(place)
    folder = f"{properties['warehouse']}/{identifier.replace('.', '/')}"
    return sorted(StaticTable.from_metadata(folder, properties).scan().to_arrow()["id"].to_pylist())


def _duckdb_of(properties):
    """DuckDB with the extensions that scripts/python.sh has installed: it downloads nothing."""
    connection = duckdb.connect(config={"autoinstall_known_extensions": "false"})
    for extension in ("avro", "httpfs", "iceberg"):
        [folder] = importlib.util.find_spec(f"duckdb_extension_{extension}").submodule_search_locations
        file = os.path.join(folder, "extensions", f"v{duckdb.__version__}", f"{extension}.duckdb_extension")
        connection.execute(f"LOAD '{file}'")
    if "s3.endpoint" in properties:
        endpoint = urllib.parse.urlsplit(properties["s3.endpoint"])
        connection.execute(
            f"CREATE SECRET (TYPE s3, ENDPOINT '{endpoint.netloc}', USE_SSL {endpoint.scheme == 'https'}, URL_STYLE 'path', "
            f"REGION '{properties['s3.region']}', KEY_ID '{properties['s3.access-key-id']}', "
            f"SECRET '{properties['s3.secret-access-key']}')"
        )
    return connection


def ids_by_duckdb(place, where=None):
    """The same by another reader: of the table's folder, whose hint it reads, or of a metadata file."""
    properties = properties_of(place)
    where = where or f"{properties['warehouse']}/db/events"
    with _duckdb_of(properties) as connection:
        return sorted(row[0] for row in connection.execute("SELECT id FROM iceberg_scan(?)", [where]).fetchall())
