"""The SDK and the service as `npm start` runs it: `npm run clients:check` says where it is, and who has which phone."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import TypeVar

import httpx
import pytest
from conftest import Answer, Between, breaks, passes_on, refuses, says

from messaging_bridge import AsyncMessagingBridge, BridgeError, MessageEvent, MessagingBridge, Received, errors, types, verify

T = TypeVar("T")
HTML = says(502, "<h1>Bad gateway", content_type="text/html")


def until(look: Callable[[], T | None], seconds: float = 60) -> T:
    end = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < end, "it did not come true"
        time.sleep(0.1)
    return found


@pytest.fixture(scope="session")
def echo(service: MessagingBridge) -> str:
    """Who sends back what is sent; this household's people arrive a moment after the sandbox is linked."""
    sandbox = service.bridge("sandbox")
    return until(lambda: next((one.jid for one in sandbox.list_contacts() if one.name == "Echo"), None))


@pytest.fixture
def text() -> str:
    return f"Grüße 👋 {uuid.uuid4()}"


def times_sent(service: MessagingBridge, text: str) -> int:
    return sum(one.body == text for one in service.bridge("sandbox").list_sent().page())


def test_one_key_sends_one_message_and_its_answer_comes_as_a_typed_event(service: MessagingBridge, echo: str, text: str) -> None:
    sandbox = service.bridge("sandbox")
    start = sandbox.list_events(order="newest", limit=1).page()[0].event_id
    first = sandbox.send_text(chat=echo, body=text, idempotency_key=text[-36:])
    assert sandbox.send_text(chat=echo, body=text, idempotency_key=text[-36:]) == first
    event = next(one.event for one in sandbox.events(MessageEvent, after=start) if one.event.body == text)
    assert (event.contact_id, event.from_me) == (echo, False)
    assert sandbox.find_message(idempotency_key=text[-36:]).message_id == first.message_id
    assert times_sent(service, text) == 1


def test_the_same_holds_with_asyncio(echo: str, text: str) -> None:
    async def main() -> None:
        async with AsyncMessagingBridge() as client:
            sandbox = client.bridge("sandbox")
            start = (await sandbox.list_events(order="newest", limit=1).page())[0].event_id
            await asyncio.gather(*(sandbox.send_text(chat=echo, body=f"{text} {n}") for n in range(3)))
            seen: set[str] = set()
            async for one in sandbox.events(MessageEvent, after=start):
                if one.event.body.startswith(text):
                    seen.add(one.event.body)
                if len(seen) == 3:
                    break
            assert echo in [one.jid async for one in sandbox.list_contacts(limit=1)]

    asyncio.run(asyncio.wait_for(main(), 60))


@pytest.mark.parametrize(
    "failures",
    [
        pytest.param([refuses(503, "session_unavailable", retry_after="0"), refuses(429, "rate_limited", retry_after="0")], id="503 and 429"),
        pytest.param([HTML, breaks], id="HTML and nothing"),
        pytest.param([passes_on(loses=True), passes_on(loses=True)], id="the answer is lost twice"),
    ],
)
def test_a_send_through_failures_is_one_message(failures: list[Answer], between: Between, service: MessagingBridge, echo: str, text: str) -> None:
    between.script = failures
    sandbox = MessagingBridge(between.url).bridge("sandbox")
    sent = sandbox.send_text(chat=echo, body=text)
    assert len({one.headers["idempotency-key"] for one in between.arrivals}) == 1
    assert len(between.arrivals) == 3
    assert times_sent(service, text) == 1
    assert service.bridge("sandbox").get_message(id=sent.message_id).body == text


def test_a_stream_that_is_cut_in_an_event_leaves_none_out_and_brings_none_twice(
    between: Between, service: MessagingBridge, echo: str, text: str
) -> None:
    sandbox = service.bridge("sandbox")
    start = sandbox.list_events(order="newest", limit=1).page()[0].event_id
    for n in range(6):
        sandbox.send_text(chat=echo, body=f"{n} {text}")

    def in_event(number: int) -> Answer:
        mark = f'"{number} {text[:5]}'.encode()
        return passes_on(cuts=lambda seen: seen.index(mark) + 4 if mark in seen else None)

    between.script = [in_event(1), HTML, in_event(3), in_event(5)]
    interruptions: list[BridgeError] = []
    seen: list[str] = []
    bridge = MessagingBridge(between.url).bridge("sandbox")
    for one in bridge.events(MessageEvent, after=start, on_interruption=lambda error, _: interruptions.append(error)):
        seen.append(one.event.body)
        if one.event.body == f"5 {text}":
            break
    assert [one for one in seen if text in one] == [f"{n} {text}" for n in range(6)]
    assert [one.code for one in interruptions] == ["no_answer", "unexpected_answer", "no_answer", "no_answer"]


