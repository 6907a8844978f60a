import { type OpenAPIHono, z } from "@hono/zod-openapi"
import type { Network } from "../network/network.ts"
import { type Content, compose, UnknownField, UnknownMessage } from "../phone/content/compose.ts"
import { scheduled } from "../phone/content/scheduled.ts"
import type { Handset } from "../phone/handset.ts"
import type { Target } from "../phone/target.ts"
import { ControlError } from "./http/errors.ts"
import { route } from "./http/route.ts"
import { until } from "./http/wait.ts"
import { phoneOf } from "./phones.ts"
import * as Schema from "./schemas.ts"
import { targetOf } from "./target.ts"

/** The messages that phones write and read. */
export function routeMessages(app: OpenAPIHono, network: Network) {
  route(
    app,
    {
      method: "post",
      path: "/phones/{number}/messages",
      summary: "Send a message from this phone, and wait for the network's ack",
      body: Schema.NewMessage,
      answer: Schema.Sent,
      status: 201,
    },
    async ({ params, body }) => {
      const phone = phoneOf(network, params.number)
      const target = targetOf(network, body)
      const content = composed(phone.handset, target, body)
      const { id, scheduled_for: at } = body
      return phone.send({ target, id, ...(at === undefined ? { content } : scheduled(content, at)) })
    },
  )
  route(
    app,
    {
      method: "get",
      path: "/phones/{number}/messages",
      summary: "Messages that this phone read and sent; waits until enough match",
      query: Schema.ReadMessages,
      answer: z.array(Schema.Message),
    },
    ({ params, query, signal }) => {
      const { inbox } = phoneOf(network, params.number).handset
      const { id, from, chat, text, kind } = query
      const asked = Object.entries({ id, from, chat, text, kind }).filter(([, value]) => value !== undefined)
      return until({
        read: () =>
          inbox.after(query.after, (message) =>
            asked.every(([name, value]) => Reflect.get(message, name) === value),
          ),
        enough: query.count,
        waitMs: query.wait,
        listen: (again) => inbox.listen(again),
        signal,
      })
    },
  )
}

type Body = z.output<typeof Schema.NewMessage>

function composed(handset: Handset, target: Target, body: Body) {
  const { media, bytes } = body
  const content = {
    ...body,
    ...(media && { media: { ...media, data: Buffer.from(media.data, "base64") } }),
    ...(bytes !== undefined && { bytes: Buffer.from(bytes, "base64") }),
  }
  try {
    // The schema has seen to it that there is one kind of content.
    return compose(handset, target, content as Content)
  } catch (error) {
    if (error instanceof UnknownMessage) throw new ControlError(404, "unknown_message", error.message)
    if (error instanceof UnknownField) throw new ControlError(400, "unknown_field", error.message)
    throw error
  }
}
