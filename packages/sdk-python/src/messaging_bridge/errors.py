# Generated from the contract by `npm run clients:generate`. Do not edit.

from ._bridge_error import (
    BridgeError as BridgeError,
    CursorInUse as CursorInUse,
    CursorUnusable as CursorUnusable,
    EventsMissed as EventsMissed,
    InvalidArgument as InvalidArgument,
    InvalidSignature as InvalidSignature,
    NoAnswer as NoAnswer,
    UnexpectedAnswer as UnexpectedAnswer,
)


class InvalidRequest(BridgeError):
    """`invalid_request`: chat: is missing (and 1 more: see issues)."""

    code = "invalid_request"


class InvalidCustomerRef(BridgeError):
    """`invalid_customer_ref`: customer_ref: 1 to 64 letters, digits, dashes and underscores."""

    code = "invalid_customer_ref"


class InvalidWebhookUrl(BridgeError):
    """`invalid_webhook_url`: webhook_url: not a URL."""

    code = "invalid_webhook_url"


class InvalidIdempotencyKey(BridgeError):
    """`invalid_idempotency_key`: Idempotency-Key: send it once, with 1 to 255 printable characters."""

    code = "invalid_idempotency_key"


class UrlNotAllowed(BridgeError):
    """`url_not_allowed`: the URL does not lead to a public address over http or https, or has a user name or password in it."""

    code = "url_not_allowed"


class Unauthorized(BridgeError):
    """`unauthorized`: no valid API key: send Authorization: Bearer <API_KEY>. Keys are created in the dashboard, or by the operator of this service."""

    code = "unauthorized"


class NoSubscription(BridgeError):
    """`no_subscription`: this account has no subscription yet: add a number in the dashboard first."""

    code = "no_subscription"


class PaymentRequired(BridgeError):
    """`payment_required`: this account's payment is past due: pay it to create more bridges."""

    code = "payment_required"


class BridgeLimitReached(BridgeError):
    """`bridge_limit_reached`: this account may have 10 bridges at most: delete one, or ask the operator of this service for more."""

    code = "bridge_limit_reached"


class FileLimitReached(BridgeError):
    """`file_limit_reached`: the files of this account take up the 2,000 MB that it may have here: wait until those on their way have gone and old uploads are removed, 24 hours after they came, or ask the operator of this service for more."""

    code = "file_limit_reached"


class Forbidden(BridgeError):
    """`forbidden`: this API key may only read: use one with the scope `all`."""

    code = "forbidden"


class NotAdmin(BridgeError):
    """`not_admin`: only an admin of this group may do this: one of them has to promote the session's account."""

    code = "not_admin"


class JoinRefused(BridgeError):
    """`join_refused`: an admin has removed this account from the group: one of them has to add it again."""

    code = "join_refused"


class NotFound(BridgeError):
    """`not_found`: there is no such bridge: GET /api/instances lists yours."""

    code = "not_found"


class MethodNotAllowed(BridgeError):
    """`method_not_allowed`: this path does not take this method: use GET, POST."""

    code = "method_not_allowed"


class RequestTimeout(BridgeError):
    """`request_timeout`: the request came too slowly: send it again, within 30 seconds."""

    code = "request_timeout"


class BridgePaused(BridgeError):
    """`bridge_paused`: the operator of this service has paused this bridge: ask them to wake it."""

    code = "bridge_paused"


class BridgeSuspended(BridgeError):
    """`bridge_suspended`: the operator of this service has suspended this bridge: ask them to resume it."""

    code = "bridge_suspended"


class BridgeMoved(BridgeError):
    """`bridge_moved`: this bridge has moved to another service: call it there. The operator of this service says where that is."""

    code = "bridge_moved"


class IdempotencyConflict(BridgeError):
    """`idempotency_conflict`: a request with this Idempotency-Key is still running: try again when it has ended."""

    code = "idempotency_conflict"


class NotPaired(BridgeError):
    """`not_paired`: no phone is linked: scan the code that `qr` gives, or use `pair`."""

    code = "not_paired"


class AlreadyPaired(BridgeError):
    """`already_paired`: a phone is already linked: log out first."""

    code = "already_paired"


class NotOwnMessage(BridgeError):
    """`not_own_message`: another person wrote this message: you can edit only your own, and revoke others' only in a group, as its admin."""

    code = "not_own_message"


class MessageRevoked(BridgeError):
    """`message_revoked`: this message was revoked: nothing can be done with it but revoking it once more."""

    code = "message_revoked"


class EditTooLate(BridgeError):
    """`edit_too_late`: phones ignore an edit of a message that is 20 minutes old: send a new message, or revoke this one."""

    code = "edit_too_late"


class PresenceUnavailable(BridgeError):
    """`presence_unavailable`: the presence is not `available`: set it before you subscribe."""

    code = "presence_unavailable"


class NotWaiting(BridgeError):
    """`not_waiting`: an attempt at this event is under way: try again when it has ended."""

    code = "not_waiting"


