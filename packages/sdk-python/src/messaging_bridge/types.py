# Generated from the contract by `npm run clients:generate`. Do not edit.

from __future__ import annotations

from typing import Annotated, Generic, List, Literal, TypeVar

from pydantic import Field, PlainValidator

from ._model import Model, event_in

E = TypeVar("E", bound=Model)


class MessageFileStoredAs(Model):
    """Where the file will be in your own S3 (`media_store` of the bridge): it is there once an event `media_stored` says so."""

    bucket: str
    key: str = Field(repr=False)
    url: str | None = None
    """Of `link` `presigned`: good for seven days."""


class MessageFile(Model):
    """The file of media, as its sender describes it."""

    name: str
    """The name that the sender gave it, without invisible characters, and with `_` for each `/` and `\\`; `""` without one."""
    content_type: str
    size: int
    """Bytes; 0: the sender did not say."""
    seconds: int | None = None
    """How long an audio or a video plays."""
    width: int | None = None
    """In pixels."""
    height: int | None = None
    """In pixels."""
    pages: int | None = None
    """How many pages a document has."""
    waveform: List[int] | None = None
    """How loud a voice note is over its time: mostly 64 values from 0 to 100."""
    gif: Literal[True] | None = None
    """A video that plays by itself, again and again, without sound."""
    stored_as: MessageFileStoredAs | None = None
    """Where the file will be in your own S3 (`media_store` of the bridge): it is there once an event `media_stored` says so."""
    video_note: Literal[True] | None = None
    """A video that phones show as a circle."""


class MessageQuoted(Model):
    """The message that this one replies to."""

    message_id: str
    chat_id: str
    """Where it was written: `status@broadcast` where somebody answers a status."""
    contact_id: str
    """Who wrote it."""
    body: str
    """The first 4,096 characters of its text, as quoted by the sender of the reply."""
    type: str
    """As `type` of a message; `""` for every other kind."""


class MessageMentionedGroup(Model):
    jid: str
    name: str
    """As the sender gives it."""


class MessageReaction(Model):
    emoji: str
    """`""`: the reaction was removed."""
    message_id: str
    """The message that it reacts to."""
    chat_id: str
    """Where that message was written: `status@broadcast` if it is a status."""
    contact_id: str
    """Who wrote that message."""


class MessagePreview(Model):
    """What the sender's phone shows of a link in the text."""

    url: str
    """The link, as it stands in the text."""
    title: str
    description: str


class MessageLocation(Model):
    lat: float
    lng: float
    name: str
    address: str
    live: Literal[True] | None = None
    """The sender shares where they are for some time: the place moves."""
    accuracy_m: int | None = None
    """How exact a live place is, in metres."""


class MessageResult(Model):
    option: str
    votes: int


class MessageEventDetailsLocation(Model):
    lat: float
    lng: float
    name: str
    address: str


class MessageEventDetails(Model):
    name: str
    description: str
    start_time: int
    """Unix seconds."""
    end_time: int
    """Unix seconds; 0: none was given."""
    join_link: str
    location: MessageEventDetailsLocation | None = None
    is_canceled: Literal[True] | None = None


class MessageContact(Model):
    name: str
    phones: List[str]
    """Its numbers, as they are written on the card."""
    on_whatsapp: List[str] | None = None
    """Those of its numbers that the sender's phone has found on the network, as digits: a `chat`."""
    vcard: str
    """The whole card (RFC 6350)."""


class MessageInteractiveButton(Model):
    id: str
    """The `tapped.id` of the message that comes when a person taps it; `""` if none comes."""
    text: str
    url: str | None = None
    """Opens this address."""
    phone: str | None = None
    """Calls this number."""
    code: str | None = Field(default=None, repr=False)
    """Copies this text, such as a one-time code."""


class MessageInteractiveSectionRow(Model):
    id: str
    title: str
    description: str


class MessageInteractiveSection(Model):
    title: str
    rows: List[MessageInteractiveSectionRow]


class MessageInteractiveCardFile(Model):
    """Its picture, video or document: `messages/{id}/media` gives it for `card`."""

    name: str
    """The name that the sender gave it, without invisible characters, and with `_` for each `/` and `\\`; `""` without one."""
    content_type: str
    size: int
    """Bytes; 0: the sender did not say."""


class MessageInteractiveCard(Model):
    title: str
    body: str
    footer: str
    buttons: List[MessageInteractiveButton]
    file: MessageInteractiveCardFile | None = None
    """Its picture, video or document: `messages/{id}/media` gives it for `card`."""


class MessageInteractiveOffer(Model):
    """An offer that ends."""

    text: str
    code: str | None = Field(default=None, repr=False)
    """What is to be named for it."""
    url: str | None = None
    expires_at: int | None = None
    """Unix seconds."""


class MessageInteractive(Model):
    """What people can tap in a business's message, and what surrounds its text."""

    title: str | None = None
    """The line above the text."""
    footer: str | None = None
    """The line below the text."""
    buttons: List[MessageInteractiveButton] | None = None
    sections: List[MessageInteractiveSection] | None = None
    """The rows of a list to choose from."""
    cards: List[MessageInteractiveCard] | None = None
    """The cards of a carousel."""
    offer: MessageInteractiveOffer | None = None
    """An offer that ends."""


class MessageTapped(Model):
    """This message is somebody's choice in an earlier one, which `quoted` names."""

    id: str
    """The id of the button or row."""
    text: str
    """The label of the button or row."""
    description: str | None = None
    answers: dict[str, object] | None = None
    """What a form was filled in with, by the names of its fields."""


class MessageOrder(Model):
    id: str
    token: str
    """The network's token of the order."""
    title: str
    item_count: int
    status: str | None = None
    """How far it is, as the network gives it, such as `shipped`."""
    description: str | None = None
    """What the business writes about that."""
    amount: float | None = None
    """In the unit of `currency`, as 12.5."""
    currency: str | None = None
    """ISO 4217."""


class MessageProduct(Model):
    id: str
    """`""`: the message shows a whole catalogue."""
    title: str
    description: str
    retailer_id: str
    """The seller's own number of it."""
    url: str
    seller_id: str
    """JID of the business that sells it."""
    amount: float | None = None
    """In the unit of `currency`, as 12.5."""
    currency: str | None = None
    """ISO 4217."""


class MessageInvitation(Model):
    to: Literal["group", "channel", "event"]
    id: str
    """JID of the group or channel, id of the event."""
    name: str
    code: str = Field(repr=False)
    """With it, `groups/join` joins the group; `""` for others."""
    expires_at: int | None = None
    """Unix seconds."""


class MessagePaymentMethod(Model):
    type: str
    """As the network gives it, such as `pix_static_code`."""
    code: str = Field(repr=False)
    """What is paid with: a Pix key or code, the line of a boleto, a link."""
    key_type: str | None = None
    """Of a Pix key, as the network gives it, such as `EMAIL`."""
    name: str
    """Who is paid; `""`: the sender does not say."""


class MessagePayment(Model):
    kind: Literal["request", "sent", "declined", "cancelled", "invitation", "reminder", "split", "details"]
    """`details`: how the sender wants to be paid."""
    methods: List[MessagePaymentMethod] | None = None
    """Of `details`."""
    request_id: str | None = None
    """The message id of the request that it answers."""
    expires_at: int | None = None
    """Unix seconds."""
    amount: float | None = None
    """In the unit of `currency`, as 12.5."""
    currency: str | None = None
    """ISO 4217."""


class MessageAd(Model):
    """The ad or post that brought the sender here."""

    title: str
    body: str
    source_type: str
    """As the network gives it: `ad`, `post`."""
    source_id: str
    """The id of the ad or post."""
    source_url: str
    click_id: str
    """Meta's id of the click (`ctwa_clid`)."""
    entry_point: str
    """Where the chat was begun, as the network gives it, such as `ctwa_ad`."""
    app: str
    """The app in which it was seen, such as `instagram`."""
    utm_source: str | None = None
    utm_campaign: str | None = None


class MessagePartOf(Model):
    message_id: str
    """The message to which it belongs; the pictures of an album share one."""
    as_: Literal["album", "hd", "event_cover", "poll_option", "motion_photo", "status", "other"] = Field(alias="as")
    """`hd`: the same picture or video once more, in high definition."""


