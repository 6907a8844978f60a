/**
 * `npm run chaos`: the whole service on this machine, under kills, pauses, cuts and store faults, losses of
 * its data, or moves.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { quantile } from "#test/support/quantile.ts"
import { crashPoints } from "../cluster/crash-points.ts"
import { runMoveIns } from "../move-in/run.ts"
import { runMoves } from "../move/run.ts"
import { runRestores } from "../restore/run.ts"
import { kinds } from "./evidence.ts"
import { chaosOptions } from "./options.ts"
import type { Violation } from "./oracle.ts"
import { run } from "./run.ts"

/** What a run has found: its violations, all of it for the file, and its figures for the last line. */
interface Found {
  violations: Violation[]
  all: object
  figures: { before: object; after: object }
}

const options = chaosOptions(process.argv.slice(2))
const started = performance.now()
const print = (line: string) => {
  if (!options.json) console.log(line)
}
const say = (line: string) =>
  print(`${((performance.now() - started) / 1000).toFixed(1).padStart(7)} s  ${line}`)
const dir = mkdtempSync(join(tmpdir(), "messaging-bridge-chaos-"))
say(
  `seed ${options.seed}, a beat of ${options.beat} ms${options.broken ? `, without ${options.broken}` : ""}`,
)
const { violations, all, figures } = await found()
for (const [kind, some] of Map.groupBy(violations, (one) => one.kind)) {
  for (const { what } of some.slice(0, 10)) print(`${kind}: ${what}`)
  if (some.length > 10) print(`${kind}: and ${some.length - 10} more`)
}
const failed = violations.length > 0
if (!failed) rmSync(dir, { recursive: true, force: true })
if (failed) {
  writeFileSync(join(dir, "outcome.json"), JSON.stringify(all, undefined, 1))
  say(`logs and all that was found are kept in ${dir}`)
}
const counted = kinds.map((kind) => [kind, violations.filter((one) => one.kind === kind).length])
console.log(
  JSON.stringify({
    ...figures.before,
    ...Object.fromEntries(counted),
    ...figures.after,
    seed: options.seed,
    seconds: Math.round((performance.now() - started) / 1000),
  }),
)
process.exit(failed ? 1 : 0)

async function found(): Promise<Found> {
  if (options.moveIn) return await moveIns()
  if (options.move) return await moves()
  return options.restore ? await restores() : await blows()
}

/** Processes are killed and paused. */
async function blows(): Promise<Found> {
  const outcome = await run(options, dir, say)
  const { hits, tried, injected, recovery } = outcome
  const counts = Map.groupBy(hits, ({ point }) => point)
  for (const name of [...crashPoints.map((point) => point.name), "outside"])
    print(`${String(counts.get(name)?.length ?? 0).padStart(9)} of ${tried.get(name) ?? "-"}  ${name}`)
  print(`store faults: ${JSON.stringify(injected)}`)
  return {
    violations: outcome.violations,
    all: outcome,
    figures: {
      before: { kills: hits.length, in: outcome.in, out: outcome.out },
      after: {
        repeated: outcome.repeated,
        ...(options.healing && { sent_again: outcome.sentAgain, left: outcome.left }),
        asked_again: outcome.askedAgain,
        largest_row: outcome.largestRow,
        recovery_p50_s: quantile(recovery, 0.5),
        recovery_max_s: quantile(recovery, 1),
      },
    },
  }
}

/** The data folder is lost, and a backup restored. */
async function restores(): Promise<Found> {
  const outcome = await runRestores(options, dir, say)
  const { violations, restores, interrupted, forgotten, askedAgain, ...about } = outcome
  return {
    violations,
    all: outcome,
    figures: {
      before: { kills: restores, in: about.in, out: about.out },
      after: { forgotten, asked_again: askedAgain, interrupted },
    },
  }
}

/** Bridges move from one service to another, and back. */
async function moves(): Promise<Found> {
  const outcome = await runMoves(options, dir, say)
  const { violations, kills, moves, interrupted, ...about } = outcome
  return {
    violations,
    all: outcome,
    figures: { before: { kills, in: about.in, out: about.out }, after: { moves, interrupted } },
  }
}

/** Numbers move here from other gateways. */
async function moveIns(): Promise<Found> {
  const outcome = await runMoveIns(options, dir, say)
  const { violations, kills, moves, interrupted, lostBefore, ...about } = outcome
  return {
    violations,
    all: outcome,
    figures: {
      before: { kinds: options.kinds, moves, kills, in: about.in, out: about.out },
      after: { interrupted, lost_before: lostBefore },
    },
  }
}
