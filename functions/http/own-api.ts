import { Readable } from "node:stream"
import { buffer, json } from "node:stream/consumers"
import type { ReadableStream } from "node:stream/web"
import type { z } from "@hono/zod-openapi"
import { type ErrorBody, type ErrorCode, errorStatus } from "#contract/error.ts"
import { inlineBytes } from "#contract/send.ts"
import { AnswerInBucket } from "#core/files/answer-in-bucket.ts"
import { StoredMedia } from "#core/files/stored-media.ts"

/** Answers an HTTP request as the API does. */
export type Serve = (request: Request) => Response | Promise<Response>

export type Query = Record<string, string | number | undefined>

interface Options {
  query?: Query
  body?: object
  idempotencyKey?: string | undefined
}

/** What a call of the API refused. */
export class Refused extends Error {
  readonly body: z.infer<typeof ErrorBody>

  constructor(body: z.infer<typeof ErrorBody>) {
    super(body.error)
    this.name = "Refused"
    this.body = body
  }

  get status() {
    return errorStatus[this.body.code]
  }
}

/** A refusal, where it is part of what an agent wants to know. @throws what is none */
export function refusalOf(error: unknown): unknown {
  if (error instanceof Refused) return error.body
  throw error
}

/** What the API answers; undefined where it refuses for this reason. @throws Refused for any other */
export async function unless<Answer>(code: ErrorCode, asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof Refused && error.body.code === code) return undefined
    throw error
  }
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

/** A file of a message. */
export interface File {
  /** As its sender says it, without parameters. */
  type: string
  size: number
  /** Undefined of a file that is larger than was asked for. */
  bytes: Buffer | undefined
  headers: Record<string, string>
}

/** A file that a caller has sent. */
export interface GivenFile {
  type: string
  /** `""` without one. */
  name: string
  bytes: Uint8Array<ArrayBuffer>
}

/** As `createUpload` answers. */
interface Form {
  file: string
  upload: { url: string; fields: Record<string, string> }
}

interface Page {
  body: unknown
  /** Where the next page begins, if there may be one. */
  next: string | undefined
}

/**
 * The API as an agent's tools and other gateways' calls use it: through its own door, with the key that the
 * caller came with. So each call may do what its key allows, and counts like any other call.
 */
export class Api {
  readonly #serve: Serve
  readonly #outer: Request
  readonly #base: string

  /** @param outer the caller's request, whose headers say who asks and from where. */
  constructor(serve: Serve, outer: Request, base = "") {
    this.#serve = serve
    this.#outer = outer
    this.#base = base
  }

