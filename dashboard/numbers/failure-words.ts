import type { ErrorCode } from "#core/contract/error.ts"
import type { Objection } from "#core/contract/status-and-objection.ts"

interface Failure {
  /** A few words: what happened. */
  title: string
  /** Something to do about it. */
  next: string
}

const ours: Failure = {
  title: "Something went wrong on our side",
  next: "Try again. If it comes again, tell the operator of this service the code below and the time.",
}
const wrongCall = (title: string): Failure => ({ title, next: "Open this page again, and start anew." })

/** Every failure that the API can answer with, by its code, and the one that only a page of a link session has. */
export const failures: Record<ErrorCode | "number_mismatch", Failure> = {
  number_mismatch: {
    title: "That is another number",
    next: "Link the phone with the number ending in {digits}, or ask the sender of this page for a new one.",
  },
  invalid_request: {
    title: "This is not a phone number",
    next: "Write it with its country code, as +49 171 1234567.",
  },
  session_unavailable: {
    title: "The session cannot be reached",
    next: "Wait a few seconds. If it stays so, the log of this number says why.",
  },
  storage_full: {
    title: "The disk of this service is nearly full",
    next: "Ask the operator of this service to make room. Then try again.",
  },
  passkey_required: {
    title: "A phone took the last code, and its account wants a passkey",
    next: "Open this page again: it shows how to use the passkey, and how to begin again.",
  },
  passkey_not_awaited: {
    title: "No phone asks for a passkey now",
    next: "Ask for a new code, and scan it with the phone again.",
  },
  passkey_refused: {
    title: "The passkey was not accepted",
    next: "Use it again, for the request that is there now.",
  },
  new_chat: wrongCall("The message would begin a chat"),
  network_rejected: {
    title: "The network rejected this",
    next: "Check that the number is the one of that phone. Then wait some minutes before the next code.",
  },
  send_outcome_unknown: {
    title: "The network did not answer",
    next: "Look whether the phone is linked already. If it is not, ask for a new code.",
  },
  orchestrator_failed: {
    title: "The session did not start",
    next: "Nothing was changed. Try again in a few seconds.",
  },
  rate_limited: {
    title: "Too many codes were asked for",
    next: "Wait, then ask for one more.",
  },
  pacing: wrongCall("The pacing of this number allows no message now"),
  already_paired: {
    title: "A phone is linked already",
    next: "To link another one, unlink that one first: in the settings of this number.",
  },
  not_paired: { title: "No phone is linked", next: "Scan the code, or ask for one to type." },
  bridge_paused: {
    title: "This number is paused",
    next: "Look at its overview: it says why, and who can wake it.",
  },
  bridge_moved: {
    title: "This number has moved to another service",
    next: "Sign in there: the operator of this service says where that is.",
  },
  bridge_suspended: {
    title: "This number is suspended",
    next: "Ask the operator of this service why, and whether they resume it.",
  },
  no_subscription: {
    title: "There is no subscription yet",
    next: "Begin one with this number: its first 7 days are free.",
  },
  payment_required: { title: "A payment is past due", next: "Pay it on the page of the subscription." },
  bridge_limit_reached: {
    title: "There are as many numbers as there may be",
    next: "Delete one, or ask the operator of this service for more.",
  },
  not_found: {
    title: "This number is not there any more",
    next: "It may have been deleted: look at the list of numbers.",
  },
  unauthorized: { title: "You are not signed in any more", next: "Sign in again, then open this page." },
  forbidden: { title: "You may not do this", next: "Ask an owner of this account to link the phone." },
  internal_error: ours,
  invalid_customer_ref: {
    title: "This name is not allowed",
    next: "Take 1 to 64 letters, digits, dashes and underscores.",
  },
  invalid_webhook_url: {
    title: "This is not a valid webhook address",
    next: "Correct it under Webhooks, in the pages of this number.",
  },
  url_not_allowed: { title: "This address is not public", next: "Take one that the internet can reach." },
  invalid_idempotency_key: wrongCall("The key of this request is not valid"),
  idempotency_conflict: {
    title: "The same was asked for a moment ago",
    next: "Wait until that is answered, then look again.",
  },
  method_not_allowed: wrongCall("This page was called in a way that it does not take"),
  unsupported_media_type: wrongCall("The form came in another shape than expected"),
  payload_too_large: { title: "That was too long", next: "Shorten it, and send it again." },
  not_waiting: {
    title: "It is being sent at this moment",
    next: "Wait until that has ended, then look again.",
  },
  not_kept: wrongCall("This number keeps no messages"),
  webhook_limit_reached: {
    title: "This number has five webhooks, which is the most",
    next: "Delete one of them first.",
  },
  secret_overlap: {
    title: "The secret was replaced a short time ago",
    next: "End the old one first. Then replace it again.",
  },
  not_admin: {
    title: "Only an admin of the group may do this",
    next: "Ask one of them to make this number an admin.",
  },
  join_refused: {
    title: "An admin has removed this number from the group",
    next: "Ask one of them to add it again.",
  },
  invite_revoked: { title: "The link was revoked", next: "Ask for the new one." },
  group_full: { title: "The group is full", next: "Name fewer people, or remove some first." },
  group_conflict: {
    title: "Somebody else changed the group at the same time",
    next: "Try again.",
  },
  not_own_message: {
    title: "Somebody else wrote this message",
    next: "Only what this number wrote can be edited and revoked.",
  },
  presence_unavailable: {
    title: "This number is not shown as available",
    next: "Set its presence to available, then subscribe.",
  },
  recipient_not_found: {
    title: "Nobody on the network has this number",
    next: "Check it, with its country code.",
  },
  media_expired: { title: "The file is gone", next: "Ask the sender to send it again." },
  media_fetch_failed: {
    title: "The file could not be fetched",
    next: "Check that its address can be opened without a sign-in.",
  },
  conversion_unavailable: {
    title: "This service cannot convert sounds",
    next: "Ask its operator to install ffmpeg, or send a voice note that is Ogg with Opus already.",
  },
  media_type_mismatch: {
    title: "This file is of another kind",
    next: "Send a sticker as image/webp, and each file under its own Content-Type.",
  },
}

/** Why the network rejects a login, as a state of its session. */
export const loginRejections: Record<Objection, { word: string; cause: string }> = {
  locked: {
    word: "Locked",
    cause:
      "The network has locked the account and unlinked this session. Unlock the account on its phone, then link it again.",
  },
  banned: {
    word: "Banned",
    cause:
      "The network has banned this number and unlinked the session. Its phone says whether that can be reviewed. Until then no code will link it.",
  },
  temporarily_banned: {
    word: "Banned for some time",
    cause:
      "The network rejects this number for some time. The session connects by itself when that is over: do not link it again before.",
  },
  outdated: {
    word: "Outdated",
    cause:
      "The network no longer takes this version of the service. The session tries again by itself. If it stays so, the operator has to update the service.",
  },
  proxy_unreachable: {
    word: "Proxy away",
    cause:
      "The proxy of this number does not answer. The session tries again by itself. Set another `proxy_url` through the API, or none.",
  },
  proxy_refused: {
    word: "Proxy rejects",
    cause:
      "The proxy of this number wants another password, or does not lead to the network. Set another `proxy_url` through the API, or none.",
  },
  unanswered: {
    word: "No answer",
    cause:
      "The connection was open, and the network answered nothing on it for two minutes. The session connects again by itself.",
  },
}
