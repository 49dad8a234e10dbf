# SPDX-License-Identifier: Apache-2.0
"""A DynamoDB that passes every request on to another one. What happens to a writer's requests can be decided one by one."""

import http.client
import http.server
import json
import threading
import urllib.parse

DROPPED = ("connection", "content-length", "transfer-encoding")


class PlainTable:
    """`decide(action, request)` may be set: it is asked before each request, and gives None, a (status, answer) in place
    of the server's, or what is to be called with the server's status. ConnectionError, raised by either, closes the
    connection."""

    def __init__(self, endpoint):
        self.host, self.decide, self.seen = urllib.parse.urlsplit(endpoint).netloc, None, []
        table = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                try:
                    table.pass_on(self)
                except ConnectionError:
                    self.close_connection = True

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = "http://127.0.0.1:%d" % self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def pass_on(self, handler):
        body = handler.rfile.read(int(handler.headers["content-length"]))
        action, request = handler.headers["x-amz-target"].partition(".")[2], json.loads(body)
        self.seen.append(action)
        decided = self.decide(action, request) if self.decide else None
        if isinstance(decided, tuple):
            status, answer = decided
            return self.answer(handler, status, {"x-amzn-requestid": "1"}, json.dumps(answer).encode())
        connection = http.client.HTTPConnection(self.host, timeout=60)
        try:
            connection.request("POST", handler.path, body, dict(handler.headers))
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        if decided:
            decided(answer.status)
        return self.answer(handler, answer.status, dict(answer.headers), content)

    def answer(self, handler, status, headers, content):
        handler.send_response_only(status)
        for name, value in headers.items():
            if name.lower() not in DROPPED:
                handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)
