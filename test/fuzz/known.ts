/** What requests are made of, beside what the contract's schemas allow. */
export interface Known {
  /** The account's linked bridge: never logged out, changed or deleted. */
  shop: string
  /** Bridges that are there to be changed, logged out and deleted, and names for more. */
  spares: string[]
  chats: string[]
  phones: string[]
  messageIds: string[]
  eventIds: string[]
  /** Of files, good ones and others. */
  urls: string[]
  webhookUrls: (string | null)[]
  /** The other account's: whoever uses them must learn nothing. */
  foreign: {
    refs: string[]
    messageIds: string[]
    eventIds: string[]
    idempotencyKeys: string[]
    /** Whom it knows. */
    numbers: string[]
  }
  /** Keys that open nothing. */
  wrongKeys: string[]
}
