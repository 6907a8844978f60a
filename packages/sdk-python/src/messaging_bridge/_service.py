from __future__ import annotations

import json
import math
import os
import random
import re
import uuid
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

import httpx
from pydantic import BaseModel, TypeAdapter, ValidationError

from . import errors
from ._bridge_error import BridgeError, InvalidArgument, NoAnswer, UnexpectedAnswer
from ._transport import Transport

T = TypeVar("T")

UNSET: Any = type("Unset", (), {"__repr__": lambda _: "UNSET"})()
"""For a field for which `None` says something, and which was not given."""

FIRST_WAIT = 0.5

LONGEST_WAIT = 65.0
"""In seconds. A wait that is longer is left to the caller: `retry_after` of the error says how long it is."""

_class_of = {
    one.code: one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, BridgeError)
}


@dataclass
class Asked:
    """A request, before it has become a try."""

    method: str
    path: str
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    repeatable: bool = True
    """Whether the same request may be made again though the first one may have had its effect."""
    stream: bool = False


class Service:
    """A service and a key to it. Makes requests, and makes them again where a failure may pass."""

    def __init__(
        self, transport: Transport, url: str | None, key: str | None, retries: int, timeout: float
    ) -> None:
        self.transport = transport
        self.url = _checked_url(os.environ.get("BRIDGE_URL") if url is None else url)
        self._key = _checked_key(os.environ.get("BRIDGE_KEY") if key is None else key)
        self._retries = retries
        self.timeout = timeout

    async def ask(
        self,
        asked: Asked,
        read: Callable[[httpx.Response], Coroutine[Any, Any, T]],
        *,
        retries: int | None = None,
    ) -> T:
        """What `read` makes of a successful answer.

        :raises BridgeError:
        """
        most = self._retries if retries is None else retries
        tries = 0
        while True:
            try:
                return await self._once(asked, read)
            except BridgeError as error:
                wait = _wait_after(error, asked, tries) if tries < most else None
                if wait is None:
                    raise
            await self.transport.sleep(wait)
            tries += 1

    async def _once(self, asked: Asked, read: Callable[[httpx.Response], Coroutine[Any, Any, T]]) -> T:
        key = asked.headers.get("idempotency-key")
        try:
            answer = await self.transport.send(self._request(asked), stream=asked.stream)
            if answer.is_success:
                return await read(answer)
            if asked.stream:
                await self.transport.read(answer)
            raise _refusal(answer, key)
        except httpx.RequestError as cause:
            late = isinstance(cause, httpx.TimeoutException)
            why = "did not answer in time" if late else f"has no answer ({type(cause).__name__})"
            path = asked.path.split("?")[0]
            raise NoAnswer(f"{asked.method} {self.url}{path} {why}", idempotency_key=key) from cause

    def _request(self, asked: Asked) -> httpx.Request:
        parts: dict[str, Any] = {}
        if asked.body is not None:
            parts["content"] = asked.body
        # The service sends a comment every 10 seconds: a stream that is silent for longer has broken unnoticed.
        read = 30.0 if asked.stream else self.timeout
        request = self.transport.build(
            asked.method, self.url + asked.path, timeout=httpx.Timeout(self.timeout, read=read), **parts
        )
        own = {"authorization": f"Bearer {self._key}", "accept": "application/json", **asked.headers}
        request.headers.update(own)
        if parts:
            request.headers["content-type"] = "application/json"
        return request


def request_of(
    method: str,
    path: str,
    given: dict[str, object],
    *,
    query: tuple[str, ...] = (),
    body: bool = False,
    takes_key: bool = False,
    nulls: tuple[str, ...] = (),
) -> Asked:
    """The request of a call with these arguments.

    :raises InvalidArgument: a part of the path is missing, or no request can carry an argument
    """
    key = given.pop("idempotency_key", None) if takes_key else None
    # `from_` is `from` on the wire, which is a word of the language.
    named = {name.rstrip("_"): value for name, value in given.items() if name != "self"}
    rest = {k: v for k, v in named.items() if v is not UNSET and (v is not None or k in nulls)}

    def part(match: re.Match[str]) -> str:
        value = rest.pop(match[1], None)
        # A URL drops the dots, and would lead elsewhere.
        if not isinstance(value, str) or value in ("", ".", ".."):
            what = "the reference of the bridge" if match[1] == "customer_ref" else match[1]
            raise InvalidArgument(f"{method} {path}: {what} is missing")
        with _carried(method, path):
            return quote(value, safe="")

    filled = re.sub(r"\{(\w+)\}", part, path)
    with _carried(method, path):
        asked = urlencode({name: _in_query(rest.pop(name)) for name in query if name in rest})
        content = json.dumps(rest, default=_plain, allow_nan=False).encode() if body else None
    headers = {"idempotency-key": _checked_idempotency_key(key)} if takes_key else {}
    repeatable = takes_key or method in ("GET", "PUT", "PATCH")
    return Asked(method, f"{filled}?{asked}" if asked else filled, headers, content, repeatable)


def _in_query(value: object) -> object:
    return ",".join(value) if isinstance(value, list) else value


