import "#test/support/store.ts"
import { expect, test } from "vitest"
import { ApiKey } from "#core/account/api-key.ts"
import { Lease } from "#core/lease/lease.ts"
import { tables } from "#core/store/tables.ts"
import { rowsOf } from "#test/support/rows-of.ts"
import { app } from "#test/support/service/app.ts"
import { until } from "#test/support/until.ts"
import { aNetwork } from "../support/network/network.ts"
import { aPairedSession } from "../support/session/paired.ts"

test("deleting a linked bridge unlinks its phone and leaves no row of it", async () => {
  const network = await aNetwork()
  const { bridge, isConnected, host } = await aPairedSession(network)
  expect(await isConnected()).toBe(true)
  expect(await rowsOf(tables.sessions, bridge.id)).not.toEqual([])
  const key = await ApiKey.create(bridge.accountId, "test")
  const init = { method: "DELETE", headers: { authorization: `Bearer ${key}` } }
  expect((await app.request(`/api/instances/${bridge.customerRef}`, init)).status).toBe(204)

  expect(await isConnected()).toBe(false)
  await until(async () => !host.sessions.has(bridge.id))
  await until(async () => (await Lease.get(bridge.id)) === undefined)
  expect(await rowsOf(tables.sessions, bridge.id)).toEqual([])
  expect(await rowsOf(tables.events, bridge.id)).toEqual([])
})
