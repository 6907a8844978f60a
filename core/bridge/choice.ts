export * as Choice from "./choice.ts"

import { z } from "zod"
import { type Event, EventType, Ignored, isUsual, MessageStatusDetail } from "#contract/event.ts"
import { Keep } from "#contract/keep.ts"
import { MediaStore } from "#contract/media-store.ts"
import { Pacing } from "#contract/pacing.ts"
import { mask } from "#contract/webhook.ts"
import { isGroup } from "../message/jid.ts"

/** The customer's choice: which events of a bridge they get, and how its session behaves. */
export const Info = z.object({
  /** The chosen event types; undefined means all that are usual, including those of later releases. */
  events: z.array(z.string()).optional(),
  /** Kinds of chats that are ignored: no event is sent for them, and nothing is kept. */
  ignore: z.array(Ignored).default([]),
  /** How detailed the statuses of a group's messages are: numbers alone, or with the participants. */
  messageStatus: MessageStatusDetail.default("counts"),
  /** Whether the session is shown as available for some minutes a day (Contract, "Presence"). */
  dailyPresence: z.boolean().default(true),
  /** Whether the page of a text's first link is fetched, where the call does not say. */
  linkPreviews: z.boolean().default(false),
  /** How slowly it sends; undefined: as fast as it is asked to. */
  pacing: Pacing.optional(),
  /** The proxy that the session goes through, sealed (`proxy.ts`). */
  proxy: z.string().optional(),
  /** The customer's own S3, its secret sealed (`media-store.ts`). */
  mediaStore: MediaStore.optional(),
  /** For how many days messages are kept to be listed; undefined: they are not. */
  keep: Keep.optional(),
  /** Whether what was said before a phone is linked is kept, too. */
  history: z.boolean().default(false),
})
export type Info = z.infer<typeof Info>
/** A choice to store. What is left out has its default. */
export type Given = z.input<typeof Info>

/** Whether the customer gets this event: its type is chosen and its chat is not ignored. */
export function wants(choice: Info, event: Event): boolean {
  if (!isChosen(choice, event.event)) return false
  return !("chat_id" in event && ignores(choice, event.chat_id))
}

/** Whether the customer wants to know what happens in this group (a JID). */
export function followsGroup(choice: Info, group: string): boolean {
  return isChosen(choice, "group") && !ignores(choice, group)
}

/** Whether the customer wants to know what becomes of messages to this chat (a JID). */
export function followsStatuses(choice: Info, chat: string): boolean {
  return isChosen(choice, "message_status") && !ignores(choice, chat)
}

function isChosen({ events }: Info, type: Event["event"]): boolean {
  return events?.includes(type) ?? (type === "test" || isUsual(type))
}

/** Whether this chat (a JID) is ignored. */
export function ignores({ ignore }: Pick<Info, "ignore">, chat: string): boolean {
  if (chat === "status@broadcast") return ignore.includes("status")
  return isGroup(chat) && ignore.includes("groups")
}

/** The choice as the customer sees it: every type by name. */
export function wire(choice: Info) {
  const { ignore, messageStatus, dailyPresence, linkPreviews, pacing, proxy, mediaStore, keep, history } =
    choice
  return {
    events: EventType.options.filter((type) => isChosen(choice, type)),
    ignore,
    message_status: messageStatus,
    daily_presence: dailyPresence,
    link_previews: linkPreviews,
    pacing: pacing ?? null,
    proxy_url: proxy === undefined ? null : mask,
    media_store: mediaStore ? { ...mediaStore, secret_access_key: mask } : null,
    keep: keep ?? null,
    history,
  }
}
