import { afterAll, beforeAll, expect, test } from "vitest"
import { startCallFlood } from "./api-call-flood.ts"
import { ordinaryLife } from "./neighbour.ts"
import { oneKey, startStreet } from "./street.ts"

let street: Awaited<ReturnType<typeof startStreet>>
beforeAll(async () => {
  street = await startStreet(oneKey)
}, 120_000)
afterAll(async () => await street.stop())

test("while one account floods, sends endless bodies and has a dead receiver, no other's request fails", async () => {
  const stop = startCallFlood(street.service, street.bully, { floodPerSecond: 400 })
  const { requests, failed } = await ordinaryLife(street.neighbour, {
    chat: street.chat,
    forMs: 6000,
    everyMs: 60,
  })
  const { statuses } = await stop()
  expect(failed).toEqual([])
  expect(requests).toBeGreaterThan(20)
  // It was held back, but not simply ignored.
  expect(statuses).toMatchObject({ 200: expect.any(Number), 429: expect.any(Number) })
})
