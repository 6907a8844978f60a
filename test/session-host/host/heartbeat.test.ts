import { pino } from "pino"
import { afterEach, expect, test, vi } from "vitest"
import type { Host } from "#core/lease/host.ts"
import { Heartbeat } from "#session-host/host/heartbeat.ts"

const beatMs = 1000

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/**
 * A heartbeat at rest with a clock of its own, a record of what it reported, and control over how its beats
 * are answered.
 */
async function aHeartbeat() {
  let now = 0
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
  vi.spyOn(performance, "now").mockImplementation(() => now)
  const told: string[] = []
  const leases = { read: async () => {} }
  const store: { answer: () => Promise<Host.State> } = { answer: async () => "up" }
  const heartbeat = new Heartbeat({
    beatMs,
    log: pino({ level: "silent" }),
    beat: () => store.answer(),
    onState: () => {},
    onSilent: () => told.push("silent"),
    onHeard: () => told.push("heard"),
    onStoodStill: async () => {
      told.push("stood still")
      await leases.read()
    },
  })
  await heartbeat.start()
  return {
    heartbeat,
    told,
    leases,
    store,
    /** Time passes, and timers fire. */
    pass: async (ms: number) => {
      for (const end = now + ms; now < end;) {
        now += 100
        await vi.advanceTimersByTimeAsync(100)
      }
    },
    /** Time passes while nothing of this process runs. */
    standStill: (ms: number) => void (now += ms),
  }
}

const unanswered = () => Promise.reject(new Error("nobody answers"))

test("a host whose beats are answered is heard once, is trusted and may have sockets", async () => {
  const { heartbeat, told, pass } = await aHeartbeat()
  await pass(20 * beatMs)
  expect(heartbeat).toMatchObject({ isTrusted: true, mayConnect: true, isDead: false })
  expect(told).toEqual(["heard"])
})

test("a host that stops waits for its last beat, which would bring back the row that it removes", async () => {
  const { heartbeat, store, pass } = await aHeartbeat()
  const beat = Promise.withResolvers<Host.State>()
  store.answer = () => beat.promise
  await pass(beatMs)
  const order: string[] = []
  const stopped = heartbeat.stop().then(() => order.push("stopped"))
  await pass(beatMs)
  order.push("answered")
  beat.resolve("up")
  await stopped
  expect(order).toEqual(["answered", "stopped"])
})

test("two beats without an answer end its trust, three its sockets; the next answer brings both back", async () => {
  const { heartbeat, told, store, pass } = await aHeartbeat()
  store.answer = unanswered
  await pass(2 * beatMs - 100)
  expect(heartbeat).toMatchObject({ isTrusted: true, mayConnect: true })
  await pass(100)
  expect(heartbeat).toMatchObject({ isTrusted: false, mayConnect: true })
  await pass(beatMs)
  expect(heartbeat).toMatchObject({ isTrusted: false, mayConnect: false })
  await pass(5 * beatMs)
  expect(told).toEqual(["heard", "silent"])

  store.answer = async () => "up"
  await pass(beatMs)
  expect(heartbeat).toMatchObject({ isTrusted: true, mayConnect: true })
  expect(told).toEqual(["heard", "silent", "heard"])
})

test("a beat counts from when it was sent, however late its answer comes", async () => {
  const { heartbeat, store, pass } = await aHeartbeat()
  const late = Promise.withResolvers<Host.State>()
  store.answer = () => late.promise
  await pass(5 * beatMs)
  expect(heartbeat.mayConnect).toBe(false)
  store.answer = unanswered
  late.resolve("up")
  await pass(100)
  // The last of those that waited was sent two beats ago.
  expect(heartbeat).toMatchObject({ isTrusted: false, mayConnect: true })
})

test("no more than three beats wait for an answer at a time", async () => {
  const { store, pass } = await aHeartbeat()
  const beats = vi.fn(() => new Promise<Host.State>(() => {}))
  store.answer = beats
  await pass(10 * beatMs)
  expect(beats).toHaveBeenCalledTimes(3)
})

test("a host that stood still for longer than a beat reads its leases before it does anything else", async () => {
  const { heartbeat, told, leases, pass, standStill } = await aHeartbeat()
  const read = Promise.withResolvers<void>()
  leases.read = () => read.promise
  standStill(beatMs + 100)
  await pass(beatMs)
  // Beats are answered, but it makes no difference.
  expect(heartbeat).toMatchObject({ isTrusted: false, mayConnect: false })
  expect(told).toEqual(["heard", "stood still"])
  read.resolve()
  await pass(100)
  expect(heartbeat).toMatchObject({ isTrusted: true, mayConnect: true })
  expect(told).toEqual(["heard", "stood still", "heard"])
})

test("leases that cannot be read hold nothing up: beats decide", async () => {
  const { heartbeat, told, leases, pass, standStill } = await aHeartbeat()
  leases.read = unanswered
  standStill(beatMs + 100)
  await pass(beatMs)
  expect(heartbeat.isTrusted).toBe(true)
  expect(told).toEqual(["heard", "stood still", "heard"])
})

test("a host that is declared dead is that for good", async () => {
  const { heartbeat, store, pass } = await aHeartbeat()
  store.answer = async () => "dead"
  await pass(beatMs)
  store.answer = async () => "up"
  await pass(5 * beatMs)
  expect(heartbeat).toMatchObject({ isTrusted: false, mayConnect: false, isDead: true })
})

test("a heart whose first beat is not answered does not start", async () => {
  const { store, heartbeat } = await aHeartbeat()
  store.answer = unanswered
  await expect(heartbeat.start()).rejects.toThrow("nobody answers")
})
