import * as contract from "#contract/message.ts"
import * as send from "#contract/send.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { ApiError } from "#core/error.ts"
import { isUsername, statusChat, toJid, userOf } from "#core/message/jid.ts"
import { nowMs } from "#core/platform/clock.ts"
import { edit, isTooLate, revocation } from "../content/changes.ts"
import {
  buildMessage,
  toContacts,
  type MessageContext,
  toEdit,
  toEvent,
  toForward,
  toLocation,
  toPin,
  toPoll,
  toReaction,
  toRevocation,
  toStatusText,
  toText,
  withText,
} from "../content/compose.ts"
import { contextInfoOf, isSeenOnce, mediaOf, textOf } from "../content/content.ts"
import { longestText } from "../content/kept-content.ts"
import { chatOf } from "../content/remembered.ts"
import { unwrap } from "../content/unwrap.ts"
import { previewOf } from "../media/link-preview.ts"
import { makePreview } from "../media/picture.ts"
import type { Recalled } from "../memory/messages/messages.ts"
import type { MessageContent, Registered } from "../network/connection.ts"
import { findStatusAudience } from "../people/status-audience.ts"
import type { ConnectedSession } from "../session/connected-session.ts"
import type { Session } from "../session/session.ts"
import { type Called, command, pageResponse } from "./command.ts"
import { composeMedia } from "./compose-media.ts"
import { messageWire, recall, untracked } from "./message-as-json.ts"
import { mediaResponse } from "./message-media.ts"
import { findOwnMessage, findRevocable, findStanding, keyOf, markRead } from "./message-to-act-on.ts"
import { deleteForMe } from "./remove-for-me.ts"
import { sendAndAnswer, sendCommand } from "./send-command.ts"
import { sentPage, sentWire } from "./sent-page.ts"

