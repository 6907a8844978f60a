import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net"
import { gzipSync } from "node:zlib"
import { beforeEach, describe, expect, onTestFinished, test } from "vitest"
import { Connections, safeFetch } from "#core/fetch/safe-fetch.ts"
import { Config, config } from "#core/platform/config.ts"
import { listen } from "#one-machine/listen.ts"
import { type Found, startNameServer } from "#test/support/name-server.ts"

/** Fetches under this URL_ALLOW. */
function fetching(urlAllow: string) {
  config.URL_ALLOW = Config.shape.URL_ALLOW.parse(urlAllow)
  const connections = new Connections()
  onTestFinished(() => connections.destroy())
  const usual = { connections, share: "a bridge", withinMs: 5000, maxBytes: 1000 }
  const get = (url: string, more: Partial<typeof usual> & { redirects?: number } = {}) =>
    safeFetch({ url, method: "GET", ...usual, ...more })
  const post = (url: string, body: Uint8Array) => safeFetch({ url, method: "POST", body, ...usual })
  return { get, post }
}

const loopback = "127.0.0.0/8,::1/128"

async function aServer(answer: RequestListener) {
  let requests = 0
  let connections = 0
  const server = createServer((request, response) => {
    requests++
    answer(request, response)
  })
  server.on("connection", () => connections++)
  server.listen(0, "::")
  await once(server, "listening")
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo // listening on TCP
  return { port, url: `http://127.0.0.1:${port}/`, requests: () => requests, connections: () => connections }
}

async function aTcpServer(connected: (socket: Socket) => void) {
  const server = createTcpServer((socket) => {
    // The subject of the test is the client that hangs up, not this server.
    socket.on("error", () => {})
    connected(socket)
  })
  const port = await listen(server)
  onTestFinished(() => void server.close())
  return port
}

async function textOf(answer: { body: AsyncIterable<Uint8Array> }) {
  return Buffer.concat(await Array.fromAsync(answer.body)).toString()
}

describe("with nothing allowed", () => {
  test.for([
    "127.0.0.1",
    "localhost",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "0.0.0.0",
    "127.1",
    "[::]",
    "①②⑦.0.0.1",
    "localhost.",
    "[0:0:0:0:0:ffff:7f00:1]",
  ])("this machine spelled %s is never reached", async (host) => {
    const { get } = fetching("")
    const server = await aServer((_, response) => response.end("secret"))
    await expect(get(`http://${host}:${server.port}/`)).rejects.toMatchObject({ category: "blocked" })
    expect(server.connections()).toBe(0)
  })

  test("a name that leads to this machine is never reached", async () => {
    const { get } = fetching("")
    const { hostname } = await import("node:os")
    const server = await aServer((_, response) => response.end("secret"))
    const refused = await get(`http://${hostname()}:${server.port}/`).catch((error: unknown) => error)
    expect(["blocked", "dns"]).toContain((refused as { category: string }).category)
    expect(server.connections()).toBe(0)
  })

  test.for(["ftp://example.com/", "file:///etc/passwd", "http://a:b@example.com/", "data:,x", "nonsense"])(
    "%s is no URL to fetch",
    async (url) => {
      const { get } = fetching("")
      await expect(get(url)).rejects.toMatchObject({ category: "blocked" })
    },
  )
})

