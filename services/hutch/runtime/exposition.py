"""Exposition: the small HTTP server in every process for `/metrics`, `/readyz` and `/livez`.

It runs in a thread of its own, so a scrape is answered while the process is busy, and a process
without an event loop (a Celery worker) has it as well.
"""

from __future__ import annotations

import socket
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from prometheus_client import REGISTRY
from prometheus_client.exposition import choose_encoder

from hutch.runtime.addresses import split_address
from hutch.runtime.health import Health


class Exposition:
    """A running server. `address` is where it listens, as `host:port`."""

    def __init__(self, bind: str, health: Health) -> None:
        """Listen at `bind`. Raises `OSError` when the port is taken."""
        handler = type("Handler", (_Handler,), {"health": health})
        host, port = split_address(bind)
        self._server = (_IPv6Server if ":" in host else _Server)((host, port), handler)
        self.address = f"{bind.rpartition(':')[0]}:{self._server.server_address[1]}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, name="exposition", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True


class _IPv6Server(_Server):
    address_family = socket.AF_INET6


class _Handler(BaseHTTPRequestHandler):
    """Answers GET."""

    health: Health
    protocol_version = "HTTP/1.1"
    server_version = "hutch"
    sys_version = ""
    timeout = 30

    def do_GET(self) -> None:
        """Dispatch on the path."""
        match self.path.partition("?")[0]:
            case "/metrics":
                encode, content_type = choose_encoder(self.headers.get("Accept", ""))
                self._answer(HTTPStatus.OK, encode(REGISTRY), content_type)
            case "/readyz":
                self._tell(self.health.ready, self.health.state)
            case "/livez":
                self._tell(self.health.alive, "alive" if self.health.alive else "stalled")
            case _:
                self._tell(False, "not found", bad=HTTPStatus.NOT_FOUND)

    def log_message(self, format: str, *args: object) -> None:
        """A scrape is not an event worth a line."""

    def _tell(
        self, good: bool, word: str, *, bad: HTTPStatus = HTTPStatus.SERVICE_UNAVAILABLE
    ) -> None:
        status = HTTPStatus.OK if good else bad
        self._answer(status, f"{word}\n".encode(), "text/plain; charset=utf-8")

    def _answer(self, status: HTTPStatus, body: bytes, content_type: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
