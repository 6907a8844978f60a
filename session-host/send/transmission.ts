import { AsyncLocalStorage } from "node:async_hooks"
import type { SignalDataSet } from "@whiskeysockets/baileys"
import type { Outgoing } from "../network/connection.ts"

/** How far the sending of one message has come. */
export interface Transmission {
  /** Where it goes. */
  chat: string
  /** The addresses of the members of the group that it goes to, by their user part. */
  members?: ReadonlyMap<string, string>
  /** The people whose devices it goes to, by the user part of their addresses. */
  users?: string[]
  /** Devices by whether there is a session with them: without one they are left out, for nobody can open one. */
  reached?: ReadonlyMap<string, boolean>
  /** The message, until it is kept. */
  unkept: Outgoing | undefined
  /** It is kept, or about to be. */
  maybeKept: boolean
  /** The stanza is built, and is the next frame. Frames before it are questions to the network. */
  built: boolean
  /** The stanza went to the socket. */
  handed: boolean
  /** Given up before anything left: nothing of it may leave any more. */
  abandoned: boolean
  /** By group: to which devices this message brings our sender key, and which have had it before. */
  keyHolders?: SignalDataSet["sender-key-memory"]
}

/** The message that this asynchronous context is about; Baileys passes no context through its own functions. */
export const transmission = new AsyncLocalStorage<Transmission>()

/**
 * Baileys notes who has our sender key of a group as soon as it has written a message to it. If that message is refused or
 * lost, they do not have the key, and cannot read the next one. So it is noted when the network has acknowledged.
 */
export function withoutKeyHolders(data: SignalDataSet): SignalDataSet {
  const sending = transmission.getStore()
  if (!sending || !data["sender-key-memory"]) return data
  const { "sender-key-memory": keyHolders, ...others } = data
  sending.keyHolders = keyHolders
  return others
}
