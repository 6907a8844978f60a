import { randomUUID } from "node:crypto"
import type { Context } from "hono"
import { html } from "hono/html"
import { z } from "zod"
import { Choice } from "#core/bridge/choice.ts"
import { Lease } from "#core/lease/lease.ts"
import { isGroup } from "#core/message/jid.ts"
import { now } from "#core/platform/clock.ts"
import { toQuery } from "../answer.ts"
import { asSentence } from "../api-words.ts"
import { chatScript } from "../assets.ts"
import { empty, type Html, icon, note } from "../elements.ts"
import { wordsOf } from "../events/message-words.ts"
import type { DashboardEnv } from "../guard.ts"
import { askSession } from "../numbers/session-answer.ts"
import { until } from "../times.ts"
import { bubble, type Chat } from "./bubble.ts"
import { namesOf, numberOf, pathOfChat } from "./chat-name.ts"
import { folded, type Part, partOf, patienceMs, type Said } from "./said.ts"

/** Where a chat's page begins, and what it says beside its messages. */
export interface Asked {
  /** `next` of the part behind this one. */
  before?: string | undefined
  /** Only messages before this time, Unix seconds: of those that are kept. */
  until?: number | undefined
  /** The message that is answered. */
  quote?: string | undefined
  notice?: Html | undefined
  /** Where the newest part goes on. */
  stream?: string
  /** An answer that was not sent: its words, and its key, under which it is tried again. */
  unsent?: { text: string; key: string } | undefined
}

/** What a chat needs to show its messages. */
export async function chatOf(c: Context<DashboardEnv>, jid: string, people: Iterable<string>): Promise<Chat> {
  return {
    at: pathOfChat(c.var.bridge.customerRef, jid),
    ref: c.var.bridge.customerRef,
    isGroup: isGroup(jid),
    mayAnswer: c.var.me.mayChange,
    nameOf: await namesOf(c, [jid, ...people]),
  }
}

/** The people in messages. */
export function peopleIn(said: Said[]): string[] {
  return said.flatMap(({ from_me, contact_id, quoted }) => [
    from_me ? "" : contact_id,
    quoted?.contact_id ?? "",
  ])
}

/** A chat: its messages, oldest above, and the field to answer. */
export async function thread(c: Context<DashboardEnv>, jid: string, asked: Asked): Promise<Html> {
  const [part, handover, lease] = await Promise.all([
    partOf(c, jid, asked),
    handoverOf(c, jid),
    Lease.get(c.var.bridge.id),
  ])
  const isTracked = lease !== undefined && Choice.followsStatuses(lease.choice, jid)
  const chat = await chatOf(c, jid, [...peopleIn(part.said), ...part.votes.map(({ who }) => who.jid)])
  const shown = folded(part.said)
  const isLatest = asked.before === undefined && asked.until === undefined
  const earlier = part.next && `${chat.at}?${toQuery({ before: part.next })}`
  const name = chat.nameOf(jid, shown.find(({ from_me, is_group }) => !from_me && !is_group)?.name)
  return html`<section class="thread card flush" aria-label="Chat with ${name}">
    ${head(c, { chat, jid, name, handover, unread: lastOfOthers(part.said), isTracked })}
    <div
      class="messages"
      tabindex="0"
      role="region"
      aria-label="Messages"
      ${isLatest && asked.stream ? html`data-stream="${asked.stream}"` : ""}
    >
      <div>
        ${earlier ? html`<p class="earlier"><a class="button slim" href="${earlier}" data-earlier>Earlier messages</a></p>` : html`<p class="earlier small muted">${beginning(part)}</p>`}
        ${shown.length === 0 ? nothing(part) : ""}
        <ol class="chat-lines" id="messages">
          ${shown.map((one) =>
            bubble(
              one,
              chat,
              part.votes.filter(({ about }) => about === one.message_id),
            ),
          )}
        </ol>
        ${isLatest ? "" : html`<p class="earlier"><a class="button slim" href="${chat.at}">Latest messages</a></p>`}
      </div>
    </div>
    ${part.problem ? note("warn", asSentence(part.problem)) : ""} ${asked.notice ?? ""}
    ${foot({ chat, number: c.var.bridge.id, shown, asked, isLatest })}
  </section>`
}

function lastOfOthers(said: Said[]): string {
  return said.find(({ from_me, reaction }) => !from_me && !reaction)?.message_id ?? ""
}

function beginning({ isKept }: Part): string {
  return isKept
    ? "Nothing earlier is kept of this chat."
    : "Nothing earlier: this number keeps its messages for some days only."
}

function nothing({ next }: Part): Html {
  if (next !== undefined)
    return empty({
      icon: "inbox",
      title: "Not yet",
      about: "None among the latest that were looked at: look further back.",
    })
  const about = "What you write comes first."
  return empty({ id: "messages-empty", icon: "inbox", title: "No message yet", about })
}

