import type { Node } from "../wire/node.ts"
import type { DeviceAddress } from "./directory.ts"

/** A device that is connected: a client's socket after login, or a phone of ours. */
export interface ConnectedDevice extends Progress {
  readonly device: DeviceAddress
  send(stanza: Node): void
  /** Says goodbye with this stanza, if one is given, and hangs up. */
  end(goodbye?: Node): void
  /** Cuts the connection without a word, as if it were lost; after half of this stanza, if one is given. */
  cut(half?: Node): void
  /** False while more than enough waits to be written. */
  writable(): boolean
}

/** How far a line has come with what is queued for its device. */
interface Progress {
  /** The number of the last queued stanza written to it. */
  sent: number
  /** The number of the last stanza queued for it. */
  queued: number
  /** Whether it takes queued stanzas yet: a client says so after login. */
  active: boolean
  /** Up to this number what is sent is the backlog, marked `offline`; undefined when that is over. */
  backlog: number | undefined
  /** How many stanzas were marked `offline`. */
  offlineCount: number
  /** How many more of the backlog may be written now; undefined: all. */
  offlineLeft: number | undefined
  /** The number of a stanza that withholds those behind it until the device takes it. */
  stuckAt: number | undefined
  /** The stanza that must be answered next, and the clock that ends the stream if it is not. */
  owed: { n: number; clock: NodeJS.Timeout } | undefined
  /**
   * For each message that the device has asked for again: the number of the last queued stanza that was
   * written before it asked.
   */
  readonly asked: Map<string, number>
}

/** The progress of a device that has just connected. */
export function newProgress(): Progress {
  return {
    sent: 0,
    queued: 0,
    active: false,
    backlog: undefined,
    offlineCount: 0,
    offlineLeft: undefined,
    stuckAt: undefined,
    owed: undefined,
    asked: new Map(),
  }
}
