# SPDX-License-Identifier: Apache-2.0
"""The hook before the commit, and objects that become visible together with rows."""

import asyncio
import io
import uuid
from typing import Optional

import oscommit
import pytest
from accounts import QUICK
from oscommit import ContentionError, Intents, InvalidFieldError, exceptions
from oscommit.models import Model, field, key


def note_model():
    class Log(Model):
        id: str = key()
        text: str

        class Meta:
            table = f"logs-{uuid.uuid4().hex[:12]}"

    class Note(Model):
        id: str = key()
        text: str
        length: int = 0
        edits: int = field(default=0, maximum=3)
        author: Optional[str] = None

        class Meta:
            table = f"notes-{uuid.uuid4().hex[:12]}"

        def finalize(self, tx):
            self.length = len(self.text)
            self.edits += 1
            if self.author:
                tx.create(Log, id=f"{self.id}-{self.edits}", text=self.text)

    return Note, Log


@pytest.fixture
def note(tables):
    note, log = note_model()
    tables.table(note, create=True)
    tables.table(log, create=True)
    return note, log


def read(tables, model, id):
    return tables.transact(lambda tx: tx.get(model, id).as_dict())


def test_rows_that_are_written_are_finalized(tables, note):
    note, log = note
    tables.transact(lambda tx: tx.create(note, id="a", text="four", author="me").id)
    assert read(tables, note, "a") == {"id": "a", "text": "four", "length": 4, "edits": 1, "author": "me"}
    assert read(tables, log, "a-1") == {"id": "a-1", "text": "four"}

    def edit(tx):
        row, other = tx.get([note.key("a"), note.key("b")])
        assert other is None
        row.text = "seven77"
        row.author = None

    tables.transact(edit)
    assert read(tables, note, "a") == {"id": "a", "text": "seven77", "length": 7, "edits": 2}
    tables.transact(lambda tx: tx.update(note, {"id": "a", "text": "seven77"}, {"text": "blind"}))
    assert read(tables, note, "a")["edits"] == 2


def test_what_a_finalize_raises_ends_it(tables, note):
    note, _ = note
    tables.transact(lambda tx: tx.create(note, id="a", text="", edits=2).id)
    with pytest.raises(InvalidFieldError, match="maximum"):
        tables.transact(lambda tx: setattr(tx.get(note, "a"), "text", "new"))
    assert read(tables, note, "a")["text"] == ""
    runs = []

    class Odd(Exception):
        retryable = True

    class Impatient(note):
        class Meta:
            table = note.Meta.table
            title = note.__name__

        def finalize(self, tx):
            runs.append(self.text)
            if len(runs) < 3:
                raise Odd

    tables.transact(lambda tx: setattr(tx.get(Impatient, "a"), "text", "new"), **QUICK)
    assert runs == ["new"] * 3 and read(tables, note, "a")["text"] == "new"
    runs[:] = []
    with pytest.raises(ContentionError) as caught:
        tables.transact(lambda tx: setattr(tx.get(Impatient, "a"), "text", "newer"), retries=1, **QUICK)
    assert isinstance(caught.value.__cause__, Odd)

    class Late(note):
        class Meta:
            table = note.Meta.table
            title = note.__name__

        async def finalize(self, tx):
            self.text = await asyncio.sleep(0, "later")

    with pytest.raises(TypeError, match="coroutine"):
        tables.transact(lambda tx: setattr(tx.get(Late, "a"), "text", "newer"))

    async def change(tx):
        (await tx.get(Late, "a")).text = "newer"

    asyncio.run(tables.transact_async(change))
    assert read(tables, note, "a")["text"] == "later"


