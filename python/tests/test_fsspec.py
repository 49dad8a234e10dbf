# SPDX-License-Identifier: Apache-2.0
"""The file system: fsspec's own tests, and the modes that are guarded."""

import uuid

import fsspec
import oscommit
import pytest
from fsspec.implementations.local import LocalFileSystem
from fsspec.tests.abstract import (
    AbstractCopyTests,
    AbstractFixtures,
    AbstractGetTests,
    AbstractOpenTests,
    AbstractPipeTests,
    AbstractPutTests,
)
from oscommit import exceptions
from oscommit.fsspec import OscommitFileSystem, OscommitS3FileSystem


@pytest.fixture(scope="module")
def embedded_fs(tmp_path_factory):
    root = tmp_path_factory.mktemp("fsspec")
    with oscommit.Store.from_url(f"file://{root}", mkdir=True, release="always") as store:
        yield OscommitFileSystem(store, skip_instance_cache=True)


class Fixtures(AbstractFixtures):
    @pytest.fixture
    def fs(self, embedded_fs):
        return embedded_fs

    @pytest.fixture
    def fs_path(self):
        return uuid.uuid4().hex

    @pytest.fixture
    def fs_sanitize_path(self):
        return lambda path: path

    @pytest.fixture
    def local_fs(self):
        return LocalFileSystem(auto_mkdir=True)

    @pytest.fixture
    def supports_empty_directories(self):
        return False


class TestCopy(AbstractCopyTests, Fixtures):
    pass


class TestGet(AbstractGetTests, Fixtures):
    pass


class TestPut(AbstractPutTests, Fixtures):
    pass


class TestOpen(AbstractOpenTests, Fixtures):
    pass


class TestPipe(AbstractPipeTests, Fixtures):
    pass


@pytest.fixture
def fs(place):
    with place.open(release="always") as store:
        yield OscommitFileSystem(store, skip_instance_cache=True)


def test_exclusive_creation_is_decided_at_the_close(fs):
    first, second = fs.open("k", "xb"), fs.open("k", "xb")
    first.write(b"first")
    second.write(b"second")
    first.close()
    with pytest.raises(FileExistsError):
        second.close()
    assert fs.cat("k") == b"first"
    with pytest.raises(FileExistsError):
        fs.open("k", "xb")
    with pytest.raises(FileExistsError):
        fs.pipe_file("k", b"third", mode="create")
    fs.pipe_file("k", b"fourth")
    assert fs.cat("k") == b"fourth"


def test_appending_is_guarded(fs):
    with fs.open("log", "ab") as file:
        file.write(b"one ")
    with fs.open("log", "ab") as file:
        file.write(b"two ")
    late = fs.open("log", "ab")
    late.write(b"late")
    fs.pipe_file("log", b"other")
    with pytest.raises(exceptions.PreconditionError):
        late.close()
    assert fs.cat("log") == b"other"


def test_a_block_that_raises_writes_nothing(fs):
    fs.pipe_file("k", b"old")
    with pytest.raises(ZeroDivisionError), fs.transaction:
        with fs.open("k", "wb") as file:
            file.write(b"new")
        raise ZeroDivisionError
    assert fs.cat("k") == b"old"
    with fs.transaction, fs.open("k", "wb") as file:
        file.write(b"new")
    assert fs.cat("k") == b"new"


def test_a_large_file_is_read_in_blocks(fs):
    data = bytes(range(256)) * 40_000
    with fs.open("large", "wb", block_size=1 << 20) as file:
        for start in range(0, len(data), 700_000):
            file.write(data[start : start + 700_000])
    with fs.open("large", "rb", block_size=1 << 20) as file:
        file.seek(5_000_000)
        assert file.read(1000) == data[5_000_000:5_001_000]
        fs.pipe_file("large", b"other" * 2_000_000)
        with pytest.raises(exceptions.PreconditionError):
            file.seek(9_000_000)
            file.read(1000)
    assert fs.cat_file("large", start=-10) == (b"other" * 2)
    assert fs.cat_file("large", start=5, end=-9_999_990) == b"other"
    assert fs.cat_file("large", start=7, end=7) == b""


def test_folders_are_what_something_is_in(fs):
    fs.pipe({"a/b/c": b"1", "a/d": b"2"})
    assert fs.isdir("a") and fs.isfile("a/d") and not fs.exists("nothing")
    assert fs.ls("a", detail=False) == ["a/b", "a/d"]
    assert fs.find("a") == ["a/b/c", "a/d"]
    assert fs.info("a/d")["e_tag"] and fs.modified("a/d").year >= 2026
    fs.mv("a/d", "e")
    assert fs.ls("", detail=False) == ["a", "e"]
    fs.rm("a", recursive=True)
    assert not fs.exists("a")
    with pytest.raises(FileNotFoundError):
        fs.ls("a")


def test_by_url(minio, tmp_path):
    options = {name: value for name, value in minio.options.items()}
    bucket, _, prefix = minio.url[len("s3://") :].partition("/")
    url = f"oscommit+s3://{bucket}/{prefix}/k"
    with fsspec.open(url, "xb", **options) as file:
        file.write(b"1")
    fs, path = fsspec.url_to_fs(url, **options)
    assert isinstance(fs, OscommitS3FileSystem)
    assert path == f"{prefix}/k" and fs.cat(path) == b"1" and fs.unstrip_protocol(path) == url
    embedded = f"file://{tmp_path}/root"
    with fsspec.open("oscommit://a/k", "wb", store=embedded, mkdir=True) as file:
        file.write(b"2")
    assert fsspec.filesystem("oscommit", store=embedded).cat("a/k") == b"2"
    with pytest.raises(ValueError, match="OSCOMMIT_STORE"):
        OscommitFileSystem(skip_instance_cache=True)
