# SPDX-License-Identifier: Apache-2.0
"""Transactions as coroutines: many in one loop, and the truth about those that nobody waits for."""

import asyncio
import contextvars
import gc
import logging
import random
import threading
import time
import weakref

import oscommit
import pytest
from accounts import QUICK, account_model, add, found
from oscommit import AlreadyExistsError, ContentionError, InvalidFieldError, exceptions
from oscommit._threads import _AT_ONCE


async def test_a_row_is_made_changed_and_deleted(tables, account):
    who = contextvars.ContextVar("who", default="nobody")
    who.set("me")

    @tables.transaction()
    async def change(tx, id, amount, *, owner):
        """Says what it does."""
        row = await tx.get(account, id)
        assert not row.is_new and who.get() == "me" and threading.current_thread() is threading.main_thread()
        row.balance += amount
        row.owner = owner
        row.increment("visits")
        await asyncio.sleep(0)
        return row.balance

    assert await change("a", 3, owner="me") == 8 and change.__doc__ == "Says what it does."
    assert found(tables, account) == {"id": "a", "balance": 8, "visits": 1, "owner": "me"}

    async def make(tx):
        there, missing = await tx.get([account.key("a"), account.key("b")])
        assert there.balance == 8 and missing is None
        row = await tx.get_or_create(account.key("c"), balance=1)
        tx.create(account, id="b", balance=there.balance)
        return row.is_new

    assert await tables.transact_async(make) is True
    with pytest.raises(AlreadyExistsError):
        await tables.transact_async(lambda tx: tx.create(account, id="b", balance=1) and None)
    await tables.transact_async(lambda tx: tx.delete(account.key("a")))
    assert found(tables, account) is None and found(tables, account, "b")["balance"] == 8
    with pytest.raises(InvalidFieldError, match="minimum"):
        await tables.transact_async(lambda tx: tx.create(account, id="d", balance=-1))


async def test_tables_and_tickets(tables):
    model = account_model()
    with pytest.raises(exceptions.NotFoundError):
        await tables.table_async(model)
    await tables.table_async(model, create=True)
    await tables.table_async(model)
    with pytest.raises(oscommit.Unknown, match="ticket"):
        await tables.resolve_async("{}")


async def test_a_function_runs_again_where_another_was_faster(tables, account):
    runs = []

    async def slow(tx):
        row = await tx.get(account, "a")
        balance = row.balance
        if not runs:
            add(tables, account, 10)
        runs.append(balance)
        row.balance = balance + 1

    await tables.transact_async(slow, **QUICK)
    assert runs == [5, 15] and found(tables, account)["balance"] == 16

    class Odd(Exception):
        retryable = True

    async def odd(tx):
        runs.append((await tx.get(account, "a")).balance)
        raise Odd

    with pytest.raises(ContentionError, match="asked for another run") as caught:
        await tables.transact_async(odd, retries=1, **QUICK)
    assert runs == [5, 15, 16, 16] and isinstance(caught.value.__cause__, Odd)


@pytest.mark.parametrize("kind", [ValueError, exceptions.DeadlineError])
async def test_an_exception_ends_it_and_comes_out(tables, account, kind):
    raised = kind("mine")

    async def fail(tx):
        (await tx.get(account, "a")).balance = 0
        raise raised

    with pytest.raises(kind) as caught:
        await tables.transact_async(fail)
    assert caught.value is raised and oscommit.abandoned(raised) is None
    assert found(tables, account)["balance"] == 5


async def test_the_sum_stays_the_same_with_many_at_once(tables, account):
    names = [str(i) for i in range(20)]
    for name in names:
        await tables.transact_async(lambda tx, name=name: tx.create(account, id=name, balance=100).id)

    # So many at once are much for a server on a small machine: they do not come back at once.
    @tables.transaction(retries=200, deadline_s=300, initial_backoff_s=0.05, max_backoff_s=1)
    async def move(tx, source, target):
        a, b = await tx.get([account.key(source), account.key(target)])
        a.balance -= 1
        await asyncio.sleep(0)
        b.balance += 1

    count = _AT_ONCE + 16
    await asyncio.gather(
        *(move(names[i % 20], names[(i * 7 + 3) % 20]) for i in range(count) if i % 20 != (i * 7 + 3) % 20)
    )
    rows = await tables.transact_async(lambda tx: tx.get([account.key(name) for name in names]))
    assert len(rows) == 20

    async def balances(tx):
        return [row.balance for row in await tx.get([account.key(name) for name in names])]

    assert sum(await tables.transact_async(balances)) == 2000


