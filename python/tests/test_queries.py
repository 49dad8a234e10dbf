# SPDX-License-Identifier: Apache-2.0
"""Queries and scans, blocking and not, in the embedded tables and in DynamoDB."""

import uuid
from typing import Optional

import pytest
from accounts import QUICK
from oscommit import ContentionError, InvalidFieldError
from oscommit.models import Index, Model, field, key, sort_key


@pytest.fixture
def order(tables):
    """A model whose table has seven orders of "north" and one of "south"."""

    class Order(Model):
        shop: str = key()
        number: int = sort_key()
        price: float
        state: str = "new"
        clerk: Optional[str] = field(name="by", default=None)

        class Meta:
            table = f"orders-{uuid.uuid4().hex[:12]}"
            indexes = {
                "byState": Index(key=["state"], sort_key=["price"]),
                "byClerk": Index(key=["clerk"], include_only=["price"], sparse=True),
            }

    tables.table(Order, create=True)

    def fill(tx):
        for number in range(7):
            who = {"clerk": "ann"} if number % 3 == 0 else {}
            tx.create(
                Order, shop="north", number=number, price=10 - number, state="sent" if number > 4 else "new", **who
            )
        tx.create(Order, shop="south", number=3, price=1)

    tables.transact(fill)
    return Order


def numbers(rows):
    return [row.number for row in rows]


def test_a_query_gives_a_part_of_a_partition_in_order(tables, order):
    def look(tx):
        north = tx.query(order).where(shop="north")
        return [
            numbers(north),
            numbers(tx.query(order, descending=True).where(shop="north").where("number", ">=", 5)),
            numbers(tx.query(order).where("number", "between", (2, 4), shop="north")),
            numbers(tx.query(order).where(shop="north", number=3)),
            numbers(tx.query(order).where(shop="west")),
            numbers(tx.query(order).where(shop="north").run(2)),
            numbers(tx.query(order).where(shop="north").run(0)),
            [row.shop for row in tx.query(order, inconsistent=True).where(shop="south")],
        ]

    found = tables.transact(look, cache_rows=True)
    assert found == [[*range(7)], [6, 5], [2, 3, 4], [3], [], [0, 1], [], ["south"]]


def test_lazy_filters_and_indexes(tables, order):
    def look(tx):
        lazy = tx.query(order, allow_lazy_filter=True).where("price", "<", 8, shop="north").where("clerk", "!=", "ann")
        sent = tx.query(order, index="byState", descending=True).where(state="sent").where("price", ">", 3)
        by_ann = tx.query(order, index="byClerk").where(clerk="ann")
        return numbers(lazy), [row.price for row in sent], sorted(numbers(by_ann))

    assert tables.transact(look, cache_rows=True) == ([4, 5], [5.0, 4.0], [0, 3, 6])

    def change(tx):
        (row,) = tx.query(order, index="byState").where(state="new", price=10)
        row.price = 11

    def change_a_part(tx):
        for part in tx.query(order, index="byClerk").where(clerk="ann"):
            assert part.price > 0
            with pytest.raises(InvalidFieldError, match="index"):
                part.state = "sent"

    tables.transact(change)
    tables.transact(change_a_part)
    assert tables.transact(lambda tx: tx.get(order, ("north", 0)).price) == 11


@pytest.mark.parametrize(
    "ask, why",
    [
        (lambda query: query.where("number", ">", 3).fetch(1), "shop"),
        (lambda query: query.where("price", "<", 3, shop="north").fetch(1), "allow_lazy_filter"),
        (lambda query: query.where("shop", "like", "n"), "like"),
        (lambda query: query.where(shop=5), "shop"),
        (lambda query: query.where(ship="north"), 'no field "ship". Did you mean "shop"'),
        (lambda query: query.where(shop="north").where(shop="south"), "shop"),
        (lambda query: query.where(shop="north").fetch(1, "no token"), "token"),
        (lambda query: query.where(shop="north").fetch(0), "at least one row"),
        (lambda query: query.where(shop="north").fetch(-1), "at least one row, and not -1"),
    ],
)
def test_what_a_query_refuses(tables, order, ask, why):
    with pytest.raises(InvalidFieldError, match=why):
        tables.transact(lambda tx: ask(tx.query(order)))
    with pytest.raises(InvalidFieldError, match="byShip"):
        tables.transact(lambda tx: tx.query(order, index="byShip"))


