import { isMissingKeyError } from "@whiskeysockets/baileys"
import { newTurns } from "#core/platform/locks.ts"
import { versionKind, readCollection, type ReadInput } from "./read-collection.ts"

/**
 * The collections that are read: with the account's push name and its address book; and with what it has set
 * for its chats.
 */
const always = ["critical_block", "critical_unblock_low"] as const
const ofChats = ["regular_high", "regular_low"] as const
type Collection = (typeof always | typeof ofChats)[number]

interface Input extends Omit<ReadInput, "keyOf"> {
  /** Asks the account's phone for keys, by their ids in base64. */
  askForKeys: (ids: string[]) => Promise<unknown>
  /** Whether settings of chats are wanted. */
  keepsChats: () => boolean
}

/**
 * How long a key may take to arrive before the phone is asked for it, in ms: after a link, the phone sends it
 * just after the first login.
 */
const keyComesMs = 3000

/** The account's settings, as they are on its phone. */
export function newSyncedSettings(input: Input) {
  const { keys, isOpen, keepsChats, log } = input
  const wanted = (): Collection[] => [...always, ...(keepsChats() ? ofChats : [])]
  /** Collections that changed under a key that has not come yet. */
  const blocked = new Set<Collection>()
  const missing = newMissingKeys(input)
  const inTurn = newTurns()
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()

  /** Does the work in turn. @returns whether it was done */
  const later = async (work: () => Promise<void>): Promise<boolean> => {
    try {
      await inTurn(work)
      return true
    } catch (error) {
      if (isOpen()) log.warn({ error }, "the account's settings were not read")
      return false
    }
  }

  async function readMissing(): Promise<void> {
    const collections = wanted()
    const known = await keys.get(versionKind, collections)
    for (const name of collections) if (!known[name] || blocked.has(name)) await readUnlessBlocked(name)
  }

  async function readUnlessBlocked(name: Collection): Promise<void> {
    blocked.delete(name)
    try {
      await readCollection({ ...input, keyOf: missing.keyOf }, name)
    } catch (error) {
      if (!isMissingKeyError(error)) throw error
      blocked.add(name)
      missing.askSoon()
    }
  }

  return {
    /**
     * Reads settings from before the link, and those under a key that was missing. Call this after each
     * login, and when the phone has sent a key: before that, nothing can be opened.
     */
    readIfNew: (): void => {
      if (isOpen()) open()
      void later(readMissing)
    },
    /**
     * Takes in that these collections have changed. Resolves when those that matter here are read, or could
     * not be.
     * @returns false if the network is to report them again at the next login: a key is missing, the network
     * did not answer, or the connection has ended
     */
    changed: async (names: string[]): Promise<boolean> => {
      const ours = wanted().filter((name) => names.includes(name))
      if (ours.length === 0) return true
      // Changes that were made while we were away are reported before the login is over.
      if (!isOpen()) await opened
      const done = await Promise.all(ours.map((name) => later(() => readUnlessBlocked(name))))
      return isOpen() && !done.includes(false) && !ours.some((name) => blocked.has(name))
    },
  }
}

/** Keys that are missing. The phone is asked for those that it does not send unasked. */
function newMissingKeys({ keys, isOpen, askForKeys, log }: Input) {
  /** By id: whether the phone was asked for the key on this connection. */
  const missing = new Map<string, boolean>()

  const keyOf = async (id: string) => {
    const { [id]: key } = await keys.get("app-state-sync-key", [id])
    if (!key && !missing.has(id)) missing.set(id, false)
    return key
  }

  /** The phone sends each new key to all devices. A device that did not get it has to ask. */
  async function ask(): Promise<void> {
    const unasked = [...missing].flatMap(([id, wasAsked]) => (wasAsked ? [] : [id]))
    const known = await keys.get("app-state-sync-key", unasked)
    const wanted = unasked.filter((id) => !known[id] && missing.get(id) === false)
    if (wanted.length === 0 || !isOpen()) return
    for (const id of wanted) missing.set(id, true)
    log.warn({}, "keys of the account's settings are missing: its phone is asked for them")
    await askForKeys(wanted)
  }

  function onNotAsked(error: unknown): void {
    if (isOpen()) log.warn({ error }, "the phone was not asked for keys of the account's settings")
  }

  return {
    keyOf,
    askSoon: () => void setTimeout(() => void ask().catch(onNotAsked), keyComesMs).unref(),
  }
}