async def test_the_loop_goes_on_while_transactions_wait(embedded_account):
    """Each waits for all the others, which no thread may hold up; further ones wait for their turn, but for inner ones."""
    client, model, _ = embedded_account
    arrived, all_are_there = [], asyncio.Event()

    async def make(tx, i):
        tx.create(model, id=str(i), balance=i)
        await client.transact_async(lambda inner: inner.create(model, id=f"inner {i}", balance=i) and None, **QUICK)
        arrived.append(i)
        if len(arrived) == _AT_ONCE:
            all_are_there.set()
        await all_are_there.wait()

    def options(i):
        return {"retries": 200, "deadline_s": 300, **QUICK}

    first = [
        asyncio.ensure_future(client.transact_async(lambda tx, i=i: make(tx, i), **options(i)))
        for i in range(_AT_ONCE - 1)
    ]
    while len(arrived) < _AT_ONCE - 1:
        await asyncio.sleep(0.001)
    last = asyncio.ensure_future(client.transact_async(lambda tx: make(tx, _AT_ONCE - 1), **options(0)))
    await asyncio.gather(*first, last)
    assert found(client, model, "7") == {"id": "7", "balance": 7, "visits": 0}
    assert found(client, model, "inner 7")["balance"] == 7


async def test_a_deadline_ends_what_waits_for_its_turn(embedded_account):
    client, model, _ = embedded_account
    goes_on = asyncio.Event()
    entered = []

    async def wait(tx):
        entered.append(tx)
        await goes_on.wait()

    waiting = [asyncio.ensure_future(client.transact_async(wait)) for _ in range(_AT_ONCE)]
    while len(entered) < _AT_ONCE:
        await asyncio.sleep(0.001)
    with pytest.raises(exceptions.DeadlineError, match="were under way: nothing was sent") as caught:
        await client.transact_async(wait, deadline_s=0.05)
    assert caught.value.verdict == "not executed" and len(entered) == _AT_ONCE
    cancelled = asyncio.ensure_future(client.transact_async(wait))
    next_one = asyncio.ensure_future(client.transact_async(lambda tx: tx.create(model, id="a", balance=1) and None))
    await asyncio.sleep(0)
    cancelled.cancel()
    goes_on.set()
    with pytest.raises(asyncio.CancelledError):
        await cancelled
    await asyncio.gather(*waiting, next_one)
    assert len(entered) == _AT_ONCE and found(client, model)["balance"] == 1


async def test_steps_of_one_transaction_follow_each_other(tables, account):
    async def both(tx):
        first = asyncio.ensure_future(tx.get(account, "a"))
        await asyncio.sleep(0)
        with pytest.raises(RuntimeError, match="await each"):
            await tx.get(account, "b")
        row = await first
        go_on = threading.Event()
        held = asyncio.ensure_future(tx._step(go_on.wait, 60))
        await asyncio.sleep(0)
        with pytest.raises(RuntimeError, match="await each"):
            tx.create(account, id="c", balance=1)
        go_on.set()
        assert await held
        assert (await tx.get(account, "b")) is None
        row.balance += 1

    await tables.transact_async(both)
    assert found(tables, account)["balance"] == 6


async def test_rows_end_with_the_function(tables, account):
    kept = []

    async def keep(tx):
        kept[:] = [tx, await tx.get(account, "a")]

    await tables.transact_async(keep)
    tx, row = kept
    for use in (lambda: row.balance, lambda: tx.create(account, id="b", balance=1), lambda: tx.delete(row)):
        with pytest.raises(RuntimeError, match="The transaction has ended"):
            use()
    with pytest.raises(RuntimeError, match="The transaction has ended"):
        await tx.get(account, "b")

    async def leave_behind(tx):
        kept[:] = [asyncio.ensure_future(tx.get(account, "a"))]
        await asyncio.sleep(0)

    await tables.transact_async(leave_behind)
    row = await kept[0]
    with pytest.raises(RuntimeError, match="The transaction has ended"):
        row.balance  # noqa: B018


