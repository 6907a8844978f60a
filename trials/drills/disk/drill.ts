import { canMount } from "#test/support/small-disk.ts"
import type { Break } from "./store.ts"
import { type Fault, type Outcome, trial } from "./trial.ts"
import { trialOfWhole, type WholeFault, type WholeOutcome } from "./whole.ts"

export interface Options {
  /** Trials of the store alone, and of the whole service. The latter need the right to mount. */
  times: number
  whole: number
  /** Of the first trial; each has the next. */
  seed: number
  broken: Break | undefined
  /** Limits the pages of the file, as where this process may not mount. */
  pages: boolean
}

/** How often each fault was found; `say` hears of each trial that found any. */
export async function drillDisk(options: Options, say: (line: string) => void) {
  const mounts = !options.pages && canMount()
  const { broken } = options
  const store: Outcome[] = []
  const whole: WholeOutcome[] = []
  for (const seed of seedsOf(options.seed, options.times))
    store.push(told(await trial({ seed, mounts, broken }), `the store, seed ${seed}`))
  for (const seed of seedsOf(options.seed, mounts ? options.whole : 0))
    whole.push(told(await trialOfWhole(seed), `the whole service, seed ${seed}`))

  function told<Of extends Outcome | WholeOutcome>(outcome: Of, what: string): Of {
    if (outcome.faults.length > 0) say(`${what}: ${outcome.faults.join(", ")}`)
    return outcome
  }
  const found = [...store, ...whole].flatMap(({ faults }): (Fault | WholeFault)[] => faults)
  const count = (kind: Fault | WholeFault) => found.filter((one) => one === kind).length
  return {
    faults: {
      confirmed_lost: count("lost"),
      half: count("half"),
      twice: count("twice"),
      unrefused: count("unrefused"),
      stuck: count("stuck"),
      crashed: count("crashed"),
      unguarded: count("unguarded"),
    },
    trials: store.length,
    confirmed: sum(store, "confirmed"),
    refused: sum(store, "refused"),
    unknown: sum(store, "unknown"),
    starts_refused: sum(store, "notStarted"),
    whole: {
      trials: whole.length,
      in: sum(whole, "in"),
      out: sum(whole, "out"),
      refused: sum(whole, "refused"),
    },
    disk: mounts ? "file system" : "pages",
    seed: options.seed,
  }
}

function seedsOf(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, at) => first + at)
}

function sum<Name extends string>(all: Record<Name, number>[], name: Name): number {
  return all.reduce((total, one) => total + one[name], 0)
}
