import type { Context } from "hono"
import { Hono } from "hono"
import { html } from "hono/html"
import { ChatId } from "#contract/field-types.ts"
import { SendResult } from "#contract/message.ts"
import { inlineBytes } from "#contract/send.ts"
import { ApiError } from "#core/error.ts"
import { Uploads } from "#core/files/uploads.ts"
import { toJid } from "#core/message/jid.ts"
import { newMessageId } from "#core/message/message-id.ts"
import { nowMs } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"
import { sendOnce } from "#functions/api/proxy-routes.ts"
import { numberPage } from "../answer.ts"
import { sentenceOf } from "../api-words.ts"
import { note } from "../elements.ts"
import { textsOf, typedIn } from "../form.ts"
import type { DashboardEnv } from "../guard.ts"
import { tellSession } from "../numbers/session-answer.ts"
import { pathOfChat } from "./chat-name.ts"
import { chatsPage } from "./chats-page.ts"

/** The largest file that is sent from a page: that of pictures, sounds and films. */
export const largestFile = 16_000_000

/** Whether a form has the key of its page, under which what it sends is sent once. */
export function isKey(text: string): boolean {
  return /^[\w-]{8,64}$/.test(text)
}

/** What a person does in a chat. Viewers may not: `inAccount` refuses every form of theirs. */
export const answering = new Hono<DashboardEnv>()
  .post("/numbers/:ref/chats/:chat/answer", async (c) => {
    const chat = chatIn(c)
    const form = await c.req.parseBody()
    const fields = textsOf(form, "key", "number", "read", "quote", "text", "voice")
    const typed = { ...fields, file: fileIn(form.file) }
    const isScript = c.req.header("accept") === "application/json"
    try {
      if (typed.text.trim() === "" && !typed.file)
        throw new ApiError("invalid_request", "write something first")
      const messageId = await answer(c, chat, typed)
      return isScript ? c.json({ message_id: messageId }) : c.redirect(pathOf(c, chat), 303)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const again = mayBeLater(error)
      if (isScript) return c.json({ error: sentenceOf(error), again }, error.status)
      const sentence = html`Not sent: ${sentenceOf(error)}
      ${again ? "Press Send again: it is sent once." : ""}`
      const thread = { notice: note("bad", sentence), unsent: typed, quote: typed.quote }
      const body = await chatsPage(c, { open: toJid(chat), thread })
      return await numberPage(c, "chats", { title: "Not sent", body, status: error.status })
    }
  })
  .post("/numbers/:ref/chats/:chat/react", async (c) => {
    const { react } = await typedIn(c, "react")
    const [, message_id = "", emoji = ""] = /^(.+) (\S*)$/.exec(react) ?? []
    const chat = chatIn(c)
    const body = { chat, message_id, emoji }
    await tellSession(c, "POST", "/send/reaction", { body, messageId: newMessageId() })
    return c.redirect(pathOf(c, chat), 303)
  })
  .post("/numbers/:ref/chats/:chat/read", async (c) => {
    const { id } = await typedIn(c, "id")
    const chat = chatIn(c)
    await tellSession(c, "POST", `/messages/${encodeURIComponent(id)}/read`, { body: { chat } })
    return c.redirect(pathOf(c, chat), 303)
  })
  .post("/numbers/:ref/chats/:chat/handover", async (c) => {
    const { seconds } = await typedIn(c, "seconds")
    const chat = chatIn(c)
    await handOver(c, chat, seconds === "" ? {} : { seconds: Number(seconds) })
    return c.redirect(pathOf(c, chat), 303)
  })

function pathOf(c: Context<DashboardEnv>, chat: string): string {
  return pathOfChat(c.var.bridge.customerRef, chat)
}

/** The chat of a path. @throws ApiError `not_found` */
export function chatIn(c: Context<DashboardEnv>): string {
  const chat = c.req.param("chat") ?? ""
  if (!ChatId.safeParse(chat).success) throw new ApiError("not_found")
  return chat
}

function fileIn(given: unknown): File | undefined {
  return given instanceof File && given.size > 0 ? given : undefined
}

interface Typed {
  key: string
  /** The id of the number that was on the page. */
  number: string
  read: string
  quote: string
  text: string
  voice: string
  file: File | undefined
}

/**
 * Hands the chat over to the person who answers, then sends the answer under the page's key: a second click,
 * a retry and a page that is loaded again send it once.
 * @returns the message's id
 */
async function answer(c: Context<DashboardEnv>, chat: string, typed: Typed): Promise<string> {
  const { bridge, requestId } = c.var
  // In another tab the person may have turned to an account with a number of the same name.
  if (!isKey(typed.key) || typed.number !== bridge.id)
    throw new ApiError("invalid_request", "open the chat again, and send it from there")
  await handOver(c, chat, {})
  const common = {
    chat,
    ...(typed.quote !== "" && { quoted_message_id: typed.quote }),
    ...(typed.read !== "" && { read: typed.read }),
  }
  const { path, body } = typed.file
    ? { path: "/send/media", body: { ...common, ...(await fileOf(c, typed, typed.file)) } }
    : { path: "/send/text", body: { ...common, body: typed.text.trim() } }
  const sending = {
    method: "POST",
    path,
    bridgeId: bridge.id,
    requestId,
    body: JSON.stringify(body),
  } as const
  const sent = await sendOnce(bridge, sending, `dashboard ${typed.key}`)
  // As where a browser goes back to a page without script. A file is stored under a new name each time.
  if (!typed.file && sent.headers["x-idempotency-mismatch"] === "true")
    throw new ApiError(
      "invalid_request",
      "another answer was sent from this page: open the chat again, and send it from there",
    )
  return SendResult.parse(JSON.parse(Buffer.from(sent.body).toString())).message_id
}

/** The fields of a send that say where its file is, and how it is sent. */
async function fileOf(c: Context<DashboardEnv>, { text, voice }: Typed, file: File): Promise<object> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  const content_type = file.type.split(";")[0] || "application/octet-stream"
  const isVoice = voice !== ""
  const about = {
    ...(text.trim() !== "" && !isVoice && { caption: text.trim() }),
    ...(isVoice ? { as_voice: true } : {}),
  }
  if (bytes.length <= inlineBytes)
    return {
      ...about,
      ...(!isVoice && { filename: file.name.slice(0, 255) }),
      data: Buffer.from(bytes).toString("base64"),
      content_type,
    }
  const upload = Uploads.withNewId({
    bridgeId: c.var.bridge.id,
    contentType: content_type,
    fileName: file.name,
    size: bytes.length,
  })
  if (config.STORAGE_DIR) await Uploads.store(upload, bytes.length, once(bytes))
  else await toBucket(upload, bytes)
  return { ...about, file: upload.file }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

async function toBucket(upload: Uploads.Info, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const { url, fields } = await Uploads.formFor(upload, new Date(nowMs() + 60_000))
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append("file", new Blob([bytes]))
  const answer = await fetch(url, { method: "POST", body: form })
  if (!answer.ok) throw new ApiError("session_unavailable", "the file was not stored: try again")
}

async function handOver(c: Context<DashboardEnv>, chat: string, body: object): Promise<void> {
  await tellSession(c, "PUT", `/chats/${encodeURIComponent(chat)}/handover`, { body })
}

/** Whether an answer that was refused may be sent when it is tried again: it waits in the page until then. */
function mayBeLater({ code }: ApiError): boolean {
  return ["session_unavailable", "send_outcome_unknown", "idempotency_conflict", "rate_limited"].includes(
    code,
  )
}
