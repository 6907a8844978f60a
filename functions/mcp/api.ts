import type { z } from "@hono/zod-openapi"
import type { ErrorBody } from "#contract/error.ts"

/** Answers an HTTP request as the API does. */
export type Serve = (request: Request) => Response | Promise<Response>

interface Options {
  query?: Record<string, string | number | undefined>
  body?: object
  idempotencyKey?: string
}

/** What a call of the API refused. */
export class Refused extends Error {
  readonly body: z.infer<typeof ErrorBody>

  constructor(body: z.infer<typeof ErrorBody>) {
    super(body.error)
    this.name = "Refused"
    this.body = body
  }
}

interface Page {
  body: unknown
  /** Where the next page begins, if there may be one. */
  next: string | undefined
}

/**
 * The API as an agent's tools call it: through its own door, with the key that the agent came with. So a tool
 * may do what its key may, and counts as any other call does.
 */
export class Api {
  readonly #serve: Serve
  readonly #outer: Request

  /** @param outer the agent's request, whose headers say who asks and from where. */
  constructor(serve: Serve, outer: Request) {
    this.#serve = serve
    this.#outer = outer
  }

  /** The body of the answer. @throws Refused */
  async call(method: "GET" | "POST", path: string, options: Options = {}): Promise<unknown> {
    return (await this.page(method, path, options)).body
  }

  /** The answer, and where the next page begins. @throws Refused */
  async page(method: "GET" | "POST", path: string, options: Options = {}): Promise<Page> {
    const { body } = options
    const request = new Request(this.#urlOf(path, options), {
      method,
      headers: this.#headersOf(options),
      ...(method === "POST" && { body: JSON.stringify(body ?? {}) }),
    })
    const answer = await this.#serve(request)
    const said: unknown = await answer.json()
    // Every error of the API has this form.
    if (!answer.ok) throw new Refused(said as z.infer<typeof ErrorBody>)
    return { body: said, next: answer.headers.get("x-next-after") ?? undefined }
  }

  #urlOf(path: string, { query = {} }: Options): URL {
    const url = new URL(path, this.#outer.url)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value))
    return url
  }

  #headersOf({ idempotencyKey }: Options): Headers {
    const headers = new Headers(this.#outer.headers)
    // These are about the agent's own body, and about the answer that it wants.
    for (const name of ["content-length", "transfer-encoding", "accept"]) headers.delete(name)
    headers.set("content-type", "application/json")
    if (idempotencyKey !== undefined) headers.set("idempotency-key", idempotencyKey)
    return headers
  }
}

const nothingThere = { error: "nothing has this name", code: "not_found", request_id: "" } as const

/** The path of a number, and of what is below it. @throws Refused for a part that would lead elsewhere */
export function pathOf(number: string, ...parts: string[]): string {
  if ([number, ...parts].some((part) => part === "." || part === "..")) throw new Refused(nothingThere)
  return ["/api/instances", number, ...parts]
    .map((part, at) => (at === 0 ? part : encodeURIComponent(part)))
    .join("/")
}
