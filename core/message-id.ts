import { randomBytes } from "node:crypto"

/** The network's id of a message that we send: chosen before anything else happens to it, so that a retry keeps it. */
export function newMessageId(): string {
  return `3EB0${randomBytes(9).toString("hex").toUpperCase()}`
}

/** Whether it may be one of these: what strangers choose is of any length and any characters. */
export function mayBeOurs(messageId: string): boolean {
  return /^3EB0[0-9A-F]{18}$/.test(messageId)
}