class MessageEvent(Model):
    """A message that came in, or that was written on the phone or another of its devices. Messages sent through this API do not come back."""

    event: Literal["message"]
    message_id: str
    contact_id: str
    """JID of the person: the phone number's where known, else the LID."""
    phone: str
    """Digits; `""` where the number is not known."""
    chat_id: str
    """JID of the chat: the group's, or in a chat of two that of the other person, in the form of `contact_id`."""
    chat_lid: str | None = None
    """In a chat of two, beside the number: the other person's private id (LID), where it is known. Before their number was known, `chat_id` was this."""
    name: str
    """The sender's display name, as the network gives it."""
    username: str | None = None
    """The sender's username, without its `@`. People who have one may be written to by it, and their number may be unknown."""
    body: str
    """Its text: the caption of media, the question of a poll, the names on contact cards, the lines of a business's message."""
    type: Literal["text", "media", "reaction", "poll", "location", "event", "contact", "unknown"]
    """`unknown`: this release cannot read it, or only the phone shows it (`placeholderMessage`). `unknown_kind` names its kind, and `body` has its text, as far as one can be found. `target_id` is there if it is about another message. Once a later release can read it, an event with `edit` follows."""
    unknown_kind: str | None = None
    """The name of the kind in the network's protocol, if `type` is `unknown`; of any other message: that of a part which this release does not read beside the rest."""
    media_type: Literal["", "image", "video", "audio", "voice", "document", "sticker"]
    """The kind of `media`. `""`: the message may be viewed once, on the phone. The network gives linked devices neither its file nor its caption, so `messages/{id}/media` answers 404."""
    is_group: bool
    from_me: bool
    """Written on the phone of this session, or another of its devices."""
    timestamp: int
    """Unix seconds."""
    caption: str | None = None
    """The caption of media."""
    file: MessageFile | None = None
    """The file of media, as its sender describes it."""
    view_once: Literal[True] | None = None
    """The message may be viewed once."""
    quoted: MessageQuoted | None = None
    """The message that this one replies to."""
    mentions: List[str] | None = None
    """JIDs of the people whom the text mentions."""
    mentioned_groups: List[MessageMentionedGroup] | None = None
    """The groups that the text mentions, each as `@` and its JID."""
    mentions_all: Literal[True] | None = None
    """The text mentions everybody in the group."""
    forwarded: Literal[True] | None = None
    reaction: MessageReaction | None = None
    edit: Literal["edit", "revoke", "pin"] | None = None
    """This is not a new message. `edit`: the message `target_id` now has this text. `revoke`: it is revoked. `pin`: it is pinned in the chat (unpinning gives no event). Where `target_id` is the message's own id, this is that message, as it is now."""
    target_id: str | None = None
    """The message that an edit, revoke, pin, reaction or `unknown` message refers to."""
    preview: MessagePreview | None = None
    """What the sender's phone shows of a link in the text."""
    location: MessageLocation | None = None
    options: List[str] | None = None
    """The options of a poll."""
    max_answers: int | None = None
    """How many options of a poll one person may choose; 0: any number."""
    correct_option: str | None = None
    """The right answer of a quiz."""
    results: List[MessageResult] | None = None
    """The results of a poll, where it shows them."""
    event_details: MessageEventDetails | None = None
    contacts: List[MessageContact] | None = None
    interactive: MessageInteractive | None = None
    """What people can tap in a business's message, and what surrounds its text."""
    tapped: MessageTapped | None = None
    """This message is somebody's choice in an earlier one, which `quoted` names."""
    order: MessageOrder | None = None
    product: MessageProduct | None = None
    invitation: MessageInvitation | None = None
    payment: MessagePayment | None = None
    ad: MessageAd | None = None
    """The ad or post that brought the sender here."""
    part_of: MessagePartOf | None = None
    cut: Literal[True] | None = None
    """The message is too large for an event: its longest texts are cut, its longest lists end early."""
    disappears_after: int | None = None
    """The chat's timer, in seconds, when it was written."""
    scheduled_for: int | None = None
    """The message was written to be sent at this time. Unix seconds."""
    offline: Literal[True] | None = None
    """It happened while the session was offline."""
    handover: Literal[True] | None = None
    """A person answers in this chat now: `set_handover`, or somebody in the dashboard, has said so. Your program should be silent."""
    is_broadcast: Literal[True] | None = None
    """Sent to a broadcast list, or posted as a status."""
    is_group_status: Literal[True] | None = None
    """Posted as a status of the group."""
    verified_business: Literal[True] | None = None
    """The sender is a business whose name the network has verified."""


class MessageLostEvent(Model):
    """Somebody wrote a message that this session cannot read: the network gave only a placeholder, and the phone, asked for it again and again, has not given it in two days, or was logged out before. It can be read on the phone. It comes only if `events` of the bridge names it. If the phone gives the message after all, its event `message` follows."""

    event: Literal["message_lost"]
    message_id: str
    contact_id: str
    """JID of the person: the phone number's where known, else the LID."""
    phone: str
    """Digits; `""` where the number is not known."""
    chat_id: str
    """JID of the chat: the group's, or in a chat of two that of the other person, in the form of `contact_id`."""
    chat_lid: str | None = None
    """In a chat of two, beside the number: the other person's private id (LID), where it is known. Before their number was known, `chat_id` was this."""
    name: str
    """The sender's display name, as the network gives it."""
    username: str | None = None
    """The sender's username, without its `@`. People who have one may be written to by it, and their number may be unknown."""
    is_group: bool
    from_me: bool
    """Written on the phone of this session, or another of its devices."""
    timestamp: int
    """Unix seconds."""
    offline: Literal[True] | None = None
    """It happened while the session was offline."""


class ConnectedEvent(Model):
    """The session is up: after a phone was linked, and after every `disconnected`. A restart that is over within ten seconds gives no event."""

    event: Literal["connected"]
    phone: str
    """Digits; `""` where the number is not known."""


class DisconnectedEvent(Model):
    """The session is down. With a `reason` it stays so until you act. Without one, the connection has been gone for ten seconds, and the session connects again by itself."""

    event: Literal["disconnected"]
    reason: Literal["logged_out", "stream_replaced"] | None = None
    detail: str | None = None
    """A sentence for people. It says, too, if the network has locked or banned the account, or banned it for some time."""


class TypingEvent(Model):
    """Somebody begins or stops to type or record: a contact that was subscribed with `presence/subscribe`, or anybody in a group."""

    event: Literal["typing"]
    contact_id: str
    """JID of the person: the phone number's where known, else the LID."""
    chat_id: str
    """JID of the chat: the group's, or in a chat of two that of the other person, in the form of `contact_id`."""
    chat_lid: str | None = None
    """In a chat of two, beside the number: the other person's private id (LID), where it is known. Before their number was known, `chat_id` was this."""
    state: Literal["composing", "paused"]
    mode: Literal["text", "voice"]


class PresenceEvent(Model):
    """A contact that was subscribed with `presence/subscribe` came online or left."""

    event: Literal["presence"]
    contact_id: str
    """JID of the person: the phone number's where known, else the LID."""
    unavailable: bool
    last_seen: int | None = None
    """Unix seconds; absent where it is hidden."""


class PollVoteEvent(Model):
    """A vote on a poll, or a change of one. A vote on a poll that this session does not know cannot be read: it is a line in the bridge's log, and no event."""

    event: Literal["poll_vote"]
    contact_id: str
    """JID of the person: the phone number's where known, else the LID."""
    phone: str
    """Digits; `""` where the number is not known."""
    chat_id: str
    """JID of the chat: the group's, or in a chat of two that of the other person, in the form of `contact_id`."""
    chat_lid: str | None = None
    """In a chat of two, beside the number: the other person's private id (LID), where it is known. Before their number was known, `chat_id` was this."""
    poll_id: str
    """The message id of the poll."""
    message_id: str
    """The message id of the vote."""
    name: str
    """The sender's display name, as the network gives it."""
    username: str | None = None
    """The sender's username, without its `@`. People who have one may be written to by it, and their number may be unknown."""
    from_me: bool
    """Written on the phone of this session, or another of its devices."""
    timestamp: int
    """Unix seconds."""
    selected_options: List[str]
    """Everything that is selected now; empty if the vote was withdrawn."""
    offline: Literal[True] | None = None
    """It happened while the session was offline."""


