# SPDX-License-Identifier: Apache-2.0
"""Servers of the tests' own on loopback, one thread for each connection."""

import os
import socket
import ssl
import subprocess
import threading


class LoopbackServer:
    """Serves each connection by `serve`, until it is closed."""

    def __init__(self, address=("127.0.0.1", 0)):
        family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self._listener = socket.create_server(address, family=family)
        self.port = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def serve(self, client):
        raise NotImplementedError

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return  # closed
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        try:
            with client:
                self.serve(client)
        except OSError:
            pass  # the other side has had enough


class Passage(LoopbackServer):
    """Passes the bytes on to a server that is elsewhere."""

    def __init__(self, endpoint, address=("127.0.0.1", 0)):
        self._server = endpoint.rsplit("/", 1)[1].rsplit(":", 1)
        super().__init__(address)

    def note(self, data):
        """What the client has sent."""

    def serve(self, client):
        with socket.create_connection((self._server[0], int(self._server[1]))) as server:
            back = threading.Thread(target=_pass_on, args=(server, client), daemon=True)
            back.start()
            _pass_on(client, server, self.note)
            back.join()


class TlsFront(Passage):
    """Speaks TLS as one of `names` ("IP:127.0.0.1", "DNS:host"), and passes the bytes on to a server that does not."""

    def __init__(self, folder, endpoint, names="IP:127.0.0.1"):
        self.ca_file, key = os.path.join(folder, "front.crt"), os.path.join(folder, "front.key")
        if not os.path.exists(self.ca_file):
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
                + ["-subj", "/CN=front", "-addext", f"subjectAltName={names}", "-keyout", key, "-out", self.ca_file],
                check=True,
                capture_output=True,
            )
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(self.ca_file, key)
        super().__init__(endpoint)
        self.url = f"https://127.0.0.1:{self.port}"

    def serve(self, client):
        with self._context.wrap_socket(client, server_side=True) as secure:
            super().serve(secure)


def _pass_on(source, target, note=lambda data: None):
    try:
        while data := source.recv(65536):
            note(data)
            target.sendall(data)
    except OSError:
        pass
    finally:
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
