import { ErrorBody, type ErrorCode, errorStatus } from "#contract/error.ts"
import { ApiError, internalError, rateLimited } from "#core/error.ts"
import { AnswerInBucket } from "#core/files/answer-in-bucket.ts"
import { callHolder } from "#core/lease/call-holder.ts"
import { type Call, type HostAnswer, outcomeUnknown } from "#core/lease/call-host.ts"
import { RateLimit } from "#core/limits/rate-limit.ts"
import { log } from "#core/platform/log.ts"

type Asked =
  | { success: HostAnswer; refusal?: undefined }
  /** The host has refused. If no host was reached, `askHost` throws. */
  | { success?: undefined; refusal: ApiError }

/** Calls that try to link a phone. One for a code to type rings a phone that may be a stranger's. */
const linkTries = new Set(["/pair", "/passkey"])

/**
 * Asks the host that holds the bridge. `isJson`: every success is JSON.
 * @throws ApiError as `callHolder` does, `rate_limited` for too many tries to link a phone
 * (Contract, "Rate limits")
 */
export async function askHost(call: Call, isJson: boolean): Promise<Asked> {
  if (linkTries.has(call.path)) {
    const window = await RateLimit.count("linkTries", call.bridgeId)
    if (window.isExceeded) throw rateLimited(RateLimit.secondsLeft(window))
  }
  const answer = await callHolder(call).catch((error: unknown) => {
    throw named(error, call)
  })
  const isSuccess = answer.status < 300 && (!isJson || isStored(answer) || jsonOf(answer.body) !== undefined)
  return isSuccess ? { success: answer } : { refusal: named(refusalOf(answer, call), call) }
}

/** The error for the caller. If the outcome of a send is unknown, it names the message, to be looked up. */
function named<Thrown>(error: Thrown, { messageId }: Call): Thrown | ApiError {
  if (!(error instanceof ApiError) || error.code !== "send_outcome_unknown" || !messageId) return error
  const { code, message, headers, fields } = error
  return new ApiError(code, message, { headers, fields: { ...fields, message_id: messageId } })
}

/** Whether the answer's body is in the bucket. */
function isStored({ headers }: HostAnswer): boolean {
  return AnswerInBucket.bucketKeyOf(headers) !== undefined
}

/** A host phrases refusals as the API does, but without the request id, which is the API's. */
const HostRefusal = ErrorBody.omit({ request_id: true })

/** A host never sends these for a valid call of ours. */
const foreign = new Set<ErrorCode>(["unauthorized", "internal_error"])

/** The host's refusal, if it is one of the contract's. Anything else that a host says stays here. */
function refusalOf(answer: HostAnswer, call: Call): ApiError {
  const refusal = HostRefusal.safeParse(jsonOf(answer.body)).data
  if (refusal && errorStatus[refusal.code] === answer.status && !foreign.has(refusal.code)) {
    const { code, error, ...fields } = refusal
    return new ApiError(code, error, { fields, headers: hostHeaders(answer.headers, "retry-after") })
  }
  const { requestId, bridgeId, messageId } = call
  log.error({ requestId, bridgeId, status: answer.status }, "host failed")
  return messageId ? outcomeUnknown() : internalError()
}

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString())
  } catch {
    // It is not JSON, so not an answer of our hosts; the caller handles that.
    return undefined
  }
}

/** The named headers of the host's answer, to be passed on. */
export function hostHeaders(headers: HostAnswer["headers"], ...names: string[]): Record<string, string> {
  const found = names.flatMap((name) => {
    const value = headers[name]
    return typeof value === "string" ? [[name, value] as const] : []
  })
  return Object.fromEntries(found)
}
