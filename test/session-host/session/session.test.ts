import { expect, onTestFinished, test } from "vitest"
import { Host } from "#core/lease/host.ts"
import { Lease } from "#core/lease/lease.ts"
import { tables } from "#core/store/tables.ts"
import { sessionScope } from "#session-host/concurrency/session-scope.ts"
import type { Timing } from "#session-host/timing.ts"
import type { Connect } from "#session-host/uplink/dialler.ts"
import { connect } from "#session-host/whatsapp/connect.ts"
import { aNetwork, type Network } from "#test/support/network/network.ts"
import { rowsOf } from "#test/support/rows-of.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { aHost, call, eventsOf, eventsOfType, held, sendText, statusOf } from "#test/support/session/host.ts"
import { aPairedSession, codeOf, scanCode } from "#test/support/session/paired.ts"
import { dynamoDb } from "#test/support/store.ts"
import { until } from "#test/support/until.ts"

/** A host's way to connect to this network, with counts of dials and hang-ups. */
function counted(network: Network) {
  const calls = { dialled: 0, closed: 0 }
  const dial: Connect = (input) => {
    calls.dialled++
    const connection = connect({ ...input, url: network.url })
    return {
      ...connection,
      close() {
        calls.closed++
        connection.close()
      },
    }
  }
  return { calls, connect: dial }
}

/** A session without a linked phone, with counts of its dials and hang-ups. */
async function anUnpairedSession(network: Network, timing: Partial<Timing> = {}) {
  const { calls, connect } = counted(network)
  const host = await aHost(network, { timing, connect })
  const bridge = await aBridge()
  await held(bridge.id, host)
  return { bridge, host, calls }
}

const connectionEvents = async (bridgeId: string) =>
  (await eventsOf(bridgeId)).filter(({ event }) => event === "connected" || event === "disconnected")

