from __future__ import annotations

import re
from typing import TypeGuard

from ._model import Model
from .types import MessageEvent

_CHATS = re.compile(r"\d{7,15}@s\.whatsapp\.net|\d+@lid|[\d-]+@g\.us")
"""Chats to which the service sends: no broadcast, no channel, and not the network's own account."""


def can_be_answered(event: Model) -> TypeGuard[MessageEvent]:
    """Whether an event is a new message that somebody else has written in a chat that can be written to.

    An edit, a revocation, a reaction, a status, a broadcast and one's own words are not, nor is what belongs to another
    message, such as the same picture in high definition.
    """
    if not isinstance(event, MessageEvent) or event.from_me or event.is_broadcast or event.is_group_status:
        return False
    if event.edit or event.type == "reaction" or event.target_id is not None:
        return False
    return (event.part_of is None or event.part_of.as_ == "album") and bool(_CHATS.fullmatch(event.chat_id))
