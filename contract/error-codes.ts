/** The meaning of the network's codes for the caller, and what to do about each. */
const advice = new Map([
  [463, "This number may not start new chats for now: do not retry"],
  [479, "The recipient's devices have changed: retry once"],
])

export function networkRejectedSentence(networkCode: number): string {
  const next = advice.get(networkCode) ?? "Do not retry it unchanged"
  return `the messaging network rejected this (code ${networkCode}). ${next}`
}

export function bridgeLimitSentence(limit: number): string {
  return `this account may have ${limit} bridges at most: delete one, or ask the operator of this service for more`
}

export function fileLimitSentence(mb: number): string {
  return (
    `the files of this account take up the ${mb.toLocaleString("en")} MB that it may have here: wait until those on ` +
    "their way have gone and old uploads are removed, 24 hours after they came, or ask the operator of this service for more"
  )
}

export function wrongMethodSentence(methods: string[]): string {
  return `this path does not take this method: use ${methods.join(", ")}`
}

export function orchestratorFailedSentence(undone: "restarted" | "woken"): string {
  return `the bridge could not be ${undone}, and nothing was changed: try again in a few seconds`
}

/**
 * Every code an error may carry (Contract, "Errors"), with its status and its sentence: what happened, then
 * what to do. `ApiError` uses the sentence where its thrower has no more exact one, and the reference shows
 * it as the example.
 */
export const errors = {
  invalid_request: [400, "chat: is missing (and 1 more: see issues)"],
  invalid_customer_ref: [400, "customer_ref: 1 to 64 letters, digits, dashes and underscores"],
  invalid_webhook_url: [400, "webhook_url: not a URL"],
  invalid_idempotency_key: [400, "Idempotency-Key: send it once, with 1 to 255 printable characters"],
  url_not_allowed: [
    400,
    "the URL does not lead to a public address over http or https, or has a user name or password in it",
  ],
  unauthorized: [
    401,
    "no valid API key: send Authorization: Bearer <API_KEY>. Keys are created in the dashboard, or by the operator of this service",
  ],
  no_subscription: [402, "this account has no subscription yet: add a number in the dashboard first"],
  payment_required: [402, "this account's payment is past due: pay it to create more bridges"],
  bridge_limit_reached: [403, bridgeLimitSentence(10)],
  file_limit_reached: [403, fileLimitSentence(2000)],
  forbidden: [403, "this API key may only read: use one with the scope `all`"],
  not_admin: [
    403,
    "only an admin of this group may do this: one of them has to promote the session's account",
  ],
  join_refused: [403, "an admin has removed this account from the group: one of them has to add it again"],
  not_found: [404, "there is no such bridge: GET /api/instances lists yours"],
  method_not_allowed: [405, wrongMethodSentence(["GET", "POST"])],
  request_timeout: [408, "the request came too slowly: send it again, within 30 seconds"],
  bridge_paused: [409, "the operator of this service has paused this bridge: ask them to wake it"],
  bridge_suspended: [409, "the operator of this service has suspended this bridge: ask them to resume it"],
  bridge_moved: [
    409,
    "this bridge has moved to another service: call it there. The operator of this service says where that is",
  ],
  idempotency_conflict: [
    409,
    "a request with this Idempotency-Key is still running: try again when it has ended",
  ],
  not_paired: [409, "no phone is linked: scan the code that `qr` gives, or use `pair`"],
  already_paired: [409, "a phone is already linked: log out first"],
  not_own_message: [
    409,
    "another person wrote this message: you can edit only your own, and revoke others' only in a group, as its admin",
  ],
  message_revoked: [409, "this message was revoked: nothing can be done with it but revoking it once more"],
  edit_too_late: [
    409,
    "phones ignore an edit of a message that is 20 minutes old: send a new message, or revoke this one",
  ],
  presence_unavailable: [409, "the presence is not `available`: set it before you subscribe"],
  not_waiting: [409, "an attempt at this event is under way: try again when it has ended"],
  passkey_required: [
    409,
    "a phone took the last code, and its account wants a passkey: answer the request that `status` has, or `logout` to begin again with a new code",
  ],
  passkey_not_awaited: [409, "no phone asks for a passkey now: link it again with a new code first"],
  secret_overlap: [
    409,
    "the secret was replaced less than a day ago, and both still sign: finish that first",
  ],
  webhook_limit_reached: [409, "a bridge has five webhooks at most: delete one first"],
  not_planned: [
    409,
    "this is no longer planned: it was sent, is being sent, or is over. `getPlanned` says what became of it",
  ],
  plan_limit_reached: [
    409,
    "5,000 messages of this bridge are planned: cancel some, or wait until some have gone",
  ],
  not_kept: [409, "this bridge keeps no messages: PATCH it with `keep`: 7, 30 or 90 days"],
  not_business: [409, "this account is none of WhatsApp Business: it has no labels"],
  new_chat: [
    409,
    "this message would begin a chat with somebody who has not written to this number: send it with `new_chat`: `allow` if that is wanted",
  ],
  group_full: [409, "the group would have more than 1,024 members: name fewer, or remove some first"],
  group_conflict: [409, "somebody else changed the group at the same time: try again"],
  media_expired: [410, "neither the network nor the phone has this file any more"],
  invite_revoked: [410, "this link was revoked, and leads nowhere: ask for the group's new one"],
  payload_too_large: [413, "the body is longer than 800 KiB"],
  unsupported_media_type: [415, "the body has another Content-Type: send it as application/json"],
  misdirected: [
    421,
    "this service has another name than the one that was called: its operator can add that one to OTHER_NAMES",
  ],
  media_fetch_failed: [422, "the URL could not be fetched: timeout"],
  media_type_mismatch: [
    422,
    "the file is not of the type that its Content-Type says, or that is needed here: a sticker is made of a WebP, JPEG or PNG",
  ],
  conversion_unavailable: [
    422,
    "this service cannot convert sounds and GIFs, for it has no ffmpeg: send Ogg with Opus without `as_voice`, a GIF as an MP4 with `gif_playback`, or ask its operator to install it",
  ],
  recipient_not_found: [422, "nobody on the network has this address: check `chat`"],
  passkey_refused: [
    422,
    "this came after the request's time: use the passkey again, for the request that `status` has now",
  ],
  rate_limited: [429, "rate limit exceeded"],
  pacing: [
    429,
    "the pacing of this bridge allows no new chat today: try again tomorrow, or change its pacing",
  ],
  headers_too_large: [431, "the headers are longer than 16 KiB: send fewer, or shorter ones"],
  internal_error: [
    500,
    "something went wrong on our side: try again, and if it persists, report the request_id",
  ],
  network_rejected: [502, networkRejectedSentence(463)],
  orchestrator_failed: [502, orchestratorFailedSentence("restarted")],
  session_unavailable: [503, "the session cannot be reached now: try again"],
  storage_full: [
    503,
    "the disk of this service is nearly full: nothing is sent, no file is fetched and no bridge is created until its operator makes room",
  ],
  send_outcome_unknown: [
    504,
    "it is not known whether the message was sent: retry with the same Idempotency-Key to find out",
  ],
} as const satisfies Record<string, readonly [status: number, sentence: string]>

/** The sentence of each error. */
export const sentences = Object.fromEntries(
  Object.entries(errors).map(([code, [, sentence]]) => [code, sentence]),
) as Record<keyof typeof errors, string> // the keys of the object above, no others
