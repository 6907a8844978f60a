import { AsyncLocalStorage } from "node:async_hooks"
import { WebSocket } from "ws"
import { SessionIntake } from "#session-host/receive/intake.ts"
import { transmissionNow } from "#session-host/whatsapp/send/transmission.ts"
import type { Steps } from "./armed-steps.ts"

type Send = (this: WebSocket, data: Buffer, done: (error?: Error) => void) => void

/**
 * Whether the frame being read is live, from the backlog, or a contact's receipt for what we sent, in the
 * asynchronous context that reads it.
 */
const arriving = new AsyncLocalStorage<"live" | "backlog" | "status">()

/**
 * Makes steps of what a session tells the network: the stanza of a message (`stanza`), the receipt that says
 * that one has arrived (`receipt`, `backlog receipt`), or the ack of a contact's receipt (`status ack`). Such
 * a frame is `held` while it waits at the gate, and `sent` when its bytes are with the operating system.
 */
export function watchFrames({ at }: Steps): void {
  followArrivals()
  const words = new WeakMap<Buffer, string>()
  const gates = new WeakMap<WebSocket, Send>()
  const plain = Reflect.get(WebSocket.prototype, "send") as Send // of the library

  const leave: Send = function (data, done) {
    const word = words.get(data)
    if (!word) return plain.call(this, data, done)
    words.delete(data)
    at(`before ${word}`)
    plain.call(this, data, (error) => {
      at(`${word} sent`)
      done(error)
    })
  }
  const come = (gate: Send): Send =>
    function (data, done) {
      const word = wordOfFrame()
      if (word) words.set(data, word)
      gate.call(this, data, done)
      if (words.has(data)) at(`${word} held`)
    }

  Object.defineProperty(WebSocket.prototype, "send", {
    get(this: WebSocket) {
      return gates.get(this) ?? leave
    },
    // The gate puts itself before the socket's own way out.
    set(this: WebSocket, gate: Send) {
      gates.set(this, come(gate))
    },
  })
}

function followArrivals(): void {
  const foresee = Reflect.get(SessionIntake.prototype, "foresee")
  SessionIntake.prototype.foresee = function (attrs) {
    arriving.enterWith(attrs.offline === undefined ? "live" : "backlog")
    foresee.call(this, attrs)
  }
  const follows = Object.getOwnPropertyDescriptor(SessionIntake.prototype, "followsReceipts")
  Object.defineProperty(SessionIntake.prototype, "followsReceipts", {
    get(this: SessionIntake): unknown {
      // What is asked first about each receipt, before anything is waited for.
      arriving.enterWith("status")
      return follows?.get?.call(this)
    },
  })
}

function wordOfFrame(): string | undefined {
  const sending = transmissionNow()
  if (sending) return sending.isBuilt ? "stanza" : undefined
  const what = arriving.getStore()
  return what && wordsOfArrivals[what]
}

const wordsOfArrivals = { live: "receipt", backlog: "backlog receipt", status: "status ack" }
