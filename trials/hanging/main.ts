/**
 * `npm run hanging -- --receivers 300 --places 50`: what an account whose receivers all hang costs another
 * account's deliveries on AWS, where each has a process of its own: the delivery function, with as many
 * places as Lambda gives it. Prints, for each half a minute, how long the other account's events took to
 * arrive, and how many places were taken.
 */
import { fork } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, openSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { z } from "zod"
import { Account } from "#core/account/account.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { useDoorbellQueue } from "#core/event/doorbell.ts"
import { configure } from "#core/platform/config.ts"
import { handler } from "#functions/delivery/handler.ts"
import { DoorbellsInMemory, startPoller } from "#one-machine/delivery/doorbells.ts"
import { listen } from "#one-machine/listen.ts"
import { anAccount } from "#test/support/service/bridge.ts"
import { anEvent, anOutbox } from "#test/support/session/events-and-doorbells.ts"
import { optionsFrom } from "../options.ts"
import { Options } from "./options.ts"

const options = optionsFrom(Options, process.argv.slice(2))
const dir = mkdtempSync(join(tmpdir(), "hanging-"))
const store = await startStore()
const failing = options.share ? Math.ceil(options.places / 5) : options.receivers * 100
configure({
  ...process.env,
  ...store.env,
  FAILING_PLACES: String(failing),
  URL_ALLOW: "127.0.0.0/8",
  LOG_LEVEL: "silent",
})

/** When each event of the other account was committed, by its id. */
const committedMs = new Map<string, number>()
/** When each arrived whose commit was not over yet. */
const arrivedMs = new Map<string, number>()
/** How long events took to arrive, in ms. */
const tookMs: number[] = []
const receiver = await listening((request, response) => {
  request.resume()
  if (request.url === "/hangs") return
  const id = String(request.headers["x-webhook-event-id"])
  const since = committedMs.get(id)
  if (since === undefined) arrivedMs.set(id, performance.now())
  else tookMs.push(performance.now() - since)
  committedMs.delete(id)
  response.end()
})

/** Deliveries under way. */
let taken = 0
const doorbells = new DoorbellsInMemory()
useDoorbellQueue(doorbells)
const hanging = await outboxes(options.receivers, `${receiver.url}/hangs`)
const others = await outboxes(options.others, `${receiver.url}/answers`)
const poller = startPoller({
  doorbells,
  concurrency: options.places,
  handler: async (event) => {
    taken++
    return await handler(event).finally(() => taken--)
  },
})
console.log(`${hanging.length} receivers hang, ${others.length} bridges of another account have events`)
await inTens(hanging, (outbox) => outbox.append(anEvent(), anEvent(), anEvent()))

const parts: { from_s: number; places: number; arrived: number; median_ms: number; slowest_ms: number }[] = []
const began = performance.now()
/** Commits that the store did not take. */
let failed = 0
const perSecond = options.others / options.each
for (let second = 0, samples: number[] = []; second < options.seconds; second++) {
  for (let n = 0; n < perSecond; n++)
    commit(others[Math.floor(Math.random() * others.length)]!).catch(() => failed++)
  await sleep(1000)
  samples.push(taken)
  if (second % 30 !== 29) continue
  parts.push(reported(second - 29, samples))
  console.log(JSON.stringify(parts.at(-1)))
  samples = []
}
const worst = Math.max(...parts.map((part) => part.slowest_ms))
const lasted_s = Math.round((performance.now() - began) / 1000)
const result = {
  receivers: options.receivers,
  lasted_s,
  slowest_ms: worst,
  late: committedMs.size,
  failed,
  parts,
}
console.log(options.json ? JSON.stringify(result) : result)
void poller.stop()
store.child.kill("SIGKILL")
rmSync(dir, { recursive: true })
process.exit(0)

/**
 * What happened since the last time. An event that has not arrived counts with the time that it has waited.
 */
function reported(from_s: number, samples: number[]) {
  const waiting = [...committedMs.values()].map((since) => performance.now() - since)
  const times = [...tookMs, ...waiting].toSorted((a, b) => a - b)
  const arrived = tookMs.length
  tookMs.length = 0
  const places = Math.round(samples.reduce((sum, one) => sum + one, 0) / samples.length)
  const [median_ms, slowest_ms] = [times[times.length >> 1], times.at(-1)].map((one) => Math.round(one ?? 0))
  return { from_s, places, arrived, median_ms: median_ms!, slowest_ms: slowest_ms! }
}

async function commit(outbox: Awaited<ReturnType<typeof anOutbox>>): Promise<void> {
  const began = performance.now()
  for (const id of await outbox.append(anEvent())) {
    const arrived = arrivedMs.get(id)
    if (arrived === undefined) committedMs.set(id, began)
    else tookMs.push(arrived - began)
    arrivedMs.delete(id)
  }
}

/** The outboxes of new bridges of one new account. */
async function outboxes(count: number, webhookUrl: string) {
  const { id: accountId } = await anAccount()
  await Account.setBridgeLimit(accountId, count)
  const made: Awaited<ReturnType<typeof anOutbox>>[] = []
  await inTens(Array.from({ length: count }), async (_, n) => {
    const { bridge } = await Bridge.create({ accountId, customerRef: `n${n}`, webhookUrl })
    made.push(await anOutbox(bridge))
  })
  return made
}

async function inTens<Item>(items: Item[], work: (item: Item, n: number) => Promise<unknown>): Promise<void> {
  const left = items.entries()
  const one = async () => {
    for (const [n, item] of left) await work(item, n)
  }
  await Promise.all(Array.from({ length: 10 }, one))
}

async function listening(answer: Parameters<typeof createServer>[1] & object) {
  const server = createServer(answer)
  return { url: `http://127.0.0.1:${await listen(server)}` }
}

async function startStore() {
  const log = openSync(join(dir, "log"), "a")
  const child = fork(new URL("../fleet/processes/store.ts", import.meta.url), [dir], {
    stdio: ["ignore", log, log, "ipc"],
  })
  const [ready] = await once(child, "message")
  return { child, env: z.record(z.string(), z.string()).parse(ready) }
}
