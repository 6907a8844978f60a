/** Code to paste, with the account's own address in it. */
interface Snippet {
  title: string
  code: string
}

/**
 * Code that a program needs first. `contact`: digits of the sandbox's contact; `""` while there is none. `receiverUrl`:
 * where the receiver of the second block gets its events.
 */
export function snippets(input: { baseUrl: string; contact: string; receiverUrl: string }): Snippet[] {
  const { baseUrl, contact, receiverUrl } = input
  const to = contact === "" ? "<a contact's number>" : contact
  const api = `${baseUrl}/api/instances`
  const post = (path: string, body: string, verb = "") =>
    `curl ${verb}"${api}${path}" \\\n  -H "Authorization: Bearer $KEY" \\\n  -H 'Content-Type: application/json' \\\n  -d '${body}'`
  return [
    {
      title: "Send a message, or a poll to vote on",
      code: [
        post("/sandbox/proxy/send/text", `{"chat":"${to}","body":"Hello"}`),
        post("/sandbox/proxy/send/poll", `{"chat":"${to}","question":"Tea?","options":["Yes","No"]}`),
      ].join("\n\n"),
    },
    { title: "Receive events: receiver.mjs", code: receiver },
    {
      title: "Have them sent there",
      code: `WEBHOOK_SECRET=whsec_... node receiver.mjs &\n\n${post("/sandbox", `{"webhook_url":"${receiverUrl}"}`, "-X PATCH ")}`,
    },
    { title: "Add a number of your own", code: post("", '{"customer_ref":"shop"}') },
  ]
}

/** Twelve lines, for Node 18 or newer. */
const receiver = `import { createHmac } from "node:crypto"
import { createServer } from "node:http"

createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray())
  const signed = request.headers["x-webhook-signature"] ?? ""
  const time = /^t=(\\d+)/.exec(signed)?.[1]
  const own = createHmac("sha256", process.env.WEBHOOK_SECRET).update(\`\${time}.\${body}\`).digest("hex")
  const isGenuine = signed.includes(\`v1=\${own}\`) && Date.now() / 1000 - time < 300
  if (isGenuine) console.log(JSON.parse(body))
  response.writeHead(isGenuine ? 200 : 401).end()
}).listen(9000, "127.0.0.1")`
