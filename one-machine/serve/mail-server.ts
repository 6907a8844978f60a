import { createTransport } from "nodemailer"
import type { Mail } from "#core/account/mail.ts"

/**
 * How long the mail server may take for a connection, its greeting and each answer, in ms: a person waits for
 * the mail.
 */
const withinMs = 5000
/**
 * How long a whole mail may take, in ms: a server that says something now and then would hold it for ever.
 */
const inAllMs = 10_000

/**
 * Sends mails by the operator's own mail server. It rejects when the server refuses a mail or does not
 * answer.
 */
export function mailSender(url: string, from: string): (mail: Mail.Letter) => Promise<void> {
  const times = { connectionTimeout: withinMs, greetingTimeout: withinMs, socketTimeout: withinMs }
  const server = createTransport({ url, ...times })
  return async ({ to, subject, text }) => {
    await server.sendMail({ from, to, subject, text, signal: AbortSignal.timeout(inAllMs) })
  }
}