@contextmanager
def _carried(method: str, path: str) -> Iterator[None]:
    """:raises InvalidArgument: what an encoder refuses, which has errors of its own"""
    try:
        yield
    except (TypeError, ValueError) as cause:
        raise InvalidArgument(f"{method} {path}: no request can carry this: {cause}") from None


def json_in(answer: httpx.Response, form: Any) -> Any:
    """:raises UnexpectedAnswer: it is no JSON, or not of this form"""
    try:
        return _adapter(form).validate_json(answer.content)
    except ValidationError as error:
        [first, *_] = error.errors(include_input=False, include_url=False)
        if first["type"] == "json_invalid":
            raise unexpected(answer) from None
        where = ".".join(str(one) for one in first["loc"])
        text = f"the answer is not what the contract says: {where}: {first['msg']}"
        raise UnexpectedAnswer(text, status=answer.status_code) from None


@cache
def _adapter(form: Any) -> TypeAdapter[Any]:
    return TypeAdapter(form)


def unexpected(answer: httpx.Response, **about: Any) -> UnexpectedAnswer:
    kind = answer.headers.get("content-type", "no Content-Type").split(";")[0]
    what = f"{answer.status_code} and {kind}, not the JSON of a messaging bridge: is this its address, and is it up?"
    if 300 <= answer.status_code < 400:
        # What a redirect tells of the right address; the rest of it may be long, or secret.
        to = re.match(r"https?://[^/?#@]+(?=[/?#]|$)", answer.headers.get("location", ""))
        what = f"a redirect ({answer.status_code}){f' to {to[0]}' if to else ''}: give the address to which it leads"
    text = f"{answer.url.copy_with(query=None)} answered with {what}"
    return UnexpectedAnswer(text, **{"status": answer.status_code, **about})


def back_off(tries: int) -> float:
    """In seconds: up to 8, and never the same for many clients."""
    return min(FIRST_WAIT * 2.0**tries, 8.0) * (0.5 + random.random() / 2)


def _refusal(answer: httpx.Response, key: str | None) -> BridgeError:
    """The error that a refusal carries, or one that says that something else than the service has answered."""
    about: dict[str, Any] = {"idempotency_key": key, "retry_after": _retry_after(answer)}
    try:
        body = answer.json()
        code, message = body["code"], body["error"]
    except (ValueError, KeyError, TypeError):
        return unexpected(answer, **about)
    if not isinstance(code, str) or not isinstance(message, str):
        return unexpected(answer, **about)
    told = {name: body.get(name) for name in ("code", "request_id", "issues", "message_id", "network_code")}
    return _class_of.get(code, BridgeError)(message, status=answer.status_code, **told, **about)


def _retry_after(answer: httpx.Response) -> float | None:
    try:
        seconds = float(answer.headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if seconds >= 0 and math.isfinite(seconds) else None


def _wait_after(error: BridgeError, asked: Asked, tries: int) -> float | None:
    """How long to wait before the same request may be made again; None if it is not to be."""
    if not _passes(error, asked.repeatable):
        return None
    wait = back_off(tries) if error.retry_after is None else error.retry_after
    return wait if wait <= LONGEST_WAIT else None


def _passes(error: BridgeError, repeatable: bool) -> bool:
    """Whether a failure may pass, and the request can be made again without doing its work twice."""
    if error.code in ("pacing", "network_rejected"):
        return False
    # The service has done nothing.
    if error.status in (429, 503):
        return True
    return repeatable and (error.code in ("no_answer", "idempotency_conflict") or error.status >= 500)


def _plain(value: object) -> object:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_unset=True, by_alias=True)
    raise TypeError(f"{type(value).__name__} has no JSON")


def _checked_url(given: str | None) -> str:
    """The sentences show it not: a URL may hold a password."""
    if not given:
        raise InvalidArgument("url is missing: give the address of the service, or set BRIDGE_URL")
    try:
        url = httpx.URL(given)
    except httpx.InvalidURL:
        url = httpx.URL("")
    if not url.host or url.scheme not in ("http", "https"):
        raise InvalidArgument(
            "url is not one: give the address of the service, such as https://bridge.example.com"
        )
    if url.userinfo or url.query or url.fragment:
        raise InvalidArgument(
            "url has a user name, a query or a fragment: give the address of the service alone"
        )
    return str(url.copy_with(path=re.sub(r"(?:/api)?/*$", "", url.path) or "/")).rstrip("/")


def _checked_key(given: str | None) -> str:
    if not given:
        raise InvalidArgument("key is missing: give an API key, or set BRIDGE_KEY")
    if not re.fullmatch(r"[\x21-\x7e]+", given):
        raise InvalidArgument("key has a space, a line break or another character that no API key has")
    return given


def _checked_idempotency_key(given: object) -> str:
    if given is None:
        return str(uuid.uuid4())
    if isinstance(given, str) and re.fullmatch(r"[\x20-\x7e]{1,255}", given):
        return given
    raise InvalidArgument("idempotency_key: 1 to 255 printable characters")
