import { isIP } from "node:net"
import type { Readable } from "node:stream"
import type { buildConnector, Client, Dispatcher } from "undici"
import { Metrics } from "../platform/metrics.ts"
import { asFetchError, FetchError } from "./fetch-error.ts"
import { addressesOf } from "./look-up.ts"
import { tunnelThroughProxy, type Proxy, ProxyError, withTls } from "./proxy-tunnel.ts"
import { mayName, mayReach } from "./reachable-addresses.ts"

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

type Socket = NonNullable<Parameters<buildConnector.Callback>[1]>

/** The request for which a connection is dialled. */
interface Purpose {
  url: URL
  /**
   * The share that the look-up of its name belongs to, such as a bridge's: it waits for look-ups of this
   * share alone.
   */
  share: string
  /** Ends look-up and dialling. */
  signal: AbortSignal
}

/** Per address. */
const connectWithinMs = 3000

/** Loaded with the first connection: most session hosts, and most of an operator's verbs, need none. */
const undici = () => import("undici")

/**
 * Connections to strangers, each to a public address, or through a proxy at one. A connection that is free
 * again is kept for the next request to its origin. They are dialled here and not by undici, which looks at a
 * request's signal only once it is connected.
 */
export class Connections {
  readonly #idleMs: number
  readonly #proxy: Proxy | undefined
  #dialler: buildConnector.connector | undefined
  readonly #all = new Set<Client>()
  /** The free connections by origin, each with the time since when it is free, by the monotonic clock. */
  readonly #free = new Map<string, Map<Client, number>>()

  /** @param idleMs how long a free connection is kept; 4 s by default */
  constructor({ idleMs = 4000, proxy }: { idleMs?: number; proxy?: Proxy | undefined } = {}) {
    this.#idleMs = idleMs
    this.#proxy = proxy
  }

  /**
   * A connection for one request: a free one, or a new one. The caller gives it back.
   * @throws FetchError, and what undici or the signal says
   */
  async clientFor(purpose: Purpose): Promise<Client> {
    const free = this.#free.get(purpose.url.origin) ?? new Map<Client, number>()
    for (const [client, since] of free) {
      free.delete(client)
      // undici's timer is late in a process that is busy or was frozen, and the other side may have closed it
      // meanwhile.
      if (client.stats.connected && performance.now() - since < this.#idleMs) return client
      void client.destroy()
    }
    const { Client: NewClient } = await undici()
    return this.#asClient(purpose.url, await this.dial(purpose), NewClient)
  }

  /** Takes a connection back after its request, and keeps it if it is still open. */
  giveBack(client: Client, { origin }: URL): void {
    if (!client.stats.connected) return
    this.#free.set(
      origin,
      (this.#free.get(origin) ?? new Map<Client, number>()).set(client, performance.now()),
    )
  }

  /** Closes all, whatever goes on there. */
  async destroy(): Promise<void> {
    await Promise.all([...this.#all].map((client) => client.destroy()))
  }

  #asClient({ origin }: URL, socket: Socket, NewClient: typeof Client): Client {
    const client = new NewClient(origin, {
      allowH2: false,
      keepAliveTimeout: this.#idleMs,
      keepAliveMaxTimeout: this.#idleMs,
      // undici goes on only if it is called back later. A client asks for another connection once its own has
      // ended, and gets none.
      connect: (_, callback) =>
        queueMicrotask(() =>
          socket.destroyed ? callback(new FetchError("reset"), null) : callback(null, socket),
        ),
    })
    this.#all.add(client)
    client.once("disconnect", () => {
      this.#all.delete(client)
      const free = this.#free.get(origin)
      free?.delete(client)
      if (free?.size === 0) this.#free.delete(origin)
      void client.destroy()
    })
    return client
  }

  /**
   * Resolves with a connected socket, which is the caller's, or rejects, at the latest when the signal is
   * aborted.
   * @throws as `clientFor` does
   */
  async dial(purpose: Purpose): Promise<Socket> {
    const { signal } = purpose
    signal.throwIfAborted()
    const ended = Promise.withResolvers<never>()
    const end = () => ended.reject(this.#proxy ? new ProxyError(false) : signal.reason)
    signal.addEventListener("abort", end, { once: true })
    const dialled = this.#proxy ? this.#dialThrough(this.#proxy, purpose) : this.#dialChecked(purpose)
    dialled.then(
      (socket) => signal.aborted && socket.destroy(),
      () => "the race below tells the caller",
    )
    try {
      return await Promise.race([dialled, ended.promise])
    } finally {
      signal.removeEventListener("abort", end)
    }
  }

  /**
   * Dials the proxy, whose address must be public like any other. The proxy looks up the target's name.
   * @throws ProxyError, TLS errors
   */
  async #dialThrough({ url: proxy, share }: Proxy, { url, signal }: Purpose): Promise<Socket> {
    const to = await this.#dialChecked({ url: withPort(proxy), share, signal }).catch(() => {
      throw new ProxyError(false)
    })
    const host = url.hostname.replace(/^\[|\]$/g, "")
    const isSecure = url.protocol === "https:"
    const tunnel = await tunnelThroughProxy(to, proxy, {
      host,
      port: Number(url.port) || (isSecure ? 443 : 80),
    })
    return isSecure ? await withTls(tunnel, host, signal) : tunnel
  }

  /** Every address of the name must pass. The checked address is dialled, not the name. */
  async #dialChecked({ url, share, signal }: Purpose): Promise<Socket> {
    const host = url.hostname.replace(/^\[|\]$/g, "")
    const isAddress = isIP(host) !== 0
    const addresses = isAddress ? [host] : await addressesOf(host, share, signal)
    if (!addresses.every(mayReach)) throw new FetchError("blocked")

    let failure: unknown
    for (const hostname of addresses) {
      signal.throwIfAborted()
      try {
        const { protocol, port } = url
        const servername = isAddress ? undefined : host
        const socket = await this.#dialOne({ hostname, protocol, port, servername })
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

  async #dialOne(options: buildConnector.Options): Promise<Socket> {
    const loaded = await undici()
    this.#dialler ??= loaded.buildConnector({ timeout: connectWithinMs, allowH2: false })
    const { promise, resolve, reject } = Promise.withResolvers<Socket>()
    this.#dialler(options, (error, socket) => (socket ? resolve(socket) : reject(error)))
    return await promise
  }
}

/** RFC 1928: where a SOCKS proxy listens unless its URL says otherwise. */
function withPort(proxy: URL): URL {
  const url = new URL(proxy)
  if (url.protocol === "socks5:" && url.port === "") url.port = "1080"
  return url
}
