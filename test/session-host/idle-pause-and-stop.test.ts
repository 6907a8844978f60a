import { expect, test } from "vitest"
import "#test/support/store.ts"
import { Lease } from "#core/lease/lease.ts"
import { signCall } from "#core/lease/signed-call.ts"
import { now } from "#core/platform/clock.ts"
import { setLease } from "#test/support/held-lease.ts"
import { until } from "#test/support/until.ts"
import { aNetwork } from "../support/network/network.ts"
import { aBridge } from "../support/service/bridge.ts"
import { aHost, call, held, statusOf } from "../support/session/host.ts"
import { aPairedSession } from "../support/session/paired.ts"

const nowhere = { url: "ws://127.0.0.1:1/", rootKey: Buffer.alloc(32) }
const hour = 3600

/** Tells the holder of a lease to look at it; it must not begin after `notAfter`, Unix seconds. */
async function tell(lease: Lease.Info, notAfter?: number): Promise<number> {
  const [method, path] = ["POST", "/look-at-lease"]
  const { bridgeId, epoch } = lease
  const authorization = signCall({ method, path, bridgeId, epoch, requestId: "1" }, { notAfter })
  const answer = await fetch(`http://${lease.addr}${path}`, { method, headers: { authorization } })
  return answer.status
}

test("a bridge without a linked phone and without a call for 72 hours is paused, and let go", async () => {
  const [idle, used] = [await aBridge(), await aBridge()]
  await setLease(idle.id, { used: now() - 72 * hour })
  await setLease(used.id, { used: now() - 72 * hour + 60 })
  const host = await aHost(nowhere, { timing: { beatMs: 500 } })
  await held(used.id, host)
  await until(async () => (await Lease.get(idle.id))?.host === Lease.STOPPED)
  expect(await Lease.get(idle.id)).toMatchObject({ stopped: ["idle"], addr: "" })
  await until(async () => !host.sessions.has(idle.id))
  expect(host.sessions.has(used.id)).toBe(true)
  await until(async () => (await statusOf(used.id)) === "unpaired")
})

test("a call that is read too late is not begun, and asked for again", async () => {
  const bridge = await aBridge()
  const lease = await held(bridge.id, await aHost(nowhere))
  expect([await tell(lease), await tell(lease, now() - 1)]).toEqual([204, 421])
})

test("a call counts as use, and is written down once an hour at most", async () => {
  const bridge = await aBridge()
  const longAgo = now() - 2 * hour
  await setLease(bridge.id, { used: longAgo })
  const host = await aHost(nowhere, { timing: { beatMs: 500 } })
  const lease = await held(bridge.id, host)
  expect(lease.used).toBe(longAgo)
  await statusOf(bridge.id)
  const noted = await until(async () => {
    const { used } = (await Lease.get(bridge.id))!
    return used > longAgo && used
  })
  await setLease(bridge.id, { used: longAgo })
  await statusOf(bridge.id)
  await host.stop()
  expect((await Lease.get(bridge.id))?.used).toBe(longAgo)
  expect(noted).toBeGreaterThanOrEqual(longAgo + 2 * hour)
})

test("a linked bridge is not paused, however long no call comes", async () => {
  const network = await aNetwork()
  const { bridge, host } = await aPairedSession(network, { timing: { beatMs: 1000 } })
  await host.stop()
  await setLease(bridge.id, { used: now() - 100 * hour })
  const next = await aHost(network, { timing: { beatMs: 500 } })
  await held(bridge.id, next)
  const idle = await aBridge()
  await setLease(idle.id, { used: now() - 100 * hour })
  // The host has looked at both by then.
  await until(async () => (await Lease.get(idle.id))?.host === Lease.STOPPED)
  await until(async () => !next.sessions.has(idle.id))
  expect(next.sessions.has(bridge.id)).toBe(true)
})

test("a bridge that is being linked is not paused", async () => {
  const network = await aNetwork()
  const host = await aHost(network, { timing: { beatMs: 500, idleMs: 0 } })
  const bridge = await aBridge()
  await until(async () => (await call(bridge.id, "GET", "/qr").catch(() => undefined))?.status === 200)
  const idle = await aBridge()
  await until(async () => (await Lease.get(idle.id))?.host === Lease.STOPPED)
  await until(async () => !host.sessions.has(idle.id))
  expect(host.sessions.has(bridge.id)).toBe(true)
})

test("a host that is told of a stopped bridge ends its session at once", async () => {
  // Without a commit, only the next comparison would tell it, in half a minute.
  const host = await aHost(nowhere, { timing: { beatMs: 5000 } })
  for (const reason of ["operator", "billing", "suspended"] as const) {
    const bridge = await aBridge()
    const lease = await held(bridge.id, host)
    expect(await tell(lease)).toBe(204)
    expect(host.sessions.has(bridge.id)).toBe(true)
    await Lease.stop(bridge.id, reason)
    expect(await tell(lease)).toBe(204)
    expect(host.sessions.has(bridge.id)).toBe(false)
    expect(await tell(lease)).toBe(421)
  }
})

test("a stopped bridge is not connected any more", async () => {
  const network = await aNetwork()
  const { bridge, isConnected } = await aPairedSession(network, { timing: { beatMs: 5000 } })
  const lease = (await Lease.get(bridge.id))!
  await Lease.stop(bridge.id, "operator")
  // A commit may have told it before.
  expect([204, 421]).toContain(await tell(lease))
  await until(async () => !(await isConnected()))
})

test("after ten healthy minutes earlier failures are history, also for those to come", async () => {
  const bridge = await aBridge()
  await setLease(bridge.id, { fail_count: 4 })
  await setLease(bridge.id, { failures: 1 })
  const host = await aHost(nowhere, { timing: { beatMs: 1000, healthyMs: 300, provenMs: 60_000 } })
  await held(bridge.id, host)
  await until(async () => (await Lease.get(bridge.id))?.failCount === 0)
  expect((await Lease.get(bridge.id))?.failures).toBe(1)
})
