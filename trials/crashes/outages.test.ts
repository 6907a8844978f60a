import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { outage, theQueue, theStore } from "../drills/outage.ts"
import { startDrilled } from "../drills/service.ts"

const dir = mkdtempSync(join(tmpdir(), "messaging-bridge-outages-"))
const service = await startDrilled({ bridges: 2, beat: 500, dir })
afterAll(async () => {
  await service.stop()
  rmSync(dir, { recursive: true, force: true })
})

/**
 * How many events of this type there were. One that was under way when the store went away may come twice.
 */
const eventsOf = (type: string) =>
  new Set(service.receiver.arrivals.filter((one) => one.type === type).map(({ eventId }) => eventId)).size

test("while the store is away no receipt leaves and sends are 503; then all arrives, once and in order", async () => {
  const { written, answers, ...what } = await outage(service, theStore(service), 12_000)
  expect(written).toBeGreaterThan(0)
  expect(Object.keys(answers)).toEqual(["503"])
  expect(what).toMatchObject({ receipted: 0, lost: 0, reordered: 0 })
  // They were gone for more than ten seconds, so their customers were told; and before that, of the first
  // linking.
  expect([eventsOf("disconnected"), eventsOf("connected")]).toEqual([2, 4])
}, 90_000)

test("while the queue is away messages are kept and sends go on; then all arrives, once and in order", async () => {
  const { written, answers, ...what } = await outage(service, theQueue(service), 4000)
  expect(written).toBeGreaterThan(0)
  expect(Object.keys(answers)).toEqual(["200"])
  expect(what).toMatchObject({ lost: 0, reordered: 0 })
}, 90_000)
