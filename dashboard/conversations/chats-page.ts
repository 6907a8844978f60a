import type { Context } from "hono"
import { html } from "hono/html"
import { EventLists } from "#core/event/event-lists.ts"
import { Lease } from "#core/lease/lease.ts"
import { nowMs } from "#core/platform/clock.ts"
import { toQuery } from "../answer.ts"
import { asSentence } from "../api-words.ts"
import { empty, field, type Html, nextPage, note } from "../elements.ts"
import type { DashboardEnv } from "../guard.ts"
import { type ChatList, chatItem, chatList, namesIn } from "./chat-list.ts"
import { type Asked as AskedThread, thread } from "./thread.ts"

interface Asked {
  /** The chat that is open (a JID), and which part of it. */
  open?: string | undefined
  thread?: AskedThread
  /** Where the list of chats goes on. */
  after?: string | undefined
}

/** The chats of a number, and beside them the one that is open. On a narrow screen one of both is shown. */
export async function chatsPage(c: Context<DashboardEnv>, asked: Asked): Promise<Html> {
  const { bridge } = c.var
  // Read before the lists: what comes in between is in them and in the stream, and shown once.
  const from = await EventLists.newestNumber(bridge.id)
  const { open } = asked
  const stream = `/numbers/${bridge.customerRef}/chats/stream?${toQuery({ chat: open, from, at: nowMs() })}`
  const [found, chat] = await Promise.all([
    chatList(c, asked.after),
    open === undefined ? nobodysChat() : thread(c, open, { ...asked.thread, stream }),
  ])
  const isLive = open === undefined && asked.after === undefined
  return html`<div
    class="beside ${open === undefined ? "" : "open"}"
    ${isLive ? html`data-stream="${stream}"` : ""}
  >
    ${await listPane(c, found, open)} ${chat}
  </div>`
}

function nobodysChat(): Html {
  const about = "Its messages appear here, and a field to answer."
  return html`<section class="thread card none">
    ${empty({ icon: "inbox", title: "Choose a chat", about })}
  </section>`
}

async function listPane(c: Context<DashboardEnv>, list: ChatList, open: string | undefined): Promise<Html> {
  const ref = c.var.bridge.customerRef
  const at = `/numbers/${ref}/chats`
  const nameOf = await namesIn(c, list.entries)
  return html`<section class="chat-list card flush" aria-label="Chats">
    <form class="find" method="get" action="/where" role="search">
      <input type="hidden" name="number" value="${ref}" />
      ${field("Find a chat", { name: "q", type: "search", placeholder: "Name, number or words", maxlength: 1000 })}
    </form>
    ${list.problem ? note("warn", asSentence(list.problem)) : ""}
    ${list.entries.length === 0 ? await nothing(c) : ""}
    <ul class="chats" id="chats">
      ${list.entries.map((entry) => chatItem(ref, entry, nameOf, open))}
    </ul>
    ${nextPage(list.next && `${at}?${toQuery({ after: list.next })}`, "Earlier chats")}
    ${list.isKept ? "" : html`<p class="small muted searched">Messages of the last days. <a href="/numbers/${ref}/settings#keeping">Keep them longer</a></p>`}
  </section>`
}

async function nothing(c: Context<DashboardEnv>): Promise<Html> {
  const { bridge } = c.var
  if ((await Lease.get(bridge.id))?.reported?.status === "unpaired")
    return empty({
      icon: "numbers",
      title: "No phone is linked",
      about: "Chats appear here once one is.",
      action: html`<a class="button main" href="/numbers/${bridge.customerRef}/connect">Link a phone</a>`,
    })
  const about = bridge.isSandbox
    ? html`Write from <a href="/start">the sandbox's phone</a>, and the chat appears here.`
    : "Each chat appears here with its first message."
  return empty({ id: "chats-empty", icon: "inbox", title: "No chat yet", about })
}
