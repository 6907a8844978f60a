/** `npm run bench`: ours beside bare Baileys on the same simulated network. */
import { mkdtempSync, rmSync } from "node:fs"
import { cpus, tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { startNetwork } from "./network.ts"
import { optionsFrom } from "./options.ts"
import { newProfiler } from "./profile.ts"
import { say, sayNowAndThen } from "./progress.ts"
import { startReceiver } from "./receiver.ts"
import { startBare } from "./sides/bare.ts"
import { startOurs } from "./sides/ours.ts"
import type { Side } from "./sides/side.ts"
import { type Measurements, summaryOf } from "./summary.ts"
import { printHead, printMeasured } from "./table.ts"
import { inbound } from "./traffic/in.ts"
import { outbound } from "./traffic/out.ts"
import { type Part, parts, shortened } from "./traffic/parts.ts"

const options = optionsFrom(process.argv.slice(2))
const isWanted = (name: string) => options.only?.some((start) => name.startsWith(start)) ?? true

const dir = mkdtempSync(join(tmpdir(), "messaging-bridge-bench-"))
const profiler = newProfiler(options.profile ? resolve("bench-profiles") : undefined)
const [{ model } = { model: "?" }] = cpus()
console.log(`${cpus().length} x ${model}, Node ${process.version}`)
const network = await startNetwork(dir)
const receiver = await startReceiver()
const given = { dir, network, receiver }
const sides = [await startBare(given), await startOurs(given)]
/** What the service promises, and did not keep. */
const faults: string[] = []
const measured: Measurements = new Map()

printHead()
for (const [name, part] of Object.entries(parts)) {
  if (!isWanted(name)) continue
  const asked = options.short ? shortened(part) : part
  for (const side of sides) {
    await link(side, asked.bridges)
    await measure(name, asked, side)
    if (side.name === "ours" && asked.way === "out")
      await measure(`${name}-key`, { ...asked, keyed: true }, side)
  }
}
for (const side of sides) await side.stop()
await receiver.stop()
await network.stop()
rmSync(dir, { recursive: true, force: true })
for (const fault of faults) console.error(fault)
console.log(JSON.stringify(summaryOf(measured)))
process.exit(faults.length > 0 ? 1 : 0)

async function link(side: Side, bridges: number): Promise<void> {
  if (side.lines.length >= bridges) return
  await side.link(bridges, (linked) =>
    sayNowAndThen(`${side.name}: ${linked} of ${bridges} bridges are linked`),
  )
  say(`${side.name}: ${bridges} bridges are linked`)
}

async function measure(name: string, part: Part, side: Side): Promise<void> {
  const progress = (what: string, of: number) => (done: number) =>
    sayNowAndThen(`${side.name}: ${name}, ${done} of ${of} messages${what}`)
  const run = async (messages: number, what = "") =>
    part.way === "in"
      ? await inbound({ ...part, messages, side, network, receiver, progress: progress(what, messages) })
      : await outbound({ ...part, messages, side, network, progress: progress(what, messages) })
  const warm = await run(part.warmUp, " to warm up")
  const processes = [...(await side.processes()), { role: "network", pid: network.pid }]
  const found = await profiler.around(
    { part: name, side: side.name, processes },
    async () => await run(part.messages),
  )
  measured.set(`${side.name} ${name}`, found)
  printMeasured(name, side.name, found)
  const wrong = [...warm.faults, ...found.faults]
  // Bare Baileys promises nothing: what it lost is told, and that is all.
  if (side.name === "bare") for (const fault of wrong) console.log(`  ${fault}`)
  if (side.name === "ours") faults.push(...wrong)
}
