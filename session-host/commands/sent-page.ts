import type { z } from "@hono/zod-openapi"
import type * as contract from "#contract/message.ts"
import { AnswerInBucket } from "#core/files/answer-in-bucket.ts"
import { toJid } from "#core/message/jid.ts"
import { batches } from "#core/platform/batches.ts"
import { changesAtOnce, type Recalled } from "../memory/messages/messages.ts"
import type { Sent } from "../memory/messages/sent.ts"
import { proto } from "../network/proto.ts"
import type { Memory } from "../session/memory.ts"
import { messageWire, untracked } from "./message-as-json.ts"

type Message = z.input<typeof contract.SentMessage>
export type SentParts = Pick<Memory, "messages" | "sentList" | "vault" | "statuses">

/** How many rows are read for one page, since a filter may match few of them. */
const mostRead = 2000

/**
 * A page of the messages that the API has sent, newest first, and the id of its last one if there may be more
 * (Contract, "Remembered messages").
 * @param make makes the messages of a page; one may become none, or several
 * @throws ApiError and SessionEnded as `SentList.behind` does
 */
export async function sentPage<Shown extends object>(
  memory: Pick<Memory, "sentList" | "vault">,
  asked: { chat?: string | undefined; limit: number; after?: string | undefined },
  make: (some: Sent[]) => Promise<Shown[][]>,
): Promise<{ messages: Shown[]; next?: string }> {
  const names = asked.chat === undefined ? undefined : await memory.vault.namesOf(toJid(asked.chat))
  const page: Shown[] = []
  let [looked, bytes] = [0, 0]
  let last: string | undefined
  for await (const some of batches(memory.sentList.behind(asked.after), changesAtOnce)) {
    const wanted = some.filter(({ chat }) => !names || names.has(chat))
    const made = await make(wanted)
    const shownOf = new Map(wanted.map((sent, at) => [sent, made[at]!])) // as many as `wanted`
    for (const sent of some) {
      const isFull = page.length >= asked.limit || looked === mostRead
      if (last !== undefined && (isFull || bytes > AnswerInBucket.longestInline.maxBytes / 2))
        return { messages: page, next: last }
      last = sent.messageId
      looked++
      const shown = shownOf.get(sent) ?? []
      bytes += Buffer.byteLength(JSON.stringify(shown))
      page.push(...shown)
    }
  }
  return { messages: page }
}

/** The messages in the contract's form, as they are now; none for what only set the timer of a chat. */
export async function sentWire(memory: SentParts, some: Sent[]): Promise<Message[][]> {
  const present = await memory.messages.sentNow(some)
  return await Promise.all(
    some.map(async (sent, at) => {
      const message = present[at]! // as many as `some`
      return isTimer(message.content) ? [] : [await wireOf(memory, sent, message)]
    }),
  )
}

async function wireOf({ vault, statuses }: SentParts, sent: Sent, message: Recalled): Promise<Message> {
  const { chat, askedMs = 0, eventsBefore, own = vault.login?.jid ?? "" } = sent
  return {
    ...messageWire({ message, chat: await vault.phoneOf(chat), author: own }),
    ...untracked({ message }, statuses),
    asked_at: Math.floor(askedMs / 1000),
    ...(eventsBefore !== undefined && { events_before: eventsBefore }),
  }
}

function isTimer({ protocolMessage }: Recalled["content"]): boolean {
  return protocolMessage?.type === proto.Message.ProtocolMessage.Type.EPHEMERAL_SETTING
}
