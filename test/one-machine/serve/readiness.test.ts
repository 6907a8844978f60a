import { expect, onTestFinished, test, vi } from "vitest"
import { Host } from "#core/lease/host.ts"
import { config } from "#core/platform/config.ts"
import { readiness } from "#one-machine/serve/readiness.ts"
import { dynamoDb } from "#test/support/store.ts"

// Each look is repeated: an answer is given again for a second.
const ready = { store: true, hosts: true, room: true }

test("it is not ready while the store takes no writes, and is again afterwards", async () => {
  await expect.poll(readiness).toEqual(ready)
  const recover = dynamoDb.faults.add({ fault: "denied", operation: "PutItem" })
  onTestFinished(recover)
  await expect.poll(readiness).toEqual({ ...ready, store: false })
  recover()
  await expect.poll(readiness).toEqual(ready)
})

test("it is not ready while the disk is nearly full, and is again once there is room", async () => {
  Object.assign(config, { STORAGE_DIR: "/", STORAGE_RESERVE_MB: 1e9 })
  await expect.poll(readiness).toEqual({ ...ready, room: false })
  config.STORAGE_RESERVE_MB = 0
  await expect.poll(readiness).toEqual(ready)
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
  await expect.poll(readiness).toEqual(ready)
  vi.spyOn(Date, "now").mockReturnValue(Date.now() + 60_000)
  await expect.poll(readiness).toEqual({ ...ready, hosts: false })
  const { version } = (await Host.get(host.id))!
  await Host.markDead(host.id, version)
  await expect.poll(readiness).toEqual(ready)
})
