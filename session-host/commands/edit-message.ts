import * as contract from "#core/contract/message.ts"
import { ApiError } from "#core/error.ts"
import { built, editOf, textOf } from "../messages/compose.ts"
import { kindOf, unwrap } from "../events/content.ts"
import { findOwn, keyOf } from "../messages/find-message.ts"
import type { Live } from "../session/connected-session.ts"
import { bodyOf, type Command, paramOf } from "./command.ts"
import { sendAndAnswer } from "./send.ts"

const Body = contract.editMessage.request.body.content["application/json"].schema

export const editMessage: Command = {
  route: contract.editMessage,
  run: async (c) => {
    const id = paramOf(c, contract.editMessage.request.params, "id")
    const input = await bodyOf(c, Body)
    const build = async (live: Live) => {
      const message = await findOwn(live, { id, chat: input.chat })
      if (kindOf(unwrap(message.content)) !== "text")
        throw new ApiError("invalid_request", "only the text of a text message can be changed")
      return { chat: message.chat, message: built(editOf(keyOf(message), textOf(input.body))) }
    }
    // The edit's own id is of no use to anybody: it is still the same message.
    return await sendAndAnswer(c, build, id)
  },
}
