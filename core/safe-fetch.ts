import { lookup } from "node:dns/promises"
import { isIP } from "node:net"
import type { Readable } from "node:stream"
import { Agent, buildConnector, errors, request } from "undici"
import { Metrics } from "./metrics.ts"
import { mayName, mayReach } from "./public-address.ts"

/** Why there was no answer, or none that is worth reading. Never the words of the other side. */
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
  /** To be read or left early; either way the connection is free then. @throws FetchError */
  body: AsyncIterable<Uint8Array>
}

type Input = {
  url: string
  /** Of the caller, who closes it: connections are kept in it. */
  agent: Agent
  headers?: Record<string, string>
  /** For everything, from the look-up of the name to the last byte of the body. */
  withinMs: number
  /** Of the body, before it ends in `too_large`. */
  maxBytes: number
} & ({ method: "POST"; body: Uint8Array } | { method: "GET"; redirects?: number })

/**
 * The one way to a URL that a stranger gave us: only to public addresses, each of them checked at the moment it is
 * dialled, however the URL spells it and whatever its name resolves to by then. Redirects are not followed, but as many
 * as a GET asks for, each through the same check.
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
        // Compressed, a small answer could become a large one.
        headers: { ...input.headers, "accept-encoding": "identity" },
        body: input.method === "POST" ? input.body : undefined,
        signal,
      })
      // Whoever reads the body is told; destroyed or left alone, its error concerns nobody.
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

/**
 * Keeps connections for as long as its caller wants them, idle ones for `idleMs` (4 s if not given); dials nothing that is
 * not public.
 */
export function guardedAgent({ idleMs }: { idleMs?: number } = {}): Agent {
  const dial = buildConnector({ timeout: connectWithinMs, allowH2: false })
  return new Agent({
    allowH2: false,
    ...(idleMs !== undefined && { keepAliveTimeout: idleMs, keepAliveMaxTimeout: idleMs }),
    connect: (options, callback) => void connect(dial, options, callback),
  })
}

/** For each address. */
const connectWithinMs = 3000

type Dial = ReturnType<typeof buildConnector>

async function connect(dial: Dial, options: buildConnector.Options, callback: buildConnector.Callback) {
  try {
    callback(null, await dialChecked(dial, options))
  } catch (error) {
    callback(error instanceof Error ? error : new FetchError("network", error), null)
  }
}

/** Every address of the name must pass; what is dialled is the checked address, not the name. */
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

/** Where an answer sends us, if it does. Never from https to http. */
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

/** Node's, OpenSSL's and undici's words for what went wrong. */
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

/** @throws what is no error of a network: our own bugs. */
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
