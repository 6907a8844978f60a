import { createServer as createHttp } from "node:http"
import { connect, createServer, type Socket } from "node:net"
import { onTestFinished } from "vitest"
import { listen } from "#one-machine/listen.ts"

interface Options {
  /** `user:password`; a client without it is refused. */
  wants?: string
  /** It takes connections, and never answers. */
  hangs?: boolean
}

/**
 * A proxy as others run them, over HTTP (CONNECT) or SOCKS 5, until the test ends. `asked` has what it was
 * led to, and names as they were asked for: the names that it finds are in `hosts`.
 */
export async function aProxy(
  kind: "http" | "socks5",
  { wants, hangs }: Options = {},
  hosts: Record<string, string> = {},
) {
  const asked: string[] = []
  const open = new Set<Socket>()
  const lead = (host: string, port: number, client: Socket, onLed: () => void) => {
    asked.push(`${host}:${port}`)
    const target = connect(port, hosts[host] ?? host, onLed)
    open.add(target)
    target.on("error", () => client.destroy())
    client.on("error", () => target.destroy())
    client.on("close", () => target.destroy())
    target.on("close", () => client.destroy())
    target.pipe(client)
    client.pipe(target)
  }
  const server = kind === "http" ? httpProxy(wants, lead) : socksProxy(wants, lead)
  const front = hangs ? createServer(() => {}) : server
  front.on("connection", (socket: Socket) => open.add(socket))
  const port = await listen(front)
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    front.close()
  })
  return {
    url: `${kind}://${wants === undefined ? "" : `${wants}@`}127.0.0.1:${port}`,
    port,
    asked,
    /** Ends everything that goes through it. */
    cut: () => open.forEach((socket) => socket.destroy()),
  }
}

type Lead = (host: string, port: number, client: Socket, onLed: () => void) => void

function httpProxy(wants: string | undefined, lead: Lead) {
  const server = createHttp((_request, response) => response.writeHead(405).end())
  return server.on("connect", (request, client: Socket) => {
    const said = request.headers["proxy-authorization"]
    if (wants !== undefined && said !== `Basic ${Buffer.from(wants).toString("base64")}`)
      return void client.end(
        "HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic\r\n\r\n",
      )
    const { hostname, port } = new URL(`http://${request.url}`)
    lead(hostname.replace(/^\[|\]$/g, ""), Number(port || 80), client, () =>
      client.write("HTTP/1.1 200 Connection established\r\n\r\n"),
    )
  })
}

/** RFC 1928 and 1929, as far as a client of `CONNECT` needs them. */
function socksProxy(wants: string | undefined, lead: Lead) {
  return createServer((client) => {
    client.on("error", () => client.destroy())
    const read = async (bytes: number): Promise<Buffer> => {
      for (;;) {
        const chunk = client.read(bytes) as Buffer | null
        if (chunk) return chunk
        await new Promise((resolve) => client.once("readable", resolve))
      }
    }
    void (async () => {
      const [, methods = 0] = await read(2)
      const offered = await read(methods)
      const method = wants === undefined ? 0 : 2
      client.write(Buffer.of(5, offered.includes(method) ? method : 0xff))
      if (!offered.includes(method)) return void client.end()
      if (method === 2) {
        const [, length = 0] = await read(2)
        const user = await read(length)
        const password = await read((await read(1))[0] ?? 0)
        const isRight = `${String(user)}:${String(password)}` === wants
        client.write(Buffer.of(1, isRight ? 0 : 1))
        if (!isRight) return void client.end()
      }
      const [, , , type = 0] = await read(4)
      const host = type === 3 ? String(await read((await read(1))[0] ?? 0)) : (await read(4)).join(".")
      const port = (await read(2)).readUInt16BE()
      lead(host, port, client, () => client.write(Buffer.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0)))
    })()
  })
}
