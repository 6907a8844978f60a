import { setTimeout as sleep } from "node:timers/promises"
import { z } from "zod"
import { isLid, isUsername } from "#core/message/jid.ts"
import { now } from "#core/platform/clock.ts"
import { fromService } from "./answer.ts"
import { type Api, pathOf, Refused } from "./api.ts"
import { chat, chatOfMessage, count, message_id, number } from "./shared-fields.ts"
import { tool } from "./tool.ts"

/** A wait looks for news so often, ms. */
const lookEachMs = 2500

const after = z.string().max(256).optional().describe("`next` of the answer before: goes on where it ended.")

const listNumbers = tool({
  name: "list_numbers",
  title: "List the numbers",
  description: "The numbers (bridges) of the account: their names, phone numbers and states.",
  input: z.object({}),
  isRead: true,
  run: async (_input, { api }) => fromService(await api.call("GET", "/api/instances")),
})

const numberStatus = tool({
  name: "number_status",
  title: "Is a number up, and if not, why?",
  description:
    "The state of a number: whether its phone is linked and connected, since when it is not, and what to do.",
  input: z.object({ number }),
  isRead: true,
  run: async (input, { api, numberOf }) => {
    const name = numberOf(input.number)
    const about = (await api.call("GET", pathOf(name))) as object
    // Whoever misleads an agent could send events of their own with either.
    const bridge = { ...about, webhook_secret: undefined, webhook_url: undefined }
    const session = await api.call("GET", pathOf(name, "proxy", "status")).catch(refusal)
    return fromService({ bridge, session })
  },
})

const findPerson = tool({
  name: "find_person",
  title: "Find a person",
  description:
    "People whom the number knows, by a part of their name or phone number. A whole phone number is also looked up on the network.",
  input: z.object({ number, search: z.string().min(2).max(100) }),
  isRead: true,
  run: async ({ search, ...input }, { api, numberOf, show }) => {
    const name = numberOf(input.number)
    const known = (await everyContact(api, name)).filter((contact) => has(contact, search)).slice(0, 20)
    const phone = search.replaceAll(/[\s()+-]/g, "")
    if (!/^\d{7,15}$/.test(phone)) return await show({ items: known })
    const looked = await api.call("GET", pathOf(name, "proxy", "contacts", phone)).catch(refusal)
    const isFound = typeof looked === "object" && looked !== null && "jid" in looked
    return await show(isFound ? { items: [looked, ...known] } : { items: known, beside: { looked } })
  },
})

const listChats = tool({
  name: "list_chats",
  title: "List the chats",
  description:
    "The chats of a number, the one with the latest message first. The number has to keep its messages.",
  input: z.object({ number, limit: count(50), after }),
  isRead: true,
  run: async ({ limit, after: from, ...input }, { api, numberOf, show }) => {
    const query = { limit, after: from }
    const { body, next } = await api.page("GET", pathOf(numberOf(input.number), "proxy", "chats"), { query })
    return await show({ items: body as unknown[], beside: { next } })
  },
})

const readChat = tool({
  name: "read_chat",
  title: "Read a chat",
  description:
    "The messages of a chat, newest first. If the number keeps no messages, only what came in during the last days.",
  input: z.object({ number, chat, limit: count(30), after }),
  isRead: true,
  run: async ({ limit, after: from, ...input }, { api, numberOf, show }) => {
    const name = numberOf(input.number)
    const query = { limit, after: from }
    const path = pathOf(name, "proxy", "chats", input.chat, "messages")
    const kept = await api.page("GET", path, { query }).catch(unlessNotKept)
    const found =
      kept ??
      (await messageEvents(api, name, {
        ...query,
        chat: await chatIdOf(api, name, input.chat),
        order: "newest",
      }))
    return await show({ items: found.body as unknown[], beside: { next: found.next } })
  },
})

