import type { proto } from "@whiskeysockets/baileys"
import * as Jid from "../../wire/jid.ts"
import type { Handset } from "../handset.ts"
import type { Collection, Setting } from "./settings.ts"

type Value = keyof proto.ISyncActionValue

/**
 * The kinds of settings that a phone acts on: the collection of each, its version, the parts of its index,
 * and the field of its value, as WhatsApp Web's modules have them (`WAWebClearChatSync` and its like).
 * `label_message` is whatsmeow's (`appstate/encode.go`).
 */
const kinds = new Map<string, readonly [Collection, version: number, parts: number, Value]>([
  ["archive", ["regular_low", 3, 2, "archiveChatAction"]],
  ["clearChat", ["regular_high", 6, 4, "clearChatAction"]],
  ["contact", ["critical_unblock_low", 2, 2, "contactAction"]],
  ["deleteChat", ["regular_high", 6, 3, "deleteChatAction"]],
  ["deleteMessageForMe", ["regular_high", 3, 5, "deleteMessageForMeAction"]],
  ["label_edit", ["regular", 3, 2, "labelEditAction"]],
  ["label_jid", ["regular", 3, 3, "labelAssociationAction"]],
  ["label_message", ["regular", 3, 6, "labelAssociationAction"]],
  ["lid_contact", ["critical_unblock_low", 1, 2, "lidContactAction"]],
  ["markChatAsRead", ["regular_low", 3, 2, "markChatAsReadAction"]],
  ["mute", ["regular_high", 2, 2, "muteAction"]],
  ["pin_v1", ["regular_low", 5, 2, "pinAction"]],
  ["setting_pushName", ["critical_block", 1, 1, "pushNameSetting"]],
  ["star", ["regular_high", 2, 5, "starAction"]],
])

/** Kinds that only the addresses of numbers belong to, or only private ids. */
const servers = new Map([
  ["contact", Jid.server],
  ["lid_contact", "lid"],
])

/**
 * Whether a phone acts on what a companion has set. It ignores a setting in another collection than its own,
 * of another version, or without a part; a change of a chat that does not say up to which message it counts;
 * and labels, unless its account is a business.
 */
export function isUnderstood(handset: Handset, collection: Collection, setting: Setting): boolean {
  const { index, value, version } = setting
  const [kind = "", subject] = index
  const known = kinds.get(kind)
  if (!known) return true
  const [its, itsVersion, parts, field] = known
  const isWhole = index.length === parts && index.every((part) => part !== "") && Boolean(value[field])
  if (its !== collection || itsVersion !== version || !isWhole) return false
  const server = servers.get(kind)
  if (server && Jid.parse(subject)?.server !== server) return false
  const { archiveChatAction, markChatAsReadAction, clearChatAction, deleteChatAction } = value
  const ranged = archiveChatAction ?? markChatAsReadAction ?? clearChatAction ?? deleteChatAction
  if (ranged && !(Number(ranged.messageRange?.lastMessageTimestamp ?? 0) > 0)) return false
  return !kind.startsWith("label_") || handset.network.profiles.get(handset.own.user).business !== undefined
}

/** Does what a setting asks a phone to do: it removes messages. */
export function act({ network, inbox }: Handset, { index, value }: Pick<Setting, "index" | "value">): void {
  const [, chatJid, id, fromMe, author] = index
  const numberOf = (jid: string | undefined) => network.directory.find(Jid.parse(jid))?.pn
  const chat = numberOf(chatJid) ?? chatJid ?? ""
  const range = (value.clearChatAction ?? value.deleteChatAction)?.messageRange
  if (range) inbox.remove(chat, ({ timestamp }) => timestamp <= Number(range.lastMessageTimestamp))
  if (value.deleteMessageForMeAction)
    inbox.remove(chat, (message) => {
      const isTheirs = chat.includes("@") && !message.from_me
      const isAuthor = isTheirs ? numberOf(author) === message.from : author === "0"
      return message.id === id && message.from_me === (fromMe === "1") && isAuthor
    })
}