describe("with this machine allowed", () => {
  test("an address, a name and IPv6 are reached, and the body is exactly what came", async () => {
    const { get, post } = fetching(loopback)
    const server = await aServer((request, response) => request.pipe(response))
    for (const host of ["127.0.0.1", "localhost", "[::1]"]) {
      const answer = await post(`http://${host}:${server.port}/`, Buffer.from([0, 0xff, 0x7b]))
      expect(Buffer.concat(await Array.fromAsync(answer.body))).toEqual(Buffer.from([0, 0xff, 0x7b]))
    }
    expect((await get(server.url)).status).toBe(200)
  })

  test("redirects are answers, unless a GET asks to follow them", async () => {
    const { get, post } = fetching(loopback)
    const server = await aServer((request, response) => {
      if (request.url === "/end") return void response.end("there")
      response.writeHead(302, { location: request.url === "/1" ? "/end" : "/1" }).end()
    })
    expect((await get(server.url)).status).toBe(302)
    expect((await post(server.url, Buffer.from("x"))).status).toBe(302)
    expect(server.requests()).toBe(2)
    expect(await textOf(await get(server.url, { redirects: 2 }))).toBe("there")
    expect((await get(server.url, { redirects: 1 })).status).toBe(302)
  })

  test("a redirect leads nowhere that its URL might not lead itself", async () => {
    const { get } = fetching("127.0.0.1/32")
    const inside = await aServer((_, response) => response.end("secret"))
    const server = await aServer((_, response) =>
      response.writeHead(302, { location: `http://[::1]:${inside.port}/` }).end(),
    )
    await expect(get(server.url, { redirects: 3 })).rejects.toMatchObject({ category: "blocked" })
    expect(inside.connections()).toBe(0)
  })

  test("a body that is too long ends as too_large, without a byte more than it may have", async () => {
    const { get } = fetching(loopback)
    const server = await aServer((_, response) => response.end(Buffer.alloc(100_000)))
    const answer = await get(server.url, { maxBytes: 70_000 })
    await expect(Array.fromAsync(answer.body)).rejects.toMatchObject({ category: "too_large" })
  })

  test("compression is not asked for, and refused", async () => {
    const { get } = fetching(loopback)
    const asked: unknown[] = []
    const server = await aServer((request, response) => {
      asked.push(request.headers["accept-encoding"])
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("x"))
    })
    await expect(get(server.url)).rejects.toMatchObject({ category: "bad_response" })
    expect(asked).toEqual(["identity"])
  })
})

/** The only name server: it knows these names. */
async function naming(find: (name: string) => Found | undefined) {
  const server = await startNameServer((name) => find(name))
  onTestFinished(server.stop)
  const before = config.DNS_SERVERS
  onTestFinished(() => void (config.DNS_SERVERS = before))
  config.DNS_SERVERS = [server.address]
  return server
}

/** All names lead to these addresses, one list after another for each look-up. */
async function resolving(...answers: string[][]) {
  let asked = 0
  // A look-up asks two questions.
  await naming(() => answers[Math.min(Math.floor(asked++ / 2), answers.length - 1)])
  return () => asked / 2
}

describe("a name", () => {
  test("whose addresses are not all public is not dialled, whichever comes first", async () => {
    const server = await aServer((_, response) => response.end("secret"))
    for (const addresses of [
      ["127.0.0.1", "127.0.0.2"],
      ["127.0.0.2", "127.0.0.1"],
      ["127.0.0.1", "::ffff:169.254.169.254"],
    ]) {
      await resolving(addresses)
      const { get } = fetching("127.0.0.1/32")
      await expect(get(`http://rebind.example:${server.port}/`)).rejects.toMatchObject({
        category: "blocked",
      })
    }
    expect(server.connections()).toBe(0)
  })

  test("is looked up once: the address that was checked is the one that is dialled", async () => {
    const asked = await resolving(["127.0.0.1"], ["127.0.0.2"], ["127.0.0.2"])
    const { get } = fetching("127.0.0.1/32")
    const server = await aServer((request, response) => response.end(request.socket.localAddress))
    const answer = await get(`http://rebind.example:${server.port}/`)
    expect(await textOf(answer)).toBe("::ffff:127.0.0.1")
    expect(asked()).toBe(1)
  })

  test("that leads elsewhere by its next connection is checked again", async () => {
    await resolving(["127.0.0.1"], ["127.0.0.2"])
    const { get } = fetching("127.0.0.1/32")
    const server = await aServer((_, response) => response.writeHead(200, { connection: "close" }).end("x"))
    const url = `http://rebind.example:${server.port}/`
    expect(await textOf(await get(url))).toBe("x")
    await expect(get(url)).rejects.toMatchObject({ category: "blocked" })
    expect(server.connections()).toBe(1)
  })

  test("that leads nowhere is dns", async () => {
    await resolving([])
    const { get } = fetching(loopback)
    await expect(get("http://empty.example/")).rejects.toMatchObject({ category: "dns" })
  })

  test("of this machine's hosts file needs no name server", async () => {
    const { asked } = await naming(() => "silent")
    const { get } = fetching(loopback)
    const server = await aServer((_, response) => response.end("here"))
    expect(await textOf(await get(`http://LocalHost.:${server.port}/`))).toBe("here")
    expect(asked).toEqual([])
  })

  test("that no server answers for ends with the fetch", async () => {
    await naming(() => "silent")
    const { get } = fetching(loopback)
    await expect(get("http://dead.example/", { withinMs: 300 })).rejects.toMatchObject({
      category: "timeout",
    })
  })

  test("that no server answers for is dns in time for a receiver's retry", async () => {
    const { asked } = await naming(() => "silent")
    const { get } = fetching(loopback)
    await expect(get("http://dead.example/", { withinMs: 60_000 })).rejects.toMatchObject({ category: "dns" })
    expect(asked).toHaveLength(4)
  })

  test("that no server answers for holds up its own bridge alone, and asks few questions at a time", async () => {
    const { asked } = await naming((name) => (name.startsWith("dead") ? "silent" : ["127.0.0.1"]))
    const { get } = fetching(loopback)
    const server = await aServer((_, response) => response.end("there"))
    const ended: string[] = []
    const dead = Array.from({ length: 40 }, async (_, i) => {
      const fetched = get(`http://dead${i}.example/`, { withinMs: 3000 })
      await expect(fetched).rejects.toMatchObject({ category: "timeout" })
      ended.push("dead")
    })
    const good = await get(`http://good.example:${server.port}/`, { share: "another bridge" })
    expect(await textOf(good)).toBe("there")
    expect(ended).toEqual([])
    expect(new Set(asked.filter((name) => name.startsWith("dead"))).size).toBe(4)
    await Promise.all(dead)
  })
})

