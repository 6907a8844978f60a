import "#test/support/store.ts"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, expect, onTestFinished, test, vi } from "vitest"
import { ApiKey } from "#core/account/api-key.ts"
import { BridgeLog } from "#core/bridge/bridge-log.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { config } from "#core/platform/config.ts"
import { timing } from "#functions/stream/sse.ts"
import { aCustomer, json } from "#test/support/service/customer.ts"

const folder = mkdtempSync(join(tmpdir(), "bridge-logs-"))
config.LOG_DIR = folder
afterAll(() => rmSync(folder, { recursive: true }))

const usual = { ...timing }
afterEach(() => {
  Object.assign(timing, usual)
  vi.useRealTimers()
})

async function aShop() {
  const customer = await aCustomer()
  await customer.post("/api/instances", { customer_ref: "shop" })
  const bridge = await Bridge.get(customer.account.id, "shop")
  const log = (text: string) => BridgeLog.append(bridge.id, "info", text)
  return { ...customer, bridge, log, open: (query = "", ref = "shop") => aStream(customer, ref, query) }
}

/** An open log stream: what it has sent so far, and how to wait for more. */
async function aStream(customer: Awaited<ReturnType<typeof aCustomer>>, ref: string, query: string) {
  const answer = await customer.get(`/api/instances/${ref}/logs${query}`)
  if (answer.status !== 200) return { answer, status: answer.status }
  const reader = answer.body!.getReader()
  onTestFinished(() => reader.cancel())
  let said = ""
  const until = async (isEnough: (said: string) => boolean) => {
    while (!isEnough(said)) {
      const { value, done } = await reader.read()
      if (done) return said
      said += Buffer.from(value).toString()
    }
    return said
  }
  const lines = async (count: number) => {
    const all = await until((text) => linesOf(text).length >= count)
    return linesOf(all)
  }
  return { answer, status: 200, until, lines, close: () => reader.cancel() }
}

/** The text of each line, without its time and level. */
function linesOf(said: string): string[] {
  return [...said.matchAll(/^data: \S+Z (?:INFO|WARN|ERROR) (.*)\n\n/gm)].map(([, text]) => text!)
}

test("the last lines come first, then each new one as it is written, in the documented form", async () => {
  const shop = await aShop()
  for (const text of ["one", "two", "three"]) shop.log(text)
  const stream = await shop.open("?tail=2")
  expect(stream.answer.headers.get("content-type")).toBe("text/event-stream")
  expect(await stream.lines!(2)).toEqual(["two", "three"])
  shop.log("four")
  BridgeLog.append(shop.bridge.id, "warn", "five")
  expect(await stream.lines!(4)).toEqual(["two", "three", "four", "five"])
  const said = await stream.until!(() => true)
  expect(said).toMatch(/^data: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z WARN five\n\n$/m)
})

test.for([
  ["", 100],
  ["?tail=0", 0],
  ["?tail=10000", 10_000],
] as const)("`%s` begins with %s lines", async ([query, count]) => {
  const shop = await aShop()
  const all = count + 50
  for (let i = 1; i <= all; i++) shop.log(`line ${i}`)
  const stream = await shop.open(query)
  await stream.until!((said) => /^: /m.test(said))
  shop.log("new")
  const lines = await stream.lines!(count + 1)
  expect(lines).toHaveLength(count + 1)
  expect(lines.at(0)).toBe(count === 0 ? "new" : `line ${all - count + 1}`)
})

test.for(["-1", "10001", "1.5", "x"])("a tail of %s is 400", async (tail) => {
  const shop = await aShop()
  const answer = await shop.get(`/api/instances/shop/logs?tail=${tail}`)
  expect(answer.status).toBe(400)
  expect(await json(answer)).toMatchObject({ code: "invalid_request", issues: [{ path: "tail" }] })
})

test("an event is one line, whatever it holds", async () => {
  const shop = await aShop()
  const nasty = "a\nb\r\nc\u2028d\u2029e\0f\u001b[31mg\u0085h data: x\n\nretry: 1\n\nid: 7"
  shop.log(nasty)
  shop.log(`half \ud800 ${"ä".repeat(10_000)}`)
  shop.log("end")
  const stream = await shop.open()
  const [first, second, last] = await stream.lines!(3)
  expect(first).toBe("a b c d e f [31mg h data: x retry: 1 id: 7")
  expect(Buffer.byteLength(second!)).toBeLessThan(8 * 1024)
  expect(second).toMatch(/^half \ufffd ä+$/)
  expect(last).toBe("end")
})

