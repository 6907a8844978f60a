import "#test/support/store.ts"
import { expect, onTestFinished, test } from "vitest"
import { bridge } from "#admin/bridge.ts"
import { downAs } from "#admin/down-bridges.ts"
import { host } from "#admin/host.ts"
import { Lease } from "#core/lease/lease.ts"
import { aHeldLease } from "#test/support/held-lease.ts"
import { until } from "#test/support/until.ts"
import { aNetwork } from "../support/network/network.ts"
import { aScriptedHost } from "../support/scripted-host.ts"
import { aBridge } from "../support/service/bridge.ts"
import { aPairedSession } from "../support/session/paired.ts"

const down = async (id: string) => (await bridge.down!.run([])).find((row) => row.id === id)

test("a bridge whose place another login took is down since then, also where its host cannot be asked why", async () => {
  const network = await aNetwork()
  const { bridge: linked, host: holder, end } = await aPairedSession(network)
  expect(await until(async () => (await down(linked.id)) === undefined)).toBe(true)
  const before = Math.floor(Date.now() / 1000)
  await end("replaced")
  const row = await until(async () => {
    const found = await down(linked.id)
    return found?.status === "replaced" && found
  })
  expect(row).toMatchObject({ account: linked.accountId, host: holder.id })
  expect(Date.parse(String(row.since)) / 1000).toBeGreaterThanOrEqual(before)

  const reported = (await Lease.get(linked.id))!.reported!
  await holder.stop()
  expect(await down(linked.id)).toMatchObject({ status: "held by nobody", since: "" })
  // A living host that cannot be reached from here, as a deployed one cannot.
  const far = await aScriptedHost((_, response) => response.socket?.destroy())
  const lease = await far.take(linked.id)
  await Lease.reportStatus(lease, { ...reported, epoch: lease.epoch })
  const said = await bridge.why!.run([linked.id])
  expect(said).toContainEqual({ why: expect.stringContaining("It was replaced when it was last heard of") })
  expect(said).toContainEqual(expect.objectContaining({ status: "replaced", status_since: row.since }))
})

test("a bridge that is linked to no phone, or must not run, is not down; one that no host holds is", async () => {
  const [unpaired, paused, free] = [await aHeldLease(), await aHeldLease(), await aBridge()]
  await Lease.reportStatus(unpaired, { status: "unpaired", since: 1, epoch: unpaired.epoch })
  await Lease.stop(paused.bridgeId, "operator")
  expect(await down(unpaired.bridgeId)).toBeUndefined()
  expect(await down(paused.bridgeId)).toBeUndefined()
  expect(await down(free.id)).toMatchObject({ status: "held by nobody", host: Lease.FREE })
  const held = await aHeldLease(free.id)
  // The lease names a host that never existed.
  expect(await down(free.id)).toMatchObject({ status: "its host is dead", host: held.host })
})

test("a status that a session reported at an earlier host does not count at this one", async () => {
  const lease = await aHeldLease()
  const reported = { status: "connected", since: 1, epoch: lease.epoch } as const
  expect(downAs({ ...lease, reported }, { state: "up" })).toBeUndefined()
  expect(downAs({ ...lease, reported: { ...reported, epoch: 1 } }, { state: "up" })).toBe("starting")
  expect(downAs({ ...lease, reported }, { state: "dead" })).toBe("its host is dead")
})

test("hosts are listed with their sessions and their last beat", async () => {
  const network = await aNetwork()
  onTestFinished(() => network.close())
  const { host: holder } = await aPairedSession(network, { timing: { beatMs: 1000 } })
  const row = await until(async () =>
    (await host.list!.run([])).find(({ id, sessions }) => id === holder.id && sessions === 1),
  )
  expect(row).toMatchObject({ state: "up", network: "simulated", capacity: expect.any(Number) })
  expect(Date.now() - Date.parse(String(row.last_beat))).toBeLessThan(60_000)
})
