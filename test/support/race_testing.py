# SPDX-License-Identifier: Apache-2.0
"""Support for tests of `oscommit race --faults`: a race by time whose history is judged twice."""

import json
import os
import socket
import ssl
import subprocess
import threading

from oscommit_testing import BackendCase

SECONDS = 12


class FaultyRace(BackendCase):
    def race(self, faults, *more, seconds=SECONDS, writers=8):
        history = os.path.join(self.folder, self.key("history"))
        ran = self.ok(
            "race",
            self.url("races"),
            "--writers",
            writers,
            "--duration",
            f"{seconds}s",
            "--faults",
            faults,
            "--history",
            history,
            "--condition-headers",
            "off",
            "--json",
            *more,
            timeout=600,
        )
        line = ran.line()
        self.assertEqual(line["verdict"], "exact", line)
        self.assertEqual((line["unsettled"], line["objects_wrong"], line["lost_writers"]), (0, 0, 0), line)
        self.ok("check", history)  # says the same from the file
        with open(history, encoding="utf-8") as file:
            lines = [json.loads(text) for text in file]
        self.assertEqual(self.ok("ls", self.url("races/"), "--recursive", "--json").out, b"")  # nothing is left
        return line, lines

    def each(self, fault):
        line, lines = self.race(fault)
        told = sum(1 for entry in lines if entry.get("event") not in (None, "start"))
        self.assertEqual(set(line["faults"]), {fault})
        self.assertGreater(line["faults"][fault], 0, line)
        self.assertEqual(told, line["faults"][fault])
        for kind in ("creations", "increments", "copies", "deletes"):
            self.assertGreater(line[kind]["committed"], 0, line)
        return line, lines


class TlsFront:
    """A port of 127.0.0.1 that speaks TLS and passes the bytes on to a server that does not."""

    def __init__(self, folder, endpoint):
        self._server = endpoint.rsplit("/", 1)[1].rsplit(":", 1)
        self.ca_file = os.path.join(folder, "front.pem")
        key = os.path.join(folder, "front.key")
        if not os.path.exists(self.ca_file):
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
                + ["-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
                + ["-keyout", key, "-out", self.ca_file],
                check=True,
                capture_output=True,
            )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.ca_file, key)
        self._context = context
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"https://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        try:
            with self._context.wrap_socket(client, server_side=True) as secure:
                with socket.create_connection((self._server[0], int(self._server[1]))) as server:
                    back = threading.Thread(target=self._pass_on, args=(server, secure), daemon=True)
                    back.start()
                    self._pass_on(secure, server)
                    back.join()
        except OSError:
            client.close()

    @staticmethod
    def _pass_on(source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
        except OSError:
            pass
        finally:
            for end in (source, target):
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
