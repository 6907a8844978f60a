from __future__ import annotations

import asyncio
import inspect
import pickle
import re
import threading
import traceback
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from conftest import KEY, Answer, Arrival, Between, Handler, breaks, cut, event, refuses, says, silence, streams

from messaging_bridge import AsyncMessagingBridge, BridgeError, MessageEvent, MessagingBridge, errors, types

SENT = says(200, {"message_id": "M1", "chat_id": "49171@s.whatsapp.net", "timestamp": 1})
HTML = {"content_type": "text/html"}
Make = Callable[..., Any]


@pytest.fixture(autouse=True)
def hurries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("messaging_bridge._service.FIRST_WAIT", 0.01)


@pytest.fixture(params=["sync", "asyncio"])
def ask(request: pytest.FixtureRequest, between: Between) -> Make:
    """What comes of work with a client, in both ways to wait."""

    def made(work: Callable[[Any], Any], **settings: Any) -> Any:
        if request.param == "sync":
            with MessagingBridge(between.url, KEY, **settings) as client:
                result = work(client)
                return list(result) if hasattr(result, "__next__") else result

        async def main() -> Any:
            async with AsyncMessagingBridge(between.url, KEY, **settings) as client:
                result = work(client)
                if hasattr(result, "__aiter__"):
                    return [one async for one in result]
                return await result if inspect.isawaitable(result) else result

        return asyncio.run(main())

    return made


def error_of(work: Callable[[], Any]) -> BridgeError:
    """The error with which this ends, which tells no secret."""
    with pytest.raises(BridgeError) as caught:
        work()
    for told in (str(caught.value), repr(caught.value), repr(vars(caught.value)), "".join(traceback.format_exception(caught.value))):
        assert "secretsecret" not in told
    return caught.value


def test_a_call_has_its_path_query_body_and_key_where_the_reference_has_them(ask: Make, between: Between) -> None:
    between.script = [SENT, says(404, "{}"), says(404, "{}"), says(404, "{}"), says(404, "{}")]
    ask(lambda client: client.bridge("shop").edit_message(id="a/b c", body="new", idempotency_key="order-1"))
    for work in (
        lambda client: client.bridge("shop").get_message(id="A", chat="49171"),
        lambda client: client.create_key(name="n"),
        lambda client: client.bridge("shop").update_bridge(keep=None, pacing=types.Pacing(gap_ms=5), history=None),
        lambda client: client.get_usage(from_="2026-01-01"),
    ):
        error_of(lambda work=work: ask(work))  # type: ignore[misc]
    assert [(one.method, one.path, one.body.decode()) for one in between.arrivals] == [
        ("PATCH", "/api/instances/shop/proxy/messages/a%2Fb%20c/edit", '{"body": "new"}'),
        ("GET", "/api/instances/shop/proxy/messages/A?chat=49171", ""),
        ("POST", "/api/keys", '{"name": "n"}'),
        ("PATCH", "/api/instances/shop", '{"pacing": {"gap_ms": 5}, "keep": null}'),
        ("GET", "/api/usage?from=2026-01-01", ""),
    ]
    assert [one.headers.get("idempotency-key") for one in between.arrivals] == ["order-1", None, None, None, None]
    assert between.arrivals[0].headers["authorization"] == f"Bearer {KEY}"


def test_a_send_is_made_again_under_the_same_key_until_its_outcome_is_known(ask: Make, between: Between) -> None:
    away = refuses(503, "session_unavailable", retry_after="0")
    between.script = [breaks, cut, away, refuses(504, "send_outcome_unknown"), SENT]
    sent = ask(lambda client: client.bridge("shop").send_text(chat="49171", body="Hi"))
    assert sent == types.SendResult(message_id="M1", chat_id="49171@s.whatsapp.net", timestamp=1)
    keys = [one.headers["idempotency-key"] for one in between.arrivals]
    assert len(keys) == 5 and len(set(keys)) == 1 and len(keys[0]) == 36


