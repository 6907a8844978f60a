import type { ErrorBody } from "./generated.ts"

/** Codes of errors that the service did not report: this package found them itself. */
type OwnCode =
  | "no_answer"
  | "unexpected_answer"
  | "invalid_argument"
  | "invalid_signature"
  | "cursor_unusable"
  | "cursor_in_use"
  | "events_missed"

export type ErrorCode = ErrorBody["code"] | OwnCode

/**
 * The one error that this package throws. `code` says what happened, to programs, and `message` to people.
 * Its fields never hold the API key or a webhook secret.
 *
 * Besides the service's own codes there are `no_answer` (the service is away, too slow, or the connection
 * broke), `unexpected_answer` (something else answers at this address, such as a proxy with a page of HTML),
 * `invalid_argument` (a mistake in the program that calls), `invalid_signature` (of `webhooks`), and those of
 * `events`: `cursor_unusable`, `cursor_in_use` and `events_missed`.
 */
export class BridgeError extends Error {
  override readonly name = "BridgeError"
  readonly code: ErrorCode
  /** The status of the answer; 0 without one. */
  readonly status: number
  /** Name it when you ask the operator of the service for help. */
  readonly requestId: string | undefined
  /** With `invalid_request`: which fields are wrong. */
  readonly issues: ErrorBody["issues"]
  /** With `send_outcome_unknown`: the id of the message, for `getMessage`. */
  readonly messageId: string | undefined
  /** With `network_rejected`: the network's own number for the reason. */
  readonly networkCode: number | undefined
  /**
   * With a call that takes such a key: repeat the call with this key to find out what became of it, without
   * sending twice.
   */
  readonly idempotencyKey: string | undefined
  /** How long the service asks to wait before the next try, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** With `events_missed`: how many events are gone. */
  readonly missed: number | undefined

  constructor(code: ErrorCode, message: string, about: About = {}) {
    super(message, about.cause === undefined ? undefined : { cause: about.cause })
    this.code = code
    this.status = about.status ?? 0
    this.requestId = about.body?.request_id
    this.issues = about.body?.issues
    this.messageId = about.body?.message_id
    this.networkCode = about.body?.network_code
    this.idempotencyKey = about.idempotencyKey
    this.retryAfterMs = about.retryAfterMs
    this.missed = about.missed
  }
}

interface About {
  status?: number
  body?: ErrorBody
  idempotencyKey?: string | undefined
  retryAfterMs?: number | undefined
  missed?: number
  cause?: unknown
}
