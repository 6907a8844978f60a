import { once } from "node:events"
import { createServer, type Socket } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { Proxy } from "#core/bridge/proxy.ts"
import { ProxyError } from "#core/fetch/proxy-tunnel.ts"
import { Connections } from "#core/fetch/safe-fetch.ts"
import { config } from "#core/platform/config.ts"
import { listen } from "#one-machine/listen.ts"
import { aProxy } from "#test/support/proxy-server.ts"

/** A server that says the same to every client. */
async function aServer(words: string) {
  const server = createServer((socket) => void socket.on("error", () => {}).end(words))
  onTestFinished(() => void server.close())
  return await listen(server)
}

/** Dials a target through a proxy, and returns what it says. */
async function read(proxy: string, target: string, withinMs = 2000): Promise<string> {
  const connections = new Connections({ proxy: { url: new URL(proxy), share: "test" } })
  const url = new URL(target)
  const socket = await connections.dial({ url, share: "test", signal: AbortSignal.timeout(withinMs) })
  const [words] = (await once(socket, "data")) as [Buffer]
  socket.destroy()
  return String(words)
}

test("the proxy looks the name up, and what it says early is not lost", async () => {
  const port = await aServer("hello")
  for (const kind of ["http", "socks5"] as const) {
    const hosts = { "only-there.test": "127.0.0.1" }
    const proxy = await aProxy(kind, { wants: "user:word" }, hosts)
    expect(await read(proxy.url, `http://only-there.test:${port}`)).toBe("hello")
    expect(proxy.asked).toEqual([`only-there.test:${port}`])
  }
})

test("what a proxy does wrong is told apart, and never in words that name it", async () => {
  const target = `http://127.0.0.1:${await aServer("x")}`
  const [http, socks] = [await aProxy("http", { wants: "a:b" }), await aProxy("socks5", { wants: "a:b" })]
  const hanging = await aProxy("http", { hangs: true })
  const other = await aServer("SSH-2.0-OpenSSH_9.9\r\n")
  for (const [proxy, isRefusal] of [
    [`http://127.0.0.1:${http.port}`, true],
    [`http://a:c@127.0.0.1:${http.port}`, true],
    [`socks5://127.0.0.1:${socks.port}`, true],
    [`socks5://a:c@127.0.0.1:${socks.port}`, true],
    [`http://127.0.0.1:${hanging.port}`, false],
    [`socks5://127.0.0.1:${hanging.port}`, false],
    [`http://127.0.0.1:${other}`, false],
    [`socks5://127.0.0.1:${other}`, false],
    [`https://127.0.0.1:${other}`, false],
    ["http://127.0.0.1:1", false],
    ["http://nowhere.invalid:8080", false],
  ] as const) {
    const error: unknown = await read(proxy, target, 1000).catch((reason: unknown) => reason)
    expect([proxy, error]).toEqual([proxy, expect.any(ProxyError)])
    expect([proxy, (error as ProxyError).isRefusal]).toEqual([proxy, isRefusal])
    expect(String(error)).not.toContain(new URL(proxy).port)
  }
  expect(http.asked).toEqual([])
})

test("a tunnel ends when its target says nothing until the caller gives up", async () => {
  const silent = createServer()
  onTestFinished(() => void silent.close())
  const target = new URL(`https://127.0.0.1:${await listen(silent)}`)
  const proxy = { url: new URL((await aProxy("http")).url), share: "test" }
  const given = new AbortController()
  const dialled = new Connections({ proxy }).dial({ url: target, share: "test", signal: given.signal })
  const [tunnel] = (await once(silent, "connection")) as [Socket]
  await once(tunnel, "data")
  given.abort()
  await expect(dialled).rejects.toBeInstanceOf(ProxyError)
  await once(tunnel.resume(), "close")
})

test("a proxy at an address that is not public is refused before it is kept, and when it is dialled", async () => {
  const port = await aServer("x")
  const proxy = await aProxy("http")
  config.URL_ALLOW = []
  const key = Buffer.alloc(32)
  for (const url of [
    "http://127.0.0.1:8080",
    "socks5://10.0.0.1:1080",
    "http://[::1]:8080",
    "https://metadata.internal",
    "socks5://localhost:1080",
    "http://169.254.169.254",
  ])
    expect(() => Proxy.sealed(url, "id", key)).toThrow(/not public/)
  for (const url of [
    "ftp://proxy.example:21",
    "http://proxy.example/path",
    "http://proxy.example:0",
    "http://a b@proxy.example",
    "socks5://%zz:x@proxy.example",
    `http://${"a".repeat(256)}@proxy.example`,
    "proxy.example:8080",
    "",
  ])
    expect(() => Proxy.sealed(url, "id", key)).toThrow(/proxy_url/)
  await expect(read(proxy.url, `http://127.0.0.1:${port}`)).rejects.toBeInstanceOf(ProxyError)
  expect(proxy.asked).toEqual([])
})

test("a proxy is kept sealed, for its bridge alone", () => {
  const [key, url] = [Buffer.alloc(32, 7), "socks5://ada:word@proxy.example:1080"]
  const sealed = Proxy.sealed(url, "one", key)
  expect(Buffer.from(sealed, "base64").toString("latin1")).not.toMatch(/ada|word|proxy/)
  expect(Proxy.opened(sealed, "one", key).href).toBe(url)
  expect(() => Proxy.opened(sealed, "other", key)).toThrow(/authenticate/)
})
