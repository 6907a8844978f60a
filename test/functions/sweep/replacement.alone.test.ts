import "#test/support/store.ts"
import { fileURLToPath } from "node:url"
import { DescribeTasksCommand, ECSClient } from "@aws-sdk/client-ecs"
import { afterAll, expect, test } from "vitest"
import { bridge } from "#admin/bridge.ts"
import { host } from "#admin/host.ts"
import { Host } from "#core/lease/host.ts"
import { Lease } from "#core/lease/lease.ts"
import { serviceAt } from "#core/platform/aws-client-options.ts"
import { config } from "#core/platform/config.ts"
import { lookAtAll } from "#functions/sweep/sweep.ts"
import { startEcs } from "#one-machine/ecs/ecs.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { held } from "#test/support/session/host.ts"
import { until } from "#test/support/until.ts"

Object.assign(process.env, { HOST_CAPACITY: "2", HOST_SPARE: "1" })
Object.assign(config, { HOST_CAPACITY: 2, HOST_SPARE: 1 })

let hasSpot = true

/** Real session hosts in their own processes. No phone is linked to these bridges, so none of them dials. */
const ecs = await startEcs({
  at: { port: 0 },
  taskDefinitions: {
    "session-host": {
      tags: [{ key: "sst:stage", value: "test" }],
      command: [process.execPath, fileURLToPath(new URL("../../../session-host/main.ts", import.meta.url))],
      env: {
        ...(process.env as Record<string, string>), // nothing in it is undefined
        SIMULATOR_URL: "ws://127.0.0.1:1",
        SIMULATOR_ROOT_KEY: "00".repeat(32),
      },
    },
  },
  log: () => {},
  closeTimeoutMs: 5000,
  hasSpot: () => hasSpot,
})
config.AWS_ENDPOINT_URL_ECS = ecs.endpoint
afterAll(() => ecs.close())

const isNew = (host: Host.Info) => host.definition === "session-host:2"
const up = async () => (await Host.list()).filter((host) => host.state === "up")

/** Looks as the sweep does until the condition holds. @returns the most hosts that drained at a time. */
async function lookUntil(isSo: () => Promise<boolean>): Promise<number> {
  let most = 0
  const looked = async () => {
    if (await isSo()) return true
    await lookAtAll()
    most = Math.max(most, (await Host.list()).filter((host) => host.state === "draining").length)
    return false
  }
  await until(looked, { what: String(isSo), withinMs: 50_000 })
  return most
}

async function areHeld(bridges: { id: string }[], by: (host: Host.Info) => boolean): Promise<boolean> {
  const hosts = new Set((await up()).filter(by).map((host) => host.id))
  const leases = await Promise.all(bridges.map(({ id }) => Lease.get(id)))
  return leases.every((lease) => lease !== undefined && hosts.has(lease.host))
}

/** No planned end counts against a bridge. */
async function expectNoFailures(bridges: { id: string }[]) {
  for (const { id } of bridges) expect(await Lease.get(id)).toMatchObject({ failures: 0, failCount: 0 })
}

test("a new bridge finds room at once, new definitions replace hosts singly, Spot one, an operator all", async () => {
  const bridges = [await aBridge(), await aBridge(), await aBridge()]
  await lookUntil(() => areHeld(bridges, () => true))
  expect(await up()).toHaveLength(2)
  expect(await tagsOfAll()).toEqual([
    [{ key: "sst:stage", value: "test" }],
    [{ key: "sst:stage", value: "test" }],
  ])

  // No bridge waits any more, since there is room.
  bridges.push(await aBridge())
  await held(bridges[3]!.id)

  config.ECS_TASK_DEFINITION = "session-host:2"
  const most = await lookUntil(
    async () =>
      (await areHeld(bridges, isNew)) &&
      (await Host.list()).every((host) => host.state === "up" && isNew(host)),
  )
  expect(most).toBe(1)
  await expectNoFailures(bridges)

  const [taken] = await up()
  ecs.interrupt(taken!.task, {
    stopCode: "SpotInterruption",
    stoppedReason: "Your Spot Task was interrupted.",
  })
  await lookUntil(() => areHeld(bridges, (host) => host.id !== taken!.id))
  await expectNoFailures(bridges)
  await lookUntil(async () => (await Host.get(taken!.id)) === undefined)

  let isOver = false
  const stopped = host.stop!.run(["all"]).finally(() => (isOver = true))
  await lookUntil(async () => isOver)
  await stopped
  expect(await Host.list()).toEqual([])
  await expect.poll(() => ecs.pids().size).toBe(0)
  await lookAtAll()
  expect(ecs.pids().size).toBe(0)
  expect(await bridge.why!.run([bridges[0]!.id])).toContainEqual({
    why: expect.stringContaining("`host start`"),
  })
  await expectNoFailures(bridges)
  await host.start!.run([])
  await lookUntil(() => areHeld(bridges, isNew))
}, 90_000)

test("Spot takes back every host at once and has no other: all bridges move to hosts at the full price", async () => {
  config.HOST_SPOT = true
  hasSpot = true
  const bridges = [await aBridge(), await aBridge(), await aBridge()]
  await lookUntil(() => areHeld(bridges, () => true))
  const before = (await up()).map(({ id }) => id)
  hasSpot = false
  for (const host of await up())
    ecs.interrupt(host.task, {
      stopCode: "SpotInterruption",
      stoppedReason: "Your Spot Task was interrupted.",
    })
  await lookUntil(() => areHeld(bridges, ({ id }) => !before.includes(id)))
  await expectNoFailures(bridges)
  expect((await up()).length).toBeGreaterThan(1)
  hasSpot = true
}, 90_000)

/** By which a bill tells whose tasks they are. */
async function tagsOfAll() {
  const client = new ECSClient(serviceAt(ecs.endpoint))
  const { tasks } = await client.send(
    new DescribeTasksCommand({ tasks: [...ecs.pids().keys()], include: ["TAGS"] }),
  )
  client.destroy()
  return tasks!.map((task) => task.tags)
}
