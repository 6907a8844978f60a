/**
 * `npm run soak -- --messages 20000`: so many messages through the whole service to a real receiver, and what
 * the service holds meanwhile: memory, disk, files, rows. Exits with 1 if a message was lost.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { startNetwork } from "../bench/network.ts"
import { linkTo } from "../bench/progress.ts"
import { startReceiver } from "../bench/receiver.ts"
import { startOurs } from "../bench/sides/ours.ts"
import { optionsFrom } from "../options.ts"
import { type Holding, holdingOf } from "./holding.ts"
import { Messages } from "./messages.ts"
import { Options } from "./options.ts"

/** How often a line is printed, in ms. */
const printsEachMs = 5000
/** From the last arrival to a look at what is held, in ms. */
const restMs = 3000

const options = optionsFrom(Options, process.argv.slice(2))
const dir = mkdtempSync(join(tmpdir(), "messaging-bridge-soak-"))
const network = await startNetwork(dir)
const receiver = await startReceiver()
const service = await startOurs({ dir, network, receiver })
const messages = new Messages(service, network, receiver)
const started = performance.now()
try {
  await linkTo(service, options.bridges)
  await messages.carry(Math.ceil(options.messages / 10))
  const before = await atRest()
  const start = performance.now()
  const stopping = new AbortController()
  const printing = options.json ? undefined : print(stopping.signal)
  await messages.carry(options.messages)
  const seconds = (performance.now() - start) / 1000
  stopping.abort()
  await printing
  const { missing: lost } = messages
  console.log(JSON.stringify({ ...summary(before, await atRest(), seconds), lost }))
  process.exitCode = lost === 0 ? 0 : 1
} finally {
  await service.stop()
  await receiver.stop()
  await network.stop()
  rmSync(dir, { recursive: true })
}

async function atRest(): Promise<Holding> {
  await sleep(restMs)
  return await holding()
}

async function holding(): Promise<Holding> {
  return await holdingOf(service, join(dir, "ours"))
}

/** A line now and then, until it is aborted. */
async function print(signal: AbortSignal): Promise<void> {
  let before = { count: messages.arrived, at: performance.now() }
  for (;;) {
    await sleep(printsEachMs, undefined, { signal }).catch(() => "stopped while asleep")
    if (signal.aborted) return
    const now = { count: messages.arrived, at: performance.now() }
    const perSecond = ((now.count - before.count) / (now.at - before.at)) * 1000
    before = now
    const { gatewayMb, allMb, diskBytes, files, rows } = await holding()
    console.log(
      `${((now.at - started) / 1000).toFixed(1).padStart(7)} s  ${now.count} messages, ${perSecond.toFixed(0)} a second; ` +
        `gateway ${gatewayMb.toFixed(0)} MB, all ${allMb.toFixed(0)} MB; ` +
        `${(diskBytes / 1e6).toFixed(1)} MB on the disk in ${files} files, ${rows} rows`,
    )
  }
}

/** @param before what was held when the service was warm */
function summary(before: Holding, after: Holding, seconds: number) {
  return {
    messages: options.messages,
    bridges: options.bridges,
    rss_ratio: round(after.gatewayMb / before.gatewayMb),
    rss_ratio_all: round(after.allMb / before.allMb),
    rss_mb: round(after.gatewayMb),
    rss_all_mb: round(after.allMb),
    disk_bytes_per_message: Math.round((after.diskBytes - before.diskBytes) / options.messages),
    files: after.files,
    rows: after.rows,
    per_second: round(options.messages / seconds),
    seconds: Math.round(seconds),
    /** Of the machine, in the last minute. */
    load: round(loadavg()[0] ?? 0),
  }
}

function round(value: number): number {
  return Number(value.toFixed(2))
}
