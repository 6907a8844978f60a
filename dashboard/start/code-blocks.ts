import { html } from "hono/html"
import { codeBlock, type Html } from "../elements.ts"

interface Blocks {
  /** Where a program finds this service. */
  baseUrl: string
  /** Digits of the sandbox's contact; `""` while there is none. */
  contact: string
  /** Whether this service calls a receiver on the reader's own machine. */
  isReceiverHere: boolean
}

/** Code to copy, as the stream sends it again once the contact's number is known. */
export function codeBlocks(input: Blocks): Html {
  const { baseUrl, contact, isReceiverHere } = input
  const receiverUrl = isReceiverHere ? "http://127.0.0.1:9000/" : "https://example.com/"
  return html`<section class="card" id="blocks">
    <header>
      <h2>For your program</h2>
      <p>
        Put a key from <a href="/keys">API keys</a> into <code>KEY</code>, and the sandbox's secret, from its
        <a href="/numbers/sandbox/webhooks">Webhooks</a>, in place of <code>whsec_...</code>. Then paste.
      </p>
    </header>
    <div class="snippets">
      ${snippets({ baseUrl, contact, receiverUrl }).map(
        ({ title, code, typescript, python }) =>
          html`<div>
            <h3>${title}</h3>
            ${codeBlock(code, title)} ${typescript === undefined ? "" : inLanguage("TypeScript", typescript)}
            ${python === undefined ? "" : inLanguage("Python", python)}
          </div>`,
      )}
    </div>
    <p class="small muted">
      ${isReceiverHere ? "" : html`Put your program where the internet can reach it, and its address in place of <code>${receiverUrl}</code>.`}
      Every call, and a program that takes events, in three languages: <a href="/api/docs">the reference</a>.
    </p>
  </section>`
}

function inLanguage(name: string, code: string): Html {
  return html`<details class="plain">
    <summary>The same in ${name}</summary>
    ${codeBlock(code, name)}
  </details>`
}

interface Snippet {
  title: string
  code: string
  typescript?: string
  python?: string
}

/**
 * Code that a program needs first. The SDKs take the address and the key from the environment.
 * @param input `contact`: the digits of the sandbox's contact, `""` while there is none. `receiverUrl`: where
 * the receiver of the second block gets its events
 */
function snippets(input: { baseUrl: string; contact: string; receiverUrl: string }): Snippet[] {
  const { baseUrl, contact, receiverUrl } = input
  const to = contact === "" ? "<a contact's number>" : contact
  const api = `${baseUrl}/api/instances`
  const post = (path: string, body: string, verb = "") =>
    `curl ${verb}"${api}${path}" \\\n  -H "Authorization: Bearer $KEY" \\\n  -H 'Content-Type: application/json' \\\n  -d '${body}'`
  const run = (command: string) => `BRIDGE_URL="${baseUrl}" BRIDGE_KEY="$KEY" ${command}`
  const typescript = (...lines: string[]) =>
    [
      "// The SDK is in packages/sdk-typescript of the service's repository; how to install it stands there.",
      `// ${run("node send.mjs")}`,
      'import { messagingBridge } from "messaging-bridge-sdk"',
      "",
      ...lines,
    ].join("\n")
  const python = (...lines: string[]) =>
    [
      "# The SDK is in packages/sdk-python of the service's repository; how to install it stands there.",
      `# ${run("python send.py")}`,
      "from messaging_bridge import MessagingBridge",
      "",
      ...lines,
    ].join("\n")
  return [
    {
      title: "Send a message, or a poll to vote on",
      typescript: typescript(
        'const sandbox = messagingBridge().bridge("sandbox")',
        `await sandbox.sendText({ chat: "${to}", body: "Hello" })`,
        `await sandbox.sendPoll({ chat: "${to}", question: "Tea?", options: ["Yes", "No"] })`,
      ),
      python: python(
        'sandbox = MessagingBridge().bridge("sandbox")',
        `sandbox.send_text(chat="${to}", body="Hello")`,
        `sandbox.send_poll(chat="${to}", question="Tea?", options=["Yes", "No"])`,
      ),
      code: [
        post("/sandbox/proxy/send/text", `{"chat":"${to}","body":"Hello"}`),
        post("/sandbox/proxy/send/poll", `{"chat":"${to}","question":"Tea?","options":["Yes","No"]}`),
      ].join("\n\n"),
    },
    { title: "Receive events: receiver.mjs", code: receiver },
    {
      title: "Send events to it",
      code: `WEBHOOK_SECRET=whsec_... node receiver.mjs &\n\n${post("/sandbox", `{"webhook_url":"${receiverUrl}"}`, "-X PATCH ")}`,
    },
    {
      title: "Add a number of your own",
      code: post("", '{"customer_ref":"shop"}'),
      typescript: typescript('await messagingBridge().createBridge({ customer_ref: "shop" })'),
      python: python('MessagingBridge().create_bridge(customer_ref="shop")'),
    },
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
