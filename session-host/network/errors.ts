/**
 * Definitely not sent: nothing of this message has left, and nothing will. A row that `keep({ sending })` has
 * written may exist all the same, in a session that is still ours.
 */
export class NotSent extends Error {}

/** Not sent, since the network names no device of the recipient's, or gives no keys for any. */
export class NobodyReached extends NotSent {}

/** Not sent, since the session is not in this group. */
export class NotInGroup extends NotSent {}

/** The network refused a message or another request. */
export class NetworkRejected extends Error {
  readonly networkCode: number
  constructor(networkCode: number) {
    super(`the network refused (${networkCode})`)
    this.networkCode = networkCode
  }
}

/**
 * A passkey's assertion was not taken. `malformed`: not what a browser makes. `origin`, `challenge`: made on
 * another page, or for an earlier request. `foreign`: by another passkey. `wrong`: the network did not accept
 * its signature. `late`: after its time. `busy`: another one is being looked at. `not_awaited`: nobody asked.
 * `unreadable`: the network's own part.
 */
export class PasskeyRefused extends Error {
  readonly why: PasskeyRefusal
  constructor(why: PasskeyRefusal) {
    super(`passkey refused: ${why}`)
    this.why = why
  }

  /** Whether the network may have used up its challenge, or its time is over. */
  get isSpent(): boolean {
    return this.why === "wrong" || this.why === "late" || this.why === "unreadable"
  }
}

export type PasskeyRefusal =
  | "malformed"
  | "origin"
  | "challenge"
  | "foreign"
  | "wrong"
  | "late"
  | "busy"
  | "not_awaited"
  | "unreadable"

/** The stanza may have left, but no acknowledgement came in time. */
export class OutcomeUnknown extends Error {}

/** The network did not answer a question in time. */
export class NoAnswer extends Error {}

/** The network's codes for a group or a picture that does not exist, or not for us. */
const none = new Set([401, 403, 404, 406])

/** The answer; undefined when the network says that it does not exist, or not for us. */
export async function ifAny<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof NetworkRejected && none.has(error.networkCode)) return undefined
    throw error
  }
}
