import type { z } from "@hono/zod-openapi"
import type * as contract from "#contract/message.ts"
import { AnswerInBucket } from "#core/files/answer-in-bucket.ts"
import { toJid } from "#core/message/jid.ts"
import { batches } from "#core/platform/batches.ts"
import { changesAtOnce, type Recalled } from "../memory/messages/messages.ts"
import type { Sent } from "../memory/messages/sent.ts"
import type { Memory } from "../session/memory.ts"
import { messageWire, untracked } from "./message-as-json.ts"

type Message = z.input<typeof contract.SentMessage>
type Asked = z.output<typeof contract.listSent.request.query>

/** How many rows are read for one page, since a filter may match few of them. */
const mostRead = 2000

/**
 * A page of the messages that the API has sent, newest first, and the id of its last one if there may be more
 * (Contract, "Remembered messages").
 * @throws ApiError and SessionEnded as `SentList.behind` does
 */
export async function sentPage(
  memory: Pick<Memory, "messages" | "sentList" | "vault" | "statuses">,
  asked: Asked,
): Promise<{ messages: Message[]; next?: string }> {
  const names = asked.chat === undefined ? undefined : await memory.vault.namesOf(toJid(asked.chat))
  const page: Message[] = []
  let [looked, bytes] = [0, 0]
  let last: string | undefined
  for await (const some of batches(memory.sentList.behind(asked.after), changesAtOnce)) {
    const present = await memory.messages.sentNow(some)
    for (const [at, sent] of some.entries()) {
      const isFull = page.length === asked.limit || looked === mostRead
      if (last !== undefined && (isFull || bytes > AnswerInBucket.longestInline.maxBytes / 2))
        return { messages: page, next: last }
      last = sent.messageId
      looked++
      if (names && !names.has(sent.chat)) continue
      const message = await wireOf(memory, sent, present[at]!) // as many as `some`
      bytes += Buffer.byteLength(message.body)
      page.push(message)
    }
  }
  return { messages: page }
}

async function wireOf(
  { vault, statuses }: Pick<Memory, "vault" | "statuses">,
  sent: Sent,
  message: Recalled,
): Promise<Message> {
  const { chat, askedMs = 0, eventsBefore, own = vault.login?.jid ?? "" } = sent
  return {
    ...messageWire({ message, chat: await vault.phoneOf(chat), author: own }),
    ...untracked({ message }, statuses),
    asked_at: Math.floor(askedMs / 1000),
    ...(eventsBefore !== undefined && { events_before: eventsBefore }),
  }
}
