import "#test/support/store.ts"
import { mkdtempSync, readdirSync, rmSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from "vitest"
import { sentences } from "#contract/error-codes.ts"
import { BridgeLog } from "#core/bridge/bridge-log.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { dayOfLog } from "#core/bridge/log-on-disk.ts"
import { config } from "#core/platform/config.ts"
import { DiskRoom } from "#core/platform/disk-room.ts"
import { log, logOutput } from "#core/platform/log.ts"
import { aScriptedHost, sayJson } from "#test/support/scripted-host.ts"
import { aCustomer, json } from "#test/support/service/customer.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import { anEvent, anOutbox, answerAll } from "#test/support/session/events-and-doorbells.ts"
import { until } from "#test/support/until.ts"

const folder = mkdtempSync(join(tmpdir(), "little-room-"))
Object.assign(config, { STORAGE_DIR: folder, LOG_DIR: join(folder, "logs") })
afterAll(() => rmSync(folder, { recursive: true }))

const { bavail, bsize } = statfsSync(folder)
const freeMb = (bavail * bsize) / 1e6
/**
 * Reserves beside which the disk of this machine is nearly full, has room for what is needed, and has plenty.
 */
const reserves = { full: 4 * freeMb, tight: 0.75 * freeMb, plenty: 0 }
const setRoom = (room: keyof typeof reserves) => void (config.STORAGE_RESERVE_MB = reserves[room])
beforeEach(() => setRoom("plenty"))

async function aShop(webhookUrl?: string) {
  const customer = await aCustomer()
  await customer.post("/api/instances", { customer_ref: "shop", webhook_url: webhookUrl })
  const { id } = await Bridge.get(customer.account.id, "shop")
  const send = (key?: string) => {
    const headers: Record<string, string> = key ? { "idempotency-key": key } : {}
    return customer.call(
      "POST",
      "/api/instances/shop/proxy/send/text",
      { chat: "15551234567", body: "x" },
      headers,
    )
  }
  return { ...customer, id, send }
}

test("below the reserve a send is 503 storage_full and reaches no host; with room the same key sends", async () => {
  const shop = await aShop()
  const host = await aScriptedHost((_, response) => sayJson(response, 200, { message_id: "x", timestamp: 1 }))
  await host.take(shop.id)
  setRoom("full")
  for (const answer of [await shop.send(), await shop.send("key")]) {
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "60"])
    expect(await json(answer)).toMatchObject({ code: "storage_full", error: sentences.storage_full })
  }
  expect(host.calls).toEqual([])
  expect((await shop.get("/api/instances/shop/proxy/status")).status).toBe(200)
  setRoom("tight")
  expect((await shop.send("key")).status).toBe(200)
  expect(host.calls.map(({ path }) => path)).toEqual(["/status", "/send/text"])
})

test("below the reserve no bridge is created, and one that exists is found", async () => {
  const shop = await aShop()
  setRoom("full")
  const refused = await shop.post("/api/instances", { customer_ref: "other" })
  expect([refused.status, (await json(refused)).code]).toEqual([503, "storage_full"])
  const found = await shop.post("/api/instances", { customer_ref: "shop" })
  expect([found.status, (await json(found)).id]).toEqual([200, shop.id])
  expect(await shop.get("/api/instances").then(json)).toHaveLength(1)
})

test("below twice the reserve, bridges' logs and receivers' answers are not kept, and deliveries go on", async () => {
  const receiver = await aReceiver([500])
  const shop = await aShop(receiver.url)
  const outbox = await anOutbox(await Bridge.get(shop.account.id, "shop"))
  BridgeLog.append(shop.id, "info", "before")
  setRoom("tight")
  BridgeLog.append(shop.id, "info", "meanwhile")
  const [event] = await outbox.append(anEvent("a"))
  await answerAll()
  const about = await json(shop.get(`/api/instances/shop/deliveries/${event}`))
  expect(about.attempts).toMatchObject([{ attempt: 1, status_code: 500, answer: "" }])
  setRoom("plenty")
  BridgeLog.append(shop.id, "info", "afterwards")
  const { lines: kept } = await BridgeLog.read(shop.id, { most: 10 })
  expect(kept.map((line) => line.split(" ").at(-1))).toEqual(["before", "afterwards"])
  expect(readdirSync(join(folder, "logs", shop.id))).toHaveLength(1)
})

test("a bridge logs no more in a day than may be kept of it", async () => {
  const shop = await aShop()
  const { mostBytes } = dayOfLog
  onTestFinished(() => void (dayOfLog.mostBytes = mostBytes))
  dayOfLog.mostBytes = 100
  for (let n = 0; n < 9; n++) BridgeLog.append(shop.id, "info", `line ${n}`)
  const { lines } = await BridgeLog.read(shop.id, { most: 10 })
  expect(lines.map((line) => line.slice(-6))).toEqual(["line 0", "line 1"])
})

test("one process says in its log when it begins and when it ends, and each refusal is counted", async () => {
  const usual = log.level
  log.level = "info"
  config.METRICS_SERVICE = "api"
  const written = vi.spyOn(logOutput, "write").mockReturnValue(true)
  onTestFinished(() => {
    log.level = usual
    config.METRICS_SERVICE = undefined
    written.mockRestore()
  })
  const said = () => written.mock.calls.flatMap(([line]) => line.match(/the disk [^"]*/) ?? [])
  const shop = await aShop()
  setRoom("full")
  // As a session host asks.
  await until(() => !DiskRoom.hasRoomToSpare())
  expect(said()).toEqual([])
  await until(() => !DiskRoom.hasRoom() && said().length > 0)
  for (let at = 0; at < 3; at++) await shop.send()
  setRoom("plenty")
  await until(() => DiskRoom.hasRoom() && said().length > 1)
  expect(said()).toEqual([
    "the disk is nearly full: nothing is sent and no bridge is created",
    "the disk has room again",
  ])
  const counted = written.mock.calls.filter(([line]) => line.includes('"StorageFull":[1]'))
  expect(counted).toHaveLength(3)
})
