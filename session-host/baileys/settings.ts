import type { SignalDataTypeMap, WASocket } from "@whiskeysockets/baileys"
import type { Keys } from "./keys.ts"

type Store = Pick<Keys, "get" | "set">
type Version = SignalDataTypeMap[typeof kind] | null

/** How far a collection of settings has been read. */
const kind = "app-state-sync-version"

/** The account's push name, and its address book. */
const collections = ["critical_block", "critical_unblock_low"] as const

interface Following {
  sock: Pick<WASocket, "resyncAppState" | "ev">
  isOpen: () => boolean
  /** Resolves when all that was told of people is durable; rejects when that will not be. */
  peopleLearned: () => Promise<void>
  onError: (error: unknown) => void
}

/**
 * The account's settings, as they are on its phone. How far they have been read is kept only once what they said of people
 * is durable: else a connection that ends in between would leave a session without what it had just read, for good.
 */
export function newSettings(keys: Store) {
  /** Read on this connection, and not kept yet. */
  const unkept = new Map<string, Version>()
  let onRead: (() => void) | undefined

  return {
    /** The keys as Baileys is to see them. */
    keys: {
      async get<Kind extends keyof SignalDataTypeMap>(type: Kind, ids: string[]) {
        const found = await keys.get(type, ids)
        for (const id of type === kind ? ids : [])
          if (unkept.has(id)) found[id] = unkept.get(id) as SignalDataTypeMap[Kind] // of this kind
        return found
      },
      async set({ [kind]: versions, ...others }) {
        await keys.set(others)
        for (const [name, version] of Object.entries(versions ?? {})) unkept.set(name, version)
        if (versions) onRead?.()
      },
    } satisfies Store,

    /** Follows a connection that sees these keys. */
    follow({ sock, isOpen, peopleLearned, onError }: Following) {
      let turn = Promise.resolve()

      async function read(): Promise<void> {
        if (!isOpen()) return
        const known = await keys.get(kind, [...collections])
        const missing = collections.filter((name) => !known[name] && !unkept.has(name))
        if (missing.length > 0) await sock.resyncAppState(missing, false)
      }

      async function keep(): Promise<void> {
        // Baileys tells of what it read right after it has written how far, and would hold that back for a while.
        await new Promise((resolve) => setTimeout(resolve))
        sock.ev.flush()
        const versions = [...unkept]
        await peopleLearned()
        await keys.set({ [kind]: Object.fromEntries(versions) })
        for (const [name, version] of versions) if (unkept.get(name) === version) unkept.delete(name)
      }

      const later = (work: () => Promise<void>) => {
        turn = turn.then(work).catch(onError)
      }
      onRead = () => later(keep)
      return {
        /**
         * Reads what was set before the device was linked. Later changes Baileys reads by itself; the first reading it does
         * only for those who take all of a phone's history. To be called after each login, and when the phone has told a
         * key: before, nothing can be opened.
         */
        readIfNew: () => later(read),
      }
    },
  }
}
