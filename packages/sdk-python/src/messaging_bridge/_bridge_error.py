from __future__ import annotations

from typing import Any


class BridgeError(Exception):
    """The one error that this package raises. `errors` has a class for each code.

    `code` says what happened, to programs, and the message to people. Nothing in it holds the API key or a webhook secret.
    A code that a newer service has is a plain `BridgeError`.
    """

    code: str = ""

    def __init__(self, message: str, **about: Any) -> None:
        super().__init__(message)
        self.message = message
        self.code: str = about.get("code") or type(self).code
        self.status: int = about.get("status", 0)
        """The status of the answer; 0 without one."""
        self.request_id: str | None = about.get("request_id")
        """Name it when you ask the operator of the service for help."""
        self.issues: list[dict[str, str]] = about.get("issues") or []
        """With `invalid_request`: which fields are wrong."""
        self.message_id: str | None = about.get("message_id")
        """With `send_outcome_unknown`: the id of the message, for `get_message`."""
        self.network_code: int | None = about.get("network_code")
        """With `network_rejected`: the network's own number for the reason."""
        self.idempotency_key: str | None = about.get("idempotency_key")
        """Repeat the call with this key to find out what became of it, without sending twice."""
        self.retry_after: float | None = about.get("retry_after")
        """How long the service asks to wait before the next try, in seconds."""
        self.missed: int | None = about.get("missed")
        """With `events_missed`: how many events are gone."""

    def __str__(self) -> str:
        return f"{self.message} (request {self.request_id})" if self.request_id else self.message


class NoAnswer(BridgeError):
    """`no_answer`: the service is away, too slow, or the connection broke."""

    code = "no_answer"


class UnexpectedAnswer(BridgeError):
    """`unexpected_answer`: something else answers at this address, such as a proxy with a page of HTML."""

    code = "unexpected_answer"


class InvalidArgument(BridgeError, ValueError):
    """`invalid_argument`: a mistake in the program that calls."""

    code = "invalid_argument"


class InvalidSignature(BridgeError):
    """`invalid_signature`: this delivery is not the service's, or too old."""

    code = "invalid_signature"


class CursorUnusable(BridgeError):
    """`cursor_unusable`: the cursor of a program cannot be read or written, is damaged, or is that of another bridge."""

    code = "cursor_unusable"


class CursorInUse(BridgeError):
    """`cursor_in_use`: another program uses this cursor."""

    code = "cursor_in_use"


class EventsMissed(BridgeError):
    """`events_missed`: the program was away for so long that events are no longer kept; `missed` says how many."""

    code = "events_missed"


_own = (NoAnswer, UnexpectedAnswer, InvalidArgument, InvalidSignature, CursorUnusable, CursorInUse, EventsMissed)
for _one in (BridgeError, *_own):
    _one.__module__ = "messaging_bridge.errors"
