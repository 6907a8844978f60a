export * as Mail from "./mail.ts"

import { nowMs } from "../platform/clock.ts"
import { config } from "../platform/config.ts"
import { log } from "../platform/log.ts"

/** A mail that this process kept instead of sending it. */
export interface Info extends Letter {
  atMs: number
}

/** A mail as plain text. */
export interface Letter {
  to: string
  subject: string
  text: string
}

/** Sends a mail from MAIL_FROM, or rejects. */
let carry: (mail: Letter) => Promise<unknown> = async (mail) => {
  // One machine has no SES, and its client is large.
  const { sendBySes } = await import("./ses.ts")
  await sendBySes(mail)
}

/**
 * The latest kept mails, newest first, for the operator of this machine. They are lost with the process.
 */
const kept: Info[] = []
const most = 50
let onKept: ((mail: Info) => void) | undefined

/**
 * Says how this service treats mails. A mail is `sent` if the service has an address to send from. Without
 * one, it is `kept` by `npm start`, for the person who tries the service on their own machine. Everywhere
 * else there is `none`: a function ends and forgets what it keeps, and customers cannot read what `npm run
 * serve` would keep.
 */
export function way(): "sent" | "kept" | "none" {
  if (config.MAIL_FROM !== "") return "sent"
  return config.AWS_LAMBDA_FUNCTION_NAME === undefined && config.PUBLIC_URL === "" ? "kept" : "none"
}

/** Replaces SES as the sender of mail, for instance with the mail server of one machine. */
export function useSender(carrier: typeof carry): void {
  carry = carrier
}

/** Sends a mail, or keeps it. @returns false when nothing takes it */
export async function send(mail: Letter): Promise<boolean> {
  switch (way()) {
    case "none":
      return false
    case "kept":
      addToKept({ ...mail, atMs: nowMs() })
      return true
    case "sent":
      return await post(mail)
  }
}

/** The latest mails that were kept in place of sending them. */
export function latest(): readonly Info[] {
  return kept
}

/** Calls this with each further mail that is kept. */
export function watch(listener: (mail: Info) => void): void {
  onKept = listener
}

function addToKept(mail: Info): void {
  kept.unshift(mail)
  kept.splice(most)
  onKept?.(mail)
}

async function post(mail: Letter): Promise<boolean> {
  try {
    await carry(mail)
    return true
  } catch (error) {
    // The error's message may contain the address.
    log.error({ reason: error instanceof Error ? error.name : "" }, "a mail was not sent")
    return false
  }
}
