import * as contract from "#contract/call.ts"
import { toJid } from "#core/message/jid.ts"
import { command } from "./command.ts"

export const calls = {
  rejectCall: command(contract.rejectCall, async ({ session, params, body }) => {
    await session.use(({ connection }) =>
      connection.rejectCall({ id: params.id, caller: toJid(body.contact_id) }),
    )
    return { ok: true }
  }),
}
