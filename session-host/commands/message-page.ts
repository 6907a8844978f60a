import type { z } from "@hono/zod-openapi"
import type * as contract from "#contract/chat.ts"
import { ApiError, invalid } from "#core/error.ts"
import { folded, hasWords } from "#core/event/folded.ts"
import { AnswerInBucket } from "#core/files/answer-in-bucket.ts"
import { toJid } from "#core/message/jid.ts"
import { batches } from "#core/platform/batches.ts"
import { isBehind, placeName } from "../chats/chats.ts"
import type { Line, MessageEvent } from "../chats/transcript.ts"
import { formsOf } from "../content/message-identity.ts"
import { changesAtOnce } from "../memory/messages/messages.ts"
import { sentMessages } from "../memory/messages/sent.ts"
import type { Memory } from "../session/memory.ts"
import { outcomeOf } from "./message-as-json.ts"

type Message = z.input<typeof contract.KeptMessage>
/** Of one chat, or of all. */
type Asked = z.output<typeof contract.listMessages.request.query> &
  Partial<z.output<typeof contract.searchMessages.request.query>>
type Parts = Pick<Memory, "chats" | "messages" | "store" | "transcript" | "vault">

/** How much is read for one page at most, since a filter may match little of it; `ms`: in a search. */
const most = { lines: 2000, bytes: 8_000_000, ms: 500 }

/**
 * A page of the messages of a chat, newest first, or of one chat after the other, and the `after` of the next
 * page, if there may be more (Contract, "Kept messages").
 * @throws ApiError `not_kept`, `invalid_request` for an `after` of another bridge or chat; SessionEnded
 */
export async function messagePage(
  memory: Parts,
  asked: Asked,
): Promise<{ messages: Message[]; next?: string }> {
  const { transcript, store, vault } = memory
  if (transcript.days === undefined) throw new ApiError("not_kept")
  const chat = asked.chat === undefined ? undefined : toJid(asked.chat)
  const [name = chat] = chat === undefined ? [] : await vault.namesOf(chat)
  const purpose = `messages after, of ${name ?? "all chats"}`
  const before = asked.after === undefined ? undefined : store.unsealed(purpose, asked.after)
  if (asked.after !== undefined && before === undefined) throw notItsPage()
  const wants = await filterOf(memory, asked)
  const found: Line[] = []
  const read = { lines: 0, bytes: 0, found: 0 }
  const end = asked.words === undefined ? Infinity : performance.now() + most.ms
  let last: Line | undefined
  const lines =
    chat === undefined ? ofAllChats(memory, before) : transcript.backwards(chat, { ...asked, before })
  for await (const line of asNow(memory, lines, asked.limit)) {
    const isFull = found.length === asked.limit || read.lines === most.lines || read.bytes > most.bytes
    const isLate = performance.now() > end
    const isTooLong = found.length > 0 && read.found + line.bytes > AnswerInBucket.longestInline.maxBytes
    if (last && (isFull || isLate || isTooLong))
      return { messages: await withStatus(memory, found), next: store.sealed(purpose, last.place) }
    last = line
    read.lines++
    read.bytes += line.bytes
    if (!wants(line)) continue
    read.found += line.bytes
    found.push(line)
  }
  return { messages: await withStatus(memory, found) }
}

/**
 * The lines of all chats, the chat with the latest message first. Before the place of each stands that of its
 * chat.
 * @param before the place of the last one that was looked at
 */
async function* ofAllChats(
  { chats, transcript }: Pick<Memory, "chats" | "transcript">,
  before: string | undefined,
): AsyncGenerator<Line> {
  const [, chatPlace = "", lastAt = "", sk = "", inChat] = /^((\S+) (\S+)) (\S+)$/.exec(before ?? "") ?? []
  const begun = { lastAt: Number(lastAt), sk }
  const all = await chats.places()
  const behind = all.filter((place) => place.sk !== sk && isBehind(place, chatPlace))
  for (const place of before === undefined ? all : [begun, ...behind])
    for (const { jid } of await chats.at([place]))
      for await (const line of transcript.backwards(jid, { before: place === begun ? inChat : undefined }))
        yield { ...line, place: `${placeName(place)} ${line.place}` }
}

/** The messages as they are after their last change. */
async function* asNow(
  { transcript, messages, vault }: Parts,
  lines: AsyncIterable<Line>,
  limit: number,
): AsyncGenerator<Line> {
  for await (const some of batches(lines, Math.min(limit + 1, changesAtOnce))) {
    const identities = some.map(async ({ message }) => {
      const { message_id: id, chat_id, contact_id, is_group, from_me: fromMe } = message
      const names = fromMe ? [] : [...(await vault.namesOf(contact_id))]
      return { id, fromMe, forms: formsOf(is_group ? chat_id : undefined, names) }
    })
    const changes = await messages.changesOf(await Promise.all(identities))
    for (const [at, line] of some.entries()) {
      const message = await transcript.asNow(line.message, changes[at])
      const isSame = message === line.message
      yield isSame ? line : { ...line, message, bytes: Buffer.byteLength(JSON.stringify(message)) }
    }
  }
}

function notItsPage(): ApiError {
  const message = "not from a page of this chat at this bridge: leave it out to begin with the newest"
  return invalid([{ path: "after", message }])
}

/** Makes the test whether a message is of the person and the type, and has the words, that were asked for. */
async function filterOf(
  { vault }: Pick<Memory, "vault">,
  { person, type, words }: Asked,
): Promise<(line: Line) => boolean> {
  const names = person === undefined ? undefined : await vault.namesOf(toJid(person))
  const text = words === undefined ? undefined : folded(words)
  return ({ message }) =>
    (names === undefined || names.has(message.contact_id)) &&
    (type === undefined || message.type === type) &&
    (text === undefined || hasWords(saidIn(message), [text]))
}

/** What people wrote in a message, and its people: neither its id nor the words of our own. */
function saidIn({ event: _event, type: _type, media_type: _kind, edit: _edit, ...said }: Line["message"]) {
  const { message_id: _id, target_id: _target, quoted: _quoted, ...words } = said
  return words
}

/** A message of the transcript in the contract's form. */
export function keptWire({
  event: _event,
  offline: _offline,
  handover: _handover,
  ...message
}: MessageEvent) {
  return message
}

/** The messages in the contract's form. Those that the API sent have their outcome. */
async function withStatus({ store }: Pick<Memory, "store">, found: Line[]): Promise<Message[]> {
  const own = found.flatMap(({ message }) => (message.from_me ? message.message_id : []))
  const sent = new Map((await sentMessages(store, own)).map((each) => [each.messageId, each]))
  return found.map((line) => {
    const message = keptWire(line.message)
    const outcome = sent.get(message.message_id)
    if (!message.from_me || !outcome) return message
    const { status } = outcomeOf({ sent: outcome, fromMe: true })
    return status === "failed" || status === "received" ? message : { ...message, status }
  })
}
