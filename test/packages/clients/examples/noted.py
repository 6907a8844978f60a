"""Runs the program that is named. Notes in the file NOTED which events it is handed, and which it is done with."""

import json
import os
import runpy
import sys
from collections.abc import Iterator
from typing import Any

from messaging_bridge import Bridge


def note(**line: str) -> None:
    with open(os.environ["NOTED"], "a") as file:
        file.write(json.dumps(line) + "\n")


def noted(ask: Any) -> Any:
    def asked(*given: Any, **options: Any) -> Iterator[Any]:
        for one in ask(*given, **options):
            note(given=one.event_id)
            yield one
            note(done=one.event_id)

    return asked


Bridge.events = noted(Bridge.events)  # type: ignore[method-assign]
Bridge.messages = noted(Bridge.messages)  # type: ignore[method-assign]
runpy.run_path(sys.argv[1], run_name="__main__")
