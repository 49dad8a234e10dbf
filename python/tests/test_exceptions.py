# SPDX-License-Identifier: Apache-2.0
"""Each exception, from a store that gives a reason for it; what cannot be caused here, from the code alone."""

import asyncio
import http.server
import pickle
import socket
import threading

import oscommit
import pytest
from oscommit import _oscommit, exceptions


def test_arguments_are_refused_before_anything_is_sent(embedded):
    with embedded.open() as store:
        for key in ("", "/x", "a/../b", "x" * 1025):
            with pytest.raises(exceptions.InvalidPathError):
                store.put(key, b"", mode="create")
        for mode in ("other", {}, {"e_tag": None}, 5):
            with pytest.raises(ValueError):
                store.put("k", b"", mode=mode)
        for deadline_s in (0, -1, float("nan"), 1e12):
            with pytest.raises(ValueError):
                store.put("k", b"", deadline_s=deadline_s)
        for call in (
            lambda: store.put("k", b"", attributes={"oscommit-nonce": "1"}, mode="create"),
            lambda: store.put("k", b"", fencing=-1),
            lambda: store.put("a\0b", b""),
            lambda: store.list(chunk_size=0),
            lambda: store.delete(["a", "b"], if_match='"1"'),
            lambda: store.get_ranges("k", starts=[1, 2], ends=[3]),
        ):
            with pytest.raises((ValueError, OverflowError)):
                call()
        with pytest.raises(exceptions.NotSupportedError):
            store.put("k", b"", storage_class="STANDARD_IA", mode="create")
        with pytest.raises(exceptions.NotSupportedError):
            store.list_versions()
        with pytest.raises(exceptions.TooLargeError):
            store.update("k", lambda data: b"12345", max_length=4)
        assert store.list().collect() == []


def test_settings_are_refused(tmp_path):
    for options, kind, why in (
        ({"nonsense": 1}, exceptions.UnknownConfigurationKeyError, "nonsense"),
        ({"guard": "some"}, ValueError, "guard"),
        ({"guard": 1}, TypeError, "guard is a text, and not of <class 'int'>"),
        ({"max_connections": 1 << 40}, ValueError, "max_connections"),
        ({"timeout_ms": -5}, OverflowError, "timeout_ms cannot be -5"),
        ({"timeout_ms": 0.5}, TypeError, "timeout_ms is a whole number, and not of <class 'float'>"),
        ({"ledger": tmp_path}, TypeError, "ledger_url is a text, and not of .*Path"),
        ({"secret_access_key": b"secret"}, TypeError, "^secret_access_key is a text, and not of <class 'bytes'>.$"),
        ({"max_clock_skew_rate": 1}, exceptions.ConfigurationError, "max_clock_skew_rate"),
        ({"s3_endpoint": "nonsense"}, exceptions.ConfigurationError, "nonsense"),
    ):
        with pytest.raises(kind, match=why):
            oscommit.Store.from_url("s3://bucket", **options)
    with pytest.raises(exceptions.ConfigurationError):
        oscommit.Store.from_url("ftp://bucket")
    with pytest.raises(ValueError, match='mkdir.*"s3://bucket" is none'):
        oscommit.Store.from_url("s3://bucket", mkdir=True)
    with pytest.raises(exceptions.BaseError):
        oscommit.Store.from_url(f"file://{tmp_path}/nothing")


def test_credentials(minio):
    secret = "a-secret-that-is-nobodys"
    with minio.open(secret_access_key=secret) as store, pytest.raises(exceptions.PermissionDeniedError) as caught:
        store.head("k")
    assert isinstance(caught.value, PermissionError) and caught.value.http_status == 403
    assert secret not in str(caught.value)
    with minio.open(access_key_id=None, secret_access_key=None) as store:
        with pytest.raises(exceptions.UnauthenticatedError):
            store.put("k", b"", mode="create")


def test_what_is_not_there(minio):
    bucket = {"url": "s3://no-such-bucket-of-the-tests"}
    with minio.open(**bucket) as store, pytest.raises(exceptions.NotFoundError) as caught:
        store.put("k", b"", mode="create")
    assert caught.value.code == "OS_ERR_NO_BUCKET" and caught.value.verdict == "not executed"
    with minio.open(ledger="dynamodb://no-such-table") as store, pytest.raises(exceptions.NotFoundError) as caught:
        store.put("k", b"", mode="create")
    assert caught.value.code == "OS_ERR_NO_TABLE"


def test_nobody_listens(minio):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        with minio.open(s3_endpoint=url) as store, pytest.raises(exceptions.BaseError) as caught:
            store.put("k", b"", mode="create", deadline_s=0.5)
    assert isinstance(caught.value, (exceptions.NetworkError, exceptions.DeadlineError))
    assert caught.value.verdict == "not executed"


class SlowDown(http.server.BaseHTTPRequestHandler):
    """A store that never wants another request."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"
        self.send_response(503)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Type", "application/xml")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


def test_a_store_that_throttles():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), SlowDown)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    options = {"access_key_id": "a", "secret_access_key": "b", "no_environment": True}
    url = f"http://127.0.0.1:{server.server_port}"
    with oscommit.Store.from_url("s3://bucket", s3_endpoint=url, **options) as store:
        with pytest.raises((exceptions.ThrottledError, exceptions.DeadlineError)):
            store.get("k", deadline_s=1)
    server.shutdown()
    server.server_close()


async def test_too_many_in_flight(embedded):
    with embedded.open(max_in_flight=2) as store:
        results = await asyncio.gather(
            *(store.put_async(str(i), b"", mode="create") for i in range(10)), return_exceptions=True
        )
        refused = [result for result in results if isinstance(result, exceptions.InFlightError)]
        assert 0 < len(refused) < 10
        assert len(store.list().collect()) == 10 - len(refused)


def test_the_others_by_their_codes():
    assert all(code.startswith("OS_ERR_") for code in exceptions._BY_CODE)
    for code, kind in exceptions._BY_CODE.items():
        error = exceptions.error_of((code, 503, "Code", "id", "A sentence."))
        assert type(error) is kind and str(error) == "A sentence."
        assert (error.code, error.http_status, error.service_code, error.request_id) == (code, 503, "Code", "id")
    assert type(exceptions.error_of(("OS_ERR_SERVICE", 0, "", "", ""))) is exceptions.GenericError
    lost = exceptions.error_of(("OS_ERR_CONFLICT", 0, "", "", "x"), exceptions.AlreadyExistsError, "conflict")
    again = pickle.loads(pickle.dumps(lost))
    assert type(again) is exceptions.AlreadyExistsError and again.verdict == "conflict" and str(again) == "x"


def test_the_extension_module_refuses_what_is_not_its_own(embedded):
    with embedded.open() as store:
        operation = store._client.head(None, 0, 0, "k", None)
        with pytest.raises(TypeError):
            store._client.head("no port", 0, 0, "k", None)
        with pytest.raises(RuntimeError):
            operation.outcome()
        assert operation.wait() == 3 and operation.current() is None and operation.wanted() == 0
        operation.answer(b"nobody asked")
        with pytest.raises(TypeError):
            operation.answer("text")
        with pytest.raises(RuntimeError):
            operation.wait()
        operation.cancel()
    with pytest.raises(TypeError):
        _oscommit.Operation()