  /** The same, for paths that begin behind this one. */
  below(path: string): Api {
    return new Api(this.#serve, this.#outer, this.#base + path)
  }

  /** The body of the answer. @throws Refused */
  async call(method: Method, path: string, options: Options = {}): Promise<unknown> {
    return (await this.page(method, path, options)).body
  }

  /**
   * Calls with these fields, which go where the method has them: into the query, or the body. The contract
   * says what is answered.
   * @throws Refused
   */
  async ask<Answer>(
    method: Method,
    path: string,
    fields: object = {},
    idempotencyKey?: string,
  ): Promise<Answer> {
    const isInQuery = method === "GET" || method === "DELETE"
    const given = isInQuery ? { query: { ...fields } } : { body: fields }
    return (await this.call(method, path, { ...given, idempotencyKey })) as Answer
  }

  /** The answer, and where the next page begins. @throws Refused */
  async page(method: Method, path: string, options: Options = {}): Promise<Page> {
    const answer = await this.answer(method, path, options)
    return { body: await bodyOf(answer), next: answer.headers.get("x-next-after") ?? undefined }
  }

  /** Every page of a list whose next page `X-Next-After` names, up to so many items. @throws Refused */
  async all<Item>(path: string, { query, most }: { query?: Query; most: number }): Promise<Item[]> {
    const items: Item[] = []
    let after: string | undefined
    do {
      const page = await this.page("GET", path, { query: { ...query, after } })
      items.push(...(page.body as Item[])) // as the contract says
      after = page.next
    } while (after !== undefined && items.length < most)
    return items.slice(0, most)
  }

  /** The items of a list whose next page the last `jid` names: all, or at least so many. @throws Refused */
  async allByJid<Item extends { jid: string }>(path: string, limit: number, least = Infinity) {
    const items: Item[] = []
    for (;;) {
      const page = await this.ask<Item[]>("GET", path, { limit, after: items.at(-1)?.jid })
      items.push(...page)
      if (page.length < limit || items.length >= least) return items
    }
  }

  /**
   * Below a bridge's path: the fields of a send that say where its file is, in the call or uploaded before.
   * @throws Refused
   */
  async placeOf(file: GivenFile): Promise<object> {
    const { bytes, type } = file
    if (bytes.byteLength > inlineBytes) return { file: await this.#upload(file) }
    return { data: Buffer.from(bytes).toString("base64"), content_type: type }
  }

  /** @returns the id of the file, for `file` of a send */
  async #upload({ type, name, bytes }: GivenFile): Promise<string> {
    const about = { content_type: type, size: bytes.byteLength, ...(name && { filename: name }) }
    const { file, upload } = (await this.call("POST", "/files", { body: about })) as Form
    const form = new FormData()
    for (const [field, value] of Object.entries(upload.fields)) form.append(field, value)
    form.append("file", new Blob([bytes], { type }), name || "file")
    const request = new Request(upload.url, { method: "POST", body: form })
    // On AWS the form is S3's own.
    const answer = await (upload.url.endsWith("/uploads") ? this.#serve(request) : fetch(request))
    if (answer.ok) return file
    throw new Refused((await answer.json()) as z.infer<typeof ErrorBody>)
  }

  /** A page of what a number keeps; undefined where it keeps nothing. @throws Refused */
  async keptPage(path: string, query: Query): Promise<Page | undefined> {
    return await unless("not_kept", this.page("GET", path, { query }))
  }

  /** The file at this path, of at most so many bytes. @throws Refused */
  async file(path: string, options: Options & { maxBytes: number }): Promise<File> {
    const answer = await this.answer("GET", path, options)
    // On Lambda the API says only where the file is.
    const key = AnswerInBucket.bucketKeyOf(Object.fromEntries(answer.headers))
    const { headers, body } = key === undefined ? fromAnswer(answer) : await StoredMedia.get(key)
    const [type = ""] = (headers["content-type"] ?? "").split(";")
    const length = headers["content-length"]
    if (length === undefined) {
      // What the API answers without a length is small: a picture that it has drawn itself.
      const bytes = await buffer(body)
      return { type, size: bytes.length, bytes, headers }
    }
    const size = Number(length)
    if (size <= options.maxBytes) return { type, size, bytes: await buffer(body), headers }
    body.destroy()
    return { type, size, bytes: undefined, headers }
  }

  /** An answer that is no refusal. @throws Refused */
  async answer(method: Method, path: string, options: Options = {}): Promise<Response> {
    const request = new Request(this.#urlOf(path, options), {
      method,
      headers: this.#headersOf(options),
      ...(method !== "GET" && { body: JSON.stringify(options.body ?? {}) }),
    })
    const answer = await this.#serve(request)
    if (answer.ok) return answer
    // Every error of the API has this form.
    throw new Refused((await answer.json()) as z.infer<typeof ErrorBody>)
  }

  #urlOf(path: string, { query = {} }: Options): URL {
    const url = new URL(this.#base + path, this.#outer.url)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value))
    return url
  }

  #headersOf({ idempotencyKey }: Options): Headers {
    const headers = new Headers(this.#outer.headers)
    // These are about the caller's own body, and about the answer that it wants.
    for (const name of ["content-length", "transfer-encoding", "accept"]) headers.delete(name)
    headers.set("content-type", "application/json")
    if (idempotencyKey !== undefined) headers.set("idempotency-key", idempotencyKey)
    return headers
  }
}

/** The JSON of an answer; undefined where it has none. */
async function bodyOf(answer: Response): Promise<unknown> {
  if (answer.status === 204) return undefined
  // On Lambda the API says of a long list only where it is.
  const key = AnswerInBucket.bucketKeyOf(Object.fromEntries(answer.headers))
  return key === undefined ? await answer.json() : await json((await StoredMedia.get(key)).body)
}

function fromAnswer({ headers, body }: Response): { headers: Record<string, string>; body: Readable } {
  return { headers: Object.fromEntries(headers), body: Readable.fromWeb(body as ReadableStream) }
}

const nothingThere = { error: "nothing has this name", code: "not_found", request_id: "" } as const

/** The path of a number, and of what is below it. @throws Refused for a part that would lead elsewhere */
export function pathOf(number: string, ...parts: string[]): string {
  if ([number, ...parts].some((part) => part === "." || part === "..")) throw new Refused(nothingThere)
  return ["/api/instances", number, ...parts]
    .map((part, at) => (at === 0 ? part : encodeURIComponent(part)))
    .join("/")
}

/** The reference that `default` stands for now; any other stands for itself. @throws Refused */
export async function nameOf(api: Api, name: string): Promise<string> {
  if (name !== "default") return name
  // As the contract says.
  const { customer_ref } = (await api.call("GET", pathOf(name))) as { customer_ref: string }
  return customer_ref
}