class EventResponseEvent(Model):
    """An answer to an event message, such as `send/event` sends."""

    event: Literal["event_response"]
    contact_id: str
    """JID of the person: the phone number's where known, else the LID."""
    phone: str
    """Digits; `""` where the number is not known."""
    chat_id: str
    """JID of the chat: the group's, or in a chat of two that of the other person, in the form of `contact_id`."""
    chat_lid: str | None = None
    """In a chat of two, beside the number: the other person's private id (LID), where it is known. Before their number was known, `chat_id` was this."""
    event_id: str
    """The message id of the event message."""
    message_id: str
    """The message id of the answer."""
    name: str
    """The sender's display name, as the network gives it."""
    username: str | None = None
    """The sender's username, without its `@`. People who have one may be written to by it, and their number may be unknown."""
    from_me: bool
    """Written on the phone of this session, or another of its devices."""
    timestamp: int
    """Unix seconds."""
    response: Literal["going", "not_going", "maybe", "unknown"]
    response_time_ms: int
    """Unix milliseconds."""
    extra_guest_count: int
    """How many more people will come along."""
    offline: Literal[True] | None = None
    """It happened while the session was offline."""


class CallIncomingEvent(Model):
    """Somebody calls. `calls/{id}/reject` declines the call; only the phone can answer it."""

    event: Literal["call_incoming"]
    call_id: str
    contact_id: str
    """JID of the person: the phone number's where known, else the LID."""
    chat_id: str
    """JID of the chat: the group's, or in a chat of two that of the other person, in the form of `contact_id`."""
    chat_lid: str | None = None
    """In a chat of two, beside the number: the other person's private id (LID), where it is known. Before their number was known, `chat_id` was this."""
    name: str
    """The sender's display name, as the network gives it."""
    username: str | None = None
    """The sender's username, without its `@`. People who have one may be written to by it, and their number may be unknown."""
    platform: str
    """As the network gives it, else `unknown`."""
    video: Literal[True] | None = None
    timestamp: int
    """Unix seconds."""


class CallTerminatedEvent(Model):
    """A call is over, whoever ended it. One event for each call."""

    event: Literal["call_terminated"]
    call_id: str
    contact_id: str
    """JID of the person: the phone number's where known, else the LID."""
    chat_id: str
    """JID of the chat: the group's, or in a chat of two that of the other person, in the form of `contact_id`."""
    chat_lid: str | None = None
    """In a chat of two, beside the number: the other person's private id (LID), where it is known. Before their number was known, `chat_id` was this."""
    reason: Literal["timeout", "hangup", "decline", "busy", "accept_elsewhere"]
    """`accept_elsewhere`: it was answered on the phone or another of its devices."""
    timestamp: int
    """Unix seconds."""


class OfflineSyncPreviewEvent(Model):
    """Catching up begins: how much the network has kept while the session was offline. The kept messages follow."""

    event: Literal["offline_sync_preview"]
    total: int
    messages: int
    notifications: int
    receipts: int
    app_data_changes: int


class OfflineSyncCompletedEvent(Model):
    """Catching up is over. This comes each time the session connects, including after a restart; `count` is 0 if there was nothing to catch up on."""

    event: Literal["offline_sync_completed"]
    count: int
    """How many things the network had kept."""


class ProfilePictureUpdatedEvent(Model):
    """The session's own picture was changed or removed."""

    event: Literal["profile_picture_updated"]
    remove: bool
    timestamp: int
    """Unix seconds."""
    picture_id: str | None = None


class GroupSettings(Model):
    """What was changed."""

    write: Literal["all", "admins"] | None = None
    """Who may write."""
    edit: Literal["all", "admins"] | None = None
    """Who may change name, topic, picture and disappearing messages."""
    add_members: Literal["all", "admins"] | None = None
    """Who may add members."""
    approval: bool | None = None
    """Whether admins decide about those who come by the link."""
    disappearing: int | None = None
    """After how many seconds messages disappear; 0: they do not."""


class GroupEvent(Model):
    """Something has changed in a group that the account is in, or its membership of one. It comes only if `events` of the bridge names it. Changes that were made through this API come as well, as the network tells of them."""

    event: Literal["group"]
    kind: Literal["created", "added", "joined", "left", "removed", "promoted", "demoted", "subject", "description", "picture", "settings", "link", "request", "request_over", "deleted"]
    """`joined`: by a link or an invitation; otherwise somebody has `added` them. `removed`: by somebody else than who has `left`. `subject` and `description`: the group has another name or topic. `settings`: others may do something now. `link`: the link was revoked, and there is a new one. `request`: somebody asks to join. `request_over`: they have withdrawn that, or an admin has turned them away."""
    chat_id: str
    """JID of the group."""
    contact_id: str
    """JID of the person who made the change, as in other events; `""` if the network does not say."""
    phone: str
    """Digits; `""` where the number is not known."""
    name: str
    """That person's display name, as the network gives it."""
    username: str | None = None
    """The sender's username, without its `@`. People who have one may be written to by it, and their number may be unknown."""
    from_me: bool
    """The session's own account made the change, on its phone, another device or through this API."""
    timestamp: int
    """Unix seconds."""
    participants: List[str] | None = None
    """JIDs of the people whom it concerns, in the form of `contact_id`; of `created`: the first members."""
    subject: str | None = None
    """The group's name: of `subject`, and where the account has come into the group."""
    description: str | None = None
    """The group's topic; `""`: it was removed."""
    picture_id: str | None = None
    """Of `picture`; absent: it was removed."""
    settings: GroupSettings | None = None
    """What was changed."""
    link: str | None = None
    offline: Literal[True] | None = None
    """It happened while the session was offline."""


class MessageStatusCounts(Model):
    """In a group: how many members have come as far, those who have come further included."""

    recipients: int
    """The members to whom it was sent, without this session."""
    delivered: int
    read: int
    played: int


class MessageStatusEvent(Model):
    """What has become of a message that was sent through this API. It comes only if `events` of the bridge names it. A status comes once, and never after a later one. In a group, `delivered`, `read` and `played` come when the first member has come as far, the second, the fourth, the eighth and so on, and when all have."""

    event: Literal["message_status"]
    message_id: str
    """As the send has answered."""
    chat_id: str
    """JID of the chat: the group's, or in a chat of two that of the other person, in the form of `contact_id`."""
    chat_lid: str | None = None
    """In a chat of two, beside the number: the other person's private id (LID), where it is known. Before their number was known, `chat_id` was this."""
    status: Literal["sent", "delivered", "read", "played", "failed"]
    """`sent`: the network has it. `delivered`: it is on a phone of the recipient's. `read`. `played`: a voice note or a video was played. `failed`: the network rejected it, and nothing follows. `sent` or `failed` comes first. Who has read a message has received it: `delivered` may then be missing."""
    timestamp: int
    """Unix seconds, by the network's clock."""
    counts: MessageStatusCounts | None = None
    """In a group: how many members have come as far, those who have come further included."""
    participants: List[str] | None = None
    """In a group, if `message_status` of the bridge is `participants`: JIDs of the members whose receipts made this event."""
    reason: str | None = None
    """Of `failed`: a sentence for people."""
    network_code: int | None = None
    """Of `failed`: the network's number of the reason."""


class MediaStoredEvent(Model):
    """The file of an earlier message is in your own S3, or was given up. Only a bridge with a `media_store` has these."""

    bucket: str
    key: str = Field(repr=False)
    url: str | None = None
    """Of `link` `presigned`: good for seven days."""
    event: Literal["media_stored"]
    message_id: str
    """The message whose file it is."""
    chat_id: str
    """JID of the chat: the group's, or in a chat of two that of the other person, in the form of `contact_id`."""
    chat_lid: str | None = None
    """In a chat of two, beside the number: the other person's private id (LID), where it is known. Before their number was known, `chat_id` was this."""
    timestamp: int
    """Unix seconds."""
    error: str | None = None
    """Why the file is not there, and will not be, in a sentence; absent: it is there. `messages/{id}/media` still gives it."""


