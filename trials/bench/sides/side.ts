import type { Process } from "../usage.ts"

/** A linked bridge, with its phone and a contact who writes with it. */
export interface Line {
  ref: string
  /** Numbers. */
  owner: string
  contact: string
  /** `number:device` of the bridge on the network. */
  device: string
  /** The path at the receiver to which its events go. */
  path: string
  /** Those of its further webhooks that are to get all of it, too. */
  further?: string[]
}

/** One of the two sides that are compared. */
export interface Side {
  name: "ours" | "bare"
  /** In the order in which they were linked; it grows. */
  lines: Line[]
  /** Links bridges until there are so many. */
  link: (count: number, progress: (linked: number) => void) => Promise<void>
  /**
   * Sends a text to the contact of a bridge; resolves when it is answered that the network has it. @throws
   * Error
   */
  send: (line: Line, text: string, key?: string) => Promise<void>
  /** All its processes, without the network. */
  processes: () => Promise<Process[]>
  stop: () => Promise<void>
  /** Starts it again after `stop`, with the data that it kept. */
  start: () => Promise<void>
}
