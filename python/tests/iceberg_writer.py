# SPDX-License-Identifier: Apache-2.0
"""Appends to an Iceberg table: a row for each id on standard input. Says of each what became of it, one line of JSON: the id,
"committed", "failed" and the reason, or "unknown" and the ticket.

    iceberg_writer.py PROPERTIES TABLE"""

import json
import sys

from iceberg_places import rows
from oscommit.iceberg import CommitUnknown, PointerCatalog


def append(table, identity):
    try:
        table.append(rows(identity))
    except CommitUnknown as error:
        return "unknown", error.ticket
    except Exception as error:
        return "failed", f"{type(error).__name__}: {error}"
    return "committed", None


def main():
    catalog = PointerCatalog("lake", **json.loads(sys.argv[1]))
    table = catalog.load_table(sys.argv[2])
    print(json.dumps(("", "ready", None)), flush=True)
    for line in sys.stdin:
        identity = line.strip()
        print(json.dumps((identity, *append(table, identity))), flush=True)


main()
