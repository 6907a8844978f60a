import { isGroup, toJid } from "#core/message/jid.ts"
import { chatOf } from "../content/remembered.ts"
import type { Session } from "../session/session.ts"
import { nameInSettings, rangeOf, setOnDevices } from "./change-chat.ts"
import { findMessages } from "./message-to-act-on.ts"

// Contract, "What the account removes for itself". The settings, with their versions, are those of WhatsApp
// Web (`WAWebClearChatSync`, `WAWebDeleteChatSync`, `WAWebDeleteMessageForMeSync`).

const collection = "regular_high"
/** Files that the phone has saved stay there. */
const keepsFiles = "0"

/** Removes all messages of a chat up to its last one. @throws NetworkRejected, NoAnswer */
export async function clearChat(session: Session, asked: string): Promise<void> {
  const memory = await session.memory()
  const jid = toJid(asked)
  const named = await nameInSettings(memory, jid)
  const messageRange = await rangeOf(memory, jid, named)
  const withStarred = "1"
  const index = ["clearChat", named, withStarred, keepsFiles]
  const change = { collection, index, value: { clearChatAction: { messageRange } }, version: 6 } as const
  const setting = { jid, clearedUntil: messageRange.lastMessageTimestamp }
  await session.use(({ connection }) => setOnDevices(connection, memory, { change, setting }))
}

/** Removes a chat with its messages. @throws NetworkRejected, NoAnswer */
export async function deleteChat(session: Session, asked: string): Promise<void> {
  const memory = await session.memory()
  const jid = toJid(asked)
  const named = await nameInSettings(memory, jid)
  const messageRange = await rangeOf(memory, jid, named)
  const index = ["deleteChat", named, keepsFiles]
  const change = { collection, index, value: { deleteChatAction: { messageRange } }, version: 6 } as const
  const setting = { jid, clearedUntil: messageRange.lastMessageTimestamp, isDeleted: true } as const
  await session.use(({ connection }) => setOnDevices(connection, memory, { change, setting }))
}

/** Removes one message. @throws ApiError `not_found`. NetworkRejected, NoAnswer */
export async function deleteForMe(
  session: Session,
  asked: { id: string; chat?: string | undefined },
): Promise<void> {
  const memory = await session.memory()
  await session.use(async (connected) => {
    const [message] = await findMessages(connected, asked)
    const { id: messageId, fromMe, sender, time } = message
    const jid = chatOf(message)
    const author = isGroup(jid) && !fromMe ? sender : "0"
    const named = await nameInSettings(memory, jid)
    const index = ["deleteMessageForMe", named, messageId, fromMe ? "1" : "0", author]
    const value = { deleteMessageForMeAction: { deleteMedia: false, messageTimestamp: time } }
    const change = { collection, index, value, version: 3 } as const
    await setOnDevices(connected.connection, memory, {
      change,
      setting: { jid, deleted: { messageId, time } },
    })
  })
}
