import * as contract from "#core/contract/session.ts"
import { bodyOf, type Command } from "./command.ts"

const Body = contract.pair.request.body.content["application/json"].schema

export const pair: Command = {
  route: contract.pair,
  run: async (c) => {
    const { phone } = await bodyOf(c, Body)
    const code = await c.var.session.linkCode(phone.replace(/^\+/, ""))
    // Phones show the code to the person who types it in this form.
    return c.json({ code: `${code.slice(0, 4)}-${code.slice(4)}` }, 200, { "cache-control": "no-store" })
  },
}
