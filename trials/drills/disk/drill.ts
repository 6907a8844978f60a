import { type Fault, type Outcome, trial } from "./trial.ts"
import { canMount } from "./small-disk.ts"
import type { Break } from "./store.ts"

export interface Options {
  times: number
  seed: number
  broken: Break | undefined
  /** Limits the pages of the file, as without the right to mount. */
  pages: boolean
}

/** How often each fault was found, in so many trials; `say` hears of each trial that found any. */
export async function drillDisk(options: Options, say: (line: string) => void) {
  const mounts = !options.pages && canMount()
  const outcomes: Outcome[] = []
  for (let at = 0; at < options.times; at++) {
    const seed = options.seed + at
    const outcome = await trial({ seed, mounts, broken: options.broken })
    outcomes.push(outcome)
    if (outcome.faults.length > 0) say(`seed ${seed}: ${outcome.faults.join(", ")}`)
  }
  const found = outcomes.flatMap(({ faults }) => faults)
  const count = (kind: Fault) => found.filter((one) => one === kind).length
  const sum = (of: Exclude<keyof Outcome, "faults">) => outcomes.reduce((all, one) => all + one[of], 0)
  return {
    faults: {
      confirmed_lost: count("lost"),
      half: count("half"),
      twice: count("twice"),
      unrefused: count("unrefused"),
      stuck: count("stuck"),
      crashed: count("crashed"),
    },
    trials: options.times,
    confirmed: sum("confirmed"),
    refused: sum("refused"),
    unknown: sum("unknown"),
    starts_refused: sum("notStarted"),
    disk: mounts ? "file system" : "pages",
    seed: options.seed,
  }
}
