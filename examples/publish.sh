#!/bin/sh
# Publishes a file exactly once, whoever else tries. STORE is file:///root or s3://bucket (OSCOMMIT_LEDGER too, except on AWS).
store=${STORE:?set STORE to file:///root or s3://bucket}
url=$store/table/part-0001.parquet
status=1
if [ ! -e ticket.json ]; then
    oscommit cp part-0001.parquet "$url" --if-absent --ticket-file ticket.json
    status=$?
fi
if [ -e ticket.json ]; then # unknown, now or in an earlier run: rare; it can be settled later, and on another machine
    oscommit resolve "$url" --ticket-file ticket.json
    status=$?
    case $status in 0 | 1 | 3 | 66 | 69 | 74 | 77) rm ticket.json ;; esac # settled; 4: not yet; 5: look at the object
fi
case $status in
0 | 74) echo "published" ;; # 74: oscommit could not print its line
3) echo "somebody was first: ours is not needed" ;;
*) echo "not published (status $status)" >&2 && exit "$status" ;;
esac
