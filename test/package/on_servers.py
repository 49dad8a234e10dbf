# SPDX-License-Identifier: Apache-2.0
"""The package on MinIO with a table in DynamoDB Local: create, conflict, update from many tasks, lost by nobody."""

import asyncio
import os
import uuid

import oscommit

run = uuid.uuid4().hex
options = {
    "s3_endpoint": os.environ["OSCOMMIT_TEST_MINIO_ENDPOINT"].replace("127.0.0.1", "localhost"),
    "dynamodb_endpoint": os.environ["OSCOMMIT_TEST_DYNAMODB_ENDPOINT"].replace("127.0.0.1", "localhost"),
    "access_key_id": os.environ["OSCOMMIT_TEST_ACCESS_KEY"],
    "secret_access_key": os.environ["OSCOMMIT_TEST_SECRET_KEY"],
    "region": os.environ["OSCOMMIT_TEST_REGION"],
    "ledger": f"dynamodb://wheel-{run}",
}
store = oscommit.Store.from_url(f"s3://{os.environ['OSCOMMIT_TEST_MINIO_BUCKET']}/{run}", **options)
store.table(create=True)
store.put("first", b"one", mode="create")
try:
    store.put("first", b"two", mode="create")
except oscommit.AlreadyExistsError:
    pass
else:
    raise SystemExit("a second create was not refused")
assert store.get("first").bytes() == b"one"


async def count():
    await asyncio.gather(*(store.update_async("counter", lambda data: b"%d" % (int(data or 0) + 1)) for _ in range(8)))


asyncio.run(count())
assert store.get("counter").bytes() == b"8", store.get("counter").bytes()
store.close()