async def test_what_a_function_leaves_behind_takes_no_step_before_a_hook(embedded_account):
    client, model, _ = embedded_account
    left = []

    class Finalized(model):
        class Meta(model.Meta):
            pass

        async def finalize(self, tx):
            self.owner = "me"

    async def change(tx):
        first = tx._talk

        async def go_on():
            while tx._talk is first:
                await asyncio.sleep(0)
            with pytest.raises(RuntimeError, match="await each"):
                await tx.get(Finalized, "b")

        left.append(asyncio.ensure_future(go_on()))
        tx.create(Finalized, id="a", balance=1)
        await asyncio.sleep(0)

    await client.transact_async(change)
    await asyncio.gather(*left)
    assert found(client, model)["owner"] == "me"


async def test_a_task_that_is_cancelled_in_its_function_applies_nothing(tables, account):
    told, started = [], asyncio.Event()
    tables.on_abandoned = told.append

    async def never(tx):
        (await tx.get(account, "a")).balance = 0
        started.set()
        await asyncio.Event().wait()

    task = asyncio.ensure_future(tables.transact_async(never))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert told == [] and found(tables, account)["balance"] == 5

    async def swallow(tx):
        (await tx.get(account, "a")).balance = 7
        started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "swallowed"

    started.clear()
    task = asyncio.ensure_future(tables.transact_async(swallow))
    await started.wait()
    task.cancel()
    assert await task == "swallowed" and found(tables, account)["balance"] == 7


async def test_a_cancelled_task_keeps_its_ticket(silent_client, caplog):
    model = account_model()
    in_function = asyncio.Event()

    async def make(tx):
        tx.create(model, id="a", balance=1)
        in_function.set()

    with caplog.at_level(logging.WARNING, "oscommit"):
        task = asyncio.ensure_future(silent_client.transact_async(make))
        await in_function.wait()
        while not silent_client.metrics()["requests"]:  # the commit was sent, and nobody has answered
            await asyncio.sleep(0.001)
        task.cancel()
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as caught:
            await task
    left = oscommit.abandoned(caught.value)
    assert (left.key, left.verdict, left.error.verdict) == ("", "unknown", "unknown") and left.ticket.startswith("{")
    assert f"The transaction may have been applied, and its call was cancelled. Ticket: {left.ticket}" in caplog.text
    with pytest.raises(oscommit.Unknown):
        await silent_client.resolve_async(left.ticket, deadline_s=0.5)


def landed(client):
    """Until one of those under way has an end, of which its loop has not heard yet."""
    flights = list(client._flights)
    while all(flight._thread.is_alive() for flight in flights):
        time.sleep(0.001)
    return True


async def test_a_task_that_is_cancelled_too_late_says_that_it_is_committed(tables, account):
    told = []
    tables.on_abandoned = told.append

    async def change(tx):
        (await tx.get(account, "a")).balance = 6
        asyncio.get_running_loop().call_soon(cancel)

    def cancel():
        assert landed(tables)
        task.cancel()

    task = asyncio.ensure_future(tables.transact_async(change))
    with pytest.raises(asyncio.CancelledError) as caught:
        await task
    left = oscommit.abandoned(caught.value)
    assert (left.verdict, left.ticket, left.error) == ("committed", None, None) and told == [left]
    assert found(tables, account)["balance"] == 6


async def test_a_time_limit_of_a_step_ends_the_transaction(silent_client):
    model = account_model()
    told = []
    silent_client.on_abandoned = told.append

    async def read(tx):
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(tx.get(model, "a"), 0.05)
        tx.create(model, id="b", balance=1)

    with pytest.raises(exceptions.BaseError) as caught:
        await silent_client.transact_async(read)
    assert caught.value.verdict == "not executed" and told == []


def test_a_loop_that_is_closed_leaves_the_truth(tmp_path):
    """Coroutines that nobody runs any more: one in its function, and one whose commit has an end that nobody heard of."""
    told = []
    model = account_model()
    loop = asyncio.new_event_loop()
    with oscommit.Client.from_url(f"sqlite://{tmp_path}/tables.db", on_abandoned=told.append) as client:
        client.table(model, create=True)

        async def never(tx):
            tx.create(model, id="a", balance=1)
            await asyncio.Event().wait()

        async def commit(tx):
            tx.create(model, id="b", balance=2)
            loop.stop()

        tasks = [loop.create_task(client.transact_async(never)), loop.create_task(client.transact_async(commit))]
        loop.run_forever()
        for task in tasks:
            task._log_destroy_pending = False
        assert landed(client)
        loop.close()
        assert told == []
    assert [left.verdict for left in told] == ["committed"]
    del tasks, task
    gc.collect()
    assert len(told) == 1
    with oscommit.Client.from_url(f"sqlite://{tmp_path}/tables.db") as client:
        assert found(client, model) is None and found(client, model, "b")["balance"] == 2


