import type { MessageEvent } from "../../sdk-typescript/src/index.ts"
import { type Contact, ChatwootError } from "./chatwoot.ts"
import { type Line, settled } from "./line.ts"

/** Who is talked to, as an event names them. */
export type Talk = Pick<MessageEvent, "chat_id" | "chat_lid" | "is_group"> & { name?: string }

/**
 * The conversation of a chat: the one that is known, the latest of its contact, or a new one. A person who
 * was known by their private id alone (LID), and now by their number, stays one contact.
 */
export async function conversationOf(line: Line, talk: Talk): Promise<number> {
  const { notes, bridge, chatwoot, inbox } = line
  const { chat_id, chat_lid } = talk
  const known = notes.chat(bridge.ref, chat_id)
  if (known) return known.conversation
  const contact = await contactOf(line, talk)
  const source = `conversation ${chat_id}`
  await settled(line, source)
  const all = await chatwoot.conversationsOf(contact)
  const own = all.filter((one) => one.inbox_id === inbox).map(({ id }) => id)
  const conversation =
    own.length > 0 ? Math.max(...own) : await newConversation(line, contact, chat_id, source)
  notes.untry(bridge.ref, source)
  for (const chat of [chat_id, chat_lid]) if (chat) notes.place(bridge.ref, chat, contact, conversation)
  return conversation
}

async function newConversation(line: Line, contact: number, chat: string, source: string): Promise<number> {
  const { chatwoot, inbox, notes, bridge } = line
  notes.try(bridge.ref, source, Date.now())
  try {
    return await chatwoot.createConversation(inbox, contact, chat)
  } catch (error) {
    // The name of the chat is that of a former contact: Chatwoot makes up another.
    if (error instanceof ChatwootError && error.status === 422)
      return await chatwoot.createConversation(inbox, contact)
    throw error
  }
}

async function contactOf(line: Line, talk: Talk): Promise<number> {
  const { chatwoot } = line
  const { chat_id, chat_lid } = talk
  const phone_number = phoneOf(chat_id)
  const byNumber = await found(
    line,
    phone_number?.slice(1) ?? chat_id,
    (one) => one.identifier === chat_id || (phone_number !== undefined && one.phone_number === phone_number),
  )
  const byLid =
    chat_lid === undefined ? undefined : await found(line, chat_lid, (one) => one.identifier === chat_lid)
  const fields = { identifier: chat_id, ...(phone_number && { phone_number }) }
  if (byNumber && byLid && byNumber.id !== byLid.id) await chatwoot.mergeContacts(byNumber.id, byLid.id)
  else if (!byNumber && byLid) await chatwoot.updateContact(byLid.id, fields)
  const contact = byNumber ?? byLid
  if (contact) return contact.id
  const name = (await nameOf(line, talk)) || phone_number || chat_id
  try {
    return (await chatwoot.createContact({ name, ...fields })).id
  } catch (error) {
    // Chatwoot does not take every number.
    if (!(error instanceof ChatwootError) || error.status !== 422 || !phone_number) throw error
    return (await chatwoot.createContact({ name, identifier: chat_id })).id
  }
}

async function found(
  { chatwoot }: Line,
  sought: string,
  isIt: (one: Contact) => boolean,
): Promise<Contact | undefined> {
  return (await chatwoot.findContacts(sought)).find(isIt)
}

/** As Chatwoot has it; undefined of a group, and of a person whose number is not known. */
function phoneOf(chat: string): string | undefined {
  const [, digits] = /^(\d{7,15})@s\.whatsapp\.net$/.exec(chat) ?? []
  return digits && `+${digits}`
}

async function nameOf({ bridge }: Line, { chat_id, is_group, name }: Talk): Promise<string> {
  if (is_group)
    return await bridge.getGroup({ jid: chat_id }).then(
      (group) => group.name,
      () => "",
    )
  return (
    name ||
    (await bridge.getContact({ jid: chat_id }).then(
      (contact) => contact.name,
      () => "",
    ))
  )
}

/** The chat of a conversation; undefined if its contact can have none. */
export async function chatOf(line: Line, conversation: number): Promise<string | undefined> {
  const { notes, bridge, chatwoot } = line
  const known = notes.chatOf(bridge.ref, conversation)
  if (known !== undefined) return known
  const { sender } = (await chatwoot.conversation(conversation)).meta
  const chat = /@(?:s\.whatsapp\.net|lid|g\.us)$/.test(sender.identifier ?? "")
    ? sender.identifier
    : sender.phone_number
  const jid = chat?.replace(/^\+(\d+)$/, "$1@s.whatsapp.net")
  // An agent has begun this conversation: answers belong here.
  if (jid) notes.place(bridge.ref, jid, sender.id, conversation)
  return jid
}
