# SPDX-License-Identifier: Apache-2.0
"""What the library asks of Python, and tells it: credentials, the log, and what it has counted."""

import asyncio
import datetime
import gc
import logging
import pickle
import threading

import oscommit
import pytest
from oscommit import _helpers, exceptions

SOON, LATER = datetime.timedelta(seconds=200), datetime.timedelta(hours=1)


def in_the_future(delta):
    return datetime.datetime.now(datetime.timezone.utc) + delta


def our_threads():
    return sorted(thread.name for thread in threading.enumerate() if thread.name.startswith("oscommit-"))


class Vault:
    """Gives the keys of MinIO, and others in their place while it is told to."""

    def __init__(self, options):
        self.good = {
            "access_key_id": options.pop("access_key_id"),
            "secret_access_key": options.pop("secret_access_key"),
        }
        self.answers = []
        self.count = 0
        self.asked = threading.Condition()

    def __call__(self):
        with self.asked:
            self.count += 1
            self.asked.notify_all()
            answer = self.answers.pop(0) if self.answers else {}
        if isinstance(answer, BaseException):
            raise answer
        return {**self.good, **answer}

    def wait_for(self, count):
        with self.asked:
            assert self.asked.wait_for(lambda: self.count >= count, 60)


@pytest.fixture
def vault(minio):
    return Vault(minio.options)


def test_keys_of_a_function(minio, vault):
    with minio.open(credential_provider=vault) as store:
        assert vault.count == 0, "they are asked for when they are needed"
        store.put("k", b"1", mode="create")
        for number in range(20):
            store.put(f"{number}", b"1", mode="create")
        assert vault.count == 1, "for store and ledger, once"
        assert "oscommit-credentials" in our_threads()
    assert our_threads() == []


def test_refused_keys_are_asked_for_again(proxy):
    """The store says that they have expired, before their time: the same write goes on with new ones."""
    harmful, place = proxy
    vault = Vault(place.options)
    with place.open(credential_provider=vault) as store:
        store.put("k", b"1", mode="create")
        for count, call in ((2, lambda: store.put("k2", b"1", mode="create")), (3, lambda: store.get("k"))):
            harmful.expire()
            call()
            assert not harmful.expires and vault.count == count
        vault.answers = [RuntimeError("the vault is sealed")]
        harmful.expire()
        with pytest.raises(exceptions.UnauthenticatedError):
            store.get("k")
        assert store.get("k2").bytes() == b"1"


def test_keys_that_expire_are_renewed_ahead(minio, vault):
    """Half of their time before the end, as that is short; no call waits for it."""
    vault.answers = [{"expires_at": in_the_future(datetime.timedelta(seconds=4)), "token": None}]
    with minio.open(credential_provider=vault) as store:
        store.put("k", b"1", mode="create")
        vault.wait_for(2)
        store.put("k2", b"1", mode="create")


def test_keys_that_end_soon_are_used_meanwhile(minio, vault):
    """The library asks when they end within five minutes, and is given the same while the function is at work."""
    goes_on = threading.Event()

    def slow():
        if vault.count == 1:
            goes_on.wait(60)
        return vault()

    vault.answers = [{"expires_at": in_the_future(SOON)}]
    with minio.open(credential_provider=slow) as store:
        store.put("k", b"1", mode="create")
        store.put("k2", b"1", mode="create")
        assert vault.count == 1
        goes_on.set()
        vault.wait_for(2)


@pytest.mark.parametrize(
    "answer",
    [
        RuntimeError("the vault is sealed"),
        {"access_key_id": ""},
        {"secret_access_key": 5},
        {"expires_at": datetime.datetime(2030, 1, 1)},
        {"expires_at": 5},
    ],
)
def test_a_function_that_gives_none(minio, vault, caplog, answer):
    vault.answers = [answer]
    with minio.open(credential_provider=vault) as store:
        with pytest.raises(exceptions.UnauthenticatedError):
            store.put("k", b"1", mode="create")
        assert "The credential provider gave no credentials." in caplog.text
        assert vault.good["secret_access_key"] not in caplog.text
        store.put("k", b"1", mode="create")


def test_a_function_that_is_none():
    with pytest.raises(TypeError, match="function"):
        oscommit.Store.from_url("s3://bucket", credential_provider={"access_key_id": "a"})
    assert our_threads() == []


def test_closing_does_not_wait_for_keys(minio, vault):
    """The function never returns; the store closes, and says what it can."""
    begun, never = threading.Event(), threading.Event()

    def provider():
        begun.set()
        never.wait(60)
        return vault()

    store = minio.open(credential_provider=provider)
    ends = []

    def put():
        try:
            store.put("k", b"1", mode="create")
        except exceptions.BaseError as error:
            ends.append(type(error).__name__)

    putting = threading.Thread(target=put)
    putting.start()
    assert begun.wait(60)
    closing = threading.Thread(target=store.close)
    closing.start()
    putting.join(20)
    assert ends and ends[0] in ("UnauthenticatedError", "CancelledError")
    closing.join(50)
    assert not closing.is_alive(), "the function has not returned"
    [helper] = [thread for thread in threading.enumerate() if thread.name == "oscommit-credentials"]
    never.set()
    helper.join(60)
    assert not helper.is_alive()