@pytest.mark.parametrize(
    ("call", "answer", "code"),
    [
        pytest.param("create_key", breaks, "no_answer", id="a key is not created twice because the connection broke"),
        pytest.param("send_text", refuses(502, "network_rejected"), "network_rejected", id="what the network refused"),
        pytest.param("send_text", refuses(429, "pacing", retry_after="1"), "pacing", id="what the pacing holds back"),
        pytest.param("send_text", refuses(503, "session_unavailable", retry_after="3600"), "session_unavailable", id="after an hour"),
        pytest.param("send_text", refuses(401, "unauthorized"), "unauthorized", id="a wrong key"),
        pytest.param("send_text", says(200, "<p>", **HTML), "unexpected_answer", id="HTML that says 200"),
        pytest.param("send_text", says(200, {"message_id": "secretsecret"}), "unexpected_answer", id="another form"),
    ],
)
def test_is_not_made_again(call: str, answer: Answer, code: str, ask: Make, between: Between) -> None:
    between.script = [answer]
    works: dict[str, Callable[[Any], Any]] = {
        "create_key": lambda client: client.create_key(name="n"),
        "send_text": lambda client: client.bridge("shop").send_text(chat="1", body="b"),
    }
    assert error_of(lambda: ask(works[call])).code == code
    assert len(between.arrivals) == 1


def test_an_error_has_a_class_and_all_that_the_service_has_said(ask: Make, between: Between) -> None:
    issues = [{"path": "chat", "message": "is missing"}]
    between.script = [
        refuses(400, "invalid_request", {"issues": issues}),
        refuses(504, "send_outcome_unknown", {"message_id": "M2"}, retry_after="7"),
        refuses(418, "code_of_next_year"),
    ]

    def send(key: str | None = None) -> Callable[[Any], Any]:
        return lambda client: client.bridge("shop").send_text(chat="1", body="b", idempotency_key=key)

    invalid = error_of(lambda: ask(send(), retries=0))
    assert type(invalid) is errors.InvalidRequest
    assert (invalid.status, invalid.request_id, invalid.issues) == (400, "req-1", issues)
    assert str(invalid) == "it is invalid_request (request req-1)"
    unknown = error_of(lambda: ask(send("order-2"), retries=0))
    assert (unknown.message_id, unknown.idempotency_key, unknown.retry_after) == ("M2", "order-2", 7)
    assert vars(pickle.loads(pickle.dumps(unknown))) == vars(unknown)
    newer = error_of(lambda: ask(send()))
    assert (type(newer), newer.code) == (BridgeError, "code_of_next_year")


@pytest.mark.parametrize(
    ("answer", "code", "text"),
    [
        (silence, "no_answer", r"did not answer in time$"),
        (breaks, "no_answer", r"^GET http:\S+/proxy/status has no answer"),
        (says(502, "<h1>Bad", **HTML), "unexpected_answer", r"502 and text/html, not the JSON"),
        (says(301, "", location="https://new.example/x?y=secret"), "unexpected_answer", r"redirect \(301\) to https://new\.example: give"),
        (says(301, "", location="https://a:secretsecret@h/"), "unexpected_answer", r"redirect \(301\): give"),
        (says(404, '{"detail":"no"}'), "unexpected_answer", r"404 and application/json"),
        (says(404, '["code"]'), "unexpected_answer", r"404 and application/json"),
    ],
)
def test_says_clearly_what_is_wrong(answer: Answer, code: str, text: str, ask: Make, between: Between) -> None:
    between.script = [answer]
    error = error_of(lambda: ask(lambda client: client.bridge("shop").status(), retries=0, timeout=0.5))
    assert error.code == code
    assert re.search(text, str(error))


@pytest.mark.parametrize(
    ("url", "key", "text"),
    [
        ("http://u:secretsecret@h", KEY, "url has a user name"),
        ("secretsecret", KEY, "url is not one"),
        ("http://secretsecret:port", KEY, "url is not one"),
        ("", KEY, "url is missing"),
        ("http://h", "mbk_secretsecret\n", "key has a space"),
        ("http://h", "", "key is missing"),
    ],
)
def test_no_client_is_made_with(url: str, key: str, text: str) -> None:
    error = error_of(lambda: MessagingBridge(url, key))
    assert error.code == "invalid_argument" and str(error).startswith(text)


