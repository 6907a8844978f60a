import type { z } from "zod"
import { afterAll, beforeAll, expect, test } from "vitest"
import { BridgeWithManager } from "#core/contract/bridge.ts"
import { sessionHostPids } from "#local/service/session-host-pids.ts"
import type { Phone } from "#local/network/client.ts"
import { until } from "#test/support/until.ts"
import { startWhole, type Whole } from "./whole-service.ts"

type Manager = z.infer<typeof BridgeWithManager>["manager"]

let whole: Whole
let grace: Phone

beforeAll(async () => {
  whole = await startWhole()
  grace = await whole.network.create("Grace")
  await whole.bridge("shop")
  await whole.link("shop", grace)
})
afterAll(() => whole.stop())

async function manager(): Promise<Manager> {
  const answer = await whole.call("GET", "/api/instances/shop")
  const { state, manager } = BridgeWithManager.parse(await answer.json())
  // The bridge is wanted, whatever becomes of its hosts.
  expect(state).toBe("running")
  return manager
}

/** Asks again and again until the condition holds; returns every answer. */
async function said(isSo: (manager: Manager) => boolean): Promise<Manager[]> {
  const all: Manager[] = []
  await until(async () => {
    const now = await manager()
    all.push(now)
    return isSo(now)
  })
  return all
}

async function killHosts(): Promise<void> {
  const pids = await sessionHostPids(whole)
  expect(pids).not.toEqual([])
  for (const pid of pids) process.kill(pid, "SIGKILL")
}

test("a host that is killed is counted; while nobody holds the session it is not called healthy; nothing is lost", async () => {
  const ada = await whole.network.create("Ada")
  let before = await manager()
  expect(before).toMatchObject({ health: "healthy", fail_count: 0 })
  for (const fail_count of [1, 2]) {
    await killHosts()
    const id = await whole.write(ada, grace.number, { text: `are you there? ${fail_count}` })
    const between = await said(({ health }) => health !== "healthy")
    expect(between.at(-1)).toMatchObject({ started_at: before.started_at })

    const after = (await said(({ health }) => health === "healthy")).at(-1)!
    expect(after.fail_count).toBe(fail_count)
    expect(Date.parse(after.started_at)).toBeGreaterThan(Date.parse(before.started_at))
    await whole.webhook.event("shop", "message", ({ message_id }) => message_id === id)
    await until(async () => (await whole.statusOf("shop")) === "connected")
    before = after
  }
  // A hand-over is not an event.
  const told = whole.webhook.of("shop").map(({ event }) => event)
  expect(told.filter((type) => type === "connected" || type === "disconnected")).toEqual(["connected"])
})

test("a bridge that its operator stopped says so, and is healthy again when it is let run", async () => {
  const id = await whole.idOf("shop")
  await whole.admin("bridge", "suspend", id)
  const answer = await whole.call("GET", "/api/instances/shop")
  expect(await answer.json()).toMatchObject({ state: "suspended", manager: { health: "stopped" } })
  await whole.admin("bridge", "resume", id)
  await said(({ health }) => health === "healthy")
  await until(async () => (await whole.statusOf("shop")) === "connected")
})
