# Generated from the contract by `npm run clients:generate`. Do not edit.

from __future__ import annotations

from typing import List, Literal

import httpx

from ._asking import UNSET, AsyncCalls, Calls, Listing, awaited, listed
from .types import (
    Account,
    AccountWebhook,
    ApiKey,
    ApiRequest,
    AskForOlderResult,
    Bridge,
    BridgeAfterPatch,
    BridgeInList,
    BridgeWithManager,
    Channel,
    Chat,
    ChatTimer,
    Contact,
    ContactCheck,
    CreateAccountWebhookFormatOptions,
    CreateGroupResult,
    CreateJobMessage,
    CreateKeyResult,
    DebugStats,
    Deliveries,
    DeliveryAttempt,
    DeliveryOfEvent,
    Event,
    EventType,
    Group,
    GroupInvite,
    GroupWithMembers,
    Handover,
    Job,
    JoinGroupResult,
    JoinRequest,
    KeptMessage,
    Label,
    Labelled,
    LinkSession,
    ListBlockedResult,
    MemberOutcome,
    Message,
    Ok,
    Pacing,
    PairResult,
    PasskeyAssertionResponse,
    PlannedSend,
    Privacy,
    Profile,
    ResendEverywhereResult,
    ResendSinceResult,
    RollAccountSecretResult,
    SendContactContact,
    SendResult,
    SendTextPreview,
    SentMessage,
    SessionStatus,
    SetGroupAvatarResult,
    StatusPrivacy,
    StoredEvent,
    UpdateBridgeMediaStore,
    Upload,
    Usage,
    Webhook,
)


class AccountCalls(Calls):
    """The calls about the account of the key."""

    def create_bridge(self, *, customer_ref: str, webhook_url: str | None = UNSET) -> Bridge:
        """Create a bridge

        :param customer_ref: Your own name for the bridge: 1 to 64 letters, digits, dashes and underscores, not `default`.
        :param webhook_url: An https URL (or http where the service is not in production) of at most 2,048 characters, without spaces, fragment, user name and password, at a public address unless the operator allows others. `""` or null is the hosted inbox.
        """
        return self._ask(Bridge, "POST", "/api/instances", locals(), body=True, nulls=("webhook_url",))

    def list_bridges(self, *, limit: int | None = None, after: str | None = None) -> Listing[BridgeInList]:
        """List bridges. Without `limit` and `after`: all, in the order of creation, the sandbox last. An account with more than 10,000 is then refused: it asks for pages, which are in the order of the references.

        :param limit: With `after` alone: 1000.
        :param after: The `X-Next-After` of the page before, or any reference: the bridges behind it.
        """
        return self._list(BridgeInList, "GET", "/api/instances", locals(), query=("limit", "after"))

    def resend_everywhere(self, *, since: int, until: int | None = None, after: str | None = None) -> ResendEverywhereResult:
        """Deliver once more what was given up in a span of time, of all bridges and at all of their webhooks. As `resend_since` does for each. The answer says what was requested. If it has `next`, not all bridges were looked at: ask again with it as `after`.

        :param since: Events that were given up at this time or later, Unix seconds.
        :param until: And at this time or before; by default until now.
        :param after: Go on behind the bridge of this reference.
        """
        return self._ask(ResendEverywhereResult, "POST", "/api/deliveries/resend", locals(), body=True)

    def list_account_webhooks(self) -> List[AccountWebhook]:
        """The webhooks of the account, which get the events of all its bridges"""
        return self._ask(List[AccountWebhook], "GET", "/api/webhooks", locals())

    def create_account_webhook(
        self,
        *,
        url: str,
        events: List[EventType] | None = UNSET,
        ignore: List[Literal["status", "groups"]] | None = None,
        chats: List[str] | None = UNSET,
        headers: dict[str, str] | None = UNSET,
        batch: int | None = UNSET,
        format: Literal["evolution", "waha"] | None = UNSET,
        format_options: CreateAccountWebhookFormatOptions | None = UNSET,
        healing: bool | None = None,
    ) -> AccountWebhook:
        """Add a webhook to the account: it gets each event of each bridge from now on. Also of bridges that are made later, besides the webhooks of each. Each event ends with `customer_ref`, the bridge that it is of. The events of a bridge come in order and at least once. Those of different bridges come side by side: one that fails holds up no other bridge, and no webhook of a bridge. The sandbox is left out. A URL that a webhook of the account has already is answered with that one, unchanged. A key that is limited to some bridges may not see these webhooks.

        :param url: As `webhook_url` of a bridge, but never empty.
        :param events: The types of events that it gets, of those that the bridge gets; null is all, including those of later releases.
        :param ignore: Chats whose events it does not get: `status`, `groups`; `[]` is none.
        :param chats: The chats whose events it gets, and no event of no chat; null is all events. Named as `chat_id` of events names them: a person by their phone number, and by their LID only where the number is unknown.
        :param headers: Headers that each of its POSTs has besides; they replace those of before, and null ends them. At most 10, and 2,048 characters together. `Authorization` replaces the one with the secret. They are secret: answers show `***`.
        :param batch: Up to so many events in one POST, 1 to 50: see "Batches". Null: one event for each POST, in the usual form.
        :param format: Events come as Evolution API or WAHA post them, from the next attempt on; null: in our own form. An event that has no counterpart there is not sent. Not with `batch`.
        :param format_options: What that format leaves open; it replaces the options of before, and null ends them. Only with `format`.
        :param healing: Whether what was given up while the receiver failed is sent again by itself, in order, once it answers again; it is unless you say false.
        """
        return self._ask(AccountWebhook, "POST", "/api/webhooks", locals(), body=True, nulls=("events", "chats", "headers", "batch", "format", "format_options"))

    def get_account_webhook(self, *, webhook_id: str) -> AccountWebhook:
        """Get a webhook of the account

        :param webhook_id: As `list_account_webhooks` gives it.
        """
        return self._ask(AccountWebhook, "GET", "/api/webhooks/{webhook_id}", locals())

    def update_account_webhook(
        self,
        *,
        webhook_id: str,
        url: str | None = None,
        events: List[EventType] | None = UNSET,
        ignore: List[Literal["status", "groups"]] | None = None,
        chats: List[str] | None = UNSET,
        headers: dict[str, str] | None = UNSET,
        batch: int | None = UNSET,
        format: Literal["evolution", "waha"] | None = UNSET,
        format_options: CreateAccountWebhookFormatOptions | None = UNSET,
        healing: bool | None = None,
        state: Literal["active", "paused"] | None = None,
    ) -> AccountWebhook:
        """Change a webhook of the account, pause it, or let it go on, for all bridges at once. A field that is not given stays as it is. A change holds for attempts that begin a second later, also of events that wait. A paused webhook keeps its place at each bridge for seven days. When it goes on, what waits follows at once or, of very many bridges, within three minutes.

        :param webhook_id: As `list_account_webhooks` gives it.
        :param url: As `webhook_url` of a bridge, but never empty.
        :param events: The types of events that it gets, of those that the bridge gets; null is all, including those of later releases.
        :param ignore: Chats whose events it does not get: `status`, `groups`; `[]` is none.
        :param chats: The chats whose events it gets, and no event of no chat; null is all events. Named as `chat_id` of events names them: a person by their phone number, and by their LID only where the number is unknown.
        :param headers: Headers that each of its POSTs has besides; they replace those of before, and null ends them. At most 10, and 2,048 characters together. `Authorization` replaces the one with the secret. They are secret: answers show `***`.
        :param batch: Up to so many events in one POST, 1 to 50: see "Batches". Null: one event for each POST, in the usual form.
        :param format: Events come as Evolution API or WAHA post them, from the next attempt on; null: in our own form. An event that has no counterpart there is not sent. Not with `batch`.
        :param format_options: What that format leaves open; it replaces the options of before, and null ends them. Only with `format`.
        :param healing: Whether what was given up while the receiver failed is sent again by itself, in order, once it answers again; it is unless you say false.
        """
        return self._ask(AccountWebhook, "PATCH", "/api/webhooks/{webhook_id}", locals(), body=True, nulls=("events", "chats", "headers", "batch", "format", "format_options"))

    def remove_account_webhook(self, *, webhook_id: str) -> None:
        """Delete a webhook of the account: what waits for it is not sent

        :param webhook_id: As `list_account_webhooks` gives it.
        """
        return self._ask(type(None), "DELETE", "/api/webhooks/{webhook_id}", locals())

    def roll_account_secret(self, *, webhook_id: str) -> RollAccountSecretResult:
        """Replace the secret of a webhook of the account; for 24 hours both sign. As `roll_secret` does for a webhook of a bridge.

        :param webhook_id: As `list_account_webhooks` gives it.
        """
        return self._ask(RollAccountSecretResult, "POST", "/api/webhooks/{webhook_id}/secret/roll", locals())

    def finish_account_secret(self, *, webhook_id: str) -> Ok:
        """Stop signing with the replaced secret of a webhook of the account now

        :param webhook_id: As `list_account_webhooks` gives it.
        """
        return self._ask(Ok, "POST", "/api/webhooks/{webhook_id}/secret/finish", locals())

    def get_account(self) -> Account:
        """Get the account that the key belongs to"""
        return self._ask(Account, "GET", "/api/account", locals())

    def get_usage(self, *, from_: str | None = None, to: str | None = None) -> List[Usage]:
        """What the bridges of the account delivered, day by day

        :param from_: The first day; 30 days before `to`, unless you say otherwise.
        :param to: The last day; today, unless you say otherwise.
        """
        return self._ask(List[Usage], "GET", "/api/usage", locals(), query=("from", "to"))

    def list_requests(
        self,
        *,
        refused: Literal["true", "false"] | None = None,
        after: str | None = None,
        limit: int | None = None,
    ) -> Listing[ApiRequest]:
        """List calls of the account's programs: those that were refused, and those that changed something. Newest first, for 7 days, without bodies. A call that only read is not here, nor one to a session that succeeded: `list_sent` has what was sent. A call with a key that has expired, or was revoked in the last 30 days, is here; one with any other wrong key belongs to no account. After a hundred calls at once one in five seconds is kept, and says how many were left out.

        :param refused: Only refused ones, or only others.
        :param after: The `X-Next-After` of the page before.
        """
        return self._list(ApiRequest, "GET", "/api/requests", locals(), query=("refused", "after", "limit"))

    def create_key(
        self,
        *,
        name: str,
        scope: Literal["all", "read"] | None = None,
        customer_refs: List[str] | None = None,
        chats: List[str] | None = None,
        file_hosts: List[str] | None = None,
        expires_at: int | None = None,
    ) -> CreateKeyResult:
        """Create an API key

        :param name: What it is for.
        :param scope: `all`: everything. `read`: everything that changes nothing, without secrets and codes that link a phone.
        :param customer_refs: The bridges that it is for; without it, every bridge and the account.
        :param chats: The only chats in which it reads and writes, at whichever bridge, named as `chat_id` of events names them: a person by their phone number, and by their LID only where the number is unknown. It may do nothing that is not in a chat.
        :param file_hosts: For an agent: the hosts whose files it sends without asking a person. Calls of the API are not held to it.
        :param expires_at: When it stops working, Unix seconds: calls with it are then 401. Absent: not before it is revoked. A key that is made with one that expires does so with it, if not before.
        """
        return self._ask(CreateKeyResult, "POST", "/api/keys", locals(), body=True)

    def list_keys(self) -> List[ApiKey]:
        """List the API keys of the account"""
        return self._ask(List[ApiKey], "GET", "/api/keys", locals())

    def remove_key(self, *, id: str) -> None:
        """Revoke an API key. It stops working within 30 seconds, and so do the keys that it made.

        :param id: As `list_keys` gives it.
        """
        return self._ask(type(None), "DELETE", "/api/keys/{id}", locals())


