from __future__ import annotations

import codecs
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass

import httpx

from ._bridge_error import BridgeError, NoAnswer
from ._service import back_off
from ._transport import Transport

OnInterruption = Callable[[BridgeError, float], object]


@dataclass
class Message:
    """One message of a stream of server-sent events; without data it only says how far the stream has come."""

    id: str | None
    name: str | None
    data: str | None


async def follow(
    transport: Transport,
    opened: Callable[[str | None, bool], Awaitable[httpx.Response]],
    on_interruption: OnInterruption | None,
) -> AsyncGenerator[Message, None]:
    """The messages of a stream, which is opened again behind the last one whenever it ends: none is left out, and none
    comes twice.

    :param opened: opens it, behind the message of this id or where it begins; and whether it is the first time
    :param on_interruption: is told of each interruption, and how many seconds it is until the next try
    :raises BridgeError: it cannot be opened at first, or is refused for good
    """
    last_id: str | None = None
    failures = 0
    is_first = True
    while True:
        answer: httpx.Response | None = None
        try:
            answer = await opened(last_id, is_first)
            is_first = False
            async with aclosing(_messages_in(transport, answer)) as messages:
                async for message in messages:
                    failures = 0
                    if message.data is None and message.id is None:
                        continue
                    if message.data is not None and message.id is not None and message.id == last_id:
                        continue
                    last_id = message.id or last_id
                    yield message
            # It has ended as it should, after some minutes.
            wait = 1.0
        except BridgeError as error:
            if is_first or _is_final(error):
                raise
            wait = back_off(failures) * 2 if error.retry_after is None else error.retry_after
            failures += 1
            if on_interruption is not None:
                on_interruption(error, wait)
        finally:
            if answer is not None:
                await transport.close(answer)
        await transport.sleep(wait)


def _is_final(error: BridgeError) -> bool:
    """Whether asking again would get the same answer. Once a stream was open, a page of HTML is a proxy that waits as well."""
    return error.code != "unexpected_answer" and 400 <= error.status < 500 and error.status != 429


async def _messages_in(transport: Transport, answer: httpx.Response) -> AsyncGenerator[Message, None]:
    """An unfinished message at the end of the stream is dropped."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    rest = ""
    try:
        async for chunk in transport.chunks(answer):
            *parts, rest = (rest + decoder.decode(chunk).replace("\r", "")).split("\n\n")
            for part in parts:
                yield _message_in(part)
    except httpx.RequestError as cause:
        late = isinstance(cause, httpx.TimeoutException)
        raise NoAnswer("the stream fell silent" if late else "the stream broke off") from cause


def _message_in(part: str) -> Message:
    fields = [line.partition(":") for line in part.split("\n")]
    ids = [value.removeprefix(" ") for name, _, value in fields if name == "id"]
    names = [value.removeprefix(" ") for name, _, value in fields if name == "event"]
    data = [value.removeprefix(" ") for name, _, value in fields if name == "data"]
    return Message(ids[-1] if ids else None, names[-1] if names else None, "\n".join(data) if data else None)
