import { setImmediate as nextTurn } from "node:timers/promises"

/** So many pieces of work of a millisecond may come right after each other. */
const atOnce = 20

/** Lets whoever else is on this process have a turn, now and then, while one has thousands of things to do. */
export function newPace(): () => Promise<void> {
  let turn: Promise<void> = Promise.resolve()
  let count = 0
  return () => {
    if (++count % atOnce === 0) turn = turn.then(() => nextTurn())
    return turn
  }
}
