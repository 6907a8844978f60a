import type { BaileysEventMap, WASocket } from "@whiskeysockets/baileys"
import type { Connection, Intake, MediaHost, Vault } from "../../network/connection.ts"
import type { ChatSetting, FormerChat } from "../../network/happening.ts"
import type { AnswerOrEnd } from "../answer-unless-ended.ts"
import type { Lifetime } from "../lifetime.ts"
import type { Interceptor } from "../listeners.ts"
import { answerInTime } from "../questions/ask.ts"
import type { ILogger } from "../quiet-log.ts"
import type { Keys } from "../signal/keys.ts"
import { askForSyncKeys } from "./ask-for-sync-keys.ts"
import { newSettingChanges } from "./change-setting.ts"
import { newHistory } from "./history.ts"
import { newReadSettings } from "./read-collection.ts"
import { newRecordPeople } from "./record-people-in-batches.ts"
import { onServerSync } from "./server-sync.ts"
import { newSyncedSettings } from "./synced-settings.ts"

interface Input {
  sock: WASocket
  keys: Keys
  changeVault: Vault["change"]
  gate: Vault["gate"]
  lifetime: Lifetime
  intake: Pick<Intake, "keepsChats" | "keepsHistory">
  answerOrEnd: AnswerOrEnd
  /** Where the network keeps files. */
  mediaHost: () => Promise<MediaHost>
  log: ILogger
}

export interface AppState {
  /** Reads the account's settings, unless they have been read before. */
  readIfNew: () => void
  /** What the connection can do with the account's settings. */
  ofAccount: Pick<Connection, "changeSetting" | "settings">
  onServerSync: Interceptor
  onMessages: (news: BaileysEventMap["messages.upsert"]) => void
}

/**
 * What the account's phone shares with its devices: its settings, which include the address book, and the
 * history from before the link.
 */
export function newAppState(input: Input): AppState {
  const { sock, keys, lifetime, answerOrEnd, mediaHost, log } = input
  const isOpen = () => lifetime.isOpen
  const learned = (people: Parameters<Parameters<typeof newRecordPeople>[0]["learn"]>[0]) =>
    new Promise<void>((resolve) => lifetime.emit({ kind: "people", people, onTaken: resolve }))
  const recordPeople = newRecordPeople({
    sock,
    vault: { change: input.changeVault, gate: input.gate },
    learn: (people) => answerOrEnd(learned(people)),
  })
  const recordChats = async (settings: ChatSetting[]) => {
    if (settings.length === 0) return
    const taken = new Promise<void>((onTaken) => lifetime.emit({ kind: "chats", settings, onTaken }))
    await answerOrEnd(taken)
  }
  const recordChat = (chat: FormerChat) =>
    answerOrEnd(new Promise<void>((onTaken) => lifetime.emit({ kind: "history", chat, onTaken })))
  const keepsHistory = () => input.intake.keepsHistory
  const keepsChats = () => input.intake.keepsChats
  const common = { isOpen, mediaHost, recordPeople }
  const askForKeys = (ids: string[]) => answerOrEnd(askForSyncKeys(sock, ids))
  const { readIfNew, changed } = newSyncedSettings({
    ...common,
    sock,
    keys,
    askForKeys,
    recordChats,
    keepsChats,
    log,
  })
  const onError = (error: unknown) => log.warn({ error }, "the phone's history was not read")
  const keyOf = async (id: string) => (await keys.get("app-state-sync-key", [id]))[id]
  const change = newSettingChanges({ sock, mediaHost, keyOf })
  const settings = newReadSettings({ sock, mediaHost, keyOf, log })
  return {
    readIfNew,
    ofAccount: {
      async changeSetting(setting) {
        await answerOrEnd(answerInTime(change(setting)))
        // The setting is read back, since the last change of any device counts, which need not be the one
        // made here.
        return await answerOrEnd(changed([setting.collection]))
      },
      settings: (name, kinds) => answerOrEnd(answerInTime(settings(name, kinds))),
    },
    onServerSync: onServerSync(changed),
    onMessages: newHistory({ ...common, keys, keepsHistory, recordChat, onError }),
  }
}
