import { createHash, randomUUID } from "node:crypto"
import type { CallToolResult, InputRequiredResult } from "@modelcontextprotocol/server"
import { z } from "zod"
import { failed, fromService } from "./answer.ts"
import { pathOf, Refused } from "./api.ts"
import { chat, number } from "./shared-fields.ts"
import { type ToolContext, tool } from "./tool.ts"

const quoted_message_id = z.string().min(1).max(128).optional().describe("The message that this one answers.")
const key = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe("`key` of an answer that said that the outcome is unknown: asks again without sending twice.")

const sendText = tool({
  name: "send_text",
  title: "Send a text",
  description: "Sends a text to a person or a group.",
  input: z.object({ number, chat, body: z.string().min(1).max(4096), quoted_message_id, key }),
  isRead: false,
  run: (input, called) => send("text", input, called, `Send to ${input.chat}:\n\n${input.body}`),
})

const sendFile = tool({
  name: "send_file",
  title: "Send a file",
  description: "Sends an image, a video, a sound or a document that is at a public URL.",
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
  run: (input, called) =>
    send("media", input, called, `Send the file ${input.url} to ${input.chat}?\n\n${input.caption ?? ""}`),
})

const sendPoll = tool({
  name: "send_poll",
  title: "Send a poll",
  description: "Asks a person or a group, with options to choose from.",
  input: z.object({
    number,
    chat,
    question: z.string().min(1).max(255),
    options: z.array(z.string().min(1).max(100)).min(2).max(12),
    max_answers: z.int().min(1).max(12).optional(),
    key,
  }),
  isRead: false,
  run: (input, called) =>
    send("poll", input, called, `Ask ${input.chat}: ${input.question}\n\n${input.options.join("\n")}`),
})

const sendReaction = tool({
  name: "send_reaction",
  title: "React to a message",
  description: "Reacts to a message with an emoji; an empty one takes the reaction back.",
  input: z.object({ number, message_id: z.string().min(1).max(128), emoji: z.string().max(32), key }),
  isRead: false,
  run: (input, called) => send("reaction", input, called, `React with ${input.emoji} to a message?`),
})

const markRead = tool({
  name: "mark_read",
  title: "Mark a message as read",
  description: "Tells the writer of a message that it was read.",
  input: z.object({ number, message_id: z.string().min(1).max(128) }),
  isRead: false,
  run: async (input, { api, numberOf }) =>
    fromService(
      await api.call("POST", pathOf(numberOf(input.number), "proxy", "messages", input.message_id, "read")),
    ),
})

export const sendingTools = [sendText, sendFile, sendPoll, sendReaction, markRead]

interface Wish {
  number?: string | undefined
  chat?: string | undefined
  key?: string | undefined
}

/**
 * Sends, or asks a person first. Every send has an idempotency key. So nothing is sent twice when the agent's program
 * repeats a call, or the agent repeats one whose outcome is unclear.
 * @throws Refused
 */
async function send(
  kind: string,
  { number: given, key: repeated, ...content }: Wish & Record<string, unknown>,
  { api, numberOf, ask, yes }: ToolContext,
  question: string,
): Promise<CallToolResult | InputRequiredResult> {
  const name = numberOf(given)
  const wish = hashOf([name, kind, content])
  const said = yes.to(wish)
  if (said === false) return failed("The person said no: nothing was sent. Do not try it again.")
  if (repeated !== undefined && !repeated.startsWith(`${wish}.`))
    return failed("This `key` is of another message: leave it out to send a new one.")
  const idempotencyKey = said ?? repeated ?? `${wish}.${randomUUID()}`
  const askPerson = async () =>
    yes.canAsk ? await yes.ask(`From ${name}: ${question}`, { wish, idempotencyKey }) : failed(nobodyToAsk)
  if (ask === "all" && !said) return await askPerson()

  const mayBegin = said !== undefined || ask === "never"
  const body = { ...content, ...("chat" in content && { new_chat: mayBegin ? "allow" : "refuse" }) }
  try {
    const sent = await api.call("POST", pathOf(name, "proxy", "send", kind), { body, idempotencyKey })
    return fromService(sent)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    if (error.body.code === "new_chat") return await askPerson()
    if (error.body.code !== "send_outcome_unknown") throw error
    return { ...fromService({ ...error.body, key: idempotencyKey }), isError: true }
  }
}

const nobodyToAsk =
  "Nothing was sent: a person has to say yes first, and your program cannot ask one. They can send it from the phone " +
  "themselves, and you can answer once somebody has written back; or they can put `?ask=never` behind the address of this server in the program's settings. Do not try it again."

function hashOf(wish: unknown): string {
  return createHash("sha256").update(JSON.stringify(wish)).digest("base64url")
}
