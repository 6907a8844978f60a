import { Bridge } from "#core/bridge/bridge.ts"
import { iso } from "#core/platform/clock.ts"
import type { EventRow } from "#core/event/event-row.ts"
import { Receiver } from "#core/event/receiver.ts"
import { EventIndex } from "#core/event/event-index.ts"
import { Resend } from "#core/event/resend.ts"
import { argument, Refused, type Row, type Verb } from "./verb.ts"
import { bridgeId } from "./verb.ts"

/** As many at once as may wait to be resent. */
const most = 100

export const events: Record<string, Verb> = {
  undelivered: {
    takes: "<bridge-id|customer_ref>",
    says: `the bridge's events that were given up, oldest first, ${most} at most; never their content`,
    run: async (args) => (await undelivered(await bridgeId(args))).map(toRow),
  },
  resend: {
    takes: "<bridge-id|customer_ref> <event-id|all>",
    says: "send an event, or all that were given up, once more",
    run: async (args) => {
      const which = argument(args, 1, "event-id")
      const bridge = await existing(await bridgeId(args))
      if (bridge.webhookUrl === "")
        throw new Refused("this bridge has no webhook: its events are in its inbox")
      const asked = which === "all" ? await undelivered(bridge.id) : [await one(bridge.id, which)]
      const sent: Row[] = []
      for (const event of asked) {
        const said = await Resend.ask(Receiver.first(bridge.id), event.n)
        if (said === "waits") throw new Refused("this event still waits: it is sent in its turn")
        if (said === "full") break
        sent.push(toRow(event))
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

async function undelivered(id: string): Promise<EventRow.Info[]> {
  await existing(id)
  return await EventIndex.page(Receiver.first(id), { state: "undelivered", after: 0, limit: most })
}

async function one(id: string, eventId: string): Promise<EventRow.Info> {
  const event = await EventIndex.find(id, eventId)
  if (!event) throw new Refused("the bridge has no such event, or it has expired")
  return event
}

function toRow(event: EventRow.Info): Row {
  return {
    event_id: event.eventId,
    type: event.type,
    state: event.state,
    created_at: iso(event.createdAt * 1000),
  }
}
