from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import List, Protocol

from pydantic import TypeAdapter

from ._bridge_error import InvalidArgument, InvalidSignature, UnexpectedAnswer
from ._model import Model
from .types import Event

TOLERANCE = 300
"""In seconds: an older delivery may be a copy that an attacker sends again."""


@dataclass(frozen=True)
class Undelivered:
    """Events that the service gave up, since this webhook did not take them."""

    count: int
    since: int
    """When the first was given up, Unix seconds: `resend_since(since=...)` has them delivered again."""


@dataclass(frozen=True)
class Received:
    """An event that a webhook got, proved to be the service's."""

    event: Event
    event_id: str
    """The same each time that this event is delivered: use it to deduplicate."""
    attempt: int
    """The number of the attempt at delivering it, from 1."""
    is_resend: bool
    """It was asked for again: newer events may have come before it."""
    undelivered: Undelivered | None = None
    """What was given up since this webhook last took an event; only beside the first event of a delivery."""
    customer_ref: str | None = None
    """The bridge that the event is of; only where the webhook is the account's."""


class Headers(Protocol):
    """The headers of a request, as any framework has them: Flask's are no `Mapping`."""

    def items(self) -> Iterable[tuple[str, str]]: ...


class _One(Model):
    event_id: str
    event: Event


_batch = TypeAdapter(List[_One])


def verify(
    body: bytes | str, headers: Headers, secret: str, *, now: float | None = None
) -> list[Received]:
    """The events of a delivery: one, or several if the webhook takes batches.

    :param body: As it came: a framework's parsed JSON will not do.
    :param headers: Of the request.
    :param secret: The bridge's `webhook_secret`, or the `secret` of a further webhook, `whsec_` included.
    :param now: Unix seconds.
    :raises InvalidSignature: it is not genuine, or too old: answer with 401
    """
    if not isinstance(secret, str) or not secret.startswith("whsec_"):
        raise InvalidArgument(
            "secret is missing, or not one: it begins with whsec_, and is the webhook_secret of the bridge"
        )
    if not isinstance(body, (bytes, str)):
        raise InvalidArgument("body is not bytes: give the body as it came, before it was parsed")
    raw = body.encode() if isinstance(body, str) else body
    given = {name.lower(): value for name, value in headers.items()}
    if not is_genuine(raw, given.get("x-webhook-signature"), secret, now=now):
        raise InvalidSignature(
            "this delivery is not genuine, or more than five minutes old: is the secret that of this webhook, the clock "
            "right, and the body as it came?",
            status=401,
        )
    is_resend = "x-webhook-resend" in given
    try:
        attempt = int(given.get("x-webhook-attempt", "1"))
        said = json.loads(raw)
        one = {"event_id": given.get("x-webhook-event-id", ""), "event": said}
        events = _batch.validate_python(said if "x-webhook-batch" in given else [one])
        count, since = (int(given.get(f"x-webhook-undelivered{end}", "0")) for end in ("", "-since"))
    except ValueError:
        raise UnexpectedAnswer("this delivery is genuine, but has no event") from None
    undelivered = Undelivered(count, since) if count > 0 else None
    return [
        Received(
            one.event,
            one.event_id,
            attempt,
            is_resend,
            undelivered if one is events[0] else None,
            (one.event.model_extra or {}).get("customer_ref"),
        )
        for one in events
    ]


def is_genuine(body: bytes, signature: str | None, secret: str, *, now: float | None = None) -> bool:
    """Whether these bytes were signed with this secret, within the last five minutes.

    :param signature: The header `X-Webhook-Signature`.
    :param now: Unix seconds.
    """
    # While a secret is replaced there are two signatures: any that matches will do.
    match = re.fullmatch(r"t=([0-9]{1,12})((?:,v1=[0-9a-f]{64})+)", signature or "")
    if match is None:
        return False
    at, signatures = match.groups()
    if abs((time.time() if now is None else now) - int(at)) > TOLERANCE:
        return False
    expected = hmac.new(secret.encode(), at.encode() + b"." + body, hashlib.sha256).hexdigest()
    return any(hmac.compare_digest(expected, one) for one in signatures.split(",v1=")[1:])
