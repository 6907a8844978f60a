import { html } from "hono/html"
import { type Html, prose, table } from "./docs-html.ts"
import { receivers } from "./docs-receivers.ts"

export interface Chapter {
  id: string
  title: string
  body: Html
}

const start = String.raw`URL=https://...   # where this page is, without /api/docs
KEY=mbk_...       # your API key
auth="Authorization: Bearer $KEY" json='Content-Type: application/json'

curl "$URL/api/instances" -H "$auth" -H "$json" \
  -d '{"customer_ref":"shop","webhook_url":"https://example.com/hook"}'

# Scan the picture with the phone: linked devices, link a device
curl -fsS --retry 9 "$URL/api/instances/shop/proxy/qr" -H "$auth" -o qr.png

# Until it says connected
curl "$URL/api/instances/shop/proxy/status" -H "$auth"

curl "$URL/api/instances/shop/proxy/send/text" -H "$auth" -H "$json" -H 'Idempotency-Key: order-17' \
  -d '{"chat":"491711234567","body":"Hello"}'`

/** What each session status means, and what to do about it. */
const statuses = [
  ["unpaired", "No phone is linked.", "Show the code of `qr`, or ask for one with `pair`."],
  ["connecting", "It starts, or has just been linked.", "Wait. A call waits up to 5 s, then it is 503."],
  ["connected", "It is up.", "Nothing. `qr` and `pair` are 409 `already_paired`."],
  [
    "disconnected",
    "A phone is linked, and the network is not reached: tried again by itself, ever more rarely, each minute at last.",
    "Wait; the bridge's log (`streamLogs`) says why. Sends are 503 meanwhile, and nothing that comes in is lost.",
  ],
  [
    "replaced",
    "Another login took its place, and it does not fight for it.",
    "Stop the other one, then PATCH the bridge with its `webhook_url`: it connects again. Or `logout`, and link anew.",
  ],
  [
    "passkey_required",
    "The phone wants a passkey, which this release cannot give.",
    "Link another number, or turn the passkey off on that phone and ask for `qr` again.",
  ],
] as const

/** The codes of `network_rejected`. */
const networkCodes = [
  [
    "463",
    "The number may not begin new chats for now.",
    "Do not retry: it makes it worse. Answer who writes to you.",
  ],
  ["479", "What was known of the recipient's devices is out of date.", "Try again, once."],
  ["others", "As the network gives them: a definite no.", "Nothing was sent."],
] as const

const limits = [
  ["requests that create bridges", "10 a minute, of each API key"],
  ["requests to `/proxy/`", "120 a minute, of each API key"],
  ["all other requests", "120 a minute, of each API key"],
  ["requests from one address, whatever key", "300 a minute"],
  ["a body", "512 KiB of JSON"],
  ["media to be sent", "16 MB; a document 100 MB; fetched from your URL within 25 s"],
  ["media that came", "kept for 3 hours, later fetched again from the network, while that has them"],
  ["a call", "answered within 50 s"],
  ["an attempt at your webhook", "10 s"],
  ["messages that can be quoted, edited, revoked, reacted to", "those of the last 30 days"],
  ["idempotency keys", "kept for 24 hours"],
  ["events", "kept for 7 days; those of the inbox and undelivered ones for 30"],
  ["log streams", "2 of each bridge, 10 of each account, each for ten minutes"],
  ["bridges of an account", "10, unless the operator says otherwise"],
] as const

/** Everything a customer needs besides the reference, in the order in which they need it. */
export function guide(): Chapter[] {
  return [
    { id: "start", title: "Quick start", body: html`<pre>${start}</pre>` },
    { id: "link", title: "Link a number", body: linking() },
    { id: "receive", title: "Receive", body: receiving() },
    { id: "send", title: "Send", body: sending() },
    {
      id: "limits",
      title: "Limits",
      body: html`${paragraphs(
        "Each answer tells of the limit that it counted against: `RateLimit-Limit`, `RateLimit-Remaining` and " +
          "`RateLimit-Reset` (seconds). Beyond it the answer is 429 `rate_limited` with `Retry-After`. The operator of " +
          "this service may have set others.",
      )}
      ${table(["what", "how much"], proseRows(limits))}`,
    },
  ]
}

function linking(): Html {
  return html`${paragraphs(
    "With a code to scan: `qr` answers with the picture of the code as it is now. It holds until `X-QR-Expires` (the first " +
      "for 60 s, each later one for 20 s): show it, and ask again then. On the phone: linked devices, link a device.",
    "With a code to type: `pair` with the phone's number answers with eight letters, to be typed on that phone under " +
      "linked devices, link with phone number.",
    "While no phone is linked, the session is on the network for three minutes after each `qr` or `pair`, and no longer: go on " +
      "asking while somebody looks. The first call after a pause waits up to 15 s for its code, or is 503 with " +
      "`Retry-After`. The event `connected` and the status `connected` say that it is done.",
  )}
  ${table(["status", "means", "what to do"], proseRows(statuses, "code"))}`
}

function receiving(): Html {
  return html`${paragraphs(
      "Each event of a bridge is one POST to its `webhook_url`, in the order in which they happened, one at a time. Answer any " +
        "2xx within 10 seconds: put the event into a queue of your own, and do the work later.",
      "No answer, 429 and 5xx are tried again 10 s, 30 s, 1 min and 3 min later. After that, and at once after any other " +
        "answer (redirects too), the event is undelivered and the next goes out. `listEvents` with `state=undelivered` " +
        "lists those, `resendEvent` sends one again, and `webhookLogs` shows each attempt.",
      "Delivery is at least once: deduplicate by `X-Webhook-Event-Id`. `testWebhook` sends a signed event and says what " +
        "your receiver answered. A bridge without a webhook has an inbox: `listEvents` with `state=inbox`. When its " +
        "`webhook_url` is cleared, events that still wait go there, too; what is in it stays there when one is set again.",
      "`updateBridge` says which events there are: `events` names their types, and `ignore` the chats of which nothing is told, " +
        "`status` and `groups`. What is switched off is taken from the network and forgotten; busy groups and statuses are " +
        "most of what many numbers hear.",
      "Check that it is genuine before anything else, over the bytes as they arrived, with the bridge's `webhook_secret`, " +
        "`whsec_` included. The libraries of Standard Webhooks check the `webhook-…` headers with the same secret.",
    )}
    ${receivers.map(
      ({ language, code }) =>
        html`<details>
          <summary>${language}</summary>
          <pre>${code}</pre>
        </details>`,
    )}
    <p>What each event looks like, and its headers: <a href="#webhooks">Webhooks</a>.</p>`
}

function sending(): Html {
  return html`${paragraphs(
    "Give each message an `Idempotency-Key` of its own (an order's number, say), and send it again under the same key " +
      "whenever you do not know what became of it: a lost answer, 503, 504 `send_outcome_unknown`. It is sent at most once; " +
      "a repeated answer says `X-Idempotency-Replayed: true`, and `X-Idempotency-Mismatch: true` as well if the key was that of " +
      "another request: then yours was not sent. 409 `idempotency_conflict`: the first request still runs.",
    "Wait as long as `Retry-After` says after 429 and 503, and ever longer after repeated ones. A 4xx will not get better by " +
      "itself. 422 `recipient_not_found` is a number that is not on the network: do not try it again.",
    "502 `network_rejected` is the network's own refusal, with its number in `network_code`:",
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
