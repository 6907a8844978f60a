import { createHash, randomBytes } from "node:crypto"

/** The network's id for a message that we send. It is chosen first, so that a retry keeps it. */
export function newMessageId(): string {
  return `3EB0${randomBytes(9).toString("hex").toUpperCase()}`
}

/**
 * The id of the message to this person that belongs to a call with this id: a retry of the call has the same
 * one.
 */
export function messageIdFor(callId: string, jid: string): string {
  const hash = createHash("sha256").update(`${callId} ${jid}`).digest("hex")
  return `3EB0${hash.slice(0, 18).toUpperCase()}`
}

/** Whether it has the form of our ids. Strangers choose ids of any length, with any characters. */
export function mayBeOurs(messageId: string): boolean {
  return /^3EB0[0-9A-F]{18}$/.test(messageId)
}
