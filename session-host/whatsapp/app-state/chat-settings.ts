import { type ChatMutation, jidNormalizedUser } from "@whiskeysockets/baileys"
import type { ChatSetting } from "#session-host/network/happening.ts"

/** What an entry of the account's settings says about a chat; empty if the entry is about something else. */
export function chatSettingIn({ syncAction: { value }, index }: ChatMutation): ChatSetting[] {
  const [, chat, messageId] = index
  if (!value || !chat?.includes("@")) return []
  const jid = jidNormalizedUser(chat)
  const { archiveChatAction, pinAction, muteAction, markChatAsReadAction } = value
  const { clearChatAction, deleteChatAction, deleteMessageForMeAction: deleted } = value
  const clearing = clearChatAction ?? deleteChatAction
  if (clearing) {
    const clearedUntil = Number(clearing.messageRange?.lastMessageTimestamp ?? 0)
    return [{ jid, clearedUntil, ...(deleteChatAction && { isDeleted: true }) }]
  }
  if (deleted && messageId)
    return [{ jid, deleted: { messageId, time: Number(deleted.messageTimestamp ?? 0) } }]
  if (archiveChatAction) return [{ jid, isArchived: archiveChatAction.archived === true }]
  if (pinAction) return [{ jid, isPinned: pinAction.pinned === true }]
  if (markChatAsReadAction) return [{ jid, isRead: markChatAsReadAction.read === true }]
  return muteAction ? [{ jid, mutedUntil: muteAction.muted ? endOf(muteAction.muteEndTimestamp) : 0 }] : []
}

/** Unix milliseconds, or -1 for ever, as some clients also write 0. */
function endOf(given: unknown): number {
  const endMs = Number(given ?? -1)
  return Number.isSafeInteger(endMs) && endMs > 0 ? Math.floor(endMs / 1000) : -1
}
