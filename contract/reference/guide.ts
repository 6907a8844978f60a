import { html } from "hono/html"
import { prose, table, type Html } from "./prose-and-tables.ts"

/** The reader of the reference, as far as they are known. */
export interface Reader {
  /** Where the service is: `https://bridge.example.com`. */
  baseUrl: string
  /** The name of a key of theirs, if they are signed in and have one. */
  keyName?: string | undefined
  /** Whether calls can be tried in the dashboard. */
  mayTry: boolean
  /** How many requests a minute this service lets through: of each API key, and of an address. */
  perMinute: { provision: number; proxy: number; other: number; address: number }
}

export interface Chapter {
  id: string
  title: string
  body: Html
}

const start = (reader: Reader) => String.raw`URL=${reader.baseUrl}
KEY=mbk_...   # your API key${named(reader.keyName)}
auth="Authorization: Bearer $KEY" json='Content-Type: application/json'

curl "$URL/api/instances" -H "$auth" -H "$json" \
  -d '{"customer_ref":"shop","webhook_url":"https://example.com/hook"}'

# Scan the picture with the phone: linked devices, link a device
curl -fsS --retry 9 "$URL/api/instances/shop/proxy/qr" -H "$auth" -o qr.png

# Until it says connected
curl "$URL/api/instances/shop/proxy/status" -H "$auth"

curl "$URL/api/instances/shop/proxy/send/text" -H "$auth" -H "$json" -H 'Idempotency-Key: order-17' \
  -d '{"chat":"491711234567","body":"Hello"}'`

/** The name of a key, as a comment in a shell: a name may hold anything, line breaks as well. */
function named(keyName: string | undefined): string {
  return keyName !== undefined && /^[\w .-]{1,64}$/.test(keyName) ? `, such as "${keyName}"` : ""
}

/** Each session status, its meaning, and what to do about it. */
const statuses = [
  ["unpaired", "No phone is linked.", "Show the code of `qr`, or ask for one with `pair`."],
  ["connecting", "The session starts, or was just linked.", "Wait. A call waits up to 5 s, then it is 503."],
  ["connected", "The session is up.", "Nothing. `qr` and `pair` are 409 `already_paired`."],
  [
    "disconnected",
    "A phone is linked, but the network cannot be reached. Retried automatically, backing off to once a minute.",
    "Wait. The bridge's log (`streamLogs`) says why. Meanwhile sends are 503, and no incoming message is lost.",
  ],
  [
    "replaced",
    "Another login took its place, and the session does not take it back by itself.",
    "Stop the other one, then PATCH the bridge with its `webhook_url` to connect again. Or `logout`, and link again.",
  ],
  [
    "passkey_required",
    "The account is linked with a passkey only.",
    "Use the passkey on https://web.whatsapp.com, and POST the answer to `passkey`: see Linking with a passkey. Or `logout`, and ask for `qr` again.",
  ],
] as const

/** The codes of `network_rejected`. */
const networkCodes = [
  [
    "463",
    "The number may not start new chats for now.",
    "Do not retry: that makes it worse. Reply only to people who write to you.",
  ],
  ["479", "The recipient's devices have changed.", "Retry once."],
  ["others", "As the network gives them: a definite refusal.", "Nothing was sent."],
] as const

const rateLimits = ({ perMinute: { provision, proxy, other, address } }: Reader) =>
  [
    ["requests that create bridges", `${provision} a minute for each API key`],
    ["requests to `/proxy/`", `${proxy} a minute, of each API key`],
    ["all other requests", `${other} a minute, of each API key`],
    ["requests from one address, with any key", `${address} a minute`],
  ] as const

const limits = [
  ["a body", "800 KiB of JSON"],
  ["a file to send", "16 MB; a document 100 MB; fetched from your URL within 25 s, or uploaded"],
  ["a file in a request (`data`, in base64)", "350 KB"],
  ["an upload", "100 MB; its form is good for 15 minutes; kept for 24 hours"],
  ["a received file", "kept for 3 hours; later fetched again from the network, as long as it has the file"],
  ["a call", "answered within 50 s"],
  ["an attempt at your webhook", "10 s"],
  ["messages that can be quoted, edited, revoked, reacted to", "those of the last 30 days"],
  ["idempotency keys", "kept for 24 hours"],
  ["calls that were refused, or that changed something", "listed for 7 days (`listRequests`)"],
  ["events", "kept for 7 days; undelivered ones and those of the inbox for 30"],
  ["log streams", "2 for each bridge, 10 for each account, each for ten minutes"],
  ["event streams", "5 for each bridge, 20 for each account, each for ten minutes at most"],
  ["bridges of an account", "10, unless the operator says otherwise"],
] as const

