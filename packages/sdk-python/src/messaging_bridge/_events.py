# Generated from the contract by `npm run clients:generate`. Do not edit.

from .types import (
    CallIncomingEvent,
    CallTerminatedEvent,
    ConnectedEvent,
    DisconnectedEvent,
    EventResponseEvent,
    GroupEvent,
    MessageEvent,
    MessageLostEvent,
    MessageStatusEvent,
    OfflineSyncCompletedEvent,
    OfflineSyncPreviewEvent,
    PollVoteEvent,
    PresenceEvent,
    ProfilePictureUpdatedEvent,
    TestEvent,
    TypingEvent,
)

__all__ = [
    "CallIncomingEvent",
    "CallTerminatedEvent",
    "ConnectedEvent",
    "DisconnectedEvent",
    "EventResponseEvent",
    "GroupEvent",
    "MessageEvent",
    "MessageLostEvent",
    "MessageStatusEvent",
    "OfflineSyncCompletedEvent",
    "OfflineSyncPreviewEvent",
    "PollVoteEvent",
    "PresenceEvent",
    "ProfilePictureUpdatedEvent",
    "TestEvent",
    "TypingEvent",
]
