/** The network's patience, which a test may shorten. */
export interface Patience {
  /** How long a device may leave a stanza unanswered until its stream is ended, in milliseconds. */
  answerMs: number
  /** How long a companion may take to bring the assertion of a passkey, and to finish, in milliseconds. */
  passkeyMs: number
}

/**
 * The live network waits 50 minutes and 2 seconds (whatsapp-rust 1101). How long it waits for a passkey is
 * not known; whatsmeow counts on five minutes.
 */
export const usualPatience: Patience = { answerMs: (50 * 60 + 2) * 1000, passkeyMs: 5 * 60_000 }
