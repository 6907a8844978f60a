from __future__ import annotations

import inspect
import json
import mimetypes
from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypedDict, TypeVar, overload

import httpx
from typing_extensions import Unpack

from . import types as t
from ._asking import _Calls
from ._bridge_error import BridgeError, EventsMissed, InvalidArgument, NoAnswer, UnexpectedAnswer
from ._calls import AccountCalls, AsyncAccountCalls, AsyncBridgeCalls, BridgeCalls
from ._can_be_answered import can_be_answered
from ._cursor import CursorStore, OnMissed, open_cursor
from ._event_stream import OnInterruption, follow
from ._model import Model, event_types
from ._service import Service, request_of, unexpected
from ._transport import AsyncTransport, SyncTransport, iterate, run

E = TypeVar("E", bound=Model)
F = TypeVar("F", bound=Model)


class MessageOptions(TypedDict, total=False):
    """Where a stream begins, and which events it has.

    It begins where `resume`, `from_`, `after` or `since` say. There is no default, since a stream that begins now skips what
    came before.
    """

    resume: str | None
    """The name under which the program keeps its place, its cursor: it is written when the loop asks for the next event.
    Started again, the program goes on there: a crash repeats one event and skips none. The first time it begins now, or where
    `after` or `since` say."""
    store: str | PathLike[str] | CursorStore | None
    """The folder of the cursor's file, `.messaging-bridge` by default; or what keeps the cursor in place of files."""
    from_: Literal["now"] | None
    """Begins now. Nobody notes how far the program has come."""
    after: str | None
    """Begins behind the event of this id."""
    since: int | None
    """Begins at this time, Unix seconds."""
    chat: str | None
    """Only events of this chat: digits, or a JID."""
    search: str | None
    """Only events in which this text is."""
    on_interruption: OnInterruption | None
    """Is told of each interruption, and how many seconds it is until the next try."""
    on_missed: OnMissed | None
    """Is told how many events, of all types and chats, are no longer kept, since the program was away for too long; the stream
    then goes on. With asyncio it may be awaited. Without it, the stream raises `EventsMissed`."""


