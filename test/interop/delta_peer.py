# SPDX-License-Identifier: Apache-2.0
"""delta-rs, as another writer and reader of a table. Runs in an environment that has deltalake and pyarrow.

    delta_peer.py make FOLDER ID...       a Parquet file ID.parquet of one row for each
    delta_peer.py append URL              for each line of standard input, a commit of a row with that id; prints
                                          "committed ID", or "failed ID REASON"
    delta_peer.py read URL                prints the version, and then every id of the table, one a line
"""

import os
import sys

import pyarrow
import pyarrow.parquet

OPTIONS = {"AWS_ALLOW_HTTP": "true"}


def rows(identity):
    return pyarrow.table({"id": pyarrow.array([identity]), "length": pyarrow.array([len(identity)], pyarrow.int64())})


def make(folder, *identities):
    for identity in identities:
        pyarrow.parquet.write_table(rows(identity), os.path.join(folder, identity + ".parquet"))


def append(url):
    from deltalake import write_deltalake

    for line in sys.stdin:
        identity = line.strip()
        try:
            write_deltalake(url, rows(identity), mode="append", storage_options=OPTIONS)
            print("committed", identity, flush=True)
        except Exception as error:  # whatever it is, the row is then as if its writer had died
            print("failed", identity, str(error).replace("\n", " ")[:300], flush=True)


def read(url):
    from deltalake import DeltaTable

    table = DeltaTable(url, storage_options=OPTIONS)
    print(table.version())
    for identity in table.to_pyarrow_table()["id"].to_pylist():
        print(identity)


if __name__ == "__main__":
    {"make": make, "append": append, "read": read}[sys.argv[1]](*sys.argv[2:])
    sys.stdout.flush()
    os._exit(0)  # delta-rs 1.6.0 aborts now and then when the interpreter ends
