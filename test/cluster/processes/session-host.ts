/** A session host as it is shipped, under watch. */
import { WebSocket } from "ws"
import { transmission } from "#session-host/baileys/transmission.ts"
import { SessionVault } from "#session-host/memory/vault.ts"
import { breakQueue, breakStore } from "../breaks.ts"
import { stepsOf, type Steps } from "../steps.ts"
import { watchStore } from "../watch.ts"

const { CHAOS_STEPS: dir = "", CHAOS_BREAK: broken } = process.env
const steps = stepsOf(dir)
breakStore(broken)
breakQueue(broken)
watchStore(steps)
watchVault(steps)
watchSocket(steps)
await import("#session-host/main.ts")

/** Tells what came while the host was away from what comes live, and what comes once more. */
function watchVault({ at }: Steps): void {
  const keep = Reflect.get(SessionVault.prototype, "keep")
  const isSeen = Reflect.get(SessionVault.prototype, "isSeen")
  SessionVault.prototype.keep = async function (change) {
    const word = change.received && (change.received.attrs.offline === undefined ? "live" : "backlog")
    if (word) at(`before ${word}`)
    await keep.call(this, change)
    if (word) at(`after ${word}`)
  }
  SessionVault.prototype.isSeen = async function (received) {
    const isSeen_ = await isSeen.call(this, received)
    if (isSeen_) at("redelivered")
    return isSeen_
  }
}

/** A message's stanza: `sent` when its bytes are with the operating system. */
function watchSocket({ at }: Steps): void {
  const send = Reflect.get(WebSocket.prototype, "send") as (
    data: Buffer,
    done: (error?: Error) => void,
  ) => void
  Reflect.set(
    WebSocket.prototype,
    "send",
    function (this: WebSocket, data: Buffer, done: (error?: Error) => void) {
      if (!transmission.getStore()?.encrypted) return send.call(this, data, done)
      at("before stanza")
      send.call(this, data, (error) => {
        at("stanza sent")
        done(error)
      })
    },
  )
}
