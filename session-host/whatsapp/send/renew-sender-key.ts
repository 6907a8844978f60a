import type { WASocket } from "@whiskeysockets/baileys"
import { isGroup, userOf } from "#core/message/jid.ts"
import type { Hold } from "#core/platform/locks.ts"
import { boundedCache } from "#session-host/bounded-cache.ts"
import type { Keys } from "../signal/keys.ts"
import type { GroupCache } from "./group-cache.ts"
import { findGroup } from "./recipient-devices.ts"

interface Input {
  groups: GroupCache
  keys: Keys
  lockKeys: Hold
  me: () => { id: string; lid?: string } | undefined
  sock: () => Pick<WASocket, "query" | "signalRepository">
}

export type SenderKeys = ReturnType<typeof newSenderKeys>

/** The most groups whose renewals are remembered. */
const mostGroups = 2000

/**
 * Our sender keys of groups. A former member of a group has our key, and could go on reading any messages
 * that they get hold of. Baileys keeps a key for as long as there is a group (7.0.0-rc14). So before each
 * message, the people who have been given the key are compared with the members. If one of them is no member
 * any more, the key is thrown away, and all others are given a new one.
 */
export function newSenderKeys({ groups, keys, lockKeys, me, sock }: Input) {
  const renewals = boundedCache<number>(mostGroups)
  const renew = async (group: string) =>
    await lockKeys([group], () =>
      keys.atomically(async () => {
        const names = [me()?.id, me()?.lid].flatMap((jid) => (jid ? nameOf(group, jid, sock()) : []))
        await keys.set({
          "sender-key": Object.fromEntries(names.map((name) => [name, null])),
          "sender-key-memory": { [group]: null },
        })
      }),
    )
  return {
    /**
     * Renews our sender key if a person has left the group, or may not see a status any more. Call this
     * before Baileys checks who has the key.
     * @param viewers those who may see the status, by the user part of their addresses
     * @throws NetworkRejected, NoAnswer
     */
    async renewIfLeft(chat: string, viewers?: ReadonlyMap<string, string>): Promise<void> {
      if (!isGroup(chat) && !viewers) return
      const { [chat]: holders } = await keys.get("sender-key-memory", [chat])
      const members = holders && (viewers ?? (await findGroup({ groups, sock }, chat))?.members)
      if (!members) return
      const own = new Set([me()?.id, me()?.lid].map((jid) => userOf(jid ?? "")))
      const users = Object.keys(holders).map(userOf)
      if (users.every((user) => own.has(user) || members.has(user))) return
      await renew(chat)
      renewals.set(chat, (renewals.get(chat) ?? 0) + 1)
    },
    /**
     * The version of the key, which changes with each renewal. A device that has the key of one version does
     * not have that of the next.
     */
    versionOf: (chat: string): number => renewals.get(chat) ?? 0,
  }
}

/** The key's name in the store, as Baileys' Signal library makes it. */
function nameOf(group: string, jid: string, { signalRepository }: ReturnType<Input["sock"]>): string {
  return `${group}::${signalRepository.jidToSignalProtocolAddress(jid).replace(".", "::")}`
}