const Handovers = z.array(z.object({ until: z.number() }))

/** Until when a person answers in a chat, Unix seconds; 0: the program does. */
export async function handoverOf(c: Context<DashboardEnv>, jid: string): Promise<number> {
  const { value } = await askSession(c, `/handovers?${toQuery({ chat: jid })}`, Handovers, patienceMs)
  return value?.[0]?.until ?? 0
}

function head(
  c: Context<DashboardEnv>,
  input: {
    chat: Chat
    jid: string
    name: string
    handover: number
    unread: string
    isTracked: boolean
  },
): Html {
  const { chat, jid, name } = input
  const number = numberOf(jid)
  const all = `/numbers/${c.var.bridge.customerRef}/chats`
  return html`<header>
    <a class="back" href="${all}" aria-label="All chats">${icon("down")}</a>
    <div class="about">
      <h2><bdi>${name}</bdi></h2>
      ${name === number ? "" : html`<p class="small muted">${number}</p>`}
    </div>
    ${who(chat, input.handover)}
    <details class="more">
      <summary class="button slim" aria-label="More of this chat">⋯</summary>
      <div>
        <form method="get" action="/where" role="search">
          <input type="hidden" name="number" value="${chat.ref}" />
          <input type="hidden" name="chat" value="${jid}" />
          <label for="find">Search in this chat</label>
          <input id="find" type="search" name="q" maxlength="1000" />
          <button class="button slim">Search</button>
        </form>
        <p><a class="button slim" href="${chat.at}/about">Name, labels, older messages</a></p>
        ${
          chat.mayAnswer && input.unread !== ""
            ? html`<form method="post" action="${chat.at}/read">
                <input type="hidden" name="id" value="${input.unread}" />
                <button class="button slim">Mark as read</button>
                <p class="small muted">Who wrote sees that it was read.</p>
              </form>`
            : ""
        }
        ${
          chat.mayAnswer && !input.isTracked
            ? html`<p class="small muted">
                Whether answers were delivered and read is not recorded.
                <a href="/numbers/${c.var.bridge.customerRef}/settings">Choose it in the settings</a>
              </p>`
            : ""
        }
      </div>
    </details>
  </header>`
}

/** Who answers in a chat, and how to change that. The stream renews it. */
export function who({ at, mayAnswer }: Chat, handover: number): Html {
  const isPerson = handover > now()
  const sentence = isPerson
    ? html`You answer, for ${until(handover * 1000)} more: a program here is told so.`
    : "Once you answer, a program here is told to be silent for 4 hours."
  const button = isPerson
    ? html`<button class="button slim" name="seconds" value="0">My program answers</button>`
    : html`<button class="button slim" name="seconds" value="">I answer</button>`
  return html`<form class="handover" id="handover" method="post" action="${at}/handover">
    <p class="small muted">${sentence}</p>
    ${mayAnswer ? button : ""}
  </form>`
}

function foot(input: {
  chat: Chat
  number: string
  shown: Said[]
  asked: Asked
  isLatest: boolean
}): Html | string {
  const { chat, asked, shown } = input
  if (!input.isLatest) return ""
  if (!chat.mayAnswer)
    return html`<p class="answer small muted">You may look at this account: its members answer here.</p>`
  const quoted = shown.find(({ message_id }) => message_id === asked.quote)
  const last = lastOfOthers(shown.toReversed())
  return html`<form
      class="answer"
      id="answer"
      method="post"
      action="${chat.at}/answer"
      enctype="multipart/form-data"
      data-queue="messages"
    >
      <input type="hidden" name="key" value="${asked.unsent?.key ?? randomUUID()}" autocomplete="off" />
      <input type="hidden" name="number" value="${input.number}" autocomplete="off" />
      <input type="hidden" name="read" value="${last}" autocomplete="off" />
      <input type="hidden" name="quote" value="${quoted?.message_id ?? ""}" autocomplete="off" />
      <p class="quoting" ${quoted ? "" : "hidden"}>
        <span>Answers: <bdi>${quoted ? wordsOf(quoted) : ""}</bdi></span>
        <a href="${chat.at}" data-quote="">Leave this out</a>
      </p>
      <label class="hidden" for="text">Your answer</label>
      <textarea
        id="text"
        name="text"
        rows="1"
        dir="auto"
        maxlength="65536"
        placeholder="Write an answer"
        ${asked.quote === undefined ? "" : "autofocus"}
      >
${asked.unsent?.text ?? ""}</textarea>
      <div class="row">
        <label class="button slim file">File<input type="file" name="file" /></label>
        <button type="button" class="button slim needs-script" data-record hidden>Record</button>
        <input type="hidden" name="voice" value="" autocomplete="off" />
        <button class="button main">${icon("send")} Send</button>
      </div>
    </form>
    <script src="${chatScript}" type="module"></script>
    <form id="react" method="post" action="${chat.at}/react"></form>`
}
