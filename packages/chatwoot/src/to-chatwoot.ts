import {
  type EventOf,
  type MessageEvent,
  type MessageStatusEvent,
  BridgeError,
} from "../../sdk-typescript/src/index.ts"
import { ChatwootError, type NewMessage } from "./chatwoot.ts"
import { type Line, patiently, settled } from "./line.ts"
import type { Pair } from "./notes.ts"
import { conversationOf, type Talk } from "./place.ts"
import { toMarkdown, wordsOf } from "./words.ts"

/** Chats that become conversations: no broadcast and no channel. */
const people = /^(?:\d{7,15}@s\.whatsapp\.net|\d+@lid)$/
const group = /^[\d-]+@g\.us$/

type Told = EventOf<"message" | "message_status">

/**
 * Does at Chatwoot what an event says, once, though it may come again.
 * @param sends calls that are under way: what they send may be what the event is about
 */
export async function toChatwoot(
  line: Line,
  { event, event_id }: Told,
  sends: Iterable<Promise<unknown>>,
): Promise<void> {
  const isWanted = people.test(event.chat_id) || (line.groups && group.test(event.chat_id))
  if (!isWanted) return
  if (event.event === "message_status") {
    await Promise.allSettled(sends)
    return await tellStatus(line, event, event_id)
  }
  if (event.is_broadcast || event.is_group_status || event.part_of?.as === "hd") return
  if (event.edit === "pin" || (event.reaction && event.reaction.emoji === "")) return
  if (event.edit === "revoke" && event.target_id) return await removeAtChatwoot(line, event, event.target_id)
  await tell(line, event, event_id)
}

/** Makes the message of an event. */
async function tell(line: Line, event: MessageEvent, eventId: string): Promise<void> {
  const { file, failure } = await fileOf(line, event)
  const about = event.quoted?.message_id ?? event.reaction?.message_id ?? event.target_id
  const name =
    event.is_group && !event.from_me ? `**${event.name || event.phone || event.contact_id}:**\n` : ""
  const edited = event.edit === "edit" && event.target_id !== event.message_id ? "(edited) " : ""
  const content = `${name}${edited}${wordsOf(event)}${failure}`
  await make(line, {
    source: eventId,
    talk: { ...event, name: event.from_me ? "" : event.name },
    about,
    message: {
      content,
      message_type: event.from_me ? "outgoing" : "incoming",
      source_id: event.message_id,
      file,
    },
  })
}

interface ToMake {
  /** Names what is made: two of one name are one message. */
  source: string
  talk: Talk | number
  /** The WhatsApp id of the message that it is about. */
  about?: string | undefined
  message: NewMessage
}

/** Makes a message at Chatwoot, once. If its conversation is gone, or its contact, they are made again. */
export async function make(line: Line, { source, talk, about, message: given }: ToMake): Promise<void> {
  const { notes, bridge } = line
  let message = given
  await patiently(line, async () => {
    if (typeof notes.attempt(bridge.ref, source)?.id === "number") return
    const conversation = typeof talk === "number" ? talk : await conversationOf(line, talk).catch(again)
    try {
      await makeIn(line, conversation, { source, about, message })
    } catch (error) {
      if (!(error instanceof ChatwootError)) throw error
      if (error.status === 404 && typeof talk !== "number") {
        notes.forgetConversation(bridge.ref, conversation)
        return again(error)
      }
      // It is not taken as it is: its words alone are.
      if (error.status === 413 || (error.status === 422 && !/too many messages/i.test(error.message)))
        message = { ...message, file: undefined, content: withoutFile(message) }
      if (error.status === 413 || error.status === 422) again(error)
      throw error
    }
  })
}

/** @throws ChatwootError that passes */
function again(error: unknown): never {
  if (error instanceof ChatwootError && !error.passes) throw new ChatwootError(0, error.message, error)
  throw error
}

function withoutFile({ content, file }: NewMessage): string {
  return file ? `${content}\n(Chatwoot refused the file ${file.name})` : content.slice(0, 10_000) || "(empty)"
}

