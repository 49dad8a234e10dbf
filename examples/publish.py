"""Publishes one object exactly once; every later run says who was first."""
import sys

import oscommit

url = sys.argv[1] if len(sys.argv) > 1 else "file:///tmp/oscommit-example"
with oscommit.Store.from_url(url, mkdir=url.startswith("file:"), environment=True) as store:  # OSCOMMIT_LEDGER and so on
    try:
        result = store.put("report/2026-11.json", b'{"rows": 42}\n', mode="create")
    except oscommit.AlreadyExistsError as error:
        sys.exit(f"conflict {error}")
    except oscommit.Unknown as error:  # rare: it may have been applied; ask, for two minutes
        print(f"Keep this ticket until it is settled: {error.ticket}", file=sys.stderr)
        result = error.settle(deadline_s=120)
    print("committed", result["e_tag"])
