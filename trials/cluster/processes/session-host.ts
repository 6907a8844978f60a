/** A session host as it is shipped, under watch. */
import { SessionVault } from "#session-host/memory/vault.ts"
import { SessionIntake } from "#session-host/receive/intake.ts"
import { stepsOf, type Steps } from "../armed-steps.ts"
import { breakMemory } from "../break-memory.ts"
import { breakQueue, breakStore } from "../break-store-and-queue.ts"
import { watchFrames } from "../watch-frames.ts"
import { watchStore } from "../watch-requests.ts"

const { CHAOS_STEPS: dir = "", CHAOS_BREAK: broken } = process.env
const steps = stepsOf(dir)
breakStore(broken)
breakQueue(broken)
breakMemory(broken)
watchStore(steps)
watchMemory(steps)
watchFrames(steps)
await import("#session-host/main.ts")

/**
 * Makes steps of the units that are made of messages: of one that goes out (`outgoing`), of one that comes
 * live, of one that came while the session was not connected (`backlog`); and of one that comes once more.
 */
function watchMemory({ at }: Steps): void {
  const change = Reflect.get(SessionVault.prototype, "change")
  const receive = Reflect.get(SessionIntake.prototype, "receive")
  const isSeen = Reflect.get(SessionIntake.prototype, "isSeen")
  SessionVault.prototype.change = async function (its, make) {
    if (its.outgoing) at("before outgoing")
    await change.call(this, its, make)
    if (its.outgoing) at("after outgoing")
  }
  SessionIntake.prototype.receive = async function (received, keys) {
    const word = received.attrs.offline === undefined ? "live" : "backlog"
    at(`before ${word}`)
    await receive.call(this, received, keys)
    at(`after ${word}`)
  }
  SessionIntake.prototype.isSeen = async function (received) {
    const seen = await isSeen.call(this, received)
    if (seen) at("redelivered")
    return seen
  }
}
