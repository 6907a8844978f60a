import * as contract from "#core/contract/message.ts"
import { reactionOf } from "../baileys/compose.ts"
import { findMessages, keyOf } from "../messages/find-message.ts"
import { sendCommand } from "./send.ts"

export const sendReaction = sendCommand(contract.sendReaction, async (input, { live }) => {
  const [message] = await findMessages(live, { id: input.message_id, chat: input.chat })
  return reactionOf(keyOf(message), input.emoji)
})
