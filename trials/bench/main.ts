/** `npm run bench`: ours beside bare Baileys on the same simulated network, in processes of their own. */
import { mkdtempSync, rmSync } from "node:fs"
import { cpus, tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { optionsFrom } from "../options.ts"
import { measureDeadWebhook } from "./dead-webhook.ts"
import { countDynamoDbUnits } from "./dynamodb-units.ts"
import type { Measured } from "./measure.ts"
import { startNetwork } from "./network.ts"
import { Options } from "./options.ts"
import { newProfiler } from "./profiler.ts"
import { startReceiver } from "./receiver.ts"
import { measureFleets } from "./rest-and-recovery.ts"
import { startBare } from "./sides/bare.ts"
import { startOurs } from "./sides/ours.ts"
import type { Side } from "./sides/side.ts"
import { type Results, summaryOf } from "./summary.ts"
import { printFleets, printHead, printMeasured, printUnits } from "./table.ts"
import { runScenario } from "./traffic/run-scenario.ts"
import { scenarios, shortScenarios } from "./traffic/scenarios.ts"

const options = optionsFrom(Options, process.argv.slice(2))
const isWanted = (name: string) => options.only?.some((start) => name.startsWith(start)) ?? true

const dir = mkdtempSync(join(tmpdir(), "messaging-bridge-bench-"))
const profiler = newProfiler(options.profile ? resolve("bench-profiles") : undefined)
console.log(`${cpus().length} x ${cpus()[0]?.model}, Node ${process.version}`)
const network = await startNetwork(dir)
const receiver = await startReceiver()
const given = { dir, network, receiver }
const results: Results = { measured: new Map() }
/** The promises that the service did not keep. */
const broken: string[] = []

await traffic()
if (isWanted("units")) await units()
if (isWanted("webhooks")) await webhooks()
if (isWanted("fleet")) await fleets()
await receiver.stop()
await network.stop()
rmSync(dir, { recursive: true, force: true })
for (const fault of broken) console.error(fault)
console.log(JSON.stringify(summaryOf(results)))
process.exit(broken.length > 0 ? 1 : 0)

async function traffic(): Promise<void> {
  const wanted = Object.entries(options.short ? shortScenarios : scenarios).filter(([name]) => isWanted(name))
  if (wanted.length === 0) return
  const sides = [await startBare(given), await startOurs(given)]
  printHead()
  for (const [name, scenario] of wanted)
    await runScenario(name, scenario, { ...given, sides, profiler, onMeasured })
  for (const side of sides) await side.stop()
}

function onMeasured(name: string, side: Side["name"], measured: Measured): void {
  results.measured.set(`${side} ${name}`, measured)
  printMeasured(name, side, measured)
  tell(side, measured.faults)
}

async function units(): Promise<void> {
  results.units = await countDynamoDbUnits({
    ...given,
    ...(options.short ? { messages: 1, quietMs: 300 } : { messages: 10, quietMs: 1000 }),
  })
  printUnits(results.units)
  tell("ours", results.units.faults)
}

async function webhooks(): Promise<void> {
  results.webhooks = await measureDeadWebhook({ ...given, messages: options.short ? 15 : 300 })
  printHead()
  for (const [name, measured] of Object.entries(results.webhooks)) {
    printMeasured("webhooks-5", name, measured)
    tell("ours", measured.faults)
  }
}

async function fleets(): Promise<void> {
  const { bridges } = options
  const fleet = bridges
    ? { sizes: [0, bridges], returns: bridges }
    : { sizes: [0, 20, 100, 200], returns: 100 }
  const size = options.short
    ? { sizes: [2], returns: 2, messages: 20, idleMs: 500, restMs: 500 }
    : { ...fleet, messages: 2000, idleMs: 5000, restMs: 20_000 }
  results.fleets = await measureFleets({ ...given, ...size, isBareToo: !bridges })
  printFleets(results.fleets)
  for (const side of ["bare", "ours"] as const) tell(side, results.fleets[side]?.faults ?? [])
}

/** Bare Baileys promises nothing: what it lost is told, and that is all. */
function tell(side: Side["name"], faults: string[]): void {
  if (side === "ours") broken.push(...faults)
  for (const fault of faults) console.log(`  ${fault}`)
}
