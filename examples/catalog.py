"""A catalog of two tables, "events" and "orders". For each a row names its newest metadata object, which names the one before. A
commit moves one of them or both, together or not at all (docs/catalog.md). It is that of catalog.c: both write to one catalog.

  catalog.py STORE create             once
  catalog.py STORE commit NAME COUNT  NAME-0, NAME-1 ... by turns of both tables, of "events", of "orders"
  catalog.py STORE gc [now]           removes what is older than a day, or of any age: nobody may write then
  catalog.py STORE log                the metadata of each table from the newest to the first, as
                                      TABLE VERSION COMMIT EVENTS ORDERS KEY; the commit saw the versions EVENTS and ORDERS

On an S3 store OSCOMMIT_LEDGER says where the rows are; at DynamoDB the tables are Catalog and CatalogIntents."""

import os
import signal
import sys
import threading
import time

import oscommit
from oscommit.models import Model, key

NAMES = ("events", "orders")
INTENTS = oscommit.Intents("CatalogIntents")


class Catalog(Model):
    name: str = key()
    version: int = 0
    metadata: str = "-"


def look(tx):
    """Both rows at one instant, though only one may change: so each commit knows where it stands among all others."""
    rows = tx.get_or_create([Catalog.key(name) for name in NAMES])
    return rows, [row.version for row in rows]


def move(tx, row, commit, versions):
    """A new metadata object, and the row that names it. In Iceberg it would be JSON, with schemas and snapshots."""
    version = row.version + 1
    text = f"{version} {commit} {versions[0]} {versions[1]} {row.metadata}\n".encode()
    path = f"db/{row.name}/metadata/{version:05}-"
    row.metadata = tx.stage(INTENTS, text, prefix=path, suffix=".metadata")
    row.version = version


def commit(client, name, number):
    """Says what came of it."""

    def run(tx):  # again if another was faster
        rows, versions = look(tx)
        for i, row in enumerate(rows):
            if number % 3 in (0, i + 1):
                move(tx, row, f"{name}-{number}", versions)

    try:
        client.transact(run, retries=100, initial_backoff_s=0.005, max_backoff_s=0.2)
    except oscommit.ConflictError:
        return "conflict"
    return "committed"


def show(client, store):
    """From the newest metadata of each table to the first."""
    for name, path in client.transact(lambda tx: [(row.name, row.metadata) for row in look(tx)[0]]):
        while path != "-":
            version, made, events, orders, before = store.get(path).bytes().decode().split()
            print(name, version, made, events, orders, path)
            path = before


def collect(client, of_any_age):
    done = client.gc_staged(INTENTS, of_any_age=of_any_age, remove=True)
    print(f"{done.removed} removed, {done.failed} failed")
    return done.failed > 0


def run(client, url, arguments):
    if arguments[0] == "create":
        client.table(Catalog, create=True)
        client.table(INTENTS, create=True)
    elif arguments[0] == "commit" and len(arguments) == 3:
        for number in range(int(arguments[2])):
            print(f"{arguments[1]}-{number}", commit(client, arguments[1], number), flush=True)
    elif arguments[0] == "gc":
        return collect(client, arguments[1:] == ("now",))
    elif arguments[0] == "log":
        with oscommit.Store.from_url(url, environment=True) as store:
            show(client, store)
    else:
        raise SystemExit(__doc__)
    return 0


def die_at(client, count):
    """For tests: the process is killed when it has made so many requests."""
    while sum(one["count"] for one in client.metrics()["requests"].values()) < count:
        time.sleep(0.0001)
    os.kill(os.getpid(), signal.SIGKILL)


def main(url, *arguments):
    with oscommit.Client.from_url(store=url, environment=True) as client:
        if int(os.environ.get("CATALOG_DIE_AT") or 0) > 0:
            threading.Thread(target=die_at, args=(client, int(os.environ["CATALOG_DIE_AT"])), daemon=True).start()
        return run(client, url, arguments)


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]) if len(sys.argv) > 2 else __doc__)
    except oscommit.BaseError as error:  # an Unknown has a ticket, for client.resolve
        sys.exit(f"{error.verdict or 'failed'}: {error}")