/** Everything a customer needs besides the reference, in the order in which they need it. */
export function guide(reader: Reader): Chapter[] {
  return [
    {
      id: "start",
      title: "Quick start",
      body: html`<pre>${start(reader)}</pre>
        <p>
          Each call is shown in curl, in <a href="/docs/sdk-typescript">TypeScript</a> and in
          <a href="/docs/sdk-python">Python</a>, whose SDKs take the address from <code>BRIDGE_URL</code> and
          the key from <code>BRIDGE_KEY</code>. What is in TypeScript goes into a file <code>.mts</code>.
        </p>
        <p>
          A key may make ${reader.perMinute.proxy} calls a minute to its numbers, beyond which the answer is
          429 with <code>Retry-After</code>: see <a href="?part=limits">Limits</a>.
        </p>`,
    },
    { id: "link", title: "Link a number", body: linking() },
    { id: "receive", title: "Receive", body: receiving() },
    { id: "send", title: "Send", body: sending() },
    {
      id: "limits",
      title: "Limits",
      body: html`${paragraphs(
        "The headers `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset` (seconds) of each answer describe the " +
          "limit that the request counted against. Beyond a limit the answer is 429 `rate_limited` with `Retry-After`, and nothing " +
          "was done: the SDKs ask again by themselves. The operator of the service can change the limits of requests. One call " +
          "may do for three: a send with `read` and `typing_ms` also marks the message that it answers as read, and shows you typing.",
      )}
      ${table(["what", "how much"], proseRows([...rateLimits(reader), ...limits]))}`,
    },
  ]
}

function linking(): Html {
  return html`${paragraphs(
    "With a code to scan: `qr` answers with a picture of the current code. The code expires at `X-QR-Expires` (the first " +
      "after 60 s, each later one after 20 s): show it, and ask again then. On the phone, choose linked devices, link a device.",
    "With a code to type: call `pair` with the phone's number. It answers with eight letters and digits. Type them on that phone under " +
      "linked devices, link with phone number.",
    "If the phone is somebody else's, `createLinkSession` makes a page for them. Its URL lives for an hour.",
    "While no phone is linked, the session stays on the network for only three minutes after each `qr` or `pair`: keep " +
      "asking while somebody looks at the code. The first call after a pause waits up to 15 s for its code, or is 503 with " +
      "`Retry-After`. The event `connected` and the status `connected` say that the phone is linked.",
  )}
  ${table(["status", "means", "what to do"], proseRows(statuses, "code"))}`
}

