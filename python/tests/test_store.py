# SPDX-License-Identifier: Apache-2.0
"""The calls of a store, each in both forms, on both kinds of store."""

import asyncio
import datetime
import io
import pathlib
import pickle

import oscommit
import pytest
from oscommit import exceptions


class Waiting:
    """The methods as they are: they block."""

    def __init__(self, store):
        self._store = store

    def __getattr__(self, name):
        method = getattr(self._store, name)

        async def call(*arguments, **options):
            return method(*arguments, **options)

        return call


class Asynchronous:
    """Their twins."""

    def __init__(self, store):
        self._store = store

    def __getattr__(self, name):
        return getattr(self._store, name + "_async")


@pytest.fixture(params=[Waiting, Asynchronous])
def both(request, store):
    return request.param(store)


async def test_create_is_made_once(both):
    made = await both.put("a/b", b"one", mode="create", attributes={"Content-Type": "text/plain", "who": "me"})
    assert made["e_tag"] == made.e_tag and made.request == "PutObject"
    with pytest.raises(exceptions.AlreadyExistsError) as caught:
        await both.put("a/b", b"two", mode="create")
    assert isinstance(caught.value, FileExistsError)
    assert caught.value.verdict == "conflict" and caught.value.result.found_e_tag == made.e_tag
    result = await both.get("a/b")
    assert result.bytes() == b"one"
    assert result.meta["e_tag"] == made.e_tag
    assert result.attributes.get("Content-Type") in ("text/plain", None)  # an embedded store keeps none


async def test_replace_only_what_was_read(both):
    first = await both.put("pointer", b"1", mode="create")
    second = await both.put("pointer", b"2", mode={"e_tag": first["e_tag"]})
    await both.put("pointer", b"3", mode=second)
    for stale in (first, second):
        with pytest.raises(exceptions.PreconditionError):
            await both.put("pointer", b"4", mode=stale)
    with pytest.raises(exceptions.PreconditionError):
        await both.put("nowhere", b"4", mode=second)
    assert (await both.get("pointer")).bytes() == b"3"


async def test_overwrite_and_delete(both):
    await both.put("k", b"1")
    written = await both.put("k", b"2", mode="overwrite")
    assert written.e_tag == (await both.head("k"))["e_tag"]
    with pytest.raises(exceptions.PreconditionError):
        await both.delete("k", if_match='"00000000000000000000000000000000"')
    gone = await both.delete("k", if_match=written.e_tag)
    assert gone.request == "DeleteObject"
    with pytest.raises(FileNotFoundError):
        await both.head("k")
    assert await both.delete("k") is None
    await both.put("x/1", b"")
    await both.put("x/2", b"")
    await both.delete(["x/1", "x/2", "x/3"])
    with pytest.raises(exceptions.NotFoundError):
        await both.get("x/1")


async def test_copy_and_rename(both):
    source = await both.put("source", b"bytes", mode="create")
    await both.copy("source", "copy")
    with pytest.raises(exceptions.AlreadyExistsError):
        await both.copy("source", "copy")
    copied = await both.copy("source", "copy", if_match=source.e_tag)
    await both.put("copy", b"other", mode=copied)
    await both.copy("source", "copy", overwrite=True)
    await both.copy("source", "third", overwrite=True)
    assert (await both.get("copy")).bytes() == b"bytes"
    with pytest.raises(exceptions.SourceError):
        await both.copy("nowhere", "fourth")
    with pytest.raises(exceptions.AlreadyExistsError):
        await both.rename("source", "copy")
    renamed = await both.rename("source", "renamed")
    assert renamed.warning is None
    with pytest.raises(FileNotFoundError):
        await both.head("source")
    await both.rename("renamed", "copy", overwrite=True)
    with pytest.raises(FileNotFoundError):
        await both.head("renamed")


async def test_update_counts_each_change_once(both):
    def increment(data):
        return b"%d" % (int(data or 0) + 1)

    for _ in range(3):
        await both.update("counter", increment)
    assert (await both.get("counter")).bytes() == b"3"
    same = await both.update("counter", lambda data: data)
    assert same.unchanged


