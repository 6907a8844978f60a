"""What the generated calls are made of. Each is written once, and is the same function in both clients."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterator
from typing import Any, Concatenate, Generic, List, ParamSpec, TypeVar, cast

import httpx

from ._service import UNSET as UNSET
from ._service import Service, json_in, request_of
from ._transport import iterate, run

T = TypeVar("T")
P = ParamSpec("P")

PAGE_OF_JIDS = 100
"""Contract, "Contacts" and "Groups": lists that are paged by JID; by default a page has so many at least."""


class Pages(Generic[T]):
    """A list that comes in pages."""

    def __init__(
        self, service: Service, item: type[T], method: str, path: str, given: dict[str, object], **form: Any
    ) -> None:
        self._service = service
        self._form = List[item]  # type: ignore[valid-type]
        self._parts = method, path, given, form

    async def page(self, **more: str) -> tuple[list[T], str | None]:
        """A page, and behind what the next one begins."""
        method, path, given, form = self._parts
        return await self._service.ask(request_of(method, path, {**given, **more}, **form), self._read)

    async def _read(self, answer: httpx.Response) -> tuple[list[T], str | None]:
        items: list[T] = json_in(answer, self._form)
        is_full = len(items) >= int(str(self._parts[2].get("limit") or PAGE_OF_JIDS))
        last = getattr(items[-1], "jid", None) if items and is_full else None
        return items, answer.headers.get("x-next-after") or last

    async def all(self) -> AsyncGenerator[T, None]:
        items, after = await self.page()
        while True:
            for item in items:
                yield item
            if after is None:
                return
            items, after = await self.page(after=after)


class Listing(Generic[T]):
    """All of a list, page after page, in a loop; `page()` is one page. Nothing is asked for before."""

    def __init__(self, pages: Pages[T]) -> None:
        self._pages = pages

    def page(self) -> list[T]:
        return run(self._pages.page())[0]

    def __iter__(self) -> Iterator[T]:
        return iterate(self._pages.all())


class AsyncListing(Generic[T]):
    """All of a list, page after page, in an `async for`; `await page()` is one page. Nothing is asked for before."""

    def __init__(self, pages: Pages[T]) -> None:
        self._pages = pages

    async def page(self) -> list[T]:
        return (await self._pages.page())[0]

    def __aiter__(self) -> AsyncIterator[T]:
        return self._pages.all()


class _Calls:
    def __init__(self, service: Service, **fixed: object) -> None:
        self._service = service
        self._fixed = fixed

    async def _asked(
        self, answer: type[T], method: str, path: str, given: dict[str, object], **form: Any
    ) -> T:
        async def read(response: httpx.Response) -> T:
            return cast(T, None if answer is type(None) else json_in(response, answer))

        return await self._service.ask(request_of(method, path, {**given, **self._fixed}, **form), read)

    async def _fetched(self, method: str, path: str, given: dict[str, object], **form: Any) -> httpx.Response:
        async def read(response: httpx.Response) -> httpx.Response:
            return response

        return await self._service.ask(request_of(method, path, {**given, **self._fixed}, **form), read)

    def _pages(
        self, item: type[T], method: str, path: str, given: dict[str, object], **form: Any
    ) -> Pages[T]:
        return Pages(self._service, item, method, path, {**given, **self._fixed}, **form)


class Calls(_Calls):
    def _ask(self, answer: type[T], method: str, path: str, given: dict[str, object], **form: Any) -> T:
        return run(self._asked(answer, method, path, given, **form))

    def _fetch(self, method: str, path: str, given: dict[str, object], **form: Any) -> httpx.Response:
        return run(self._fetched(method, path, given, **form))

    def _list(
        self, item: type[T], method: str, path: str, given: dict[str, object], **form: Any
    ) -> Listing[T]:
        return Listing(self._pages(item, method, path, given, **form))


class AsyncCalls(_Calls):
    _ask = _Calls._asked
    _fetch = _Calls._fetched

    def _list(
        self, item: type[T], method: str, path: str, given: dict[str, object], **form: Any
    ) -> AsyncListing[T]:
        return AsyncListing(self._pages(item, method, path, given, **form))


def awaited(call: Callable[Concatenate[Any, P], T]) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]:
    """The same function. In an `AsyncCalls` it returns what is to be awaited, since that is what `_ask` returns there."""
    return call  # type: ignore[return-value]


def listed(call: Callable[Concatenate[Any, P], Listing[T]]) -> Callable[Concatenate[Any, P], AsyncListing[T]]:
    """The same function, for a list."""
    return call  # type: ignore[return-value]
