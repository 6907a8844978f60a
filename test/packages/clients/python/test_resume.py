"""Where a program goes on after a restart."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import messaging_bridge
import pytest
from conftest import KEY, Between, event, streams

from messaging_bridge import AsyncMessagingBridge, Bridge, MessagingBridge, errors
from messaging_bridge._model import event_types

CHAT = "491711234567@s.whatsapp.net"


def shop_of(between: Between) -> Bridge:
    return MessagingBridge(between.url, KEY).bridge("shop")


def taken(shop: Bridge, count: int, **options: Any) -> list[str]:
    """The ids of the first events, the last of which the loop is not done with."""
    seen: list[str] = []
    for one in shop.events(**options):
        seen.append(one.event_id)
        if len(seen) == count:
            break
    return seen


def test_a_cursor_is_written_when_the_loop_asks_for_the_next_event(between: Between, tmp_path: Path) -> None:
    between.script = [streams("id: e0\n\n", event("e1"), event("e2")), streams("id: e1\n\n", event("e2"), event("e3"))]
    shop = shop_of(between)
    assert [taken(shop, 2, resume="a/b", store=tmp_path), taken(shop, 2, resume="a/b", store=tmp_path)] == [["e1", "e2"], ["e2", "e3"]]
    file = tmp_path / "a%2Fb.json"
    assert (json.loads(file.read_text())["after"], file.stat().st_mode & 0o777) == ("e2", 0o600)
    assert [one.headers.get("last-event-id") for one in between.arrivals] == [None, "e1"]


def test_a_store_may_be_awaited_and_of_two_programs_the_earlier_is_refused(between: Between) -> None:
    kept: dict[str, str] = {}

    class Store:
        async def get(self, key: str) -> str | None:
            return kept.get(key)

        async def set(self, key: str, value: str) -> None:
            kept[key] = value

    async def main() -> None:
        between.script = [streams("id: e0\n\n", event("e1"), event("e2")), streams("id: e0\n\n", event("e1"))]
        async with AsyncMessagingBridge(between.url, KEY) as client:
            first, second = (client.bridge("shop").events(resume="shop", store=Store()) for _ in range(2))
            assert (await first.__anext__()).event_id == "e1"
            assert json.loads(kept["shop"])["after"] == "e0"
            assert (await second.__anext__()).event_id == "e1"
            with pytest.raises(errors.CursorInUse):
                await first.__anext__()
            await second.aclose()

    asyncio.run(main())


def test_a_second_program_is_refused_while_the_first_lives(between: Between, tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    kept = {"url": between.url, "bridge": "shop", "after": "e0", "writer": "another", "pid": child.pid}
    (tmp_path / "shop.json").write_text(json.dumps(kept))
    with pytest.raises(errors.CursorInUse, match=r"\(process \d+\): give each program a `resume` of its own"):
        taken(shop_of(between), 1, resume="shop", store=tmp_path)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # ended, though its parent has not taken note
    between.script = [streams("id: e0\n\n", event("e1"))]
    assert taken(shop_of(between), 1, resume="shop", store=tmp_path) == ["e1"]
    child.wait()


@pytest.mark.parametrize("seconds", [-120, 7200])
def test_a_cursor_is_free_that_was_not_used_of_late_though_a_process_has_its_number(
    seconds: int, between: Between, tmp_path: Path
) -> None:
    file = tmp_path / "a!*.json"
    file.write_text(json.dumps({"url": between.url, "bridge": "shop", "after": "e0", "writer": "w", "pid": os.getppid()}))
    os.utime(file, (time.time() + seconds,) * 2)
    between.script = [streams("id: e0\n\n", event("e1"))]
    assert taken(shop_of(between), 1, resume="a!*", store=tmp_path) == ["e1"]
    assert between.arrivals[0].headers["last-event-id"] == "e0"


def test_a_cursor_needs_a_name(between: Between) -> None:
    with pytest.raises(errors.InvalidArgument, match="resume: a cursor needs a name"):
        taken(shop_of(between), 1, resume="", after="e0")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"url":"http', "is damaged: remove it"),
        ('{"url":"http://x","bridge":"shop","after":"e1","writer":"w"}', "is that of the bridge shop at http://x"),
        (None, "cannot be read"),
    ],
)
def test_a_cursor_that_cannot_be_used_is_told_of(text: str | None, says: str, between: Between, tmp_path: Path) -> None:
    (tmp_path / "shop.json").write_text(text or "")
    store = tmp_path if text else tmp_path / "shop.json"
    with pytest.raises(errors.CursorUnusable, match=says):
        taken(shop_of(between), 1, resume="shop", store=store)
    assert (tmp_path / "shop.json").read_text() == (text or "")


def test_events_that_are_gone_end_the_stream_or_are_told_of(between: Between, tmp_path: Path) -> None:
    gone = streams("id: e1\n\n", 'event: missed\nid: e40\ndata: {"missed":39}\n\n', event("e41"))
    between.script = [gone, gone]
    with pytest.raises(errors.EventsMissed) as caught:
        taken(shop_of(between), 1, resume="shop", store=tmp_path, after="e1")
    told: list[int] = []
    assert taken(shop_of(between), 1, resume="shop", store=tmp_path, on_missed=told.append) == ["e41"]
    assert (caught.value.missed, told) == (39, [39])


def test_who_is_told_of_events_that_are_gone_may_be_awaited(between: Between, tmp_path: Path) -> None:
    between.script = [streams("id: e1\n\n", 'event: missed\nid: e40\ndata: {"missed":39}\n\n', event("e41"))]
    told: list[int] = []

    async def tell(missed: int) -> None:
        await asyncio.sleep(0)
        told.append(missed)

    async def main() -> None:
        async with AsyncMessagingBridge(between.url, KEY) as client:
            stream = client.bridge("shop").events(after="e1", on_missed=tell)
            assert (await stream.__anext__()).event_id == "e41"
            await stream.aclose()

    asyncio.run(main())
    assert told == [39]


def test_messages_are_what_people_write_who_can_be_answered(between: Between) -> None:
    group: dict[str, Any] = {"is_group": True, "chat_id": "120363041234567890@g.us"}
    others: list[dict[str, Any]] = [
        {"chat_id": CHAT, "from_me": True},
        {"chat_id": CHAT, "edit": "revoke", "target_id": "M"},
        {"chat_id": CHAT, "type": "reaction", "target_id": "M"},
        {"chat_id": "status@broadcast", "is_broadcast": True},
        {"chat_id": CHAT, "part_of": {"message_id": "M", "as": "hd"}},
        {"chat_id": "0@s.whatsapp.net"},
    ]
    texts = [event(f"o{n}", **more) for n, more in enumerate(others)]
    said = [event("e1", chat_id=CHAT), *texts, event("e2", **group), event("e3", chat_id=CHAT)]
    between.script = [streams(*said), streams(*said)]

    def read(groups: bool, count: int) -> list[str]:
        messages = shop_of(between).messages(after="e0", groups=groups)
        return [next(messages).event_id for _ in range(count)]

    assert [read(False, 2), read(True, 3)] == [["e1", "e3"], ["e1", "e2", "e3"]]
    assert between.arrivals[0].path == "/api/instances/shop/events?type=message&direction=in"


def test_every_class_of_events_is_at_the_top() -> None:
    assert [one for one in event_types().values() if getattr(messaging_bridge, one.__name__, None) is not one] == []