class ChannelPost(Model):
    channel_id: str
    """JID of the channel."""
    number: int
    """The network's number of it in this channel: later ones have higher numbers."""
    message_id: str
    type: Literal["text", "media", "reaction", "poll", "location", "event", "contact", "unknown"]
    media_type: Literal["", "image", "video", "audio", "voice", "document", "sticker"]
    body: str
    """Its text: the caption of media, the question of a poll."""
    file: MessageFile | None = None
    """The file of media, which cannot be fetched here."""
    timestamp: int
    """Unix seconds."""


class ChannelPostEvent(ChannelPost):
    """A channel that the account follows has a new post. It comes only if `events` of the bridge names it."""

    event: Literal["channel_post"]


class TestEvent(Model):
    """Sent by `webhook-test` only."""

    event: Literal["test"]
    timestamp: int
    """Unix seconds."""


class BridgeInList(Model):
    id: str
    customer_ref: str
    state: Literal["running", "paused", "suspended", "moved"]
    """`running`: it has a session, or gets one. `paused`: it has none; calls to it are 409 `bridge_paused`, unless it was idle: then they wake it. `suspended`: the operator has stopped it; calls are 409 `bridge_suspended`. `moved`: another service has it; calls are 409 `bridge_moved`. The `status` of the session says whether it is connected."""
    created_at: int
    """Unix seconds."""


class Bridge(BridgeInList):
    webhook_secret: str = Field(repr=False)
    """Authenticates the webhooks of this bridge: see "Receive". `""` for a key that may only read."""
    webhook_url: str
    """`""`: the hosted inbox."""


EventType = Literal["message", "connected", "disconnected", "typing", "presence", "poll_vote", "event_response", "call_incoming", "call_terminated", "offline_sync_preview", "offline_sync_completed", "profile_picture_updated", "group", "message_status", "message_lost", "media_stored", "channel_post"]


class Pacing(Model):
    """How slowly it sends; null: as fast as it is asked to."""

    new_chats_a_day: int | None = None
    """How many chats with people it may begin in a day (UTC)."""
    gap_ms: int | None = None
    """The least time from one message to the next; up to half as much is added at random."""
    typing_ms: int | None = None
    """For how long it is shown as typing before each message."""


class MediaStore(Model):
    endpoint: str | None = None
    """An https URL without a path, as `webhook_url` at a public address; absent: Amazon's own."""
    bucket: str
    region: str | None = None
    prefix: str | None = None
    """What each key begins with, such as `shop/media/`; `""`: nothing."""
    link: Literal["presigned", "key"] | None = None
    """`presigned`: events bring a `url` that is good for seven days. `key`: they bring none."""
    access_key_id: str
    secret_access_key: str
    """Answers show `***`."""


class ShownMediaStore(MediaStore):
    """Your own S3, in which the files of messages are put; null: they are not."""

    secret_access_key: str | None = None
    """`***`."""


class Manager(Model):
    health: Literal["healthy", "starting", "unhealthy", "stopped"]
    """The health of the process that runs the session; `status` says whether the session is connected. `starting`: there was no process yet. `unhealthy`: another process takes over from one that failed (seconds; calls are 503). `stopped`: the bridge is paused or suspended, or has moved."""
    started_at: str
    """When the session last started, also by a restart, ISO 8601; empty before its first start."""
    fail_count: int
    """How often the process failed since its last ten healthy minutes."""


class ReportedStatus(Model):
    """The last report of the bridge's session about itself. It stays while no session can be asked, and is absent before the first. `unpaired` with a `phone`: that phone is no longer linked."""

    status: Literal["unpaired", "connecting", "connected", "disconnected", "replaced", "passkey_required"]
    """`unpaired`: no phone is linked. `connecting`: the session starts. `connected`: it is up. `disconnected`: a phone is linked, the connection is lost, and the session connects again by itself. `replaced`: another login took its place. `passkey_required`: the account is linked with a passkey only; `passkey` has the request."""
    since: int
    """Since when it is so, Unix seconds."""
    phone: str
    """The number that is linked, or was last; `""` before the first."""
    objection: Literal["locked", "banned", "temporarily_banned", "outdated", "device_untrusted", "device_unknown", "addresses_changed", "proxy_unreachable", "proxy_refused", "unanswered", "former_gateway"] | None = None


class BridgeWithManager(Bridge):
    events: List[EventType]
    """The types of events that are sent: all but `message_status`, `message_lost`, `group` and `channel_post`, unless you chose some."""
    ignore: List[Literal["status", "groups"]]
    """Chats whose events are not sent: `status` (what people post as their status), `groups`."""
    message_status: Literal["counts", "participants"]
    """What events of the type `message_status` say of a message to a group: `counts`, or also which `participants`."""
    daily_presence: bool
    """Whether the session appears as available for some minutes a day, so that the phone does not take it for inactive."""
    link_previews: bool
    """Whether a text is sent with a preview of its first link, where the call does not say."""
    pacing: Pacing | None
    proxy_url: str | None
    """`***`: the session goes through a proxy; null: it does not."""
    keep: Literal[7, 30, 90] | None
    """For how many days messages are kept, to be listed; null: they are not."""
    media_store: ShownMediaStore
    history: bool
    """Whether what the phone tells of earlier messages when it is linked is kept as well."""
    paused_reason: Literal["idle", "billing", "manual"] | None = None
    """`idle`: no phone was linked and no call came for three days; any call wakes it. `billing`: the account has not paid. `manual`: the operator has paused it, or its own people in the dashboard. The sentence of the 409 says which."""
    secret_overlap_until: int | None = None
    """The secret was replaced: until then the one before signs as well. Unix seconds."""
    manager: Manager
    explanation: str
    """How the bridge and its session stand now, why, and what to do: sentences for people, as the dashboard shows them."""
    reported: ReportedStatus | None = None


class BridgeAfterPatch(Bridge):
    events: List[EventType]
    """The types of events that are sent: all but `message_status`, `message_lost`, `group` and `channel_post`, unless you chose some."""
    ignore: List[Literal["status", "groups"]]
    """Chats whose events are not sent: `status` (what people post as their status), `groups`."""
    message_status: Literal["counts", "participants"]
    """What events of the type `message_status` say of a message to a group: `counts`, or also which `participants`."""
    daily_presence: bool
    """Whether the session appears as available for some minutes a day, so that the phone does not take it for inactive."""
    link_previews: bool
    """Whether a text is sent with a preview of its first link, where the call does not say."""
    pacing: Pacing | None
    proxy_url: str | None
    """`***`: the session goes through a proxy; null: it does not."""
    keep: Literal[7, 30, 90] | None
    """For how many days messages are kept, to be listed; null: they are not."""
    media_store: ShownMediaStore
    history: bool
    """Whether what the phone tells of earlier messages when it is linked is kept as well."""
    inbox: bool
    """Whether its events go to the hosted inbox."""


class PasskeyOptionsAllowCredential(Model):
    id: str
    type: str


class PasskeyOptions(Model):
    challenge: str
    rpId: str | None = None
    timeout: float | None = None
    """Milliseconds."""
    allowCredentials: List[PasskeyOptionsAllowCredential] | None = None
    userVerification: str | None = None


class SessionStatusPasskey(Model):
    """With `passkey_required`, while the network waits: what a browser has to answer on https://web.whatsapp.com. Absent when it waits no more: then ask for a new code."""

    options: PasskeyOptions
    expires_at: int
    """Unix seconds."""


