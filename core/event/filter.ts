export * as Filter from "./filter.ts"

import { z } from "zod"
import { type Event, Ignored } from "#contract/event.ts"
import { Choice } from "../bridge/choice.ts"
import { isAmong } from "../message/spellings.ts"

/** Which of a bridge's events a further webhook gets. An event must pass all that are given. */
export const Info = z.object({
  /**
   * The types that it gets, of those that the bridge gets; undefined: all, including those of later releases.
   */
  events: z.array(z.string()).optional(),
  /** Kinds of chats whose events it does not get. */
  ignore: z.array(Ignored).default([]),
  /** The chats (JIDs) whose events it gets, and no event that is of no chat; undefined: all. */
  chats: z.array(z.string()).optional(),
})
export type Info = z.infer<typeof Info>

/** Whether events of this type may pass, so that the event has to be looked at. */
export function mayPass(filter: Info | undefined, type: string): boolean {
  return filter?.events?.includes(type) ?? true
}

export function passes(filter: Info, event: Event): boolean {
  if (!mayPass(filter, event.event)) return false
  if ("chat_id" in event && Choice.ignores(filter, event.chat_id)) return false
  return filter.chats === undefined || isOfChats(event, filter.chats)
}

/** Whether an event is of one of these chats (JIDs), by whichever of its names. */
export function isOfChats(event: Event, chats: string[]): boolean {
  if (!("chat_id" in event)) return false
  const lid = "chat_lid" in event ? event.chat_lid : undefined
  return isAmong(event.chat_id, chats) || (lid !== undefined && chats.includes(lid))
}
