import { isGroup, statusChat, withoutDevice } from "#core/message/jid.ts"
import { wholeNumber } from "../../content/mapped.ts"
import type { Receipt, ReceiptKind } from "../../network/connection.ts"
import { type Stanza, child, childrenOf } from "../../network/stanza.ts"

/**
 * `inactive`: the message is on the device, but the app is not in use. All other types are about something
 * else: our own devices, a message that is to be sent again, a file that is to be uploaded again.
 */
const kinds = new Map<string, ReceiptKind>([
  ["", "delivered"],
  ["delivery", "delivered"],
  ["inactive", "delivered"],
  ["read", "read"],
  ["played", "played"],
])

/** How many messages one receipt may name. A phone that comes back after weeks names some hundreds. */
const mostIds = 1000

/**
 * The receipts in a stanza: of one person, or of several members of a group. Of a group and of a status,
 * `from` is the chat and `participant` the device; of a person, `from` is theirs. Each goes by number or by
 * private id, as the chat does, and may have the other address beside it (whatsmeow, `receipt.go` and
 * `parseMessageSource`, 2026-08; Baileys 7, `handleReceipt`). A receipt of several viewers of a status names
 * the status by `message_id`, and each viewer has a type (whatsmeow 1270, 2026-09).
 */
export function receiptsIn(stanza: Stanza): Receipt[] {
  const { from, type, t, participant, ...more } = stanza.attrs
  const kind = stanza.tag === "receipt" && kinds.get(type ?? "")
  if (!kind || !from) return []
  const about = { kind, chat: withoutDevice(from), timestamp: wholeNumber(t) }
  if (!isGroup(from) && from !== statusChat) {
    const person = addresses(from, more.sender_pn, more.sender_lid)
    return [{ ...about, messageIds: idsIn(stanza), person }]
  }
  if (participant) {
    const person = addresses(participant, more.participant_pn, more.participant_lid)
    return [{ ...about, messageIds: idsIn(stanza), person }]
  }
  return childrenOf(stanza, "participants").flatMap((some) =>
    childrenOf(some, "user").map(({ attrs }) => ({
      ...about,
      kind: kinds.get(attrs.type ?? "-") ?? kind,
      messageIds: [some.attrs.key ?? some.attrs.message_id ?? ""],
      person: addresses(attrs.jid),
      timestamp: wholeNumber(attrs.t) || about.timestamp,
    })),
  )
}

/**
 * The chat (a JID) that the account itself has read on its phone or another of its devices, if this is its
 * receipt for that: of a person's chat it comes from ourselves, and of a group we are its `participant`
 * (whatsmeow, `receipt.go`).
 */
export function chatReadIn({ tag, attrs }: Stanza, isOurs: (jid: string) => boolean): string | undefined {
  const { from = "", participant, recipient, type } = attrs
  if (tag !== "receipt" || !(type === "read" || type === "read-self")) return undefined
  if (isGroup(from)) return participant !== undefined && isOurs(participant) ? from : undefined
  return isOurs(from) && recipient !== undefined ? withoutDevice(recipient) : undefined
}

/** The first id is the receipt's own, the others are listed. */
function idsIn(stanza: Stanza): string[] {
  const listed = childrenOf(child(stanza, "list"), "item").map(({ attrs }) => attrs.id ?? "")
  return [stanza.attrs.id ?? "", ...listed].slice(0, mostIds)
}

function addresses(...jids: (string | undefined)[]): string[] {
  return jids.flatMap((jid) => (jid ? withoutDevice(jid) : []))
}
