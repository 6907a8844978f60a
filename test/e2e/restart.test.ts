import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { z } from "zod"
import { expect, onTestFinished, test } from "vitest"
import { apiClient } from "#local/api-client.ts"
import { link } from "#local/network/link.ts"
import { networkClient } from "#local/network/client.ts"
import { spawnService } from "#local/service/spawn-service.ts"
import { startReceiver } from "../support/service/start-receiver.ts"
import { until } from "#test/support/until.ts"

function aFolder() {
  const dataDir = mkdtempSync(join(tmpdir(), "bridge-restart-"))
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
  return dataDir
}

/** The whole service on one data folder, in processes of its own. */
async function aService(dataDir: string) {
  const service = await spawnService({ dataDir })
  onTestFinished(service.stop)
  return service
}

test("a service that was killed whole while a receiver failed delivers soon after its restart, in order", async () => {
  const dataDir = aFolder()
  const service = await aService(dataDir)
  const account = await service.admin(z.object({ id: z.string() }), "account", "create", "shop", "active")
  const { key } = await service.admin(z.object({ key: z.string() }), "key", "create", account.id)
  const api = apiClient(service.baseUrl, key)
  let isUp = false
  const receiver = await startReceiver(() => (isUp ? 200 : 503))
  onTestFinished(receiver.stop)
  await api("POST", "/instances", { customer_ref: "shop", webhook_url: receiver.url })
  const network = networkClient({ controlUrl: service.phonesUrl })
  const [owner, contact] = [await network.create("Olga"), await network.create("Carl")]
  await link("shop", {
    api,
    scan: (png) => network.scan(owner.number, png),
    signal: AbortSignal.timeout(30_000),
  })
  for (const text of ["one", "two"]) await network.send(contact.number, owner.number, text)
  await receiver.atLeast(1)

  process.kill(service.pid, "SIGKILL")
  await service.ended
  isUp = true
  const before = receiver.arrivals.length
  await aService(dataDir)
  // The killed service's claim would have ended only after a minute and a half.
  const texts = await until(() => {
    const messages = receiver.arrivals.slice(before).filter(({ type }) => type === "message")
    return messages.length >= 2 && messages.map(({ text }) => text)
  })
  expect(texts).toEqual(["one", "two"])
}, 180_000)

test("a bridge is blamed for nothing when the service is killed whole again and again", async () => {
  const dataDir = aFolder()
  const killed = async () => {
    const service = await aService(dataDir)
    const why = async () => await service.admin(z.object({ why: z.string() }), "bridge", "why", "my-bridge")
    const isFreed = async () => {
      const said = await why()
      return !/host died|host is gone/.test(said.why) && said
    }
    const said = await until(isFreed)
    await until(async () => /it is up/.test((await why()).why))
    process.kill(service.pid, "SIGKILL")
    await service.ended
    return said.why
  }
  for (let kill = 0; kill < 2; kill++) expect(await killed()).not.toMatch(/sessions failed|may be what/)
}, 180_000)
