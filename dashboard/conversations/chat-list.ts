import { createHash } from "node:crypto"
import type { Context } from "hono"
import { html } from "hono/html"
import { z } from "zod"
import { Chat } from "#contract/chat.ts"
import { isGroup } from "#core/message/jid.ts"
import { now } from "#core/platform/clock.ts"
import { toQuery } from "../answer.ts"
import type { Html } from "../elements.ts"
import { wordsOf } from "../events/message-words.ts"
import type { DashboardEnv } from "../guard.ts"
import { askSession } from "../numbers/session-answer.ts"
import { moment } from "../times.ts"
import { step } from "./bubble.ts"
import { namesOf, numberOf, pathOfChat } from "./chat-name.ts"
import { cameOf, isChangeOfOther, keeps, merged, patienceMs, Said, wentOf } from "./said.ts"

/** A chat in the list. */
export interface Entry {
  jid: string
  /** As the network has it, or the writer of the last message; `""`: not known. */
  name: string
  /** How many messages of others came since somebody of the account has read or answered it. */
  unread: number
  lastAt: number
  last?: Said | undefined
  /** Until when a person answers; 0: the customer's program does. */
  handoverUntil: number
}

export interface ChatList {
  entries: Entry[]
  next?: string | undefined
  problem?: string | undefined
  isKept: boolean
}

const perPage = 50
/** Without kept messages, so many of the latest are looked through, in each direction. */
const looked = { came: 1000, went: 200 }

const Listed = Chat.extend({ last: Said.optional() })
const HandedOver = z.array(z.object({ chat_id: z.string(), until: z.number() }))

/** A page of a number's chats, the one with the latest message first. */
export async function chatList(c: Context<DashboardEnv>, after?: string): Promise<ChatList> {
  if (await keeps(c)) {
    const path = `/chats-with-last?${toQuery({ limit: perPage, after })}`
    const kept = await askSession(c, path, z.array(Listed), patienceMs)
    // What came before keeping was chosen takes a moment to be kept.
    if (kept.problem === undefined && (kept.value.length > 0 || after !== undefined))
      return { entries: kept.value.map(entryOf), next: kept.next, isKept: true }
  }
  return await recentChats(c)
}

function entryOf({ chat_id: jid, name, unread, marked_unread, ...chat }: z.infer<typeof Listed>): Entry {
  return {
    jid,
    name,
    unread: unread || Number(marked_unread),
    lastAt: chat.last_message_at,
    last: chat.last,
    handoverUntil: chat.handover_until,
  }
}

/** The chats of the latest messages: those that events have, and those that were sent. */
async function recentChats(c: Context<DashboardEnv>): Promise<ChatList> {
  const [came, went, handed] = await Promise.all([
    cameOf(c, { limit: looked.came }),
    wentOf(c, { limit: looked.went }),
    askSession(c, "/handovers", HandedOver, patienceMs),
  ])
  const { said: all } = merged({ items: came.items }, { items: went.items })
  const chats = new Map<string, Entry>()
  for (const said of all.toReversed()) add(chats, said)
  for (const { chat_id, until } of handed.value ?? []) {
    const entry = chats.get(chat_id)
    if (entry) entry.handoverUntil = until
  }
  const problem = came.problem ?? went.problem
  // What was answered is not known then.
  if (went.problem !== undefined) for (const entry of chats.values()) entry.unread = 0
  return {
    entries: [...chats.values()].toSorted((one, other) => other.lastAt - one.lastAt),
    problem,
    isKept: false,
  }
}

/** Takes a message into the list. @returns its chat's entry, if it shows the message */
export function add(chats: Map<string, Entry>, said: Said): Entry | undefined {
  const { chat_id: jid } = said
  if (jid.endsWith("@broadcast") || isChangeOfOther(said)) return undefined
  const before = chats.get(jid)
  const isNews = !said.from_me && !said.reaction
  const entry: Entry = {
    jid,
    name: (!isGroup(jid) && !said.from_me && said.name) || before?.name || "",
    unread: said.from_me ? 0 : (before?.unread ?? 0) + Number(isNews),
    lastAt: said.timestamp,
    last: said,
    handoverUntil: before?.handoverUntil ?? 0,
  }
  chats.set(jid, entry)
  return entry
}

/** The item of a chat in the list, as it is shown, and sent again when it changes. */
export function chatItem(
  ref: string,
  entry: Entry,
  nameOf: (jid: string, said?: string) => string,
  open?: string,
): Html {
  const { jid, unread, last, lastAt } = entry
  const name = nameOf(jid, entry.name)
  const number = numberOf(jid)
  const isOpen = jid === open
  return html`<li id="${itemId(jid)}" data-into="chats" data-place="top">
    <a
      class="chat-link ${unread > 0 ? "unread" : ""}"
      href="${pathOfChat(ref, jid)}"
      ${isOpen ? "aria-current=page" : ""}
    >
      <span class="called"
        ><bdi class="strong">${name}</bdi>
        ${name === number || isGroup(jid) ? "" : html`<small class="muted">${number}</small>`}</span
      >
      <span class="small muted">${lastAt === 0 ? "" : moment(lastAt * 1000)}</span>
      <span class="last">${last ? html`${lastWho(last, nameOf)}<bdi>${wordsOf(last)}</bdi>` : ""}</span>
      <span class="marks"
        >${last ? html`<small>${step(last)}</small>` : ""}
        ${entry.handoverUntil > now() ? html`<span class="tag">You answer</span>` : ""}
        ${unread > 0 ? html`<b class="badge">${unread}<span class="hidden"> unread</span></b>` : ""}</span
      >
    </a>
  </li>`
}

function lastWho(
  { from_me, chat_id, contact_id, name }: Said,
  nameOf: (jid: string, said?: string) => string,
) {
  if (from_me) return "You: "
  return isGroup(chat_id) ? html`<bdi>${nameOf(contact_id, name)}</bdi>: ` : ""
}

/** A chat's JID has characters that ids in a page should not have. */
function itemId(jid: string): string {
  return `chat-${createHash("sha256").update(jid).digest("base64url").slice(0, 16)}`
}

/** What the chats of a list, and the writers of their last messages, are called. */
export async function namesIn(c: Context<DashboardEnv>, entries: Entry[]) {
  return await namesOf(
    c,
    entries.flatMap(({ jid, last }) => [jid, last && !last.from_me ? last.contact_id : ""]),
  )
}
