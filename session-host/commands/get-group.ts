import type { z } from "@hono/zod-openapi"
import * as contract from "#core/contract/group.ts"
import { ApiError } from "#core/error.ts"
import { NetworkRejected, type Connection, type Stanza } from "../network.ts"
import { child, childrenOf, el, textOf } from "../node.ts"
import { type Command, paramOf } from "./command.ts"

/** What the network says of a group that is none, or none of ours. */
const refusals = new Set([401, 403, 404, 406])

export const getGroup: Command = {
  route: contract.getGroup,
  run: async (c) => {
    const jid = paramOf(c, contract.getGroup.request.params, "jid")
    const card = await c.var.session.use(({ connection }) => ask(connection, jid))
    return c.json(groupOf(jid, card), 200)
  },
}

/** @throws ApiError `not_found` */
async function ask(connection: Connection, jid: string): Promise<Stanza> {
  try {
    const answer = await connection.ask({
      xmlns: "w:g2",
      type: "get",
      to: jid,
      children: [el("query", { request: "interactive" })],
    })
    const card = child(answer, "group")
    if (card) return card
  } catch (error) {
    if (!(error instanceof NetworkRejected && refusals.has(error.networkCode))) throw error
  }
  throw new ApiError("not_found", "there is no such group, or the session is not in it")
}

function groupOf(jid: string, card: Stanza): z.infer<typeof contract.Group> {
  return {
    created: Number(card.attrs.creation) || 0,
    jid,
    name: card.attrs.subject ?? "",
    participants: childrenOf(card, "participant").length || Number(card.attrs.size) || 0,
    topic: textOf(child(child(card, "description"), "body")),
  }
}
