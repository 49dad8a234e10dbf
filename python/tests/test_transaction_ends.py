# SPDX-License-Identifier: Apache-2.0
"""What is called when a transaction is over."""

import asyncio
import threading

import oscommit
import pytest
from accounts import QUICK, add, found
from oscommit import ContentionError
from oscommit.transactions import Run


def test_who_asked_for_it_is_told_once_when_the_verdict_stands(tables, account):
    told, runs = [], []

    def deposit(tx):
        runs.append(tx)
        tx.on_end(lambda verdict: told.append((len(runs), verdict, found(tables, account)["balance"])))
        tx.get(account, "a").balance += 1
        if len(runs) == 1:
            add(tables, account, 3)

    tables.transact(deposit, **QUICK)
    assert told == [(2, "committed", 9)]
    for tx in runs:
        with pytest.raises(RuntimeError, match="has ended"):
            tx.on_end(told.append)


def test_it_is_told_that_nothing_was_applied(tables, account):
    told = []

    def lose(tx):
        tx.on_end(told.append)
        tx.get(account, "a").balance += 1
        add(tables, account, 3)

    with pytest.raises(ContentionError):
        tables.transact(lose, retries=0)
    assert told == ["conflict"]

    def fail(tx):
        tx.on_end(told.append)
        raise KeyError("a")

    with pytest.raises(KeyError):
        tables.transact(fail)
    assert told == ["conflict", "not executed"]
    assert found(tables, account)["balance"] == 8


def test_what_it_raises_changes_no_verdict(tables, account, caplog):
    told = []

    def deposit(tx):
        tx.on_end(lambda verdict: told.append(verdict / 2))
        tx.on_end(told.append)
        tx.get(account, "a").balance += 1

    tables.transact(deposit)
    assert told == ["committed"] and found(tables, account)["balance"] == 6
    assert "was to be called at the end of a transaction, has failed" in caplog.text

    async def wait(verdict):
        pass

    for wrong in (None, wait):
        with pytest.raises(TypeError, match="a function of its verdict"):
            tables.transact(lambda tx, wrong=wrong: tx.on_end(wrong))


def test_an_interrupt_among_them_says_what_was_committed(tables, account):
    told = []

    def deposit(tx):
        tx.on_end(lambda verdict: exec("raise KeyboardInterrupt"))
        tx.on_end(told.append)
        tx.get(account, "a").balance += 1

    with pytest.raises(KeyboardInterrupt) as caught:
        tables.transact(deposit)
    assert told == ["committed"] and oscommit.abandoned(caught.value).verdict == "committed"
    assert found(tables, account)["balance"] == 6


def test_an_interrupt_before_another_run_is_told_as_nothing(tables, account, monkeypatch):
    told, calls, call = [], [], Run.__call__

    class Again(Exception):
        retryable = True

    def interrupt(run, native):
        calls.append(run)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return call(run, native)

    def deposit(tx):
        tx.on_end(told.append)
        raise Again

    monkeypatch.setattr(Run, "__call__", interrupt)
    with pytest.raises(KeyboardInterrupt):
        tables.transact(deposit, **QUICK)
    assert len(calls) == 2 and told == ["not executed"]


@pytest.mark.parametrize("where", ["finish", "_verdict"])
def test_an_interrupt_behind_the_commit_says_what_was_committed(tables, account, monkeypatch, where):
    """A signal is handled between any two steps of Python."""
    told, reported, behind = [], [], getattr(Run, where)
    tables.on_abandoned = reported.append

    def interrupt(run):
        monkeypatch.setattr(Run, where, behind)
        raise KeyboardInterrupt

    def deposit(tx):
        tx.on_end(told.append)
        tx.on_end(told.append)
        tx.get(account, "a").balance += 1

    monkeypatch.setattr(Run, where, interrupt)
    with pytest.raises(KeyboardInterrupt) as caught:
        tables.transact(deposit)
    left = oscommit.abandoned(caught.value)
    assert left.verdict == "committed" and reported == [left]
    assert told == ["committed"] * 2 and found(tables, account)["balance"] == 6


async def test_one_that_says_it_is_cancelled_cancels_nobody(tables, account):
    async def deposit(tx):
        tx.on_end(lambda verdict: exec("raise asyncio.CancelledError", {"asyncio": asyncio}))
        (await tx.get(account, "a")).balance += 1

    await tables.transact_async(deposit)
    assert found(tables, account)["balance"] == 6


async def test_a_coroutine_is_told_in_its_loop(tables, account):
    told = []

    def note(verdict):
        told.append((verdict, threading.current_thread(), asyncio.current_task()))

    async def deposit(tx):
        tx.on_end(note)
        (await tx.get(account, "a")).balance += 1

    await tables.transact_async(deposit)
    assert told == [("committed", threading.current_thread(), asyncio.current_task())]
    assert found(tables, account)["balance"] == 6


async def test_one_that_is_cancelled_is_told_what_became_of_it(tables, account):
    told, under_way = [], asyncio.Event()

    async def wait(tx):
        tx.on_end(told.append)
        (await tx.get(account, "a")).balance += 1
        under_way.set()
        await asyncio.sleep(3600)

    task = asyncio.ensure_future(tables.transact_async(wait))
    await under_way.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert told == ["not executed"]
    assert found(tables, account)["balance"] == 5
