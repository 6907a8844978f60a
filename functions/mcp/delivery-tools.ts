import { z } from "zod"
import { fromService } from "./answer.ts"
import { pathOf } from "./api.ts"
import { count, number } from "./shared-fields.ts"
import { tool } from "./tool.ts"

const event_id = z.string().min(1).max(64).describe("As list_undelivered gives it.")

const listUndelivered = tool({
  name: "list_undelivered",
  title: "Events that did not arrive at the webhook",
  description: "What waits at the webhook of a number, and which events were given up, newest first.",
  input: z.object({ number, limit: count(20) }),
  isRead: true,
  run: async ({ limit, ...input }, { api, numberOf, show }) => {
    const path = pathOf(numberOf(input.number))
    const deliveries = await api.call("GET", `${path}/deliveries`)
    const query = { state: "undelivered", order: "newest", limit }
    const { body, next } = await api.page("GET", `${path}/events`, { query })
    return await show({ items: body as unknown[], beside: { deliveries, next } })
  },
})

const whyUndelivered = tool({
  name: "why_undelivered",
  title: "Why an event did not arrive",
  description: "What was sent of an event to the webhook, and what each attempt met with.",
  input: z.object({ number, event_id }),
  isRead: true,
  run: async (input, { api, numberOf, show }) =>
    await show({
      items: [await api.call("GET", pathOf(numberOf(input.number), "deliveries", input.event_id))],
    }),
})

const resendEvent = tool({
  name: "resend_event",
  title: "Send an event to the webhook again",
  description: "Delivers an event to the webhook once more, under the same id.",
  input: z.object({ number, event_id }),
  isRead: false,
  run: async (input, { api, numberOf }) =>
    fromService(await api.call("POST", pathOf(numberOf(input.number), "events", input.event_id, "resend"))),
})

export const deliveryTools = [listUndelivered, whyUndelivered, resendEvent]
