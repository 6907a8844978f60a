import { afterAll, beforeAll, expect, test } from "vitest"
import { startCallFlood } from "#trials/neighbours/call-flood.ts"
import { ordinaryLife } from "#trials/neighbours/neighbour.ts"
import { startStreet } from "#trials/neighbours/street.ts"
import { startService } from "../support/service/service.ts"

let street: Awaited<ReturnType<typeof startStreet>>
beforeAll(async () => {
  street = await startStreet({ isLimited: true })
}, 120_000)
afterAll(async () => await street.stop())

test("while one account floods, sends huge and endless bodies and has a dead receiver, no request of another fails", async () => {
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

test("exactly 120 of 200 requests at once over HTTP pass, and exactly 300 of 400 from one address", async () => {
  const service = await startService({
    RATE_LIMIT_PROXY: "120",
    RATE_LIMIT_OTHER: "120",
    RATE_LIMIT_PROVISION: "10",
    RATE_LIMIT_ADDRESS: "300",
  })
  try {
    const customer = await service.customer("limited")
    const ask = async (path: string) => (await customer.call("GET", path)).status
    const proxied = await Promise.all(
      Array.from({ length: 200 }, () => ask("/instances/nobody/proxy/status")),
    )
    expect(proxied.filter((status) => status === 404)).toHaveLength(120)
    // Starting the service has used up some of the floor; the answer says how much is left.
    const left = Number((await fetch(`${service.baseUrl}/healthz`)).headers.get("ratelimit-remaining"))
    expect(left).toBeLessThanOrEqual(99)
    const guesses = await Promise.all(
      Array.from({ length: 200 }, async () => {
        const headers = { authorization: "Bearer mbk_wrong", "x-forwarded-for": "203.0.113.9" }
        return (await fetch(`${service.baseUrl}/api/instances`, { headers })).status
      }),
    )
    expect(guesses.filter((status) => status === 401)).toHaveLength(left)
    expect(guesses.filter((status) => status === 429)).toHaveLength(200 - left)
  } finally {
    await service.stop()
    service.remove()
  }
})