test("a reader who stops reading loses their place, and reads what was written until then, and the end", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  const shop = await aShop()
  for (const text of ["one", "two", "three"]) shop.log(text)
  const unread = [await shop.open(), await shop.open()]
  expect((await shop.open()).status).toBe(429)
  vi.setSystemTime(Date.now() + 31_000)
  for (let i = 0; i < 2; i++) expect((await shop.open()).status).toBe(200)
  for (const stream of unread) {
    const said = await stream.until!(() => false)
    expect(linesOf(said)).toEqual(["one", "two", "three"])
    expect(said).toMatch(/retry: 1000\n\n$/)
  }
})

test("lines of yesterday come before those of today, and a stream goes on past midnight", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-20T23:59:59Z") })
  const shop = await aShop()
  shop.log("yesterday")
  const stream = await shop.open()
  expect(await stream.lines!(1)).toEqual(["yesterday"])
  vi.setSystemTime(new Date("2026-11-21T00:00:01Z"))
  shop.log("today")
  expect(await stream.lines!(2)).toEqual(["yesterday", "today"])
  expect(await (await shop.open()).lines!(2)).toEqual(["yesterday", "today"])
})

test("lines older than two weeks are forgotten; a deleted bridge's all, and in time one that came later", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-01T12:00:00Z") })
  const { bridge, log } = await aShop()
  log("old")
  vi.setSystemTime(new Date("2026-11-10T12:00:00Z"))
  log("kept")
  vi.setSystemTime(new Date("2026-11-20T12:00:00Z"))
  await BridgeLog.removeOld()
  expect(readdirSync(join(folder, bridge.id))).toEqual(["2026-11-10.log"])
  await BridgeLog.remove(bridge.id)
  expect(readdirSync(folder)).not.toContain(bridge.id)
  log("a delivery that was under way has ended")
  vi.setSystemTime(new Date("2026-12-06T12:00:00Z"))
  await BridgeLog.removeOld()
  expect(readdirSync(folder)).not.toContain(bridge.id)
})

test("at most two streams of a bridge are open, and one that is closed makes room", async () => {
  const shop = await aShop()
  const first = await shop.open()
  await shop.open()
  const third = await shop.open()
  expect([third.status, third.answer.headers.has("retry-after")]).toEqual([429, true])
  expect(await json(third.answer)).toMatchObject({ error: "rate limit exceeded" })
  await first.close!()
  expect((await shop.open()).status).toBe(200)
})

test("a HEAD takes no place, whatever the key may do", async () => {
  const shop = await aShop()
  const reader = await ApiKey.create(shop.account.id, "reads", { scope: "read" })
  for (const key of [shop.key, reader]) {
    const headers = { authorization: `Bearer ${key}` }
    await shop.call("HEAD", "/api/instances/shop/logs", undefined, headers)
  }
  for (let i = 0; i < 2; i++) expect((await shop.open()).status).toBe(200)
})

test("a reader who leaves while nothing is logged has left their place at once", async () => {
  timing.commentEachMs = 600_000
  const shop = await aShop()
  const [first] = [await shop.open(), await shop.open()]
  await first.until!((said) => /^: /m.test(said))
  const waiting = first.until!(() => false)
  await first.close!()
  await waiting
  expect((await shop.open()).status).toBe(200)
})

test("at most ten streams of an account are open", async () => {
  const shop = await aShop()
  const refs = ["b", "c", "d", "e", "f"]
  for (const ref of refs) await shop.post("/api/instances", { customer_ref: ref })
  for (const ref of refs) for (let i = 0; i < 2; i++) expect((await shop.open("", ref)).status).toBe(200)
  expect((await shop.open()).status).toBe(429)
  // The refused stream has given up its place at the bridge.
  const other = await aShop()
  expect((await other.open()).status).toBe(200)
})

test("a stream says now and then that it is there, and ends with how soon to come back", async () => {
  Object.assign(timing, { endsAfterMs: 1500, commentEachMs: 400 })
  const shop = await aShop()
  const stream = await shop.open()
  const said = await stream.until!(() => false)
  expect(said.match(/^: .+\n\n/gm)!.length).toBeGreaterThan(2)
  expect(said).toMatch(/retry: 1000\n\n$/)
  expect((await shop.open()).status).toBe(200)
})

test("another account's bridge has no log", async () => {
  const [shop, other] = [await aShop(), await aCustomer()]
  shop.log("secret")
  expect((await other.get("/api/instances/shop/logs")).status).toBe(404)
})
