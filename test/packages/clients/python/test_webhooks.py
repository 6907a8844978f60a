from __future__ import annotations

import hashlib
import hmac
import json
import random
import time
from typing import Any

import pytest
from messaging_bridge import BridgeError, MessageEvent, Received, Undelivered, errors, types, verify

SECRET = "whsec_ZXhhbXBsZSBvZiAzMiByYW5kb20gYnl0ZXMsIHRoaXM="
VOTE = {
    "event": "poll_vote", "contact_id": "1@x", "phone": "1", "chat_id": "1@x", "poll_id": "P", "message_id": "M", "name": "Grüße 👋",
    "from_me": False, "timestamp": 1, "selected_options": ["a"],
}  # fmt: skip
BODY = json.dumps(VOTE, ensure_ascii=False).encode()


def headers_of(body: bytes, at: float, *secrets: str, **more: str) -> dict[str, str]:
    signed = [hmac.new(one.encode(), b"%d." % at + body, hashlib.sha256).hexdigest() for one in secrets or (SECRET,)]
    return {"X-Webhook-Signature": ",v1=".join([f"t={int(at)}", *signed]), "X-Webhook-Event-Id": "evt_1", "X-Webhook-Attempt": "2", **more}


def test_a_delivery_gives_its_event_with_its_type_and_what_is_known_of_it() -> None:
    [received] = verify(BODY, headers_of(BODY, time.time()), SECRET)
    assert isinstance(received.event, types.PollVoteEvent)
    assert (received.event.name, received.event_id, received.attempt, received.is_resend) == ("Grüße 👋", "evt_1", 2, False)
    again = headers_of(BODY, time.time(), "whsec_new", SECRET, **{"X-Webhook-Resend": "true"})
    [resent] = verify(BODY.decode(), {name.lower(): one for name, one in again.items()}, SECRET)
    assert resent == Received(received.event, "evt_1", 2, True)


def test_a_batch_gives_each_of_its_events() -> None:
    body = json.dumps([{"event_id": "e1", "event": VOTE}, {"event_id": "e2", "event": {"event": "of_next_year"}}]).encode()
    first, second = verify(body, headers_of(body, time.time(), **{"X-Webhook-Batch": "2"}), SECRET)
    assert [first.event_id, second.event_id, second.event.event] == ["e1", "e2", "of_next_year"]
    assert not isinstance(first.event, MessageEvent)


def test_the_first_event_of_a_delivery_says_what_was_given_up_before_it() -> None:
    body = json.dumps([{"event_id": "e1", "event": VOTE}, {"event_id": "e2", "event": VOTE}]).encode()
    said = {"X-Webhook-Batch": "2", "X-Webhook-Undelivered": "12", "X-Webhook-Undelivered-Since": "1795160000"}
    first, second = verify(body, headers_of(body, time.time(), **said), SECRET)
    assert (first.undelivered, second.undelivered) == (Undelivered(12, 1_795_160_000), None)


def test_an_event_at_a_webhook_of_the_account_says_of_which_bridge_it_is() -> None:
    body = json.dumps({**VOTE, "customer_ref": "shop"}).encode()
    [received] = verify(body, headers_of(body, time.time()), SECRET)
    [of_bridge] = verify(BODY, headers_of(BODY, time.time()), SECRET)
    assert (received.customer_ref, of_bridge.customer_ref) == ("shop", None)


def test_a_field_that_is_a_word_of_the_language_has_an_underscore_here_alone() -> None:
    part = types.MessagePartOf.model_validate({"message_id": "M", "as": "hd"})
    assert (part.as_, part.model_dump(by_alias=True)) == ("hd", {"message_id": "M", "as": "hd"})


def test_a_thousand_bodies_times_signatures_and_secrets_that_somebody_has_changed_are_refused() -> None:
    seed = random.randrange(2**32)
    chance = random.Random(seed)
    now = 1_795_166_760
    genuine = headers_of(BODY, now)
    signature = genuine["X-Webhook-Signature"]

    def changed(text: bytes) -> bytes:
        place = chance.randrange(len(text))
        how = chance.randrange(3)
        other = bytes([text[place] ^ chance.randrange(1, 256)]) if how == 0 else b"" if how == 1 else bytes([text[place], chance.randrange(256)])
        return text[:place] + other + text[place + 1 :]

    for n in range(1000):
        body, header, secret, at = BODY, signature, SECRET, float(now)
        what = n % 4
        if what == 0:
            body = changed(BODY)
        elif what == 1:
            header = changed(signature.encode()).decode("latin1")
        elif what == 2:
            secret = "whsec_" + changed(SECRET[6:].encode()).decode("latin1")
        else:
            at = now + chance.choice([-1, 1]) * 300.01 * 10 ** chance.uniform(0, 6)
        with pytest.raises(errors.InvalidSignature) as caught:
            verify(body, {**genuine, "X-Webhook-Signature": header}, secret, now=at)
        assert caught.value.status == 401 and SECRET[6:] not in repr(vars(caught.value)), seed
    for edge in (now - 300, now, now + 300):
        assert len(verify(BODY, genuine, SECRET, now=edge)) == 1


def test_a_clock_that_is_wrong_is_named_in_the_error() -> None:
    with pytest.raises(errors.InvalidSignature, match="the clock right"):
        verify(BODY, headers_of(BODY, time.time() - 3600), SECRET)


@pytest.mark.parametrize("headers", [{}, {"X-Webhook-Signature": ""}, {"X-Webhook-Signature": "t=1,v1="}, {"Authorization": f"Bearer {SECRET}"}])
def test_a_delivery_without_a_signature_is_refused(headers: dict[str, str]) -> None:
    with pytest.raises(errors.InvalidSignature):
        verify(BODY, headers, SECRET)


@pytest.mark.parametrize(("body", "secret"), [(BODY, ""), (BODY, "secret"), (BODY, None), (VOTE, SECRET)])
def test_a_mistake_of_the_program_is_no_forgery(body: Any, secret: Any) -> None:
    with pytest.raises(errors.InvalidArgument):
        verify(body, headers_of(BODY, time.time()), secret)


def test_what_somebody_wrote_into_the_headers_beside_the_signature_breaks_nothing() -> None:
    with pytest.raises(errors.UnexpectedAnswer):
        verify(BODY, headers_of(BODY, time.time(), **{"X-Webhook-Attempt": "x"}), SECRET)
    with pytest.raises(errors.UnexpectedAnswer):
        verify(BODY, headers_of(BODY, time.time(), **{"X-Webhook-Batch": "2"}), SECRET)


def test_what_is_signed_and_is_no_event_is_told_apart() -> None:
    for body in (b"", b"[]", b"{}", b'{"event":"message"}', b'1},"x":{'):
        with pytest.raises(BridgeError) as caught:
            verify(body, headers_of(body, time.time()), SECRET)
        assert caught.value.code == "unexpected_answer"
