import { BridgeError, type SendResult } from "../../sdk-typescript/src/index.ts"
import { ChatwootError, type Message } from "./chatwoot.ts"
import { type Line, patiently } from "./line.ts"
import { chatOf } from "./place.ts"
import { ifGone, make } from "./to-chatwoot.ts"
import { fromMarkdown, transcriptOf } from "./words.ts"

/** Idempotency keys are kept for 24 hours: what is older may have been sent, and is not sent by itself. */
const oldestS = 23 * 3600

/** How many numbers are looked at again: Chatwoot may show a message after one with a higher number. */
const overlap = 50

/** The part of a message under which it is noted that sending it has failed for good. */
const failure = -1

/**
 * Sends what agents have written in a conversation and is not sent yet, in order.
 * @param from a message that is asked for, though later ones are done
 * @param sends gets each call while it is under way
 */
export async function toWhatsApp(
  line: Line,
  conversation: number,
  from: number,
  sends: Set<Promise<unknown>>,
): Promise<void> {
  const { last } = line.notes.known(conversation)
  const after = Math.max(0, Math.min(last - overlap, from - 1))
  for await (const message of line.chatwoot.messages(conversation, after)) {
    const isOurs = Boolean(message.source_id)
    const isWritten = message.message_type === 1 || message.message_type === 3
    if (isOurs || !isWritten || message.created_at < line.since) continue
    if (message.private) await answerNote(line, conversation, message)
    else await follow(line, conversation, message, sends)
  }
}

/** Sends a message, or takes it back, or nothing of both. */
async function follow(line: Line, conversation: number, message: Message, sends: Set<Promise<unknown>>) {
  const pairs = line.notes.pairsOf(conversation, message.id)
  const isDeleted = message.content_attributes?.deleted === true
  if (isDeleted) {
    if (pairs.some(({ whatsapp, gone }) => whatsapp !== "" && !gone))
      await revoke(line, conversation, message)
    return
  }
  const tries = pairs.find(({ part }) => part === failure)?.failed ?? 0
  const parts = partsOf(message)
  const left = [...parts.keys()].filter((part) => !pairs.some((pair) => pair.part === part))
  // If Chatwoot no longer calls it failed, whoever wrote it has asked for one more try.
  if (tries > 0 ? message.status === "failed" : left.length === 0) return
  const refuse = async (why: string) => await fail(line, conversation, message, why, tries + 1)
  const chat = await chatOf(line, conversation)
  if (chat === undefined) return await refuse("the contact has no phone number")
  if (tries === 0 && Date.now() / 1000 - message.created_at > oldestS)
    return await refuse("it waited for a day and was not sent: try it again")
  try {
    for (const part of left)
      await sendPart(line, { conversation, message, part, content: parts[part]!, chat, tries }, sends)
  } catch (error) {
    if (!(error instanceof BridgeError || error instanceof ChatwootError)) throw error
    return await refuse(error.message)
  }
  line.notes.unpair(conversation, message.id, failure)
  // Chatwoot has called it failed, as its call of the webhook had no answer.
  if (message.status === "failed")
    await patiently(line, async () => await line.chatwoot.setStatus(conversation, message.id, "sent"))
  await handOver(line, chat)
}

type File = Message["attachments"][number]
type Part = { text: string } | { file: File; caption: string }

/** A text and each file are a message each; a picture, a video and a document take the text along. */
function partsOf({ content, attachments }: Message): Part[] {
  const text = fromMarkdown(content ?? "")
  const files = attachments.filter(({ data_url }) => data_url)
  const takesText = files.length > 0 && files[0]!.file_type !== "audio"
  return [
    ...(text !== "" && !takesText ? [{ text }] : []),
    ...files.map((file, n) => ({ file, caption: n === 0 && takesText ? text : "" })),
  ]
}

interface Sending {
  conversation: number
  message: Message
  part: number
  content: Part
  chat: string
  tries: number
}

/** @throws BridgeError if it is refused for good */
async function sendPart(line: Line, sending: Sending, sends: Set<Promise<unknown>>): Promise<void> {
  const { conversation, message, part } = sending
  const { notes } = line
  const about = notes.pairsOf(conversation, message.content_attributes?.in_reply_to ?? 0)
  const quoted = about.find(({ whatsapp }) => whatsapp !== "")?.whatsapp
  await patiently(line, async () => {
    const file = "file" in sending.content ? await uploaded(line, sending.content.file) : undefined
    const attempt = async () => {
      const { message_id } = await send(line, sending, { file, ...(quoted && { quoted_message_id: quoted }) })
      notes.pair({ conversation, id: message.id, part, whatsapp: message_id, by: "agent" })
    }
    const going = attempt()
    sends.add(going)
    try {
      await going
    } finally {
      sends.delete(going)
    }
  })
}

