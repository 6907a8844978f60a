import { isGroup, isLid, usernameIn, withoutDevice, isPhoneJid } from "#core/message/jid.ts"
import type { Received } from "../network/connection.ts"
import type { Acquaintance, Own } from "../network/happening.ts"
import type { MessageIdentity } from "./mapped.ts"

/**
 * The identity of a stanza's message. Its author is named without a device, and by the private address (LID)
 * first if the stanza gives both, so that the sender's own retry and our phone's copy count as the same
 * message.
 */
export function messageIdentityOf(attrs: Record<string, string>, own: Own): MessageIdentity | undefined {
  const { id, from = "" } = attrs
  if (!id || from === "") return undefined
  const sender = withoutDevice(attrs.participant ?? from)
  if (sender === own.jid || sender === own.lid) return { id, fromMe: true, forms: [] }

  const isMany = isGroup(from) || from.endsWith("@broadcast")
  const others = attrs.participant
    ? [attrs.participant_lid, attrs.participant_pn]
    : [attrs.sender_lid, attrs.sender_pn]
  const senders = [sender, ...others.flatMap((jid) => (jid ? [withoutDevice(jid)] : []))]
  return { id, fromMe: false, forms: formsOf(isMany ? from : undefined, senders) }
}

/** One form for each address of the author. @param chat the chat, if it is not the author's own */
export function formsOf(chat: string | undefined, senders: string[]): MessageIdentity["forms"] {
  const sorted = [...new Set(senders)].toSorted((a, b) => Number(isLid(b)) - Number(isLid(a)))
  return sorted.map((sender) => ({ chat: chat ?? sender, sender }))
}

/** The parts that the id of the message's event is made from. */
export function eventIdentityOf({ id, fromMe, forms }: MessageIdentity): string[] {
  const [form] = forms
  return fromMe || !form ? [id] : [id, form.chat, form.sender]
}

/**
 * The author of a message, who becomes a contact of the session. For a message of our own: its recipient, if
 * they are a contact.
 */
export function authorsOf({ attrs }: Pick<Received, "attrs">, own: Own): Acquaintance[] {
  const { from, participant, participant_pn, participant_lid, sender_pn, sender_lid, notify } = attrs
  const other = participant ? (participant_pn ?? participant_lid) : (sender_pn ?? sender_lid)
  const jids = [participant ?? from, other].map((jid) => withoutDevice(jid ?? ""))
  if (jids.some((jid) => jid !== "" && (jid === own.jid || jid === own.lid))) return recipientOf(attrs)
  const author = {
    jid: jids.find(isPhoneJid),
    lid: jids.find(isLid),
    pushName: notify,
    username: usernameOf(attrs),
  }
  return author.jid || author.lid ? [author] : []
}

/** The username of a stanza's author. */
export function usernameOf(attrs: Received["attrs"]): string | undefined {
  return usernameIn(attrs.participant ? attrs.participant_username : attrs.username)
}

function recipientOf({
  recipient,
  recipient_username,
  peer_recipient_username,
}: Received["attrs"]): Acquaintance[] {
  const username = usernameIn(peer_recipient_username ?? recipient_username)
  const lid = withoutDevice(recipient ?? "")
  return username && isLid(lid) ? [{ lid, username, ofContactsOnly: true }] : []
}
