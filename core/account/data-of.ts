import { z } from "zod"
import { AccountWebhook } from "../bridge/account-webhook.ts"
import { Bridge } from "../bridge/bridge.ts"
import { Choice } from "../bridge/choice.ts"
import { ApiError } from "../error.ts"
import { AttemptLog } from "../event/attempt-log.ts"
import { Came } from "../event/came.ts"
import { Delivery } from "../event/delivery.ts"
import { EventFeed } from "../event/event-feed.ts"
import { EventRow } from "../event/event-row.ts"
import { Receiver } from "../event/receiver.ts"
import { Usage } from "../event/usage.ts"
import { callHolderIfAny } from "../lease/call-holder.ts"
import type { Call } from "../lease/call-host.ts"
import { Lease } from "../lease/lease.ts"
import type { Account } from "./account.ts"
import { ApiKey } from "./api-key.ts"
import { AuditLog } from "./audit-log.ts"
import { Member } from "./member.ts"
import { RequestLog } from "./request-log.ts"

const eventsAtOnce = 200
/** How long a session may take for a page, in ms. */
const patienceMs = 20_000

type Part = { kind: string } & Record<string, unknown>

/**
 * Everything that is kept of an account and is no secret, a part at a time; logs and files are not in it.
 * A part `not_read` names what a number's session cannot read now. The last part says that it is
 * whole.
 */
export async function* dataOf(account: Account.Info, requestId: string): AsyncGenerator<Part> {
  yield { kind: "account", ...account }
  for (const one of await Member.list(account.id)) yield { kind: "person", ...one }
  for (const one of await Member.invitations(account.id)) yield { kind: "invitation", ...one }
  for (const one of await ApiKey.list(account.id)) yield { kind: "api_key", ...one }
  for (let before: number | undefined, first = true; first || before !== undefined; first = false) {
    const { entries, next } = await AuditLog.find(account.id, { before })
    for (const one of entries) yield { kind: "audit_log", ...one }
    before = next
  }
  for (let before: string | undefined, first = true; first || before !== undefined; first = false) {
    const { calls, next } = await RequestLog.page(account.id, { before, limit: eventsAtOnce })
    for (const one of calls) yield { kind: "request", ...one }
    before = next
  }
  for (const webhook of await AccountWebhook.list(account.id)) yield webhookPart(webhook, {})
  for (const bridge of await Bridge.list(account.id)) yield* dataOfNumber(bridge, requestId)
  yield { kind: "end" }
}

async function* dataOfNumber(bridge: Bridge.Info, requestId: string): AsyncGenerator<Part> {
  const { id, customerRef, shownName, webhookUrl, createdMs, isSandbox } = bridge
  const number = { customer_ref: customerRef }
  const choice = Choice.wire((await Lease.get(id))?.choice ?? Choice.Info.parse({}))
  yield { kind: "number", id, ...number, shownName, webhook_url: webhookUrl, createdMs, isSandbox, ...choice }
  for (const day of await Came.days(id, { from: "0000-01-01", to: Usage.today() }))
    yield { kind: "usage", ...number, ...day }
  for (const webhook of await Delivery.ofBridge(id)) {
    if (webhook.receiver.url !== "" && !Receiver.isOfAccount(webhook)) yield webhookPart(webhook, number)
    for (const { attempt } of await AttemptLog.latestDetailed(webhook))
      yield { kind: "attempt", ...number, webhook_id: webhook.webhookId, ...attempt }
  }
  for (let from: number | undefined, first = true; first || from !== undefined; first = false) {
    const { events, next } = await EventFeed.page(bridge, { limit: eventsAtOnce, from })
    for (const one of events) yield { kind: "event", ...number, ...one }
    from = next === undefined ? undefined : EventRow.numberOf(next)
  }
  const read = (kind: string, path: string) => listOf(kind, { path, bridgeId: id, requestId }, number)
  yield* read("contact", "/contacts")
  yield* read("sent_message", "/sent")
  for await (const chat of read("chat", "/chats")) {
    yield chat
    if (typeof chat.chat_id === "string")
      yield* read("kept_message", `/chats/${encodeURIComponent(chat.chat_id)}/messages`)
  }
}

function webhookPart({ webhookId, receiver, pausedAt, batch }: Delivery.Info, of: object): Part {
  const { url, filter, format } = receiver
  return { kind: "webhook", ...of, id: webhookId, url, filter, format, batch, paused_at: pausedAt }
}

const Listed = z.array(z.record(z.string(), z.unknown()))
const Refused = z.object({ error: z.string(), code: z.string().optional() })

/**
 * A list that only the session can read, page after page. It has no list of what the customer does not keep.
 */
async function* listOf(kind: string, call: Omit<Call, "method">, of: object): AsyncGenerator<Part> {
  for (let after: string | undefined, first = true; first || after !== undefined; first = false) {
    const query = new URLSearchParams({ limit: "100", ...(after !== undefined && { after }) })
    const page = await pageOf({ ...call, path: `${call.path}?${query.toString()}` })
    if ("error" in page) {
      if (page.code !== "not_kept") yield { kind: "not_read", ...of, of: kind, why: page.error }
      return
    }
    for (const one of page.all) yield { ...one, kind, ...of }
    after =
      page.next ?? (kind === "contact" && page.all.length === 100 ? String(page.all.at(-1)?.jid) : undefined)
  }
}

async function pageOf(call: Omit<Call, "method">) {
  try {
    const answer = await callHolderIfAny({ method: "GET", ...call }, patienceMs)
    if (!answer) return { error: "no session runs at this moment: download again in a few seconds" }
    const { status, body, headers } = answer
    const said: unknown = JSON.parse(Buffer.from(body).toString())
    if (status !== 200) return Refused.parse(said)
    return { all: Listed.parse(said), next: z.string().optional().parse(headers["x-next-after"]) }
  } catch (error) {
    if (error instanceof ApiError) return { error: error.message, code: error.code }
    throw error
  }
}
