/**
 * Definitely not on the wire: nothing of this message has left, and nothing of it will. A row that `keep({ sending })`
 * has written may exist all the same, in a session that is still ours.
 */
export class NotSent extends Error {}

/** The network refused a message, or what else it was asked for. */
export class NetworkRejected extends Error {
  readonly networkCode: number
  constructor(networkCode: number) {
    super(`the network refused (${networkCode})`)
    this.networkCode = networkCode
  }
}

/** The stanza may have left; no acknowledgement came in time. */
export class OutcomeUnknown extends Error {}

/** The network did not answer a question in time. */
export class NoAnswer extends Error {}

/** How the network says of a group or a picture that there is none, or none for us. */
const none = new Set([401, 403, 404, 406])

/** What was asked for; undefined when the network says that there is none, or none for us. */
export async function ifAny<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof NetworkRejected && none.has(error.networkCode)) return undefined
    throw error
  }
}
