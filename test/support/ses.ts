import { createServer } from "node:http"
import { json } from "node:stream/consumers"
import { z } from "zod"
import { listen } from "#one-machine/listen.ts"

const Sent = z.object({
  FromEmailAddress: z.string(),
  Destination: z.object({ ToAddresses: z.tuple([z.string()]) }),
  Content: z.object({
    Simple: z.object({
      Subject: z.object({ Data: z.string() }),
      Body: z.object({ Text: z.object({ Data: z.string() }) }),
    }),
  }),
})

/**
 * SES's own API, as far as SendEmail. As in the sandbox of a new account, it takes no mail for addresses at
 * `unproved.example`.
 */
export async function startSes() {
  const mails: { from: string; to: string; subject: string; text: string }[] = []
  const server = createServer((request, response) => {
    void (async () => {
      const { FromEmailAddress: from, Destination, Content } = Sent.parse(await json(request))
      const [to] = Destination.ToAddresses
      if (to.endsWith("@unproved.example")) {
        response.writeHead(400, { "x-amzn-errortype": "MessageRejected" })
        response.end(JSON.stringify({ message: `Email address is not verified: ${to}` }))
        return
      }
      const { Subject, Body } = Content.Simple
      mails.push({ from, to, subject: Subject.Data, text: Body.Text.Data })
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ MessageId: "1" }))
    })()
  })
  const port = await listen(server)
  return {
    endpoint: `http://127.0.0.1:${port}`,
    mails,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
