import type { z } from "zod"
import type { Format } from "#contract/webhook.ts"
import type { Issue } from "#core/error.ts"
import type { Api, GivenFile } from "../http/own-api.ts"

// Another gateway's language is data: a table of its calls (`Dialect`), and one of its events (`format.ts`).

/** What callers of another gateway say to this service, below `/<name>`, and what they are answered. */
export interface Dialect {
  name: Format
  /** The header in which they send their key, if they send no `Authorization: Bearer`. */
  keyHeader: string
  calls: Call[]
  /** The body of a refusal, as that gateway answers one. */
  refusal: (refusal: Refusal) => unknown
  /** Its status, where that gateway has another one than our API. */
  statusOf?: (status: number) => number
}

export interface Refusal {
  status: number
  /** What happened, and what to do. */
  sentence: string
  /** Of a request that is not as it should be: each fault. */
  issues: Issue[]
  method: string
  /** Without the dialect's name. */
  path: string
}

export interface Call<Body = never> {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** Below the dialect's name, with `:name` for a part of it that varies. */
  path: string
  /** What the body has to be; fields that it does not name are ignored, as gateways do. */
  body: z.ZodType | undefined
  /** The status of a success: 200 unless given. */
  status?: 201
  /** It needs no key. */
  isOpen?: true
  /**
   * Does by calls of our API what the caller asks for.
   * @returns the body of the answer, or the answer
   * @throws Refused, ApiError, NotHere
   */
  run: (asked: Asked<Body>) => Promise<unknown>
}

/** A call of another gateway. */
export interface Asked<Body = unknown> {
  api: Api
  /** The parts of the path that vary, by their names. */
  params: Record<string, string>
  query: Record<string, string>
  /** The type of the answer that the caller wants; `""` if it does not say. */
  accept: string
  body: Body
  /** The file of a form; in place of a body of JSON, a form may have one. */
  file: GivenFile | undefined
  /** Where this dialect is served, without a slash at the end. */
  origin: string
  /** The caller's own key; `""` where none is needed. */
  key: string
  /** Goes along with each call of our API; one that makes several messages has to make several of it. */
  idempotencyKey: string | undefined
}

/** A call whose run takes what its body is parsed to. */
export function call<Body extends z.ZodType = z.ZodUnknown>(
  its: Omit<Call, "body" | "run"> & { body?: Body; run: Call<z.output<Body>>["run"] },
): Call {
  // `routes.ts` parses the body before it runs the call.
  return { ...its, body: its.body }
}

/** A call that the gateway has and this service has not: 501, and why. */
export function missing(method: Call["method"], path: string, sentence: string): Call {
  return call({
    method,
    path,
    run: async () => {
      throw new NotHere(sentence)
    },
  })
}

/** What this service cannot do, in a sentence. */
export class NotHere extends Error {}
