import { isGroup } from "#core/message/jid.ts"
import type { MessageContent } from "../network/connection.ts"
import type { About } from "./chat-and-sender.ts"
import { changeTypes } from "./content.ts"
import type { Remembered } from "./remembered.ts"

/**
 * The id of the message that an unwrapped content edits or revokes, if only that message's author may do so.
 */
export function changedMessageId(content: MessageContent, from: string): string | undefined {
  const { key, type, editedMessage } = content.protocolMessage ?? {}
  const kind: number | null | undefined = type
  if (kind === changeTypes.edit && editedMessage) return key?.id ?? undefined
  // In a group, admins may revoke as well.
  return kind === changeTypes.revoke && !isGroup(from) ? (key?.id ?? undefined) : undefined
}

/**
 * Whether somebody changes a message that they did not write. The network cannot tell, and clients ignore
 * such changes. For a message that is not remembered the answer is no.
 */
export function isForged(about: About, originals: Remembered[]): boolean {
  const here = originals.filter(({ chat }) => about.person(chat) === about.person(about.chat))
  const isOurs = ({ fromMe, sender }: Remembered) =>
    fromMe ? about.fromMe : !about.fromMe && about.person(sender) === about.contact
  return here.length > 0 && !here.some(isOurs)
}
