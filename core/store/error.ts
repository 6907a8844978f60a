import { type Item, type Row, toRow } from "./dynamodb-json.ts"

/** The store did not answer in time: it is unknown whether it wrote. */
export class StoreAway extends Error {}

/** Why a member of a transaction was refused; `None` for a member that was not. */
interface Reason {
  code: string
  /** The row as it was found, if its condition refused the write and the row exists. */
  row: Row | undefined
}

/** The store's answer when it refused a request. `name` is DynamoDB's own. */
export class StoreError extends Error {
  readonly $metadata: { httpStatusCode: number }
  /** The row whose condition refused a write, if it exists. */
  readonly row: Row | undefined
  /** The reasons of a cancelled transaction, by position. */
  readonly reasons: Reason[]

  constructor(status: number, body: object) {
    const answer: Body = body
    super(answer.message ?? answer.Message ?? `the store answered ${status}`)
    this.name = answer.__type?.split("#").at(-1) ?? "Unknown"
    this.$metadata = { httpStatusCode: status }
    this.row = answer.Item && toRow(answer.Item)
    this.reasons = (answer.CancellationReasons ?? []).map(({ Code, Item: item }) => ({
      code: Code ?? "None",
      row: item && toRow(item),
    }))
  }
}

/** As DynamoDB documents it. */
interface Body {
  __type?: string
  message?: string
  Message?: string
  Item?: Item
  CancellationReasons?: { Code?: string; Item?: Item }[]
}

/** A connection that broke, an answer that is not the store's, or a 5xx. */
function isUnanswered(error: Error): boolean {
  // The SDK's errors.
  const { code, $metadata } = error as { code?: unknown; $metadata?: { httpStatusCode?: number } }
  if (typeof code === "string" && /^(E(?!RR_)[A-Z_]+|UND_ERR_.*)$/.test(code)) return true
  return ($metadata?.httpStatusCode ?? 0) >= 500
}

const throttles = new Set([
  "ThrottlingException",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
])

/** Whether the store refused because it is asked too much. */
export function isThrottled(error: unknown): boolean {
  return error instanceof Error && throttles.has(error.name)
}

const passing = new Set([
  "TransactionInProgressException",
  "TransactionConflictException",
  "InternalServerError",
  "ServiceUnavailable",
  "TimeoutError",
  "AbortError",
  // A machine's credentials are fetched and renewed over the network as well.
  "CredentialsProviderError",
  "ExpiredTokenException",
])

/** Whether the same request may succeed later: it was throttled, in conflict, or not answered at all. */
export function isPassing(error: unknown): boolean {
  if (error instanceof StoreAway) return true
  if (!(error instanceof Error)) return false
  if (passing.has(error.name) || isThrottled(error)) return true
  if (error instanceof StoreError && error.reasons.length > 0)
    return error.reasons.every(({ code }) => code !== "ValidationError")
  return isUnanswered(error)
}

/**
 * How the store and the keys say that they refuse all calls, here or for now. It may pass: IAM learns of
 * rights and keys late.
 */
const denied = new Set([
  "AccessDeniedException",
  "UnrecognizedClientException",
  "InvalidSignatureException",
  "MissingAuthenticationTokenException",
  "ResourceNotFoundException",
  "DisabledException",
  "KMSInvalidStateException",
])

/**
 * Whether the store or the keys are at fault, and not what was asked: then the same request is repeated, and
 * no bridge is blamed.
 */
export function isStoreFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return isPassing(error) || denied.has(error.name) || isStoreFault(error.cause)
}

/** The error's kind in the SDK's terms, which decide whether and after what wait to retry. */
export function retryKindOf(error: unknown): "THROTTLING" | "TRANSIENT" | "CLIENT_ERROR" {
  if (!(error instanceof Error)) return "CLIENT_ERROR"
  if (isThrottled(error) || error.name === "TransactionInProgressException") return "THROTTLING"
  return transient.has(error.name) || isUnanswered(error) ? "TRANSIENT" : "CLIENT_ERROR"
}

/**
 * `InvalidSignatureException` means that this machine's clock is wrong. By the time of the retry the
 * difference is known.
 */
const transient = new Set(["TimeoutError", "InvalidSignatureException"])
