import type { DeviceAddress, User } from "../network/directory.ts"
import type { Network } from "../network/network.ts"
import type { Node } from "../wire/node.ts"
import type { Messages } from "./messages.ts"
import type { Keys } from "./signal/key-store.ts"
import type { GroupSignal } from "./signal/sender-keys.ts"
import type { DecryptFailure, Signal } from "./signal/sessions.ts"

/** Everything that a phone works with. Only one piece of work uses it at a time. */
export interface Handset {
  network: Network
  /** The phone's own device. */
  own: DeviceAddress
  user(): User
  keys: Keys
  signal: Signal
  groupSignal: GroupSignal
  inbox: Messages
  /** Counts of what could not be decrypted, by kind. */
  notDecrypted: Record<DecryptFailure, number>
  /** Hands a stanza to the network, as a client's socket does. */
  submit(stanza: Node): void
  /** Asks the network, which answers before this returns. */
  ask(xmlns: string, type: "get" | "set", content: Node[], about?: Addressee): Node | undefined
}

/** The person whom a question is for, or about; the network itself if neither is said. */
export interface Addressee {
  to?: string
  target?: string
}
