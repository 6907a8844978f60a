import type { ErrorCode } from "#contract/error.ts"

export interface Failure {
  /** A few words: what happened. */
  title: string
  /** Something to do about it. */
  next: string
}

/**
 * Why no phone was linked, by the API's code: the codes with which a session answers `qr`, `pair` and
 * `passkey`, those of refusals on the way there, and `number_mismatch`, which only a page of a link session
 * has.
 */
export const linkFailures = {
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
  network_rejected: {
    title: "The network rejected this",
    next: "Check that the number is the one of that phone. Then wait some minutes before the next code.",
  },
  send_outcome_unknown: {
    title: "The network did not answer",
    next: "Look whether the phone is linked already. If it is not, ask for a new code.",
  },
  rate_limited: {
    title: "Too many codes were asked for",
    next: "Wait, then ask for one more.",
  },
  already_paired: {
    title: "A phone is linked already",
    next: "To link another one, unlink that one first: in the settings of this number.",
  },
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
  not_found: {
    title: "This number is not there any more",
    next: "It may have been deleted: look at the list of numbers.",
  },
  internal_error: {
    title: "Something went wrong on our side",
    next: "Try again. If it comes again, tell the operator of this service the code below and the time.",
  },
  payload_too_large: { title: "That was too long", next: "Shorten it, and send it again." },
} satisfies Partial<Record<ErrorCode | "number_mismatch", Failure>>
