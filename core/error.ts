import type { z } from "zod"
import { type ErrorCode, errorStatus } from "./contract/error.ts"

/** What a customer may see. Everything else that is thrown is our bug and becomes a 500. */
export class ApiError extends Error {
  readonly code: ErrorCode
  /** Further fields of the body, as the specification names them. */
  readonly fields: Record<string, unknown>
  readonly headers: Record<string, string>

  constructor(
    code: ErrorCode,
    sentence: string,
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

/** The session cannot be reached now; the same call may work in so many seconds (decisions, "Errors": soon). */
export function sessionUnavailable(
  sentence = "the session cannot be reached now: try again",
  retryAfter = 2,
): ApiError {
  return new ApiError("session_unavailable", sentence, { headers: { "retry-after": String(retryAfter) } })
}

/** A session's host has tried, and the network was not there. */
export function networkUnreachable(): ApiError {
  return sessionUnavailable("the network cannot be reached (see the bridge's log): it is tried again")
}

/** A fault of what a caller sent: where it is, and what is wrong there. */
export interface Issue {
  path: string
  message: string
}

/** What a schema finds wrong; `at` names where in the request the value stands. */
export function issuesOf(error: z.ZodError, at?: string): Issue[] {
  return error.issues.map(({ path, message }) => ({ path: at ?? path.join("."), message }))
}

/** What a caller sent is not as documented: its first fault in a sentence, every fault in `issues`. */
export function invalid(
  issues: Issue[],
  code: "invalid_request" | "invalid_customer_ref" | "invalid_webhook_url" = "invalid_request",
): ApiError {
  const sentences = issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`))
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more: see issues)` : ""
  return new ApiError(code, `${sentences[0]}${more}`, { fields: { issues } })
}

/** One body for a name that nobody has and one that another account has. */
export function noSuchBridge(): ApiError {
  return new ApiError("not_found", "there is no such bridge: GET /api/instances lists yours")
}

/** §7: the sentence is the specification's. In seconds. */
export function rateLimited(retryAfter: number): ApiError {
  return new ApiError("rate_limited", "rate limit exceeded", {
    headers: { "retry-after": String(retryAfter) },
  })
}

/** Our own fault, of which a customer learns nothing but where to find it. */
export function internalError(): ApiError {
  return new ApiError(
    "internal_error",
    "something went wrong on our side: try again, and name the request_id where you report it",
  )
}
