import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { BridgeLog } from "#core/bridge/bridge-log.ts"
import { Lease } from "#core/lease/lease.ts"
import { now } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"
import { connect } from "#session-host/whatsapp/connect.ts"
import { setLease } from "#test/support/held-lease.ts"
import { aNetwork, type Network } from "#test/support/network/network.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { aHost, held, sendText, statusOf } from "#test/support/session/host.ts"
import { aPairedSession } from "#test/support/session/paired.ts"
import { dynamoDb } from "#test/support/store.ts"
import { until } from "#test/support/until.ts"

/** A linked session that counts as staying after `stayedMs`, and the times at which it has dialled since. */
async function aLinkedSession(network: Network, stayedMs: number) {
  const dialledAt: number[] = []
  const options = {
    timing: { stayedMs },
    connect: (input: Parameters<typeof connect>[0]) => {
      dialledAt.push(Date.now() / 1000)
      return connect({ ...input, url: network.url })
    },
  }
  const session = await aPairedSession(network, options)
  const logins = async () => (await Lease.get(session.bridge.id))!.logins
  await until(async () => (await statusOf(session.bridge.id)) === "connected")
  dialledAt.length = 0
  return { ...session, dialledAt, logins, options }
}

const hour = 3_600_000

test("each login is counted in the lease before it begins, whatever ends it, but a planned end", async () => {
  const network = await aNetwork()
  const { bridge, host, logins, options } = await aLinkedSession(network, hour)
  expect(await logins()).toBe(1)
  const { epoch } = await held(bridge.id)
  host.sessions.get(bridge.id)!.fail(new Error("a bug"))
  await until(
    async () => (await held(bridge.id)).epoch > epoch && (await statusOf(bridge.id)) === "connected",
  )
  expect(await logins()).toBe(2)

  await host.stop()
  expect(await logins()).toBe(1)
  await aHost(network, options)
  await until(async () => (await statusOf(bridge.id)) === "connected")
  expect(await logins()).toBe(2)
})

test("a session that has stayed connected for some minutes begins to count anew", async () => {
  const network = await aNetwork()
  const { logins, dialledAt } = await aLinkedSession(network, 500)
  await until(async () => (await logins()) === 0)
  expect(dialledAt).toEqual([])
})

test("after five logins that did not last the next waits for its time, at whatever host", async () => {
  const network = await aNetwork()
  const { bridge, host, dialledAt, options } = await aLinkedSession(network, hour)
  await host.stop()
  const early = Math.ceil((12 * config.LEASE_BEAT_MS) / 1000) - 2
  await setLease(bridge.id, { logins: 5, login_at: now() - early })
  const at = Lease.loginAgainAt((await Lease.get(bridge.id))!)
  const next = await aHost(network, options)
  await held(bridge.id, next)
  // A host that was silent for a while does the same.
  next.sessions.get(bridge.id)?.connectAgain()
  await until(async () => (await statusOf(bridge.id)) === "connected")
  expect(dialledAt).toHaveLength(1)
  expect(dialledAt[0]).toBeGreaterThanOrEqual(at)
})

test("a call and the log say how long a session waits that has logged in too often", async () => {
  const folder = mkdtempSync(join(tmpdir(), "bridge-logs-"))
  config.LOG_DIR = folder
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const network = await aNetwork()
  const { bridge, host, options } = await aLinkedSession(network, hour)
  await host.stop()
  await setLease(bridge.id, { logins: 5, login_at: now() })
  const next = await aHost(network, { ...options, timing: { ...options.timing, connectingMs: 100 } })
  await held(bridge.id, next)
  expect(await sendText(bridge.id, "491711234567", "now?")).toMatchObject({
    status: 503,
    error: expect.stringMatching(/logs in again in \d+ s, since/),
  })
  const said = await until(async () => {
    for await (const lines of BridgeLog.follow(bridge.id, 20))
      return lines.find((line) => line.includes("did not last"))
    return undefined
  })
  expect(said).toMatch(/the session waits \d+ s before it logs in: /)
})

test("a host takes no more than its share of a dead one's bridges at a look", async () => {
  const bridges = await Promise.all([aBridge(), aBridge(), aBridge()])
  for (const { id } of bridges) await setLease(id, { share: 1 })
  const taken: number[] = []
  const watch = dynamoDb.faults.add({
    fault: "slow",
    when: (request) => {
      const asked = JSON.stringify(request)
      if (asked.includes('"byHost"') && asked.includes('"FREE')) taken.push(0)
      if (asked.includes("REMOVE #share")) taken.push(taken.pop()! + 1)
      return false
    },
  })
  onTestFinished(watch)
  await aHost({ url: "ws://127.0.0.1:1/", rootKey: Buffer.alloc(32) })
  for (const { id } of bridges) await held(id)
  expect(taken.filter((count) => count > 0)).toEqual([1, 1, 1])
})
