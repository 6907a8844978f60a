import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { Backoff } from "#session-host/uplink/backoff.ts"

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }))
afterEach(() => void vi.useRealTimers())

/** A connection that was open for this long. */
function connected(backoff: Backoff, ms: number) {
  backoff.opened()
  vi.advanceTimersByTime(ms)
  backoff.closed()
}

test("each failed attempt doubles the wait, to a minute at most; half of it is chance", () => {
  const backoff = new Backoff()
  for (const longest of [500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]) {
    const wait = backoff.next()
    expect(wait).toBeLessThanOrEqual(longest)
    expect(wait).toBeGreaterThanOrEqual(longest / 2)
  }
})

test("only a connection that lasted begins the waits anew", () => {
  const backoff = new Backoff()
  for (let i = 0; i < 5; i++) backoff.next()
  connected(backoff, 5000)
  expect(backoff.next()).toBeGreaterThanOrEqual(8000)
  connected(backoff, 15_000)
  expect(backoff.next()).toBeLessThanOrEqual(500)
})

test("a network that asks to connect again is obeyed at once, but only once until a connection lasted", () => {
  const backoff = new Backoff()
  expect(backoff.onceAtOnce()).toBe(0)
  expect(backoff.onceAtOnce()).toBeGreaterThan(0)
  connected(backoff, 15_000)
  expect(backoff.onceAtOnce()).toBe(0)
})