@pytest.mark.parametrize("in_loop", [False, True])
async def test_a_close_ends_what_is_under_way(embedded_account, in_loop):
    client, model, file = embedded_account
    started, closed = asyncio.Event(), asyncio.Event()

    async def make(tx):
        tx.create(model, id="a", balance=1)
        started.set()
        await closed.wait()
        with pytest.raises((exceptions.CancelledError, RuntimeError)):
            await tx.get(model, "b")

    task = asyncio.ensure_future(client.transact_async(make))
    await started.wait()
    if in_loop:
        client.close()
    else:
        await client.close_async()
    closed.set()
    with pytest.raises(exceptions.CancelledError, match="The client was closed while") as caught:
        await task
    assert caught.value.verdict == "not executed" and not client._flights
    with pytest.raises(ValueError, match="closed"):
        await client.transact_async(make)
    with oscommit.Client.from_url(f"sqlite://{file}") as other:
        assert found(other, model) is None


def test_nothing_is_left_of_those_that_have_ended(embedded_account):
    client, model, _ = embedded_account
    client.transact(lambda tx: tx.create(model, id="a", balance=0) and None)
    ours = threading.active_count()

    class Held:
        pass

    async def change(tx, held):
        (await tx.get(model, "a")).balance += 1
        return held

    async def fail(tx, held):
        await tx.get(model, "a")
        raise ValueError(held)

    async def many():
        left = []
        for i in range(20):
            held = Held()
            left.append(weakref.ref(held))
            assert await client.transact_async(lambda tx, held=held: change(tx, held)) is held
            with pytest.raises(ValueError):
                await client.transact_async(lambda tx, held=held: fail(tx, held))
        del held
        return left

    left = asyncio.run(many())
    for thread in threading.enumerate():
        if thread.name == "oscommit-call":  # of a call that has ended; its frames may hold a circle still
            thread.join(10)
    gc.collect()
    assert not client._flights and threading.active_count() == ours
    assert [one for one in left if one() is not None] == []


async def test_the_truth_about_each_that_is_cancelled(tables, account):
    """At any moment: what was told is what is there."""
    pauses = random.Random(7)
    loop = asyncio.get_running_loop()
    verdicts = {}

    async def make(tx, id):
        await tx.get(account, id)
        await asyncio.sleep(0)
        tx.create(account, id=id, balance=1)

    async def one(id, pause_s):
        task = asyncio.ensure_future(tables.transact_async(lambda tx: make(tx, id), deadline_s=60))
        loop.call_later(pause_s, task.cancel)
        try:
            await task
            verdicts[id] = "committed"
        except asyncio.CancelledError as error:
            left = oscommit.abandoned(error)
            verdicts[id] = "not executed" if left is None else left.verdict
            if verdicts[id] == "unknown":
                verdicts[id] = await settled(left.ticket)

    async def settled(ticket):
        try:
            await tables.resolve_async(ticket)
        except ContentionError:
            return "not executed"
        except oscommit.Unknown:  # of a row that is made alone, and is not there: it may come yet
            return "unknown"
        return "committed"

    begun = loop.time()
    await asyncio.gather(*(one(f"calm {i}", 60) for i in range(16)))
    longest_s = loop.time() - begun
    while len(verdicts) < 80 or not {"committed", "not executed"} <= set(verdicts.values()):
        assert len(verdicts) < 800, "the pauses fit nothing"
        await asyncio.gather(*(one(str(len(verdicts) + i), pauses.random() * 2 * longest_s) for i in range(16)))
    assert not tables._flights
    rows = set(tables.transact(lambda tx: [row.id for row in tx.scan(account)])) - {"a"}
    assert rows >= {id for id, verdict in verdicts.items() if verdict == "committed"}
    assert not rows & {id for id, verdict in verdicts.items() if verdict == "not executed"}
