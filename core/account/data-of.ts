import { Bridge } from "../bridge/bridge.ts"
import { Choice } from "../bridge/choice.ts"
import { Came } from "../event/came.ts"
import { EventFeed } from "../event/event-feed.ts"
import { EventRow } from "../event/event-row.ts"
import { Usage } from "../event/usage.ts"
import { Lease } from "../lease/lease.ts"
import type { Account } from "./account.ts"
import { ApiKey } from "./api-key.ts"
import { AuditLog } from "./audit-log.ts"
import { Member } from "./member.ts"

const eventsAtOnce = 200

type Part = { kind: string } & Record<string, unknown>

/**
 * Everything that is kept of an account and is no secret, a part at a time. The last part says that it is
 * whole.
 */
export async function* dataOf(account: Account.Info): AsyncGenerator<Part> {
  yield { kind: "account", ...account }
  for (const one of await Member.list(account.id)) yield { kind: "person", ...one }
  for (const one of await Member.invitations(account.id)) yield { kind: "invitation", ...one }
  for (const one of await ApiKey.list(account.id)) yield { kind: "api_key", ...one }
  for (let before: number | undefined, first = true; first || before !== undefined; first = false) {
    const entries = await AuditLog.page(account.id, before)
    for (const one of entries) yield { kind: "audit_log", ...one }
    before = entries.length === AuditLog.pageSize ? entries.at(-1)?.at_ms : undefined
  }
  for (const bridge of await Bridge.list(account.id)) yield* dataOfNumber(bridge)
  yield { kind: "end" }
}

async function* dataOfNumber(bridge: Bridge.Info): AsyncGenerator<Part> {
  const { id, customerRef, shownName, webhookUrl, createdMs, isSandbox } = bridge
  const number = { customer_ref: customerRef }
  const choice = Choice.wire((await Lease.get(id))?.choice ?? Choice.Info.parse({}))
  yield { kind: "number", id, ...number, shownName, webhook_url: webhookUrl, createdMs, isSandbox, ...choice }
  for (const day of await Came.days(id, { from: "0000-01-01", to: Usage.today() }))
    yield { kind: "usage", ...number, ...day }
  for (let from: number | undefined, first = true; first || from !== undefined; first = false) {
    const { events, next } = await EventFeed.page(bridge, { limit: eventsAtOnce, from })
    for (const one of events) yield { kind: "event", ...number, ...one }
    from = next === undefined ? undefined : EventRow.numberOf(next)
  }
}
