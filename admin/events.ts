import { Bridge } from "#core/bridge/bridge.ts"
import { Delivery } from "#core/event/delivery.ts"
import { EventLists } from "#core/event/event-lists.ts"
import type { EventRow } from "#core/event/event-row.ts"
import type { Receiver } from "#core/event/receiver.ts"
import { Resend } from "#core/event/resend.ts"
import { iso } from "#core/platform/clock.ts"
import { argument, bridgeId, Refused, type Row, type Verb } from "./verb.ts"

/** As many at once as may wait to be resent. */
const most = 100

export const events: Record<string, Verb> = {
  undelivered: {
    takes: "<bridge-id|customer_ref>",
    says: `the bridge's events that each webhook has given up, oldest first, ${most} at most; never their content`,
    run: async (args) => {
      const { id } = await existing(await bridgeId(args))
      const lists = await Promise.all((await Delivery.ofBridge(id)).map(listOf))
      return lists.flat()
    },
  },
  resend: {
    takes: "<bridge-id|customer_ref> <event-id|all> [webhook-id]",
    says: "send an event, or all that were given up, once more to this webhook, or to that of `webhook_url`",
    run: async (args) => {
      const which = argument(args, 1, "event-id")
      const bridge = await existing(await bridgeId(args))
      const webhook = await webhookOf(bridge.id, args[2])
      if (webhook.receiver.url === "")
        throw new Refused("this bridge has no webhook: its events are in its inbox")
      const asked = which === "all" ? await undelivered(webhook) : [await one(bridge.id, which)]
      const sent: Row[] = []
      for (const event of asked) {
        const said = await Resend.ask(webhook, event.n)
        if (said === "waits") throw new Refused("this event still waits: it is sent in its turn")
        if (said === "full") break
        sent.push(toRow(webhook, event))
      }
      if (sent.length < asked.length && sent.length === 0)
        throw new Refused(`${most} events already wait to be sent again: try again later`)
      return sent
    },
  },
}

async function existing(id: string): Promise<Bridge.Info> {
  const bridge = await Bridge.byId(id)
  if (!bridge) throw new Refused("there is no such bridge")
  return bridge
}

async function webhookOf(bridgeId: string, webhookId: string | undefined): Promise<Delivery.Info> {
  const all = await Delivery.ofBridge(bridgeId)
  const found = webhookId === undefined ? all[0] : all.find((one) => one.webhookId === webhookId)
  if (found) return found
  throw new Refused(`the bridge has these webhooks: ${all.map((one) => one.webhookId).join(", ")}`)
}

async function listOf(webhook: Delivery.Info): Promise<Row[]> {
  return (await undelivered(webhook)).map((event) => toRow(webhook, event))
}

async function undelivered(webhook: Receiver.Id): Promise<EventRow.Info[]> {
  return await EventLists.page(webhook, { state: "undelivered", after: 0, limit: most })
}

async function one(id: string, eventId: string): Promise<EventRow.Info> {
  const event = await EventLists.find(id, eventId)
  if (!event) throw new Refused("the bridge has no such event, or it has expired")
  return event
}

function toRow({ webhookId }: Receiver.Id, event: EventRow.Info): Row {
  return {
    event_id: event.eventId,
    type: event.type,
    webhook: webhookId,
    created_at: iso(event.createdAt * 1000),
  }
}
