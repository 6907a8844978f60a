"""The messaging bridge: typed calls and events, retries that send nothing twice, and webhooks that are verified."""

from . import errors, types
from ._asking import AsyncListing, Listing
from ._bridge_error import BridgeError
from ._client import AsyncBridge, AsyncMessagingBridge, Bridge, EventOptions, MessagingBridge
from .types import Event, MessageEvent, StoredEvent
from .webhooks import Received, is_genuine, verify

__all__ = [
    "AsyncBridge",
    "AsyncListing",
    "AsyncMessagingBridge",
    "Bridge",
    "BridgeError",
    "Event",
    "EventOptions",
    "Listing",
    "MessageEvent",
    "MessagingBridge",
    "Received",
    "StoredEvent",
    "errors",
    "is_genuine",
    "types",
    "verify",
]