test("a fetch ends when its time is over, though it still dials and its name has many silent addresses", async () => {
  let dialled = 0
  let closed = 0
  // They take connections, and say nothing of TLS.
  const silent = createTcpServer((socket) => {
    dialled++
    socket
      .resume()
      .on("error", () => {})
      .once("close", () => closed++)
  }).listen(0, "0.0.0.0")
  await once(silent, "listening")
  onTestFinished(() => void silent.close())
  const { port } = silent.address() as AddressInfo // listening on TCP
  await resolving(Array.from({ length: 16 }, (_, i) => `127.0.0.${i + 1}`))
  const { get } = fetching(loopback)
  await expect(get(`https://silent.example:${port}/`, { withinMs: 300 })).rejects.toMatchObject({
    category: "timeout",
  })
  // Had the fetch waited for the first address, its connection would be closed by the time that another one
  // is answered.
  const server = await aServer((_, response) => response.end("there"))
  expect(await textOf(await get(`http://127.0.0.1:${server.port}/`))).toBe("there")
  expect({ dialled, closed }).toEqual({ dialled: 1, closed: 0 })
})

describe("a redirect", () => {
  test.for([
    "file:///etc/passwd",
    "ftp://example.com/",
    "http://user:pass@127.0.0.1/",
    "//[::1]/",
    "http://[::ffff:a9fe:a9fe]/latest/meta-data/",
    "http://2852039166/",
    "http://0xa9.0xfe.0xa9.0xfe/",
    "data:text/plain,secret",
  ])("to %s is not followed", async (location) => {
    const { get } = fetching("127.0.0.1/32")
    const server = await aServer((_, response) => response.writeHead(302, { location }).end())
    await expect(get(server.url, { redirects: 3 })).rejects.toMatchObject({ category: "blocked" })
    expect(server.requests()).toBe(1)
  })

  test("to something that is no URL is a bad response", async () => {
    const { get } = fetching(loopback)
    const server = await aServer((_, response) => response.writeHead(302, { location: "http://[" }).end())
    await expect(get(server.url, { redirects: 3 })).rejects.toMatchObject({ category: "bad_response" })
  })

  test("does not carry the body of a POST anywhere", async () => {
    const { post } = fetching(loopback)
    const elsewhere = await aServer((_, response) => response.end())
    const server = await aServer((_, response) => response.writeHead(307, { location: elsewhere.url }).end())
    expect((await post(server.url, Buffer.from("secret"))).status).toBe(307)
    expect(elsewhere.connections()).toBe(0)
  })
})

