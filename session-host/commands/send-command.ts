import type { z } from "@hono/zod-openapi"
import type { NewChat } from "#contract/send.ts"
import { BridgeLog } from "#core/bridge/bridge-log.ts"
import { ApiError } from "#core/error.ts"
import { Idempotency } from "#core/message/idempotency.ts"
import { isGroup, isLid, toJid, userOf } from "#core/message/jid.ts"
import { log } from "#core/platform/log.ts"
import { buildMessage, type MessageContext } from "../content/compose.ts"
import { quoteOf } from "../content/kept-content.ts"
import { withMentions } from "../content/mentions.ts"
import { chatOf } from "../content/remembered.ts"
import { unwrap } from "../content/unwrap.ts"
import type { MessageContent } from "../network/connection.ts"
import { onlyAdminsWrite } from "../people/recipients.ts"
import type { ComposeFor, ConnectedSession } from "../session/connected-session.ts"
import type { Session } from "../session/session.ts"
import { type Called, command, type Route } from "./command.ts"
import { authorOf, findStanding, markRead } from "./message-to-act-on.ts"

/** The input of every send besides its content. */
interface Addressed {
  chat: string
  quoted_message_id?: string | undefined
  mentions?: string[] | undefined
  new_chat?: NewChat | undefined
  read?: string | undefined
  typing_ms?: number | undefined
}

/** For how long a message may be composed and then typed: for as long as a file may be fetched. */
const composeMs = 25_000

/** The texts of a send in which people may be mentioned. */
interface Texts {
  body?: string
  caption?: string
}

interface SendRoute<Input> extends Route {
  request: { body: { content: { "application/json": { schema: z.ZodType<Input> } } } }
}

/** A command that sends the message that `toContent` makes of its input. */
export function sendCommand<Input extends Addressed, const Its extends SendRoute<Input>>(
  route: Its & SendRoute<Input>,
  toContent: (
    input: Input,
    to: { connected: ConnectedSession; context: MessageContext },
  ) => MessageContent | Promise<MessageContent>,
) {
  return command(route, ({ session, call, body }) => {
    const input = body as Input // of the same route
    return sendAndAnswer({ session, call }, async (connected) => {
      const startMs = performance.now()
      const chat = await connected.reach(toJid(input.chat))
      if (isGroup(chat) && !(await connected.connection.mayWriteIn(chat))) throw onlyAdminsWrite()
      const people = await mentionedIn(chat, input.mentions ?? [], connected)
      const mentions = people.map(({ jid }) => jid)
      const context = await contextOf(input, { chat, mentions }, connected)
      const message = buildMessage(await toContent(withMentioned(input, people), { connected, context }))
      const leftMs = Math.max(0, composeMs - (performance.now() - startMs))
      await connected.pace(chat, {
        newChat: input.new_chat,
        typingMs: input.typing_ms && Math.min(input.typing_ms, leftMs),
        read: input.read === undefined ? undefined : () => readOrSay(session, connected, input.read!, chat),
      })
      return { chat, message }
    })
  })
}

/**
 * Sends under the id that the API has chosen, completes the idempotency record, and answers with that id.
 * @param shownId the id to answer instead: that of the message that this one edits
 */
export async function sendAndAnswer(
  { session, call }: Pick<Called, "session" | "call">,
  composeFor: ComposeFor,
  shownId?: string,
): Promise<Response> {
  const { messageId, isNew, record, requestId, bridgeId } = call
  if (!messageId) throw new ApiError("invalid_request", "the call names no message id")
  const { vault, deliveryKey } = await session.memory()
  const sent = await session.send({ messageId, isNew, requestId, composeFor }).catch((error: unknown) => {
    if (error instanceof ApiError) BridgeLog.append(bridgeId, "warn", `message ${messageId}: ${error.code}`)
    throw error
  })
  BridgeLog.append(bridgeId, "info", `message ${messageId} acknowledged`)
  const chat_id = await vault.phoneOf(sent.chat)
  const answer = { message_id: shownId ?? messageId, chat_id, timestamp: sent.timestamp }
  if (record)
    await Idempotency.complete({ record, messageId, deliveryKey }, answer).catch((error: unknown) =>
      // The next claimant of the key finds the message acknowledged and completes the record.
      log.warn({ error, requestId, messageId }, "idempotency record not completed"),
    )
  return Response.json(answer, { headers: sent.isRepeat ? { "x-send-repeated": "true" } : {} })
}

/** Marks a message of this chat as read. If that fails, the bridge's log says so, and nothing else. */
async function readOrSay(session: Session, connected: ConnectedSession, id: string, chat: string) {
  await markRead(session, connected, { id, chat }).catch((error: unknown) => {
    const why = error instanceof ApiError ? error.code : "not sent"
    log.warn({ bridgeId: connected.bridgeId, messageId: id, error }, "a message was not marked as read")
    BridgeLog.append(connected.bridgeId, "warn", `message ${id} not marked as read: ${why}`)
  })
}

/** The context of a message. A quoted message is from this chat, or is a status of the recipient. */
async function contextOf(
  input: Addressed,
  { chat, mentions }: { chat: string; mentions: string[] },
  connected: ConnectedSession,
): Promise<MessageContext> {
  const timer = await connected.connection.timerOf(chat)
  if (input.quoted_message_id === undefined) return { mentions, timer }
  const quoted = await findStanding(connected, { id: input.quoted_message_id, chat })
  return {
    mentions,
    timer,
    quoted: {
      id: quoted.id,
      author: authorOf(quoted, connected),
      content: quoteOf(unwrap(quoted.content)),
      ...(chatOf(quoted) !== quoted.chat && { chat: quoted.chat }),
    },
  }
}

/** A person who is mentioned: all of their addresses, and the one that the chat uses. */
interface Mentioned {
  names: string[]
  jid: string
}

/**
 * Finds the mentioned people under the addresses that the chat uses: a group that names its members by
 * private id shows no mention of a number.
 */
async function mentionedIn(
  chat: string,
  people: string[],
  connected: ConnectedSession,
): Promise<Mentioned[]> {
  const isByLid = people.length > 0 && (await connected.connection.isByLid(chat))
  return await Promise.all(
    people.map(async (person) => {
      const names = [...(await connected.namesOf(toJid(person)))]
      const jid = (isByLid ? names.find(isLid) : undefined) ?? names[0] ?? toJid(person)
      return { names, jid }
    }),
  )
}

/**
 * The texts with each mentioned person under their address in `mentions`, whichever of their addresses the
 * caller wrote: a phone shows a mention where the text has that address.
 */
function withMentioned<Input extends Addressed & Texts>(input: Input, people: Mentioned[]): Input {
  const digits = people.flatMap(({ names, jid }) => names.map((name) => [userOf(name), userOf(jid)] as const))
  const named = (text: string) => withMentions(text, new Map(digits))
  const { body, caption } = input
  return {
    ...input,
    ...(body !== undefined && { body: named(body) }),
    ...(caption !== undefined && { caption: named(caption) }),
  }
}