async def test_rows_of_coroutines_are_finalized(tables, note):
    note, log = note
    await tables.transact_async(lambda tx: tx.create(note, id="a", text="four", author="me") and None)
    assert read(tables, note, "a")["length"] == 4 and read(tables, log, "a-1")["text"] == "four"

    class Asking(note):
        class Meta:
            table = note.Meta.table
            title = note.__name__

        async def finalize(self, tx):
            self.text = (await tx.get(log, "a-1")).text

    async def change(tx):
        (await tx.get(Asking, "a")).text = "newer"

    await tables.transact_async(change)
    assert read(tables, note, "a")["text"] == "four"

    class Never(note):
        class Meta:
            table = note.Meta.table
            title = note.__name__

        async def finalize(self, tx):
            task.cancel()
            await asyncio.sleep(60)

    task = asyncio.ensure_future(tables.transact_async(lambda tx: tx.create(Never, id="c", text="") and None))
    with pytest.raises(asyncio.CancelledError):
        await task
    assert tables.transact(lambda tx: tx.get(note, "c")) is None


# ------------------------------------------------------------------------------------------------------------ staging


class Pointer(Model):
    name: str = key()
    object: str = "-"

    class Meta:
        table = "pointers"


@pytest.fixture(params=["embedded", "minio"])
def catalog(request):
    """(client, store, the model of pointers, intents)"""
    place = request.getfixturevalue(request.param)
    options = dict(place.options)
    url, ledger = place.url, options.pop("ledger", None)
    if options.pop("mkdir", False):
        oscommit.init(url[len("file://") :])
    unique = uuid.uuid4().hex[:12]
    model = type("Pointer", (Pointer,), {"Meta": type("Meta", (), {"table": f"pointers-{unique}"})})
    intents = Intents(f"intents-{unique}")
    with oscommit.Client.from_url(ledger, store=url, **options) as client, place.open() as store:
        client.table(model, create=True)
        client.table(intents, create=True)
        client.table(intents)
        yield client, store, model, intents


def paths(store):
    return [meta["path"] for page in store.list() for meta in page]


def test_an_object_and_its_row_are_there_together(catalog, tmp_path):
    client, store, model, intents = catalog
    path = tmp_path / "body"
    path.write_bytes(b"from a file")

    def publish(tx):
        first = tx.stage(intents, b"in memory", prefix="a/", suffix=".txt", attributes={"Content-Type": "text/plain"})
        second = tx.stage(intents, path)
        tx.create(model, name="first", object=first)
        tx.create(model, name="second", object=second)
        return first, second

    first, second = client.transact(publish)
    assert first.startswith("a/") and first.endswith(".txt") and len(first) == 38 and len(second) == 32
    assert store.get(first).bytes() == b"in memory" and store.get(second).bytes() == b"from a file"
    assert store.head(first)["content_type"] == "text/plain"
    assert client.gc_staged(intents, of_any_age=True, remove=True).seen == 0
    assert sorted(paths(store)) == sorted([first, second])


def test_a_stream_is_staged(catalog, tmp_path):
    """Also one of more than a part; a run that follows opens it anew."""
    client, store, model, intents = catalog
    path = tmp_path / "body"
    large = bytes(range(256)) * 4096 * 9
    path.write_bytes(large)
    runs = []

    def publish(tx):
        with path.open("rb") as file:
            first = tx.stage(intents, file)
        second = tx.stage(intents, (piece for piece in [b"one ", bytearray(b""), memoryview(b"two")]))
        tx.create(model, name="first", object=first)
        tx.create(model, name="second", object=second)
        runs.append((first, second))
        if len(runs) == 1:
            assert client.gc_staged(intents, of_any_age=True, remove=True).removed == 2
        return first, second

    first, second = client.transact(publish, **QUICK)
    assert len(runs) == 2 and runs[1] == (first, second)
    assert store.get(first).bytes() == large and store.get(second).bytes() == b"one two"
    assert sorted(paths(store)) == sorted([first, second])


async def pieces_async():
    yield b"x"


