import type { z } from "@hono/zod-openapi"
import type * as contract from "#contract/chat.ts"
import { ApiError, invalid } from "#core/error.ts"
import { isLid, toJid } from "#core/message/jid.ts"
import { now } from "#core/platform/clock.ts"
import { withSetting, type Chat } from "../chats/chats.ts"
import type { Connection, SettingChange } from "../network/connection.ts"
import type { ChatSetting } from "../network/happening.ts"
import { inSteps } from "../network/in-steps.ts"
import type { Memory } from "../session/memory.ts"
import type { Session } from "../session/session.ts"
import { chatWire } from "./chat-page.ts"

type Wanted = z.output<
  (typeof contract.updateChat)["request"]["body"]["content"]["application/json"]["schema"]
>

/** A change of a chat, in the form that the account's devices get and in the form that is shown here. */
export interface ChatChange {
  change: SettingChange
  setting: ChatSetting
}

/** One change that a call asks for. */
interface Change extends ChatChange {
  field: "archived" | "pinned" | "muted" | "unread"
}

/**
 * Changes a chat on all of the account's devices, one field after another (Contract, "Chats").
 * @throws ApiError `not_kept`, `not_found`; if a later change fails, its sentence names the earlier ones.
 * NetworkRejected, NoAnswer
 */
export async function changeChat(session: Session, asked: string, wanted: Wanted) {
  const memory = await session.memory()
  const { chats, vault } = memory
  if (!chats.areKept) throw new ApiError("not_kept")
  const names = await vault.namesOf(toJid(asked))
  const found = await Promise.all([...names].map((name) => chats.get(name)))
  const chat = found.find((each) => each)
  if (!chat) throw new ApiError("not_found", "there is no such chat: GET chats lists those that there are")
  if (wanted.pinned && (wanted.archived ?? chat.isArchived))
    throw invalid([{ path: "pinned", message: "an archived chat cannot be pinned" }])
  const changes = await changesOf(memory, chat, wanted)
  await session.use(({ connection }) =>
    inSteps(
      changes.map((each) => ({ field: each.field, run: () => setOnDevices(connection, memory, each) })),
    ),
  )
  const after = changes.reduce((one, { setting }) => withSetting(one, setting), chat)
  return await chatWire(memory, after)
}

/** Makes a change on all of the account's devices, and here. @throws NetworkRejected, NoAnswer */
export async function setOnDevices(
  connection: Connection,
  { chats }: Pick<Memory, "chats">,
  { change, setting }: ChatChange,
): Promise<void> {
  const isReported = await connection.changeSetting(change)
  if (!isReported) await chats.set([setting])
}

/** The address by which settings name a chat: since summer 2026 the private id (docs/network.md). */
export async function nameInSettings({ vault }: Pick<Memory, "vault">, jid: string): Promise<string> {
  return (isLid(jid) ? undefined : await vault.otherAddress(jid)) ?? jid
}

/** The settings, with their versions, are those of WhatsApp Web (whatsmeow, `appstate/encode.go`). */
async function changesOf(
  memory: Pick<Memory, "transcript" | "vault">,
  chat: Chat,
  wanted: Wanted,
): Promise<Change[]> {
  const { jid } = chat
  const named = await nameInSettings(memory, jid)
  const steps: Change[] = []
  const { archived, muted, muted_until, unread } = wanted
  // Archiving a chat ends its pin, as on phones.
  const pinned = archived && chat.isPinned ? false : wanted.pinned
  const messageRange = archived === undefined && unread === undefined ? {} : await rangeOf(memory, jid, named)
  if (pinned !== undefined)
    steps.push({
      field: "pinned",
      change: {
        collection: "regular_low",
        index: ["pin_v1", named],
        value: { pinAction: { pinned } },
        version: 5,
      },
      setting: { jid, isPinned: pinned },
    })
  if (archived !== undefined) {
    const value = { archiveChatAction: { archived, messageRange } }
    steps.push({
      field: "archived",
      change: { collection: "regular_low", index: ["archive", named], value, version: 3 },
      setting: { jid, isArchived: archived },
    })
  }
  if (muted !== undefined) {
    const mutedUntil = muted ? (muted_until ?? -1) : 0
    const end = muted && { muteEndTimestamp: muted_until === undefined ? -1 : muted_until * 1000 }
    const value = { muteAction: { muted, ...end } }
    steps.push({
      field: "muted",
      change: { collection: "regular_high", index: ["mute", named], value, version: 2 },
      setting: { jid, mutedUntil },
    })
  }
  if (unread !== undefined) {
    const value = { markChatAsReadAction: { read: !unread, messageRange } }
    steps.push({
      field: "unread",
      change: { collection: "regular_low", index: ["markChatAsRead", named], value, version: 3 },
      setting: { jid, isRead: !unread },
    })
  }
  return steps
}

/**
 * The chat's last message, up to which the change counts. Phones ignore a change that was made from an older
 * state than theirs.
 */
export async function rangeOf(
  { transcript, vault }: Pick<Memory, "transcript" | "vault">,
  jid: string,
  remoteJid: string,
) {
  for await (const { message } of transcript.backwards(jid, {})) {
    const { message_id: id, from_me: fromMe, is_group, contact_id, timestamp } = message
    const participant = is_group && !fromMe && ((await vault.otherAddress(contact_id)) ?? contact_id)
    const key = { id, remoteJid, fromMe, ...(participant && { participant }) }
    return { lastMessageTimestamp: timestamp, messages: [{ key, timestamp }] }
  }
  return { lastMessageTimestamp: now() }
}
