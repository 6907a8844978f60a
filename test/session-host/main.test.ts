import { expect, test } from "vitest"
import "#test/support/store.ts"
import { callDirectly } from "#core/lease/call-host.ts"
import { Host } from "#core/lease/host.ts"
import { FREE, Lease } from "#core/lease/lease.ts"
import { now } from "#core/platform/clock.ts"
import { until } from "#test/support/until.ts"
import { aNetwork } from "../support/network/network.ts"
import { aCustomer, json } from "../support/service/customer.ts"
import { aHostProcess, exit } from "../support/session/host-process.ts"
import { eventsOfType, held, sendText, statusOf } from "../support/session/host.ts"
import { aPairedSession } from "../support/session/paired.ts"

test("SIGTERM, though it comes twice, hands sessions to the next process, ends well, and prints only logs", async () => {
  const network = await aNetwork()
  const { bridge, phone, host } = await aPairedSession(network)
  const first = await aHostProcess(network)
  await host.stop()
  await held(bridge.id, first)
  const contact = await network.phone("Bob")
  await until(async () => (await statusOf(bridge.id)) === "connected")
  expect(await sendText(bridge.id, contact.number, "from the first")).toMatchObject({ status: 200 })

  const second = await aHostProcess(network)
  await contact.send(phone.number, "1")
  first.child.kill("SIGTERM")
  await until(() => first.said().includes("host stopping"))
  first.child.kill("SIGTERM")
  expect(await exit(first.child)).toBe(0)
  expect((await Host.list()).map(({ id }) => id)).not.toContain(first.id)
  await held(bridge.id, second)
  await contact.send(phone.number, "2")
  const messages = await eventsOfType(bridge.id, "message", 2)
  expect(messages.map((message) => message.body)).toEqual(["1", "2"])
  expect(await eventsOfType(bridge.id, "connected")).toHaveLength(1)
  for (const line of first.said().trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("msg")
  expect(first.said()).not.toContain(contact.number)
})

test("a host whose parent is gone ends itself", async () => {
  const network = await aNetwork()
  const { child } = await aHostProcess(network, { LOCAL_PARENT: "1" })
  child.disconnect()
  expect(await exit(child)).toBe(0)
})

test("a killed host's bridge goes on at the next one, once its lease is free, with every message once", async () => {
  const network = await aNetwork()
  const { bridge, phone, host } = await aPairedSession(network)
  const first = await aHostProcess(network)
  await host.stop()
  const lease = await held(bridge.id, first)
  const contact = await network.phone("Bob")
  for (const text of ["1", "2", "3"]) await contact.send(phone.number, text)
  first.child.kill("SIGKILL")
  await exit(first.child)
  await contact.send(phone.number, "4")
  const row = (await Host.list()).find(({ id }) => id === first.id)!
  await Lease.freeFromDead([lease], { key: Host.key(first.id), seenVersion: row.version })
  expect(await Lease.get(bridge.id)).toMatchObject({ host: FREE, failures: 1 })

  // Twelve beats without a failure make up for one.
  const second = await aHostProcess(network, { LEASE_BEAT_MS: "500" })
  await held(bridge.id, second)
  const messages = await eventsOfType(bridge.id, "message", 4)
  expect(messages.map((message) => message.body)).toEqual(["1", "2", "3", "4"])
  await until(async () => (await Lease.get(bridge.id))?.failures === 0)
})

test.for([
  ["ahead of", 60],
  ["behind", -60],
] as const)(
  "a host whose clock is a minute %s the API's answers calls, and begins none too late",
  async ([, ahead]) => {
    const clock = `const real = Date.now; Date.now = () => real() + ${ahead * 1000}`
    const network = await aNetwork()
    const shop = await aCustomer()
    const { id } = await json(shop.post("/api/instances", { customer_ref: "shop" }))
    const host = await aHostProcess(network, { NODE_OPTIONS: `--import "data:text/javascript,${clock}"` })
    const lease = await held(String(id), host)
    expect((await shop.get("/api/instances/shop/proxy/status")).status).toBe(200)
    const look = { method: "POST", path: "/look-at-lease", bridgeId: String(id), requestId: "1" } as const
    expect(await callDirectly(lease, look, 5000)).toMatchObject({ status: 204 })
    expect(await callDirectly(lease, { ...look, notAfter: now() - 2 }, 5000)).toBe("moved")
  },
)