class AsyncAccountCalls(AsyncCalls):
    """The calls about the account of the key."""

    create_bridge = awaited(AccountCalls.create_bridge)
    list_bridges = listed(AccountCalls.list_bridges)
    resend_everywhere = awaited(AccountCalls.resend_everywhere)
    list_account_webhooks = awaited(AccountCalls.list_account_webhooks)
    create_account_webhook = awaited(AccountCalls.create_account_webhook)
    get_account_webhook = awaited(AccountCalls.get_account_webhook)
    update_account_webhook = awaited(AccountCalls.update_account_webhook)
    remove_account_webhook = awaited(AccountCalls.remove_account_webhook)
    roll_account_secret = awaited(AccountCalls.roll_account_secret)
    finish_account_secret = awaited(AccountCalls.finish_account_secret)
    get_account = awaited(AccountCalls.get_account)
    get_usage = awaited(AccountCalls.get_usage)
    list_requests = listed(AccountCalls.list_requests)
    create_key = awaited(AccountCalls.create_key)
    list_keys = awaited(AccountCalls.list_keys)
    remove_key = awaited(AccountCalls.remove_key)


class BridgeCalls(Calls):
    """The calls about one bridge."""

    def get_bridge(self) -> BridgeWithManager:
        """Get a bridge"""
        return self._ask(BridgeWithManager, "GET", "/api/instances/{customer_ref}", locals())

    def update_bridge(
        self,
        *,
        webhook_url: str | None = UNSET,
        events: List[EventType] | None = UNSET,
        ignore: List[Literal["status", "groups"]] | None = None,
        message_status: Literal["counts", "participants"] | None = None,
        daily_presence: bool | None = None,
        link_previews: bool | None = None,
        pacing: Pacing | None = UNSET,
        proxy_url: str | None = UNSET,
        media_store: UpdateBridgeMediaStore | None = UNSET,
        keep: Literal[7, 30, 90] | None = UNSET,
        history: bool | None = None,
    ) -> BridgeAfterPatch:
        """Choose where a bridge's events go, and which are sent. `webhook_url` is required unless another field is given; a field that is not given stays as it is. Messages that `events` and `ignore` switch off are taken from the network and forgotten: they give no event, and cannot be replied to or downloaded. A change of all but the address and the proxy restarts nothing, and takes effect within half a minute. A new address restarts the session, which takes a few seconds; the phone stays linked. After five logins in a row that did not last, restarts included, the session waits up to a minute before the next. The current address restarts nothing, unless another place has taken over the session (`status` is `replaced`): then the session connects again, and the other place is replaced.

        :param webhook_url: An https URL (or http where the service is not in production) of at most 2,048 characters, without spaces, fragment, user name and password, at a public address unless the operator allows others. `""` or null is the hosted inbox.
        :param events: The types of events to send; null is all of them, including those of later releases, but not `message_status`, `message_lost`, `group` and `channel_post`, which are sent only if you name them.
        :param ignore: Chats whose events are not sent: `status`, `groups`; `[]` is none.
        :param message_status: What events of the type `message_status` say of a message to a group. `counts`: how many members have received, read and played it. `participants`: also who, in an event for each receipt that comes by itself.
        :param daily_presence: Whether the session appears as available for some minutes a day; it does unless you say false. A phone warns its owner of a linked device that was not available for about two weeks, and offers to log it out.
        :param link_previews: Whether `send_text` fetches the page of a text's first link, where the call says neither `link_preview` nor `preview`; it does not unless you say true.
        :param pacing: How slowly the bridge sends; it replaces the pacing of before, and null ends it. A message that would have to wait for longer than five seconds is refused with 429 `pacing`.
        :param proxy_url: A proxy for the session: `http://`, `https://` or `socks5://`, with a user name and password if it wants them, at a public address unless the operator allows others. Socket, files and look-ups of names go through it, and the session connects anew. No answer shows it again. null is none.
        :param media_store: Your own S3, or a store that speaks its protocol: the file of each message from now on is put into it, and its event says where. It replaces the one before; null is none.
        :param keep: For how many days messages are kept, those that come in and those that are sent, so that `list_messages` has them: from now on, and those of the events and sends that are still known; null keeps no more of them. Those in chats that `ignore` names are not kept.
        :param history: With `keep`: whether a phone that is linked from now on is asked for what was said before. It tells what it chooses, some minutes long; of that the messages of the last `keep` days are kept, at most 500 of a chat and 20,000 in all. They are no events.
        """
        return self._ask(BridgeAfterPatch, "PATCH", "/api/instances/{customer_ref}", locals(), body=True, nulls=("webhook_url", "events", "pacing", "proxy_url", "media_store", "keep"))

    def remove_bridge(self) -> None:
        """Delete a bridge: unlink it, destroy its keys, free its reference"""
        return self._ask(type(None), "DELETE", "/api/instances/{customer_ref}", locals())

    def status(self) -> SessionStatus:
        """The state of the session"""
        return self._ask(SessionStatus, "GET", "/api/instances/{customer_ref}/proxy/status", locals())

    def qr(self) -> httpx.Response:
        """The current QR code for linking the session: ask again when it has expired"""
        return self._fetch("GET", "/api/instances/{customer_ref}/proxy/qr", locals())

    def pair(self, *, phone: str) -> PairResult:
        """Link with a code that is typed on the phone

        :param phone: 7 to 15 digits; a leading `+` is dropped.
        """
        return self._ask(PairResult, "POST", "/api/instances/{customer_ref}/proxy/pair", locals(), body=True)

    def passkey(
        self,
        *,
        id: str,
        rawId: str,
        type: Literal["public-key"],
        response: PasskeyAssertionResponse,
    ) -> Ok:
        """Answer the network's request for a passkey. The body is a browser's answer to `status.passkey.options`, made on https://web.whatsapp.com: the JSON of `navigator.credentials.get`. After a refusal `status` has the request to answer next."""
        return self._ask(Ok, "POST", "/api/instances/{customer_ref}/proxy/passkey", locals(), body=True)

    def logout(self) -> Ok:
        """Unlink the session, or turn away a phone that wants a passkey"""
        return self._ask(Ok, "DELETE", "/api/instances/{customer_ref}/proxy/logout", locals())

    def create_link_session(
        self,
        *,
        expected_phone: str | None = None,
        return_url: str | None = None,
        lasting: bool | None = None,
        embed_at: str | None = None,
    ) -> LinkSession:
        """Make a page on which somebody links their phone, without an account of their own. Give the URL to the person whose number it is. It works for an hour, or until a phone is linked; a lasting one until another is made. Anyone who has it can link a phone to this bridge, so treat it as a secret.

        :param expected_phone: The number that has to be linked; another one is refused on the page.
        :param return_url: Where the page leads when a phone is linked.
        :param lasting: The page stays: it shows whether the phone is linked, and links it again when it is not.
        :param embed_at: The origin of the site that may show the page in a frame; none, unless you say one.
        """
        return self._ask(LinkSession, "POST", "/api/instances/{customer_ref}/link-sessions", locals(), body=True)

    def send_text(
        self,
        *,
        chat: str,
        body: str,
        quoted_message_id: str | None = None,
        mentions: List[str] | None = None,
        new_chat: Literal["refuse", "allow"] | None = None,
        read: str | None = None,
        typing_ms: int | None = None,
        preview: SendTextPreview | None = None,
        link_preview: bool | None = None,
        send_at: int | None = None,
        valid_for: int | None = None,
        idempotency_key: str | None = None,
    ) -> SendResult:
        """Send a text message

        :param chat: A phone number of 7 to 15 digits (a leading `+` is dropped), a JID (`…@s.whatsapp.net`, `…@lid`, `…@g.us` for a group), or a username: `@ada`, or `@ada:1234` with the four digits that its owner may ask for.
        :param quoted_message_id: The message that this one replies to, of the same chat.
        :param mentions: The people whom the text mentions.
        :param new_chat: `refuse`: where this message would begin a chat with a person, it is 409 `new_chat`, and nothing is sent. `allow`: it is sent, and the person is known from then on.
        :param read: A message of this chat that is marked as read just before this one leaves, as a phone does. If it is unknown, or that fails, this message is sent all the same. A replay under an Idempotency-Key marks nothing.
        :param typing_ms: For how long you are shown as typing before this message, which the call takes longer. It replaces that of the bridge's `pacing`.
        :param preview: What is shown of a link, in your words: nothing is fetched.
        :param link_preview: Whether the service fetches the page of the text's first link, and shows its title, description and picture. By default as `link_previews` of the bridge says. The text goes without where that cannot be had within seven seconds.
        :param send_at: Plans the message for this time, Unix seconds, at most 366 days ahead. The call answers at once, with `state` `planned`; what needs the network or a URL is looked at when it is due. Not with `file` or a large `data`: give a `url`.
        :param valid_for: With `send_at`: for how many seconds after that it may still go, as when the number is away at its time; by default 600.
        """
        return self._ask(SendResult, "POST", "/api/instances/{customer_ref}/proxy/send/text", locals(), body=True, takes_key=True)

    def send_media(
        self,
        *,
        chat: str,
        quoted_message_id: str | None = None,
        mentions: List[str] | None = None,
        new_chat: Literal["refuse", "allow"] | None = None,
        read: str | None = None,
        typing_ms: int | None = None,
        url: str | None = None,
        file: str | None = None,
        data: str | None = None,
        content_type: str | None = None,
        as_sticker: bool | None = None,
        as_voice: bool | None = None,
        as_document: bool | None = None,
        gif_playback: bool | None = None,
        video_note: bool | None = None,
        view_once: bool | None = None,
        caption: str | None = None,
        filename: str | None = None,
        send_at: int | None = None,
        valid_for: int | None = None,
        idempotency_key: str | None = None,
    ) -> SendResult:
        """Send an image, video, audio, document or sticker

        :param chat: A phone number of 7 to 15 digits (a leading `+` is dropped), a JID (`…@s.whatsapp.net`, `…@lid`, `…@g.us` for a group), or a username: `@ada`, or `@ada:1234` with the four digits that its owner may ask for.
        :param quoted_message_id: The message that this one replies to, of the same chat.
        :param mentions: The people whom the text mentions.
        :param new_chat: `refuse`: where this message would begin a chat with a person, it is 409 `new_chat`, and nothing is sent. `allow`: it is sent, and the person is known from then on.
        :param read: A message of this chat that is marked as read just before this one leaves, as a phone does. If it is unknown, or that fails, this message is sent all the same. A replay under an Idempotency-Key marks nothing.
        :param typing_ms: For how long you are shown as typing before this message, which the call takes longer. It replaces that of the bridge's `pacing`.
        :param url: The service fetches it. (A small file may stand in `data` instead, in base64; a larger one is uploaded, and named in `file`.) Its first bytes decide how it is sent, whatever its server says: JPEG, PNG and WebP are sent as an image, Ogg as a voice note, other sounds as audio, a video as video, an animated GIF as a video that plays like one (without ffmpeg at the service `conversion_unavailable`), everything else as a document. At most 16 MB, or 100 MB for a document. A picture may have 25 megapixels, or 200 if it is a JPEG that is not progressive. What is said to be an image, a video or a sound and does not begin like one, or an image that cannot be decoded, is `media_type_mismatch`, and so is an empty file.
        :param file: An uploaded file, as `create_upload` gave it.
        :param data: In base64 (RFC 4648, with padding): a small file itself, of at most 350 KB.
        :param content_type: Required with `data`, as `image/png`. With `url` it counts in place of what that server says. `application/octet-stream`: whatever it is. Where the first bytes show something else, it is `media_type_mismatch`.
        :param as_sticker: Sends a WebP as a sticker as it is, a JPEG or PNG as one of 512 by 512 pixels; any other file is `media_type_mismatch`.
        :param as_voice: Makes any sound, or that of a video, a voice note with its waveform: at most 15 minutes, of a file of at most 100 MB. Without ffmpeg at the service it is `conversion_unavailable`.
        :param as_document: Sends any file as it is, also a picture, a video or a sound, as a document of at most 100 MB.
        :param gif_playback: Sends a video as phones send a GIF: it plays by itself, again and again, without sound. Any other file but an animated GIF, which is always sent so, is `media_type_mismatch`.
        :param video_note: Sends a video as phones record a video note: round, without a text. Any other file is `media_type_mismatch`.
        :param view_once: An image, a video or a voice note that can be opened once; any other file is `media_type_mismatch`.
        :param caption: The text beside an image, a video or a document; any other file is then `media_type_mismatch`.
        :param filename: The name of a document; by default that of the upload, or that in the Content-Disposition of the URL's answer, or the last part of the URL's path. It goes without invisible characters, and with `_` for each `/` and `\\`.
        :param send_at: Plans the message for this time, Unix seconds, at most 366 days ahead. The call answers at once, with `state` `planned`; what needs the network or a URL is looked at when it is due. Not with `file` or a large `data`: give a `url`.
        :param valid_for: With `send_at`: for how many seconds after that it may still go, as when the number is away at its time; by default 600.
        """
        return self._ask(SendResult, "POST", "/api/instances/{customer_ref}/proxy/send/media", locals(), body=True, takes_key=True)

    def create_upload(
        self,
        *,
        content_type: str,
        filename: str | None = None,
        size: int | None = None,
    ) -> Upload:
        """Upload a file, to send it. Then POST `multipart/form-data` to `upload.url`: each of `upload.fields`, and the file itself as `file`, which comes last. No API key goes with it. 204 says that the file is there. It can be sent for 24 hours, as often as you like, by `file` of `send_media` and `send_status`. It takes up to 100 MB; a byte more is 413, or 400 from Amazon S3, where that is the place.

        :param size: In bytes. A file of another size is then refused.
        """
        return self._ask(Upload, "POST", "/api/instances/{customer_ref}/files", locals(), body=True)

    def send_reaction(
        self,
        *,
        emoji: str,
        message_id: str,
        chat: str | None = None,
        send_at: int | None = None,
        valid_for: int | None = None,
        idempotency_key: str | None = None,
    ) -> SendResult:
        """React to a message

        :param emoji: `""` removes the reaction.
        :param message_id: A message id, as an event or a send result gave it; in a path percent-encoded.
        :param chat: The chat of the message; needed only if messages of several chats have this id.
        :param send_at: Plans the message for this time, Unix seconds, at most 366 days ahead. The call answers at once, with `state` `planned`; what needs the network or a URL is looked at when it is due. Not with `file` or a large `data`: give a `url`.
        :param valid_for: With `send_at`: for how many seconds after that it may still go, as when the number is away at its time; by default 600.
        """
        return self._ask(SendResult, "POST", "/api/instances/{customer_ref}/proxy/send/reaction", locals(), body=True, takes_key=True)

    def send_poll(
        self,
        *,
        chat: str,
        question: str,
        options: List[str],
        quoted_message_id: str | None = None,
        mentions: List[str] | None = None,
        new_chat: Literal["refuse", "allow"] | None = None,
        read: str | None = None,
        typing_ms: int | None = None,
        max_answers: int | None = None,
        send_at: int | None = None,
        valid_for: int | None = None,
        idempotency_key: str | None = None,
    ) -> SendResult:
        """Send a poll

        :param chat: A phone number of 7 to 15 digits (a leading `+` is dropped), a JID (`…@s.whatsapp.net`, `…@lid`, `…@g.us` for a group), or a username: `@ada`, or `@ada:1234` with the four digits that its owner may ask for.
        :param quoted_message_id: The message that this one replies to, of the same chat.
        :param mentions: The people whom the text mentions.
        :param new_chat: `refuse`: where this message would begin a chat with a person, it is 409 `new_chat`, and nothing is sent. `allow`: it is sent, and the person is known from then on.
        :param read: A message of this chat that is marked as read just before this one leaves, as a phone does. If it is unknown, or that fails, this message is sent all the same. A replay under an Idempotency-Key marks nothing.
        :param typing_ms: For how long you are shown as typing before this message, which the call takes longer. It replaces that of the bridge's `pacing`.
        :param max_answers: How many options one person may choose; 0: any number; by default 1.
        :param send_at: Plans the message for this time, Unix seconds, at most 366 days ahead. The call answers at once, with `state` `planned`; what needs the network or a URL is looked at when it is due. Not with `file` or a large `data`: give a `url`.
        :param valid_for: With `send_at`: for how many seconds after that it may still go, as when the number is away at its time; by default 600.
        """
        return self._ask(SendResult, "POST", "/api/instances/{customer_ref}/proxy/send/poll", locals(), body=True, takes_key=True)

    def send_location(
        self,
        *,
        chat: str,
        lat: float,
        lng: float,
        quoted_message_id: str | None = None,
        mentions: List[str] | None = None,
        new_chat: Literal["refuse", "allow"] | None = None,
        read: str | None = None,
        typing_ms: int | None = None,
        name: str | None = None,
        address: str | None = None,
        send_at: int | None = None,
        valid_for: int | None = None,
        idempotency_key: str | None = None,
    ) -> SendResult:
        """Send a location

        :param chat: A phone number of 7 to 15 digits (a leading `+` is dropped), a JID (`…@s.whatsapp.net`, `…@lid`, `…@g.us` for a group), or a username: `@ada`, or `@ada:1234` with the four digits that its owner may ask for.
        :param quoted_message_id: The message that this one replies to, of the same chat.
        :param mentions: The people whom the text mentions.
        :param new_chat: `refuse`: where this message would begin a chat with a person, it is 409 `new_chat`, and nothing is sent. `allow`: it is sent, and the person is known from then on.
        :param read: A message of this chat that is marked as read just before this one leaves, as a phone does. If it is unknown, or that fails, this message is sent all the same. A replay under an Idempotency-Key marks nothing.
        :param typing_ms: For how long you are shown as typing before this message, which the call takes longer. It replaces that of the bridge's `pacing`.
        :param send_at: Plans the message for this time, Unix seconds, at most 366 days ahead. The call answers at once, with `state` `planned`; what needs the network or a URL is looked at when it is due. Not with `file` or a large `data`: give a `url`.
        :param valid_for: With `send_at`: for how many seconds after that it may still go, as when the number is away at its time; by default 600.
        """
        return self._ask(SendResult, "POST", "/api/instances/{customer_ref}/proxy/send/location", locals(), body=True, takes_key=True)

    def send_event(
        self,
        *,
        chat: str,
        name: str,
        start_time: int,
        quoted_message_id: str | None = None,
        mentions: List[str] | None = None,
        new_chat: Literal["refuse", "allow"] | None = None,
        read: str | None = None,
        typing_ms: int | None = None,
        description: str | None = None,
        end_time: int | None = None,
        join_link: str | None = None,
        has_reminder: bool | None = None,
        is_schedule_call: bool | None = None,
        reminder_offset_sec: int | None = None,
        send_at: int | None = None,
        valid_for: int | None = None,
        idempotency_key: str | None = None,
    ) -> SendResult:
        """Send an event message, which recipients can answer

        :param chat: A phone number of 7 to 15 digits (a leading `+` is dropped), a JID (`…@s.whatsapp.net`, `…@lid`, `…@g.us` for a group), or a username: `@ada`, or `@ada:1234` with the four digits that its owner may ask for.
        :param start_time: Unix seconds.
        :param quoted_message_id: The message that this one replies to, of the same chat.
        :param mentions: The people whom the text mentions.
        :param new_chat: `refuse`: where this message would begin a chat with a person, it is 409 `new_chat`, and nothing is sent. `allow`: it is sent, and the person is known from then on.
        :param read: A message of this chat that is marked as read just before this one leaves, as a phone does. If it is unknown, or that fails, this message is sent all the same. A replay under an Idempotency-Key marks nothing.
        :param typing_ms: For how long you are shown as typing before this message, which the call takes longer. It replaces that of the bridge's `pacing`.
        :param end_time: Unix seconds; not before the start.
        :param join_link: The link for joining a call.
        :param reminder_offset_sec: How long before the start the phone shows a reminder.
        :param send_at: Plans the message for this time, Unix seconds, at most 366 days ahead. The call answers at once, with `state` `planned`; what needs the network or a URL is looked at when it is due. Not with `file` or a large `data`: give a `url`.
        :param valid_for: With `send_at`: for how many seconds after that it may still go, as when the number is away at its time; by default 600.
        """
        return self._ask(SendResult, "POST", "/api/instances/{customer_ref}/proxy/send/event", locals(), body=True, takes_key=True)

    def send_contact(
        self,
        *,
        chat: str,
        contacts: List[SendContactContact],
        quoted_message_id: str | None = None,
        mentions: List[str] | None = None,
        new_chat: Literal["refuse", "allow"] | None = None,
        read: str | None = None,
        typing_ms: int | None = None,
        send_at: int | None = None,
        valid_for: int | None = None,
        idempotency_key: str | None = None,
    ) -> SendResult:
        """Send contact cards

        :param chat: A phone number of 7 to 15 digits (a leading `+` is dropped), a JID (`…@s.whatsapp.net`, `…@lid`, `…@g.us` for a group), or a username: `@ada`, or `@ada:1234` with the four digits that its owner may ask for.
        :param quoted_message_id: The message that this one replies to, of the same chat.
        :param mentions: The people whom the text mentions.
        :param new_chat: `refuse`: where this message would begin a chat with a person, it is 409 `new_chat`, and nothing is sent. `allow`: it is sent, and the person is known from then on.
        :param read: A message of this chat that is marked as read just before this one leaves, as a phone does. If it is unknown, or that fails, this message is sent all the same. A replay under an Idempotency-Key marks nothing.
        :param typing_ms: For how long you are shown as typing before this message, which the call takes longer. It replaces that of the bridge's `pacing`.
        :param send_at: Plans the message for this time, Unix seconds, at most 366 days ahead. The call answers at once, with `state` `planned`; what needs the network or a URL is looked at when it is due. Not with `file` or a large `data`: give a `url`.
        :param valid_for: With `send_at`: for how many seconds after that it may still go, as when the number is away at its time; by default 600.
        """
        return self._ask(SendResult, "POST", "/api/instances/{customer_ref}/proxy/send/contact", locals(), body=True, takes_key=True)

    def send_forward(
        self,
        *,
        chat: str,
        message_id: str,
        from_chat: str | None = None,
        read: str | None = None,
        typing_ms: int | None = None,
        send_at: int | None = None,
        valid_for: int | None = None,
        idempotency_key: str | None = None,
    ) -> SendResult:
        """Forward a message

        :param chat: A phone number of 7 to 15 digits (a leading `+` is dropped), a JID (`…@s.whatsapp.net`, `…@lid`, `…@g.us` for a group), or a username: `@ada`, or `@ada:1234` with the four digits that its owner may ask for.
        :param message_id: A message id, as an event or a send result gave it; in a path percent-encoded.
        :param from_chat: The chat that the message is in; needed only if messages of several chats have this id.
        :param read: A message of this chat that is marked as read just before this one leaves, as a phone does. If it is unknown, or that fails, this message is sent all the same. A replay under an Idempotency-Key marks nothing.
        :param typing_ms: For how long you are shown as typing before this message, which the call takes longer. It replaces that of the bridge's `pacing`.
        :param send_at: Plans the message for this time, Unix seconds, at most 366 days ahead. The call answers at once, with `state` `planned`; what needs the network or a URL is looked at when it is due. Not with `file` or a large `data`: give a `url`.
        :param valid_for: With `send_at`: for how many seconds after that it may still go, as when the number is away at its time; by default 600.
        """
        return self._ask(SendResult, "POST", "/api/instances/{customer_ref}/proxy/send/forward", locals(), body=True, takes_key=True)

    def send_status(
        self,
        *,
        body: str | None = None,
        url: str | None = None,
        file: str | None = None,
        data: str | None = None,
        content_type: str | None = None,
        background: str | None = None,
        send_at: int | None = None,
        valid_for: int | None = None,
        idempotency_key: str | None = None,
    ) -> SendResult:
        """Post a status: a text, a picture, a video or a sound

        :param body: The text, or the one beside the picture or the video.
        :param url: The service fetches it. (A small file may stand in `data` instead, in base64; a larger one is uploaded, and named in `file`.) Its first bytes decide how it is sent, whatever its server says: JPEG, PNG and WebP are sent as an image, Ogg as a voice note, other sounds as audio, a video as video, an animated GIF as a video that plays like one (without ffmpeg at the service `conversion_unavailable`), everything else as a document. At most 16 MB, or 100 MB for a document. A picture may have 25 megapixels, or 200 if it is a JPEG that is not progressive. What is said to be an image, a video or a sound and does not begin like one, or an image that cannot be decoded, is `media_type_mismatch`, and so is an empty file.
        :param file: An uploaded file, as `create_upload` gave it.
        :param data: In base64 (RFC 4648, with padding): a small file itself, of at most 350 KB.
        :param content_type: Required with `data`, as `image/png`. With `url` it counts in place of what that server says. `application/octet-stream`: whatever it is. Where the first bytes show something else, it is `media_type_mismatch`.
        :param background: The colour behind a text or a sound.
        :param send_at: Plans the message for this time, Unix seconds, at most 366 days ahead. The call answers at once, with `state` `planned`; what needs the network or a URL is looked at when it is due. Not with `file` or a large `data`: give a `url`.
        :param valid_for: With `send_at`: for how many seconds after that it may still go, as when the number is away at its time; by default 600.
        """
        return self._ask(SendResult, "POST", "/api/instances/{customer_ref}/proxy/send/status", locals(), body=True, takes_key=True)

    def send_typing(self, *, chat: str, state: Literal["composing", "recording", "paused"]) -> Ok:
        """Show that you are typing or recording

        :param chat: A phone number of 7 to 15 digits (a leading `+` is dropped), a JID (`…@s.whatsapp.net`, `…@lid`, `…@g.us` for a group), or a username: `@ada`, or `@ada:1234` with the four digits that its owner may ask for.
        """
        return self._ask(Ok, "POST", "/api/instances/{customer_ref}/proxy/send/typing", locals(), body=True)

    def get_message(self, *, id: str, chat: str | None = None) -> Message:
        """A message that was sent or received, and what has become of it. As it is now: edited, or revoked. For 30 days, whether or not a phone is linked now, unless `chat` is a username, which is asked of the network. Events that `events` and `ignore` switch off leave nothing to look up.

        :param id: A message id, as an event or a send result gave it; in a path percent-encoded.
        :param chat: The chat of the message; needed only if messages of several chats have this id.
        """
        return self._ask(Message, "GET", "/api/instances/{customer_ref}/proxy/messages/{id}", locals(), query=("chat",))

    def revoke_message(
        self,
        *,
        id: str,
        chat: str | None = None,
        idempotency_key: str | None = None,
    ) -> SendResult:
        """Revoke a message for everyone. One that the session's account has sent, or another member's in a group of which it is an admin. One that is revoked already is revoked once more, which phones do not show.

        :param id: A message id, as an event or a send result gave it; in a path percent-encoded.
        :param chat: The chat of the message; needed only if messages of several chats have this id.
        """
        return self._ask(SendResult, "DELETE", "/api/instances/{customer_ref}/proxy/messages/{id}", locals(), query=("chat",), takes_key=True)

    def find_message(self, *, idempotency_key: str) -> Message:
        """The message that was sent under an Idempotency-Key, and what has become of it. For the 24 hours of the key. Unlike a repetition of the request, this never sends anything.

        :param idempotency_key: As in the header of the request that sent it.
        """
        return self._ask(Message, "GET", "/api/instances/{customer_ref}/proxy/messages", locals(), query=("idempotency_key",))

    def list_sent(
        self,
        *,
        chat: str | None = None,
        limit: int | None = None,
        after: str | None = None,
    ) -> Listing[SentMessage]:
        """The messages that were sent through the API, newest first, and what has become of each. Of the last 30 days, the latest 10,000. It needs no connection, unless `chat` is a username. A call that was refused sent nothing: `list_requests` says why.

        :param chat: Only messages to this chat.
        :param after: Only messages behind this one: the `X-Next-After` of the page before.
        """
        return self._list(SentMessage, "GET", "/api/instances/{customer_ref}/proxy/sent", locals(), query=("chat", "limit", "after"))

    def delete_for_me(self, *, id: str, chat: str | None = None) -> Ok:
        """Remove a message from the account's own devices. From the phone, all other devices of the account, and the messages that are kept here. Others still have it: `revoke_message` removes it for everyone. Its event stays, and `get_message` still finds it.

        :param id: A message id, as an event or a send result gave it; in a path percent-encoded.
        :param chat: The chat of the message; needed only if messages of several chats have this id.
        """
        return self._ask(Ok, "DELETE", "/api/instances/{customer_ref}/proxy/messages/{id}/for-me", locals(), query=("chat",))

    def edit_message(
        self,
        *,
        id: str,
        body: str,
        chat: str | None = None,
        idempotency_key: str | None = None,
    ) -> SendResult:
        """Change the text or the caption of a sent message. Phones offer this for 15 minutes, and ignore an edit of a message that is older than 20.

        :param id: A message id, as an event or a send result gave it; in a path percent-encoded.
        :param chat: The chat of the message; needed only if messages of several chats have this id.
        """
        return self._ask(SendResult, "PATCH", "/api/instances/{customer_ref}/proxy/messages/{id}/edit", locals(), body=True, takes_key=True)

    def pin_message(
        self,
        *,
        id: str,
        chat: str | None = None,
        duration: Literal[86400, 604800, 2592000] | None = None,
        idempotency_key: str | None = None,
    ) -> SendResult:
        """Pin a message in its chat, for everyone

        :param id: A message id, as an event or a send result gave it; in a path percent-encoded.
        :param chat: The chat of the message; needed only if messages of several chats have this id.
        :param duration: For how many seconds; by default 604,800, a week.
        """
        return self._ask(SendResult, "POST", "/api/instances/{customer_ref}/proxy/messages/{id}/pin", locals(), body=True, takes_key=True)

    def unpin_message(self, *, id: str, chat: str | None = None, idempotency_key: str | None = None) -> SendResult:
        """Unpin a message

        :param id: A message id, as an event or a send result gave it; in a path percent-encoded.
        :param chat: The chat of the message; needed only if messages of several chats have this id.
        """
        return self._ask(SendResult, "DELETE", "/api/instances/{customer_ref}/proxy/messages/{id}/pin", locals(), query=("chat",), takes_key=True)

    def read_message(self, *, id: str, chat: str | None = None) -> Ok:
        """Send a read receipt

        :param id: A message id, as an event or a send result gave it; in a path percent-encoded.
        :param chat: The chat of the message; needed only if messages of several chats have this id.
        """
        return self._ask(Ok, "POST", "/api/instances/{customer_ref}/proxy/messages/{id}/read", locals(), body=True)

    def message_media(self, *, id: str, chat: str | None = None, card: int | None = None) -> httpx.Response:
        """The file of a received message. Of a revoked message it is `media_expired`.

        :param id: A message id, as an event or a send result gave it; in a path percent-encoded.
        :param chat: The chat of the message; needed only if messages of several chats have this id.
        :param card: The place of a card in `interactive.cards`, from 0: its file in place of the message's own.
        """
        return self._fetch("GET", "/api/instances/{customer_ref}/proxy/messages/{id}/media", locals(), query=("chat", "card"))

    def list_planned(
        self,
        *,
        state: Literal["planned", "over"] | None = None,
        job: str | None = None,
        chat: str | None = None,
        limit: int | None = None,
        after: str | None = None,
    ) -> Listing[PlannedSend]:
        """The messages that are planned, and what became of those that were. Those that were planned alone, or those of a job. What is over is kept for 7 days. It needs no connection.

        :param state: `planned`: what is still to go, the next one first. `over`: all else, in no order.
        :param job: Those of this job, in its order.
        :param chat: Only those to this chat.
        :param after: The `X-Next-After` of the page before.
        """
        return self._list(PlannedSend, "GET", "/api/instances/{customer_ref}/proxy/planned", locals(), query=("state", "job", "chat", "limit", "after"))

    def get_planned(self, *, id: str, chat: str | None = None) -> PlannedSend:
        """A planned message, and what has become of it

        :param chat: Its chat; one to another chat is then `not_found`.
        """
        return self._ask(PlannedSend, "GET", "/api/instances/{customer_ref}/proxy/planned/{id}", locals(), query=("chat",))

    def change_planned(
        self,
        *,
        id: str,
        send_at: int,
        chat: str | None = None,
        valid_for: int | None = None,
    ) -> PlannedSend:
        """Plan a message for another time. Of a job, the job's own time holds: `not_planned`.

        :param send_at: Unix seconds. A time that has passed: now.
        :param chat: Its chat; one to another chat is then `not_found`.
        :param valid_for: By default as it was.
        """
        return self._ask(PlannedSend, "PATCH", "/api/instances/{customer_ref}/proxy/planned/{id}", locals(), query=("chat",), body=True)

    def cancel_planned(self, *, id: str, chat: str | None = None) -> Ok:
        """Cancel a planned message. It is certain that it does not go. One whose sending has begun is `not_planned`.

        :param chat: Its chat; one to another chat is then `not_found`.
        """
        return self._ask(Ok, "DELETE", "/api/instances/{customer_ref}/proxy/planned/{id}", locals(), query=("chat",))

    def create_job(
        self,
        *,
        messages: List[CreateJobMessage],
        name: str | None = None,
        template: str | None = None,
        send_at: int | None = None,
        valid_for: int | None = None,
        gap_ms: int | None = None,
        new_chat: Literal["refuse", "allow"] | None = None,
        idempotency_key: str | None = None,
    ) -> Job:
        """Send a text to many, slowly. One message to each chat, in the order of the list: `body`, or the `template` with the message's `fields` in place of `{{name}}`. All or none are taken. The body may have 4 MB.

        :param messages: A chat that is named twice is `invalid_request`.
        :param name: For people.
        :param send_at: When it begins, Unix seconds; by default now.
        :param valid_for: For how many seconds after its time messages may still go. What is left then never goes.
        :param gap_ms: The least time from one of its messages to the next; up to half as much is added at random. At least twice the gap of the bridge's `pacing` is kept.
        :param new_chat: As of a send.
        """
        return self._ask(Job, "POST", "/api/instances/{customer_ref}/proxy/jobs", locals(), body=True, takes_key=True)

    def list_jobs(self) -> List[Job]:
        """The jobs of the last 30 days, the newest first"""
        return self._ask(List[Job], "GET", "/api/instances/{customer_ref}/proxy/jobs", locals())

    def get_job(self, *, id: str) -> Job:
        """A job, and how far it has come. What became of each message: `list_planned` with `job`."""
        return self._ask(Job, "GET", "/api/instances/{customer_ref}/proxy/jobs/{id}", locals())

    def change_job(self, *, id: str, state: Literal["running", "paused", "stopped"]) -> Job:
        """Pause a job, let it go on, or stop it for good. When this has answered, no message of a paused or stopped job begins to be sent; one that has begun may still arrive."""
        return self._ask(Job, "PATCH", "/api/instances/{customer_ref}/proxy/jobs/{id}", locals(), body=True)

    def list_chats(self, *, limit: int | None = None, after: str | None = None) -> Listing[Chat]:
        """The chats of the session, the one with the latest message first. Those with messages that are kept (`keep` of the bridge), and those that the phone has archived, pinned or muted. Where it has done so before `keep` was set is known after the session's next login. It needs no connection.

        :param after: The `X-Next-After` of the page before, of the same bridge and chat.
        """
        return self._list(Chat, "GET", "/api/instances/{customer_ref}/proxy/chats", locals(), query=("limit", "after"))

    def update_chat(
        self,
        *,
        chat: str,
        archived: bool | None = None,
        pinned: bool | None = None,
        muted: bool | None = None,
        muted_until: int | None = None,
        unread: bool | None = None,
    ) -> Chat:
        """Archive, pin or mute a chat, or mark it as read or unread. On the phone and all other devices of the account. Nobody else hears of it: `read_message` sends a read receipt. Archiving ends a pin. If a change fails after others, the error names those that were made.

        :param chat: A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a group's (`…@g.us`).
        :param muted_until: With `muted`: until when, Unix seconds; without it there is no end.
        :param unread: False marks it as read.
        """
        return self._ask(Chat, "PATCH", "/api/instances/{customer_ref}/proxy/chats/{chat}", locals(), body=True)

    def delete_chat(self, *, chat: str) -> Ok:
        """Delete a chat with its messages. On the phone and all other devices of the account, and among the messages that are kept here; nobody else hears of it. Events that have been made stay, and single messages are still found by their ids. A new message begins it anew. A group is not left.

        :param chat: A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a group's (`…@g.us`).
        """
        return self._ask(Ok, "DELETE", "/api/instances/{customer_ref}/proxy/chats/{chat}", locals())

    def clear_chat(self, *, chat: str) -> Ok:
        """Clear a chat: remove its messages. On the phone and all other devices of the account, and among the messages that are kept here; nobody else hears of it. Events that have been made stay, and single messages are still found by their ids. Starred messages go, too.

        :param chat: A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a group's (`…@g.us`).
        """
        return self._ask(Ok, "DELETE", "/api/instances/{customer_ref}/proxy/chats/{chat}/messages", locals())

    def list_messages(
        self,
        *,
        chat: str,
        since: int | None = None,
        until: int | None = None,
        person: str | None = None,
        type: Literal["text", "media", "reaction", "poll", "location", "event", "contact", "unknown"] | None = None,
        limit: int | None = None,
        after: str | None = None,
    ) -> Listing[KeptMessage]:
        """The messages of a chat that are kept, newest first. Those that came in or were sent in the last `keep` days of the bridge; of the time before `keep` was set, those of the events and sends that were still known then. It needs no connection.

        :param chat: A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a group's (`…@g.us`).
        :param since: Only messages from this time on, Unix seconds.
        :param until: Only messages before this time, Unix seconds.
        :param person: Only messages that this person wrote.
        :param type: Only messages of this type.
        :param after: The `X-Next-After` of the page before, of the same bridge and chat.
        """
        return self._list(KeptMessage, "GET", "/api/instances/{customer_ref}/proxy/chats/{chat}/messages", locals(), query=("since", "until", "person", "type", "limit", "after"))

    def get_chat_timer(self, *, chat: str) -> ChatTimer:
        """After what time the messages of a chat disappear. For a chat between two people: as its devices have told since the phone was linked.

        :param chat: A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a group's (`…@g.us`).
        """
        return self._ask(ChatTimer, "GET", "/api/instances/{customer_ref}/proxy/chats/{chat}/disappearing", locals())

    def set_chat_timer(self, *, chat: str, seconds: Literal[0, 86400, 604800, 7776000]) -> ChatTimer:
        """Let the messages of a chat disappear after some time, or stay. It holds for everybody in the chat, whose phones show who changed it, and for the messages that are sent from then on. Of a group it is the `disappearing` of `update_group`.

        :param chat: A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a group's (`…@g.us`).
        :param seconds: After how many seconds messages disappear: a day, a week, 90 days; 0: never.
        """
        return self._ask(ChatTimer, "PUT", "/api/instances/{customer_ref}/proxy/chats/{chat}/disappearing", locals(), body=True)

    def search_messages(
        self,
        *,
        words: str,
        chat: str | None = None,
        limit: int | None = None,
        after: str | None = None,
    ) -> Listing[KeptMessage]:
        """The messages that are kept and have these words, in one chat or in all. The words are found as they stand together in a message, its file's name, its cards or its people's names and numbers, in whichever case, without accents, and with letters that look alike as one. Without `chat`, the chat with the latest message is searched first, then the next one, and each from its newest message on. It needs no connection.

        :param words: What the messages have.
        :param chat: Only messages of this chat.
        :param after: The `X-Next-After` of the page before, of the same bridge and chat.
        """
        return self._list(KeptMessage, "GET", "/api/instances/{customer_ref}/proxy/search", locals(), query=("words", "chat", "limit", "after"))

    def ask_for_older(self, *, chat: str, count: int | None = None, before: str | None = None) -> AskForOlderResult:
        """Ask the phone for older messages of a chat. The account's phone has what was said before it was linked here. It answers only while it is online. No event comes of these messages.

        :param chat: A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a group's (`…@g.us`).
        :param before: The message of the chat before which they are; by default the oldest that is kept.
        """
        return self._ask(AskForOlderResult, "POST", "/api/instances/{customer_ref}/proxy/chats/{chat}/history", locals(), body=True)

    def set_handover(self, *, chat: str, seconds: int | None = None) -> Handover:
        """Hand a chat over to a person, or take it back. An answer that is written on the dashboard hands the chat over, too. A handover informs your program, which can still send. Each call starts the time again.

        :param chat: A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a group's (`…@g.us`).
        :param seconds: For how long a person answers; 0: your program answers from now on.
        """
        return self._ask(Handover, "PUT", "/api/instances/{customer_ref}/proxy/chats/{chat}/handover", locals(), body=True)

    def list_handovers(self, *, chat: str | None = None) -> List[Handover]:
        """The chats in which a person answers. Where somebody answers by hand, your program should be silent: its events of messages there have `handover`. It needs no connection, and nothing that is kept.

        :param chat: Only this chat.
        """
        return self._ask(List[Handover], "GET", "/api/instances/{customer_ref}/proxy/handovers", locals(), query=("chat",))

    def list_labels(self, *, chat: str | None = None) -> List[Label]:
        """The labels of a business

        :param chat: Only those that this chat has.
        """
        return self._ask(List[Label], "GET", "/api/instances/{customer_ref}/proxy/labels", locals(), query=("chat",))

    def create_label(self, *, name: str, color: int | None = None) -> Label:
        """Make a label. If there is one of this name, that one is answered.

        :param color: One of WhatsApp's twenty colours, by its number.
        """
        return self._ask(Label, "POST", "/api/instances/{customer_ref}/proxy/labels", locals(), body=True)

    def update_label(self, *, id: str, name: str | None = None, color: int | None = None) -> Label:
        """Change the name or the colour of a label

        :param id: The id of a label.
        :param color: One of WhatsApp's twenty colours, by its number.
        """
        return self._ask(Label, "PATCH", "/api/instances/{customer_ref}/proxy/labels/{id}", locals(), body=True)

    def remove_label(self, *, id: str) -> Ok:
        """Delete a label; the chats that have it stay

        :param id: The id of a label.
        """
        return self._ask(Ok, "DELETE", "/api/instances/{customer_ref}/proxy/labels/{id}", locals())

    def list_labelled(self, *, id: str) -> List[Labelled]:
        """The chats and messages that have a label

        :param id: The id of a label.
        """
        return self._ask(List[Labelled], "GET", "/api/instances/{customer_ref}/proxy/labels/{id}/chats", locals())

    def label_chat(self, *, id: str, chat: str, message_id: str | None = None) -> Ok:
        """Put a label on a chat or a message

        :param id: The id of a label.
        :param chat: A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a group's (`…@g.us`).
        :param message_id: A message of this chat that is meant, in place of the chat itself.
        """
        return self._ask(Ok, "PUT", "/api/instances/{customer_ref}/proxy/labels/{id}/chats/{chat}", locals(), query=("message_id",))

    def unlabel_chat(self, *, id: str, chat: str, message_id: str | None = None) -> Ok:
        """Take a label off a chat or a message

        :param id: The id of a label.
        :param chat: A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a group's (`…@g.us`).
        :param message_id: A message of this chat that is meant, in place of the chat itself.
        """
        return self._ask(Ok, "DELETE", "/api/instances/{customer_ref}/proxy/labels/{id}/chats/{chat}", locals(), query=("message_id",))

    def reject_call(self, *, id: str, contact_id: str) -> Ok:
        """Decline a call

        :param id: A call id, as `call_incoming` gave it; percent-encoded.
        :param contact_id: A phone number of 7 to 15 digits (a leading `+` is dropped), or a person's JID: `…@s.whatsapp.net`, `…@lid`.
        """
        return self._ask(Ok, "POST", "/api/instances/{customer_ref}/proxy/calls/{id}/reject", locals(), body=True)

    def list_contacts(self, *, limit: int | None = None, after: str | None = None) -> Listing[Contact]:
        """The contacts of the session, by JID

        :param after: The last JID of the previous page.
        """
        return self._list(Contact, "GET", "/api/instances/{customer_ref}/proxy/contacts", locals(), query=("limit", "after"))

    def check_contacts(self, *, phones: List[str]) -> List[ContactCheck]:
        """Which phone numbers are on the network"""
        return self._ask(List[ContactCheck], "POST", "/api/instances/{customer_ref}/proxy/contacts/check", locals(), body=True)

    def list_blocked(self) -> List[ListBlockedResult]:
        """The people whom the account has blocked"""
        return self._ask(List[ListBlockedResult], "GET", "/api/instances/{customer_ref}/proxy/contacts/blocked", locals())

    def get_contact(self, *, jid: str) -> Contact:
        """One contact

        :param jid: A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a username: `@ada`, or `@ada:1234`.
        """
        return self._ask(Contact, "GET", "/api/instances/{customer_ref}/proxy/contacts/{jid}", locals())

    def save_contact(self, *, jid: str, full_name: str, first_name: str | None = None) -> Contact:
        """Put somebody into the account's address book, or change their name there. On the phone and all other devices of the account.

        :param jid: A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a username: `@ada`, or `@ada:1234`.
        :param first_name: By default the first word of `full_name`.
        """
        return self._ask(Contact, "PUT", "/api/instances/{customer_ref}/proxy/contacts/{jid}", locals(), body=True)

    def forget_contact(self, *, jid: str) -> Ok:
        """Remove somebody from the account's address book. They stay a contact here, without the names that they had there.

        :param jid: A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a username: `@ada`, or `@ada:1234`.
        """
        return self._ask(Ok, "DELETE", "/api/instances/{customer_ref}/proxy/contacts/{jid}", locals())

    def contact_avatar(self, *, jid: str) -> httpx.Response:
        """A contact's picture

        :param jid: A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a username: `@ada`, or `@ada:1234`.
        """
        return self._fetch("GET", "/api/instances/{customer_ref}/proxy/contacts/{jid}/avatar", locals())

    def block_contact(self, *, jid: str) -> Ok:
        """Block somebody: the network takes no more messages and calls of theirs

        :param jid: A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a username: `@ada`, or `@ada:1234`.
        """
        return self._ask(Ok, "PUT", "/api/instances/{customer_ref}/proxy/contacts/{jid}/block", locals())

    def unblock_contact(self, *, jid: str) -> Ok:
        """Unblock somebody

        :param jid: A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a username: `@ada`, or `@ada:1234`.
        """
        return self._ask(Ok, "DELETE", "/api/instances/{customer_ref}/proxy/contacts/{jid}/block", locals())

    def list_groups(self, *, limit: int | None = None, after: str | None = None) -> Listing[Group]:
        """The groups that the session's account is in, by JID

        :param limit: By default 100.
        :param after: The last JID of the previous page. For a minute after a page without `after`, the pages that follow show the groups as they were then.
        """
        return self._list(Group, "GET", "/api/instances/{customer_ref}/proxy/groups", locals(), query=("limit", "after"))

    def create_group(
        self,
        *,
        name: str,
        members: List[str] | None = None,
        topic: str | None = None,
        write: Literal["all", "admins"] | None = None,
        edit: Literal["all", "admins"] | None = None,
        add_members: Literal["all", "admins"] | None = None,
        approval: bool | None = None,
        disappearing: Literal[0, 86400, 604800, 7776000] | None = None,
        idempotency_key: str | None = None,
    ) -> CreateGroupResult:
        """Create a group. Without an Idempotency-Key a repeated call creates another group. With one, a retry after a lost answer looks for the group among the account's own, and creates it only if it is not there: should the network create the first one after that, there are two.

        :param members: The first members, besides the session's account.
        :param topic: What the group is about; `""` removes it.
        :param write: Who may write.
        :param edit: Who may change name, topic, picture and disappearing messages.
        :param add_members: Who may add members.
        :param approval: Whether admins decide about those who come by the link.
        :param disappearing: After how many seconds messages disappear: a day, a week, 90 days; 0: never.
        """
        return self._ask(CreateGroupResult, "POST", "/api/instances/{customer_ref}/proxy/groups", locals(), body=True, takes_key=True)

    def look_at_invite(self, *, link: str) -> Group:
        """The group that a link leads to, without joining it

        :param link: The link of a group, or the code at its end.
        """
        return self._ask(Group, "GET", "/api/instances/{customer_ref}/proxy/groups/invite", locals(), query=("link",))

    def join_group(self, *, link: str) -> JoinGroupResult:
        """Join a group by its link

        :param link: The link of a group, or the code at its end.
        """
        return self._ask(JoinGroupResult, "POST", "/api/instances/{customer_ref}/proxy/groups/join", locals(), body=True)

    def get_group(self, *, jid: str) -> GroupWithMembers:
        """One group, with its members

        :param jid: A group's JID: `…@g.us`.
        """
        return self._ask(GroupWithMembers, "GET", "/api/instances/{customer_ref}/proxy/groups/{jid}", locals())

    def update_group(
        self,
        *,
        jid: str,
        name: str | None = None,
        topic: str | None = None,
        write: Literal["all", "admins"] | None = None,
        edit: Literal["all", "admins"] | None = None,
        add_members: Literal["all", "admins"] | None = None,
        approval: bool | None = None,
        disappearing: Literal[0, 86400, 604800, 7776000] | None = None,
    ) -> Group:
        """Change a group's name, topic or settings

        :param jid: A group's JID: `…@g.us`.
        :param topic: What the group is about; `""` removes it.
        :param write: Who may write.
        :param edit: Who may change name, topic, picture and disappearing messages.
        :param add_members: Who may add members.
        :param approval: Whether admins decide about those who come by the link.
        :param disappearing: After how many seconds messages disappear: a day, a week, 90 days; 0: never.
        """
        return self._ask(Group, "PATCH", "/api/instances/{customer_ref}/proxy/groups/{jid}", locals(), body=True)

    def leave_group(self, *, jid: str) -> Ok:
        """Leave a group

        :param jid: A group's JID: `…@g.us`.
        """
        return self._ask(Ok, "POST", "/api/instances/{customer_ref}/proxy/groups/{jid}/leave", locals())

    def group_avatar(self, *, jid: str) -> httpx.Response:
        """A group's picture

        :param jid: A group's JID: `…@g.us`.
        """
        return self._fetch("GET", "/api/instances/{customer_ref}/proxy/groups/{jid}/avatar", locals())

    def set_group_avatar(self, *, jid: str, url: str) -> SetGroupAvatarResult:
        """Change a group's picture: to the middle of a JPEG, at most 640 by 640 pixels

        :param jid: A group's JID: `…@g.us`.
        :param url: The service fetches it: a JPEG of at most 16 MB and 200 megapixels, or 25 if it is progressive. Anything else is `media_type_mismatch`.
        """
        return self._ask(SetGroupAvatarResult, "PUT", "/api/instances/{customer_ref}/proxy/groups/{jid}/avatar", locals(), body=True)

    def remove_group_avatar(self, *, jid: str) -> Ok:
        """Remove a group's picture

        :param jid: A group's JID: `…@g.us`.
        """
        return self._ask(Ok, "DELETE", "/api/instances/{customer_ref}/proxy/groups/{jid}/avatar", locals())

    def add_members(
        self,
        *,
        jid: str,
        members: List[str],
        invite: bool | None = None,
        idempotency_key: str | None = None,
    ) -> List[MemberOutcome]:
        """Add members. A retry under the same Idempotency-Key sends nobody a second invitation. If the first answer is not known, it asks the network again: whoever was added before is then `refused` as `already`.

        :param jid: A group's JID: `…@g.us`.
        :param invite: Sends an invitation as a message to those whom only their contacts may add, under the bridge's pacing.
        """
        return self._ask(List[MemberOutcome], "POST", "/api/instances/{customer_ref}/proxy/groups/{jid}/members/add", locals(), body=True, takes_key=True)

    def remove_members(self, *, jid: str, members: List[str]) -> List[MemberOutcome]:
        """Remove members

        :param jid: A group's JID: `…@g.us`.
        """
        return self._ask(List[MemberOutcome], "POST", "/api/instances/{customer_ref}/proxy/groups/{jid}/members/remove", locals(), body=True)

    def promote_members(self, *, jid: str, members: List[str]) -> List[MemberOutcome]:
        """Make members admins

        :param jid: A group's JID: `…@g.us`.
        """
        return self._ask(List[MemberOutcome], "POST", "/api/instances/{customer_ref}/proxy/groups/{jid}/members/promote", locals(), body=True)

    def demote_members(self, *, jid: str, members: List[str]) -> List[MemberOutcome]:
        """Make admins members

        :param jid: A group's JID: `…@g.us`.
        """
        return self._ask(List[MemberOutcome], "POST", "/api/instances/{customer_ref}/proxy/groups/{jid}/members/demote", locals(), body=True)

    def get_invite(self, *, jid: str) -> GroupInvite:
        """The link by which people join a group

        :param jid: A group's JID: `…@g.us`.
        """
        return self._ask(GroupInvite, "GET", "/api/instances/{customer_ref}/proxy/groups/{jid}/invite", locals())

    def revoke_invite(self, *, jid: str) -> GroupInvite:
        """Revoke the link of a group, which gets another. A repeated call revokes the new link, too. After a lost answer, ask for the link that holds now.

        :param jid: A group's JID: `…@g.us`.
        """
        return self._ask(GroupInvite, "POST", "/api/instances/{customer_ref}/proxy/groups/{jid}/invite/revoke", locals())

    def list_join_requests(self, *, jid: str) -> List[JoinRequest]:
        """The people who ask to join a group

        :param jid: A group's JID: `…@g.us`.
        """
        return self._ask(List[JoinRequest], "GET", "/api/instances/{customer_ref}/proxy/groups/{jid}/requests", locals())

    def approve_requests(self, *, jid: str, members: List[str]) -> List[MemberOutcome]:
        """Let people in who ask to join

        :param jid: A group's JID: `…@g.us`.
        """
        return self._ask(List[MemberOutcome], "POST", "/api/instances/{customer_ref}/proxy/groups/{jid}/requests/approve", locals(), body=True)

    def reject_requests(self, *, jid: str, members: List[str]) -> List[MemberOutcome]:
        """Turn away people who ask to join

        :param jid: A group's JID: `…@g.us`.
        """
        return self._ask(List[MemberOutcome], "POST", "/api/instances/{customer_ref}/proxy/groups/{jid}/requests/reject", locals(), body=True)

    def list_channels(self) -> List[Channel]:
        """The channels that the account follows or has"""
        return self._ask(List[Channel], "GET", "/api/instances/{customer_ref}/proxy/channels", locals())

    def find_channel(self, *, link: str) -> Channel:
        """The channel that a link leads to, without following it

        :param link: `https://whatsapp.com/channel/…`, or what stands behind the last `/`.
        """
        return self._ask(Channel, "GET", "/api/instances/{customer_ref}/proxy/channels/invite", locals(), query=("link",))

    def get_channel(self, *, jid: str) -> Channel:
        """One channel

        :param jid: A channel's JID: `…@newsletter`.
        """
        return self._ask(Channel, "GET", "/api/instances/{customer_ref}/proxy/channels/{jid}", locals())

    def follow_channel(self, *, jid: str) -> Ok:
        """Follow a channel. One that is followed already stays so. Its posts are events if `events` of the bridge names `channel_post`.

        :param jid: A channel's JID: `…@newsletter`.
        """
        return self._ask(Ok, "POST", "/api/instances/{customer_ref}/proxy/channels/{jid}/follow", locals())

    def unfollow_channel(self, *, jid: str) -> Ok:
        """Follow a channel no more

        :param jid: A channel's JID: `…@newsletter`.
        """
        return self._ask(Ok, "DELETE", "/api/instances/{customer_ref}/proxy/channels/{jid}/follow", locals())

    def list_posts(self, *, jid: str, limit: int | None = None, before: int | None = None) -> List[dict[str, object]]:
        """The posts of a channel, newest first, whether or not it is followed

        :param jid: A channel's JID: `…@newsletter`.
        :param before: Only posts before this one, by its `number`.
        """
        return self._ask(List[dict[str, object]], "GET", "/api/instances/{customer_ref}/proxy/channels/{jid}/posts", locals(), query=("limit", "before"))

    def create_post(self, *, jid: str, body: str, idempotency_key: str | None = None) -> SendResult:
        """Post a text in a channel that the account has or administers

        :param jid: A channel's JID: `…@newsletter`.
        """
        return self._ask(SendResult, "POST", "/api/instances/{customer_ref}/proxy/channels/{jid}/posts", locals(), body=True, takes_key=True)

    def react_to_post(self, *, jid: str, number: str, emoji: str) -> Ok:
        """React to a post of a channel

        :param jid: A channel's JID: `…@newsletter`.
        :param emoji: `""` removes the reaction.
        """
        return self._ask(Ok, "POST", "/api/instances/{customer_ref}/proxy/channels/{jid}/posts/{number}/reaction", locals(), body=True)

    def get_profile(self) -> Profile:
        """The session's own profile"""
        return self._ask(Profile, "GET", "/api/instances/{customer_ref}/proxy/profile", locals())

    def set_about(self, *, status: str) -> Ok:
        """Change the About text"""
        return self._ask(Ok, "PATCH", "/api/instances/{customer_ref}/proxy/profile/status", locals(), body=True)

    def set_name(self, *, name: str) -> Ok:
        """Change the account's name. People see it who have not saved the number. The phone and all other devices have it, too."""
        return self._ask(Ok, "PATCH", "/api/instances/{customer_ref}/proxy/profile/name", locals(), body=True)

    def own_avatar(self) -> httpx.Response:
        """The session's own picture"""
        return self._fetch("GET", "/api/instances/{customer_ref}/proxy/profile/avatar", locals())

    def set_avatar(self, *, url: str) -> SetGroupAvatarResult:
        """Change the picture: to the middle of a JPEG, at most 640 by 640 pixels

        :param url: The service fetches it: a JPEG of at most 16 MB and 200 megapixels, or 25 if it is progressive. Anything else is `media_type_mismatch`.
        """
        return self._ask(SetGroupAvatarResult, "PUT", "/api/instances/{customer_ref}/proxy/profile/avatar", locals(), body=True)

    def remove_avatar(self) -> Ok:
        """Remove the picture"""
        return self._ask(Ok, "DELETE", "/api/instances/{customer_ref}/proxy/profile/avatar", locals())

    def profile_qr(self) -> GroupInvite:
        """The link of the personal QR code"""
        return self._ask(GroupInvite, "GET", "/api/instances/{customer_ref}/proxy/profile/qr", locals())

    def status_privacy(self) -> List[StatusPrivacy]:
        """Who sees status updates"""
        return self._ask(List[StatusPrivacy], "GET", "/api/instances/{customer_ref}/proxy/status/privacy", locals())

    def get_privacy(self) -> Privacy:
        """Who sees what of the account, and may write, call and add it to groups"""
        return self._ask(Privacy, "GET", "/api/instances/{customer_ref}/proxy/privacy", locals())

    def update_privacy(
        self,
        *,
        last_seen: Literal["all", "contacts", "contact_blacklist", "none"] | None = None,
        online: Literal["all", "match_last_seen"] | None = None,
        profile_picture: Literal["all", "contacts", "contact_blacklist", "none"] | None = None,
        about: Literal["all", "contacts", "contact_blacklist", "none"] | None = None,
        groups: Literal["all", "contacts", "contact_blacklist", "none"] | None = None,
        calls: Literal["all", "known"] | None = None,
        messages: Literal["all", "contacts"] | None = None,
        read_receipts: bool | None = None,
        disappearing: Literal[0, 86400, 604800, 7776000] | None = None,
    ) -> Privacy:
        """Change who sees what of the account, and may write, call and add it to groups. If a change fails after others, the error names those that were made.

        :param disappearing: After how many seconds messages disappear: a day, a week, 90 days; 0: never.
        """
        return self._ask(Privacy, "PATCH", "/api/instances/{customer_ref}/proxy/privacy", locals(), body=True)

    def set_presence(self, *, state: Literal["available", "unavailable"]) -> Ok:
        """Appear as available or not"""
        return self._ask(Ok, "POST", "/api/instances/{customer_ref}/proxy/presence", locals(), body=True)

    def subscribe_presence(self, *, chat: str) -> Ok:
        """Get a contact's presence and typing as events, for a few minutes. Your own presence must be `available`. A group has no presence, and typing in it is sent without a subscription.

        :param chat: A phone number of 7 to 15 digits (a leading `+` is dropped), a JID (`…@s.whatsapp.net`, `…@lid`, `…@g.us` for a group), or a username: `@ada`, or `@ada:1234` with the four digits that its owner may ask for.
        """
        return self._ask(Ok, "POST", "/api/instances/{customer_ref}/proxy/presence/subscribe", locals(), body=True)

    def webhook_logs(self) -> List[DeliveryAttempt]:
        """The latest delivery attempts, newest first"""
        return self._ask(List[DeliveryAttempt], "GET", "/api/instances/{customer_ref}/proxy/webhook-logs", locals())

    def list_events(
        self,
        *,
        state: Literal["inbox", "undelivered", "pending"] | None = None,
        webhook: str | None = None,
        type: List[EventType] | None = None,
        chat: str | None = None,
        direction: Literal["in", "out"] | None = None,
        search: str | None = None,
        since: int | None = None,
        after: str | None = None,
        order: Literal["oldest", "newest"] | None = None,
        limit: int | None = None,
    ) -> Listing[StoredEvent[Event]]:
        """The events of a bridge, as a list or as they happen. With `state`, only those that wait, were given up, or went to the hosted inbox. With `Accept: text/event-stream` the answer is a stream of new events. Each has its event id as `id`, so a reader that comes back with `Last-Event-ID` misses nothing. A stream begins now, or at `since`, and takes only `type`, `chat`, `direction`, `search` and `since`. It begins with an `id` alone, its place; each comment has one, too, so that also a reader who wants few events can go on where it was. If events behind `Last-Event-ID` are no longer kept, a message `event: missed` says how many there were, of all types and chats: `{"missed": 94}`. At most 5 streams of a bridge and 20 of an account are open at once. Beyond that the answer is 429 until one has ended.

        :param state: Without it, every event that is kept, delivered ones included.
        :param webhook: With `state`: the webhook at which it is so, by its id; `first` unless you say another. Of another, `pending` has also what its filters let through.
        :param type: Only events of these types, with commas in between.
        :param chat: Only events with this `chat_id`; digits, or a JID.
        :param direction: `in`: only what others wrote, and calls. `out`: only what was written on the phone or another of its devices.
        :param search: Only events in which this text is, in whichever case.
        :param since: Only events from this time on, Unix seconds.
        :param after: The last event id of the previous page.
        :param order: Which comes first.
        """
        return self._list(StoredEvent[Event], "GET", "/api/instances/{customer_ref}/events", locals(), query=("state", "webhook", "type", "chat", "direction", "search", "since", "after", "order", "limit"))

    def resend_event(self, *, event_id: str, webhook: str | None = None) -> Ok:
        """Deliver an event once more, under the same id. At most 100 events can wait to be sent again to a webhook. Beyond that the answer is 429 until some have been sent.

        :param event_id: As `list_events`, `webhook_logs` and the header `X-Webhook-Event-Id` give it.
        :param webhook: The webhook that is meant, by its id: `first`, which is `webhook_url`, unless you say another. An account's webhook is meant, too, where it is about deliveries.
        """
        return self._ask(Ok, "POST", "/api/instances/{customer_ref}/events/{event_id}/resend", locals(), query=("webhook",))

    def test_webhook(self, *, webhook: str | None = None, event: EventType | None = None) -> DeliveryAttempt:
        """Send a signed `test` event to the webhook, or an example of another, and say what it answered. Sent at once, ahead of what waits, with `X-Webhook-Test: true`. It is not kept.

        :param webhook: The webhook that is meant, by its id: `first`, which is `webhook_url`, unless you say another. An account's webhook is meant, too, where it is about deliveries.
        :param event: The type of the example: what it says has not happened. `test` by default, and of a webhook with a `format` always.
        """
        return self._ask(DeliveryAttempt, "POST", "/api/instances/{customer_ref}/webhook-test", locals(), query=("webhook", "event"))

    def list_deliveries(self, *, webhook: str | None = None) -> Deliveries:
        """How far delivery has come: what waits, until when, since when it fails, and the latest attempts

        :param webhook: The webhook that is meant, by its id: `first`, which is `webhook_url`, unless you say another. An account's webhook is meant, too, where it is about deliveries.
        """
        return self._ask(Deliveries, "GET", "/api/instances/{customer_ref}/deliveries", locals(), query=("webhook",))

    def get_delivery(self, *, event_id: str, webhook: str | None = None) -> DeliveryOfEvent:
        """What was sent of an event, and what each attempt met with

        :param event_id: As `list_events`, `webhook_logs` and the header `X-Webhook-Event-Id` give it.
        :param webhook: The webhook that is meant, by its id: `first`, which is `webhook_url`, unless you say another. An account's webhook is meant, too, where it is about deliveries.
        """
        return self._ask(DeliveryOfEvent, "GET", "/api/instances/{customer_ref}/deliveries/{event_id}", locals(), query=("webhook",))

    def retry_delivery(self, *, event_id: str, webhook: str | None = None) -> Ok:
        """Try the event whose turn it is now, instead of at the end of its wait. The attempt counts among the event's five. Events behind it keep their turn.

        :param event_id: As `list_events`, `webhook_logs` and the header `X-Webhook-Event-Id` give it.
        :param webhook: The webhook that is meant, by its id: `first`, which is `webhook_url`, unless you say another. An account's webhook is meant, too, where it is about deliveries.
        """
        return self._ask(Ok, "POST", "/api/instances/{customer_ref}/deliveries/{event_id}/retry", locals(), query=("webhook",))

    def skip_delivery(self, *, event_id: str, webhook: str | None = None) -> Ok:
        """Give up the event whose turn it is, and go on with the next. The event is undelivered: `list_events` lists it, and `resend_event` sends it again. An attempt that is under way is waited for, up to 12 s.

        :param event_id: As `list_events`, `webhook_logs` and the header `X-Webhook-Event-Id` give it.
        :param webhook: The webhook that is meant, by its id: `first`, which is `webhook_url`, unless you say another. An account's webhook is meant, too, where it is about deliveries.
        """
        return self._ask(Ok, "POST", "/api/instances/{customer_ref}/deliveries/{event_id}/skip", locals(), query=("webhook",))

    def resend_since(
        self,
        *,
        since: int,
        webhook: str | None = None,
        until: int | None = None,
        after: str | None = None,
    ) -> ResendSinceResult:
        """Deliver once more what was given up since a time. Oldest first. Where three in a row fail, the rest is not tried. If the answer has `next`, there are more than 10,000: ask again with it as `after`. While 100 such requests wait, the answer is 429.

        :param since: Events that were given up at this time or later, Unix seconds.
        :param webhook: The webhook that is meant, by its id: `first`, which is `webhook_url`, unless you say another. An account's webhook is meant, too, where it is about deliveries.
        :param until: And at this time or before; by default until now.
        :param after: Go on behind this event.
        """
        return self._ask(ResendSinceResult, "POST", "/api/instances/{customer_ref}/deliveries/resend", locals(), query=("webhook",), body=True)

    def list_webhooks(self) -> List[Webhook]:
        """The webhooks of a bridge, `webhook_url` first"""
        return self._ask(List[Webhook], "GET", "/api/instances/{customer_ref}/webhooks", locals())

    def create_webhook(
        self,
        *,
        url: str,
        events: List[EventType] | None = UNSET,
        ignore: List[Literal["status", "groups"]] | None = None,
        chats: List[str] | None = UNSET,
        headers: dict[str, str] | None = UNSET,
        batch: int | None = UNSET,
        format: Literal["evolution", "waha"] | None = UNSET,
        format_options: CreateAccountWebhookFormatOptions | None = UNSET,
        healing: bool | None = None,
    ) -> Webhook:
        """Add a webhook: it gets each event from now on, besides the others. A bridge has up to five. Each is delivered in order and at least once by itself, so one that is slow or dead delays no other. A URL that a webhook of the bridge has already is answered with that one, unchanged.

        :param url: As `webhook_url` of a bridge, but never empty.
        :param events: The types of events that it gets, of those that the bridge gets; null is all, including those of later releases.
        :param ignore: Chats whose events it does not get: `status`, `groups`; `[]` is none.
        :param chats: The chats whose events it gets, and no event of no chat; null is all events. Named as `chat_id` of events names them: a person by their phone number, and by their LID only where the number is unknown.
        :param headers: Headers that each of its POSTs has besides; they replace those of before, and null ends them. At most 10, and 2,048 characters together. `Authorization` replaces the one with the secret. They are secret: answers show `***`.
        :param batch: Up to so many events in one POST, 1 to 50: see "Batches". Null: one event for each POST, in the usual form.
        :param format: Events come as Evolution API or WAHA post them, from the next attempt on; null: in our own form. An event that has no counterpart there is not sent. Not with `batch`.
        :param format_options: What that format leaves open; it replaces the options of before, and null ends them. Only with `format`.
        :param healing: Whether what was given up while the receiver failed is sent again by itself, in order, once it answers again; it is unless you say false.
        """
        return self._ask(Webhook, "POST", "/api/instances/{customer_ref}/webhooks", locals(), body=True, nulls=("events", "chats", "headers", "batch", "format", "format_options"))

    def get_webhook(self, *, webhook_id: str) -> Webhook:
        """Get a webhook

        :param webhook_id: As `list_webhooks` gives it; `first` is `webhook_url`.
        """
        return self._ask(Webhook, "GET", "/api/instances/{customer_ref}/webhooks/{webhook_id}", locals())

    def update_webhook(
        self,
        *,
        webhook_id: str,
        url: str | None = None,
        events: List[EventType] | None = UNSET,
        ignore: List[Literal["status", "groups"]] | None = None,
        chats: List[str] | None = UNSET,
        headers: dict[str, str] | None = UNSET,
        batch: int | None = UNSET,
        format: Literal["evolution", "waha"] | None = UNSET,
        format_options: CreateAccountWebhookFormatOptions | None = UNSET,
        healing: bool | None = None,
        state: Literal["active", "paused"] | None = None,
    ) -> Webhook:
        """Change a webhook, pause it, or let it go on. A field that is not given stays as it is. A change holds from the next attempt on, also for events that wait. A paused webhook keeps its place for seven days: it then goes on with what is younger, and `missed` says how much is not sent. `first` takes `headers`, `batch`, `format`, `format_options` and `healing` alone: what it gets is what the bridge gets, and its URL is the bridge's `webhook_url`. The URL of another webhook of the bridge is refused.

        :param webhook_id: As `list_webhooks` gives it; `first` is `webhook_url`.
        :param url: As `webhook_url` of a bridge, but never empty.
        :param events: The types of events that it gets, of those that the bridge gets; null is all, including those of later releases.
        :param ignore: Chats whose events it does not get: `status`, `groups`; `[]` is none.
        :param chats: The chats whose events it gets, and no event of no chat; null is all events. Named as `chat_id` of events names them: a person by their phone number, and by their LID only where the number is unknown.
        :param headers: Headers that each of its POSTs has besides; they replace those of before, and null ends them. At most 10, and 2,048 characters together. `Authorization` replaces the one with the secret. They are secret: answers show `***`.
        :param batch: Up to so many events in one POST, 1 to 50: see "Batches". Null: one event for each POST, in the usual form.
        :param format: Events come as Evolution API or WAHA post them, from the next attempt on; null: in our own form. An event that has no counterpart there is not sent. Not with `batch`.
        :param format_options: What that format leaves open; it replaces the options of before, and null ends them. Only with `format`.
        :param healing: Whether what was given up while the receiver failed is sent again by itself, in order, once it answers again; it is unless you say false.
        """
        return self._ask(Webhook, "PATCH", "/api/instances/{customer_ref}/webhooks/{webhook_id}", locals(), body=True, nulls=("events", "chats", "headers", "batch", "format", "format_options"))

    def remove_webhook(self, *, webhook_id: str) -> None:
        """Delete a webhook: what waits for it is not sent, and the others lose nothing

        :param webhook_id: As `list_webhooks` gives it; `first` is `webhook_url`.
        """
        return self._ask(type(None), "DELETE", "/api/instances/{customer_ref}/webhooks/{webhook_id}", locals())

    def roll_secret(self, *, webhook: str | None = None) -> RollAccountSecretResult:
        """Replace the webhook secret; for 24 hours both sign. `X-Webhook-Signature` then has two `v1=`, and `webhook-signature` two signatures, the new secret's first: a receiver that accepts either misses nothing. `Authorization` carries the new secret at once.

        :param webhook: The webhook that is meant, by its id: `first`, which is `webhook_url`, unless you say another. An account's webhook is meant, too, where it is about deliveries.
        """
        return self._ask(RollAccountSecretResult, "POST", "/api/instances/{customer_ref}/webhook-secret/roll", locals(), query=("webhook",))

    def finish_secret(self, *, webhook: str | None = None) -> Ok:
        """Stop signing with the replaced secret now

        :param webhook: The webhook that is meant, by its id: `first`, which is `webhook_url`, unless you say another. An account's webhook is meant, too, where it is about deliveries.
        """
        return self._ask(Ok, "POST", "/api/instances/{customer_ref}/webhook-secret/finish", locals(), query=("webhook",))

    def healthz(self) -> Ok:
        """Whether the session's process is up"""
        return self._ask(Ok, "GET", "/api/instances/{customer_ref}/proxy/healthz", locals())

    def debug_stats(self) -> DebugStats:
        """Figures of the process that holds the session"""
        return self._ask(DebugStats, "GET", "/api/instances/{customer_ref}/proxy/debug/stats", locals())