async def test_what_the_function_of_an_update_raises_comes_back(both):
    class Mine(Exception):
        pass

    def fail(data):
        raise Mine("no")

    with pytest.raises(Mine):
        await both.update("never", fail)
    for wrong in (None, "text", 5):
        with pytest.raises(TypeError):
            await both.update("never", lambda data: wrong)  # noqa: B023
    with pytest.raises(FileNotFoundError):
        await both.head("never")


async def test_ranges(both):
    data = bytes(range(256)) * 40
    await both.put("data", data, mode="create")
    assert await both.get_range("data", start=5, length=10) == data[5:15]
    assert await both.get_range("data", start=10000, end=20000) == data[10000:]
    assert await both.get_ranges("data", starts=[0, 100], ends=[3, 105]) == [data[:3], data[100:105]]
    assert await both.get_ranges("data", starts=[0, 100], lengths=[3, 5]) == [data[:3], data[100:105]]
    for options, wanted in (
        ({"range": (7, 20)}, data[7:20]),
        ({"range": {"offset": 10000}}, data[10000:]),
        ({"range": {"suffix": 9}}, data[-9:]),
        ({"range": {"suffix": 1 << 20}}, data),
        ({"head": True}, b""),
    ):
        result = await both.get("data", options=options)
        assert result.bytes() == wanted and result.range[1] - result.range[0] == len(wanted)
    assert b"".join((await both.get("data")).stream(1000)) == data
    for start, end in ((-1, 5), (5, 5), (6, 5)):
        with pytest.raises(ValueError):
            await both.get_range("data", start=start, end=end)


@pytest.mark.parametrize("kind", [Waiting, Asynchronous])
async def test_more_at_once_than_may_be_in_flight(embedded, kind):
    with embedded.open(max_in_flight=64) as store:
        both = kind(store)
        for number in range(0, 150, 10):
            await both.put(f"{number}", b"0123456789")
        await both.delete([str(number) for number in range(150)])
        assert store.list().collect() == []
        await both.put("k", b"0123456789")
        assert await both.get_ranges("k", starts=[1] * 150, lengths=[2] * 150) == [b"12"] * 150
        for paths in (["k", "", "k2"], ["k"] * 100 + [""]):
            with pytest.raises(exceptions.InvalidPathError):
                await both.delete(paths)
        with pytest.raises(FileNotFoundError):
            await both.get_ranges("k", starts=[1] * 150, lengths=[2] * 150)


async def test_get_on_conditions(both):
    e_tag = (await both.put("k", b"1", mode="create")).e_tag
    assert (await both.get("k", options={"if_match": e_tag})).bytes() == b"1"
    assert (await both.get("k", options={"if_match": "*"})).bytes() == b"1"
    with pytest.raises(exceptions.PreconditionError):
        await both.get("k", options={"if_match": '"other"'})
    with pytest.raises(exceptions.NotModifiedError):
        await both.get("k", options={"if_none_match": e_tag})
    assert (await both.get("k", options={"if_none_match": '"other"'})).bytes() == b"1"


async def test_lists(both, store):
    names = [f"list/{number:03}" for number in range(25)] + ["list/sub/1", "other"]
    for name in names:
        await both.put(name, b"12")
    pages = list(store.list("list/", chunk_size=10))
    assert [len(page) for page in pages] == [10, 10, 6]
    assert [meta["path"] for page in pages for meta in page] == names[:-1]
    seen = [page async for page in store.list("list/", chunk_size=13)]
    assert [meta["path"] for page in seen for meta in page] == names[:-1]
    assert [meta["path"] for meta in store.list("list/", offset="list/020").collect()] == names[21:26]
    assert len(await store.list().collect_async()) == len(names)
    assert list(store.list("nothing/")) == []
    found = await both.list_with_delimiter("list")
    assert found["common_prefixes"] == ["list/sub/"] and len(found["objects"]) == 25
    age = datetime.datetime.now(datetime.timezone.utc) - found["objects"][0]["last_modified"]
    assert abs(age) < datetime.timedelta(minutes=10) and found["objects"][0]["size"] == 2


