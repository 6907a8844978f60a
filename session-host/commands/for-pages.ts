import { z } from "zod"
import { folded, hasWords } from "#core/event/folded.ts"
import { batches } from "#core/platform/batches.ts"
import type { MessageEvent } from "../chats/transcript.ts"
import { changesAtOnce } from "../memory/messages/messages.ts"
import { type Sent, sentMessages } from "../memory/messages/sent.ts"
import type { Memory } from "../session/memory.ts"
import type { Session } from "../session/session.ts"
import { chatPage } from "./chat-page.ts"
import { command, pageResponse } from "./command.ts"
import { outcomeOf } from "./message-as-json.ts"
import { messagePage } from "./message-page.ts"
import { peopleNamed } from "./names.ts"
import { sentPage, sentWire } from "./sent-page.ts"

/** The longest wait for news, in ms: a session that is handed over waits for its calls. */
const longestWaitMs = 2000
/** How many of each are found. */
const most = { people: 10, sent: 50 }

const count = z.coerce.number().int().min(1).max(1000)
const ms = z.coerce.number().max(longestWaitMs)
const Found = z.object({
  texts: z.string().transform((json) => z.array(z.string()).parse(JSON.parse(json))),
  chat: z.string().optional(),
  within_ms: ms,
})

/**
 * What pages ask beside the contract. They show what was sent in the form of what came, as it was sent: an
 * edit, a revocation and a reaction are messages of their own.
 */
export const forPages = [
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
      const { messages, next } = await sentPage(memory, query, async (some) => await saidOf(memory, some))
      return pageResponse(messages, next)
    },
  ),

  /** What was sent, delivered, read or refused after this time of the session's news; waits for some. */
  command(
    {
      method: "get",
      path: "/said/news",
      request: { query: z.object({ after: z.coerce.number().optional(), wait_ms: ms.default(0) }) },
    },
    async ({ session, query }) => {
      const memory = await session.memory()
      const made = async (id: string) => (await saidOf(memory, await sentMessages(memory.store, [id]))).flat()
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

  /** People and groups of these names or numbers, and what was sent to them or with these words. */
  command({ method: "get", path: "/found", request: { query: Found } }, async ({ session, query }) =>
    Response.json(await found(session, query)),
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

/**
 * The messages as their events would have them, had somebody else sent them, with what became of each; none
 * for what nobody sees.
 */
async function saidOf({ transcript, vault }: Pick<Memory, "transcript" | "vault">, all: Sent[]) {
  return await Promise.all(
    all.map(async (sent) => {
      const message: MessageEvent | undefined = await transcript.saidBy(sent)
      if (!message) return []
      const { event: _event, offline: _offline, ...shown } = message
      const chat_id = await vault.phoneOf(message.chat_id)
      const outcome = outcomeOf({ sent, fromMe: true })
      return [{ ...shown, from_me: true, chat_id, events_before: sent.eventsBefore ?? 0, ...outcome }]
    }),
  )
}

async function found(session: Session, { texts, chat, within_ms }: z.output<typeof Found>) {
  const end = performance.now() + within_ms
  const isOver = () => performance.now() > end
  const people = chat === undefined ? await peopleNamed(session, texts, { most: most.people, isOver }) : []
  // Messages have people's numbers, and not their names in the address book.
  const all = [...texts, ...people.map(({ jid }) => folded(jid))]
  const memory = await session.memory()
  const names = chat === undefined ? undefined : await memory.vault.namesOf(chat)
  const sent: object[] = []
  for await (const some of batches(memory.sentList.behind(undefined), changesAtOnce)) {
    if (isOver()) return { people, sent, isWhole: false }
    if (sent.length >= most.sent) break
    const wanted = await sentWire(
      memory,
      some.filter((one) => !names || names.has(one.chat)),
    )
    for (const one of wanted.flat())
      if (hasWords([one.body, one.chat_id, one.message_id, one.request_id], all)) sent.push(one)
  }
  return { people, sent, isWhole: true }
}