def test_a_call_whose_path_would_lead_elsewhere_is_not_made(ask: Make, between: Between) -> None:
    for id in ("", ".", ".."):
        assert error_of(lambda id=id: ask(lambda client: client.bridge("shop").get_message(id=id))).code == "invalid_argument"  # type: ignore[misc]
    assert error_of(lambda: ask(lambda client: client.bridge("..").status())).code == "invalid_argument"
    assert error_of(lambda: ask(lambda client: client.bridge("..").events(after="e"))).code == "invalid_argument"
    wrong = "ä"
    assert error_of(lambda: ask(lambda client: client.bridge("shop").send_text(chat="1", body="b", idempotency_key=wrong))).code == "invalid_argument"
    assert between.arrivals == []


def test_what_no_request_can_carry_is_refused_before_it_is_sent(ask: Make, between: Between) -> None:
    wrong: list[Callable[[Any], Any]] = [
        lambda shop: shop.send_location(chat="1", lat=float("nan"), lng=8.5),
        lambda shop: shop.send_text(chat="1", body=b"bytes"),
        lambda shop: shop.get_message(id="\ud800"),
        lambda shop: shop.get_message(id="m", chat="\ud800"),
    ]
    for work in wrong:
        assert error_of(lambda work=work: ask(lambda client: work(client.bridge("shop")))).code == "invalid_argument"  # type: ignore[misc]
    assert between.arrivals == []


def test_no_secret_is_in_any_repr(ask: Make, between: Between) -> None:
    bridge = {"id": "b", "customer_ref": "shop", "state": "running", "created_at": 1, "webhook_secret": "whsec_secretsecret", "webhook_url": ""}
    between.script = [says(201, bridge), says(201, {"id": "k", "name": "n", "scope": "all", "created_at": 1, "key": KEY})]
    for work in (lambda client: client.create_bridge(customer_ref="shop"), lambda client: client.create_key(name="n")):
        made = ask(work)
        assert "secretsecret" in made.model_dump_json()
        assert "secretsecret" not in f"{made!r} {made}"
    client = MessagingBridge(between.url, KEY)
    assert "secretsecret" not in repr([client, client.bridge("shop"), AsyncMessagingBridge(between.url, KEY)])


def test_a_client_takes_the_http_client_that_it_is_given(between: Between) -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json={"message_id": "M1", "chat_id": "49171@s.whatsapp.net", "timestamp": 1})

    own = httpx.Client(transport=httpx.MockTransport(answer), auth=("u", "p"), follow_redirects=True)
    with MessagingBridge("https://h/base/api/", KEY, http_client=own) as client:
        client.bridge("shop").send_text(chat="1", body="b")
    assert not own.is_closed
    assert str(seen[0].url) == "https://h/base/api/instances/shop/proxy/send/text"
    assert seen[0].headers["authorization"] == f"Bearer {KEY}"


def contact(jid: str) -> dict[str, object]:
    texts = dict.fromkeys(types.Contact.model_fields, "")
    return {**texts, "jid": jid, "is_business": False, "registered": True}


def test_a_list_is_one_page_or_everything_in_a_loop(ask: Make, between: Between) -> None:
    first, last = says(200, [contact("0@x"), contact("1@x")]), says(200, [contact("2@x")])
    between.script = [first, first, last, says(200, [contact("3@x")], x_next_after="e7"), says(200, [])]
    assert len(ask(lambda client: client.bridge("shop").list_contacts(limit=2).page())) == 2
    for limit, wanted in ((2, ["0@x", "1@x", "2@x"]), (None, ["3@x"])):
        all = ask(lambda client: each(client.bridge("shop").list_contacts(limit=limit)))
        assert [one.jid for one in all] == wanted
    queries = [one.path.partition("?")[2] for one in between.arrivals]
    assert queries == ["limit=2", "limit=2", "limit=2&after=1%40x", "", "after=e7"]


def each(listing: Any) -> Any:
    return iter(listing) if hasattr(listing, "__iter__") else listing.__aiter__()


def test_a_list_that_fails_raises_in_the_loop(ask: Make, between: Between) -> None:
    between.script = [refuses(404, "not_found")]
    assert isinstance(error_of(lambda: ask(lambda client: each(client.bridge("shop").list_contacts()))), errors.NotFound)


