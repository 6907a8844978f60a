import { isGroup, isLid } from "#core/message/jid.ts"
import type { Connection, MessageContent } from "../network/connection.ts"
import type { Target } from "./changes.ts"
import type { About } from "./chat-and-sender.ts"
import { changeTypes, editedIn } from "./content.ts"
import { chatOf, type Remembered } from "./remembered.ts"

/** What an unwrapped content does to another message. */
export interface Changed {
  id: string
  what: "edit" | "revoke" | "pin"
  /** The message, as the sender names it. */
  key: { fromMe?: boolean | null; participant?: string | null }
}

export function changedIn(content: MessageContent): Changed | undefined {
  const { protocolMessage, pinInChatMessage } = content
  const key = protocolMessage?.key ?? {}
  const type: number | null | undefined = protocolMessage?.type
  if (key.id && editedIn(content)) return { id: key.id, what: "edit", key }
  if (key.id && type === changeTypes.revoke) return { id: key.id, what: "revoke", key }
  const pinned = pinInChatMessage?.key
  return pinned?.id ? { id: pinned.id, what: "pin", key: pinned } : undefined
}

interface Known {
  about: About
  /** The message that is changed. */
  of: Target
  /** All remembered messages of its id. */
  originals: Remembered[]
  /** The connection to ask, if there is one. */
  connection: Pick<Connection, "rightsIn"> | undefined
}

/**
 * Whether the sender changes a message that they may not change. The network cannot tell, and clients ignore
 * such changes. If it cannot be known here either, the change is believed.
 */
export async function isForged({ what }: Changed, { about, of, originals, connection }: Known) {
  // A change by our own phone always counts.
  if (about.fromMe) return false
  if (of.fromMe && isElsewhere(about, originals)) return true
  const isOthers = isAnothers(about, of, originals)
  if (what === "edit" || !isGroup(about.chat)) return isOthers && what !== "pin"
  if (what === "revoke" && !isOthers) return false
  const rights = await connection?.rightsIn(about.chat, about.sender)
  if (!rights || rights.isAdmin) return false
  return what === "revoke" || rights.isLocked
}

/**
 * Whether this account wrote the message, and in another chat only. Who got it there knows its id, and may be
 * the admin of a group.
 */
function isElsewhere(about: About, originals: Remembered[]): boolean {
  const ours = originals.filter(({ fromMe }) => fromMe)
  return ours.length > 0 && !ours.some((each) => isInChat(about, each))
}

/**
 * Whether the message is by another author than the sender: as the change names it or, if it is known only in
 * another chat, by what is known there.
 */
function isAnothers(about: About, of: Target, originals: Remembered[]): boolean {
  const isKnownHere = originals.some((each) => isInChat(about, each))
  if (isKnownHere || originals.length === 0 || !isAuthor(about, of)) return !isAuthor(about, of)
  // A private id and a phone number may belong to one person without that being known here.
  const mayBeAuthor = (original: Remembered) =>
    isAuthor(about, original) ||
    (!original.fromMe && isLid(about.person(original.sender)) !== isLid(about.contact))
  return !originals.some(mayBeAuthor)
}

/** Whether phones show a message in the chat of an earlier one. */
export function isInChat(about: About, earlier: Target): boolean {
  return about.person(chatOf(earlier)) === about.person(chatOf(about))
}

/** Whether a message is by the author of an earlier one. */
export function isAuthor(about: About, { fromMe, sender }: Target): boolean {
  return fromMe ? about.fromMe : !about.fromMe && about.person(sender) === about.contact
}
