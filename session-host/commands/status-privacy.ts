import type { z } from "@hono/zod-openapi"
import * as contract from "#core/contract/privacy.ts"
import type { Stanza } from "../network/connection.ts"
import { child, childrenOf, el } from "../network/stanza.ts"
import type { Command } from "./command.ts"

export const statusPrivacy: Command = {
  route: contract.statusPrivacy,
  run: async (c) => {
    const answer = await c.var.session.use(({ connection }) =>
      connection.ask({ xmlns: "status", type: "get", children: [el("privacy")] }),
    )
    return c.json(childrenOf(child(answer, "privacy"), "list").map(entryOf), 200)
  },
}

function entryOf(list: Stanza): z.infer<typeof contract.StatusPrivacy> {
  return {
    is_default: list.attrs.default === "true",
    list: childrenOf(list, "user").flatMap(({ attrs }) => attrs.jid ?? []),
    type: list.attrs.type ?? "",
  }
}