async function uploaded({ chatwoot, bridge }: Line, { data_url, extension }: File): Promise<string> {
  const blob = await chatwoot.file(data_url!)
  const last = decodeURIComponent(new URL(data_url!, "http://any").pathname.split("/").at(-1) ?? "")
  return await bridge.upload(blob, { filename: last || `file.${extension ?? "bin"}` })
}

async function send(
  { bridge, keys, names }: Line,
  { message, part, content, chat, tries }: Sending,
  { file, ...more }: { file: string | undefined; quoted_message_id?: string },
): Promise<SendResult> {
  const idempotencyKey = `${keys} ${message.id} ${part} ${tries}`
  const name = names && part === 0 ? (message.sender?.available_name ?? message.sender?.name) : undefined
  const signed = (text: string) => (name && text !== "" ? `*${name}:*\n${text}` : text)
  if ("text" in content)
    return await bridge.sendText({ chat, body: signed(content.text), ...more }, { idempotencyKey })
  const caption = signed(content.caption)
  const media = { chat, file: file!, ...more, ...(caption !== "" && { caption }) }
  if (content.file.file_type !== "audio") return await bridge.sendMedia(media, { idempotencyKey })
  try {
    return await bridge.sendMedia({ ...media, as_voice: true }, { idempotencyKey })
  } catch (error) {
    // A service without ffmpeg sends a sound as it is.
    if (!(error instanceof BridgeError) || error.code !== "conversion_unavailable") throw error
    return await bridge.sendMedia(media, { idempotencyKey })
  }
}

/** Tells who wrote it why it was not sent. */
async function fail(
  line: Line,
  conversation: number,
  { id }: Message,
  why: string,
  failed: number,
): Promise<void> {
  await patiently(line, async () => await line.chatwoot.setStatus(conversation, id, "failed", why))
  line.notes.pair({ conversation, id, part: failure, whatsapp: "", by: "agent", failed })
}

async function revoke(line: Line, conversation: number, { id }: Message): Promise<void> {
  const { notes, bridge, keys } = line
  const chat = await chatOf(line, conversation)
  for (const { part, whatsapp } of notes.pairsOf(conversation, id)) {
    if (whatsapp === "" || chat === undefined) continue
    const idempotencyKey = `${keys} ${id} ${part} revoked`
    await patiently(
      line,
      async () => await bridge.revokeMessage({ id: whatsapp, chat }, { idempotencyKey }),
    ).catch((error: unknown) => {
      if (!(error instanceof BridgeError)) throw error
      line.log(`a message that was deleted at Chatwoot stays on WhatsApp: ${error.message}`)
    })
  }
  notes.isGone({ conversation, id })
}

/** A person answers: the account's programs are told so. */
export async function handOver({ bridge, log }: Line, chat: string, seconds?: number): Promise<void> {
  await bridge.setHandover({ chat, ...(seconds !== undefined && { seconds }) }).catch((error: unknown) => {
    if (!(error instanceof BridgeError)) throw error
    log(`the chat could not be handed over: ${error.message}`)
  })
}

/** `/history` in a private note: what was said before, as far as it is kept, comes as another note. */
async function answerNote(line: Line, conversation: number, { id, content }: Message): Promise<void> {
  const [isAsked, count = "50"] = /^\s*\/history(?:\s+(\d{1,3}))?\s*$/.exec(content ?? "") ?? []
  const source = `history ${id}`
  if (isAsked === undefined || line.notes.pairsOf(conversation, id).length > 0) return
  const chat = await chatOf(line, conversation)
  const words = chat === undefined ? "This contact has no chat." : await history(line, chat, Number(count))
  const message = { content: words, message_type: "outgoing", private: true, source_id: source } as const
  await make(line, { source, talk: conversation, message }).catch(ifGone)
  line.notes.pair({ conversation, id, part: 0, whatsapp: "", by: "agent" })
}

async function history(line: Line, chat: string, count: number): Promise<string> {
  try {
    const kept = await patiently(
      line,
      async () => await line.bridge.listMessages({ chat, limit: Math.max(1, count) }),
    )
    return (
      transcriptOf(kept.toReversed()) ||
      "Nothing is kept of this chat: `keep` of the number says for how long."
    )
  } catch (error) {
    if (error instanceof BridgeError) return error.message
    throw error
  }
}
