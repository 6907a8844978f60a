export * as Mail from "./mail.ts"

import { nowMs } from "../platform/clock.ts"

/** A mail that this process kept instead of sending it. */
export interface Info {
  to: string
  subject: string
  text: string
  atMs: number
}

/** The latest, newest first. They are for whoever runs the service on this machine, and die with it. */
const kept: Info[] = []
const most = 50
let onKept: ((mail: Info) => void) | undefined

/** Sends a mail. On one machine there is nothing to send with: it is kept, for the operator to read. */
export function send(mail: Omit<Info, "atMs">): void {
  const whole = { ...mail, atMs: nowMs() }
  kept.unshift(whole)
  kept.splice(most)
  onKept?.(whole)
}

export function list(): readonly Info[] {
  return kept
}

/** Calls this with each further mail that is kept. */
export function watch(listener: (mail: Info) => void): void {
  onKept = listener
}
