# SPDX-License-Identifier: Apache-2.0
"""Transactions as functions, in the embedded tables and in DynamoDB."""

import gc
import signal
import sqlite3
import sys
import threading
import time

import oscommit
import pytest
from accounts import QUICK, account_model, add, found
from oscommit import AlreadyExistsError, ContentionError, InvalidFieldError, exceptions
from oscommit.transactions import Run


def test_a_row_is_made_changed_and_deleted(tables, account):
    assert found(tables, account) == {"id": "a", "balance": 5, "visits": 0}

    @tables.transaction()
    def change(tx, id, amount, *, owner):
        """Says what it does."""
        row = tx.get(account, id)
        assert not row.is_new
        row.balance += amount
        row.owner = owner
        return row.balance

    assert change("a", 3, owner="me") == 8 and change.__doc__ == "Says what it does."
    assert found(tables, account) == {"id": "a", "balance": 8, "visits": 0, "owner": "me"}
    tables.transact(lambda tx: tx.delete(tx.get(account, "a")))
    assert found(tables, account) is None


def test_rows_are_read_together_or_made(tables, account):
    def both(tx):
        there, missing = tx.get([account.key("a"), account.key("b")])
        return there.balance, missing

    assert tables.transact(both) == (5, None)

    def make(tx):
        row = tx.get_or_create(account.key("b"), balance=1)
        return row.is_new, row.balance

    assert tables.transact(make) == (True, 1)
    assert tables.transact(make) == (False, 1)

    def make_both(tx):
        rows = tx.get_or_create([account.key("b"), account.key("c")], balance=2)
        return [(row.is_new, row.balance) for row in rows]

    assert tables.transact(make_both) == [(False, 1), (True, 2)]
    assert tables.transact(lambda tx: tx.get(account, {"id": "b"}, inconsistent=True).balance) == 1


def test_rows_are_written_without_a_read(tables, account):
    tables.transact(lambda tx: tx.create_or_put(account, {"id": "b", "balance": 1}))
    tables.transact(lambda tx: tx.create_or_put(account, {"id": "b", "balance": 2}, {"balance": 1}))
    with pytest.raises(ContentionError):
        tables.transact(lambda tx: tx.create_or_put(account, {"id": "b", "balance": 3}, {"balance": 1}), retries=0)
    tables.transact(
        lambda tx: tx.update(account, {"id": "b", "balance": 2, "owner": None}, {"balance": 4, "owner": "me"})
    )
    with pytest.raises(ContentionError):
        tables.transact(lambda tx: tx.update(account, {"id": "b", "balance": 2}, {"balance": 5}), retries=0)
    assert found(tables, account, "b") == {"id": "b", "balance": 4, "visits": 0, "owner": "me"}
    tables.transact(lambda tx: tx.delete(account.key("b")))
    tables.transact(lambda tx: tx.delete(account.key("b")))
    assert found(tables, account, "b") is None


def test_several_rows_and_keys_are_deleted(tables, account):
    tables.transact(lambda tx: tx.create(account, id="b", balance=1) and None)
    tables.transact(lambda tx: tx.delete(tx.get(account, "a"), account.key("b"), account.key("none")))
    assert found(tables, account) is None and found(tables, account, "b") is None


def test_a_row_that_is_read_again_is_the_one_that_was_read(tables, account):
    def twice(tx):
        tx.cache_rows()
        tx.get(account, "a").balance = 123
        return tx.get(account, "a").balance

    assert tables.transact(twice) == 123


def test_a_row_that_is_there_is_not_made(tables, account):
    with pytest.raises(AlreadyExistsError, match='"a" is there already') as caught:
        tables.transact(lambda tx: tx.create(account, id="a", balance=1) and None)
    assert caught.value.verdict == "conflict" and isinstance(caught.value, FileExistsError)
    assert found(tables, account)["balance"] == 5


def test_a_function_runs_again_where_another_was_faster(tables, account):
    runs = []

    def slow(tx):
        row = tx.get(account, "a")
        balance = row.balance
        if not runs:
            add(tables, account, 10)
        runs.append(balance)
        row.balance = balance + 1

    tables.transact(slow, **QUICK)
    assert runs == [5, 15] and found(tables, account)["balance"] == 16


def test_what_was_not_read_is_no_contention(tables, account):
    runs = []

    def visit(tx):
        row = tx.get(account, "a")
        add(tables, account, 10)
        row.increment("visits", 2)
        runs.append(row)

    tables.transact(visit, **QUICK)
    assert len(runs) == 1 and found(tables, account) == {"id": "a", "balance": 15, "visits": 2}


