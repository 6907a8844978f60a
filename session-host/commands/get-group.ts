import type { z } from "@hono/zod-openapi"
import * as contract from "#core/contract/group.ts"
import { ApiError } from "#core/error.ts"
import type { Stanza } from "../network/connection.ts"
import { child, childrenOf, textOf } from "../network/stanza.ts"
import { groupCard } from "../people/group.ts"
import { type Command, paramOf } from "./command.ts"

export const getGroup: Command = {
  route: contract.getGroup,
  run: async (c) => {
    const jid = paramOf(c, contract.getGroup.request.params, "jid")
    const card = await c.var.session.use(({ connection }) => groupCard(connection, jid))
    if (!card) throw new ApiError("not_found", "there is no such group, or the session is not in it")
    return c.json(groupOf(jid, card), 200)
  },
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
