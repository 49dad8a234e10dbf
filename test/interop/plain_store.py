# SPDX-License-Identifier: Apache-2.0
"""An S3 server without conditions: it passes every request on to one that has them, and takes If-None-Match and If-Match
out, unless it is told to keep them. What is left is signed anew, so that the server accepts it. A writer has a port of its
own, and what happens to its requests can be decided one by one."""

import http.server
import os
import sys
import threading
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from oscommit_testing import signed_request

CONDITIONS = ("if-none-match", "if-match")
KEPT_OF_REQUEST = ("content-type", "content-md5", "range", "x-amz-copy-source", "x-amz-checksum-", "x-amz-meta-")
DROPPED_OF_ANSWER = ("transfer-encoding", "connection", "content-length")


class PlainStore:
    """`decide(method, path)` may be set: it is asked before each request, and gives what is to be called with the answer's
    status before that is passed on, or None. Where either raises ConnectionError, the connection is closed instead."""

    def __init__(self, endpoint, conditions=False):
        self.endpoint, self.decide, self.seen = endpoint, None, []
        self.kept = (*KEPT_OF_REQUEST, *CONDITIONS) if conditions else KEPT_OF_REQUEST
        store = self

        class Handler(_Handler):
            def pass_on(self):
                store.pass_on(self)

        self._server = _Server(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = "http://127.0.0.1:%d" % self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def pass_on(self, handler):
        path, _, query = handler.path.partition("?")
        path = urllib.parse.unquote(path)
        body = handler.take_body()
        decide = self.decide
        then = decide(handler.command, path) if decide else None
        headers = {
            name.lower(): value for name, value in handler.headers.items() if name.lower().startswith(self.kept)
        }
        status, answer, content = signed_request(
            self.endpoint, "s3", handler.command, path, body, headers, _canonical(query)
        )
        self.seen.append((handler.command, path, query, status))
        if then:
            then(status)
        handler.answer(status, answer, content)


def _canonical(query):
    pairs = urllib.parse.parse_qsl(query, keep_blank_values=True)
    quoted = sorted((urllib.parse.quote(name, safe="-_.~"), urllib.parse.quote(value, safe="-_.~")) for name, value in pairs)
    return "&".join(f"{name}={value}" for name, value in quoted)


class _Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):  # as of a writer that was killed
            super().handle_error(request, client_address)


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def take_body(self):
        """As the writer meant it: without the framing of a signature in chunks."""
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if not self.headers.get("x-amz-content-sha256", "").startswith("STREAMING-"):
            return body
        whole = b""
        while body:
            line, _, body = body.partition(b"\r\n")
            size = int(line.split(b";")[0], 16)
            if size == 0:
                break
            whole, body = whole + body[:size], body[size + 2 :]
        return whole

    def answer(self, status, headers, content):
        self.send_response_only(status)
        for name, value in headers.items():
            if name.lower() not in DROPPED_OF_ANSWER:
                self.send_header(name, value)
        length = headers.get("Content-Length", "0") if self.command == "HEAD" else str(len(content))
        self.send_header("Content-Length", length)
        self.end_headers()
        self.wfile.write(content)

    def _do(self):
        try:
            self.pass_on()
        except ConnectionError:
            self.close_connection = True

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _do
