import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { proto } from "@whiskeysockets/baileys"
import { now } from "../clock.ts"
import type { Network } from "../network/network.ts"
import { jidOf } from "../network/newsletters.ts"
import { newId } from "../phone/outgoing-messages.ts"
import * as Jid from "../wire/jid.ts"
import { el } from "../wire/node.ts"
import { ControlError } from "./http/errors.ts"
import { route } from "./http/route.ts"
import { phoneOf } from "./phones.ts"

const Newsletter = z.object({ jid: z.string(), invite: z.string(), followers: z.array(z.string()) })

/** Newsletters, as phones make them and write in them. */
export function routeNewsletters(app: OpenAPIHono, network: Network) {
  route(
    app,
    {
      method: "post",
      path: "/newsletters",
      summary: "A phone makes a newsletter",
      body: z.object({ owner: z.string(), name: z.string(), description: z.string().default("") }),
      answer: Newsletter,
      status: 201,
    },
    ({ body }) => {
      const { pn: owner } = phoneOf(network, body.owner)
      const { name, description } = body
      const made = network.newsletters.create({ name, description, owner, createdAt: now() })
      return { jid: jidOf(made), invite: made.invite, followers: made.followers }
    },
  )
  route(
    app,
    {
      method: "post",
      path: "/newsletters/{jid}/posts",
      summary: "The owner's phone writes in it",
      body: z.object({ text: z.string() }),
      answer: z.object({ id: z.string() }),
      status: 201,
    },
    ({ params, body }) => {
      const found = network.newsletters.find(Jid.parse(params.jid))
      if (!found) throw new ControlError(404, "unknown_newsletter", "there is no such newsletter")
      const id = newId()
      const plaintext = Buffer.from(proto.Message.encode({ conversation: body.text }).finish())
      const attrs = { to: jidOf(found), id, type: "text" }
      phoneOf(network, found.owner).handset.submit(el("message", attrs, [el("plaintext", {}, plaintext)]))
      return { id }
    },
  )
}
