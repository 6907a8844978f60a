import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { proto } from "@whiskeysockets/baileys"
import type { Network } from "../network/network.ts"
import { fetchFile } from "../phone/content/media.ts"
import { ControlError } from "./http/errors.ts"
import { route } from "./http/route.ts"
import { phoneOf } from "./phones.ts"
import * as Schema from "./schemas.ts"

/** The files of messages. */
export function routeMedia(app: OpenAPIHono, network: Network) {
  app.openAPIRegistry.registerPath({
    method: "get",
    path: "/phones/{number}/messages/{id}/media",
    summary: "The file of a message, opened and checked as a phone does it",
    request: { params: z.object({ number: z.string(), id: z.string() }) },
    responses: {
      200: { description: "The file, under its own content type." },
      default: { description: "Refused.", content: { "application/json": { schema: Schema.Refused } } },
    },
  })
  app.get("/phones/:number/messages/:id/media", (c) => {
    const { inbox } = phoneOf(network, c.req.param("number")).handset
    const message = inbox.after(0).find(({ id }) => id === c.req.param("id"))
    const file = message && fetchFile(network, proto.Message.fromObject(message.content as object))
    if (!file) throw new ControlError(404, "no_media", "there is no such message with media")
    return c.body(new Uint8Array(file.data), 200, { "content-type": file.mimetype })
  })
  route(
    app,
    {
      method: "delete",
      path: "/media/{kind}/{name}",
      summary: "Make the network forget a file, as after a month",
      answer: z.object({}),
    },
    ({ params }) => {
      if (!network.media.forget(`/v/${params.kind}/${params.name}`))
        throw new ControlError(404, "unknown_media", "no such file")
      return {}
    },
  )
}