def test_a_stream_that_fails_is_not_staged(catalog):
    client, store, model, intents = catalog

    class Broken(Exception):
        pass

    def pieces():
        yield b"x"
        raise Broken

    with pytest.raises(Broken):
        client.transact(lambda tx: tx.stage(intents, pieces()))

    def go_on(tx):
        with pytest.raises(Broken):
            tx.stage(intents, pieces())
        tx.create(model, name="a")

    with pytest.raises(exceptions.BaseError, match="stream"):
        client.transact(go_on)

    class Excess:
        def read(self, size):
            return b"x" * (size + 1)

    with pytest.raises(ValueError, match="more bytes"):
        client.transact(lambda tx: tx.stage(intents, Excess()))
    with pytest.raises(TypeError, match="binary"):
        client.transact(lambda tx: tx.stage(intents, io.StringIO("text")))
    assert paths(store) == [] and client.gc_staged(intents, of_any_age=True).seen == 0
    assert client.transact(lambda tx: tx.get(model, "a")) is None


def test_a_stream_does_not_use_its_transaction(catalog):
    client, store, model, intents = catalog

    def publish(tx):
        def pieces():
            yield b"x"
            tx.get(model, "a")

        tx.stage(intents, pieces())

    with pytest.raises(RuntimeError, match="one step after the other"):
        client.transact(publish)


def test_what_is_not_committed_is_removed(catalog):
    client, store, model, intents = catalog

    def fail(tx):
        key = tx.stage(intents, bytearray(b"x"))
        assert store.head(key)["size"] == 1
        raise ValueError(key)

    with pytest.raises(ValueError):
        client.transact(fail)
    assert paths(store) == [] and client.gc_staged(intents, of_any_age=True).seen == 0
    with pytest.raises(TypeError, match="asynchronous"):
        client.transact(lambda tx: tx.stage(intents, pieces_async()))
    with pytest.raises(TypeError, match="encode"):
        client.transact(lambda tx: tx.stage(intents, "text"))
    assert paths(store) == [] and client.gc_staged(intents, of_any_age=True).seen == 0
    with pytest.raises(TypeError, match="Intents"):
        client.transact(lambda tx: tx.stage(model, b"x"))


def test_a_gc_of_what_is_under_way(catalog):
    """It is faster: the transaction begins anew with another object."""
    client, store, model, intents = catalog
    keys = []

    def publish(tx):
        keys.append(tx.stage(intents, b"x", prefix="p/"))
        if len(keys) == 1:
            assert client.gc_staged(intents, of_any_age=True, prefix="q/").found == 0
            assert client.gc_staged(intents, older_than_s=3600).objects == []
            dry = client.gc_staged(intents, of_any_age=True)
            assert [(one.key, one.fate) for one in dry.objects] == [(keys[0], "found")] and dry.found == dry.seen == 1
            done = client.gc_staged(intents, of_any_age=True, remove=True)
            assert [(one.key, one.fate) for one in done.objects] == [(keys[0], "removed")] and done.removed == 1
        tx.create(model, name="a", object=keys[-1])

    client.transact(publish, **QUICK)
    assert len(keys) == 2 and paths(store) == [keys[1]]


async def test_staging_without_blocking(catalog):
    client, store, model, intents = catalog

    async def publish(tx):
        pointer = await tx.get_or_create(model.key("a"))
        pointer.object = await tx.stage(intents, b"async", prefix="p/")
        return pointer.object, await tx.stage(intents, io.BytesIO(b"of a file"))

    key, streamed = await client.transact_async(publish)
    assert (await store.get_async(key)).bytes() == b"async"
    assert (await store.get_async(streamed)).bytes() == b"of a file"
    assert (await client.gc_staged_async(intents, of_any_age=True, remove=True)).seen == 0


def test_a_client_without_a_store_stages_nothing(tmp_path):
    with oscommit.Client.from_url(f"sqlite://{tmp_path}/tables.db") as client:
        intents = Intents("intents")
        client.table(intents, create=True)
        with pytest.raises(exceptions.ConfigurationError, match="store_url"):
            client.transact(lambda tx: tx.stage(intents, b"x"))
