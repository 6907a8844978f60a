import { vi } from "vitest"
import { afterAll, afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest"
import { Delivery } from "#core/event/delivery.ts"
import { Host } from "#core/lease/host.ts"
import { Lease } from "#core/lease/lease.ts"
import { config } from "#core/platform/config.ts"
import { store } from "#core/store/store.ts"
import { ringOverdue } from "#functions/sweep/bells.ts"
import { keepLooking } from "#functions/sweep/handler.ts"
import { lookAtAll } from "#functions/sweep/sweep.ts"
import { startEcs } from "#one-machine/ecs/ecs.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import {
  anEvent,
  anOutbox,
  aDoorbell,
  answerAll,
  forgetDoorbells,
} from "#test/support/session/events-and-doorbells.ts"
import { dynamoDb } from "#test/support/store.ts"
import { wrapClientCalls } from "#test/support/wrap-client-calls.ts"

Object.assign(config, { HOST_CAPACITY: 2, HOST_SPARE: 1 })

const said: string[] = []
const script = `process.on("disconnect", () => process.exit()); process.on("SIGUSR2", () => process.exit(1)); setTimeout(() => {}, 60000); console.log(process.env.HOST_ID)`
const ecs = await startEcs({
  at: { port: 0 },
  taskDefinitions: { "session-host": { command: [process.execPath, "-e", script], env: {} } },
  log: (line) => void said.push(line),
})
config.AWS_ENDPOINT_URL_ECS = ecs.endpoint
afterAll(() => ecs.close())

/** Each test has the service to itself. */
beforeEach(async () => {
  for (const host of await Host.list()) await Host.remove(host.id)
  for (const lease of await Lease.listByHost(Lease.FREE)) await Lease.stop(lease.bridgeId, "operator")
})
afterEach(() => void vi.useRealTimers())

const about = { addr: "127.0.0.1:1", capacity: 2, sessions: 0, network: "simulated" } as const

function later(seconds: number) {
  vi.setSystemTime(Date.now() + seconds * 1000)
}

async function holds(hostId: string, bridgeId: string) {
  const free = await Lease.get(bridgeId)
  return (free && (await Lease.acquire(free, { id: hostId, addr: about.addr })))!
}

describe("hosts that are wanted", () => {
  test("are started once, under the id that was announced, and counted while they start", async () => {
    await lookAtAll()
    const [host] = await Host.list()
    expect(host).toMatchObject({ state: "starting", network: "simulated", capacity: 2 })
    expect(ecs.pids().has(host!.task)).toBe(true)
    await expect.poll(() => said).toContain(host!.id)
    await lookAtAll()
    expect(await Host.list()).toHaveLength(1)

    await aBridge()
    await aBridge()
    await lookAtAll()
    expect(await Host.list()).toHaveLength(2)
    await lookAtAll()
    expect(await Host.list()).toHaveLength(2)
  })

  test("and were announced by a look that did not live to start them are started under that id, once", async () => {
    const running = ecs.pids().size
    await Host.announce({ id: "announced-before", network: "simulated", capacity: 2 })
    await lookAtAll()
    await lookAtAll()
    expect(await Host.list()).toHaveLength(1)
    expect((await Host.get("announced-before"))!.task).toMatch(/^arn:aws:ecs/)
    expect(ecs.pids().size).toBe(running + 1)
  })
})

describe("a bridge that may be what kills its hosts", () => {
  test("gets a host for itself, once its time has come, though others have room", async () => {
    const bridge = await aBridge()
    for (const id of ["one", "two"]) await Host.beat({ id, ...about, sessions: 1 })
    for (let failures = 1; failures <= 3; failures++) {
      const held = await holds("one", bridge.id)
      await Lease.release(held, { failed: true, proven: false })
    }
    await lookAtAll()
    expect(await Host.list()).toHaveLength(2)
    later(60)
    await lookAtAll()
    expect((await Host.list()).map((host) => host.state).toSorted()).toEqual(["starting", "up", "up"])
  })
})

