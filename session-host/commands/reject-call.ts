import * as contract from "#core/contract/call.ts"
import { toJid } from "#core/jid.ts"
import { bodyOf, type Command, paramOf } from "./command.ts"

const Body = contract.rejectCall.request.body.content["application/json"].schema

export const rejectCall: Command = {
  route: contract.rejectCall,
  run: async (c) => {
    const id = paramOf(c, contract.rejectCall.request.params, "id")
    const { contact_id } = await bodyOf(c, Body)
    await c.var.session.use(({ connection }) => connection.rejectCall({ id, caller: toJid(contact_id) }))
    return c.json({ ok: true as const }, 200)
  },
}
