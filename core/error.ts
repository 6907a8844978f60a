import type { z } from "zod"
import { sentences } from "#contract/error-codes.ts"
import { type ErrorCode, errorStatus } from "#contract/error.ts"

/**
 * An error that a customer may see. Its sentence is the usual one of its code unless another is given.
 * Everything else that is thrown is our bug and becomes a 500.
 */
export class ApiError extends Error {
  readonly code: ErrorCode
  /** Further fields of the body, as the contract names them. */
  readonly fields: Record<string, unknown>
  readonly headers: Record<string, string>

  constructor(
    code: ErrorCode,
    sentence = sentences[code],
    more: { fields?: Record<string, unknown>; headers?: Record<string, string> } = {},
  ) {
    super(sentence)
    this.code = code
    this.fields = more.fields ?? {}
    this.headers = more.headers ?? {}
  }

  get status() {
    return errorStatus[this.code]
  }
}

/** The session is out of reach; the call may work after `retryAfter` seconds (Contract, "Time to answer"). */
export function sessionUnavailable(sentence = sentences.session_unavailable, retryAfter = 2): ApiError {
  return new ApiError("session_unavailable", sentence, { headers: { "retry-after": String(retryAfter) } })
}

/** The session's host has tried, but the network could not be reached. */
export function networkUnreachable(): ApiError {
  return sessionUnavailable(
    "the network cannot be reached (see the bridge's log): the service keeps trying, so try again later",
  )
}

/** A fault in a caller's request: where it is and what is wrong there. */
export interface Issue {
  path: string
  message: string
}

/** The faults that a schema found. `at` names where in the request the value stands. */
export function issuesOf(error: z.ZodError, at?: string): Issue[] {
  return error.issues.map(({ path, message }) => ({ path: at ?? path.join("."), message }))
}

/** The request is not as documented: the first fault as a sentence, every fault in `issues`. */
export function invalid(
  issues: Issue[],
  code: "invalid_request" | "invalid_customer_ref" | "invalid_webhook_url" = "invalid_request",
): ApiError {
  const sentences = issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`))
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more: see issues)` : ""
  return new ApiError(code, `${sentences[0]}${more}`, { fields: { issues } })
}

/** One body for an unknown name and for another account's. */
export function noSuchBridge(): ApiError {
  return new ApiError("not_found")
}

/** @throws ApiError `bridge_moved`: it is at another service, and nothing here changes anything for it. */
export function mustBeHere({ isMoved }: { isMoved: boolean }): void {
  if (isMoved) throw new ApiError("bridge_moved")
}

export function eventNotFound(): ApiError {
  return new ApiError("not_found", "there is no such event: it may have expired")
}

/** The event behind which a caller goes on is another bridge's, or no longer known. */
export function notItsEvent(path: "after" | "Last-Event-ID"): ApiError {
  return invalid([{ path, message: "not an event of this bridge: leave it out to begin anew" }])
}

/** The call is only for an event that waits for its next attempt, and this one does not wait. */
export function eventNotWaiting(sentence: string): ApiError {
  return new ApiError("not_waiting", sentence)
}

/** The sentence is that of Contract, "Rate limits". `retryAfter` is in seconds. */
export function rateLimited(retryAfter: number): ApiError {
  return new ApiError("rate_limited", undefined, {
    headers: { "retry-after": String(retryAfter) },
  })
}

/** An error of our own: the customer is told nothing but where to find it. */
export function internalError(): ApiError {
  return new ApiError("internal_error")
}
