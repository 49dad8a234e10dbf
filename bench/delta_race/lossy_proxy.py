# SPDX-License-Identifier: Apache-2.0
"""A proxy that passes every request on, and loses every fourth answer to a write of a log entry.

The write has been applied then, and its writer sees a closed connection: as when a load balancer restarts."""

import asyncio
import threading


class Message:
    """The head of a request or an answer, as it came, and how its body ends."""

    def __init__(self, head):
        self.head = head
        first, *lines = head.decode("latin-1").split("\r\n")
        self.first = first.split(" ")
        self.fields = {}
        for line in filter(None, lines):
            name, _, value = line.partition(":")
            self.fields[name.strip().lower()] = value.strip()

    async def body(self, reader):
        if self.fields.get("transfer-encoding", "").lower() == "chunked":
            return await self._chunks(reader)
        return await reader.readexactly(int(self.fields.get("content-length", 0)))

    @staticmethod
    async def _chunks(reader):
        whole = b""
        while True:
            line = await reader.readuntil(b"\r\n")
            size = int(line.split(b";")[0], 16)
            whole += line + await reader.readexactly(size + 2)
            if size == 0:
                return whole


class LossyProxy:
    """Runs on a thread of its own until close()."""

    def __init__(self, host, port, every):
        self._upstream, self._every = (host, port), every
        self.log_writes = self.lost = 0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        threading.Thread(target=self._run, daemon=True).start()
        self._ready.wait()

    def _run(self):
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.url = "http://127.0.0.1:%d" % server.sockets[0].getsockname()[1]
        self._ready.set()
        self._loop.run_forever()

    def close(self):
        self._loop.call_soon_threadsafe(self._loop.stop)

    def _loses(self, request):
        method, target = request.first[:2]
        path = target.split("?")[0]
        if method != "PUT" or "/_delta_log/" not in path or not path.endswith(".json"):
            return False
        self.log_writes += 1
        loses = self.log_writes % self._every == 0
        self.lost += loses
        return loses

    def _refuses(self, request):
        """Before it is passed on: True closes the connection instead."""
        return False

    async def _serve(self, reader, writer):
        up = await asyncio.open_connection(*self._upstream)
        try:
            while await self._exchange(reader, writer, *up):
                pass
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()
            up[1].close()

    async def _exchange(self, reader, writer, up_reader, up_writer):
        request = Message(await reader.readuntil(b"\r\n\r\n"))
        if request.fields.get("expect", "").lower() == "100-continue":
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = await request.body(reader)
        if self._refuses(request):
            return False
        up_writer.write(request.head + body)
        answer = Message(await up_reader.readuntil(b"\r\n\r\n"))
        while answer.first[1] == "100":
            answer = Message(await up_reader.readuntil(b"\r\n\r\n"))
        none = request.first[0] == "HEAD" or answer.first[1] in ("204", "304")
        content = b"" if none else await answer.body(up_reader)
        if self._loses(request):
            return False
        writer.write(answer.head + content)
        await writer.drain()
        return answer.fields.get("connection", "").lower() != "close"
