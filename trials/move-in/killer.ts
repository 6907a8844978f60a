import { setTimeout as sleep } from "node:timers/promises"
import type { Random } from "#test/support/random.ts"
import type { admin } from "#test/support/service/killable-service.ts"
import { until } from "#test/support/until.ts"
import type { StepBoard } from "../cluster/armed-steps.ts"
import type { Place } from "../move/place.ts"

/** Steps of an import, as `processes/steps.ts` counts them. */
const importSteps = [1, 2, 3, 4, 5, 8, 13, 21].flatMap((n) => [
  `import before write ${n}`,
  `import after write ${n}`,
])

/** Steps of the service that come about when numbers have just moved, or soon after. */
const serviceSteps = [
  "before credentials commit",
  "after credentials commit",
  "before event commit",
  "event commit sent",
  "after event commit",
  "before backlog receipt",
  "backlog receipt sent",
  "before receipt",
  "receipt sent",
  "after claim key",
  "before send commit",
  "after send commit",
  "before stanza",
  "stanza sent",
  "before ack commit",
  "before advance",
]

/** How long a step of the service is waited for: it may not come about. In ms. */
const stepMs = 4000
/** Longer than an import takes, in ms, until it has ended; and in which it is killed without a step. */
const importMs = { atMost: 120_000, usually: 6000 }

export type Killer = ReturnType<typeof newKiller>

/** Kills imports and the service, at a named step or at any moment. */
export function newKiller({
  place,
  board,
  random,
  hasStruck,
}: {
  place: Place
  board: StepBoard
  random: Random
  hasStruck: () => void
}) {
  /** @returns whether a process has died at it */
  async function dieAt(step: string, withinMs: number, isOver = () => false): Promise<boolean> {
    board.arm(step, "SIGKILL")
    let hasDied = false
    const look = () => (hasDied ||= board.met().length > 0) || isOver()
    await until(look, { withinMs }).catch(() => "it did not come about")
    board.disarm(step)
    return hasDied || board.met().length > 0
  }

  return {
    /** The import, or the service that it works on. */
    async strikeImport(one: ReturnType<typeof admin>): Promise<void> {
      const roll = random.next()
      if (roll < 0.2) return
      if (roll < 0.6) {
        let isOver = false
        void one.ended.then(() => (isOver = true))
        if (await dieAt(random.pick(importSteps)!, importMs.atMost, () => isOver)) hasStruck()
        return
      }
      await Promise.race([sleep(random.between(200, importMs.usually)), one.ended])
      hasStruck()
      if (roll < 0.8) one.kill()
      else await place.restart()
    },
    /** The service: if a step does not come about, where it is. */
    async strikeService(): Promise<void> {
      await dieAt(random.pick(serviceSteps)!, stepMs)
      hasStruck()
      await place.restart()
    },
  }
}
