import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { z } from "zod"
import { quantile } from "#test/support/quantile.ts"
import { type Receiver, startReceiver } from "#test/support/service/start-receiver.ts"
import { until } from "#test/support/until.ts"
import { startChild } from "../child.ts"
import type { Options } from "./options.ts"
import type { Street } from "./street.ts"
import { takeNames } from "./takers.ts"

/** A send and an incoming message so often, ms. */
const eachMs = 60
/** The neighbour's p99 stays under so many times the quiet one. */
const mostRatio = 2

/**
 * An account tries to take what all accounts share, one thing after the other, while a neighbour on the same
 * machine sends and receives: nothing of the neighbour's may be refused or lost, and its sends may take twice
 * as long.
 */
export async function takeEach(street: Street, { take, seconds }: Options) {
  const receiver = await startReceiver()
  const taker = await startTaker(street)
  try {
    await street.neighbour.call("PATCH", "/instances/shop", { webhook_url: receiver.urlOf("shop") })
    const live = async () => await life(street, receiver, seconds * 1000)
    // Everything takes longer the first time.
    await live()
    const left_out = canConvert() ? [] : ["conversions"]
    const names = takeNames.filter((name) => (take === "all" || name === take) && !left_out.includes(name))
    const quiet: Life[] = []
    const noisy: Life[] = []
    const ratios: [string, number][] = []
    for (const name of names) {
      // Before each, and for as long, since a machine is not always as fast.
      const before = await live()
      await taker.ask({ begin: name })
      const found = await live()
      const answers = Taken.parse(await taker.ask({}))
      const ratio = Number((p99Of(found.tookMs) / p99Of(before.tookMs)).toFixed(2))
      console.log(name, JSON.stringify({ ratio, quiet: toWire(before), noisy: toWire(found), answers }))
      ratios.push([name, ratio])
      quiet.push(before)
      noisy.push(found)
    }
    const usualMs = p99Of(quiet.flatMap(({ tookMs }) => tookMs))
    const refused = [...quiet, ...noisy].reduce((sum, one) => sum + one.refused.length, 0)
    const p99_ratio = Math.max(...ratios.map(([, ratio]) => ratio))
    const isWell = refused === 0 && p99_ratio <= mostRatio
    const found = { isWell, refused, p99_ratio, quiet_p99_ms: usualMs, ratios: Object.fromEntries(ratios) }
    return { ...found, left_out }
  } finally {
    await taker.stop()
    await receiver.stop()
  }
}

/** Without ffmpeg all conversions are refused: nothing is taken. */
function canConvert(): boolean {
  return spawnSync("ffmpeg", ["-version"]).status === 0
}

/** The account that takes, in a process of its own. */
async function startTaker({ service, bully, chat, eve, dead }: Street) {
  const { id, key, name } = bully
  const { baseUrl, phonesUrl, dataDir } = service
  const about = JSON.stringify({ baseUrl, phonesUrl, owner: { id, key, name }, chat, eve, dead })
  const logFile = join(dataDir, "taker.log")
  return await startChild(new URL("processes/taker.ts", import.meta.url), { args: [about], env: {}, logFile })
}

/** How the taker was answered: how often with each status. */
const Taken = z.record(z.string(), z.number())

interface Life {
  /** How long each send took, ms. */
  tookMs: number[]
  /** Why a send was refused, or what did not come. */
  refused: string[]
}

function toWire({ tookMs, refused }: Life) {
  return { sends: tookMs.length, p99_ms: p99Of(tookMs), refused: refused.length, why: refused.slice(0, 3) }
}

function p99Of(tookMs: number[]): number {
  return Math.round(quantile(tookMs, 0.99))
}

/** The neighbour sends and receives. */
async function life(
  { service, neighbour, chat, ada }: Street,
  receiver: Receiver,
  forMs: number,
): Promise<Life> {
  const found: Life = { tookMs: [], refused: [] }
  const written: string[] = []
  const asked: Promise<unknown>[] = []
  const send = async (body: string) => {
    const start = performance.now()
    const answer = await neighbour.call("POST", "/instances/shop/proxy/send/text", { chat, body })
    const text = await answer.text()
    found.tookMs.push(performance.now() - start)
    if (!answer.ok) found.refused.push(`${answer.status} ${text}`)
  }
  const overAt = performance.now() + forMs
  for (let n = 0; performance.now() < overAt; n++) {
    const text = `message ${Date.now()} ${n}`
    written.push(text)
    asked.push(send(text), service.network.send(chat, ada, text))
    await sleep(eachMs)
  }
  await Promise.all(asked)
  const missing = () => {
    const come = new Set(receiver.arrivals.map((one) => one.text))
    return written.filter((text) => !come.has(text))
  }
  await until(() => missing().length === 0, { what: "the neighbour's messages", withinMs: 20_000 }).catch(
    () => found.refused.push(`${missing().length} messages did not come`),
  )
  return found
}
