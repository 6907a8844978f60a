import type { Readable } from "node:stream"
import type { Dispatcher } from "undici"
import { Metrics } from "../platform/metrics.ts"
import type { Connections } from "./connections.ts"
import { asFetchError, FetchError } from "./fetch-error.ts"
import { mayName } from "./reachable-addresses.ts"

export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** The URL that has answered, after all redirects. */
  url: string
  /** To be read to the end or abandoned; either way the connection is then free. @throws FetchError */
  body: AsyncIterable<Uint8Array>
  /** In place of reading the body: resolves when it has ended, or was too long or broken off. */
  forget: () => Promise<void>
}

type Input = {
  url: string
  /** The caller's, who closes them. */
  connections: Connections
  /** The share that its look-ups of names belong to, such as a bridge's: no share waits for another's. */
  share: string
  headers?: Record<string, string>
  /** For the whole exchange, from the look-up of the name to the last byte of the body. */
  withinMs: number
  /** The most bytes of the body; one more ends it with `too_large`. */
  maxBytes: number
} & ({ method: "POST"; body: Uint8Array } | { method: "GET"; redirects?: number })

/**
 * The only way to call a stranger's URL. It dials only public addresses, each checked at the moment it is
 * dialled, however the URL spells it and whatever its name resolves to by then. A GET follows up to
 * `redirects` redirects, each through the same check; a POST follows none.
 * @throws FetchError
 */
export async function safeFetch(input: Input): Promise<Answer> {
  const signal = AbortSignal.timeout(input.withinMs)
  try {
    let url = checked(input.url)
    for (let left = input.method === "GET" ? (input.redirects ?? 0) : 0; ; left--) {
      const answer = await received(url, input, signal)
      const next = left > 0 ? redirected(url, answer) : undefined
      if (!next) return { url: url.href, ...open(answer, input) }
      answer.body.destroy()
      url = next
    }
  } catch (error) {
    const failure = asFetchError(error)
    if (failure.category === "blocked") Metrics.add("FetchBlocked")
    throw failure
  }
}

/** How many bytes the body of an answer has at most: what it announces, if that is less than `most`. */
export function announcedBytes({ headers }: Pick<Answer, "headers">, most: number): number {
  const length = headers["content-length"]
  // undici lets no body be longer than it says.
  return typeof length === "string" && /^\d+$/.test(length) ? Math.min(Number(length), most) : most
}

async function received(url: URL, input: Input, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
  const { connections, share } = input
  const client = await connections.clientFor({ url, share, signal })
  const answer = await client.request({
    path: url.pathname + url.search,
    method: input.method,
    // A small compressed answer could unpack to a large one.
    headers: { ...input.headers, "accept-encoding": "identity" },
    body: input.method === "POST" ? input.body : undefined,
    signal,
  })
  // A reader of the body sees the error. If the body was destroyed or abandoned, the error is of no interest.
  answer.body.on("error", () => {})
  answer.body.once("close", () => connections.giveBack(client, url))
  return answer
}

function checked(given: string): URL {
  if (!URL.canParse(given)) throw new FetchError("blocked")
  const url = new URL(given)
  const isWeb = url.protocol === "https:" || url.protocol === "http:"
  if (!isWeb || url.username || url.password || !mayName(url.hostname)) throw new FetchError("blocked")
  return url
}

/** The target of a redirect, if the answer is one. A redirect never leads from https to http. */
function redirected(from: URL, answer: Dispatcher.ResponseData): URL | undefined {
  const location = answer.headers.location
  if (![301, 302, 303, 307, 308].includes(answer.statusCode) || typeof location !== "string") return undefined
  if (!URL.canParse(location, from.href)) throw new FetchError("bad_response")
  const url = checked(new URL(location, from.href).href)
  if (from.protocol === "https:" && url.protocol === "http:") throw new FetchError("blocked")
  return url
}

function open(answer: Dispatcher.ResponseData, input: Input): Omit<Answer, "url"> {
  const encoding = answer.headers["content-encoding"] ?? "identity"
  if (input.method === "GET" && encoding !== "identity") {
    answer.body.destroy()
    throw new FetchError("bad_response")
  }
  return {
    status: answer.statusCode,
    headers: answer.headers,
    body: counted(answer.body, input.maxBytes),
    forget: async () => await answer.body.dump({ limit: input.maxBytes }),
  }
}

async function* counted(body: Readable, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      // no encoding is set
      bytes += chunk.length
      if (bytes > maxBytes) throw new FetchError("too_large")
      yield chunk
    }
  } catch (error) {
    throw asFetchError(error)
  }
}
