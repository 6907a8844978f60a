"""The two ways to wait. All else is written once, as if for asyncio."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Generator
from typing import Any, Protocol, TypeVar

import anyio
import httpx

T = TypeVar("T")


class Transport(Protocol):
    def build(self, method: str, url: str, **parts: Any) -> httpx.Request: ...
    async def send(self, request: httpx.Request, *, stream: bool = False) -> httpx.Response: ...
    async def read(self, response: httpx.Response) -> bytes: ...
    def chunks(self, response: httpx.Response) -> AsyncIterator[bytes]: ...
    async def close(self, response: httpx.Response) -> None: ...
    async def sleep(self, seconds: float) -> None: ...


class SyncTransport:
    """Nothing here waits for a loop, so `run` and `iterate` get through in one step."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client

    def build(self, method: str, url: str, **parts: Any) -> httpx.Request:
        return self._client.build_request(method, url, **parts)

    async def send(self, request: httpx.Request, *, stream: bool = False) -> httpx.Response:
        return self._client.send(request, stream=stream, auth=None, follow_redirects=False)

    async def read(self, response: httpx.Response) -> bytes:
        return response.read()

    async def chunks(self, response: httpx.Response) -> AsyncIterator[bytes]:
        for chunk in response.iter_bytes():
            yield chunk

    async def close(self, response: httpx.Response) -> None:
        response.close()

    async def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


class AsyncTransport:
    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client

    def build(self, method: str, url: str, **parts: Any) -> httpx.Request:
        return self._client.build_request(method, url, **parts)

    async def send(self, request: httpx.Request, *, stream: bool = False) -> httpx.Response:
        return await self._client.send(request, stream=stream, auth=None, follow_redirects=False)

    async def read(self, response: httpx.Response) -> bytes:
        return await response.aread()

    def chunks(self, response: httpx.Response) -> AsyncIterator[bytes]:
        return response.aiter_bytes()

    async def close(self, response: httpx.Response) -> None:
        await response.aclose()

    async def sleep(self, seconds: float) -> None:
        await anyio.sleep(seconds)


def run(work: Coroutine[Any, Any, T]) -> T:
    """The result of work over a `SyncTransport`."""
    try:
        work.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    raise RuntimeError("this work waits for a loop")


def iterate(work: AsyncGenerator[T, None]) -> Generator[T, None, None]:
    """What work over a `SyncTransport` yields."""
    try:
        while True:
            try:
                item = run(work.__anext__())
            except StopAsyncIteration:
                return
            yield item
    finally:
        run(work.aclose())