def test_contention_that_does_not_end(tables, account):
    runs = []

    def slow(tx):
        row = tx.get(account, "a")
        row.balance += 1
        add(tables, account, 10)
        runs.append(row)

    with pytest.raises(ContentionError, match="too often in contention") as caught:
        tables.transact(slow, retries=2, **QUICK)
    assert caught.value.verdict == "conflict" and caught.value.code == "OS_ERR_CONFLICT" and not caught.value.retryable
    assert len(runs) == 3 and found(tables, account)["balance"] == 35
    with pytest.raises(ContentionError):
        tables.transact(slow, retries=0)
    assert len(runs) == 4


class Odd(Exception):
    retryable = False


@pytest.mark.parametrize("kind", [Odd, KeyboardInterrupt, exceptions.DeadlineError])
def test_an_exception_ends_it_and_comes_out(tables, account, kind):
    raised = kind("mine")

    def fail(tx):
        tx.get(account, "a").balance = 0
        raise raised

    with pytest.raises(kind) as caught:
        tables.transact(fail)
    assert caught.value is raised and oscommit.abandoned(raised) is None
    assert found(tables, account)["balance"] == 5


def test_a_retryable_exception_runs_it_again(tables, account):
    runs = []

    def odd(tx):
        tx.get(account, "a").balance = len(runs)
        error = Odd("again")
        error.retryable = True
        runs.append(error)
        if len(runs) < 3:
            raise error
        return len(runs)

    assert tables.transact(odd, **QUICK) == 3 and found(tables, account)["balance"] == 2
    runs.clear()
    with pytest.raises(ContentionError, match="asked for another run, and there is none left") as caught:
        tables.transact(odd, retries=1, **QUICK)
    assert len(runs) == 2 and caught.value.__cause__ is runs[1]


def test_a_read_that_failed_cannot_be_swallowed(tables, account):
    missing = account_model()

    def swallow(tx):
        tx.get(account, "a").balance = 0
        with pytest.raises(exceptions.NotFoundError):
            tx.get(missing, "a")

    with pytest.raises(exceptions.NotFoundError) as caught:
        tables.transact(swallow)
    assert caught.value.verdict == "not executed" and found(tables, account)["balance"] == 5


def test_what_a_transaction_refuses(tables, account):
    def twice(tx):
        tx.get(account, "a")
        tx.get(account, "a")

    with pytest.raises(InvalidFieldError, match="read"):
        tables.transact(twice)
    tables.transact(twice, cache_rows=True)
    with pytest.raises(InvalidFieldError, match="only reads"):
        tables.transact(lambda tx: tx.delete(account.key("a")), read_only=True)

    def write_after(tx):
        tx.make_read_only()
        tx.create(account, id="b", balance=1)

    def only_read_after(tx):
        tx.create(account, id="b", balance=1)
        tx.make_read_only()

    for late in write_after, only_read_after:
        with pytest.raises(InvalidFieldError, match="only read"):
            tables.transact(late)
    for options, why in ({"retries": -1}, "retries"), ({"initial_backoff_s": -1}, "pause"):
        with pytest.raises(ValueError, match=f"{why}.* -1"):
            tables.transact(twice, **options)
    with pytest.raises(InvalidFieldError, match="minimum"):
        tables.transact(lambda tx: tx.create(account, id="b", balance=-1))
    with pytest.raises(InvalidFieldError, match="owner"):
        tables.transact(lambda tx: tx.get(account, "a").increment("owner"))
    with pytest.raises(InvalidFieldError, match="1 to 100 keys"):
        tables.transact(lambda tx: tx.get([]))
    with pytest.raises(TypeError):
        tables.transact(lambda tx: tx.get(account, "a").increment("visits", "1"))
    with pytest.raises(TypeError, match=r"made by its model, as Account.key\(...\): 'a' is none"):
        tables.transact(lambda tx: tx.get(["a", "b"]))
    with pytest.raises(TypeError, match="'a' is none"):
        tables.transact(lambda tx: tx.delete("a"))
    with pytest.raises(InvalidFieldError, match="id is given twice: it is a part of the key already"):
        tables.transact(lambda tx: tx.get_or_create(account.key("a"), id="b", balance=1))
    with pytest.raises(TypeError, match="made by its model"):
        tables.transact(lambda tx: tx.get_or_create(account, id="a", balance=1))
    with pytest.raises(TypeError, match="'a' is none"):
        tables.transact(lambda tx: tx.get_or_create("a", balance=1))
    with pytest.raises(TypeError, match="no row to delete: it is None"):
        tables.transact(lambda tx: tx.delete(tx.get(account, "nobody")))
    with pytest.raises(TypeError, match="by their names.*: 'a' is not"):
        tables.transact(lambda tx: tx.update(account, "a", {"balance": 1}))
    with pytest.raises(InvalidFieldError, match='no part "idd". Did you mean "id"'):
        account.key(idd="a")


