import { afterAll, expect, onTestFinished, test } from "vitest"
import { z } from "zod"
import { BridgeWithManager } from "#contract/bridge.ts"
import { sessionHostPids } from "#one-machine/service/session-host-pids.ts"
import { spawnService } from "#one-machine/service/spawn-service.ts"
import { startService, statusOf } from "#test/support/service/service.ts"
import { startReceiver } from "#test/support/service/start-receiver.ts"
import { until } from "#test/support/until.ts"

type Manager = z.infer<typeof BridgeWithManager>["manager"]

// Hosts beat so rarely that whatever happens within a test happens without a beat.
const service = await startService({ LEASE_BEAT_MS: "120000" })
afterAll(async () => {
  await service.stop()
  service.remove()
})
const shop = await service.customer("shop")
const [grace, ada] = [await service.network.create("Grace"), await service.network.create("Ada")]
const receiver = await startReceiver()
afterAll(receiver.stop)
const { id } = await shop.linked("shop", grace.number, { webhook_url: receiver.url })

async function manager(): Promise<Manager> {
  const answer = await shop.call("GET", "/instances/shop")
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

const untilConnected = () => until(async () => (await statusOf(shop.call, "shop")) === "connected")

async function killHosts(): Promise<void> {
  const pids = await sessionHostPids(service)
  expect(pids).not.toEqual([])
  for (const pid of pids) process.kill(pid, "SIGKILL")
}

test("a killed host is counted, replaced before a beat, not called healthy meanwhile, and nothing is lost", async () => {
  let before = await manager()
  expect(before).toMatchObject({ health: "healthy", fail_count: 0 })
  for (const fail_count of [1, 2]) {
    await killHosts()
    const text = `are you there? ${fail_count}`
    await service.network.send(ada.number, grace.number, text)
    const between = await said(({ health }) => health !== "healthy")
    expect(between.at(-1)).toMatchObject({ started_at: before.started_at })

    const after = (await said(({ health }) => health === "healthy")).at(-1)!
    expect(after.fail_count).toBe(fail_count)
    expect(Date.parse(after.started_at)).toBeGreaterThan(Date.parse(before.started_at))
    await receiver.until((all) => all.find((one) => one.text === text))
    await untilConnected()
    expect(await sessionHostPids(service)).toHaveLength(1)
    before = after
  }
  // A hand-over is not an event.
  const told = receiver.arrivals.map(({ type }) => type)
  expect(told.filter((type) => type === "connected" || type === "disconnected")).toEqual(["connected"])
})

test("a bridge that its operator stopped says so, and is healthy again when it is let run", async () => {
  await service.admin(z.unknown(), "bridge", "suspend", id)
  const answer = await shop.call("GET", "/instances/shop")
  expect(await answer.json()).toMatchObject({ state: "suspended", manager: { health: "stopped" } })
  await service.admin(z.unknown(), "bridge", "resume", id)
  await said(({ health }) => health === "healthy")
  await untilConnected()
})

test("a service killed whole while a receiver failed delivers soon after, in order, and blames no bridge", async () => {
  let isUp = false
  const failing = await startReceiver(() => (isUp ? 200 : 503))
  onTestFinished(failing.stop)
  const owner = await service.network.create("Olga")
  await shop.linked("fresh", owner.number, { webhook_url: failing.url })
  for (const text of ["one", "two"]) await service.network.send(ada.number, owner.number, text)
  await failing.atLeast(1)

  const isKilled = async ({ pid, ended }: { pid: number; ended: Promise<unknown> }) => {
    process.kill(pid, "SIGKILL")
    await ended
    const next = await spawnService({ dataDir: service.dataDir })
    onTestFinished(next.stop)
    return next
  }
  isUp = true
  const before = failing.arrivals.length
  const next = await isKilled(service)
  // The killed service's claim would have ended only after a minute and a half.
  const texts = await until(() => {
    const messages = failing.arrivals.slice(before).filter(({ type }) => type === "message")
    return messages.length >= 2 && messages.map(({ text }) => text)
  })
  expect(texts).toEqual(["one", "two"])

  const last = await isKilled(next)
  const why: string[] = []
  await until(async () => {
    const said = await last.admin(z.object({ why: z.string() }), "bridge", "why", "fresh")
    why.push(said.why)
    return said.why.includes("Connected")
  })
  expect(why.filter((said) => /sessions failed|may be what/.test(said))).toEqual([])
}, 180_000)
