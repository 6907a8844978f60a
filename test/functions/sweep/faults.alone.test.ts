import { vi } from "vitest"
import "#test/support/store.ts"
import { afterAll, afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest"
import { HostShortage } from "#core/lease/host-shortage.ts"
import { Host } from "#core/lease/host.ts"
import { Lease } from "#core/lease/lease.ts"
import { config } from "#core/platform/config.ts"
import { handler } from "#functions/sweep/handler.ts"
import { lookAtAll } from "#functions/sweep/sweep.ts"
import { startEcs } from "#one-machine/ecs/ecs.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { until } from "#test/support/until.ts"

Object.assign(config, { HOST_CAPACITY: 2, HOST_SPARE: 1, LEASE_BEAT_MS: 5000 })

const quiet = `process.on("disconnect", () => process.exit()); setTimeout(() => {}, 60000)`
const said: string[] = []
const ecs = await startEcs({
  at: { port: 0 },
  taskDefinitions: {
    "session-host": { command: [process.execPath, "-e", quiet], env: {} },
    stubborn: {
      command: [process.execPath, "-e", `process.on("SIGTERM", () => {}); console.log("deaf"); ${quiet}`],
      env: {},
    },
    broken: { command: ["/no/such/program"], env: {} },
  },
  log: (line) => said.push(line),
  stopTimeoutMs: 1000,
  closeTimeoutMs: 200,
  maxTasks: 4,
})
config.AWS_ENDPOINT_URL_ECS = ecs.endpoint
afterAll(() => ecs.close())

/** Each test has the service to itself. */
beforeEach(async () => {
  for (const host of await Host.list()) await Host.remove(host.id)
  for (const lease of await Lease.listByHost(Lease.FREE)) await Lease.stop(lease.bridgeId, "operator")
  for (const task of ecs.pids().keys())
    ecs.interrupt(task, { stopCode: "UserInitiated", stoppedReason: "test" })
  await until(async () => ecs.pids().size === 0)
  await HostShortage.end("simulated")
})
afterEach(() => void vi.useRealTimers())

const about = { addr: "127.0.0.1:1", capacity: 2, sessions: 0, network: "simulated" } as const
const states = async () => (await Host.list()).map((host) => host.state).toSorted()

function use(taskDefinition: string) {
  const before = config.ECS_TASK_DEFINITION
  config.ECS_TASK_DEFINITION = taskDefinition
  onTestFinished(() => void (config.ECS_TASK_DEFINITION = before))
}

function passes(seconds: number) {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + seconds * 1000 })
}

/** Starts a host and lets it beat. */
async function aHostUp() {
  await lookAtAll()
  const host = (await Host.list()).find((one) => one.state === "starting")!
  await Host.beat({ id: host.id, ...about })
  return host
}

