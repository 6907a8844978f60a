import { SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2"
import { requestTimeouts, serviceAt } from "../platform/aws-client-options.ts"
import { config } from "../platform/config.ts"
import type { Letter } from "./mail.ts"

let client: SESv2Client | undefined

/**
 * SES refuses an address that it was told to avoid and, until the account has left its sandbox, every
 * unproved one.
 */
export async function sendBySes({ to, subject, text }: Letter): Promise<void> {
  client ??= new SESv2Client({
    maxAttempts: 3,
    ...requestTimeouts,
    ...serviceAt(config.AWS_ENDPOINT_URL_SESV2),
  })
  const Simple = { Subject: data(subject), Body: { Text: data(text) } }
  const about = { FromEmailAddress: config.MAIL_FROM, Destination: { ToAddresses: [to] } }
  await client.send(new SendEmailCommand({ ...about, Content: { Simple } }))
}

function data(Data: string) {
  return { Data, Charset: "UTF-8" }
}