class SessionStatus(Model):
    status: Literal["unpaired", "connecting", "connected", "disconnected", "replaced", "passkey_required"]
    """`unpaired`: no phone is linked. `connecting`: the session starts. `connected`: it is up. `disconnected`: a phone is linked, the connection is lost, and the session connects again by itself. `replaced`: another login took its place. `passkey_required`: the account is linked with a passkey only; `passkey` has the request."""
    jid: str
    lid: str
    name: str
    phone: str
    passkey: SessionStatusPasskey | None = None
    """With `passkey_required`, while the network waits: what a browser has to answer on https://web.whatsapp.com. Absent when it waits no more: then ask for a new code."""
    objection: Literal["locked", "banned", "temporarily_banned", "outdated", "device_untrusted", "device_unknown", "addresses_changed", "proxy_unreachable", "proxy_refused", "unanswered", "former_gateway"] | None = None
    """Absent without one: why the network rejected the last login. `locked`, `banned`: it has unlinked the session, and the phone says what can be done. `device_untrusted`, `device_unknown`, `addresses_changed`: it has unlinked this session alone; link it again. `temporarily_banned`, `outdated` (the version of its protocol that is spoken here): the session connects again by itself. `proxy_unreachable`: the bridge's proxy does not answer; `proxy_refused`: it wants another password, or leads nowhere; the session goes on trying. `unanswered`: the connection was open, and the network answered nothing on it for two minutes; the session connects again by itself. `former_gateway`, while the `status` is `replaced`: the gateway that the number was taken over from still runs. It ends with the next connection."""
    objection_until: int | None = None
    """With `temporarily_banned`: when the session tries again, Unix seconds."""
    new_chats_left: int | None = None
    """With a limit of `pacing`: how many chats the bridge may still begin today."""
    restriction: Literal["new_chats", "new_chats_quota"] | None = None
    """Absent without one: a limit that the network has put on the account. `new_chats`: it may not start chats (a message that would is rejected with `network_code` 463). `new_chats_quota`: it may not start any more chats than it has started."""
    restricted_until: int | None = None
    """When the limit ends, Unix seconds; 0 if the network does not say."""


class Ok(Model):
    ok: Literal[True]


class PasskeyAssertionResponse(Model):
    clientDataJSON: str
    authenticatorData: str
    signature: str
    userHandle: str | None = None


class PasskeyAssertion(Model):
    id: str
    rawId: str
    type: Literal["public-key"]
    response: PasskeyAssertionResponse


class LinkSession(Model):
    url: str = Field(repr=False)
    expires_at: int
    """Unix seconds."""


class SendResult(Model):
    message_id: str
    chat_id: str
    """The chat to which it went, as in events: the network may know a number by another spelling."""
    timestamp: int
    """Unix seconds, by the network's clock. Of a planned message: when it is to go."""
    state: Literal["planned"] | None = None
    """With `send_at`: it goes later."""


class UploadUpload(Model):
    """Where the form goes, and its fields before the file."""

    url: str
    fields: dict[str, str] = Field(repr=False)


class Upload(Model):
    file: str
    """An uploaded file, as `create_upload` gave it."""
    upload: UploadUpload
    """Where the form goes, and its fields before the file."""
    expires_at: int
    """Until when the form may be sent: Unix seconds."""


class Message(Model):
    message_id: str
    chat_id: str
    """As in events."""
    contact_id: str
    """Who wrote it, as in events."""
    from_me: bool
    type: Literal["text", "media", "reaction", "poll", "location", "event", "contact", "unknown", ""]
    """As of a message event; `""` for what only changes another message."""
    media_type: Literal["", "image", "video", "audio", "voice", "document", "sticker"]
    body: str
    """Its text: the caption of media, the question of a poll."""
    edit: Literal["edit", "revoke"] | None = None
    """`edit`: it was edited since, and is given as it is now. `revoke`: it was revoked, so its `type`, `media_type` and `body` are `""`."""
    status: Literal["pending", "sent", "delivered", "read", "played", "failed", "received"]
    """`received`: somebody else wrote it. `pending`: it may have left, and the network has not acknowledged it; the same request with the same `Idempotency-Key` sends it again under the same id. The others are those of the event `message_status`; `delivered`, `read` and `played` are known only if `events` of the bridge named that type when it was sent. In a group: how far all recipients have come."""
    sent_at: int | None = None
    """When the network had it. Unix seconds."""
    delivered_at: int | None = None
    """When it was delivered, in a group last. Unix seconds."""
    read_at: int | None = None
    """When it was read, in a group last. Unix seconds."""
    played_at: int | None = None
    """When it was played, in a group last. Unix seconds."""
    failed_at: int | None = None
    """When the network rejected it. Unix seconds."""
    received_at: int | None = None
    """When it came. Unix seconds."""
    counts: MessageStatusCounts | None = None
    """In a group: how many recipients have come as far, those who have come further included."""
    untracked: str | None = None
    """Of `get_message`, `find_message` and `list_sent`, while it is not recorded whether the message is delivered and read: why, and how to change that, in a sentence for people."""
    reason: str | None = None
    """Of `failed`: a sentence for people."""
    network_code: int | None = None
    """Of `failed`: the network's number."""
    asked_at: int | None = None
    """Of a message that the API sent: when it was asked for, Unix seconds."""
    request_id: str | None = None
    """Of a message that the API sent: the call that first asked for it, as its `X-Request-Id` said."""


class SentMessage(Message):
    asked_at: int
    """When it was asked for, Unix seconds."""
    events_before: int | None = None
    """How many events the bridge had had by then: the order of messages and events within one second."""


class PlannedSend(Model):
    id: str
    """Of a message that was planned alone: its `message_id`."""
    message_id: str
    """The id that the message gets on the network."""
    chat: str
    """As it was asked for; `""`: a status."""
    kind: str
    """The send's path: `text`, `media`, `poll` ..."""
    text: str
    """Its text, caption or question: the beginning, of at most 1,000 characters."""
    send_at: int
    """Unix seconds."""
    valid_until: int
    """Unix seconds."""
    state: Literal["planned", "sent", "failed", "expired", "cancelled"]
    """`sent`: the network has it; the rest is said of the message `message_id`. `failed`: it was refused, or no phone is linked any more. `expired`: it could not go by `valid_until`."""
    job: str | None = None
    """The job that it is of."""
    sent_at: int | None = None
    """Of `sent`: when the network had it. Unix seconds."""
    code: str | None = Field(default=None, repr=False)
    """Of `failed` and `expired`: why, as a code of errors; of a job also `blocked`."""
    reason: str | None = None
    """The same, in a sentence for people."""


class Job(Model):
    id: str
    name: str
    state: Literal["running", "paused", "stopped", "expired", "done"]
    """`running`: it sends, or waits for its time. `stopped` and `expired`: what is left never goes. `done`: nothing is left."""
    reason: str | None = None
    """Why it has paused or stopped by itself, in a sentence for people."""
    text: str
    """The beginning of its first message."""
    created_at: int
    """Unix seconds."""
    send_at: int
    """Unix seconds."""
    valid_until: int
    """Unix seconds."""
    gap_ms: int
    total: int
    sent: int
    failed: int
    cancelled: int
    left: int
    """How many have not gone, and did not fail."""


class Chat(Model):
    chat_id: str
    """As in events."""
    name: str
    """The name of the person as in `list_contacts`, or of the group, which may be a day old; `""`: not known."""
    is_group: bool
    unread: int
    """How many messages of others have come since somebody of the account has written in the chat, or read it on the phone or by `read_message`."""
    marked_unread: bool
    """It was marked as unread by hand."""
    archived: bool
    pinned: bool
    muted: bool
    muted_until: int
    """Unix seconds; 0: it is not muted, or without an end."""
    last_message_at: int
    """Unix seconds; 0: there is none yet."""
    handover_until: int
    """Until when a person answers in it (`set_handover`), Unix seconds; 0: your program does."""


class ChatTimer(Model):
    chat_id: str
    """As in events."""
    disappearing: int
    """After how many seconds its messages disappear; 0: they stay."""