test("an answer that trickles ends when its time is over, however busy it was", async () => {
  const { get } = fetching(loopback)
  const server = await aServer((_, response) => {
    const timer = setInterval(() => response.write("x"), 10)
    response.once("close", () => clearInterval(timer))
  })
  const answer = await get(server.url, { withinMs: 300 })
  await expect(Array.fromAsync(answer.body)).rejects.toMatchObject({ category: "timeout" })
})

test("headers without end are a bad response", async () => {
  const { get } = fetching(loopback)
  const port = await aTcpServer((socket) =>
    socket.once("data", () => socket.write(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(200_000)}`)),
  )
  await expect(get(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ category: "bad_response" })
})

test("a body that is not read, or is left early, does no harm", async () => {
  const { get } = fetching(loopback)
  const server = await aServer((_, response) => void response.write(Buffer.alloc(500)))
  await get(server.url, { withinMs: 100 })
  for await (const chunk of (await get(server.url)).body) {
    expect(chunk).toHaveLength(500)
    break
  }
  // Longer than the first one had, so that its time-out passes meanwhile.
  await expect(
    get(`http://127.0.0.1:${await aTcpServer(() => "silent")}/`, { withinMs: 200 }),
  ).rejects.toMatchObject({
    category: "timeout",
  })
})

describe("every failure has a category", () => {
  let get: Awaited<ReturnType<typeof fetching>>["get"]
  beforeEach(async () => {
    get = fetching(loopback).get
  })

  test("a port on which no server listens gives `refused`", async () => {
    await expect(get("http://127.0.0.1:1/")).rejects.toMatchObject({ category: "refused" })
  })

  test("no such name: dns", async () => {
    await naming(() => undefined)
    await expect(get("http://no-such-name.invalid/")).rejects.toMatchObject({ category: "dns" })
  })

  test("the other side hangs up: reset", async () => {
    const port = await aTcpServer((socket) => socket.once("data", () => socket.resetAndDestroy()))
    await expect(get(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ category: "reset" })
  })

  test("the other side never answers: timeout", async () => {
    const server = await aServer(() => "never")
    await expect(get(server.url, { withinMs: 100 })).rejects.toMatchObject({ category: "timeout" })
  })

  test("the body never ends: timeout", async () => {
    const server = await aServer((_, response) => void response.write("x"))
    const answer = await get(server.url, { withinMs: 300 })
    await expect(Array.fromAsync(answer.body)).rejects.toMatchObject({ category: "timeout" })
  })

  test("no TLS where TLS was asked for: tls", async () => {
    const port = await aTcpServer((socket) =>
      socket.once("data", () => socket.end("HTTP/1.1 400 no\r\n\r\n")),
    )
    await expect(get(`https://127.0.0.1:${port}/`)).rejects.toMatchObject({ category: "tls" })
  })

  test("no HTTP: bad_response, and its words stay where they are", async () => {
    const port = await aTcpServer((socket) => socket.once("data", () => socket.end("SSH-2.0-secret\r\n")))
    const failed = await get(`http://127.0.0.1:${port}/`).catch((error: unknown) => error)
    expect(failed).toMatchObject({ category: "bad_response", message: "bad_response" })
  })
})

test("a connection that was free for too long is not used again, also if the process stood still meanwhile", async () => {
  config.URL_ALLOW = Config.shape.URL_ALLOW.parse(loopback)
  const server = await aServer((_, response) => response.end("yes"))
  const connections = new Connections({ idleMs: 200 })
  onTestFinished(() => connections.destroy())
  const get = async () => {
    const answer = await safeFetch({
      url: server.url,
      method: "GET",
      connections,
      share: "a bridge",
      withinMs: 5000,
      maxBytes: 1000,
    })
    return (await Array.fromAsync(answer.body)).join("")
  }
  await get()
  await get()
  expect(server.connections()).toBe(1)
  // No timer of this process runs meanwhile.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
  expect(await get()).toBe("yes")
  expect(server.connections()).toBe(2)
})