export const messages = {
  sendText: sendCommand(send.sendText, async (input, { connected, context }) => {
    const { body, preview, link_preview: isWanted = connected.choice().linkPreviews } = input
    if (!preview)
      return toText(body, context, isWanted ? await previewOf(body, connected.bridgeId) : undefined)
    const owner = await Bridge.accountOf(connected.bridgeId)
    const thumbnail = preview.image && (await makePreview(Buffer.from(preview.image, "base64"), owner))
    return toText(body, context, { ...preview, thumbnail: thumbnail || undefined })
  }),

  sendMedia: sendCommand(send.sendMedia, (input, { connected, context }) =>
    composeMedia(input, connected, context),
  ),

  sendReaction: command(send.sendReaction, (called) =>
    sendAndAnswer(called, async (connected) => {
      const { chat, message_id, emoji } = called.body
      const reached = chat && (await connected.reach(toJid(chat)))
      const message = await findStanding(connected, { id: message_id, chat })
      return { chat: reached ?? chatOf(message), message: buildMessage(toReaction(keyOf(message), emoji)) }
    }),
  ),

  sendPoll: sendCommand(send.sendPoll, (input, { context }) =>
    toPoll({ ...input, maxAnswers: input.max_answers ?? 1 }, context),
  ),

  sendLocation: sendCommand(send.sendLocation, (input, { context }) => toLocation(input, context)),

  sendEvent: sendCommand(send.sendEvent, (input, { context }) =>
    toEvent(
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

  sendContact: sendCommand(send.sendContact, async ({ contacts }, { connected, context }) =>
    toContacts(await withKnownPhones(contacts, connected), context),
  ),

  sendForward: sendCommand(send.sendForward, async (input, { connected, context }) => {
    const message = await findStanding(connected, { id: input.message_id, chat: input.from_chat })
    return forwarded(message, context)
  }),

  sendStatus: command(send.sendStatus, (called) =>
    sendAndAnswer(called, async (connected) => {
      const { body, background, ...source } = called.body
      const members = await findStatusAudience(connected)
      const hasFile = Object.values(source).some((place) => place !== undefined)
      const content = hasFile
        ? await composeMedia({ ...source, caption: body, background, isStatus: true }, connected, {})
        : toStatusText(body ?? "", background)
      await connected.pace(statusChat)
      return { chat: statusChat, message: buildMessage(content), members }
    }),
  ),

  sendTyping: command(send.sendTyping, async ({ session, body }) => {
    await session.use(async (connected) => {
      const chat = await connected.reach(toJid(body.chat))
      await connected.connection.showTyping(chat, body.state)
    })
    return { ok: true }
  }),

  getMessage: command(contract.getMessage, async ({ session, params, query }) => {
    const chat = await named(session, query.chat)
    const memory = await session.memory()
    const found = await recall(memory, { ...params, chat })
    return { ...messageWire(found), ...untracked(found, memory.statuses) }
  }),

  listSent: command(contract.listSent, async ({ session, query }) => {
    const chat = await named(session, query.chat)
    const memory = await session.memory()
    const { messages: page, next } = await sentPage(
      memory,
      { ...query, chat },
      async (some) => await sentWire(memory, some),
    )
    return pageResponse(page, next)
  }),

  revokeMessage: command(contract.revokeMessage, (called) =>
    sendAndAnswer(called, async (connected) => {
      const message = await findRevocable(connected, { id: called.params.id, chat: called.query.chat })
      const { chat } = message
      const members = chat === statusChat ? await viewersOf(message, connected) : undefined
      const change = revocation(message, nowMs())
      return { chat, message: buildMessage(toRevocation(keyOf(message))), members, change }
    }),
  ),

  deleteForMe: command(contract.deleteForMe, async ({ session, params, query }) => {
    await deleteForMe(session, { id: params.id, chat: query.chat })
    return { ok: true }
  }),

  editMessage: command(contract.editMessage, (called) => {
    const { id } = called.params
    return sendAndAnswer(
      called,
      async (connected) => {
        const message = await findOwnMessage(connected, { id, chat: called.body.chat })
        const changed = withText(unwrap(message.content), called.body.body)
        if (!changed)
          throw new ApiError(
            "invalid_request",
            "only a text, and the caption of a picture, a video or a document, can be changed",
          )
        // Phones compare the times that the network has given both.
        const time = connected.connection.networkTime()
        const change = { ...edit(message, unwrap(changed), nowMs()), time }
        if (isTooLate(message.time, change)) throw new ApiError("edit_too_late")
        const sent = buildMessage(toEdit(keyOf(message), changed, change.madeMs))
        return { chat: message.chat, message: sent, change }
      },
      // The answer has the id of the edited message: a caller cannot use the id of the edit itself.
      id,
    )
  }),

  pinMessage: command(contract.pinMessage, (called) =>
    pin(called, called.body.chat, called.body.duration ?? week),
  ),

  unpinMessage: command(contract.unpinMessage, (called) => pin(called, called.query.chat, undefined)),

  readMessage: command(contract.readMessage, async ({ session, params, body }) => {
    await session.use((connected) => markRead(session, connected, { id: params.id, chat: body.chat }))
    return { ok: true }
  }),

  messageMedia: command(contract.messageMedia, async ({ session, params, query }) =>
    mediaResponse(session, { ...params, ...query, chat: await named(session, query.chat) }),
  ),
}

/**
 * The chat that a look-up names. The network is asked only for a username.
 * @throws ApiError as `Session.use`, and `not_found` for a username that no account has
 */
async function named(session: Session, chat: string | undefined): Promise<string | undefined> {
  return chat && isUsername(chat) ? await session.use((connected) => connected.named(chat)) : chat
}

const week = 604_800

/** Pins a message for this many seconds, or unpins it. */
function pin(
  called: Pick<Called, "session" | "call"> & { params: { id: string } },
  chat: string | undefined,
  seconds: number | undefined,
): Promise<Response> {
  return sendAndAnswer(called, async (connected) => {
    const message = await findStanding(connected, { id: called.params.id, chat })
    if (message.chat.endsWith("@broadcast"))
      throw new ApiError("invalid_request", "only a message of a chat or a group can be pinned")
    return { chat: message.chat, message: buildMessage(toPin(keyOf(message), seconds)) }
  })
}

/** @throws ApiError `invalid_request` for a message that may not be forwarded */
function forwarded({ content, fromMe, sent }: Recalled, context: MessageContext): MessageContent {
  const inner = unwrap(content)
  if (!sent && (textOf(inner) ?? mediaOf(inner)?.caption ?? "").length > longestText)
    throw new ApiError(
      "invalid_request",
      `of a text beyond ${longestText} characters the rest is not remembered: send it with \`send/text\``,
    )
  const before = contextInfoOf(inner)?.forwardingScore ?? 0
  const forwardings = fromMe ? before : before + 1
  const forward = isSeenOnce(content) ? undefined : toForward(inner, { ...context, forwardings })
  if (forward) return forward
  throw new ApiError(
    "invalid_request",
    "only texts, media, places and contact cards can be forwarded: none of more than 300 KB, nor what is to be seen once",
  )
}

/** The people to whom a status was shown. For a status that was not posted here: those who may see it now. */
async function viewersOf({ sent }: Recalled, connected: ConnectedSession): Promise<string[]> {
  return sent?.members ? Object.keys(sent.members) : await findStatusAudience(connected)
}

/** Cards whose phones are spelt as the network spells them. @throws NetworkRejected, NoAnswer */
async function withKnownPhones<Card extends { phone?: string | undefined }>(
  cards: Card[],
  { connection }: ConnectedSession,
): Promise<(Card & { isReachable: boolean })[]> {
  const phones = new Set(cards.flatMap(({ phone }) => digitsOf(phone) ?? []))
  const found = phones.size > 0 ? await connection.registered([...phones]) : new Map<string, Registered>()
  return cards.map((card) => {
    const known = found.get(digitsOf(card.phone) ?? "")
    return { ...card, ...(known && { phone: userOf(known.jid) }), isReachable: known !== undefined }
  })
}

function digitsOf(phone: string | undefined): string | undefined {
  return phone?.replace("+", "")
}
