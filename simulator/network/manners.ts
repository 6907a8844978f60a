/** The live network's habits that changed in the summer of 2026, and its patience, which a test may shorten. */
export interface Manners {
  /**
   * As since July 2026: a status comes as a `<status>` and not as a `<message>`, the about text is changed by the mex
   * mutation alone, and a contact's devices are told of by a hash of the contact. False: as before.
   */
  sinceJuly: boolean
  /** How long a device may leave a stanza unanswered until its stream is ended, in milliseconds. */
  answerMs: number
  /** How long a companion may take to bring the assertion of a passkey, and to finish, in milliseconds. */
  passkeyMs: number
}

/**
 * The live network waits 50 minutes and 2 seconds (whatsapp-rust 1101). The habits of before are kept as the default until
 * the session host knows the new ones. How long it waits for a passkey is not known; whatsmeow counts on five minutes.
 */
export const usual: Manners = { sinceJuly: false, answerMs: (50 * 60 + 2) * 1000, passkeyMs: 5 * 60_000 }
