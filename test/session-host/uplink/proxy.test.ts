import { randomBytes } from "node:crypto"
import { expect, test } from "vitest"
import { z } from "zod"
import { Bridge } from "#core/bridge/bridge.ts"
import { Proxy } from "#core/bridge/proxy.ts"
import { Lease } from "#core/lease/lease.ts"
import { aFileServer, trustMediaOf } from "#test/support/file-server.ts"
import { aProxy } from "#test/support/proxy-server.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { call, eventsOfType, held, statusOf } from "#test/support/session/host.ts"
import { scanCode } from "#test/support/session/paired.ts"
import { aSharedHost } from "#test/support/session/shared-host.ts"
import "#test/support/store.ts"
import { until } from "#test/support/until.ts"

const { network, hostLog, linesOf, aChat } = await aSharedHost()
trustMediaOf(network)

/** Gives a bridge this proxy, or none. */
async function go(bridge: Bridge.Info, url: string | undefined): Promise<void> {
  const proxy = url && Proxy.sealed(url, bridge.id, await Bridge.deliveryKeyOf(bridge))
  const { choice } = (await Lease.get(bridge.id))!
  await Lease.choose(bridge.id, { ...choice, proxy: proxy || undefined })
  await call(bridge.id, "POST", "/look-at-lease")
}

const Status = z.object({ status: z.string(), objection: z.string().optional() })
const status = async (bridge: Bridge.Info) =>
  Status.parse(await (await call(bridge.id, "GET", "/status")).json())

test.for(["http", "socks5"] as const)(
  "through an %s proxy a phone is linked, messages come and go, and files: nothing goes by another way",
  async (kind) => {
    const secret = randomBytes(8).toString("hex")
    const proxy = await aProxy(kind, { wants: `ada:${secret}` })
    const bridge = await aBridge()
    await held(bridge.id)
    await go(bridge, proxy.url)
    const phone = await network.phone("Ada")
    await scanCode(phone, bridge.id)
    await until(async () => (await statusOf(bridge.id)) === "connected")
    const { port: socketPort } = new URL(network.url)
    expect(proxy.asked.filter((to) => to.endsWith(`:${socketPort}`)).length).toBeGreaterThanOrEqual(2)

    const bob = await network.phone("Bob")
    const file = Buffer.from("%PDF-1.7 x")
    const { url } = await aFileServer({ "/a.pdf": { type: "application/pdf", body: file } })
    const before = proxy.asked.length
    const sent = await call(bridge.id, "POST", "/send/media", {
      body: { chat: bob.number, url: `${url}/a.pdf` },
    })
    expect(sent.status).toBe(200)
    const { message_id } = z.object({ message_id: z.string() }).parse(await sent.json())
    expect((await bob.file(message_id)).equals(file)).toBe(true)
    const upload = proxy.asked.slice(before)
    expect(upload).toHaveLength(1)

    const media = { kind: "document", mimetype: "application/pdf", data: file.toString("base64") }
    const { id } = await bob.post(phone.number, { media })
    await until(async () => (await eventsOfType(bridge.id, "message")).some((one) => one.message_id === id))
    const got = await call(bridge.id, "GET", `/messages/${id}/media`)
    expect(got.status).toBe(200)
    // As the upload: to the network's media host, by its name.
    expect(proxy.asked.slice(before)).toEqual([...upload, ...upload])

    // Neither the logs nor the row have any part of the address.
    const said = [
      ...(await linesOf(bridge.id)),
      ...hostLog,
      JSON.stringify(await Lease.get(bridge.id)),
    ].join()
    for (const part of [secret, String(proxy.port)]) expect(said).not.toContain(part)
  },
)

test("a session that gets another proxy, or none, connects anew by that way, and loses nothing", async () => {
  const { bridge, bob, phone, ask, message } = await aChat()
  const proxy = await aProxy("socks5")
  await go(bridge, proxy.url)
  await until(async () => proxy.asked.length === 1 && (await statusOf(bridge.id)) === "connected")
  const { id } = await bob.send(phone.number, "through it")
  await message(id)
  proxy.cut()
  await until(() => proxy.asked.length === 2)
  await go(bridge, undefined)
  await until(async () => (await statusOf(bridge.id)) === "connected")
  expect(await ask("POST", "/send/text", { chat: bob.number, body: "without it" })).toMatchObject({
    status: 200,
  })
  expect(proxy.asked).toHaveLength(2)
})

test("a proxy that refuses, or is not there, is an objection of its own, and the right one connects", async () => {
  const { bridge, bob, ask } = await aChat()
  const locked = await aProxy("socks5", { wants: "a:b" })
  for (const [url, objection] of [
    [`socks5://a:wrong@127.0.0.1:${locked.port}`, "proxy_refused"],
    ["http://127.0.0.1:1", "proxy_unreachable"],
  ] as const) {
    await go(bridge, url)
    await until(async () => (await status(bridge)).objection === objection)
    expect((await status(bridge)).status).not.toBe("connected")
  }
  const refused = await ask("POST", "/send/text", { chat: bob.number, body: "x" })
  expect(refused).toMatchObject({ status: 503, error: expect.stringContaining("proxy") })
  await go(bridge, locked.url)
  await until(async () => (await statusOf(bridge.id)) === "connected")
  expect((await status(bridge)).objection).toBeUndefined()
})