def test_a_key_that_is_wrong_narrow_or_revoked_is_refused_by_class(service: MessagingBridge, echo: str) -> None:
    with pytest.raises(errors.Unauthorized):
        MessagingBridge(key="mbk_wrong").get_account()
    made = service.create_key(name="reader", scope="read")
    reader = MessagingBridge(key=made.key).bridge("sandbox")
    with pytest.raises(errors.Forbidden) as caught:
        reader.send_text(chat=echo, body="no")
    assert caught.value.request_id
    assert reader.get_bridge().webhook_secret == ""
    stream = reader.events(after=reader.list_events(order="newest", limit=1).page()[0].event_id)
    threading.Timer(0.5, lambda: service.remove_key(id=made.id)).start()
    with pytest.raises(errors.Unauthorized):
        for _ in stream:
            pass


def test_refusals_have_their_classes(service: MessagingBridge, echo: str) -> None:
    with pytest.raises(errors.AlreadyPaired):
        service.bridge("sandbox").qr()
    with pytest.raises(errors.NotFound):
        service.bridge("nobody").status()
    with pytest.raises(errors.InvalidRequest) as caught:
        service.bridge("sandbox").send_text(chat=echo, body="")
    assert caught.value.issues[0]["path"] == "body"


def test_a_file_is_uploaded_sent_and_comes_back(service: MessagingBridge, echo: str, tmp_path: Path) -> None:
    sandbox = service.bridge("sandbox")
    start = sandbox.list_events(order="newest", limit=1).page()[0].event_id
    (tmp_path / "list.txt").write_text("a list")
    sandbox.send_media(chat=echo, file=sandbox.upload(tmp_path / "list.txt"))
    sandbox.send_media(chat=echo, file=sandbox.upload(b"bytes", filename="b.bin"))
    assert [one.body for one in sandbox.list_sent(limit=2).page()] == ["", ""]
    line = next(sandbox.logs(tail=1))
    assert line
    assert isinstance(next(sandbox.events(after=start)).event, types.MessageEvent)


@pytest.fixture
def hook(service: MessagingBridge) -> Iterator[list[Received]]:
    """A webhook that verifies each delivery, and what it got."""
    sandbox = service.bridge("sandbox")
    got: list[Received] = []

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            got.extend(verify(body, self.headers, sandbox.get_bridge().webhook_secret))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Hook)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    sandbox.update_bridge(webhook_url=f"http://127.0.0.1:{server.server_port}/")
    yield got
    sandbox.update_bridge(webhook_url=None)
    server.shutdown()
    server.server_close()


def test_what_the_service_delivers_is_verified(service: MessagingBridge, hook: list[Received], echo: str, text: str) -> None:
    sandbox = service.bridge("sandbox")
    until(lambda: sandbox.status().status == "connected")
    sandbox.send_text(chat=echo, body=text)
    received = until(lambda: next((one for one in hook if getattr(one.event, "body", "") == text), None))
    assert (received.attempt, received.is_resend, received.event_id[:4]) == (1, False, "evt_")
    assert sandbox.test_webhook().success
    assert any(isinstance(one.event, types.TestEvent) for one in hook)


def test_the_program_of_the_readme_answers_every_message(service: MessagingBridge, tmp_path: Path) -> None:
    page = (Path(__file__).parents[4] / "packages/sdk-python/README.md").read_text()
    program = re.findall(r"```python\n(.*?)```", page, re.S)[0]
    assert len([line for line in program.splitlines() if line]) <= 5
    phones, owner, friend = (os.environ[name] for name in ("PHONES_URL", "OWNER", "FRIEND"))
    child = subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path)
    try:
        # A stream begins when it is open: writes until it has answered.
        def answered() -> bool:
            httpx.post(f"{phones}/phones/{friend}/messages", json={"to": owner, "text": "Open?"})
            query = {"from": owner, "text": "Thank you. We answer today.", "wait": "1000"}
            return bool(httpx.get(f"{phones}/phones/{friend}/messages", params=query).json())

        until(answered)
        assert child.poll() is None
    finally:
        child.kill()
        child.wait()