def test_a_count_is_not_cut_off(tables, account):
    for wrong in (-1, 2**32, 2**32 + 1):
        for call in (
            lambda wrong=wrong: tables.transact(lambda tx: None, retries=wrong),
            lambda wrong=wrong: tables.transact(lambda tx: tx.scan(account).fetch(wrong)),
            lambda wrong=wrong: tables.transact(lambda tx: tx.scan(account, shard_index=0, shard_count=wrong)),
            lambda wrong=wrong: tables.gc_staged(oscommit.Intents("Intents"), older_than_s=wrong),
            lambda wrong=wrong: tables.documents(parallelism=wrong).list(),
        ):
            with pytest.raises(ValueError, match=rf"A count .*: {wrong} is not|retries cannot be {wrong}|, and not {wrong}\."):
                call()
    with pytest.raises(TypeError):
        tables.transact(lambda tx: None, retries=1.5)


def test_a_decorator_has_parentheses(tables):
    with pytest.raises(TypeError, match=r"@client.transaction\(\) with its parentheses"):

        @tables.transaction
        def forgotten(tx):
            pass


def test_a_coroutine_is_no_function_of_a_transaction(tables):
    async def later(tx):
        pass

    with pytest.raises(TypeError, match="use transact_async"):
        tables.transact(later)
    with pytest.raises(TypeError, match="coroutine"):
        tables.transact(lambda tx: later(tx))


def test_a_generator_is_no_function_of_a_transaction(tables, account):
    def rows(tx):
        tx.create(account, id="b", balance=1)
        yield tx.get(account, "a")

    async def rows_async(tx):
        yield await tx.get(account, "a")

    for function in rows, rows_async:
        with pytest.raises(TypeError, match="cannot be a generator"):
            tables.transact(function)
        with pytest.raises(TypeError, match="cannot be a generator"):
            tables.transaction()(function)


def test_rows_end_with_the_function(tables, account):
    kept = []

    def keep(tx):
        kept[:] = [tx, tx.get(account, "a")]

    tables.transact(keep)
    tx, row = kept
    uses = [
        lambda: row.balance,
        lambda: setattr(row, "balance", 1),
        lambda: row.is_new,
        lambda: row.increment("visits"),
        lambda: tx.get(account, "a"),
        lambda: tx.create(account, id="b", balance=1),
        lambda: tx.delete(row),
    ]
    for use in uses:
        with pytest.raises(RuntimeError, match="The transaction has ended"):
            use()
    assert repr(row) == "<Account of a transaction that has ended>"

    def another(tx):
        tx.delete(row)

    with pytest.raises(TypeError, match="A row of this transaction is needed"):
        tables.transact(another)


def test_another_thread_does_not_use_it(tables, account):
    def share(tx):
        errors = []

        def use():
            try:
                tx.get(account, "a")
            except RuntimeError as error:
                errors.append(error)

        thread = threading.Thread(target=use)
        thread.start()
        thread.join()
        return errors

    (error,) = tables.transact(share)
    assert "by no other" in str(error)


def test_a_model_lives_as_long_as_its_rows(tables, account):
    def write(tx):
        model = type("Gone", (account,), {"Meta": account.Meta})
        tx.create(model, id="b", balance=2)
        del model
        gc.collect()

    tables.transact(write)
    assert found(tables, account, "b")["balance"] == 2


def test_the_sum_stays_the_same(tables, account):
    names = [str(i) for i in range(4)]
    tables.transact(lambda tx: [tx.create(account, id=name, balance=100).id for name in names])
    failures = []

    def move(tx, source, target):
        rows = tx.get([account.key(source), account.key(target)])
        rows[0].balance -= 1
        rows[1].balance += 1

    def work(seed):
        try:
            for i in range(15):
                source, target = names[(seed + i) % 4], names[(seed + i + 1 + i % 3) % 4]
                tables.transact(lambda tx: move(tx, source, target), retries=200, **QUICK)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    rows = tables.transact(lambda tx: [row.balance for row in tx.get([account.key(name) for name in names])])
    assert sum(rows) == 400


