import { dynamoDb } from "#test/support/store.ts"
import { onTestFinished, test, vi } from "vitest"
import { config } from "#core/platform/config.ts"
import { Host } from "#core/lease/host.ts"
import { readiness } from "#local/serve/readiness.ts"
import { until } from "#test/support/until.ts"

const ready = { store: true, hosts: true, room: true }

/** Resolves once it is so: an answer is given again for a second. */
async function becomes(expected: Partial<typeof ready>): Promise<void> {
  const wanted = JSON.stringify({ ...ready, ...expected })
  await until(async () => JSON.stringify(await readiness()) === wanted, { what: wanted })
}

test("it is not ready while the store takes no writes, and is again afterwards", async () => {
  await becomes({})
  const recover = dynamoDb.faults.add({ fault: "denied", operation: "PutItem" })
  onTestFinished(recover)
  await becomes({ store: false })
  recover()
  await becomes({})
})

test("it is not ready while the disk is nearly full, and is again once there is room", async () => {
  Object.assign(config, { STORAGE_DIR: "/", STORAGE_RESERVE_MB: 1e9 })
  await becomes({ room: false })
  config.STORAGE_RESERVE_MB = 0
  await becomes({})
})

test("it is not ready while a host is silent, and is again once the host was found dead", async () => {
  const host = {
    id: Host.newId(),
    addr: "127.0.0.1:1",
    capacity: 20,
    sessions: 0,
    network: "simulated",
  } as const
  await Host.beat(host)
  await becomes({})
  vi.spyOn(Date, "now").mockReturnValue(Date.now() + 60_000)
  await becomes({ hosts: false })
  const { version } = (await Host.get(host.id))!
  await Host.markDead(host.id, version)
  await becomes({})
})
