import type { Context } from "hono"
import { html } from "hono/html"
import { EventLists } from "#core/event/event-lists.ts"
import { Lease } from "#core/lease/lease.ts"
import { nowMs } from "#core/platform/clock.ts"
import { toQuery } from "../answer.ts"
import { asSentence } from "../api-words.ts"
import { empty, field, type Html, nextPage, note } from "../elements.ts"
import type { DashboardEnv } from "../guard.ts"
import { type ChatList, chatItem, chatList, namesIn, searchChats } from "./chat-list.ts"
import { type Asked as AskedThread, thread } from "./thread.ts"

interface Asked {
  /** The chat that is open (a JID), and which part of it. */
  open?: string | undefined
  thread?: AskedThread
  /** Where the list of chats goes on. */
  after?: string | undefined
  /** What chats are sought by: a name, a number or words. */
  sought?: string | undefined
}

/** The chats of a number, and beside them the one that is open. On a narrow screen one of both is shown. */
export async function chatsPage(c: Context<DashboardEnv>, asked: Asked): Promise<Html> {
  const { bridge } = c.var
  // Read before the lists: what comes in between is in them and in the stream, and shown once.
  const from = await EventLists.newestNumber(bridge.id)
  const sought = asked.sought === "" ? undefined : asked.sought
  const { open } = asked
  const stream = `/numbers/${bridge.customerRef}/chats/stream?${toQuery({ chat: open, from, at: nowMs() })}`
  const [found, chat] = await Promise.all([
    sought === undefined ? chatList(c, asked.after) : searchChats(c, sought),
    open === undefined ? nobodysChat() : thread(c, open, { ...asked.thread, stream }),
  ])
  const isLive = open === undefined && sought === undefined && asked.after === undefined
  return html`<div
    class="beside ${open === undefined ? "" : "open"}"
    ${isLive ? html`data-stream="${stream}"` : ""}
  >
    ${await listPane(c, found, { ...asked, sought })} ${chat}
  </div>`
}

function nobodysChat(): Html {
  const about = "Its messages appear here, and a field to answer."
  return html`<section class="thread card none">
    ${empty({ icon: "inbox", title: "Choose a chat", about })}
  </section>`
}

async function listPane(
  c: Context<DashboardEnv>,
  list: ChatList & { about?: string },
  { sought, open }: Asked,
): Promise<Html> {
  const ref = c.var.bridge.customerRef
  const at = `/numbers/${ref}/chats`
  const nameOf = await namesIn(c, list.entries)
  return html`<section class="chat-list card flush" aria-label="Chats">
    <form class="find" method="get" action="${at}" role="search">
      ${field("Find a chat", { name: "q", type: "search", value: sought, placeholder: "Name, number or words", maxlength: 100 })}
    </form>
    ${list.problem ? note("warn", asSentence(list.problem)) : ""}
    ${list.about === undefined ? "" : html`<p class="small muted searched">${list.about} <a href="${at}">All chats</a></p>`}
    ${sought === undefined ? "" : newChat(c, sought)}
    ${list.entries.length === 0 ? await nothing(c, sought) : ""}
    <ul class="chats" id="chats">
      ${list.entries.map((entry) => chatItem(ref, entry, nameOf, open))}
    </ul>
    ${nextPage(list.next && `${at}?${toQuery({ after: list.next })}`, "Earlier chats")}
    ${list.isKept ? "" : html`<p class="small muted searched">Messages of the last days. <a href="/numbers/${ref}/settings#keeping">Keep them longer</a></p>`}
  </section>`
}

/** A number that was typed may be written to, also if there is no chat with it yet. */
function newChat(c: Context<DashboardEnv>, sought: string): Html | string {
  const digits = sought.replaceAll(/[\s+().-]/g, "")
  if (!/^\d{7,15}$/.test(digits) || !c.var.me.mayChange) return ""
  const href = `/numbers/${c.var.bridge.customerRef}/chats/${digits}@s.whatsapp.net`
  return html`<p class="searched"><a class="button" href="${href}">Write to +${digits}</a></p>`
}

async function nothing(c: Context<DashboardEnv>, sought: string | undefined): Promise<Html> {
  if (sought !== undefined)
    return empty({ icon: "inbox", title: "Not found", about: "Nothing there has this." })
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
