"""Publishes one object exactly once; every later run says who was first."""
import sys

import oscommit


def publish(url):
    with oscommit.Store.from_url(url, mkdir=url.startswith("file:"), environment=True) as store:  # OSCOMMIT_LEDGER and so on
        try:
            return store.put("report/2026-11.json", b'{"rows": 42}\n', mode="create")
        except oscommit.Unknown as error:  # rare: it may have been applied; ask, for two minutes
            print(f"Keep this ticket until it is settled: {error.ticket}", file=sys.stderr)
            return error.settle(deadline_s=120)


try:
    print("committed", publish(sys.argv[1] if len(sys.argv) > 1 else "file:///tmp/oscommit-example")["e_tag"])
except oscommit.BaseError as error:
    print(error.verdict or "failed", error, file=sys.stderr)
    sys.exit({"conflict": 3, "unknown": 4}.get(error.verdict, 1))
