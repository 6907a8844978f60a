import { AsyncLocalStorage } from "node:async_hooks"
import type { Outgoing } from "../network.ts"

/** How far the sending of one message has come. */
export interface Transmission {
  /** The message, until it is kept. */
  unkept: Outgoing | undefined
  /** It is kept, or about to be. */
  maybeKept: boolean
  /** Something of it is encrypted: the next frame may be its stanza. */
  encrypted: boolean
  /** A frame that may have been its stanza went to the socket. */
  handed: boolean
  /** Given up before anything left: nothing of it may leave any more. */
  abandoned: boolean
}

/** The message that this asynchronous context is about; Baileys passes no context through its own functions. */
export const transmission = new AsyncLocalStorage<Transmission>()
