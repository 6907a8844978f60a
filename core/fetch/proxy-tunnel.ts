import { addAbortListener } from "node:events"
import { request } from "node:http"
import { isIP, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"
import { FetchError } from "./fetch-error.ts"

/** A bridge's way to the network. */
export interface Proxy {
  /** `http:`, `https:` or `socks5:`, with a user name and password if it wants them. */
  url: URL
  /** The share that the look-up of its name belongs to: the bridge's id. */
  share: string
}

/**
 * A proxy that leads nowhere. `unreachable`: it does not answer, or not as a proxy. `refused`: it wants
 * (another) password, or does not lead there. It never says more: the proxy's address is a secret.
 */
export class ProxyError extends FetchError {
  readonly isRefusal: boolean

  constructor(isRefusal: boolean) {
    super("unreachable")
    this.message = isRefusal ? "the proxy refused" : "the proxy cannot be reached"
    this.isRefusal = isRefusal
  }
}

/** How long a proxy may take to answer, ms. */
const answerWithinMs = 10_000

interface Target {
  host: string
  port: number
}

/**
 * Leads a connection to a proxy on to a target, whose name the proxy looks up. @throws ProxyError
 */
export async function tunnelThroughProxy(socket: Socket, proxy: URL, target: Target): Promise<Socket> {
  try {
    return proxy.protocol === "socks5:"
      ? await throughSocks(socket, proxy, target)
      : await throughHttp(socket, proxy, target)
  } catch (error) {
    socket.destroy()
    if (error instanceof ProxyError) throw error
    throw new ProxyError(/authentication|rejected/i.test(error instanceof Error ? error.message : ""))
  }
}

/** RFC 1928, 1929 */
async function throughSocks(existing_socket: Socket, proxy: URL, destination: Target): Promise<Socket> {
  const { username, password } = proxy
  // Loaded here, since few bridges have a proxy.
  const { SocksClient } = await import("socks")
  const { socket } = await SocksClient.createConnection({
    existing_socket,
    proxy: {
      // Not used: the socket is connected to the proxy already.
      host: "127.0.0.1",
      port: 1080,
      type: 5,
      ...(username && { userId: decodeURIComponent(username), password: decodeURIComponent(password) }),
    },
    command: "connect",
    destination,
    timeout: answerWithinMs,
  })
  return socket
}

/** RFC 9110, 9.3.6 */
async function throughHttp(socket: Socket, proxy: URL, { host, port }: Target): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const to = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  const asked = request({
    createConnection: () => socket,
    method: "CONNECT",
    path: to,
    headers: { host: to, ...credentialsOf(proxy) },
    signal: AbortSignal.timeout(answerWithinMs),
  })
  asked.once("error", reject)
  asked.once("connect", ({ statusCode }, tunnel: Socket, head) => {
    if (statusCode !== 200) return reject(new ProxyError(true))
    if (head.length > 0) tunnel.unshift(head)
    resolve(tunnel)
  })
  asked.end()
  return await promise
}

function credentialsOf({ username, password }: URL): { "proxy-authorization"?: string } {
  if (!username && !password) return {}
  const both = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { "proxy-authorization": `Basic ${Buffer.from(both).toString("base64")}` }
}

/** TLS inside a tunnel, to the target itself, which may never answer: `signal` gives the tunnel up. */
export async function withTls(tunnel: Socket, host: string, signal: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const socket = connectTls({
    socket: tunnel,
    ...(isIP(host) === 0 && { servername: host }),
    ALPNProtocols: ["http/1.1"],
  })
  socket.once("secureConnect", () => resolve(socket))
  socket.once("error", (error) => {
    tunnel.destroy()
    reject(error)
  })
  const given = addAbortListener(signal, () => socket.destroy(new FetchError("timeout")))
  return await promise.finally(() => given[Symbol.dispose]())
}
