/**
 * The message was definitely not sent: nothing of it has left, and nothing will. A row that `change` has
 * written may exist all the same, in a session that is still ours.
 */
export class NotSent extends Error {}

/**
 * The message was not sent, since the network names no device of the recipient, or gives no keys for any of
 * them.
 */
export class NobodyReached extends NotSent {}

/** The message was not sent, since the session is not in this group. */
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
 * A passkey's assertion was refused. `malformed`: no browser makes such an assertion. `origin`, `challenge`:
 * it was made on another page, or for an earlier request. `foreign`: another passkey made it. `wrong`: the
 * network did not accept its signature. `late`: its time was over. `busy`: another assertion is being
 * checked. `not_awaited`: the network has not asked for one. `unreadable`: the network's own part cannot be
 * read.
 */
export class PasskeyRefused extends Error {
  readonly why: PasskeyRefusal
  constructor(why: PasskeyRefusal) {
    super(`passkey refused: ${why}`)
    this.why = why
  }

  /** Whether the network may have used up the challenge, or its time is over. */
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

/** The network's codes for a group or a picture that does not exist, or that we may not see. */
const none = new Set([401, 403, 404, 406])

/** The answer; undefined if the network says that the thing does not exist, or that we may not see it. */
export async function ifAny<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof NetworkRejected && none.has(error.networkCode)) return undefined
    throw error
  }
}
