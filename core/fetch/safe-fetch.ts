import { lookup } from "node:dns/promises"
import { isIP } from "node:net"
import type { Readable } from "node:stream"
import { Agent, buildConnector, errors, request } from "undici"
import { Metrics } from "../platform/metrics.ts"
import { mayName, mayReach } from "./reachable-addresses.ts"

/** Why there was no answer, or no usable one. Never in the other side's own words. */
export type Category =
  | "timeout"
  | "refused"
  | "unreachable"
  | "reset"
  | "dns"
  | "tls"
  | "blocked"
  | "too_large"
  | "bad_response"
  | "network"

export class FetchError extends Error {
  readonly category: Category

  constructor(category: Category, cause?: unknown) {
    super(category, { cause })
    this.category = category
  }
}

export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** To be read to the end or abandoned; either way the connection is then free. @throws FetchError */
  body: AsyncIterable<Uint8Array>
}

type Input = {
  url: string
  /** The caller's agent, which keeps the connections; the caller closes it. */
  agent: Agent
  headers?: Record<string, string>
  /** For the whole exchange, from the look-up of the name to the last byte of the body. */
  withinMs: number
  /** The most bytes of the body; one more ends it with `too_large`. */
  maxBytes: number
} & ({ method: "POST"; body: Uint8Array } | { method: "GET"; redirects?: number })

/**
 * The only way to call a stranger's URL. It dials only public addresses, each checked at the moment it is dialled,
 * however the URL spells it and whatever its name resolves to by then. A GET follows up to `redirects` redirects, each
 * through the same check; a POST follows none.
 * @throws FetchError
 */
export async function safeFetch(input: Input): Promise<Answer> {
  const signal = AbortSignal.timeout(input.withinMs)
  try {
    let url = checked(input.url)
    for (let left = input.method === "GET" ? (input.redirects ?? 0) : 0; ; left--) {
      const answer = await request(url, {
        dispatcher: input.agent,
        method: input.method,
        // A small compressed answer could unpack to a large one.
        headers: { ...input.headers, "accept-encoding": "identity" },
        body: input.method === "POST" ? input.body : undefined,
        signal,
      })
      // A reader of the body sees the error. If the body was destroyed or abandoned, the error concerns nobody.
      answer.body.on("error", () => {})
      const next = left > 0 ? redirected(url, answer) : undefined
      if (!next) return open(answer, input)
      answer.body.destroy()
      url = next
    }
  } catch (error) {
    const failure = asFetchError(error)
    if (failure.category === "blocked") Metrics.add("FetchBlocked")
    throw failure
  }
}

/** Keeps connections for its caller, idle ones for `idleMs` (4 s by default); dials only public addresses. */
export function guardedAgent({ idleMs }: { idleMs?: number } = {}): Agent {
  const dial = buildConnector({ timeout: connectWithinMs, allowH2: false })
  return new Agent({
    allowH2: false,
    ...(idleMs !== undefined && { keepAliveTimeout: idleMs, keepAliveMaxTimeout: idleMs }),
    connect: (options, callback) => void connect(dial, options, callback),
  })
}

/** Per address. */
const connectWithinMs = 3000

type Dial = ReturnType<typeof buildConnector>

async function connect(dial: Dial, options: buildConnector.Options, callback: buildConnector.Callback) {
  try {
    callback(null, await dialChecked(dial, options))
  } catch (error) {
    callback(error instanceof Error ? error : new FetchError("network", error), null)
  }
}

/** Every address of the name must pass. The checked address is dialled, not the name. */
async function dialChecked(dial: Dial, options: buildConnector.Options) {
  const host = options.hostname.replace(/^\[|\]$/g, "")
  const addresses = isIP(host) ? [host] : await addressesOf(host)
  if (!addresses.every(mayReach)) throw new FetchError("blocked")

  const servername = isIP(host) ? undefined : (options.servername ?? host)
  let failure: unknown = new FetchError("dns")
  for (const address of addresses) {
    try {
      const socket = await dialOne(dial, { ...options, hostname: address, servername })
      if (socket.remoteAddress && mayReach(socket.remoteAddress)) return socket
      socket.destroy()
      throw new FetchError("blocked")
    } catch (error) {
      if (error instanceof FetchError) throw error
      failure = error
    }
  }
  throw failure
}

async function addressesOf(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true, order: "ipv4first" })
  return found.map((entry) => entry.address)
}

function dialOne(dial: Dial, options: buildConnector.Options) {
  return new Promise<NonNullable<Parameters<buildConnector.Callback>[1]>>((resolve, reject) => {
    dial(options, (error, socket) => (socket ? resolve(socket) : reject(error ?? new FetchError("network"))))
  })
}

function checked(given: string): URL {
  if (!URL.canParse(given)) throw new FetchError("blocked")
  const url = new URL(given)
  const isWeb = url.protocol === "https:" || url.protocol === "http:"
  if (!isWeb || url.username || url.password || !mayName(url.hostname)) throw new FetchError("blocked")
  return url
}

type Received = Awaited<ReturnType<typeof request>>

/** The target of a redirect, if the answer is one. A redirect never leads from https to http. */
function redirected(from: URL, answer: Received): URL | undefined {
  const location = answer.headers.location
  if (![301, 302, 303, 307, 308].includes(answer.statusCode) || typeof location !== "string") return undefined
  if (!URL.canParse(location, from.href)) throw new FetchError("bad_response")
  const url = checked(new URL(location, from.href).href)
  if (from.protocol === "https:" && url.protocol === "http:") throw new FetchError("blocked")
  return url
}

function open(answer: Received, input: Input): Answer {
  const encoding = answer.headers["content-encoding"] ?? "identity"
  if (input.method === "GET" && encoding !== "identity") {
    answer.body.destroy()
    throw new FetchError("bad_response")
  }
  return { status: answer.statusCode, headers: answer.headers, body: counted(answer.body, input.maxBytes) }
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

/** The error codes of Node, OpenSSL and undici. */
const categories: [RegExp, Category][] = [
  [/^(?:UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT|ETIMEDOUT|ESOCKETTIMEDOUT)$/, "timeout"],
  [/^ECONNREFUSED$/, "refused"],
  [/^(?:EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL|EACCES|EPERM)$/, "unreachable"],
  [/^(?:ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET)$/, "reset"],
  [/^(?:ENOTFOUND|ENODATA|ESERVFAIL|EAI_.*)$/, "dns"],
  [
    /^(?:EPROTO|ERR_SSL_.*|ERR_TLS_.*|CERT_.*|UNABLE_TO_.*|DEPTH_ZERO_.*|SELF_SIGNED_.*|HOSTNAME_MISMATCH)$/,
    "tls",
  ],
  [/^(?:UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES(?:PONSE|_).*)$/, "bad_response"],
]

/** @throws the error itself if it is not a network error: that is our own bug. */
function asFetchError(error: unknown): FetchError {
  if (error instanceof FetchError) return error
  if (!(error instanceof Error)) throw error
  if (error.name === "TimeoutError" || error.name === "AbortError") return new FetchError("timeout", error)
  if (error instanceof errors.HTTPParserError) return new FetchError("bad_response", error)
  const { code } = error as NodeJS.ErrnoException
  if (typeof code !== "string" || /^(?:ERR_INVALID|UND_ERR_INVALID_ARG)/.test(code)) throw error
  const known = categories.find(([words]) => words.test(code))
  return new FetchError(known?.[1] ?? "network", error)
}