class KeptMessage(Model):
    """A message that is kept, as its event has it, and as it is now: one that was edited has its new words and `edit` `edit`, one that was revoked `edit` `revoke`, no content and `text` as its `type`, each with its own id as `target_id`. A pin and a reaction are messages of their own, with the `target_id` of the one that they are about."""

    message_id: str
    contact_id: str
    """JID of the person: the phone number's where known, else the LID."""
    phone: str
    """Digits; `""` where the number is not known."""
    chat_id: str
    """JID of the chat: the group's, or in a chat of two that of the other person, in the form of `contact_id`."""
    chat_lid: str | None = None
    """In a chat of two, beside the number: the other person's private id (LID), where it is known. Before their number was known, `chat_id` was this."""
    name: str
    """The sender's display name, as the network gives it."""
    username: str | None = None
    """The sender's username, without its `@`. People who have one may be written to by it, and their number may be unknown."""
    body: str
    """Its text: the caption of media, the question of a poll, the names on contact cards, the lines of a business's message."""
    type: Literal["text", "media", "reaction", "poll", "location", "event", "contact", "unknown"]
    """`unknown`: this release cannot read it, or only the phone shows it (`placeholderMessage`). `unknown_kind` names its kind, and `body` has its text, as far as one can be found. `target_id` is there if it is about another message. Once a later release can read it, an event with `edit` follows."""
    unknown_kind: str | None = None
    """The name of the kind in the network's protocol, if `type` is `unknown`; of any other message: that of a part which this release does not read beside the rest."""
    media_type: Literal["", "image", "video", "audio", "voice", "document", "sticker"]
    """The kind of `media`. `""`: the message may be viewed once, on the phone. The network gives linked devices neither its file nor its caption, so `messages/{id}/media` answers 404."""
    is_group: bool
    from_me: bool
    """The session's own account wrote it: through this API, on its phone or on another of its devices."""
    timestamp: int
    """Unix seconds."""
    caption: str | None = None
    """The caption of media."""
    file: MessageFile | None = None
    """The file of media, as its sender describes it."""
    view_once: Literal[True] | None = None
    """The message may be viewed once."""
    quoted: MessageQuoted | None = None
    """The message that this one replies to."""
    mentions: List[str] | None = None
    """JIDs of the people whom the text mentions."""
    mentioned_groups: List[MessageMentionedGroup] | None = None
    """The groups that the text mentions, each as `@` and its JID."""
    mentions_all: Literal[True] | None = None
    """The text mentions everybody in the group."""
    forwarded: Literal[True] | None = None
    reaction: MessageReaction | None = None
    edit: Literal["edit", "revoke", "pin"] | None = None
    """This is not a new message. `edit`: the message `target_id` now has this text. `revoke`: it is revoked. `pin`: it is pinned in the chat (unpinning gives no event). Where `target_id` is the message's own id, this is that message, as it is now."""
    target_id: str | None = None
    """The message that an edit, revoke, pin, reaction or `unknown` message refers to."""
    preview: MessagePreview | None = None
    """What the sender's phone shows of a link in the text."""
    location: MessageLocation | None = None
    options: List[str] | None = None
    """The options of a poll."""
    max_answers: int | None = None
    """How many options of a poll one person may choose; 0: any number."""
    correct_option: str | None = None
    """The right answer of a quiz."""
    results: List[MessageResult] | None = None
    """The results of a poll, where it shows them."""
    event_details: MessageEventDetails | None = None
    contacts: List[MessageContact] | None = None
    interactive: MessageInteractive | None = None
    """What people can tap in a business's message, and what surrounds its text."""
    tapped: MessageTapped | None = None
    """This message is somebody's choice in an earlier one, which `quoted` names."""
    order: MessageOrder | None = None
    product: MessageProduct | None = None
    invitation: MessageInvitation | None = None
    payment: MessagePayment | None = None
    ad: MessageAd | None = None
    """The ad or post that brought the sender here."""
    part_of: MessagePartOf | None = None
    cut: Literal[True] | None = None
    """The message is too large for an event: its longest texts are cut, its longest lists end early."""
    disappears_after: int | None = None
    """The chat's timer, in seconds, when it was written."""
    scheduled_for: int | None = None
    """The message was written to be sent at this time. Unix seconds."""
    is_broadcast: Literal[True] | None = None
    """Sent to a broadcast list, or posted as a status."""
    is_group_status: Literal[True] | None = None
    """Posted as a status of the group."""
    verified_business: Literal[True] | None = None
    """The sender is a business whose name the network has verified."""
    status: Literal["pending", "sent", "delivered", "read", "played"] | None = None
    """Of a message that was sent through this API, for 30 days: as `get_message` has it, which also has the times."""


class Handover(Model):
    chat_id: str
    """As in events."""
    until: int
    """Until when a person answers in this chat, Unix seconds; 0: your program answers."""


class Label(Model):
    """A label, as the phone has it."""

    id: str
    name: str
    color: int


class Labelled(Model):
    chat_id: str
    """As in events."""
    message_id: str | None = None
    """Absent: the whole chat has the label."""


class Contact(Model):
    about: str
    business_address: str
    business_email: str
    business_name: str
    first_name: str
    full_name: str
    is_business: bool
    jid: str
    name: str
    phone: str
    redacted_phone: str
    registered: bool
    """Whether the person is on the network. Contacts count as registered until `contacts/check` or `contacts/{jid}`, which ask the network, find that one is not."""
    username: str
    """Without its `@`; `""` if none is known."""
    verified_name: str


class ContactCheck(Model):
    is_business: bool
    is_on_whatsapp: bool
    jid: str
    phone: str
    registered: bool
    verified_name: str


class Group(Model):
    created: int
    """Unix seconds."""
    jid: str
    name: str
    participants: int
    """How many."""
    topic: str
    owner: str
    """JID of the person who made it; `""` if the network does not say."""
    role: Literal["", "member", "admin", "owner"]
    """The role of the session's account; `""`: it is not in the group."""
    write: Literal["all", "admins"]
    """Who may write."""
    edit: Literal["all", "admins"]
    """Who may change name, topic, picture and disappearing messages."""
    add_members: Literal["all", "admins"]
    """Who may add members."""
    approval: bool
    """Whether admins decide about those who come by the link."""
    disappearing: int
    """After how many seconds messages disappear; 0: they do not."""
    is_community: bool
    """It is a community: a group of groups, in which nobody writes."""
    community: str
    """JID of the community that the group belongs to; `""`: none."""
    is_announcements: bool
    """It is the group for its community's announcements, which has all its members."""


class MemberOutcome(Model):
    jid: str
    """By phone number where known, else the LID."""
    phone: str
    """Digits; `""` where the number is not known."""
    outcome: Literal["added", "removed", "promoted", "demoted", "approved", "rejected", "invited", "refused"]
    """`invited`: their privacy settings forbid adding them, so they got an invitation as a message. `refused`: nothing has changed for this person."""
    reason: Literal["privacy", "not_found", "already", "recently_left", "blocked", "full", "not_allowed", "unknown"] | None = None
    """Why it was refused. `privacy`: only their contacts may add them: ask again with `invite`, or send them the group's link. `not_found`: they are not on the network, not in the group, or have not asked to join. `already`: they are in the group. `recently_left`: they left it within the last days: send them the link. `blocked`: they have blocked this account. `full`: the group has 1,024 members. `not_allowed`: nobody may do this to who made the group. `unknown`: see `network_code`."""
    network_code: int | None = None
    """The network's own code."""


class GroupWithMembersMember(Model):
    jid: str
    """By phone number where known, else the LID."""
    phone: str
    """Digits; `""` where the number is not known."""
    role: Literal["member", "admin", "owner"]


class GroupWithMembers(Model):
    created: int
    """Unix seconds."""
    jid: str
    name: str
    participants: int
    """How many."""
    topic: str
    owner: str
    """JID of the person who made it; `""` if the network does not say."""
    role: Literal["", "member", "admin", "owner"]
    """The role of the session's account; `""`: it is not in the group."""
    write: Literal["all", "admins"]
    """Who may write."""
    edit: Literal["all", "admins"]
    """Who may change name, topic, picture and disappearing messages."""
    add_members: Literal["all", "admins"]
    """Who may add members."""
    approval: bool
    """Whether admins decide about those who come by the link."""
    disappearing: int
    """After how many seconds messages disappear; 0: they do not."""
    is_community: bool
    """It is a community: a group of groups, in which nobody writes."""
    community: str
    """JID of the community that the group belongs to; `""`: none."""
    is_announcements: bool
    """It is the group for its community's announcements, which has all its members."""
    members: List[GroupWithMembersMember]


class GroupInvite(Model):
    link: str = Field(repr=False)
    """Whoever has it may join, or ask to."""


class JoinRequest(Model):
    jid: str
    """By phone number where known, else the LID."""
    phone: str
    """Digits; `""` where the number is not known."""
    requested_at: int
    """Unix seconds."""


