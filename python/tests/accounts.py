# SPDX-License-Identifier: Apache-2.0
"""A model that tests of transactions share."""

import uuid
from typing import Optional

from oscommit.models import Model, field, key

QUICK = {"initial_backoff_s": 0.001, "max_backoff_s": 0.02}


def account_model():
    class Account(Model):
        id: str = key()
        balance: int = field(minimum=0)
        owner: Optional[str] = None
        visits: int = 0

        class Meta:
            table = f"accounts-{uuid.uuid4().hex[:12]}"

    return Account


def found(tables, model, id="a"):
    def read(tx):
        row = tx.get(model, id)
        return row and row.as_dict()

    return tables.transact(read)


def add(tables, model, amount):
    def run(tx):
        tx.get(model, "a").balance += amount

    tables.transact(run, **QUICK)
