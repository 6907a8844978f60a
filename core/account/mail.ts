export * as Mail from "./mail.ts"

import { SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2"
import { requestTimes } from "../platform/aws-client-options.ts"
import { nowMs } from "../platform/clock.ts"
import { config } from "../platform/config.ts"
import { lazily } from "../platform/lazily.ts"
import { log } from "../platform/log.ts"

/** A mail that this process kept instead of sending it. */
export interface Info {
  to: string
  subject: string
  text: string
  atMs: number
}

const ses = lazily(() => new SESv2Client({ maxAttempts: 3, ...requestTimes }))

/** The latest, newest first. They are for whoever runs the service on this machine, and die with it. */
const kept: Info[] = []
const most = 50
let onKept: ((mail: Info) => void) | undefined

/**
 * How mail goes out: `sent` by SES where the service has an address to send from, `kept` on one machine for its operator to
 * read, or `none` in a function, which dies with what it keeps.
 */
export function way(): "sent" | "kept" | "none" {
  if (config.MAIL_FROM !== "") return "sent"
  return config.AWS_LAMBDA_FUNCTION_NAME === undefined ? "kept" : "none"
}

/** Sends a mail, or keeps it. @returns false when nothing takes it */
export async function send(mail: Omit<Info, "atMs">): Promise<boolean> {
  switch (way()) {
    case "none":
      return false
    case "kept":
      keep({ ...mail, atMs: nowMs() })
      return true
    case "sent":
      return await post(mail)
  }
}

export function list(): readonly Info[] {
  return kept
}

/** Calls this with each further mail that is kept. */
export function watch(listener: (mail: Info) => void): void {
  onKept = listener
}

function keep(mail: Info): void {
  kept.unshift(mail)
  kept.splice(most)
  onKept?.(mail)
}

/** SES refuses an address that it was told to avoid and, until the account has left its sandbox, every unproved one. */
async function post({ to, subject, text }: Omit<Info, "atMs">): Promise<boolean> {
  const Simple = { Subject: data(subject), Body: { Text: data(text) } }
  const about = { FromEmailAddress: config.MAIL_FROM, Destination: { ToAddresses: [to] } }
  try {
    await ses.send(new SendEmailCommand({ ...about, Content: { Simple } }))
    return true
  } catch (error) {
    // Its message may have the address.
    log.error({ reason: error instanceof Error ? error.name : "" }, "a mail was not sent")
    return false
  }
}

function data(Data: string) {
  return { Data, Charset: "UTF-8" }
}
