from __future__ import annotations

import mimetypes
from collections.abc import AsyncGenerator, Generator
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypedDict, TypeVar, overload

import httpx
from typing_extensions import Unpack

from . import types as t
from ._asking import _Calls
from ._bridge_error import InvalidArgument, NoAnswer, UnexpectedAnswer
from ._calls import AccountCalls, AsyncAccountCalls, AsyncBridgeCalls, BridgeCalls
from ._event_stream import OnInterruption, follow
from ._model import Model, event_types
from ._service import Service, request_of, unexpected
from ._transport import AsyncTransport, SyncTransport, iterate, run

E = TypeVar("E", bound=Model)


class EventOptions(TypedDict, total=False):
    """Which events a stream has, and where it begins."""

    chat: str | None
    """Only events of this chat: digits, or a JID."""
    direction: Literal["in", "out"] | None
    """`in`: only what others wrote, and calls. `out`: only what was written on the phone."""
    search: str | None
    """Only events in which this text is."""
    after: str | None
    """Begins behind the event of this id: give the last `event_id` that you are done with, to miss none."""
    since: int | None
    """Begins at this time, Unix seconds. Without it and `after`, the stream begins now."""
    on_interruption: OnInterruption | None
    """Is told of each interruption, and how many seconds it is until the next try."""


class MessagingBridge(AccountCalls):
    """A service, and a key to it. Nothing is asked for yet.

    :param url: The address of the service, such as `https://bridge.example.com`; by default the environment's `BRIDGE_URL`.
    :param key: The API key, `mbk_…`; by default the environment's `BRIDGE_KEY`.
    :param retries: How often a call is made again after a failure that may pass.
    :param timeout: How long the service may be silent in one try, in seconds. It answers each call within 50.
    :param http_client: Used in place of one of its own, and not closed.
    :raises InvalidArgument: it is not clear where to ask, or with which key
    """

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        retries: int = 4,
        timeout: float = 60.0,
        http_client: httpx.Client | None = None,
    ) -> None:
        self._own = httpx.Client() if http_client is None else None
        transport = SyncTransport(http_client or self._own)  # type: ignore[arg-type]
        super().__init__(Service(transport, url, key, retries, timeout))

    def bridge(self, ref: str = "default") -> Bridge:
        """The bridge of this `customer_ref`; without one, the account's first. Nothing is asked for yet."""
        return Bridge(self._service, customer_ref=ref)

    def close(self) -> None:
        if self._own is not None:
            self._own.close()

    def __enter__(self) -> MessagingBridge:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"MessagingBridge({self._service.url!r})"


class AsyncMessagingBridge(AsyncAccountCalls):
    """The same as `MessagingBridge`, for asyncio and trio: its calls are awaited, its lists and streams are for `async for`."""

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        retries: int = 4,
        timeout: float = 60.0,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        self._own = httpx.AsyncClient() if http_client is None else None
        transport = AsyncTransport(http_client or self._own)  # type: ignore[arg-type]
        super().__init__(Service(transport, url, key, retries, timeout))

    def bridge(self, ref: str = "default") -> AsyncBridge:
        """The bridge of this `customer_ref`; without one, the account's first. Nothing is asked for yet."""
        return AsyncBridge(self._service, customer_ref=ref)

    async def close(self) -> None:
        if self._own is not None:
            await self._own.aclose()

    async def __aenter__(self) -> AsyncMessagingBridge:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"AsyncMessagingBridge({self._service.url!r})"


class Bridge(BridgeCalls):
    """A bridge: every call of the reference about it, under the reference's own name, and what is more than one call."""

    @property
    def ref(self) -> str:
        """The `customer_ref`."""
        return str(self._fixed["customer_ref"])

    @overload
    def events(
        self, type: type[E], **options: Unpack[EventOptions]
    ) -> Generator[t.StoredEvent[E], None, None]: ...
    @overload
    def events(
        self, type: t.EventType | None = None, **options: Unpack[EventOptions]
    ) -> Generator[t.StoredEvent[t.Event], None, None]: ...
    def events(
        self, type: Any = None, **options: Unpack[EventOptions]
    ) -> Generator[t.StoredEvent[Any], None, None]:
        """The events as they happen, in order, each once. A stream that breaks goes on behind the last event.

        :param type: Only events of this type: its class, such as `MessageEvent`, or its name.
        :param options: `EventOptions`: which of them, and where the stream begins.
        :raises BridgeError: it cannot be opened, or the key is revoked meanwhile
        """
        return iterate(_events(self, type, **options))

    def logs(
        self, *, tail: int | None = None, on_interruption: OnInterruption | None = None
    ) -> Generator[str, None, None]:
        """The lines of the log: the last `tail` ones (100), then new ones as they come."""
        return iterate(_logs(self, tail, on_interruption))

    def upload(
        self,
        file: bytes | str | PathLike[str],
        *,
        filename: str | None = None,
        content_type: str | None = None,
    ) -> str:
        """Uploads a file: its bytes, or where it is.

        :returns: its id, the `file` of `send_media` and `send_status`, good for 24 hours
        """
        return run(_upload(self, file, filename, content_type))

    def __repr__(self) -> str:
        return f"Bridge({self.ref!r})"


