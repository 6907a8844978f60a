import * as contract from "#core/contract/message.ts"
import { ApiError } from "#core/error.ts"
import { toJid } from "#core/jid.ts"
import { kindOf, unwrap } from "../network/content.ts"
import {
  built,
  editOf,
  eventOf,
  locationOf,
  pollOf,
  reactionOf,
  revocationOf,
  textOf,
} from "../send/compose.ts"
import { chatOf, findMessages, findOwn, keyOf } from "./find-message.ts"
import { command } from "./command.ts"
import { recall, wire } from "./look-up-message.ts"
import { mediaOfMessage } from "./message-media.ts"
import { sendAndAnswer, sendCommand } from "./send-command.ts"
import { composeMedia } from "./send-media.ts"

export const messages = {
  sendText: sendCommand(contract.sendText, (input, { context }) => textOf(input.body, context)),

  sendMedia: sendCommand(contract.sendMedia, (input, { connected, context }) =>
    composeMedia(input, connected, context),
  ),

  sendReaction: command(contract.sendReaction, (called) =>
    sendAndAnswer(called, async (connected) => {
      const { chat, message_id, emoji } = called.body
      const reached = chat && (await connected.reach(toJid(chat)))
      const [message] = await findMessages(connected, { id: message_id, chat })
      return { chat: reached ?? chatOf(message), message: built(reactionOf(keyOf(message), emoji)) }
    }),
  ),

  sendPoll: sendCommand(contract.sendPoll, (input, { context }) =>
    pollOf({ ...input, maxAnswers: input.max_answers ?? 1 }, context),
  ),

  sendLocation: sendCommand(contract.sendLocation, (input, { context }) => locationOf(input, context)),

  sendEvent: sendCommand(contract.sendEvent, (input, { context }) =>
    eventOf(
      {
        name: input.name,
        description: input.description,
        startTime: input.start_time,
        endTime: input.end_time,
        joinLink: input.join_link,
        hasReminder: input.has_reminder,
        isScheduleCall: input.is_schedule_call,
        reminderOffsetSec: input.reminder_offset_sec,
      },
      context,
    ),
  ),

  sendTyping: command(contract.sendTyping, async ({ session, body }) => {
    await session.use(async (connected) => {
      const chat = await connected.reach(toJid(body.chat))
      await connected.connection.showTyping(chat, body.state)
    })
    return { ok: true }
  }),

  getMessage: command(contract.getMessage, async ({ session, params, query }) =>
    wire(await recall(await session.memory(), { ...params, ...query })),
  ),

  revokeMessage: command(contract.revokeMessage, (called) =>
    sendAndAnswer(called, async (connected) => {
      const message = await findOwn(connected, { id: called.params.id })
      return { chat: message.chat, message: built(revocationOf(keyOf(message))) }
    }),
  ),

  editMessage: command(contract.editMessage, (called) => {
    const { id } = called.params
    const edit = sendAndAnswer(
      called,
      async (connected) => {
        const message = await findOwn(connected, { id, chat: called.body.chat })
        if (kindOf(unwrap(message.content)) !== "text")
          throw new ApiError("invalid_request", "only the text of a text message can be changed")
        return { chat: message.chat, message: built(editOf(keyOf(message), textOf(called.body.body))) }
        // The edit's own id is of no use to anybody: it is still the same message.
      },
      id,
    )
    return edit
  }),

  readMessage: command(contract.readMessage, async ({ session, params, body }) => {
    await session.use(async (connected) => {
      const found = await findMessages(connected, { id: params.id, chat: body.chat })
      // Our own messages need no receipt.
      const received = found.find(({ fromMe }) => !fromMe)
      if (!received) return
      await connected.connection.markRead(keyOf(received))
      await (await session.memory()).chats.read(chatOf(received))
    })
    return { ok: true }
  }),

  messageMedia: command(contract.messageMedia, ({ session, params }) => mediaOfMessage(session, params.id)),
}
