#!/bin/sh
# Joins the parts of a table into one object, on one machine at a time. STORE is file:///root or s3://bucket, TABLE a key
# below it, LEASES the table of leases: sqlite:///FILE or dynamodb://TABLE. OSCOMMIT_LEDGER is the table of records, as
# everywhere. Flags, such as --ttl 30s, go to oscommit lock.
set -e
store=${STORE:?set STORE to file:///root or s3://bucket}
table=${TABLE:-table}
lease="compact $store/$table"
if [ "$OSCOMMIT_LEASE_NAME" != "$lease" ]; then # it is not held yet
    exec oscommit lock "$lease" --ledger "${LEASES:?set LEASES to a table of leases}" "$@" -- sh "$0"
fi
parts=$(mktemp -d)
trap 'rm -r "$parts"' EXIT
oscommit ls "$store/$table/parts/" >"$parts/list"
: >"$parts/all"
while read -r _ _ key; do # when it was written, its length, its key
    oscommit get "$store/$key" - >>"$parts/all"
done <"$parts/list"
# A machine that stood still here for an hour goes on here, reads what its successor wrote, and would write over it.
# The update carries OSCOMMIT_FENCING_TOKEN, and the successor's token is larger: status 3, nothing is written.
oscommit update "$store/$table/all" -- cat "$parts/all"