def test_the_stream_goes_on_behind_the_last_whole_event_whatever_breaks_it(ask: Make, between: Between) -> None:
    half, letter = event("e2")[:20], event("e2", "ä").encode()
    place = letter.index("ä".encode()) + 1
    between.script = [
        streams("id: e0\n\n", ": still here\n\n"),
        streams(event("e1"), half),
        says(502, "<h1>", **HTML),
        streams(letter[:place], letter[place:], "retry: 1000\r\n\r\n", broken=False),
        streams(event("e2"), event("e3").replace("\n", "\r\n")),
        refuses(401, "unauthorized"),
    ]
    interruptions: list[str] = []
    seen: list[str] = []

    def note(error: BridgeError, _: float) -> None:
        interruptions.append(error.code)

    def work(client: Any) -> Any:
        return noted(client.bridge("shop").events(MessageEvent, from_="now", on_interruption=note), seen)

    assert error_of(lambda: ask(work)).code == "unauthorized"
    assert seen == ["e1 e1", "e2 ä", "e3 e3"]
    assert [one.headers.get("last-event-id") for one in between.arrivals] == [None, "e0", "e1", "e1", "e2", "e3"]
    assert between.arrivals[1].path == "/api/instances/shop/events?type=message"
    assert interruptions == ["no_answer", "no_answer", "unexpected_answer", "no_answer"]


def noted(events: Any, seen: list[str]) -> Any:
    def note(one: Any) -> None:
        seen.append(f"{one.event_id} {one.event.body}")

    async def slow() -> Any:
        async for one in events:
            note(one)
            yield one

    def plain() -> Any:
        for one in events:
            note(one)
            yield one

    return slow() if hasattr(events, "__aiter__") else plain()


def test_a_stream_that_cannot_be_opened_ends_at_once(ask: Make, between: Between) -> None:
    between.script = [says(200, "<p>", **HTML)]
    assert error_of(lambda: ask(lambda client: client.bridge("shop").events(after="e1"))).code == "unexpected_answer"
    assert len(between.arrivals) == 1


def test_what_a_newer_service_says_is_kept_as_it_came(between: Between) -> None:
    between.script = [streams(event("e1", event="of_next_year", type="new"), event("e2", type="hologram", aura="blue"), event("e3"))]
    events = MessagingBridge(between.url, KEY).bridge("shop").events(after="e0")
    first, second, _ = (next(events) for _ in range(3))
    assert (first.event.event, getattr(first.event, "body")) == ("of_next_year", "e1")
    assert isinstance(second.event, MessageEvent)
    assert (second.event.type, getattr(second.event, "aura")) == ("hologram", "blue")
    events.close()


def test_a_stream_of_what_is_no_event_is_not_opened(ask: Make, between: Between) -> None:
    assert error_of(lambda: ask(lambda client: client.bridge("shop").events(types.Contact, from_="now"))).code == "invalid_argument"
    assert error_of(lambda: ask(lambda client: client.bridge("shop").events())).code == "invalid_argument"
    with pytest.raises(TypeError):
        ask(lambda client: client.bridge("shop").events(from_="now", chatt="1"))
    between.script = [streams(event("e1") + "data: {}\n\n")]
    assert error_of(lambda: ask(lambda client: client.bridge("shop").events(after="e0"))).code == "unexpected_answer"
    assert len(between.arrivals) == 1


def test_leaving_a_stream_ends_its_connection(ask: Make, between: Between) -> None:
    gone = threading.Event()

    def waits(handler: Handler, _: Arrival) -> None:
        handler.begin(200, {"content-type": "text/event-stream", "transfer-encoding": "chunked"})
        handler.chunk(event("e1").encode())
        if handler.connection.recv(1) == b"":
            gone.set()
        handler.close_connection = True

    between.script = [waits]

    def work(client: Any) -> Any:
        events = client.bridge("shop").events(after="e0")
        if hasattr(events, "__next__"):
            return next(events).event_id, events.close(), gone.wait(5)

        async def one() -> Any:
            first = await events.__anext__()
            return first.event_id, await events.aclose(), await asyncio.to_thread(gone.wait, 5)

        return one()

    assert ask(work) == ("e1", None, True)
