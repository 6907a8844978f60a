import { isGroup, isLid } from "#core/message/jid.ts"
import type { Connection, MessageContent } from "../network/connection.ts"
import type { About } from "./chat-and-sender.ts"
import { changeTypes, editedIn } from "./content.ts"
import type { Remembered } from "./remembered.ts"

/** What an unwrapped content does to another message. */
export interface Changed {
  id: string
  what: "edit" | "revoke" | "pin"
}

export function changedIn(content: MessageContent): Changed | undefined {
  const { protocolMessage, pinInChatMessage } = content
  const id = protocolMessage?.key?.id
  const type: number | null | undefined = protocolMessage?.type
  if (id && editedIn(content)) return { id, what: "edit" }
  if (id && type === changeTypes.revoke) return { id, what: "revoke" }
  return pinInChatMessage?.key?.id ? { id: pinInChatMessage.key.id, what: "pin" } : undefined
}

interface Known {
  about: About
  originals: Remembered[]
  /** The connection to ask, if there is one. */
  connection: Pick<Connection, "rightsIn"> | undefined
}

/**
 * Whether the sender changes a message that they may not change. The network cannot tell, and clients ignore
 * such changes. If it cannot be known here either, the change is believed.
 */
export async function isForged({ what }: Changed, { about, originals, connection }: Known): Promise<boolean> {
  const isOthers = isAnothers(about, originals)
  // A change by our own phone always counts.
  if (about.fromMe) return false
  if (what === "edit" || !isGroup(about.chat)) return isOthers && what !== "pin"
  if (what === "revoke" && !isOthers) return false
  const rights = await connection?.rightsIn(about.chat, about.sender)
  if (!rights || rights.isAdmin) return false
  return what === "revoke" || rights.isLocked
}

/**
 * Whether the original message is known to be by another author: in this chat or, if it is not there, in
 * another one.
 */
function isAnothers(about: About, originals: Remembered[]): boolean {
  const here = originals.filter(({ chat }) => about.person(chat) === about.person(about.chat))
  if (here.length > 0) return !here.some((original) => isAuthor(about, original))
  // A private id and a phone number may belong to one person without that being known here.
  const mayBeAuthor = (original: Remembered) =>
    isAuthor(about, original) ||
    (!original.fromMe && isLid(about.person(original.sender)) !== isLid(about.contact))
  return originals.length > 0 && !originals.some(mayBeAuthor)
}

/** Whether a message is by the author of an earlier one. */
export function isAuthor(about: About, { fromMe, sender }: Remembered): boolean {
  return fromMe ? about.fromMe : !about.fromMe && about.person(sender) === about.contact
}