const waitForMessage = tool({
  name: "wait_for_message",
  title: "Wait for a message",
  description:
    "Waits until somebody writes to the number, or in one chat, for at most 25 seconds. To go on waiting, call it again with `after`, or with `since` if nobody has written.",
  input: z
    .object({
      number,
      chat: chat.optional(),
      seconds: z.int().min(1).max(25).default(20),
      after: z.string().max(64).optional().describe("The `event_id` of the last message that you have seen."),
      since: z
        .int()
        .min(0)
        .max(9_999_999_999)
        .optional()
        .describe("`since` of the answer before, Unix seconds."),
    })
    .refine(({ after: seen, since }) => seen === undefined || since === undefined, {
      path: ["since"],
      message: "leave it out: `after` says where to go on",
    }),
  isRead: true,
  run: async ({ seconds, after: seen, since = now(), ...input }, { api, numberOf, show, signal }) => {
    const name = numberOf(input.number)
    const until = performance.now() + seconds * 1000
    const chat = input.chat && (await chatIdOf(api, name, input.chat))
    const query = { chat, direction: "in", limit: 20, ...(seen ? { after: seen } : { since }) }
    for (;;) {
      const { body } = await messageEvents(api, name, query)
      const items = body as unknown[]
      if (items.length > 0) return await show({ items })
      const leftMs = until - performance.now()
      if (leftMs <= 0)
        return fromService({ note: "nobody has written", ...(seen ? { after: seen } : { since }) })
      await sleep(Math.min(lookEachMs, leftMs), undefined, { signal })
    }
  },
})

const messageStatus = tool({
  name: "message_status",
  title: "What became of a message",
  description: "Whether a message that was sent has arrived and been read.",
  input: z.object({ number, message_id, chat: chatOfMessage }),
  isRead: true,
  run: async ({ message_id, chat, ...input }, { api, numberOf, show }) => {
    const path = pathOf(numberOf(input.number), "proxy", "messages", message_id)
    return await show({ items: [await api.call("GET", path, { query: { chat } })] })
  },
})

const listGroups = tool({
  name: "list_groups",
  title: "List the groups",
  description: "The groups that the number is in.",
  input: z.object({ number, limit: count(50), after }),
  isRead: true,
  run: async ({ limit, after: from, ...input }, { api, numberOf, show }) => {
    const query = { limit, after: from }
    const path = pathOf(numberOf(input.number), "proxy", "groups")
    const items = (await api.call("GET", path, { query })) as { jid: string }[]
    return await show({ items, beside: { next: items.length === limit ? items.at(-1)?.jid : undefined } })
  },
})

export const readingTools = [
  listNumbers,
  numberStatus,
  findPerson,
  listChats,
  readChat,
  waitForMessage,
  messageStatus,
  listGroups,
]

type Query = Record<string, string | number | undefined>

async function messageEvents(api: Api, name: string, query: Query) {
  return await api.page("GET", pathOf(name, "events"), { query: { type: "message", ...query } })
}

/**
 * A chat as events name it: a person by their phone number where it is known.
 * @throws Refused where no contact has the address
 */
async function chatIdOf(api: Api, name: string, chat: string): Promise<string> {
  if (!isLid(chat) && !isUsername(chat)) return chat
  const { jid } = (await api.call("GET", pathOf(name, "proxy", "contacts", chat))) as { jid: string }
  return jid
}

/** All contacts of a number, 10,000 at most. */
async function everyContact(api: Api, name: string): Promise<object[]> {
  const limit = 1000
  const all: { jid: string }[] = []
  for (let page = 0; page < 10; page++) {
    const query = { limit, after: all.at(-1)?.jid }
    const found = (await api.call("GET", pathOf(name, "proxy", "contacts"), { query })) as { jid: string }[]
    all.push(...found)
    if (found.length < limit) break
  }
  return all
}

function has(contact: object, search: string): boolean {
  const sought = search.toLowerCase()
  return Object.values(contact).some(
    (value) => typeof value === "string" && value.toLowerCase().includes(sought),
  )
}

/** A refusal is part of what an agent wants to know. */
function refusal(error: unknown): unknown {
  if (error instanceof Refused) return error.body
  throw error
}

function unlessNotKept(error: unknown): undefined {
  if (error instanceof Refused && error.body.code === "not_kept") return undefined
  throw error
}
