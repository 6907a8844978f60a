export * as Choice from "./choice.ts"

import { z } from "zod"
import { type Event, EventType, Ignored } from "./contract/event.ts"
import { isGroup } from "./jid.ts"

/** What a customer wants to be told of a bridge. */
export const Info = z.object({
  /** The types of events; all, also those of later releases, where nothing was chosen. */
  events: z.array(z.string()).optional(),
  /** Kinds of chats of which nothing is told, and nothing kept. */
  ignore: z.array(Ignored).default([]),
})
export type Info = z.infer<typeof Info>

/** Whether this is told: it is of a type that was chosen, and of no chat that is ignored. */
export function wants(choice: Info, event: Event): boolean {
  if (choice.events && !choice.events.includes(event.event)) return false
  return !("chat_id" in event && ignores(choice, event.chat_id))
}

/** Whether nothing of this chat (JID) is told. */
export function ignores({ ignore }: Info, chat: string): boolean {
  if (chat === "status@broadcast") return ignore.includes("status")
  return isGroup(chat) && ignore.includes("groups")
}

/** As a customer sees it: every type by its name. */
export function wire({ events, ignore }: Info) {
  return { events: EventType.options.filter((type) => events?.includes(type) ?? true), ignore }
}