describe("RunTask", () => {
  test("that is throttled is asked again at the next look, for the same host, and not before", async () => {
    // Both tries of the client for each of three hosts.
    ecs.refuse("RunTask", { code: "ThrottlingException", message: "Rate exceeded" }, 6)
    for (let i = 0; i < 4; i++) await aBridge()
    await lookAtAll()
    const before = await Host.list()
    expect(before.filter((host) => host.task !== "")).toEqual([])
    expect(await HostShortage.get("simulated")).toBeUndefined()
    await lookAtAll()
    const after = await Host.list()
    expect(after.map((host) => host.id)).toEqual(expect.arrayContaining(before.map((host) => host.id)))
    expect(after).toHaveLength(3)
    expect(ecs.pids().size).toBe(3)
  })

  test("that the quota of vCPUs refuses is a state that says so, is tried ever more rarely, and passes", async () => {
    for (let i = 0; i < 9; i++) await aBridge()
    await lookAtAll()
    expect(ecs.pids().size).toBe(4)
    expect(await HostShortage.get("simulated")).toMatchObject({
      kind: "quota",
      why: expect.stringContaining("limit on the number of vCPUs"),
      failures: 1,
    })
    // A refused host does not count as starting.
    expect(await Host.list()).toHaveLength(4)
    await lookAtAll()
    expect(await HostShortage.get("simulated")).toMatchObject({ failures: 1 })
    for (const [seconds, failures] of [
      [11, 2],
      [11, 2],
      [21, 3],
    ] as const) {
      passes(seconds)
      await lookAtAll()
      expect(await HostShortage.get("simulated")).toMatchObject({ failures })
    }

    const [one] = await Host.list()
    ecs.interrupt(one!.task, { stopCode: "UserInitiated", stoppedReason: "room is made" })
    await Host.remove(one!.id)
    await expect.poll(() => ecs.pids().size).toBe(3)
    passes(41)
    await lookAtAll()
    expect(ecs.pids().size).toBe(4)
  })

  test.for([
    ["AccessDeniedException", "User is not authorized to perform: ecs:RunTask"],
    [
      "ClientException",
      "ECS was unable to assume the role 'arn:aws:iam::111122223333:role/SessionHostTaskRole'",
    ],
  ] as const)(
    "that IAM does not know of yet, as after a deploy, is no refusal; one that lasts is: %s",
    async ([code, message]) => {
      const denied = { code, message }
      ecs.refuse("RunTask", denied)
      await lookAtAll()
      const [announced] = await Host.list()
      expect(announced).toMatchObject({ state: "starting", task: "" })
      expect(await HostShortage.get("simulated")).toBeUndefined()
      await lookAtAll()
      expect(await Host.list()).toEqual([{ ...announced, task: expect.stringContaining(":task/") }])

      await Host.remove(announced!.id)
      ecs.refuse("RunTask", denied, 2)
      await lookAtAll()
      vi.useFakeTimers({ toFake: ["performance"] })
      vi.advanceTimersByTime(600_000)
      await lookAtAll()
      expect(await HostShortage.get("simulated")).toMatchObject({
        kind: "refused",
        why: expect.stringContaining(message),
      })
    },
  )

  test("that was asked in other words before a deploy gives the host the task that it started then", async () => {
    await lookAtAll()
    const [started] = await Host.list()
    // As if its answer had been lost.
    await Host.announce({ id: started!.id, network: "simulated", capacity: 2, definition: "session-host" })
    use("stubborn")
    await lookAtAll()
    expect(await Host.get(started!.id)).toMatchObject({ task: started!.task })
    // That one, and one of the new definition, which will replace it.
    expect((await Host.list()).map(({ task }) => task).toSorted()).toEqual([...ecs.pids().keys()].toSorted())
    expect(await HostShortage.get("simulated")).toBeUndefined()
  })

  test("that finds no capacity is a state of its own, which ends when a host is up", async () => {
    ecs.refuse("RunTask", { failure: "Capacity is unavailable at this time" })
    await lookAtAll()
    expect(await HostShortage.get("simulated")).toMatchObject({ kind: "capacity" })
    passes(11)
    const host = await aHostUp()
    await lookAtAll()
    expect(host.task).not.toBe("")
    expect(await HostShortage.get("simulated")).toBeUndefined()
  })
})

