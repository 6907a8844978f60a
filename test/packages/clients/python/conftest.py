"""A service that answers by script, and passes everything else on to the real one. `npm run clients:check` starts that."""

from __future__ import annotations

import http.client
import json
import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import pytest

from messaging_bridge import MessagingBridge

KEY = "mbk_abcdefghijkl_secretsecretsecretsecretsecret12check1"


@dataclass
class Arrival:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


Answer = Callable[["Handler", Arrival], object]


class Between(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.arrivals: list[Arrival] = []
        self.script: list[Answer] = []
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def handle_error(self, *_: object) -> None:
        """The client has closed the connection."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Between

    def log_message(self, *_: object) -> None:
        pass

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        headers = {name.lower(): value for name, value in self.headers.items()}
        arrival = Arrival(self.command, self.path, headers, body)
        self.server.arrivals.append(arrival)
        answer = self.server.script.pop(0) if self.server.script else passes_on()
        answer(self, arrival)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = answer

    def begin(self, status: int, headers: dict[str, str]) -> None:
        self.send_response_only(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def chunk(self, data: bytes, of: int | None = None) -> None:
        """With `of` the chunk says that it is so long, and is not."""
        self.wfile.write(b"%x\r\n" % (of or len(data)) + data + (b"" if of else b"\r\n"))
        self.wfile.flush()


def says(status: int, body: object, **headers: str) -> Answer:
    text = body if isinstance(body, str) else json.dumps(body)
    about = {"content-type": "application/json", **{name.replace("_", "-"): one for name, one in headers.items()}}

    def answer(handler: Handler, _: Arrival) -> None:
        handler.begin(status, {**about, "content-length": str(len(text.encode()))})
        handler.wfile.write(text.encode())

    return answer


def refuses(status: int, code: str, more: dict[str, object] | None = None, **headers: str) -> Answer:
    return says(status, {"error": f"it is {code}", "code": code, "request_id": "req-1", **(more or {})}, **headers)


def breaks(handler: Handler, _: Arrival) -> None:
    handler.close_connection = True


def cut(handler: Handler, _: Arrival) -> None:
    handler.begin(200, {"content-type": "application/json", "content-length": "100"})
    handler.wfile.write(b"{")
    handler.close_connection = True


def silence(handler: Handler, _: Arrival) -> None:
    """Waits until the client closes the connection."""
    handler.connection.recv(1)
    handler.close_connection = True


def streams(*parts: bytes | str, broken: bool = True) -> Answer:
    """A stream of these parts, which then breaks or ends."""

    def answer(handler: Handler, _: Arrival) -> None:
        handler.begin(200, {"content-type": "text/event-stream", "transfer-encoding": "chunked"})
        for part in parts:
            handler.chunk(part.encode() if isinstance(part, str) else part)
        if not broken:
            handler.wfile.write(b"0\r\n\r\n")
        handler.close_connection = True

    return answer


def passes_on(*, loses: bool = False, cuts: Callable[[bytes], int | None] = lambda _: None) -> Answer:
    """Asks the real service.

    :param loses: its answer
    :param cuts: the connection, if it says after how many of the bytes so far
    """

    def answer(handler: Handler, arrival: Arrival) -> None:
        to = urlsplit(os.environ["BRIDGE_URL"])
        upstream = http.client.HTTPConnection(to.hostname or "", to.port, timeout=60)
        headers = {name: one for name, one in arrival.headers.items() if name not in ("host", "connection", "accept-encoding")}
        upstream.request(arrival.method, arrival.path, arrival.body or None, headers)
        response = upstream.getresponse()
        handler.close_connection = True
        if loses:
            response.read()
            return
        kept = {name: one for name, one in response.getheaders() if name.lower() in ("content-type", "x-next-after")}
        handler.begin(response.status, {**kept, "transfer-encoding": "chunked"})
        so_far = b""
        while data := response.read1(65536):
            end = cuts(so_far + data)
            if end is not None:
                handler.chunk((so_far + data)[len(so_far) : end], of=end + 100)
                upstream.close()
                return
            so_far += data
            handler.chunk(data)
        handler.wfile.write(b"0\r\n\r\n")

    return answer


@pytest.fixture
def between() -> Iterator[Between]:
    server = Between()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def service() -> MessagingBridge:
    """The real one."""
    return MessagingBridge()


def event(id: str, text: str | None = None, **more: Any) -> str:
    message = dict(
        event="message", message_id=id, contact_id="1@x", phone="1", chat_id="1@x", name="", body=id if text is None else text,
        type="text", media_type="", is_group=False, from_me=False, timestamp=1,
    )  # fmt: skip
    stored = {"event_id": id, "state": "pending", "created_at": 1, "event": {**message, **more}}
    return f"id: {id}\ndata: {json.dumps(stored, ensure_ascii=False)}\n\n"