describe("a dead host", () => {
  test.for([
    ["ended by itself gives its bridge free at the next look, and counts for it", "SIGUSR2", 1],
    ["was killed from outside does so too, and counts for nobody", "SIGKILL", 0],
  ] as const)("whose task %s; another is started", async ([, signal, failures]) => {
    const bridge = await aBridge()
    await lookAtAll()
    const [host] = await Host.list()
    await expect.poll(() => said).toContain(host!.id)
    await Host.beat({ id: host!.id, ...about })
    const held = await holds(host!.id, bridge.id)
    await lookAtAll()
    expect(await Lease.get(bridge.id)).toMatchObject({ host: host!.id })

    process.kill(ecs.pids().get(host!.task)!, signal)
    await expect
      .poll(async () => {
        await lookAtAll()
        return await Lease.get(bridge.id)
      })
      .toMatchObject({ host: Lease.FREE, epoch: held.epoch + 1, failures, failCount: 1, addr: "" })
    expect((await Lease.get(bridge.id))!.deaths).toBe(failures)
    const hosts = await Host.list()
    expect(hosts.map((one) => one.state).toSorted()).toEqual(["dead", "starting"])
  })

  test("of which no report comes is dead after four silent beats; one that beats lives", async () => {
    vi.useFakeTimers({ toFake: ["performance"] })
    const [silent, living] = [await aBridge(), await aBridge()]
    for (const id of ["silent", "living"]) await Host.beat({ id, ...about })
    await holds("silent", silent.id)
    await holds("living", living.id)
    for (let beat = 0; beat <= 3; beat++) {
      await lookAtAll()
      expect((await Host.get("silent"))!.state).toBe("up")
      vi.advanceTimersByTime(config.LEASE_BEAT_MS)
      await Host.beat({ id: "living", ...about })
    }
    await lookAtAll()
    expect((await Host.get("silent"))!.state).toBe("dead")
    expect(await Host.beat({ id: "silent", ...about })).toBe("dead")
    expect(await Lease.get(silent.id)).toMatchObject({ host: Lease.FREE })
    expect(await Lease.get(living.id)).toMatchObject({ host: "living" })
  })

  test("is not declared so after an outage of the store, in which no host could beat", async () => {
    vi.useFakeTimers({ toFake: ["performance"] })
    await Host.beat({ id: "unheard", ...about })
    await lookAtAll()
    vi.advanceTimersByTime(10_000)
    const restore = dynamoDb.faults.add({ fault: "throttling" })
    await expect(lookAtAll()).rejects.toMatchObject({ name: "ThrottlingException" })
    restore()
    vi.advanceTimersByTime(10_000)
    await lookAtAll()
    expect((await Host.get("unheard"))!.state).toBe("up")
    vi.advanceTimersByTime(4 * config.LEASE_BEAT_MS)
    await lookAtAll()
    expect((await Host.get("unheard"))!.state).toBe("dead")
  })

  test("that beat since it was observed is not declared dead", async () => {
    await Host.beat({ id: "slow", ...about })
    const { version } = (await Host.get("slow"))!
    await Host.beat({ id: "slow", ...about })
    expect(await Host.markDead("slow", version)).toBe(false)
    expect((await Host.get("slow"))!.state).toBe("up")
  })

  test("gives free also what the late index named only later, and after its last beat", async () => {
    const bridge = await aBridge()
    await Host.beat({ id: "late", ...about })
    await Host.markDead("late", 1)
    await holds("late", bridge.id)
    await Host.beat({ id: "late", ...about })
    await lookAtAll()
    expect(await Lease.get(bridge.id)).toMatchObject({ host: Lease.FREE })
  })

  test("is one of many that died at once: twenty are looked after at a look, the others at the next", async () => {
    const bridge = await aBridge()
    const ids = Array.from({ length: 25 }, (_, n) => `lost-${n}`)
    for (const id of ids) await Host.beat({ id, ...about })
    const last = (await Host.list()).findLast(({ id }) => id.startsWith("lost-"))!
    await holds(last.id, bridge.id)
    for (const id of ids) await Host.markDead(id, 1)
    const asked = new Set<unknown>()
    wrapClientCalls(store, async ({ input }, go) => {
      const host = input.ExpressionAttributeValues?.[":host"]
      if (String(host).startsWith("lost-")) asked.add(host)
      return await go()
    })
    await lookAtAll()
    expect([asked.size, (await Lease.get(bridge.id))!.host]).toEqual([20, last.id])
    await lookAtAll()
    expect([asked.size, (await Lease.get(bridge.id))!.host]).toEqual([25, Lease.FREE])
  })

  test("is forgotten after an hour", async () => {
    await Host.beat({ id: "old", ...about })
    await Host.markDead("old", 1)
    await lookAtAll()
    expect(await Host.get("old")).toBeDefined()
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_602_000 })
    await lookAtAll()
    expect(await Host.get("old")).toBeUndefined()
  })
})