@pytest.mark.parametrize("size", [0, 1, 3_000_000, 9_000_000])
async def test_bodies_of_every_kind(both, tmp_path, size):
    data = bytes(range(251)) * (size // 251) + b"x" * (size % 251)
    path = tmp_path / "body"
    path.write_bytes(data)
    pieces = [data[start : start + 700_000] for start in range(0, size, 700_000)]
    bodies = {
        "bytes": data,
        "bytearray": bytearray(data),
        "memoryview": memoryview(data),
        "path": path,
        "file": io.BytesIO(data),
        "generator": (piece for piece in pieces),
        "list": [b"", *pieces],
    }
    for name, body in bodies.items():
        await both.put(name, body, mode="create")
        assert (await both.get(name)).bytes() == data, name
    meta = await both.download("file", tmp_path / "copy")
    assert meta["size"] == size and (tmp_path / "copy").read_bytes() == data


async def test_an_asynchronous_body(store):
    async def pieces():
        for piece in (b"a" * 10, b"", b"b" * 10):
            await asyncio.sleep(0)
            yield piece

    await store.put_async("k", pieces(), mode="create")
    assert (await store.get_async("k")).bytes() == b"a" * 10 + b"b" * 10
    with pytest.raises(TypeError, match="_async"):
        store.put("k", pieces())


async def test_a_body_that_raises_is_not_written(both):
    def pieces():
        yield b"some"
        raise ZeroDivisionError("in the middle")

    for mode in ("create", "overwrite"):
        with pytest.raises(ZeroDivisionError):
            await both.put("k", pieces(), mode=mode)
    with pytest.raises(TypeError, match="binary"):
        await both.put("k", io.StringIO("text"), mode="create")
    with pytest.raises(TypeError, match="encode"):
        await both.put("k", "text")
    with pytest.raises(FileNotFoundError):
        await both.head("k")


async def test_an_update_by_a_coroutine(store):
    async def increment(data):
        await asyncio.sleep(0)
        return b"%d" % (int(data or 0) + 1)

    await asyncio.gather(*(store.update_async("counter", increment) for _ in range(20)))
    assert store.get("counter").bytes() == b"20"
    with pytest.raises(TypeError, match="update_async"):
        store.update("counter", increment)


def test_a_store_is_pickled(store):
    store.put("k", b"1")
    with pickle.loads(pickle.dumps(store)) as other:
        assert other.get("k").bytes() == b"1"


def test_a_path_is_the_root_of_a_store_of_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with oscommit.Store.from_url(pathlib.Path("1 of%20ä"), mkdir=True) as store:
        store.put("k", b"1")
    assert (tmp_path / "1 of%20ä" / "k").read_bytes() == b"1"
    with oscommit.Store.from_url(f"file://{tmp_path}/2%20of%2520%C3%A4", mkdir=True) as store:
        store.put("k", b"2")
    assert (tmp_path / "2 of%20ä" / "k").read_bytes() == b"2"
    with oscommit.Client.from_url(store=tmp_path / "1 of%20ä") as client:
        client.table(oscommit.Intents("Intents"), create=True)
    with pytest.raises(exceptions.ConfigurationError, match=f"no embedded store at {tmp_path}/none"):
        oscommit.Store.from_url(tmp_path / "none")
    with pytest.raises(ValueError, match='"file://none" is none'):
        oscommit.Store.from_url("file://none", mkdir=True)
    assert not (tmp_path / "none").exists()


def test_a_closed_store_says_so(place):
    store = place.open()
    assert not store.closed
    store.close()
    store.close()
    assert store.closed and "closed" in repr(store)
    for call in (lambda: store.head("k"), lambda: store.put("k", b"", mode="create"), lambda: store.warm()):
        with pytest.raises(ValueError, match="closed"):
            call()


def test_warm(store):
    store.warm(2)
    asyncio.run(store.warm_async(2))


def test_the_version_is_the_librarys():
    assert oscommit.__version__.count(".") == 2
