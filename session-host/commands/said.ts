import { z } from "zod"
import { AnswerInBucket } from "#core/files/answer-in-bucket.ts"
import { toJid } from "#core/message/jid.ts"
import type { MessageEvent } from "../chats/transcript.ts"
import { type Sent, sentMessages } from "../memory/messages/sent.ts"
import type { Memory } from "../session/memory.ts"
import type { Session } from "../session/session.ts"
import { chatPage } from "./chat-page.ts"
import { command, pageResponse } from "./command.ts"
import { outcomeOf } from "./message-as-json.ts"
import { messagePage } from "./message-page.ts"

type Parts = Pick<Memory, "sentList" | "store" | "transcript" | "vault">

/** How many rows are read for one page, since a filter may match few of them. */
const mostRead = 2000
/** The longest wait for news, in ms: a session that is handed over waits for its calls. */
const longestWaitMs = 2000

const count = z.coerce.number().int().min(1).max(1000)

/**
 * What pages ask beside the contract: they show what was sent in the form of what came, as it was sent. An
 * edit, a revocation and a reaction are messages of their own.
 */
export const said = [
  /** What the API has sent, newest first. */
  command(
    {
      method: "get",
      path: "/said",
      request: {
        query: z.object({ chat: z.string().optional(), limit: count, after: z.string().optional() }),
      },
    },
    async ({ session, query }) => {
      const memory = await session.memory()
      const { messages, next } = await saidPage(memory, query)
      return pageResponse(messages, next)
    },
  ),

  /** What was sent, delivered, read or refused after this time of the session's news; waits for some. */
  command(
    {
      method: "get",
      path: "/said/news",
      request: {
        query: z.object({
          after: z.coerce.number().optional(),
          wait_ms: z.coerce.number().max(longestWaitMs).default(0),
        }),
      },
    },
    async ({ session, query }) => {
      const memory = await session.memory()
      const made = async (id: string) => await saidOf(memory, await sentMessages(memory.store, [id]))
      const { at, changed } = await memory.sentNews.next(query.after, query.wait_ms, made)
      return pageResponse(changed, String(at))
    },
  ),

  /** A page of the chats that are kept, each with its last message. */
  command(
    {
      method: "get",
      path: "/chats-with-last",
      request: { query: z.object({ limit: count, after: z.string().optional() }) },
    },
    async ({ session, query }) => {
      await (await session.linking()).paired()
      const { chats, next } = await chatPage(session, query)
      return pageResponse(await withLast(session, chats), next)
    },
  ),
]

async function withLast(session: Session, chats: { chat_id: string }[]): Promise<object[]> {
  const memory = await session.memory()
  return await Promise.all(
    chats.map(async (chat) => {
      const { messages } = await messagePage(memory, { chat: chat.chat_id, limit: 1 })
      return { ...chat, last: messages[0] }
    }),
  )
}

async function saidPage(
  memory: Parts,
  asked: { chat?: string | undefined; limit: number; after?: string | undefined },
): Promise<{ messages: object[]; next?: string }> {
  const names = asked.chat === undefined ? undefined : await memory.vault.namesOf(toJid(asked.chat))
  const page: object[] = []
  let [looked, bytes] = [0, 0]
  let last: string | undefined
  for await (const sent of memory.sentList.behind(asked.after)) {
    const isFull = page.length >= asked.limit || looked === mostRead
    if (last !== undefined && (isFull || bytes > AnswerInBucket.longestInline.maxBytes / 2))
      return { messages: page, next: last }
    last = sent.messageId
    looked++
    if (names && !names.has(sent.chat)) continue
    bytes += sent.message.length
    page.push(...(await saidOf(memory, [sent])))
  }
  return { messages: page }
}

/** The messages as their events would have them, had somebody else sent them, with what became of each. */
async function saidOf({ transcript, vault }: Parts, all: Sent[]): Promise<object[]> {
  const said = all.map(async (sent) => {
    const message: MessageEvent | undefined = await transcript.saidBy(sent)
    if (!message) return []
    const { event: _event, offline: _offline, ...shown } = message
    const outcome = outcomeOf({ sent, fromMe: true })
    return [{ ...shown, from_me: true, chat_id: await vault.phoneOf(message.chat_id), ...outcome }]
  })
  return (await Promise.all(said)).flat()
}
