# SPDX-License-Identifier: Apache-2.0
"""The proxy of bench/delta_race, which here does harm when it is told to."""

import asyncio
import threading

from lossy_proxy import LossyProxy

EXPIRED = b"<Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>"


class HarmfulProxy(LossyProxy):
    """`lose`: the store applies the next write to the key, its answer is lost, and nothing passes until `heal`.
    `hold`: the same, but the connection stays open, as if the answer were still to come.
    `expire`: the next request does not pass, and is told that its keys have expired."""

    def __init__(self, host, port):
        self.applied = threading.Event()
        self.key = self.holds = None
        self.down = self.expires = False
        super().__init__(host, port, every=0)
        # Clients give connections up here: that is no news.
        self._loop.set_exception_handler(lambda *_: None)

    def lose(self, key, holds=False):
        self.applied.clear()
        self.key, self.holds = key, holds

    def hold(self, key):
        self.lose(key, holds=True)

    def expire(self):
        self.expires = True

    def heal(self):
        self.key, self.down = None, False

    def _loses(self, request):
        method, target = request.first[:2]
        if self.down:
            return True
        if method != "PUT" or not self.key or not target.split("?")[0].endswith("/" + self.key):
            return False
        self.down = True
        self.applied.set()
        return True

    async def _exchange(self, reader, writer, up_reader, up_writer):
        if self.down and not self.holds:
            return False
        goes_on = await super()._exchange(reader, writer, up_reader, up_writer)
        if self.down and self.holds:
            await reader.read()  # until the client gives up
        return goes_on

    def _own_answer(self, request):
        if not self.expires:
            return None
        self.expires = False
        body = b"" if request.first[0] == "HEAD" else EXPIRED
        # The mark of a store: what has none is not believed.
        head = b"HTTP/1.1 400 Bad Request\r\nx-amz-request-id: EXPIRED\r\nContent-Type: application/xml\r\n"
        return head + b"Content-Length: %d\r\n\r\n%s" % (len(body), body)

    def close(self):
        self._loop.call_soon_threadsafe(self._end)

    def _end(self):
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.call_soon(self._loop.stop)


class DecidingProxy(LossyProxy):
    """`decide(method, path)` is asked when a request has come, on the proxy's thread. It gives None; "refuse": the request
    never arrives; "lose": its answer does not; or a function, called in place of the answer."""

    def __init__(self, host, port):
        self.decide = None
        super().__init__(host, port, every=0)
        self._loop.set_exception_handler(lambda *_: None)

    def _refuses(self, request):
        decide, (method, target) = self.decide, request.first[:2]
        request.decided = decide(method, target.split("?")[0]) if decide else None
        return request.decided == "refuse"

    def _loses(self, request):
        if callable(request.decided):
            request.decided()
        return request.decided is not None

    close = HarmfulProxy.close
    _end = HarmfulProxy._end