test("an unpaired session dials only when a code is asked for, and hangs up some time after the last call", async () => {
  const network = await aNetwork()
  const { bridge, calls } = await anUnpairedSession(network, { pairingMs: 1500 })
  expect(await statusOf(bridge.id)).toBe("unpaired")
  expect(calls.dialled).toBe(0)
  const qr = await call(bridge.id, "GET", "/qr")
  expect(qr.headers.get("cache-control")).toBe("no-store")
  expect(qr.headers.get("content-type")).toBe("image/png")
  expect(Number(qr.headers.get("x-qr-expires"))).toBeGreaterThan(Date.now() / 1000)
  expect(await codeOf(bridge.id)).toMatch(/#/)
  expect(calls).toEqual({ dialled: 1, closed: 0 })
  await until(async () => calls.closed === 1)
  expect(await statusOf(bridge.id)).toBe("unpaired")
  expect(calls.dialled).toBe(1)
  await codeOf(bridge.id)
  expect(calls.dialled).toBe(2)
})

test("without a code from the network `qr` is told to come back, and whether the network is there", async () => {
  const network = await aNetwork()
  await network.fault({ kind: "refuse_upgrade" })
  const { bridge } = await anUnpairedSession(network, { codeMs: 1000 })
  const qr = await call(bridge.id, "GET", "/qr")
  expect(qr.status).toBe(503)
  expect(qr.headers.get("retry-after")).toBe("2")
  expect(await qr.json()).toMatchObject({ error: expect.stringContaining("cannot be reached") })
})

test("a linked session has no code to show, and says who it is", async () => {
  const network = await aNetwork()
  const { bridge, phone } = await aPairedSession(network)
  const qr = await call(bridge.id, "GET", "/qr")
  expect(qr.status).toBe(409)
  expect(await qr.json()).toMatchObject({ code: "already_paired" })
  const status = await call(bridge.id, "GET", "/status")
  expect(await status.json()).toMatchObject({
    status: "connected",
    jid: phone.jid,
    lid: phone.lid,
    phone: phone.number,
  })
})

test("a short loss is not told; a long one is `disconnected`, its end `connected`", async () => {
  const network = await aNetwork()
  const { bridge, end } = await aPairedSession(network, { timing: { goneMs: 1500 } })
  await end("cut")
  await until(async () => (await statusOf(bridge.id)) === "disconnected")
  await until(async () => (await statusOf(bridge.id)) === "connected")
  expect(await connectionEvents(bridge.id)).toEqual([{ event: "connected", phone: expect.any(String) }])

  const open = await network.fault({ kind: "refuse_upgrade" })
  await end("cut")
  await eventsOfType(bridge.id, "disconnected")
  await open()
  await eventsOfType(bridge.id, "connected", 2)
  expect((await connectionEvents(bridge.id)).map(({ event }) => event)).toEqual([
    "connected",
    "disconnected",
    "connected",
  ])
  expect(await eventsOfType(bridge.id, "disconnected")).toEqual([
    { event: "disconnected", detail: expect.any(String) },
  ])
})

test("a session that another place took over says so and does not throw it out again", async () => {
  const network = await aNetwork()
  const { calls, connect } = counted(network)
  const { bridge, host, end } = await aPairedSession(network, { connect })
  const { dialled } = calls
  await end("replaced")
  expect(await eventsOfType(bridge.id, "disconnected")).toEqual([
    { event: "disconnected", reason: "stream_replaced", detail: expect.any(String) },
  ])
  expect(await statusOf(bridge.id)).toBe("replaced")
  // As if its time to dial again had come. Dialling would commit first, and so does a logout.
  host.sessions.get(bridge.id)!.connectAgain()
  expect((await call(bridge.id, "DELETE", "/logout")).status).toBe(200)
  expect(calls.dialled).toBe(dialled)
})

test("a session that was taken over by the bridge's next host ends without a word", async () => {
  const network = await aNetwork()
  const { bridge, host, end } = await aPairedSession(network)
  await eventsOfType(bridge.id, "connected")
  await Lease.stop(bridge.id, "operator")
  await end("replaced").catch(() => "it was fenced before")
  await until(async () => !host.sessions.has(bridge.id))
  expect((await connectionEvents(bridge.id)).map(({ event }) => event)).toEqual(["connected"])
})

test("an unlinked session is unpaired, its keys are gone, and a phone may be linked again", async () => {
  const network = await aNetwork()
  const { bridge, unlink } = await aPairedSession(network)
  await unlink()
  expect(await eventsOfType(bridge.id, "disconnected")).toEqual([
    { event: "disconnected", reason: "logged_out", detail: expect.stringContaining("on the phone") },
  ])
  await until(async () => (await statusOf(bridge.id)) === "unpaired")
  await until(async () => (await Lease.get(bridge.id))?.reported?.unlinked === "elsewhere")
  await until(async () => (await rowsOf(tables.sessions, bridge.id, "SIGNAL#")).length === 0)
  const other = await network.phone("Eve")
  await scanCode(other, bridge.id)
  await until(async () => (await statusOf(bridge.id)) === "connected")
  expect(await eventsOfType(bridge.id, "connected", 2)).toEqual([
    expect.anything(),
    { event: "connected", phone: other.number },
  ])
  const keys = await rowsOf(tables.sessions, bridge.id, "SIGNAL#")
  expect(keys.every(({ sk }) => String(sk).startsWith("SIGNAL#000002#"))).toBe(true)
})

test("while the store is away the socket is closed and nothing is receipted; then everything arrives once", async () => {
  const network = await aNetwork()
  const { bridge, phone, isConnected } = await aPairedSession(network)
  const contact = await network.phone("Bob")
  await contact.send(phone.number, "before")
  await eventsOfType(bridge.id, "message", 1)

  // Beats go on; only the session's commits hang.
  const back = dynamoDb.faults.add({ fault: "transaction-conflict", operation: "TransactWriteItems" })
  onTestFinished(back)
  await contact.send(phone.number, "meanwhile")
  await until(async () => !(await isConnected()))
  await contact.send(phone.number, "later")
  back()
  const messages = await eventsOfType(bridge.id, "message", 3)
  expect(messages.map((message) => message.body)).toEqual(["before", "meanwhile", "later"])
  await sendText(bridge.id, contact.number, "end")
  expect(await eventsOfType(bridge.id, "message", 3)).toHaveLength(3)
})

/** Whether a request is about what sessions keep, and not about hosts and their leases. */
function isOfSessions(request: object): boolean {
  return JSON.stringify(request).includes(tables.sessions)
}

type Paired = Awaited<ReturnType<typeof aPairedSession>>

const faults = [
  "denied",
  "lost-request",
  "lost-answer",
  "gone",
  "throttling",
  "throughput-exceeded",
  "slow",
] as const

test("a store that fails in any way for ten beats ends no session, new or living, as its own fault", async () => {
  const network = await aNetwork()
  const host = await aHost(network)
  const suffer = async (fault: (typeof faults)[number], { bridge, phone }: Paired) => {
    const contact = await network.phone("Bob")
    await eventsOfType(bridge.id, "connected")
    const fresh = await aBridge()
    const when = (request: object) =>
      isOfSessions(request) && [bridge.id, fresh.id].some((id) => JSON.stringify(request).includes(id))
    // A request is given up after five seconds.
    const ms = fault === "slow" ? 6000 : 100
    const isBack = dynamoDb.faults.add({ fault, when, ms })
    onTestFinished(isBack)
    await held(fresh.id, host)
    await contact.send(phone.number, "meanwhile")
    const { version } = (await Host.get(host.id))!
    await until(async () => (await Host.get(host.id))!.version >= version + 10)
    isBack()
    await until(async () => (await statusOf(fresh.id)) === "unpaired")
    const bodies = (await eventsOfType(bridge.id, "message")).map(({ body }) => body)
    expect({ fault, bodies }).toEqual({ fault, bodies: ["meanwhile"] })
    for (const { id } of [bridge, fresh])
      expect({ fault, ...(await Lease.get(id)) }).toMatchObject({ fault, failCount: 0, failures: 0 })
  }
  const sufferers: Promise<void>[] = []
  for (const fault of faults) sufferers.push(suffer(fault, await aPairedSession(network, { host })))
  await Promise.all(sufferers)
})

test("a session whose commit has no answer for too long ends, not by its own fault, and loses nothing", async () => {
  const network = await aNetwork()
  const { bridge, phone, host } = await aPairedSession(network, { timing: { commitMs: 1000 } })
  const contact = await network.phone("Bob")
  await eventsOfType(bridge.id, "connected")
  const lease = await held(bridge.id, host)
  const operation = "TransactWriteItems"
  const isBack = dynamoDb.faults.add({ fault: "lost-answer", operation, when: isOfSessions })
  onTestFinished(isBack)
  await contact.send(phone.number, "meanwhile")
  await until(async () => (await Lease.get(bridge.id))!.epoch > lease.epoch)
  expect(await Lease.get(bridge.id)).toMatchObject({ failCount: 0, failures: 0 })
  isBack()
  expect((await eventsOfType(bridge.id, "message")).map(({ body }) => body)).toEqual(["meanwhile"])
})

test("an exception of one session ends that session alone, and counts against it", async () => {
  const network = await aNetwork()
  const { bridge, host, phone } = await aPairedSession(network)
  const other = await aBridge()
  await held(other.id, host)
  const lease = await held(bridge.id, host)
  const session = host.sessions.get(bridge.id)!
  sessionScope.run({ fail: (error) => session.fail(error) }, () =>
    sessionScope.getStore()!.fail(new Error("a bug")),
  )
  await until(async () => (await Lease.get(bridge.id))!.epoch > lease.epoch)
  expect((await Lease.get(bridge.id))!.failCount).toBe(1)
  expect(host.sessions.has(other.id)).toBe(true)
  await until(async () => (await statusOf(bridge.id)) === "connected")
  const contact = await network.phone("Bob")
  await contact.send(phone.number, "hello")
  await eventsOfType(bridge.id, "message", 1)
})

test("the figures of the process are true", async () => {
  const network = await aNetwork()
  const { bridge } = await anUnpairedSession(network)
  const answer = await call(bridge.id, "GET", "/debug/stats")
  const stats = (await answer.json()) as Record<string, number> // compared below
  expect(stats.heap_alloc_mb).toBeGreaterThan(1)
  expect(stats.total_alloc_mb).toBeGreaterThan(stats.heap_alloc_mb!)
  expect(stats.goroutines).toBeGreaterThan(0)
})