class Channel(Model):
    jid: str
    name: str
    description: str
    link: str
    """Whoever has it may follow the channel."""
    role: Literal["owner", "admin", "follower", "none"]
    """Of the session's account. `owner` and `admin` may post."""
    followers: int
    """How many, as far as the network says; else 0."""
    verified: bool
    muted: bool
    """Whether the account is told of no new posts."""
    created: int
    """Unix seconds."""


class Profile(Model):
    about: str
    jid: str
    name: str
    phone: str


class StatusPrivacy(Model):
    is_default: bool
    list: List[str]
    type: str


class Privacy(Model):
    """What the network says. A word that it adds is shown as it is; `""`: it says nothing of it."""

    last_seen: str
    """Who sees when the account was last online: `all`, `contacts`, `contact_blacklist` (contacts but those excepted on the phone), or `none`."""
    online: str
    """Who sees that it is online: `all`, or `match_last_seen`: as `last_seen`."""
    profile_picture: str
    """Who sees its picture: `all`, `contacts`, `contact_blacklist` (contacts but those excepted on the phone), or `none`."""
    about: str
    """Who sees its About text: `all`, `contacts`, `contact_blacklist` (contacts but those excepted on the phone), or `none`."""
    read_receipts: bool
    """Whether people see that it has read their messages, and it sees theirs."""
    groups: str
    """Who may add it to groups: `all`, `contacts`, `contact_blacklist` (contacts but those excepted on the phone), or `none`."""
    calls: str
    """Whose calls ring: `all`, or `known`: those of people whom it knows."""
    messages: str
    """Who may write to it: `all` or `contacts`."""
    disappearing: int
    """After how many seconds messages disappear in chats that begin from now on; 0: never."""


class DeliveryAttempt(Model):
    attempt: int
    """The number of this attempt at the event, from 1."""
    error: str
    """`""` on success. With an answer: `redirect`, `client_error` (4xx), `rate_limited` (429), `server_error` (5xx). Without one: `timeout`, `refused`, `unreachable`, `reset`, `dns`, `tls`, `bad_response`, `network`, or `blocked`: not a public address."""
    event: str
    event_id: str
    latency_ms: int
    status_code: int
    """0 if there was no answer."""
    success: bool
    timestamp: str
    """ISO 8601."""


class StoredEvent(Model, Generic[E]):
    event_id: str
    state: Literal["pending", "delivered", "undelivered", "inbox"]
    created_at: int
    """Unix seconds."""
    event: E


class DeliveriesRecovered(Model):
    """What it got again by itself when its receiver was last back."""

    at: int
    """When the first of the events was taken again. Unix seconds."""
    events: int
    """How many were taken."""
    left: int
    """How many failed again while others were taken, and stay undelivered."""
    took_ms: int
    """How long it took, in milliseconds."""


class Deliveries(Model):
    waiting: int
    """How many events wait for delivery."""
    resending: int
    """How many more were asked to be sent again."""
    head: str | None = None
    """The id of the event whose turn it is."""
    oldest_at: int | None = None
    """When that event happened. Unix seconds."""
    next_attempt_at: int | None = None
    """When it is tried again, if it waits for that. Unix seconds."""
    failing_since: int | None = None
    """Since when each attempt has failed. Unix seconds."""
    recovered: DeliveriesRecovered | None = None
    """What it got again by itself when its receiver was last back."""
    attempts: List[DeliveryAttempt]
    """The latest attempts, newest first."""


class DeliveryOfEventWebhook(Model):
    id: str
    state: Literal["pending", "delivered", "undelivered", "inbox", "not_wanted"]


class DeliveryAttemptInFull(DeliveryAttempt):
    resend: bool
    """It was made because you asked for it."""
    url: str
    """Where it went, if it failed; else `""`."""
    answer: str
    """The first 1,024 bytes of the answer's body, if the attempt failed."""
    answer_headers: dict[str, str]
    """The first 1,024 bytes of the answer's headers, if the attempt failed; without cookies."""


class DeliveryOfEvent(Model):
    event_id: str
    state: Literal["pending", "delivered", "undelivered", "inbox"]
    created_at: int
    """Unix seconds."""
    headers: dict[str, str]
    """The headers of the last known attempt; the secret and your own headers are left out. Empty if no attempt is known."""
    body: str
    """The body that is sent, byte for byte."""
    webhooks: List[DeliveryOfEventWebhook] | None = None
    """If the bridge has further webhooks: what became of the event at each. `not_wanted`: its filters, as they are now, leave it out, or the event is from before the webhook."""
    attempts: List[DeliveryAttemptInFull]
    """Oldest first: failures of the last 7 days, and all of the latest 200 of the bridge."""


class WebhookFormatOptions(Model):
    """The `hmac_key` is `***`."""

    events: List[str] | None = None
    """The events that it gets, by the names that they have in this format; by default all."""
    media: bool | None = None
    """Whether a message brings its file along, in base64, up to 10 MB. It comes without where it cannot be had at once, and on AWS always."""
    path_per_event: bool | None = None
    """Whether each event is posted to a path of its own behind the URL, such as `/messages-upsert`. Only of `evolution`."""
    hmac_key: str | None = None
    """The key of `X-Webhook-Hmac`, which then stands beside our signatures. Only of `waha`."""


class WebhookMissed(Model):
    """The events that had waited for longer than seven days, and are not sent."""

    events: int
    """How many events of the bridge, whichever they were."""
    first: str
    """The id of the first; `""` if it was kept no more."""
    at: int
    """When it last passed over some. Unix seconds."""


class Webhook(Model):
    id: str
    """`first` is `webhook_url`."""
    url: str
    """Of `first`, `""` is the hosted inbox."""
    secret: str = Field(repr=False)
    """Authenticates its deliveries: see "Receive". `""` for a key that may only read."""
    secret_overlap_until: int | None = None
    """The secret was replaced: until then the one before signs as well. Unix seconds."""
    events: List[EventType]
    """The types of events that it gets, of those that the bridge gets."""
    ignore: List[Literal["status", "groups"]]
    chats: List[str] | None
    """JIDs; null is all."""
    headers: dict[str, str]
    """Each value is `***`."""
    batch: int | None
    format: Literal["evolution", "waha"] | None
    """Null: our own."""
    format_options: WebhookFormatOptions
    """The `hmac_key` is `***`."""
    healing: bool
    """Whether what was given up is sent again by itself, once the receiver answers again."""
    state: Literal["active", "paused"]
    created_at: int
    """Unix seconds."""
    failing_since: int | None = None
    """Since when each attempt has failed. Unix seconds."""
    recovered: DeliveriesRecovered | None = None
    """What it got again by itself when its receiver was last back."""
    missed: WebhookMissed | None = None
    """The events that had waited for longer than seven days, and are not sent."""


class AccountWebhook(Model):
    id: str
    """`first` is `webhook_url`."""
    url: str
    """Of `first`, `""` is the hosted inbox."""
    secret: str = Field(repr=False)
    """Authenticates its deliveries: see "Receive". `""` for a key that may only read."""
    secret_overlap_until: int | None = None
    """The secret was replaced: until then the one before signs as well. Unix seconds."""
    events: List[EventType]
    """The types of events that it gets, of those that the bridge gets."""
    ignore: List[Literal["status", "groups"]]
    chats: List[str] | None
    """JIDs; null is all."""
    headers: dict[str, str]
    """Each value is `***`."""
    batch: int | None
    format: Literal["evolution", "waha"] | None
    """Null: our own."""
    format_options: WebhookFormatOptions
    """The `hmac_key` is `***`."""
    healing: bool
    """Whether what was given up is sent again by itself, once the receiver answers again."""
    state: Literal["active", "paused"]
    created_at: int
    """Unix seconds."""


class Account(Model):
    id: str
    name: str
    """As its owners chose it in the dashboard. Before that, the e-mail address of the person who signed up."""
    subscription: Literal["none", "trialing", "active", "past_due", "unpaid", "canceled"]
    """`active` and `trialing` may create bridges; while `unpaid` or `canceled`, existing bridges do not run."""
    bridges: int
    """How many there are; the sandbox does not count."""
    bridge_limit: int
    """How many there may be."""
    created_at: int
    """Unix seconds."""


