"""How far a program has come in the events of a bridge, written down."""

from __future__ import annotations

import inspect
import json
import os
import time
import uuid
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

from ._bridge_error import CursorInUse, CursorUnusable

FOLDER = ".messaging-bridge"
USED_WITHIN = 60
"""In seconds. The service sends something every 10 seconds, and each time the file is touched."""


class CursorStore(Protocol):
    """Keeps the cursors of programs: Redis, a table. A value is a line of text. With asyncio both may be awaited."""

    def get(self, key: str, /) -> str | bytes | None | Awaitable[str | bytes | None]: ...
    def set(self, key: str, value: str, /) -> object: ...


class _Elsewhere:
    """It has no processes to ask for."""

    pid = None

    def __init__(self, name: str, store: CursorStore) -> None:
        self._name, self._store = name, store
        self.where = json.dumps(name)

    async def get(self) -> str | bytes | None:
        found: Any = self._store.get(self._name)
        return await found if inspect.isawaitable(found) else found  # type: ignore[no-any-return]

    async def set(self, text: str) -> None:
        done = self._store.set(self._name, text)
        if inspect.isawaitable(done):
            await done

    def touch(self) -> None:
        pass

    def is_used_by(self, _: object) -> bool:
        return False


class _InFile:
    def __init__(self, name: str, folder: str | os.PathLike[str]) -> None:
        # As the SDK for TypeScript names it: a program may change its language.
        self._path = Path(folder) / (quote(name, safe="!'()*") + ".json")
        self.where = str(self._path)
        self.pid = os.getpid()

    async def get(self) -> str | bytes | None:
        try:
            return self._path.read_bytes()
        except FileNotFoundError:
            return None

    async def set(self, text: str) -> None:
        """Whole or not at all."""
        draft = self._draft_of(self.pid)
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, self._path)
        except OSError:
            _remove(draft)
            raise

    def _draft_of(self, pid: int) -> Path:
        return Path(f"{self._path}.{pid}")

    def touch(self) -> None:
        """Shows that it is in use."""
        try:
            os.utime(self._path)
        except OSError:
            pass  # it is written with the next event

    def is_used_by(self, pid: object) -> bool:
        """Whether this process, another one than this, is alive and has used it of late. What a dead one was writing is
        removed."""
        if not isinstance(pid, int) or pid == self.pid:
            return False
        if not _is_alive(pid) or _is_zombie(pid):
            _remove(self._draft_of(pid))
            return False
        # The number may be another process's by now. A time to come is one of a clock that was wrong.
        return abs(time.time() - self._path.stat().st_mtime) < USED_WITHIN


def _remove(draft: Path) -> None:
    try:
        draft.unlink(missing_ok=True)
    except OSError:
        pass  # nobody reads it


def _is_alive(pid: int) -> bool:
    if os.name == "nt":  # there `kill` ends it
        return False
    try:
        os.kill(pid, 0)
    except PermissionError:  # another user's
        return True
    except (OSError, OverflowError):
        return False
    return True


def _is_zombie(pid: int) -> bool:
    """Whether the process has ended and waits for its parent to take note, as Linux tells. The first process of a
    container may never do that, so that a killed program would seem to live."""
    try:
        return b") Z " in Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return False


class Cursor:
    """Made by `open_cursor`. `after` is the id behind which it goes on; None before the first start."""

    def __init__(self, keeper: _InFile | _Elsewhere, url: str, bridge: str) -> None:
        self._keeper = keeper
        self._about = {"url": url, "bridge": bridge}
        self._writer = str(uuid.uuid4())
        self.after: str | None = None

    async def take_up(self) -> None:
        kept = await self._read()
        if kept is None:
            return
        if {name: kept[name] for name in self._about} != self._about:
            raise self.unusable(
                f"is that of the bridge {kept['bridge']} at {kept['url']}: give another `resume`, or write the new "
                "address into it if that is the same bridge"
            )
        if self._keeper.is_used_by(kept.get("pid")):
            raise self._in_use(kept)
        # From now on an earlier run that is alive after all finds another writer than itself.
        await self._write(kept["after"])

    async def move_to(self, id: str) -> None:
        """Writes down that all up to this id is done."""
        if id == self.after:
            return self._keeper.touch()
        found = await self._read()
        if found is not None and found["writer"] != self._writer:
            raise self._in_use(found)
        await self._write(id)

    def unusable(self, why: str) -> CursorUnusable:
        return CursorUnusable(f"the cursor {self._keeper.where} {why}")

    def _in_use(self, kept: dict[str, Any]) -> CursorInUse:
        process = f" (process {kept['pid']})" if "pid" in kept else ""
        return CursorInUse(
            f"the cursor {self._keeper.where} is used by another program{process}: give each program a `resume` of its "
            "own; if none but this one runs, start it again in a minute"
        )

    async def _read(self) -> dict[str, Any] | None:
        try:
            text = await self._keeper.get()
        except Exception as cause:
            raise self.unusable(f"cannot be read: {cause}") from cause
        if text is None:
            return None
        try:
            kept = json.loads(text)
            if all(isinstance(kept[name], str) for name in ("url", "bridge", "after", "writer")):
                return kept  # type: ignore[no-any-return]
        except (ValueError, KeyError, TypeError):
            pass  # said below
        raise self.unusable("is damaged: remove it, and the program begins now")

    async def _write(self, after: str) -> None:
        pid = {} if self._keeper.pid is None else {"pid": self._keeper.pid}
        kept = {**self._about, "after": after, "writer": self._writer, **pid}
        try:
            await self._keeper.set(json.dumps(kept) + "\n")
        except Exception as cause:
            raise self.unusable(f"cannot be written: {cause}") from cause
        self.after = after


async def open_cursor(
    name: str, url: str, bridge: str, store: str | os.PathLike[str] | CursorStore | None
) -> Cursor:
    """Takes up a cursor. The run that used it before is refused from then on.

    :param store: a folder, or what keeps cursors in place of files
    :raises CursorUnusable: it cannot be read or written, is damaged, or is that of another bridge
    :raises CursorInUse: another process of this machine uses it
    """
    is_folder = store is None or isinstance(store, (str, os.PathLike))
    keeper = _InFile(name, store or FOLDER) if is_folder else _Elsewhere(name, store)  # type: ignore[arg-type]
    cursor = Cursor(keeper, url, bridge)
    await cursor.take_up()
    return cursor


OnMissed = Callable[[int], object]
