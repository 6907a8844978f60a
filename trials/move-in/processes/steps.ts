/**
 * Loaded before a process of the service, or of an import (`node --import`, the board's folder in the query):
 * what it asks of the store and what it tells the network are steps, at which it may die.
 */
import { store } from "#core/store/store.ts"
import { wrapClientCalls } from "#test/support/wrap-client-calls.ts"
import { stepsOf } from "../../cluster/armed-steps.ts"
import { watchFrames } from "../../cluster/watch-frames.ts"
import { watchStore } from "../../cluster/watch-requests.ts"

const steps = stepsOf(new URL(import.meta.url).searchParams.get("board") ?? "")
const [, program = ""] = process.argv
watchStore(steps)
if (program.endsWith("session-host/main.ts")) watchFrames(steps)
if (program.endsWith("admin/main.ts")) countWrites()

function countWrites(): void {
  let writes = 0
  wrapClientCalls(store, async (command, go) => {
    if (!/Put|Update|Delete|Write/.test(command.name)) return await go()
    const n = ++writes
    steps.at(`import before write ${n}`)
    const answer = await go()
    steps.at(`import after write ${n}`)
    return answer
  })
}
