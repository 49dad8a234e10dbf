# SPDX-License-Identifier: Apache-2.0
"""A process that appends to a Lance table. The first line of standard input says how, in JSON; each other line is an id, which
is appended as a row. Prints "committed ID", "unknown ID REASON" or "failed ID REASON"."""

import json
import sys

import oscommit
import oscommit.lance
import pyarrow

import lance


def begin(how):
    """What the functions of pylance are called with: (positional, by name)."""
    if how["kind"] == "rows":
        return (how["uri"],), {"storage_options": how["storage_options"]}
    store = oscommit.Store.from_url(how["url"], **how["options"])
    if how["kind"] == "tables":
        tables = oscommit.lance.Tables(store, storage_options=how["storage_options"])
        return (), {"namespace_client": tables, "table_id": ["events"]}
    lock = oscommit.lance.commit_lock(store, "events", wait_s=how["wait_s"])
    return (f"{how['url']}/events",), {"commit_lock": lock, "storage_options": how["storage_options"]}


def run():
    where, options = begin(json.loads(sys.stdin.readline()))
    for line in sys.stdin:
        identity = line.strip()
        try:
            lance.write_dataset(pyarrow.table({"id": [identity]}), *where, mode="append", **options)
            print("committed", identity, flush=True)
        except Exception as error:  # whatever it is: the judge is told
            reason = str(error).replace("\n", " ")[:500]
            print("unknown" if "is unknown" in reason else "failed", identity, reason, flush=True)


if __name__ == "__main__":
    run()