def test_pages_go_on_in_another_transaction(tables, order):
    def page(token):
        def look(tx):
            rows, following = tx.query(order).where(shop="north").fetch(3, token)
            return numbers(rows), following

        return tables.transact(look)

    first, token = page(None)
    second, token = page(token)
    third, end = page(token)
    assert (first, second, third, end) == ([0, 1, 2], [3, 4, 5], [6], None)


def test_a_row_of_a_query_takes_part_in_the_commit(tables, order):
    runs = []

    def sell(tx):
        (row,) = tx.query(order).where(shop="south")
        runs.append(row.state)
        if len(runs) == 1:
            tables.transact(lambda inner: setattr(inner.get(order, ("south", 3)), "state", "lost"))
        row.state = "sold"

    tables.transact(sell, **QUICK)
    assert runs == ["new", "lost"]
    assert tables.transact(lambda tx: tx.get(order, ("south", 3)).state) == "sold"
    runs.clear()
    with pytest.raises(ContentionError):
        tables.transact(sell, retries=0)


def test_the_shards_of_a_scan_are_the_table(tables, order):
    def shard(index):
        return tables.transact(lambda tx: [repr(row) for row in tx.scan(order, shard_index=index, shard_count=3)])

    shards = [shard(index) for index in range(3)]
    everything = tables.transact(lambda tx: [repr(row) for row in tx.scan(order)])
    assert len(everything) == 8 and sorted(sum(shards, [])) == sorted(everything)
    assert tables.transact(lambda tx: len(list(tx.scan(order, index="byClerk").run(2)))) == 2
    with pytest.raises(InvalidFieldError, match="scan"):
        tables.transact(lambda tx: tx.scan(order).where(shop="north"))


def test_more_rows_than_one_page(tables):
    class Line(Model):
        book: str = key()
        number: int = sort_key()

        class Meta:
            table = f"lines-{uuid.uuid4().hex[:12]}"

    tables.table(Line, create=True)
    for start in range(0, 250, 50):
        tables.transact(
            lambda tx, start=start: [tx.create(Line, book="b", number=start + i) for i in range(50)] and None
        )
    assert tables.transact(lambda tx: numbers(tx.query(Line).where(book="b"))) == [*range(250)]
    assert tables.transact(lambda tx: numbers(tx.query(Line).where(book="b").run(150))) == [*range(150)]


async def test_queries_and_scans_without_blocking(tables, order):
    async def look(tx):
        north = [row.number async for row in tx.query(order, descending=True).where(shop="north")]
        two = [row.number async for row in tx.query(order).where(shop="north").run(2)]
        rows, token = await tx.query(order).where(shop="north").fetch(4)
        rest, end = await tx.query(order).where(shop="north").fetch(10, token)
        lazy = tx.query(order, allow_lazy_filter=True).where(shop="north", clerk="ann")
        by_ann = [row.number async for row in lazy]
        shards = [await count(tx.scan(order, shard_index=i, shard_count=2)) for i in range(2)]
        return north, two, numbers(rows), numbers(rest), end, by_ann, sum(shards)

    found = await tables.transact_async(look, cache_rows=True)
    assert found == ([*reversed(range(7))], [0, 1], [0, 1, 2, 3], [4, 5, 6], None, [0, 3, 6], 8)

    async def sell_all(tx):
        async for row in tx.query(order, index="byState").where(state="new"):
            row.state = "sold"

    await tables.transact_async(sell_all)
    assert await tables.transact_async(lambda tx: count(tx.query(order, index="byState").where(state="sold"))) == 6


async def count(query):
    return len([row async for row in query])


def test_a_query_ends_with_its_transaction(tables, order):
    kept = []

    def keep(tx):
        kept[:] = [tx.query(order).where(shop="north")]

    tables.transact(keep)
    for use in (lambda: kept[0].fetch(1), lambda: kept[0].where(number=1), lambda: list(kept[0])):
        with pytest.raises(RuntimeError, match="The transaction has ended"):
            use()
