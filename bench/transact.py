# SPDX-License-Identifier: Apache-2.0
"""Transactions by hand with the client of boto3: takes the arguments of bench_transact and does the same, with the same
items, and conditions on what was read. It keeps no token in a row.

Environment: OSCOMMIT_TEST_BOTO3 (where boto3 is), AWS_ACCESS_KEY_ID ...
"""

import argparse
import json
import os
import resource
import sys
import time

sys.path.insert(0, os.environ["OSCOMMIT_TEST_BOTO3"])
import boto3


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("mode", choices=("put", "change"))
    parser.add_argument("--ledger", required=True)
    parser.add_argument("--table", required=True)
    parser.add_argument("--prefix", default="bench")
    parser.add_argument("--rows", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--warm", type=float, default=0.3)
    parser.add_argument("--runtime", help=argparse.SUPPRESS)  # of the SDK in Rust
    return parser.parse_args()


class Work:
    def __init__(self, given):
        self.client = boto3.client("dynamodb", region_name=os.environ["AWS_REGION"], endpoint_url=given.ledger)
        self.table = given.table
        self.ids = [f"{given.prefix}-{row}" for row in range(given.rows)]
        self.serial = 0

    def put(self):
        self.serial += 1
        if len(self.ids) == 1:
            self.client.put_item(**self._put(self.ids[0]))
        else:
            self.client.transact_write_items(TransactItems=[{"Put": self._put(one)} for one in self.ids])

    def _put(self, one):
        return {
            "TableName": self.table,
            "Item": {
                "_id": {"S": one},
                "balance": {"N": str(self.serial)},
                "owner": {"S": "x" * 100},
                "visits": {"N": "0"},
            },
        }

    def change(self):
        if len(self.ids) == 1:
            found = self.client.get_item(**self._get(self.ids[0]), ConsistentRead=True)
            self.client.update_item(**self._update(self.ids[0], found["Item"]))
            return
        found = self.client.transact_get_items(TransactItems=[{"Get": self._get(one)} for one in self.ids])
        pairs = zip(self.ids, found["Responses"])
        self.client.transact_write_items(
            TransactItems=[{"Update": self._update(one, answer["Item"])} for one, answer in pairs]
        )

    def _get(self, one):
        return {"TableName": self.table, "Key": {"_id": {"S": one}}}

    def _update(self, one, item):
        old = int(item["balance"]["N"])
        return {
            **self._get(one),
            "UpdateExpression": "SET balance = :new",
            "ConditionExpression": "balance = :old",
            "ExpressionAttributeValues": {":old": {"N": str(old)}, ":new": {"N": str(old + 1)}},
        }


def do_for(function, seconds):
    """How long each took, in µs."""
    took = []
    until = time.monotonic() + seconds
    begun = time.monotonic()
    while begun < until:
        function()
        ended = time.monotonic()
        took.append(int((ended - begun) * 1e6))
        begun = ended
    return took


def cpu_us():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return int((usage.ru_utime + usage.ru_stime) * 1e6)


def rss_kb():
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))


def report(took, wall_s, cpu):
    took.sort()
    shares = {"p50_us": 0.5, "p90_us": 0.9, "p99_us": 0.99, "max_us": 1}
    latencies = {name: took[int((len(took) - 1) * share)] for name, share in shares.items()}
    measured = {"operations": len(took), "failed": 0, "wall_s": wall_s, "cpu_us": cpu, **latencies}
    print(json.dumps({**measured, "rss_kb": rss_kb(), "error": ""}))


def main():
    """The rows are there before any is changed. What fails ends it, with a status that is not 0."""
    given = parse()
    work = Work(given)
    function = work.put if given.mode == "put" else work.change
    work.put()
    do_for(function, given.warm)
    print("ready", flush=True)
    sys.stdin.readline()
    begun, cpu = time.monotonic(), cpu_us()
    took = do_for(function, given.seconds)
    report(took, time.monotonic() - begun, cpu_us() - cpu)


if __name__ == "__main__":
    main()