class AsyncBridgeCalls(AsyncCalls):
    """The calls about one bridge."""

    get_bridge = awaited(BridgeCalls.get_bridge)
    update_bridge = awaited(BridgeCalls.update_bridge)
    remove_bridge = awaited(BridgeCalls.remove_bridge)
    status = awaited(BridgeCalls.status)
    qr = awaited(BridgeCalls.qr)
    pair = awaited(BridgeCalls.pair)
    passkey = awaited(BridgeCalls.passkey)
    logout = awaited(BridgeCalls.logout)
    create_link_session = awaited(BridgeCalls.create_link_session)
    send_text = awaited(BridgeCalls.send_text)
    send_media = awaited(BridgeCalls.send_media)
    create_upload = awaited(BridgeCalls.create_upload)
    send_reaction = awaited(BridgeCalls.send_reaction)
    send_poll = awaited(BridgeCalls.send_poll)
    send_location = awaited(BridgeCalls.send_location)
    send_event = awaited(BridgeCalls.send_event)
    send_contact = awaited(BridgeCalls.send_contact)
    send_forward = awaited(BridgeCalls.send_forward)
    send_status = awaited(BridgeCalls.send_status)
    send_typing = awaited(BridgeCalls.send_typing)
    get_message = awaited(BridgeCalls.get_message)
    revoke_message = awaited(BridgeCalls.revoke_message)
    find_message = awaited(BridgeCalls.find_message)
    list_sent = listed(BridgeCalls.list_sent)
    delete_for_me = awaited(BridgeCalls.delete_for_me)
    edit_message = awaited(BridgeCalls.edit_message)
    pin_message = awaited(BridgeCalls.pin_message)
    unpin_message = awaited(BridgeCalls.unpin_message)
    read_message = awaited(BridgeCalls.read_message)
    message_media = awaited(BridgeCalls.message_media)
    list_planned = listed(BridgeCalls.list_planned)
    get_planned = awaited(BridgeCalls.get_planned)
    change_planned = awaited(BridgeCalls.change_planned)
    cancel_planned = awaited(BridgeCalls.cancel_planned)
    create_job = awaited(BridgeCalls.create_job)
    list_jobs = awaited(BridgeCalls.list_jobs)
    get_job = awaited(BridgeCalls.get_job)
    change_job = awaited(BridgeCalls.change_job)
    list_chats = listed(BridgeCalls.list_chats)
    update_chat = awaited(BridgeCalls.update_chat)
    delete_chat = awaited(BridgeCalls.delete_chat)
    clear_chat = awaited(BridgeCalls.clear_chat)
    list_messages = listed(BridgeCalls.list_messages)
    get_chat_timer = awaited(BridgeCalls.get_chat_timer)
    set_chat_timer = awaited(BridgeCalls.set_chat_timer)
    search_messages = listed(BridgeCalls.search_messages)
    ask_for_older = awaited(BridgeCalls.ask_for_older)
    set_handover = awaited(BridgeCalls.set_handover)
    list_handovers = awaited(BridgeCalls.list_handovers)
    list_labels = awaited(BridgeCalls.list_labels)
    create_label = awaited(BridgeCalls.create_label)
    update_label = awaited(BridgeCalls.update_label)
    remove_label = awaited(BridgeCalls.remove_label)
    list_labelled = awaited(BridgeCalls.list_labelled)
    label_chat = awaited(BridgeCalls.label_chat)
    unlabel_chat = awaited(BridgeCalls.unlabel_chat)
    reject_call = awaited(BridgeCalls.reject_call)
    list_contacts = listed(BridgeCalls.list_contacts)
    check_contacts = awaited(BridgeCalls.check_contacts)
    list_blocked = awaited(BridgeCalls.list_blocked)
    get_contact = awaited(BridgeCalls.get_contact)
    save_contact = awaited(BridgeCalls.save_contact)
    forget_contact = awaited(BridgeCalls.forget_contact)
    contact_avatar = awaited(BridgeCalls.contact_avatar)
    block_contact = awaited(BridgeCalls.block_contact)
    unblock_contact = awaited(BridgeCalls.unblock_contact)
    list_groups = listed(BridgeCalls.list_groups)
    create_group = awaited(BridgeCalls.create_group)
    look_at_invite = awaited(BridgeCalls.look_at_invite)
    join_group = awaited(BridgeCalls.join_group)
    get_group = awaited(BridgeCalls.get_group)
    update_group = awaited(BridgeCalls.update_group)
    leave_group = awaited(BridgeCalls.leave_group)
    group_avatar = awaited(BridgeCalls.group_avatar)
    set_group_avatar = awaited(BridgeCalls.set_group_avatar)
    remove_group_avatar = awaited(BridgeCalls.remove_group_avatar)
    add_members = awaited(BridgeCalls.add_members)
    remove_members = awaited(BridgeCalls.remove_members)
    promote_members = awaited(BridgeCalls.promote_members)
    demote_members = awaited(BridgeCalls.demote_members)
    get_invite = awaited(BridgeCalls.get_invite)
    revoke_invite = awaited(BridgeCalls.revoke_invite)
    list_join_requests = awaited(BridgeCalls.list_join_requests)
    approve_requests = awaited(BridgeCalls.approve_requests)
    reject_requests = awaited(BridgeCalls.reject_requests)
    list_channels = awaited(BridgeCalls.list_channels)
    find_channel = awaited(BridgeCalls.find_channel)
    get_channel = awaited(BridgeCalls.get_channel)
    follow_channel = awaited(BridgeCalls.follow_channel)
    unfollow_channel = awaited(BridgeCalls.unfollow_channel)
    list_posts = awaited(BridgeCalls.list_posts)
    create_post = awaited(BridgeCalls.create_post)
    react_to_post = awaited(BridgeCalls.react_to_post)
    get_profile = awaited(BridgeCalls.get_profile)
    set_about = awaited(BridgeCalls.set_about)
    set_name = awaited(BridgeCalls.set_name)
    own_avatar = awaited(BridgeCalls.own_avatar)
    set_avatar = awaited(BridgeCalls.set_avatar)
    remove_avatar = awaited(BridgeCalls.remove_avatar)
    profile_qr = awaited(BridgeCalls.profile_qr)
    status_privacy = awaited(BridgeCalls.status_privacy)
    get_privacy = awaited(BridgeCalls.get_privacy)
    update_privacy = awaited(BridgeCalls.update_privacy)
    set_presence = awaited(BridgeCalls.set_presence)
    subscribe_presence = awaited(BridgeCalls.subscribe_presence)
    webhook_logs = awaited(BridgeCalls.webhook_logs)
    list_events = listed(BridgeCalls.list_events)
    resend_event = awaited(BridgeCalls.resend_event)
    test_webhook = awaited(BridgeCalls.test_webhook)
    list_deliveries = awaited(BridgeCalls.list_deliveries)
    get_delivery = awaited(BridgeCalls.get_delivery)
    retry_delivery = awaited(BridgeCalls.retry_delivery)
    skip_delivery = awaited(BridgeCalls.skip_delivery)
    resend_since = awaited(BridgeCalls.resend_since)
    list_webhooks = awaited(BridgeCalls.list_webhooks)
    create_webhook = awaited(BridgeCalls.create_webhook)
    get_webhook = awaited(BridgeCalls.get_webhook)
    update_webhook = awaited(BridgeCalls.update_webhook)
    remove_webhook = awaited(BridgeCalls.remove_webhook)
    roll_secret = awaited(BridgeCalls.roll_secret)
    finish_secret = awaited(BridgeCalls.finish_secret)
    healthz = awaited(BridgeCalls.healthz)
    debug_stats = awaited(BridgeCalls.debug_stats)

