/**
 * `npm run drills`: the losses, and how long they last, when a part of the service fails, with production's
 * timing.
 */
import { randomInt } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { z } from "zod"
import { quantile } from "#test/support/quantile.ts"
import { seeded } from "#test/support/random.ts"
import { trafficBesideDeadReceivers } from "./beside-dead-receivers.ts"
import { drillDisk } from "./disk/drill.ts"
import { breaks } from "./disk/store.ts"
import { firstStarts } from "./first-starts.ts"
import { type Loss, loseHost } from "./lost-host.ts"
import { outage, theQueue, theStore } from "./outage.ts"
import { type End, restartMachine } from "./restart-machine.ts"
import { startDrilled, type Service } from "./service.ts"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: "string", default: "10" },
    times: { type: "string", default: "5" },
    bridges: { type: "string", default: "10" },
    messages: { type: "string", default: "100" },
    beat: { type: "string", default: "5000" },
    // Of the disk and the machine alone.
    seed: { type: "string", default: String(randomInt(1, 2 ** 31)) },
    whole: { type: "string", default: "1" },
    break: { type: "string" },
    pages: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
})
const [minutes, times, each] = [Number(values.minutes), Number(values.times), Number(values.messages)]

/** The seconds until sessions were back, over several losses. */
async function losses(service: Service, loss: Loss) {
  const seconds: number[] = []
  for (let i = 0; i < times; i++) seconds.push(...(await loseHost(service, loss)))
  return { sessions: seconds.length, p50_s: quantile(seconds, 0.5), max_s: Math.max(...seconds) }
}

/**
 * The same traffic with good receivers only, and with one in ten that never answers, or whose name does not
 * resolve.
 */
async function dead(service: Service, what: "receiver" | "name") {
  const [bad, ...good] = service.lines
  // What is loaded and dialled for the first time would count for one half alone.
  await trafficBesideDeadReceivers(service, good, Math.ceil(each / 5))
  const quiet = await trafficBesideDeadReceivers(service, good, each)
  service.setDead(bad!.bridge, what)
  const beside = await trafficBesideDeadReceivers(service, good, each)
  service.setDead(bad!.bridge, undefined)
  return { quiet, beside, p50_ratio: beside.p50 / quiet.p50, p99_ratio: beside.p99 / quiet.p99 }
}

const drills: Record<string, (service: Service) => Promise<object>> = {
  killed: (service) => losses(service, "killed"),
  silent: (service) => losses(service, "silent"),
  replaced: (service) => losses(service, "replaced"),
  receiver: (service) => dead(service, "receiver"),
  name: (service) => dead(service, "name"),
  queue: (service) => outage(service, theQueue(service), minutes * 60_000),
  store: (service) => outage(service, theStore(service), minutes * 60_000),
}

/** Those that have a service of their own. */
const others = ["disk", "upgrade", "machine", "starts"]
const wanted = positionals.length > 0 ? positionals : [...others, ...Object.keys(drills)]
const unknown = wanted.filter((name) => !others.includes(name) && !(name in drills))
if (unknown.length > 0)
  throw new Error(
    `there is no drill ${unknown.join(", ")}: ${[...others, ...Object.keys(drills)].join(", ")}`,
  )

const inService = wanted.filter((name) => name in drills)
if (inService.length > 0) await drillService(inService)
const areFine = [
  !wanted.includes("upgrade") || (await restarted("upgrade", 5, [{ signal: "SIGTERM", afterMs: 0 }])),
  !wanted.includes("machine") || (await restarted("machine", 40, kills())),
  !wanted.includes("disk") || (await disk()),
  !wanted.includes("starts") || (await starts()),
]
process.exit(areFine.every(Boolean) ? 0 : 1)

async function drillService(names: string[]): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), "messaging-bridge-drills-"))
  const service = await startDrilled({ bridges: Number(values.bridges), beat: Number(values.beat), dir })
  try {
    for (const name of names) console.log(JSON.stringify({ drill: name, ...(await drills[name]!(service)) }))
    rmSync(dir, { recursive: true, force: true })
  } finally {
    await service.stop()
  }
}

/** @returns whether nothing was lost, came as two events or in another order */
async function restarted(drill: string, eachS: number, ends: End[]): Promise<boolean> {
  const dir = mkdtempSync(join(tmpdir(), `messaging-bridge-${drill}-`))
  const found = await restartMachine({ bridges: Number(values.bridges), dir, eachS, ends })
  console.log(JSON.stringify({ drill, ...found }))
  rmSync(dir, { recursive: true, force: true })
  return found.lost + found.doubled + found.reordered === 0
}

/** @returns whether one service ran each time, and all that it stored could be read later */
async function starts(): Promise<boolean> {
  const found = await firstStarts(times)
  console.log(JSON.stringify({ drill: "starts", times, ...found }))
  return found.notOne + found.unreadable === 0
}

/** The machine's power is cut, at moments that the seed chooses. */
function kills(): End[] {
  console.log(`seed ${values.seed}`)
  const random = seeded(Number(values.seed))
  return Array.from({ length: times }, () => ({ signal: "SIGKILL", afterMs: random.below(2000) }))
}

/** @returns whether nothing was lost, nor anything else found that must not be */
async function disk(): Promise<boolean> {
  const broken = z.enum(breaks).optional().parse(values.break)
  const seed = Number(values.seed)
  const say = (line: string) => values.json || console.log(line)
  say(`seed ${seed}${broken ? `, without ${broken}` : ""}`)
  const { faults, ...found } = await drillDisk(
    { times, whole: broken ? 0 : Number(values.whole), seed, broken, pages: values.pages },
    say,
  )
  console.log(JSON.stringify({ ...faults, ...found }))
  return Object.values(faults).every((count) => count === 0)
}
