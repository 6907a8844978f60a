/** The values that requests are made of, beside what the contract's schemas allow. */
export interface KnownValues {
  /** The account's linked bridge: never logged out, changed or deleted. */
  shop: string
  /** Bridges that may be changed, logged out and deleted, and names for more. */
  spares: string[]
  chats: string[]
  phones: string[]
  messageIds: string[]
  eventIds: string[]
  /** URLs of files, good ones and others. */
  urls: string[]
  webhookUrls: (string | null)[]
  /** Values of the other account. Using them must reveal nothing. */
  foreign: {
    refs: string[]
    messageIds: string[]
    eventIds: string[]
    idempotencyKeys: string[]
    /** The numbers of its contacts. */
    numbers: string[]
  }
  /** Keys that open nothing. */
  wrongKeys: string[]
}
