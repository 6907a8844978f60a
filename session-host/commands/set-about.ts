import * as contract from "#core/contract/profile.ts"
import { el } from "../network/stanza.ts"
import { bodyOf, type Command } from "./command.ts"

const Body = contract.setAbout.request.body.content["application/json"].schema

export const setAbout: Command = {
  route: contract.setAbout,
  run: async (c) => {
    const { status } = await bodyOf(c, Body)
    await c.var.session.use(({ connection }) =>
      connection.ask({ xmlns: "status", type: "set", children: [el("status", {}, status)] }),
    )
    return c.json({ ok: true as const }, 200)
  },
}
