import { onTestFinished } from "vitest"

/** Counts the turns of the event loop: everything that happens in one turn keeps all other work waiting. */
export function countTurns(): { now: () => number } {
  let turns = 0
  let next = setImmediate(count)
  function count() {
    turns++
    next = setImmediate(count)
  }
  onTestFinished(() => clearImmediate(next))
  return { now: () => turns }
}