def test_others_run_while_it_waits(embedded_account):
    """The one that has locked the file could never let it go."""
    client, model, file = embedded_account
    in_function = threading.Event()
    outcome = []

    def make(tx):
        tx.create(model, id="a", balance=1)
        in_function.set()

    lock = sqlite3.connect(file, isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    thread = threading.Thread(target=lambda: outcome.append(client.transact(make, deadline_s=60)))
    thread.start()
    assert in_function.wait(60)
    lock.execute("COMMIT")
    thread.join(60)
    lock.close()
    assert outcome == [None] and found(client, model)["balance"] == 1


def test_an_interrupt_during_the_commit_says_what_became_of_it(embedded_account, interruptible):
    client, model, file = embedded_account
    in_function = threading.Event()
    lock = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    lock.execute("BEGIN IMMEDIATE")

    def make(tx):
        tx.create(model, id="a", balance=1)
        in_function.set()

    def interrupt():
        in_function.wait()
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        lock.execute("COMMIT")

    thread = threading.Thread(target=interrupt)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)  # the other thread runs when this one waits, and not before
    try:
        thread.start()
        with pytest.raises(KeyboardInterrupt) as caught:
            client.transact(make)
    finally:
        sys.setswitchinterval(interval)
    thread.join()
    lock.close()
    left = oscommit.abandoned(caught.value)
    assert (left.verdict, left.ticket, left.error) == ("committed", None, None)
    assert found(client, model)["balance"] == 1


def test_a_close_ends_what_is_under_way(embedded_account):
    client, model, file = embedded_account
    in_function = threading.Event()
    caught = []

    def make(tx):
        tx.create(model, id="a", balance=1)
        in_function.set()
        while True:  # until the close has begun
            try:
                client.transact(lambda tx: None)
            except ValueError:
                return

    def work():
        try:
            client.transact(make)
        except BaseException as error:
            caught.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    assert in_function.wait(60)
    client.close()
    assert not client.metrics()["guarded"]
    thread.join(60)
    (error,) = caught
    assert isinstance(error, exceptions.CancelledError) and error.verdict == "not executed"
    with oscommit.Client.from_url(f"sqlite://{file}") as other:
        assert found(other, model) is None


def test_a_close_while_a_transaction_begins(embedded_account):
    """A collection of garbage runs Python in the middle of it."""
    _, _, file = embedded_account
    begins = threading.Event()

    def collect(phase, info):
        if threading.current_thread() is threading.main_thread():
            begins.set()
            time.sleep(0.01)

    def close(client):
        begins.wait()
        client.close()

    thresholds = gc.get_threshold()
    for number in range(1, 16):
        client = oscommit.Client.from_url(f"sqlite://{file}")
        begins.clear()
        thread = threading.Thread(target=close, args=(client,))
        thread.start()
        gc.callbacks.append(collect)
        try:
            gc.set_threshold(number)
            client._client.transact(0, Run(lambda tx: None), False, 3, 0, 0, False, False)
        except ValueError as error:
            assert "closed" in str(error)
        finally:
            gc.set_threshold(*thresholds)
            gc.callbacks.remove(collect)
        begins.set()
        thread.join()


def test_a_function_does_not_close_its_client(tables):
    with pytest.raises(RuntimeError, match="cannot close its client"):
        tables.transact(lambda tx: tables.close())
    assert not tables.closed


def test_a_transaction_without_an_answer_is_unknown(silent_client):
    model = account_model()
    with pytest.raises(oscommit.Unknown) as caught:
        silent_client.transact(lambda tx: tx.create(model, id="a", balance=1) and None, deadline_s=2)
    error = caught.value
    assert error.verdict == "unknown" and error.ticket.startswith("{") and "\n" not in error.ticket
    with pytest.raises(oscommit.Unknown) as again:
        silent_client.resolve(error.ticket, deadline_s=1)
    assert again.value.ticket == error.ticket
    with pytest.raises(ValueError, match=r"call resolve\(ticket\)"):
        error.resolve()


def test_a_ticket_tells_what_became_of_it(tables, account):
    with pytest.raises(oscommit.Unknown, match="ticket"):
        tables.resolve("{}")