function receiving(): Html {
  return html`${paragraphs(
      "Each event of a bridge is one POST to its `webhook_url`. Events come one at a time, in the order in which they happened. " +
        "Answer with any 2xx within 10 seconds: put the event into a queue of your own, and do the work later.",
      "After no answer, 429 or 5xx the event is tried again 10 s, 30 s, 1 min and 3 min later. If the last attempt fails, or " +
        "after any other answer (redirects included), the event is undelivered and the next goes out. `listEvents` with `state=undelivered` " +
        "lists undelivered events, `resendEvent` sends one again, and `webhookLogs` shows each attempt.",
      "When your receiver is back, what was given up is sent again by itself, oldest first, between newer events, with " +
        "`X-Webhook-Resend: true`; `recovered` of the webhook says how much. With `healing: false` it is not.",
      "The next delivery says so: `X-Webhook-Undelivered` is how many events were given up since your receiver last took one, " +
        "and `resendSince` with the time in `X-Webhook-Undelivered-Since` sends them again. Both headers are there until a " +
        "delivery with them is taken.",
      "Delivery is at least once: deduplicate by `X-Webhook-Event-Id`. `testWebhook` sends a signed event and says what " +
        "your receiver answered. A bridge without a webhook has an inbox: `listEvents` with `state=inbox`. When its " +
        "`webhook_url` is cleared, waiting events go there, too. Events in the inbox stay there when a URL is set again.",
      "`listDeliveries` says what waits and since when your receiver fails, and `getDelivery` shows what was sent of an event " +
        "and what each attempt met with. `retryDelivery` tries an event now that waits, `skipDelivery` gives it up, and " +
        "`resendSince` sends again what was given up in a span of time, `resendEverywhere` that of all bridges.",
      "To replace the secret, call `rollSecret`. For 24 hours each delivery has two `v1=`, one by each secret: give your " +
        "receiver the new secret in that time, then call `finishSecret`. A receiver that checks only `Authorization` has to " +
        "accept both secrets before you call `rollSecret`.",
      "To take events without a webhook, ask `listEvents` for a stream. It shows each event as it comes, and goes on where " +
        "it ended if you send `Last-Event-ID`, as browsers do. With the SDKs a program keeps its place by itself, also while it " +
        "is down: `messages` and `events` with `resume`.",
      "`updateBridge` chooses which events are sent: `events` names their types, and `ignore` the chats to leave out, " +
        "`status` and `groups`. Messages that are switched off are taken from the network and forgotten. Busy groups and " +
        "statuses are most of the traffic of many numbers.",
      "A bridge has up to five webhooks: `createWebhook` adds one, with its own secret, choice of events and headers. Each is " +
        "delivered to by itself, so that a dead one delays no other. `updateWebhook` pauses one for up to seven days. The routes " +
        "about deliveries take `?webhook=<id>`.",
      "To get the events of every bridge at one URL, also of bridges that you make later, call `createAccountWebhook` once. Each " +
        "event then ends with `customer_ref`, and the order holds for each bridge.",
      "One event at a time is slow if each answer takes long: a receiver of 200 ms gets five a second. With `batch` a POST " +
        'has up to 50 events: the body is an array of `{"event_id", "event"}`, and `X-Webhook-Batch` says how many. Your ' +
        "answer is for all of them: take all before you answer, and deduplicate by `event_id`.",
      "A receiver that was made for Evolution API or WAHA goes on as it is: with `format` a webhook gets its events as that gateway " +
        "posts them, in order and signed as always. `/evolution` and `/waha` take their calls, with your API key in their header.",
      "Before anything else, check that an event is genuine. Compute the signature over the bytes as they arrived, with the " +
        "bridge's whole `webhook_secret`, `whsec_` included. The libraries of Standard Webhooks check the `webhook-…` headers with the same secret.",
    )}
    <p>
      The SDKs for <a href="/docs/sdk-typescript">TypeScript</a> and <a href="/docs/sdk-python">Python</a> do
      it for you. For PHP there is <a href="/docs/receivers">a function to copy</a>.
    </p>
    <p>What each event looks like, and its headers: <a href="?part=webhooks">Webhooks</a>.</p>`
}

function sending(): Html {
  return html`${paragraphs(
    "Give each message an `Idempotency-Key` of its own (an order's number, say). If you do not know what became of it (a lost " +
      "answer, 503, 504 `send_outcome_unknown`), send it again with the same key: it is sent at most once. A repeated answer " +
      "says `X-Idempotency-Replayed: true`. It also says `X-Idempotency-Mismatch: true` if the key belonged to a different " +
      "request: then yours was not sent. 409 `idempotency_conflict` means that the first request is still running.",
    "After 429 and 503, wait as long as `Retry-After` says, and longer each time that it happens again. Other 4xx do not go " +
      "away by themselves. 422 `recipient_not_found` is a number that is not on the network: do not try it again.",
    "To hear what becomes of messages, name `message_status` among the `events` of `updateBridge`: then an event says when one was " +
      "sent, delivered, read or played, or why it failed. In the sandbox, Echo reads what you send.",
    "502 `network_rejected` is the network's own refusal, with its code in `network_code`:",
  )}
  ${table(["network_code", "means", "what to do"], proseRows(networkCodes))}`
}

function paragraphs(...texts: string[]): Html {
  return html`${texts.map((text) => html`<p>${prose(text)}</p>`)}`
}

/** `first` says whether the first column is code. */
function proseRows(rows: readonly (readonly string[])[], first: "code" | "prose" = "prose"): Html[][] {
  return rows.map((row) =>
    row.map((cell, i) => (i === 0 && first === "code" ? html`<code>${cell}</code>` : prose(cell))),
  )
}