describe("a task", () => {
  test("that cannot start is no loop: the next is started later, and the reason is kept", async () => {
    use("broken")
    const ids = new Set<string>()
    for (let i = 0; i < 8; i++) {
      await lookAtAll()
      for (const host of await Host.list()) ids.add(host.id)
    }
    expect(ids.size).toBe(1)
    expect(await HostShortage.get("simulated")).toMatchObject({
      kind: "start",
      why: expect.stringContaining("TaskFailedToStart: CannotStartContainerError"),
    })
    passes(11)
    await lookAtAll()
    expect(await Host.list()).toHaveLength(2)
  })

  test("that never comes up is given up after five minutes, stopped, and another is started later", async () => {
    await lookAtAll()
    const [host] = await Host.list()
    passes(301)
    await lookAtAll()
    expect(await states()).toEqual(["dead"])
    expect(await HostShortage.get("simulated")).toMatchObject({ kind: "start" })
    await lookAtAll()
    await until(async () => !ecs.pids().has(host!.task))
    passes(11)
    await lookAtAll()
    expect(await states()).toEqual(["dead", "starting"])
  })

  test("of a host that was declared dead and runs on is stopped, and killed when it does not listen", async () => {
    use("stubborn")
    const host = await aHostUp()
    const { version } = (await Host.get(host.id))!
    await Host.markDead(host.id, version)
    ecs.refuse("StopTask", { code: "ThrottlingException", message: "Rate exceeded" }, 2)
    await lookAtAll()
    expect(ecs.pids().has(host.task)).toBe(true)
    await lookAtAll()
    await until(async () => !ecs.pids().has(host.task))
  })

  test("of a host that does not drain is stopped after a while", async () => {
    const host = await aHostUp()
    await Host.drain(host.id)
    passes(120)
    await lookAtAll()
    expect(ecs.pids().has(host.task)).toBe(true)
    passes(31)
    await lookAtAll()
    await until(async () => !ecs.pids().has(host.task))
  })

  test.for([
    ["SpotInterruption", "Your Spot Task was interrupted."],
    ["ServiceSchedulerInitiated", "Amazon ECS is retiring the platform of this task"],
  ])(
    "that the provider ends (%s) has its room made up for at once, while its host drains",
    async ([stopCode, stoppedReason]) => {
      use("stubborn")
      const slow = await startedSlowly()
      ecs.interrupt(slow.task, { stopCode: stopCode!, stoppedReason: stoppedReason! })
      await lookAtAll()
      expect(await states()).toEqual(["draining", "starting"])
      expect(await Host.beat({ id: slow.id, ...about })).toBe("draining")
    },
  )
})

/** A host that is up and ignores SIGTERM. */
async function startedSlowly() {
  const before = said.length
  const host = await aHostUp()
  await lookAtAll()
  // Before that, a signal would end it.
  await until(async () => said.length > before)
  return host
}

describe("networks", () => {
  test("each have hosts of their own where there are sandbox bridges, and only there", async () => {
    await lookAtAll()
    expect((await Host.list()).map((host) => host.network)).toEqual(["simulated"])
    Object.assign(config, { SANDBOX: true, HOST_NETWORK: "live" })
    onTestFinished(() => void Object.assign(config, { SANDBOX: false, HOST_NETWORK: "simulated" }))
    await lookAtAll()
    expect((await Host.list()).map((host) => host.network).toSorted()).toEqual(["live", "simulated"])
    await HostShortage.end("live")
  })

  test("that there are none of any more leave bridges that no caller waits for", async () => {
    Object.assign(config, { HOST_SPARE: 0 })
    await aBridge()
    expect(await lookAtAll()).toBe(true)
    for (const host of await Host.list()) await Host.remove(host.id)
    Object.assign(config, { HOST_NETWORK: "live" })
    onTestFinished(() => void Object.assign(config, { HOST_NETWORK: "simulated", HOST_SPARE: 1 }))
    expect(await lookAtAll()).toBe(false)
  })
})

describe("hosts too many", () => {
  test("go one at a time, and not before they have been too many for ten minutes", async () => {
    vi.useFakeTimers({ toFake: ["performance"] })
    for (const id of ["one", "two", "three", "four"]) await Host.beat({ id, ...about })
    await lookAtAll()
    expect(await states()).toEqual(["up", "up", "up", "up"])
    for (let beat = 0; beat < 119; beat++) vi.advanceTimersByTime(config.LEASE_BEAT_MS)
    for (const id of ["one", "two", "three", "four"]) await Host.beat({ id, ...about })
    await lookAtAll()
    expect(await states()).toEqual(["up", "up", "up", "up"])
    vi.advanceTimersByTime(config.LEASE_BEAT_MS)
    await lookAtAll()
    expect(await states()).toEqual(["draining", "up", "up", "up"])
    await lookAtAll()
    expect(await states()).toEqual(["draining", "up", "up", "up"])
  })
})

test("a sweep of a stage without hosts and bridges ends after its look, and is not paid for any longer", async () => {
  Object.assign(config, { HOST_SPARE: 0 })
  onTestFinished(() => void Object.assign(config, { HOST_SPARE: 1 }))
  await handler()
  expect(await Host.list()).toEqual([])
})
