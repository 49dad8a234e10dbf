#!/bin/sh
# Publishes a file exactly once, whoever else tries. STORE is file:///root or s3://bucket (then OSCOMMIT_LEDGER too).
store=${STORE:?set STORE to file:///root or s3://bucket}

oscommit cp part-0001.parquet "$store/table/part-0001.parquet" --if-absent --ticket-file ticket.json
status=$?
if [ "$status" -eq 4 ]; then # unknown: rare; it can be settled later, and on another machine
    oscommit resolve "$store/table/part-0001.parquet" --ticket-file ticket.json
    status=$?
fi
case $status in
0) echo "published" ;;
3) echo "somebody was first: ours is not needed" ;;
*) echo "not published (status $status)" >&2 && exit "$status" ;;
esac