class PasskeyRequired(BridgeError):
    """`passkey_required`: a phone took the last code, and its account wants a passkey: answer the request that `status` has, or `logout` to begin again with a new code."""

    code = "passkey_required"


class PasskeyNotAwaited(BridgeError):
    """`passkey_not_awaited`: no phone asks for a passkey now: link it again with a new code first."""

    code = "passkey_not_awaited"


class SecretOverlap(BridgeError):
    """`secret_overlap`: the secret was replaced less than a day ago, and both still sign: finish that first."""

    code = "secret_overlap"


class WebhookLimitReached(BridgeError):
    """`webhook_limit_reached`: a bridge has five webhooks at most: delete one first."""

    code = "webhook_limit_reached"


class NotPlanned(BridgeError):
    """`not_planned`: this is no longer planned: it was sent, is being sent, or is over. `getPlanned` says what became of it."""

    code = "not_planned"


class PlanLimitReached(BridgeError):
    """`plan_limit_reached`: 5,000 messages of this bridge are planned: cancel some, or wait until some have gone."""

    code = "plan_limit_reached"


class NotKept(BridgeError):
    """`not_kept`: this bridge keeps no messages: PATCH it with `keep`: 7, 30 or 90 days."""

    code = "not_kept"


class NotBusiness(BridgeError):
    """`not_business`: this account is none of WhatsApp Business: it has no labels."""

    code = "not_business"


class NewChat(BridgeError):
    """`new_chat`: this message would begin a chat with somebody who has not written to this number: send it with `new_chat`: `allow` if that is wanted."""

    code = "new_chat"


class GroupFull(BridgeError):
    """`group_full`: the group would have more than 1,024 members: name fewer, or remove some first."""

    code = "group_full"


class GroupConflict(BridgeError):
    """`group_conflict`: somebody else changed the group at the same time: try again."""

    code = "group_conflict"


class MediaExpired(BridgeError):
    """`media_expired`: neither the network nor the phone has this file any more."""

    code = "media_expired"


class InviteRevoked(BridgeError):
    """`invite_revoked`: this link was revoked, and leads nowhere: ask for the group's new one."""

    code = "invite_revoked"


class PayloadTooLarge(BridgeError):
    """`payload_too_large`: the body is longer than 800 KiB."""

    code = "payload_too_large"


class UnsupportedMediaType(BridgeError):
    """`unsupported_media_type`: the body has another Content-Type: send it as application/json."""

    code = "unsupported_media_type"


class Misdirected(BridgeError):
    """`misdirected`: this service has another name than the one that was called: its operator can add that one to OTHER_NAMES."""

    code = "misdirected"


class MediaFetchFailed(BridgeError):
    """`media_fetch_failed`: the URL could not be fetched: timeout."""

    code = "media_fetch_failed"


class MediaTypeMismatch(BridgeError):
    """`media_type_mismatch`: the file is not of the type that its Content-Type says, or that is needed here: a sticker is made of a WebP, JPEG or PNG."""

    code = "media_type_mismatch"


class ConversionUnavailable(BridgeError):
    """`conversion_unavailable`: this service cannot convert sounds and GIFs, for it has no ffmpeg: send Ogg with Opus without `as_voice`, a GIF as an MP4 with `gif_playback`, or ask its operator to install it."""

    code = "conversion_unavailable"


class RecipientNotFound(BridgeError):
    """`recipient_not_found`: nobody on the network has this address: check `chat`."""

    code = "recipient_not_found"


class PasskeyRefused(BridgeError):
    """`passkey_refused`: this came after the request's time: use the passkey again, for the request that `status` has now."""

    code = "passkey_refused"


class RateLimited(BridgeError):
    """`rate_limited`: rate limit exceeded."""

    code = "rate_limited"


class Pacing(BridgeError):
    """`pacing`: the pacing of this bridge allows no new chat today: try again tomorrow, or change its pacing."""

    code = "pacing"


class HeadersTooLarge(BridgeError):
    """`headers_too_large`: the headers are longer than 16 KiB: send fewer, or shorter ones."""

    code = "headers_too_large"


class InternalError(BridgeError):
    """`internal_error`: something went wrong on our side: try again, and if it persists, report the request_id."""

    code = "internal_error"


class NetworkRejected(BridgeError):
    """`network_rejected`: the messaging network rejected this (code 463). This number may not start new chats for now: do not retry."""

    code = "network_rejected"


class OrchestratorFailed(BridgeError):
    """`orchestrator_failed`: the bridge could not be restarted, and nothing was changed: try again in a few seconds."""

    code = "orchestrator_failed"


class SessionUnavailable(BridgeError):
    """`session_unavailable`: the session cannot be reached now: try again."""

    code = "session_unavailable"


class StorageFull(BridgeError):
    """`storage_full`: the disk of this service is nearly full: nothing is sent, no file is fetched and no bridge is created until its operator makes room."""

    code = "storage_full"


class SendOutcomeUnknown(BridgeError):
    """`send_outcome_unknown`: it is not known whether the message was sent: retry with the same Idempotency-Key to find out."""

    code = "send_outcome_unknown"
