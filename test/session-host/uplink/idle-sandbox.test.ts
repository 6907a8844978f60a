import { expect, test } from "vitest"
import "#test/support/store.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Lease } from "#core/lease/lease.ts"
import { config } from "#core/platform/config.ts"
import { aNetwork } from "#test/support/network/network.ts"
import { anAccount } from "#test/support/service/bridge.ts"
import { aHost, statusOf } from "#test/support/session/host.ts"
import { until } from "#test/support/until.ts"

config.SANDBOX = true

test("a sandbox that is not used is paused although it is linked, and connects again when it is woken", async () => {
  const account = await anAccount()
  await aHost(await aNetwork(), { timing: { beatMs: 1000, idleMs: 3000 } })
  const { id } = await Bridge.get(account.id, "sandbox")
  await until(async () => (await statusOf(id)) === "connected")
  await until(async () => Lease.whyStopped((await Lease.get(id))!) === "idle")
  expect(Lease.stateOf((await Lease.get(id))!)).toBe("paused")
  await Lease.wake(id, "idle")
  await until(async () => (await statusOf(id)) === "connected")
})