describe("a sweep", () => {
  test("ends in an error where no look succeeded, so that the operator is told", async () => {
    const isBack = dynamoDb.faults.add({ fault: "denied", operation: "Query" })
    onTestFinished(isBack)
    await expect(keepLooking(0)).rejects.toThrow("not authorized")
    isBack()
    await expect(keepLooking(0)).resolves.toBeUndefined()
  })
})

describe("an overdue delivery", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }))

  test("whose doorbell was lost is rung for, and delivered", async () => {
    const receiver = await aReceiver()
    const outbox = await anOutbox(await aBridge(receiver.url))
    const [id] = await outbox.append(anEvent())
    await forgetDoorbells()
    later(149)
    await ringOverdue()
    expect(await answerAll()).toBe(0)
    later(2)
    await ringOverdue()
    await ringOverdue()
    expect(await answerAll()).toBe(1)
    expect(receiver.arrivals.map((one) => one.eventId)).toEqual([id])
  })

  test("whose producer died before it rang is rung for", async () => {
    const receiver = await aReceiver()
    const bridge = await aBridge(receiver.url)
    const outbox = await anOutbox(bridge)
    await outbox.write(anEvent())
    await Delivery.promise(Delivery.first(bridge.id), 0)
    later(151)
    await ringOverdue()
    await answerAll()
    expect(receiver.arrivals).toHaveLength(1)
  })

  test("is rung for once more when the sweep dies between promise and bell", async () => {
    const receiver = await aReceiver()
    const bridge = await aBridge(receiver.url)
    const outbox = await anOutbox(bridge)
    await outbox.append(anEvent())
    await forgetDoorbells()
    later(151)
    await Delivery.promise(Delivery.first(bridge.id), (await Delivery.get(Delivery.first(bridge.id)))!.due)
    await ringOverdue()
    expect(await aDoorbell()).toBeUndefined()
    later(151)
    await ringOverdue()
    await answerAll()
    expect(receiver.arrivals).toHaveLength(1)
  })

  test("whose next attempt waits for a clock that was set back is rung for, and tried again", async () => {
    const receiver = await aReceiver([500])
    const outbox = await anOutbox(await aBridge(receiver.url))
    await outbox.append(anEvent())
    await answerAll()
    expect(receiver.arrivals).toHaveLength(1)
    later(-2 * 3600)
    expect(await answerAll()).toBe(0)
    await ringOverdue()
    await answerAll()
    expect(receiver.arrivals).toHaveLength(2)
  })

  test("is none where nothing waits, or a failed event waits for its time", async () => {
    const done = await anOutbox(await aBridge((await aReceiver()).url))
    const failing = await anOutbox(await aBridge((await aReceiver([500, 500, 500, 500])).url))
    await done.append(anEvent())
    await failing.append(anEvent())
    await answerAll()
    for (const wait of [10.1, 30.1, 60.1]) {
      later(wait)
      await answerAll()
    }
    later(179)
    await ringOverdue()
    expect(await answerAll()).toBe(0)
    await forgetDoorbells()
  })
})