class Usage(Model):
    date: str
    """In UTC."""
    customer_ref: str
    events: int
    """Delivered, or put into the inbox."""
    messages: int
    """How many of these were of the type `message`."""
    messages_in: int
    """Incoming messages, except those switched off by `events` or `ignore`: each counts when it comes, whether or not a webhook takes it."""
    messages_out: int
    """Messages that were sent through the API, or written on the phone; up to ten minutes late here. A send that was answered with 504 is counted once the network has acknowledged it."""
    undelivered: int
    """Given up, without those that were sent again and delivered on the same day."""
    attempts: int
    """POSTs of events, also of those that were sent again."""
    success: float
    """The share of attempts that succeeded; 1 without attempts."""
    p95_ms: int
    """What 95 of 100 attempts did not exceed, rounded up to 25, 50, 100, 200, 400, 800, 1,600, 3,200, 6,400 or 10,000."""


class ApiRequest(Model):
    request_id: str
    """As `X-Request-Id` of the answer said it."""
    timestamp: str
    """When it was answered."""
    method: str
    path: str
    """Without its query; at most 300 characters of it."""
    status: int
    code: str | None = Field(default=None, repr=False)
    """The error's code, if the call was refused."""
    error: str | None = None
    """The error's sentence, if the call was refused."""
    key_id: str
    """The key, as `list_keys` gives it."""
    key_name: str | None = None
    """Its name; absent once it is revoked."""
    ms: int
    """How long the answer took."""
    left_out: int
    """How many calls just before it were left out, since there were too many; usually 0."""


class ApiKey(Model):
    id: str
    """The key's characters 5 to 16."""
    name: str
    scope: Literal["all", "read"]
    """`all`: everything. `read`: everything that changes nothing, without secrets and codes that link a phone."""
    customer_refs: List[str] | None = None
    """The bridges of a key for some."""
    chats: List[str] | None = None
    """The chats of a key for some: their JIDs."""
    file_hosts: List[str] | None = None
    created_at: int
    """Unix seconds."""
    created_by: str | None = None
    """The e-mail address of the person who made it, or the `id` of the key that did; absent for one of the operator's."""
    expires_at: int | None = None
    """When it stops working by itself, Unix seconds; absent if it does not."""
    last_used_at: int | None = None
    """To the hour, Unix seconds; absent before its first use."""


class DebugStats(Model):
    client_expires_at: int
    """When the network will reject the version of its protocol that this process speaks, in Unix seconds; 0: it has named no day."""
    gc_cycles: float
    """Garbage collections since the process started."""
    goroutines: float
    """Its open sockets, timers and requests; the name comes from another runtime."""
    heap_alloc_mb: float
    """Heap in use."""
    heap_objects: float
    """Entries in this session's caches."""
    heap_sys_mb: float
    """Heap reserved."""
    media_cache_size: float
    """Files of this bridge that this process has cached in the last three hours."""
    next_gc_mb: float
    """The limit of the heap."""
    total_alloc_mb: float
    """All memory that the process occupies."""


class ResendEverywhereResultRequested(Model):
    customer_ref: str
    webhook: str
    """The id of the webhook; `first` is `webhook_url`."""
    count: int
    all: bool
    """False: there are more than 10,000, or too many requests wait there. Ask again once these were sent."""


class ResendEverywhereResult(Model):
    ok: Literal[True]
    count: int
    """How many will be sent, in all."""
    requested: List[ResendEverywhereResultRequested]
    next: str | None = None
    """There are more bridges: behind this one."""


class CreateAccountWebhookFormatOptions(Model):
    """What that format leaves open; it replaces the options of before, and null ends them. Only with `format`."""

    events: List[str] | None = None
    """The events that it gets, by the names that they have in this format; by default all."""
    media: bool | None = None
    """Whether a message brings its file along, in base64, up to 10 MB. It comes without where it cannot be had at once, and on AWS always."""
    path_per_event: bool | None = None
    """Whether each event is posted to a path of its own behind the URL, such as `/messages-upsert`. Only of `evolution`."""
    hmac_key: str | None = None
    """The key of `X-Webhook-Hmac`, which then stands beside our signatures. Only of `waha`."""


class RollAccountSecretResult(Model):
    webhook_secret: str = Field(repr=False)
    """The webhook's secret from now on."""
    overlap_until: int
    """Until then the secret that it replaces signs as well. Unix seconds."""


class CreateKeyResult(Model):
    id: str
    """The key's characters 5 to 16."""
    name: str
    scope: Literal["all", "read"]
    """`all`: everything. `read`: everything that changes nothing, without secrets and codes that link a phone."""
    customer_refs: List[str] | None = None
    """The bridges of a key for some."""
    chats: List[str] | None = None
    """The chats of a key for some: their JIDs."""
    file_hosts: List[str] | None = None
    created_at: int
    """Unix seconds."""
    created_by: str | None = None
    """The e-mail address of the person who made it, or the `id` of the key that did; absent for one of the operator's."""
    expires_at: int | None = None
    """When it stops working by itself, Unix seconds; absent if it does not."""
    key: str = Field(repr=False)
    """Send it as `Authorization: Bearer`."""


class UpdateBridgeMediaStore(Model):
    """Your own S3, or a store that speaks its protocol: the file of each message from now on is put into it, and its event says where. It replaces the one before; null is none."""

    endpoint: str | None = None
    """An https URL without a path, as `webhook_url` at a public address; absent: Amazon's own."""
    bucket: str
    region: str | None = None
    prefix: str | None = None
    """What each key begins with, such as `shop/media/`; `""`: nothing."""
    link: Literal["presigned", "key"] | None = None
    """`presigned`: events bring a `url` that is good for seven days. `key`: they bring none."""
    access_key_id: str
    secret_access_key: str
    """Answers show `***`."""


class PairResult(Model):
    code: str = Field(repr=False)


class SendTextPreview(Model):
    """What is shown of a link, in your words: nothing is fetched."""

    url: str
    """The link, as it stands in `body`."""
    title: str
    description: str | None = None
    image: str | None = None
    """In base64 (RFC 4648, with padding): a JPEG, PNG or WebP of at most 256 KiB. It is sent small; anything else is `media_type_mismatch`."""


class SendContactContact(Model):
    name: str
    phone: str | None = None
    """7 to 15 digits; a leading `+` is dropped."""
    organization: str | None = None
    email: str | None = None
    vcard: str | None = None
    """The whole card, in place of the fields above but the name."""


class CreateJobMessage(Model):
    chat: str
    """A phone number of 7 to 15 digits (a leading `+` is dropped), a JID (`…@s.whatsapp.net`, `…@lid`, `…@g.us` for a group), or a username: `@ada`, or `@ada:1234` with the four digits that its owner may ask for."""
    body: str | None = None
    fields: dict[str, str] | None = Field(default=None, repr=False)


class AskForOlderResult(Model):
    state: Literal["came", "asked"]
    """`asked`: the phone has not answered within 20 seconds, as when it is off. Once it is online it answers, and what is kept is then in `list_messages`."""
    messages: List[KeptMessage]
    """Newest first."""
    is_end: bool
    """The phone has none that are older."""


class ListBlockedResult(Model):
    jid: str
    phone: str


class CreateGroupResult(Model):
    group: Group
    members: List[MemberOutcome]


class JoinGroupResult(Model):
    jid: str
    joined: bool
    """`false`: the group's admins decide, and were asked. An event of the type `group` says if they let the account in."""


class SetGroupAvatarResult(Model):
    picture_id: str


class ResendSinceResult(Model):
    ok: Literal[True]
    count: int
    """How many will be sent."""
    next: str | None = None
    """There are more: behind this event."""


Event = Annotated[
    MessageEvent
    | MessageLostEvent
    | ConnectedEvent
    | DisconnectedEvent
    | TypingEvent
    | PresenceEvent
    | PollVoteEvent
    | EventResponseEvent
    | CallIncomingEvent
    | CallTerminatedEvent
    | OfflineSyncPreviewEvent
    | OfflineSyncCompletedEvent
    | ProfilePictureUpdatedEvent
    | GroupEvent
    | MessageStatusEvent
    | MediaStoredEvent
    | ChannelPostEvent
    | TestEvent,
    PlainValidator(event_in),
]
"""Any event. Its field `event` says of which type it is."""
