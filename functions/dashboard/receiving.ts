import { AttemptLog } from "#core/event/attempts.ts"
import type { Bridge } from "#core/bridge/bridge.ts"
import { Delivery } from "#core/event/delivery.ts"
import { EventList } from "#core/event/list.ts"
import { most, type Receiving } from "#dashboard/parts/receiver.ts"

/** How a bridge's events get to their receiver now. */
export async function receivingOf(bridge: Bridge.Info): Promise<Receiving> {
  const url = bridge.webhookUrl
  if (url === "") return { url, waiting: 0, failures: 0, retryAtMs: 0 }
  const [delivery, attempts] = await Promise.all([Delivery.get(bridge.id), AttemptLog.latest(bridge.id)])
  const head = delivery?.head ?? 0
  const waits = delivery && delivery.due > 0
  const waiting = waits ? await EventList.page(bridge.id, { state: "pending", after: head, limit: most }) : []
  const [last] = attempts
  return {
    url,
    waiting: waiting.length,
    oldestMs: waiting[0] && waiting[0].createdAt * 1000,
    failures: waiting.length > 0 ? (delivery?.failures ?? 0) : 0,
    retryAtMs: delivery?.retryAtMs ?? 0,
    lastError: last && !last.success ? whyOf(last) : undefined,
    lastAtMs: last && Date.parse(last.timestamp),
  }
}

/** Why an attempt failed, for people. */
function whyOf(attempt: { error: string; status_code: number }): string {
  if (attempt.status_code > 0) return `It answered with status ${attempt.status_code}`
  return reasons.get(attempt.error) ?? `There was no answer (${attempt.error})`
}

const reasons = new Map([
  ["timeout", "It did not answer within 10 seconds"],
  ["refused", "Nothing listens at this address: the connection was refused"],
  ["unreachable", "The address cannot be reached"],
  ["reset", "It closed the connection before it answered"],
  ["dns", "The name of the host is not known"],
  ["tls", "Its certificate is not valid, or it does not speak TLS"],
  ["bad_response", "What it answered is not HTTP"],
  ["blocked", "This address is not public, so it is not called"],
])
