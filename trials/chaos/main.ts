/** `npm run chaos`: the whole service on this machine, under kills, pauses, cuts and store faults. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { crashPoints } from "../cluster/crash-points.ts"
import { quantile } from "#test/support/quantile.ts"
import { kinds } from "./evidence.ts"
import { chaosOptions, type Options } from "./options.ts"
import { type Outcome, run } from "./run.ts"

const options = chaosOptions(process.argv.slice(2))
const started = performance.now()
const say = (line: string) => {
  if (!options.json)
    console.log(`${((performance.now() - started) / 1000).toFixed(1).padStart(7)} s  ${line}`)
}
const dir = mkdtempSync(join(tmpdir(), "messaging-bridge-chaos-"))
say(
  `seed ${options.seed}, a beat of ${options.beat} ms${options.broken ? `, without ${options.broken}` : ""}`,
)
const outcome = await run(options, dir, say)
report(outcome, options)
const failed = outcome.violations.length > 0
if (!failed) rmSync(dir, { recursive: true, force: true })
if (failed) {
  writeFileSync(join(dir, "outcome.json"), JSON.stringify(outcome, undefined, 1))
  say(`logs and all that was found are kept in ${dir}`)
}
console.log(JSON.stringify(summary(outcome)))
process.exit(failed ? 1 : 0)

function report({ violations, hits, tried, injected }: Outcome, { json }: Options): void {
  if (json) return
  const counts = Map.groupBy(hits, ({ point }) => point)
  for (const name of [...crashPoints.map((point) => point.name), "outside"])
    console.log(`${String(counts.get(name)?.length ?? 0).padStart(9)} of ${tried.get(name) ?? "-"}  ${name}`)
  console.log(`store faults: ${JSON.stringify(injected)}`)
  for (const [kind, some] of Map.groupBy(violations, (one) => one.kind)) {
    for (const { what } of some.slice(0, 10)) console.log(`${kind}: ${what}`)
    if (some.length > 10) console.log(`${kind}: and ${some.length - 10} more`)
  }
}

function summary({ violations, hits, recovery, ...about }: Outcome) {
  const counted = kinds.map((kind) => [kind, violations.filter((one) => one.kind === kind).length])
  return {
    kills: hits.length,
    in: about.in,
    out: about.out,
    ...Object.fromEntries(counted),
    repeated: about.repeated,
    asked_again: about.askedAgain,
    largest_row: about.largestRow,
    recovery_p50_s: quantile(recovery, 0.5),
    recovery_max_s: quantile(recovery, 1),
    seed: options.seed,
    seconds: Math.round((performance.now() - started) / 1000),
  }
}
