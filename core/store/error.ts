import { type Item, type Row, toRow } from "./rows.ts"

/** The store did not answer in time: whether it wrote is not known. */
export class StoreAway extends Error {}

/** Why a member of a transaction was refused; `None` where it was not. */
interface Reason {
  code: string
  /** As it was found, if the condition refused it and there is one. */
  row: Row | undefined
}

/** The store's answer when it did not do what it was asked for. Its name is DynamoDB's own. */
export class StoreError extends Error {
  readonly $metadata: { httpStatusCode: number }
  /** The row whose condition refused a write, if it was found. */
  readonly row: Row | undefined
  /** Of a transaction that was cancelled, by position. */
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
  const { code, $metadata } = error as { code?: unknown; $metadata?: { httpStatusCode?: number } } // the SDK's errors
  if (typeof code === "string" && /^(E(?!RR_)[A-Z_]+|UND_ERR_.*)$/.test(code)) return true
  return ($metadata?.httpStatusCode ?? 0) >= 500
}

const throttles = new Set([
  "ThrottlingException",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
])

/** Whether the store has refused because it is asked for too much. */
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
  // The machine's credentials are fetched and renewed over the network, too.
  "CredentialsProviderError",
  "ExpiredTokenException",
])

/** Whether the same request may succeed later: throttled, in conflict, or no answer at all. */
export function isPassing(error: unknown): boolean {
  if (error instanceof StoreAway) return true
  if (!(error instanceof Error)) return false
  if (passing.has(error.name) || isThrottled(error)) return true
  if (error instanceof StoreError && error.reasons.length > 0)
    return error.reasons.every(({ code }) => code !== "ValidationError")
  return isUnanswered(error)
}

/** In the words by which the SDK decides whether to ask again at once, and after what wait. */
export function sortOf(error: unknown): "THROTTLING" | "TRANSIENT" | "CLIENT_ERROR" {
  if (!(error instanceof Error)) return "CLIENT_ERROR"
  if (isThrottled(error) || error.name === "TransactionInProgressException") return "THROTTLING"
  return transient.has(error.name) || isUnanswered(error) ? "TRANSIENT" : "CLIENT_ERROR"
}

/** The second: the clock of this machine is wrong; by then it is known by how much. */
const transient = new Set(["TimeoutError", "InvalidSignatureException"])
