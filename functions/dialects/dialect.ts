import type { z } from "zod"
import type { ErrorCode } from "#contract/error.ts"
import type { Format } from "#contract/webhook.ts"
import type { Issue } from "#core/error.ts"
import type { Api, GivenFile } from "../http/own-api.ts"

// Another gateway's language is data: tables of its calls (`Rows`), and one of its events (`format.ts`).

/** What callers of another gateway say to this service, below `/<name>`, and what they are answered. */
export interface Dialect {
  name: Format
  /** The header in which they send their key, if they send no `Authorization: Bearer`. */
  keyHeader: string
  /** Of paths that are alike, the first is meant. */
  calls: Call[]
  /** What our API calls the first word of a field's path, and these callers know by another name. */
  names: Partial<Record<string, string>>
  /** What it says in place of the usual sentence of an error, which is about our API. */
  sentences: Partial<Record<ErrorCode, string>>
  /** The body of a refusal, as that gateway answers one. */
  refusal: (refusal: Refusal) => unknown
  /** Its status, where that gateway has another one than our API. */
  statusOf: (refusal: Refusal) => number
}

export interface Refusal {
  status: number
  /** Undefined of what this service has not. */
  code: ErrorCode | undefined
  /** What happened, and what to do. */
  sentence: string
  /** Of a request that is not as it should be: each fault, by the names that the caller knows. */
  issues: Issue[]
}

export interface Call {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** Below the dialect's name, with `:name` for a part of it that varies. */
  path: string
  /** What the body has to be; fields that it does not name are ignored, as gateways do. */
  body?: z.ZodType
  /** The status of a success: 200 unless given. */
  status?: 201
  /** It needs no key. */
  isOpen?: true
  /**
   * Does by calls of our API what the caller asks for.
   * @returns the body of the answer, or the answer
   * @throws Refused, ApiError, NotHere
   */
  run: (asked: Asked<never>) => unknown
}

/** A call of another gateway. */
export interface Asked<Given = unknown> {
  api: Api
  /** The parts of the path that vary, by their names. */
  params: Record<string, string>
  query: Record<string, string>
  /** The type of the answer that the caller wants; `""` if it does not say. */
  accept: string
  /** The body, as it was parsed. */
  given: Given
  /** The file of a form; in place of a body of JSON, a form may have one. */
  file: GivenFile | undefined
  /** Where this dialect is served, without a slash at the end. */
  origin: string
  /** The caller's own key; `""` where none is needed. */
  key: string
  /** Goes along with each call of our API; one that makes several messages has to make several of it. */
  idempotencyKey: string | undefined
}

/** What each call does: `"POST /api/sendText": (its) => …`. */
export type Rows<Its> = Record<string, (its: Its) => unknown>

/** The calls of a table. @param its makes of a call what its row works with */
export function toCalls<Its, Given>(
  rows: Rows<Its>,
  its: (asked: Asked<Given>) => Its,
  more: Pick<Call, "body" | "status" | "isOpen"> = {},
): Call[] {
  // `routes.ts` parses the body before it runs the call.
  const calls = Object.entries(rows).map(([row, run]) => ({
    ...placeOf(row),
    run: (asked: Asked<never>) => run(its(asked)),
  }))
  return calls.map((call) => ({ ...call, ...more }))
}

/** Calls that the gateway has and this service has not: 501, and why. `*` is every method. */
export function toMissing(rows: Record<string, string>): Call[] {
  return Object.entries(rows).flatMap(([row, why]) => {
    const { method, path } = placeOf(row)
    const methods = row.startsWith("*") ? (["GET", "POST", "PUT", "DELETE"] as const) : [method]
    const run = () => {
      throw new NotHere(why)
    }
    return methods.map((each) => ({ method: each, path, run }))
  })
}

function placeOf(row: string): Pick<Call, "method" | "path"> {
  const [method, path] = row.split(" ") as [Call["method"], string] // as each row begins
  return { method, path }
}

/** What this service cannot do, in a sentence. */
export class NotHere extends Error {}
