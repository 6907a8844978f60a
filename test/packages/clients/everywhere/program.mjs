// What a program does with the SDK, on whatever runs it: `main.ts` runs it on each. It reads BRIDGE_URL and
// BRIDGE_KEY.
import { BridgeError, messagingBridge, webhooks } from "messaging-bridge-sdk"

const service = messagingBridge()
const sandbox = service.bridge("sandbox")

function must(holds, what) {
  if (!holds) throw new Error(`this does not hold: ${what}`)
}

async function codeOf(work) {
  const error = await work.then(
    () => undefined,
    (error) => error,
  )
  return error instanceof BridgeError ? error.code : `no BridgeError: ${error}`
}

// The household's people arrive a moment after the sandbox is linked.
let echo
while (!echo)
  for await (const one of sandbox.listContacts({ limit: 1 })) if (one.name === "Echo") echo = one.jid

const text = `Grüße 👋 ${crypto.randomUUID()}`
const events = sandbox.events({ types: ["message"], from: "now" })
const next = events.next()
// The stream begins when it is open. The message is sent without waiting for that.
const asked = { chat: echo, body: text }
const sent = await sandbox.sendText(asked, { idempotencyKey: text.slice(-36) })
const again = await sandbox.sendText(asked, { idempotencyKey: text.slice(-36) })
must(sent.message_id === again.message_id, "one key sends one message")
const { value } = await next
must(value.event.body === text && value.event.contact_id === echo, "Echo's answer comes as an event")
await events.return()

const file = await sandbox.upload(new Blob(["a file"], { type: "text/plain" }), { filename: "a.txt" })
must((await sandbox.sendMedia({ chat: echo, file })).message_id, "an uploaded file is sent")
must((await codeOf(sandbox.qr())) === "already_paired", "a linked bridge has no code")
must((await codeOf(service.bridge("nobody").status())) === "not_found", "an unknown bridge is not found")
const wrong = messagingBridge({ key: "mbk_wrong" })
must((await codeOf(wrong.getAccount())) === "unauthorized", "a wrong key is refused")
const away = messagingBridge({ url: "http://127.0.0.1:9", retries: 0 })
must((await codeOf(away.getAccount())) === "no_answer", "a service that is away has no answer")

// A delivery as the service signs it.
const secret = (await sandbox.getBridge()).webhook_secret
const body = new TextEncoder().encode(JSON.stringify({ event: "message", body: text }))
const time = Math.floor(Date.now() / 1000)
const hmac = { name: "HMAC", hash: "SHA-256" }
const key = await crypto.subtle.importKey("raw", new TextEncoder().encode(secret), hmac, false, ["sign"])
const signed = new Uint8Array([...new TextEncoder().encode(`${time}.`), ...body])
const bytes = new Uint8Array(await crypto.subtle.sign("HMAC", key, signed))
const v1 = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
const got = []
const hook = webhooks.handler(
  { message: (event, { eventId }) => void got.push(eventId, event.body) },
  { secret },
)
const delivery = (signature) => ({
  method: "POST",
  body,
  headers: { "x-webhook-signature": `t=${time},v1=${signature}`, "x-webhook-event-id": "evt_1" },
})

/** Serves the webhook in the way of this runtime. @returns its URL and how to end it */
async function serve() {
  if (globalThis.Bun) {
    const server = Bun.serve({ port: 0, fetch: hook })
    return { url: `http://127.0.0.1:${server.port}/`, stop: () => server.stop(true) }
  }
  if (globalThis.Deno) {
    const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, hook)
    return { url: `http://127.0.0.1:${server.addr.port}/`, stop: () => server.shutdown() }
  }
  const { default: express } = await import("express")
  const app = express().post("/", webhooks.node(hook)).use(express.json()).post("/late", webhooks.node(hook))
  const server = app.listen(0, "127.0.0.1")
  await new Promise((done) => server.once("listening", done))
  return { url: `http://127.0.0.1:${server.address().port}/`, stop: () => server.close() }
}

const server = await serve()
const answers = [await fetch(server.url, delivery(v1)), await fetch(server.url, delivery("0".repeat(64)))]
must(answers.map(({ status }) => status).join() === "204,401", "what is signed is taken, and nothing else")
must(got.join() === `evt_1,${text}`, "the event comes as it was signed")
if (!globalThis.Bun && !globalThis.Deno) {
  const late = await fetch(`${server.url}late`, {
    ...delivery(v1),
    headers: { "content-type": "application/json" },
  })
  must((await late.text()).includes("before express.json()"), "a body that was parsed is told of")
}
for (const { body } of answers) await body?.cancel()
await server.stop()
console.log("everything holds")
