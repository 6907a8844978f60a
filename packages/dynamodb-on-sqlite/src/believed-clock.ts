import type { Step } from "./rows/commit.ts"
import type { Rows } from "./rows/rows.ts"

/** How far the clock may go forward at once and still be believed, in seconds. */
const farthestS = 86_400
/** How long a clock that went farther must stay there before it is believed, in seconds that pass. */
const doubtS = 3600

export interface Means {
  /** In Unix seconds. */
  now?: () => number
  warn?: (about: object, sentence: string) => void
}

/**
 * The clock by which items expire. If it were set forward by weeks, everything that is kept for days would be
 * removed at once. So after it went far forward, also while the store was closed, it is believed only once an
 * hour has passed there.
 */
export class BelievedClock {
  /**
   * What the clock said, or would have said, when the monotonic clock began. This changes only when the clock
   * is set.
   */
  #believed: number | undefined
  #doubted: { beginning: number; atS: number } | undefined

  readonly #now: () => number
  readonly #warn: (about: object, sentence: string) => void

  /** Reads when the clock was last believed. */
  constructor(rows: Rows, { now = ofMachine, warn = onErrorOutput }: Means) {
    this.#now = now
    this.#warn = warn
    const [last] = rows.ask("SELECT believed FROM clock")
    this.#believed = last && Number(last.believed) - passedS()
  }

  /** The time in Unix seconds; undefined as long as the clock is not believed. */
  time(): number | undefined {
    const beginning = this.#now() - passedS()
    if (this.#isDoubtful(beginning)) return undefined
    this.#believed = beginning
    this.#doubted = undefined
    return this.#now()
  }

  #isDoubtful(beginning: number): boolean {
    const aheadS = beginning - (this.#believed ?? beginning)
    if (aheadS <= farthestS) return false
    const isAnotherTime = Math.abs(beginning - (this.#doubted?.beginning ?? Infinity)) > farthestS
    if (this.#doubted && !isAnotherTime) return passedS() - this.#doubted.atS < doubtS
    this.#doubted = { beginning, atS: passedS() }
    this.#warn(
      { aheadHours: Math.round(aheadS / 3600) },
      "the clock went forward by more than a day: nothing expires until it has stayed there for an hour",
    )
    return true
  }
}

export const clockTable: Step = [
  "CREATE TABLE IF NOT EXISTS clock (id INTEGER PRIMARY KEY, believed INTEGER)",
]

/** Keeps when the clock was last believed. */
export function keepingBelieved(believed: number): Step {
  return ["INSERT OR REPLACE INTO clock VALUES (1, ?)", believed]
}

const ofMachine = () => Math.floor(Date.now() / 1000)
const onErrorOutput = (about: object, sentence: string) => console.error(sentence, about)

/** Seconds on the monotonic clock, which no administrator or time server sets. */
function passedS(): number {
  return performance.now() / 1000
}