def test_leases_under_keys_of_a_function(servers):
    _, options = servers
    names = ("dynamodb_endpoint", "region", "access_key_id", "secret_access_key")
    options = {name: options[name] for name in names}
    vault = Vault(options)
    with oscommit.Leases.from_url(
        "dynamodb://leases-of-a-function", create=True, no_environment=True, credential_provider=vault, **options
    ) as leases:
        leases.acquire("nightly", wait=True).release()
    assert vault.count == 1


# ---------------------------------------------------------------------------------------------------------- logging


def test_the_log_goes_to_a_logger(place, caplog):
    caplog.set_level(logging.DEBUG, "tables")
    with place.open(logger=logging.getLogger("tables")) as store:
        store.put("k", b"1", mode="create")
        assert "oscommit-log" in our_threads()
    assert our_threads() == []
    records = [record for record in caplog.records if record.name == "tables"]
    assert records and {record.levelno for record in records} <= {10, 20, 30, 40}
    assert all(record.getMessage() for record in records)


def test_a_logger_gets_what_its_level_lets_through():
    logger = logging.getLogger("tables.levels")
    for level, most in ((logging.DEBUG, 4), (logging.INFO, 3), (25, 2), (logging.WARNING, 2), (logging.CRITICAL, 1)):
        logger.setLevel(level)
        assert _helpers.level_of(logger) == most


def test_a_store_that_nobody_closes_leaves_no_thread(embedded):
    store = embedded.open(logger=logging.getLogger("tables"))
    store.put("k", b"1", mode="create")
    threads = [thread for thread in threading.enumerate() if thread.name == "oscommit-log"]
    del store
    gc.collect()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()


def test_handlers_run_where_they_may_block(embedded):
    """One uses the store itself, and one fails: the log goes on."""
    done, seen = threading.Event(), []

    class Handler(logging.Handler):
        def emit(self, record):
            seen.append(record)
            if len(seen) == 1:
                raise ZeroDivisionError
            if len(seen) == 2:
                store.put("from the handler", b"1", mode="create")
                done.set()

    logger = logging.getLogger("tables.handler")
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    handler = Handler()
    logger.addHandler(handler)
    try:
        with embedded.open(logger=logger) as store:
            for number in range(10):
                store.put(f"{number}", b"1", mode="create")
            assert done.wait(60)
            assert store.get("from the handler").bytes() == b"1"
    finally:
        logger.removeHandler(handler)


def given():
    """A provider that can be pickled."""
    return {"access_key_id": "a", "secret_access_key": "b"}


def test_what_was_lent_is_pickled():
    with oscommit.Store.from_url(
        "s3://bucket", region="x", credential_provider=given, logger=logging.getLogger("tables")
    ) as store:
        copy = pickle.loads(pickle.dumps(store))
    with copy:
        assert copy._lent == (logging.getLogger("tables"), given)
    assert our_threads() == []


# ---------------------------------------------------------------------------------------------------------- metrics


def test_what_was_counted(store):
    assert store.metrics() == {"requests": {}, "guarded": {}}
    store.put("k", b"1", mode="create")
    for _ in range(2):
        with pytest.raises(exceptions.AlreadyExistsError):
            store.put("k", b"2", mode="create")
    metrics = store.metrics()
    puts = metrics["guarded"]["put_if_absent"]
    assert (puts["count"], puts["verdicts"]) == (3, {"committed": 1, "conflict": 2})
    assert puts["requests"] >= 3 and puts["guards"] == 3 and puts["duration_s"] > 0
    requests = metrics["requests"]
    assert sum(request["count"] for request in requests.values()) >= puts["requests"]
    for request in requests.values():
        assert request["count"] == sum(request["statuses"].values()) and request["duration_s"] >= 0


def test_statuses_are_counted(minio):
    with minio.open() as store:
        with pytest.raises(exceptions.NotFoundError):
            store.head("nothing")
        assert store.metrics()["requests"]["HEAD"]["statuses"] == {404: 1, 200: 1}  # the bucket is there
    assert store.metrics()["requests"]["HEAD"]["count"] == 2, "also after the close"


async def test_many_count_at_once(embedded):
    with embedded.open() as store:
        await asyncio.gather(*(store.put_async(f"{number}", b"", mode="create") for number in range(200)))
        assert store.metrics()["guarded"]["put_if_absent"]["verdicts"] == {"committed": 200}