class AsyncBridge(AsyncBridgeCalls):
    """The same as `Bridge`: its calls are awaited, its lists and streams are for `async for`."""

    @property
    def ref(self) -> str:
        """The `customer_ref`."""
        return str(self._fixed["customer_ref"])

    @overload
    def events(
        self, type: type[E], **options: Unpack[EventOptions]
    ) -> AsyncGenerator[t.StoredEvent[E], None]: ...
    @overload
    def events(
        self, type: t.EventType | None = None, **options: Unpack[EventOptions]
    ) -> AsyncGenerator[t.StoredEvent[t.Event], None]: ...
    def events(
        self, type: Any = None, **options: Unpack[EventOptions]
    ) -> AsyncGenerator[t.StoredEvent[Any], None]:
        """As `Bridge.events`."""
        return _events(self, type, **options)

    def logs(
        self, *, tail: int | None = None, on_interruption: OnInterruption | None = None
    ) -> AsyncGenerator[str, None]:
        """As `Bridge.logs`."""
        return _logs(self, tail, on_interruption)

    async def upload(
        self,
        file: bytes | str | PathLike[str],
        *,
        filename: str | None = None,
        content_type: str | None = None,
    ) -> str:
        """As `Bridge.upload`."""
        return await _upload(self, file, filename, content_type)

    def __repr__(self) -> str:
        return f"AsyncBridge({self.ref!r})"


PATH = "/api/instances/{customer_ref}"


async def _open(
    calls: _Calls, path: str, query: dict[str, Any], last_id: str | None, is_first: bool
) -> httpx.Response:
    asked = request_of("GET", f"{PATH}{path}", {**query, **calls._fixed}, query=tuple(query))
    asked.stream = True
    asked.headers = {
        "accept": "text/event-stream",
        **({"last-event-id": last_id} if last_id is not None else {}),
    }

    async def read(answer: httpx.Response) -> httpx.Response:
        if answer.headers.get("content-type", "").startswith("text/event-stream"):
            return answer
        await calls._service.transport.close(answer)
        raise unexpected(answer)

    # Later on the stream itself tries again, and tells of it.
    return await calls._service.ask(asked, read, retries=None if is_first else 0)


async def _events(
    calls: _Calls,
    type: Any,
    *,
    chat: str | None = None,
    direction: str | None = None,
    search: str | None = None,
    after: str | None = None,
    since: int | None = None,
    on_interruption: OnInterruption | None = None,
) -> AsyncGenerator[t.StoredEvent[Any], None]:
    form: Any = t.StoredEvent[t.Event]
    if isinstance(type, _Class):
        form = t.StoredEvent[type]
        named = [name for name, one in event_types().items() if one is type]
        if not named:
            raise InvalidArgument(f"events: {type.__name__} is no type of event")
        [type] = named
    filters = {"type": type, "chat": chat, "direction": direction, "search": search}
    start = after
    if after is None and since is None:
        # A stream that was opened now and broke before its first event would otherwise begin at the later time at which it
        # is opened again.
        newest = {"order": "newest", "limit": 1}
        pages = calls._pages(
            t.StoredEvent[t.Event], "GET", f"{PATH}/events", dict(newest), query=("order", "limit")
        )
        latest, _ = await pages.page()
        start, since = (latest[0].event_id, None) if latest else (None, 0)

    async def opened(last_id: str | None, is_first: bool) -> httpx.Response:
        return await _open(calls, "/events", {**filters, "since": since}, last_id or start, is_first)

    messages = follow(calls._service.transport, opened, on_interruption)
    try:
        async for message in messages:
            try:
                yield form.model_validate_json(message.data or "")
            except ValueError:
                raise UnexpectedAnswer("the stream has something that is no event") from None
    finally:
        await messages.aclose()


_Class = type


async def _logs(
    calls: _Calls, tail: int | None, on_interruption: OnInterruption | None
) -> AsyncGenerator[str, None]:
    async def opened(_: str | None, is_first: bool) -> httpx.Response:
        # What came before an interruption is not shown again; what came in it is lost, as a log may lose it.
        return await _open(calls, "/logs", {"tail": tail if is_first else 0}, None, is_first)

    messages = follow(calls._service.transport, opened, on_interruption)
    try:
        async for message in messages:
            yield message.data or ""
    finally:
        await messages.aclose()


async def _upload(
    calls: _Calls, file: bytes | str | PathLike[str], filename: str | None, content_type: str | None
) -> str:
    data = file if isinstance(file, bytes) else Path(file).read_bytes()
    name = filename if filename is not None or isinstance(file, bytes) else Path(file).name
    kind = content_type or mimetypes.guess_type(name or "")[0] or "application/octet-stream"
    about = {"content_type": kind, "filename": name, "size": len(data)}
    made = await calls._asked(t.Upload, "POST", f"{PATH}/files", dict(about), body=True)
    transport = calls._service.transport
    files = {"file": (name or "file", data, kind)}
    timeout = calls._service.timeout
    request = transport.build("POST", made.upload.url, data=made.upload.fields, files=files, timeout=timeout)
    try:
        answer = await transport.send(request)
    except httpx.RequestError as cause:
        raise NoAnswer("the file could not be uploaded: the connection broke off") from cause
    if not answer.is_success:
        text = f"the file was not taken: the place for uploads answered {answer.status_code}"
        raise UnexpectedAnswer(text, status=answer.status_code)
    return made.file
