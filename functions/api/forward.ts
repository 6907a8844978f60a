import { ErrorBody, type ErrorCode, errorStatus } from "#core/contract/error.ts"
import { ApiError, internalError } from "#core/error.ts"
import { log } from "#core/log.ts"
import { StoredMedia } from "#core/stored-media.ts"
import { type Call, type HostAnswer, outcomeUnknown } from "./call-host.ts"
import { callHolder } from "./holder.ts"

type Asked =
  | { success: HostAnswer; refusal?: undefined }
  /** The word of the host itself, and not of the API that did not reach it. */
  | { success?: undefined; refusal: ApiError }

/**
 * Asks whichever host holds the bridge; `isJson`: so is every success.
 * @throws ApiError as `callHolder` does
 */
export async function ask(call: Call, isJson: boolean): Promise<Asked> {
  const answer = await callHolder(call)
  const isSuccess = answer.status < 300 && (!isJson || isStored(answer) || jsonOf(answer.body) !== undefined)
  return isSuccess ? { success: answer } : { refusal: refusalOf(answer, call) }
}

/** Whether its body is in the bucket. */
function isStored({ headers }: HostAnswer): boolean {
  return StoredMedia.pointedAt(headers) !== undefined
}

/** The host says what it refuses as the API does; the request id is the API's. */
const HostRefusal = ErrorBody.omit({ request_id: true })

/** A host never says these of a call that is ours. */
const foreign = new Set<ErrorCode>(["unauthorized", "internal_error"])

/** What the host refused, if it is one of the contract's refusals; whatever else it says stays here. */
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
    // Not JSON, so nothing that our hosts say: the caller says so.
    return undefined
  }
}

/** Of the host's headers, those that are to be passed on. */
export function hostHeaders(headers: HostAnswer["headers"], ...names: string[]): Record<string, string> {
  const found = names.flatMap((name) => {
    const value = headers[name]
    return typeof value === "string" ? [[name, value] as const] : []
  })
  return Object.fromEntries(found)
}
