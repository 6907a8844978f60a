import "#test/support/store.ts"
import { afterEach, expect, test, vi } from "vitest"
import { Came } from "#core/event/came.ts"
import { Usage } from "#core/event/usage.ts"
import { log } from "#core/platform/log.ts"
import { MessageCount } from "#session-host/memory/message-count.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { anEvent, anOutbox } from "#test/support/session/events-and-doorbells.ts"
import { aMemory } from "#test/support/session/memory.ts"
import { until } from "#test/support/until.ts"

afterEach(() => vi.useRealTimers())

const days = { from: "2026-11-20", to: "2026-11-22" }
const countsOf = async (bridgeId: string) =>
  (await Usage.daysOf(bridgeId, days, {})).map((day) => [day.day, day.in, day.out])

test("messages are counted once, written when the time is over, by their day, and for two sessions as one", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-20T23:59:59Z") })
  const { id: bridgeId } = await aBridge()
  const one = new MessageCount({ bridgeId, timing: { messageCountMs: 60_000 }, log })
  one.came({ day: "2026-11-20", count: 1 })
  one.came({ day: "2026-11-20", count: 2 })
  // The network acknowledges a message again that is sent again.
  for (let i = 0; i < 2; i++) one.sent("the first")
  expect(await countsOf(bridgeId)).toEqual([])
  vi.setSystemTime(new Date("2026-11-21T00:00:01Z"))
  one.sent("the first")
  one.sent("the second")
  await until(async () => (await countsOf(bridgeId)).length > 0)
  expect(await countsOf(bridgeId)).toEqual([["2026-11-20", 2, 1]])
  await one.written()
  const two = new MessageCount({ bridgeId, timing: { messageCountMs: 1 }, log })
  two.came({ day: "2026-11-21", count: 1 })
  await until(async () => (await countsOf(bridgeId)).at(-1)?.[1] === 1)
  await one.written()
  expect(await countsOf(bridgeId)).toEqual([
    ["2026-11-20", 2, 1],
    ["2026-11-21", 1, 1],
  ])
})

test("the first message after a quiet time is written at once, those that follow once the time is over", async () => {
  const { id: bridgeId } = await aBridge()
  const messageCount = new MessageCount({ bridgeId, timing: { messageCountMs: 60_000 }, log })
  const written = async () => {
    const [day] = await Usage.daysOf(bridgeId, { from: Usage.today(), to: Usage.today() }, {})
    return day?.in
  }
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] })
  messageCount.came({ day: Usage.today(), count: 1 })
  await vi.waitFor(async () => expect(await written()).toBe(1))
  messageCount.came({ day: Usage.today(), count: 2 })
  vi.advanceTimersByTime(50_000)
  expect(await written()).toBe(1)
  vi.advanceTimersByTime(10_000)
  await vi.waitFor(async () => expect(await written()).toBe(2))
})

test("what was counted before a session ends without notice is written", async () => {
  const { id: bridgeId } = await aBridge()
  const messageCount = new MessageCount({ bridgeId, timing: { messageCountMs: 60_000 }, log })
  messageCount.came({ day: Usage.today(), count: 1 })
  messageCount.end()
  const today = { from: Usage.today(), to: Usage.today() }
  await until(async () => (await Usage.daysOf(bridgeId, today, {}))[0]?.in === 1)
  expect(await Usage.daysOf(bridgeId, today, {})).toMatchObject([{ in: 1, out: 0 }])
})

test("messages that came before midnight count on their day, though their host died before it wrote that", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-20T23:59:00Z") })
  const bridge = await aBridge()
  await (await anOutbox(bridge)).write(anEvent("one"), anEvent("two"))
  vi.setSystemTime(new Date("2026-11-21T00:01:00Z"))
  const { memory } = await aMemory({ bridgeId: bridge.id, timing: { messageCountMs: 1 } })
  await memory.outbox.append(() => [{ identity: ["three"], event: anEvent("three") }])
  await until(async () => (await countsOf(bridge.id)).length === 2)
  expect(await countsOf(bridge.id)).toEqual([
    ["2026-11-20", 2, 0],
    ["2026-11-21", 1, 0],
  ])
})

test("a clock that is set back over midnight counts no day anew", () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-20T23:59:59Z") })
  const first = Came.withEvent({ day: "2026-11-20", hours: [5] }, true)
  vi.setSystemTime(new Date("2026-11-21T00:00:01Z"))
  const next = Came.withEvent(first, true)
  vi.setSystemTime(new Date("2026-11-20T23:59:59Z"))
  const back = Came.withEvent(next, true)
  expect([first, next, back].map((one) => [one.day, Came.total(one)])).toEqual([
    ["2026-11-20", 6],
    ["2026-11-21", 1],
    ["2026-11-21", 2],
  ])
  // One that was years ahead is believed no more.
  expect(Came.withEvent({ day: "2031-01-01", hours: [1] }, true).day).toBe("2026-11-20")
})
