import { Hono } from "hono"
import { html } from "hono/html"
import { z } from "zod"
import { Chat, KeptMessage } from "#contract/chat.ts"
import { ChatId } from "#contract/field-types.ts"
import { ApiError } from "#core/error.ts"
import { numberPage, toQuery } from "../answer.ts"
import { copyable, empty, type Html, nextPage } from "../elements.ts"
import { wordsOf } from "../events/message-words.ts"
import type { DashboardEnv } from "../guard.ts"
import { notShown, type SessionAnswer, askSession, phoneOrJid } from "../numbers/session-answer.ts"
import { ago } from "../times.ts"

const perPage = 50
/** How long a page waits for the session, ms. */
const patienceMs = 900

type ChatInfo = z.infer<typeof Chat>
type Kept = z.infer<typeof KeptMessage>

/** The chats of a number as its phone has them, and the messages of each that are kept. */
export const chats = new Hono<DashboardEnv>()
  .get("/numbers/:ref/chats", async (c) => {
    const ref = c.var.bridge.customerRef
    const { after } = c.req.query()
    const path = `/chats?${toQuery({ limit: perPage, after })}`
    const said = await askSession(c, path, z.array(Chat), patienceMs)
    const body = said.problem === undefined ? listOf(ref, said) : unkept(ref, "The chats are", said)
    return await numberPage(c, "chats", { title: `Chats of ${ref}`, body })
  })
  .get("/numbers/:ref/chats/:chat", async (c) => {
    const ref = c.var.bridge.customerRef
    const chat = c.req.param("chat")
    if (!ChatId.safeParse(chat).success) throw new ApiError("not_found")
    const { after } = c.req.query()
    const path = `/chats/${encodeURIComponent(chat)}/messages?${toQuery({ limit: perPage, after })}`
    const said = await askSession(c, path, z.array(KeptMessage), patienceMs)
    const body =
      said.problem === undefined ? messagesOf(ref, chat, said) : unkept(ref, "The messages are", said)
    return await numberPage(c, "chats", { title: `Chat of ${ref}`, body })
  })

function unkept(
  ref: string,
  what: string,
  { problem, code }: { problem: string; code?: string | undefined },
): Html {
  if (code === "not_kept")
    return empty({
      isCard: true,
      icon: "inbox",
      title: "Chats are not kept",
      about:
        "Choose for how many days this number keeps its messages. Until then, Messages shows what came and went.",
      action: html`<div class="row">
        <a class="button main" href="/numbers/${ref}/settings">Choose in the settings</a>
        <a class="button" href="/numbers/${ref}/messages">See messages</a>
      </div>`,
    })
  return html`${notShown(what, problem)}
    <p class="small">
      Chats have the messages that are kept: for how many days is chosen in the
      <a href="/numbers/${ref}/settings">settings</a>. Without that,
      <a href="/numbers/${ref}/messages">Messages</a> has what came and went.
    </p>`
}

function listOf(
  ref: string,
  { value = [], next }: SessionAnswer<ChatInfo[]> & { next?: string | undefined },
): Html {
  const at = `/numbers/${ref}/chats`
  return html`<section class="card flush" aria-label="Chats">
      ${value.length === 0 ? nothing("No chat yet", "Each chat appears here with its first message.") : ""}
      <ul class="feed">
        ${value.map((chat) => chatItem(at, chat))}
      </ul>
    </section>
    ${nextPage(next && `${at}?${toQuery({ after: next })}`, "Further chats")}`
}

function chatItem(at: string, chat: ChatInfo): Html {
  const marks = [
    chat.is_group && "group",
    chat.pinned && "pinned",
    chat.archived && "archived",
    chat.muted && "muted",
  ].filter((mark) => mark !== false)
  return html`<li class="line">
    ${chat.unread > 0 || chat.marked_unread ? html`<span class="state warn">${chat.unread || "marked"} unread</span>` : ""}
    <div class="about whole">
      <a class="strong" href="${at}/${encodeURIComponent(chat.chat_id)}"
        ><bdi>${chat.name || phoneOrJid(chat.chat_id)}</bdi></a
      >
      ${marks.map((mark) => html`<span class="tag">${mark}</span>`)}
      ${chat.name === "" ? "" : html`<div class="small muted">${phoneOrJid(chat.chat_id)}</div>`}
    </div>
    <span class="small muted">${chat.last_message_at === 0 ? "" : ago(chat.last_message_at * 1000)}</span>
  </li>`
}

function messagesOf(
  ref: string,
  chat: string,
  { value = [], next }: SessionAnswer<Kept[]> & { next?: string | undefined },
): Html {
  const at = `/numbers/${ref}/chats/${encodeURIComponent(chat)}`
  return html`<section class="card flush" aria-label="Messages">
      <header>
        <h2><bdi>${phoneOrJid(chat)}</bdi></h2>
        <p><a href="/numbers/${ref}/chats">All chats</a></p>
      </header>
      ${value.length === 0 ? nothing("No message is kept", "Each message of this chat appears here.") : ""}
      <ul class="feed">
        ${value.map(messageItem)}
      </ul>
    </section>
    ${nextPage(next && `${at}?${toQuery({ after: next })}`, "Earlier messages")}`
}

function messageItem(message: Kept): Html {
  const who = message.from_me ? "This number" : message.name || phoneOrJid(message.contact_id)
  return html`<li class="line">
    ${message.status === undefined ? "" : html`<span class="state">${message.status}</span>`}
    <div class="about whole">
      <p>
        <b><bdi>${who}</bdi></b
        >: <bdi>${wordsOf(message)}</bdi>
      </p>
      <div class="small muted row">${copyable(message.message_id)}</div>
    </div>
    <span class="small muted">${ago(message.timestamp * 1000)}</span>
  </li>`
}

function nothing(title: string, about: string): Html {
  return empty({ icon: "inbox", title, about })
}
