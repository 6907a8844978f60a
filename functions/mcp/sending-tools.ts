import { randomUUID } from "node:crypto"
import type { CallToolResult, InputRequiredResult } from "@modelcontextprotocol/server"
import { z } from "zod"
import { toJid } from "#core/message/jid.ts"
import { isSameSpelt } from "#core/message/spellings.ts"
import { type Api, nameOf, pathOf, Refused } from "../http/own-api.ts"
import { failed, fromService } from "./answer.ts"
import { chat, chatOfMessage, message_id, number } from "./shared-fields.ts"
import { inDetail } from "./short.ts"
import { type ToolContext, tool } from "./tool.ts"
import { hashOf } from "./yes.ts"

const quoted_message_id = z.string().min(1).max(128).optional()
const key = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe("Of an answer that does not know the outcome: asks again, sends nothing twice.")

const sendText = tool({
  name: "send_text",
  description: "Sends a text.",
  input: z.object({ number, chat, body: z.string().min(1).max(4096), quoted_message_id, key }),
  isRead: false,
  run: (input, called) => send("text", input, called),
})

const sendFile = tool({
  name: "send_file",
  description: "Sends the file at a public URL: picture, video, sound or document.",
  input: z.object({
    number,
    chat,
    url: z.url().max(2048),
    caption: z.string().max(1024).optional(),
    filename: z.string().min(1).max(255).optional(),
    quoted_message_id,
    key,
  }),
  isRead: false,
  run: (input, called) => send("media", input, called),
})

const sendPoll = tool({
  name: "send_poll",
  description: "Sends a poll.",
  input: z.object({
    number,
    chat,
    question: z.string().min(1).max(255),
    options: z.array(z.string().min(1).max(100)).min(2).max(12),
    max_answers: z.int().min(1).max(12).optional(),
    key,
  }),
  isRead: false,
  run: (input, called) => send("poll", input, called),
})

const sendReaction = tool({
  name: "send_reaction",
  description: "Reacts to a message; an empty emoji takes that back.",
  input: z.object({ number, message_id, chat: chatOfMessage, emoji: z.string().max(32), key }),
  isRead: false,
  run: async (input, called) => {
    const path = pathOf(called.numberOf(input.number), "proxy", "messages", input.message_id)
    // Where it goes is known before it is sent, and stays so: another message may have the same id.
    const chat = input.chat ?? (await chatIn(called.api, path))
    return await send("reaction", { ...input, chat }, called)
  },
})

const markRead = tool({
  name: "mark_read",
  description: "Tells who wrote a message that it was read.",
  input: z.object({ number, message_id, chat: chatOfMessage }),
  isRead: false,
  run: async ({ message_id, chat, ...input }, { api, numberOf }) => {
    const path = pathOf(numberOf(input.number), "proxy", "messages", message_id, "read")
    return fromService(await api.call("POST", path, { body: { chat } }))
  },
})

export const sendingTools = [sendText, sendFile, sendPoll, sendReaction, markRead]

type Fields = Record<string, string | number | string[] | undefined>

interface Wish {
  number?: string | undefined
  chat: string
  url?: string | undefined
  key?: string | undefined
}

/**
 * Sends, or asks a person first. Every send has an idempotency key. So nothing is sent twice when the agent's
 * program repeats a call, or the agent repeats one whose outcome is unclear.
 * @throws Refused
 */
async function send(
  kind: "text" | "media" | "poll" | "reaction",
  { number: given, key: repeated, ...content }: Wish & Fields,
  called: ToolContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { api, numberOf, ask, yes } = called
  // What a person says yes to is a number, and not what `default` stands for later.
  const name = await nameOf(api, numberOf(given))
  const wish = hashOf([name, kind, content])
  const said = yes.to(wish)
  if (said === false) return failed("The person said no: nothing was sent. Do not try it again.")
  if (repeated !== undefined && !repeated.startsWith(`${wish}.`))
    return failed("This `key` is of another message: leave it out to send a new one.")
  const idempotencyKey = said ?? repeated ?? `${wish}.${randomUUID()}`
  const askPerson = async (read: string[]) =>
    yes.canAsk
      ? await yes.ask(questionOf(name, content, read), { wish, idempotencyKey })
      : failed(nobodyToAsk)
  if (ask !== "never" && said === undefined) {
    const read = await called.readLately()
    if (ask === "all" || mayTellOthers(content, read, called.fileHosts)) return await askPerson(read)
  }

  // A person named the chats of such a key: none of them is anybody new.
  const mayBegin = said !== undefined || ask === "never" || called.isForChats
  const body = {
    ...content,
    // A link can say anything to its host, so no page is fetched for an agent.
    ...(kind === "text" && { link_preview: false }),
    ...(kind !== "reaction" && { new_chat: mayBegin ? "allow" : "refuse" }),
  }
  try {
    const sent = await api.call("POST", pathOf(name, "proxy", "send", kind), { body, idempotencyKey })
    return fromService(inDetail(sent))
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    if (error.body.code === "new_chat") return await askPerson(await called.readLately())
    if (error.body.code !== "send_outcome_unknown") throw error
    return { ...fromService({ ...error.body, key: idempotencyKey }), isError: true }
  }
}

/**
 * Whether a message may tell a person what the agent has read of others: it goes to another chat than the
 * only one that was read, or has a file fetched whose URL may say anything to its host. Whoever names a chat
 * in another form than events do is taken for another one.
 */
function mayTellOthers({ chat, url }: Wish, read: string[], fileHosts: string[]): boolean {
  if (read.some((one) => !isSameSpelt(one, toJid(chat)))) return true
  return read.length > 0 && url !== undefined && !fileHosts.includes(new URL(url).host)
}

/** The chat of the message at this path. @throws Refused */
async function chatIn(api: Api, path: string): Promise<string> {
  const found = (await api.call("GET", path)) as { chat_id: string } // as the contract says
  return found.chat_id
}

/** As many chats are shown to a person. */
const fewChats = 5

/** What a person is asked: all of the message, after where it goes and whose words the agent has read. */
function questionOf(name: string, { chat, ...content }: Wish & Fields, read: string[]): string {
  const shown = read.slice(0, fewChats).map((one) => one.replace(/@s\.whatsapp\.net$/, ""))
  const more = read.length > shown.length ? " and others" : ""
  const facts = [
    `Send this from ${name} to ${chat}?`,
    `The agent has lately read what is said in: ${shown.length === 0 ? "no chat" : shown.join(", ") + more}.`,
  ]
  // Each line of a text is set off, so that none passes for one of ours.
  const fields = Object.entries(content).flatMap(([field, value]) => {
    const lines = [value ?? []].flat().flatMap((part) => String(part).split(/[\n\v\f\r\u0085\u2028\u2029]/))
    return lines.length === 0 ? [] : [`${field}:`, ...lines.map((line) => `  > ${line}`)]
  })
  return [...facts, ...fields].join("\n")
}

const nobodyToAsk =
  "Nothing was sent: a person has to say yes first, and your program cannot ask one. It would begin a chat, or go to another chat " +
  "than the only one that you have read lately, or fetch a file from a host that is not among your key's `file_hosts`. A person can " +
  "send it from the phone themselves, or give you a key for this chat alone. Do not try it again."
