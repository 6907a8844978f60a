import type { ErrorCode } from "./error.ts"

/** The meaning of the network's codes for the caller, and what to do about each. */
const advice = new Map([
  [463, "This number may not start new chats for now: do not retry"],
  [479, "The recipient's devices have changed: retry once"],
])

export function networkRejected(networkCode: number): string {
  const next = advice.get(networkCode) ?? "Do not retry it unchanged"
  return `the messaging network rejected this (code ${networkCode}). ${next}`
}

export function bridgeLimitReached(limit: number): string {
  return `this account may have ${limit} bridges at most: delete one, or ask the operator of this service for more`
}

export function wrongMethod(methods: string[]): string {
  return `this path does not take this method: use ${methods.join(", ")}`
}

export function orchestratorFailed(undone: "restarted" | "woken"): string {
  return `the bridge could not be ${undone}, and nothing was changed: try again in a few seconds`
}

/**
 * The sentence of each error: what happened, then what to do. `ApiError` uses it where its thrower has no more exact one,
 * and the reference shows it as the example.
 */
export const sentences: Record<ErrorCode, string> = {
  invalid_request: "chat: is missing (and 1 more: see issues)",
  invalid_customer_ref: "customer_ref: 1 to 64 letters, digits, dashes and underscores",
  invalid_webhook_url: "webhook_url: not a URL",
  invalid_idempotency_key: "Idempotency-Key: send it once, with 1 to 255 printable characters",
  url_not_allowed: "the URL does not lead to a public address over http or https",
  unauthorized:
    "no valid API key: send Authorization: Bearer <API_KEY>. Keys are created in the dashboard, or by the operator of this service",
  no_subscription: "this account has no subscription yet: add a number in the dashboard first",
  payment_required: "this account's payment is past due: pay it to create more bridges",
  bridge_limit_reached: bridgeLimitReached(10),
  forbidden: "this API key may only read: use one with the scope `all`",
  not_admin: "only an admin of this group may do this: one of them has to promote the session's account",
  join_refused: "an admin has removed this account from the group: one of them has to add it again",
  not_found: "there is no such bridge: GET /api/instances lists yours",
  method_not_allowed: wrongMethod(["GET", "POST"]),
  bridge_paused: "the operator of this service has paused this bridge: ask them to wake it",
  bridge_suspended: "the operator of this service has suspended this bridge: ask them to resume it",
  bridge_moved:
    "this bridge has moved to another service: call it there. The operator of this service says where that is",
  idempotency_conflict: "a request with this Idempotency-Key is still running: try again when it has ended",
  not_paired: "no phone is linked: scan the code that `qr` gives, or use `pair`",
  already_paired: "a phone is already linked: log out first",
  not_own_message: "another person wrote this message: you can edit and revoke only your own",
  presence_unavailable: "the presence is not `available`: set it before you subscribe",
  not_waiting: "an attempt at this event is under way: try again when it has ended",
  passkey_required:
    "a phone took the last code, and its account wants a passkey: answer the request that `status` has, or `logout` to begin again with a new code",
  passkey_not_awaited: "no phone asks for a passkey now: link it again with a new code first",
  secret_overlap: "the secret was replaced less than a day ago, and both still sign: finish that first",
  webhook_limit_reached: "this bridge has five webhooks, which is the most: delete one first",
  not_kept: "this bridge keeps no messages: PATCH it with `keep`: 7, 30 or 90 days",
  new_chat:
    "this message would begin a chat with somebody who has not written to this number: send it with `new_chat`: `allow` if that is wanted",
  group_full: "the group would have more than 1,024 members: name fewer, or remove some first",
  group_conflict: "somebody else changed the group at the same time: try again",
  media_expired: "neither the network nor the phone has this file any more",
  invite_revoked: "this link was revoked, and leads nowhere: ask for the group's new one",
  payload_too_large: "the body is longer than 512 KiB",
  unsupported_media_type: "the body has another Content-Type: send it as application/json",
  media_fetch_failed: "the URL could not be fetched: timeout",
  media_type_mismatch:
    "the file is not of the type that its Content-Type says, or that is needed here: a sticker is made of a WebP, JPEG or PNG",
  conversion_unavailable:
    "this service cannot convert sounds, for it has no ffmpeg: send Ogg with Opus without `as_voice`, or ask its operator to install it",
  recipient_not_found: "nobody on the network has this address: check `chat`",
  passkey_refused:
    "this came after the request's time: use the passkey again, for the request that `status` has now",
  rate_limited: "rate limit exceeded",
  pacing: "the pacing of this bridge allows no new chat today: try again tomorrow, or change its pacing",
  internal_error: "something went wrong on our side: try again, and if it persists, report the request_id",
  network_rejected: networkRejected(463),
  orchestrator_failed: orchestratorFailed("restarted"),
  session_unavailable: "the session cannot be reached now: try again",
  storage_full:
    "the disk of this service is nearly full: nothing is sent, no file is fetched and no bridge is created until its operator makes room",
  send_outcome_unknown:
    "it is not known whether the message was sent: retry with the same Idempotency-Key to find out",
}
