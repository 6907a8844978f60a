import * as contract from "#core/contract/message.ts"
import { built, revocationOf } from "../messages/compose.ts"
import { findOwn, keyOf } from "../messages/find-message.ts"
import { type Command, paramOf } from "./command.ts"
import { sendAndAnswer } from "./send.ts"

export const revokeMessage: Command = {
  route: contract.revokeMessage,
  run: async (c) => {
    const id = paramOf(c, contract.revokeMessage.request.params, "id")
    return await sendAndAnswer(c, async (live) => {
      const message = await findOwn(live, { id })
      return { chat: message.chat, message: built(revocationOf(keyOf(message))) }
    })
  },
}
