import type { Stage } from "./stage.ts"

/** A client that somebody else wrote, made to call the service in another gateway's language. */
export interface Judge {
  /** The client and its version. */
  name: string
  /**
   * Makes each of its calls that are in scope once.
   * @returns undefined if what it needs is not on this machine
   */
  run: (stage: Stage) => Promise<Made[] | undefined>
}

/** A call that was made, and whether its result was what the client's own types say. */
export interface Made {
  call: string
  /** Why it did not pass; absent if it did. */
  why?: string
}