class EventOptions(MessageOptions, total=False):
    direction: Literal["in", "out"] | None
    """`in`: only what others wrote, and calls. `out`: only what was written on the phone."""


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
        self, type: type[E], /, **options: Unpack[EventOptions]
    ) -> Generator[t.StoredEvent[E], None, None]: ...
    @overload
    def events(
        self, type: type[E], other: type[F], /, **options: Unpack[EventOptions]
    ) -> Generator[t.StoredEvent[E | F], None, None]: ...
    @overload
    def events(
        self, one: type[Model], two: type[Model], three: type[Model], /, *types: type[Model], **options: Unpack[EventOptions]
    ) -> Generator[t.StoredEvent[t.Event], None, None]: ...
    @overload
    def events(self, *types: t.EventType, **options: Unpack[EventOptions]) -> Generator[t.StoredEvent[t.Event], None, None]: ...
    def events(self, *types: Any, **options: Unpack[EventOptions]) -> Generator[t.StoredEvent[Any], None, None]:
        """The events as they happen, in order, each once. A stream that breaks goes on behind the last event.

        :param types: Only events of these types: their classes, such as `MessageEvent`, or their names.
        :param options: `EventOptions`: where the stream begins, and which of them.
        :raises BridgeError: it cannot be opened, or the key is revoked meanwhile; `CursorUnusable`, `CursorInUse`,
            `EventsMissed`
        """
        return iterate(_events(self, types, **options))

    def messages(
        self, *, groups: bool = False, **options: Unpack[MessageOptions]
    ) -> Generator[t.StoredEvent[t.MessageEvent], None, None]:
        """What people write to the bridge and can be answered (`can_be_answered`), in chats of two; with `groups=True` in
        groups, too. As `events`."""
        return iterate(_messages(self, groups, **options))

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
        self, type: type[E], /, **options: Unpack[EventOptions]
    ) -> AsyncGenerator[t.StoredEvent[E], None]: ...
    @overload
    def events(
        self, type: type[E], other: type[F], /, **options: Unpack[EventOptions]
    ) -> AsyncGenerator[t.StoredEvent[E | F], None]: ...
    @overload
    def events(
        self, one: type[Model], two: type[Model], three: type[Model], /, *types: type[Model], **options: Unpack[EventOptions]
    ) -> AsyncGenerator[t.StoredEvent[t.Event], None]: ...
    @overload
    def events(self, *types: t.EventType, **options: Unpack[EventOptions]) -> AsyncGenerator[t.StoredEvent[t.Event], None]: ...
    def events(self, *types: Any, **options: Unpack[EventOptions]) -> AsyncGenerator[t.StoredEvent[Any], None]:
        """As `Bridge.events`."""
        return _events(self, types, **options)

    def messages(
        self, *, groups: bool = False, **options: Unpack[MessageOptions]
    ) -> AsyncGenerator[t.StoredEvent[t.MessageEvent], None]:
        """As `Bridge.messages`."""
        return _messages(self, groups, **options)

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
    types: tuple[Any, ...],
    *,
    resume: str | None = None,
    store: str | PathLike[str] | CursorStore | None = None,
    from_: str | None = None,
    after: str | None = None,
    since: int | None = None,
    on_interruption: OnInterruption | None = None,
    on_missed: OnMissed | None = None,
    chat: str | None = None,
    direction: str | None = None,
    search: str | None = None,
) -> AsyncGenerator[t.StoredEvent[Any], None]:
    names = [_name_of(one) for one in types]
    form: Any = t.StoredEvent[types[0] if len(types) == 1 and isinstance(types[0], type) else t.Event]  # type: ignore[misc]
    if from_ not in (None, "now"):
        raise InvalidArgument('from_: "now" is all that it can be')
    if resume == "":
        raise InvalidArgument("resume: a cursor needs a name")
    if resume is None and from_ is None and after is None and since is None:
        raise InvalidArgument(
            'events: say where to begin. `resume="a-name"` goes on where the program was when it ended; `from_="now"` skips '
            "what came before"
        )
    service, bridge = calls._service, str(calls._fixed["customer_ref"])
    cursor = await open_cursor(resume, service.url, bridge, store) if resume else None
    start = cursor.after if cursor and cursor.after is not None else after
    known = cursor.after if cursor else None
    query = {
        "type": names or None,
        "chat": chat,
        "direction": direction,
        "search": search,
        "since": since if start is None else None,
    }

    async def opened(last_id: str | None, is_first: bool) -> httpx.Response:
        try:
            return await _open(calls, "/events", query, last_id or start, is_first)
        except BridgeError as error:
            if cursor is None or known is None or not _is_unknown_event(error):
                raise
            why = "names an event that this bridge never had: remove it, and the program begins now"
            raise cursor.unusable(why) from error

    async with aclosing(follow(service.transport, opened, on_interruption)) as messages:
        async for message in messages:
            if message.name == "missed":
                await _tell_missed(message.data, on_missed)
            elif message.data is not None:
                try:
                    stored = form.model_validate_json(message.data)
                except ValueError:
                    raise UnexpectedAnswer("the stream has something that is no event") from None
                yield stored
            # The loop has asked for the next one: it is done with this one.
            if cursor is not None and message.id is not None:
                await cursor.move_to(message.id)


def _name_of(one: Any) -> str:
    if isinstance(one, str):
        return one
    named = [name for name, known in event_types().items() if known is one]
    if not named:
        raise InvalidArgument(f"events: {getattr(one, '__name__', one)} is no type of event")
    return named[0]


def _is_unknown_event(error: BridgeError) -> bool:
    """Whether the service refuses the id behind which a stream is to go on."""
    return any(issue.get("path") == "Last-Event-ID" for issue in error.issues)


async def _tell_missed(data: str | None, on_missed: OnMissed | None) -> None:
    missed = int(json.loads(data or "{}").get("missed", 0))
    if on_missed is not None:
        told = on_missed(missed)
        if inspect.isawaitable(told):
            await told
        return
    raise EventsMissed(
        f"the program was away for too long: up to {missed} events that came meanwhile are no longer kept. With "
        "`on_missed` it is told, and goes on",
        missed=missed,
    )


async def _messages(
    calls: _Calls, groups: bool, **options: Any
) -> AsyncGenerator[t.StoredEvent[t.MessageEvent], None]:
    async with aclosing(_events(calls, (t.MessageEvent,), direction="in", **options)) as events:
        async for stored in events:
            if can_be_answered(stored.event) and (groups or not stored.event.is_group):
                yield stored


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