async function makeIn(
  line: Line,
  conversation: number,
  { source, about, message }: Omit<ToMake, "talk">,
): Promise<void> {
  const { notes, chatwoot, bridge } = line
  const by = message.message_type === "incoming" ? "person" : "elsewhere"
  const isMade = (id: number) =>
    notes.made(bridge.ref, source, { conversation, id, part: 0, whatsapp: message.source_id, by })
  // Chatwoot has no key under which it makes a message once: one that was tried is looked for first.
  if (await settled(line, source)) {
    const { made } = notes.known(conversation)
    for await (const { id, source_id } of chatwoot.messages(conversation, made))
      if (source_id === message.source_id) return isMade(id)
  }
  const replyTo = about === undefined ? undefined : notes.pairOf(conversation, about)?.id
  notes.try(bridge.ref, source, Date.now())
  try {
    isMade((await chatwoot.createMessage(conversation, { ...message, replyTo })).id)
  } catch (error) {
    if (!(error instanceof ChatwootError)) throw error
    // Chatwoot has ended its work with these two, but may have stored the message before.
    if (error.status === 422 || error.status === 500) notes.try(bridge.ref, source, 0)
    else if (!error.isOpen) notes.untry(bridge.ref, source)
    throw error
  }
}

/** The file of a message; what is to be said in its place where it cannot be had. */
async function fileOf(line: Line, event: MessageEvent): Promise<{ file?: File; failure: string }> {
  if (event.type !== "media" || event.media_type === "" || event.edit) return { failure: "" }
  const { message_id: id, chat_id: chat } = event
  try {
    const blob = await patiently(
      line,
      async () => await (await line.bridge.messageMedia({ id, chat })).blob(),
    )
    const type = event.file?.content_type ?? blob.type
    const name = event.file?.name || `${event.media_type}.${endings[type.split(";")[0]!] ?? "bin"}`
    return { file: new File([blob], name, { type }), failure: "" }
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error
    return { failure: `\n(its file cannot be had: ${error.message})` }
  }
}

const endings: Record<string, string> = {
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/webp": "webp",
  "video/mp4": "mp4",
  "audio/ogg": "ogg",
  "audio/mpeg": "mp3",
  "audio/mp4": "m4a",
}

/** The pair of a message, in whichever conversation its chat has. */
function pairIn({ notes, bridge }: Line, { chat_id, chat_lid }: Talk, whatsapp: string): Pair | undefined {
  const places = [chat_id, chat_lid].flatMap((chat) => (chat ? (notes.chat(bridge.ref, chat) ?? []) : []))
  return places.map(({ conversation }) => notes.pairOf(conversation, whatsapp)).find(Boolean)
}

async function removeAtChatwoot(line: Line, event: MessageEvent, target: string): Promise<void> {
  const pair = pairIn(line, event, target)
  if (!pair || pair.gone) return
  // Noted first: what Chatwoot then says of it is not for WhatsApp.
  line.notes.isGone(pair)
  await patiently(line, async () => await line.chatwoot.removeMessage(pair.conversation, pair.id)).catch(
    ifGone,
  )
}

/** What Chatwoot calls how far a message has come. */
const statuses = {
  sent: "sent",
  delivered: "delivered",
  read: "read",
  played: "read",
  failed: "failed",
} as const

async function tellStatus(line: Line, event: MessageStatusEvent, eventId: string): Promise<void> {
  const is_group = group.test(event.chat_id)
  const pair = pairIn(line, { ...event, is_group }, event.message_id)
  if (!pair) return event.status === "sent" ? await tellOfOthers(line, event, eventId) : undefined
  if (event.status === "sent" || pair.by === "person") return
  await patiently(
    line,
    async () =>
      await line.chatwoot.setStatus(pair.conversation, pair.id, statuses[event.status], event.reason),
  ).catch(ifGone)
}

/** Something was sent by another program of the account, or on its dashboard: agents see it, too. */
async function tellOfOthers(
  line: Line,
  { chat_id, chat_lid, message_id }: MessageStatusEvent,
  eventId: string,
) {
  const sent = await patiently(
    line,
    async () => await line.bridge.getMessage({ id: message_id, chat: chat_id }),
  ).catch((error: unknown) => {
    if (error instanceof BridgeError) return undefined
    throw error
  })
  if (!sent || sent.type === "" || sent.type === "reaction") return
  const content = sent.body === "" ? `(${sent.media_type || sent.type})` : toMarkdown(sent.body)
  const talk = { chat_id, is_group: group.test(chat_id), ...(chat_lid && { chat_lid }) }
  const message = { content, message_type: "outgoing", source_id: message_id } as const
  await make(line, { source: eventId, talk, message })
}

/** What was deleted at Chatwoot needs nothing more. */
export function ifGone(error: unknown): void {
  if (!(error instanceof ChatwootError) || ![403, 404, 422].includes(error.status)) throw error
}
