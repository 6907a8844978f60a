import { z } from "zod"
import { pathOf } from "../http/own-api.ts"
import { fromService } from "./answer.ts"
import { count, detail, number } from "./shared-fields.ts"
import { inDetail, shortEvent } from "./short.ts"
import { tool } from "./tool.ts"

const event_id = z.string().min(1).max(64)

const listUndelivered = tool({
  name: "list_undelivered",
  description: "What waits at a number's webhook, and the events that were given up, newest first.",
  input: z.object({ number, limit: count(20), detail }),
  isRead: true,
  run: async ({ limit, ...input }, { api, numberOf, show }) => {
    const path = pathOf(numberOf(input.number))
    const { attempts, ...waiting } = (await api.call("GET", `${path}/deliveries`)) as { attempts: unknown[] }
    const deliveries = inDetail(input.detail ? { ...waiting, attempts } : waiting)
    const query = { state: "undelivered", order: "newest", limit }
    const { body, next } = await api.page("GET", `${path}/events`, { query })
    return await show({
      items: body as unknown[],
      as: !input.detail && shortEvent,
      beside: { deliveries, next },
    })
  },
})

const whyUndelivered = tool({
  name: "why_undelivered",
  description: "What was sent of an event, and what each attempt met with.",
  input: z.object({ number, event_id }),
  isRead: true,
  run: async (input, { api, numberOf, show }) =>
    await show({
      items: [await api.call("GET", pathOf(numberOf(input.number), "deliveries", input.event_id))],
    }),
})

const resendEvent = tool({
  name: "resend_event",
  description: "Delivers an event once more.",
  input: z.object({ number, event_id }),
  isRead: false,
  run: async (input, { api, numberOf }) =>
    fromService(await api.call("POST", pathOf(numberOf(input.number), "events", input.event_id, "resend"))),
})

export const deliveryTools = [listUndelivered, whyUndelivered, resendEvent]
