"""The messaging bridge: typed calls and events, retries that send nothing twice, and webhooks that are verified."""

from . import _events, errors, types
from ._asking import AsyncListing, Listing
from ._bridge_error import BridgeError
from ._can_be_answered import can_be_answered
from ._client import AsyncBridge, AsyncMessagingBridge, Bridge, EventOptions, MessageOptions, MessagingBridge
from ._cursor import CursorStore
from ._events import *  # noqa: F403
from .types import Event, StoredEvent
from .webhooks import Received, Undelivered, is_genuine, verify

__all__ = [
    "AsyncBridge",
    "AsyncListing",
    "AsyncMessagingBridge",
    "Bridge",
    "BridgeError",
    "CursorStore",
    "Event",
    "EventOptions",
    "Listing",
    "MessageOptions",
    "MessagingBridge",
    "Received",
    "StoredEvent",
    "Undelivered",
    "can_be_answered",
    "errors",
    "is_genuine",
    "types",
    "verify",
]
__all__ += _events.__all__
