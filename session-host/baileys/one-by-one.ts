import type { EventEmitter } from "node:events"
import type { AuthenticationCreds, BinaryNode } from "@whiskeysockets/baileys"
import type { Arrivals } from "./arrivals.ts"
import { isParsable } from "./parsable.ts"

interface Input {
  ws: EventEmitter
  arrivals: Arrivals
  creds: Pick<AuthenticationCreds, "me">
  ended: () => boolean
  onError: (error: unknown) => void
}

/**
 * Gives Baileys the next message when the one before is settled. By itself it looks up addresses for several at once
 * before it decrypts one after the other, so with a slow store they are decrypted, and would become events, in any
 * order; and live messages overtake the backlog.
 */
export function oneByOne({ ws, arrivals, creds, ended, onError }: Input) {
  const [listener] = ws.listeners("CB:message")
  if (!listener) throw new Error("Baileys does not listen for messages")
  // The emitter's own type gives up on listeners of any shape.
  ws.removeListener("CB:message", listener as () => void)

  const give = async (node: BinaryNode) => {
    await Reflect.apply(listener, ws, [node])
    // Of the backlog this says nothing: Baileys has a queue of its own for it, and answers in its own time.
    if (!node.attrs.offline || !isParsable(node, creds.me)) arrivals.dropped(node)
  }
  const after = async (before: Promise<void>, node: BinaryNode) => {
    await before
    if (ended()) return
    const given = give(node).catch(onError)
    await (arrivals.whenSettled(node) ?? given)
  }
  let turn = Promise.resolve()
  ws.on("CB:message", (node: BinaryNode) => {
    turn = after(turn, node)
  })
}
