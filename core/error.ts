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
