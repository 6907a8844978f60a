import {
  type BaileysEventEmitter,
  type BinaryNode,
  type ChatMutation,
  type Contact,
  decodeSyncdMutations,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  isMissingKeyError,
  type LIDMapping,
  newLTHashState,
  processSyncAction,
  proto,
  type SignalDataTypeMap,
  type WASocket,
} from "@whiskeysockets/baileys"
import { newTurns } from "#core/platform/locks.ts"
import { blobOf } from "#session-host/media/own-devices-file.ts"
import { atATime, type RecordPeople } from "./record-people-in-batches.ts"
import { type Field, fieldsIn } from "./protobuf-fields.ts"
import type { Keys } from "../signal/keys.ts"
import type { ILogger } from "../quiet-log.ts"

/** How far a collection of settings has been read. */
const kind = "app-state-sync-version"

/** The settings that are used: the account's push name, and its address book. */
const collections = ["critical_block", "critical_unblock_low"] as const
type Collection = (typeof collections)[number]

interface Following {
  sock: Pick<WASocket, "ev" | "query" | "authState">
  isOpen: () => boolean
  /** Where the network keeps files. */
  mediaHost: () => Promise<string>
  recordPeople: RecordPeople
  /** Asks the account's phone for keys, by their ids in base64. */
  askForKeys: (ids: string[]) => Promise<unknown>
  log: ILogger
}

/** How long a key may take to come by itself, in ms: after a link the phone sends it just after the first login. */
const keyComesMs = 3000

/** A piece of a collection, as the network gives it. */
interface Answer {
  snapshot: Uint8Array | undefined
  patches: proto.SyncdPatch[]
  hasMore: boolean
}

type Change = proto.ISyncdMutation | proto.ISyncdRecord

/**
 * The account's settings, as they are on its phone. Baileys' own reading never yields: a large address book would stop the
 * host for seconds. And it keeps a hash of each setting that was ever read, for clients that change settings; here nobody does.
 * How far a collection was read is kept only once all that it said of people is durable.
 */
export function newSyncedSettings(keys: Pick<Keys, "get" | "set">, following: Following) {
  const { sock, isOpen, mediaHost, recordPeople, askForKeys, log } = following
  /** Changed under a key that has not come yet. */
  const blocked = new Set<Collection>()
  /** Missing keys, and whether the phone was asked for them on this connection. */
  const missing = new Map<string, boolean>()
  const inTurn = newTurns()
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()

  /** Works in turn. @returns whether it was done */
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
    const known = await keys.get(kind, [...collections])
    for (const name of collections) if (!known[name] || blocked.has(name)) await readUnlessBlocked(name)
  }

  async function readUnlessBlocked(name: Collection): Promise<void> {
    blocked.delete(name)
    try {
      await read(name)
    } catch (error) {
      if (!isMissingKeyError(error)) throw error
      blocked.add(name)
      setTimeout(() => void askForMissing().catch(onNotAsked), keyComesMs).unref()
    }
  }

  /** The phone sends each new key to all devices. A device that did not get it has to ask. */
  async function askForMissing(): Promise<void> {
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

  async function read(name: Collection): Promise<void> {
    for (let hasMore = true; hasMore && isOpen();) {
      const before = (await keys.get(kind, [name]))[name]?.version ?? 0
      const answer = await ask(name, before)
      const version = await apply(answer, before)
      if (version !== before) await keep(name, version)
      hasMore = answer.hasMore && version !== before
    }
  }

  /** @throws Error when the network does not answer, or refuses */
  async function ask(name: Collection, version: number): Promise<Answer> {
    const attrs = { name, version: String(version), return_snapshot: String(version === 0) }
    const answer = await sock.query({
      tag: "iq",
      attrs: { to: "s.whatsapp.net", xmlns: "w:sync:app:state", type: "set" },
      content: [{ tag: "sync", attrs: {}, content: [{ tag: "collection", attrs }] }],
    })
    const collection = getBinaryNodeChild(getBinaryNodeChild(answer, "sync"), "collection")
    if (!collection || collection.attrs.type === "error") throw new Error(`the network refused ${name}`)
    return answerIn(collection)
  }

  /** @returns the version that it leads to. */
  async function apply({ snapshot, patches }: Answer, before: number): Promise<number> {
    let version = before
    if (snapshot) version = await applySnapshot(snapshot)
    for (const patch of patches) {
      await applyPatch(patch)
      version = Number(patch.version?.version)
    }
    return version
  }

  async function applySnapshot(reference: Uint8Array): Promise<number> {
    const chunks = blobOf(proto.ExternalBlobReference.decode(reference), "App State", await mediaHost())
    let version = 0
    await applyAll(fieldsIn(chunks), ({ number, bytes }) => {
      if (number === snapshotFields.version) version = Number(proto.SyncdVersion.decode(bytes).version)
      return number === snapshotFields.records ? proto.SyncdRecord.decode(bytes) : undefined
    })
    return version
  }

  async function applyPatch(patch: proto.SyncdPatch): Promise<void> {
    for (let at = 0; at < patch.mutations.length; at += atATime)
      await applySome(patch.mutations.slice(at, at + atATime))
    if (!patch.externalMutations) return
    const chunks = blobOf(patch.externalMutations, "App State", await mediaHost())
    await applyAll(fieldsIn(chunks), ({ number, bytes }) =>
      number === mutationsField ? proto.SyncdMutation.decode(bytes) : undefined,
    )
  }

  async function applyAll(fields: AsyncIterable<Field>, decode: (field: Field) => Change | undefined) {
    let some: Change[] = []
    for await (const field of fields) {
      const change = decode(field)
      if (change) some.push(change)
      if (some.length < atATime) continue
      await applySome(some)
      some = []
    }
    await applySome(some)
  }

  async function applySome(changes: Change[]): Promise<void> {
    if (changes.length === 0) return
    const told: { contacts: Partial<Contact>[]; pairs: LIDMapping[] } = { contacts: [], pairs: [] }
    const listener = {
      emit(event: string, said: unknown) {
        if (event === "contacts.upsert") told.contacts.push(...(said as Contact[]))
        if (event === "lid-mapping.update") told.pairs.push(said as LIDMapping)
        if (event === "creds.update") sock.ev.emit("creds.update", said as object)
      },
    } as unknown as BaileysEventEmitter // it is only told
    const { me } = sock.authState.creds
    for (const mutation of await decoded(changes)) {
      try {
        processSyncAction(mutation, listener, me ?? { id: "" }, undefined, log)
      } catch (error) {
        log.warn({ error }, "a setting was not understood")
      }
    }
    await recordPeople(told)
  }

  /** One that cannot be read is passed over. @throws Error where their key is missing (`isMissingKeyError`) */
  async function decoded(changes: Change[]): Promise<ChatMutation[]> {
    try {
      return await decode(changes)
    } catch (error) {
      if (isMissingKeyError(error)) throw error
      if (changes.length === 1) log.warn({ error }, "a setting was not read")
      if (changes.length === 1) return []
      const each: ChatMutation[] = []
      for (const change of changes) each.push(...(await decoded([change])))
      return each
    }
  }

  const keyOf = async (id: string) => {
    const { [id]: key } = await keys.get("app-state-sync-key", [id])
    if (!key && !missing.has(id)) missing.set(id, false)
    return key
  }

  async function decode(changes: Change[]): Promise<ChatMutation[]> {
    const found: ChatMutation[] = []
    // Each with a state of its own, which is dropped: it would be copied and hashed whole for each hundred.
    await decodeSyncdMutations(changes, newLTHashState(), keyOf, (mutation) => found.push(mutation), false)
    return found
  }

  async function keep(name: Collection, version: number): Promise<void> {
    const state: SignalDataTypeMap[typeof kind] = { ...newLTHashState(), version }
    await keys.set({ [kind]: { [name]: state } })
  }

  return {
    /**
     * Reads settings from before the link, and those under a key that was missing. To be called after each login, and when
     * the phone has given a key: before, nothing can be opened.
     */
    readIfNew: (): void => {
      if (isOpen()) open()
      void later(readMissing)
    },
    /**
     * The network says that these have changed. Resolves when those that matter here are read, or could not be.
     * @returns false when they are to be told of again at the next login: a key is missing, the network did not answer, or
     * the connection has ended.
     */
    changed: async (names: string[]): Promise<boolean> => {
      const ours = collections.filter((name) => names.includes(name))
      if (ours.length === 0) return true
      // Changes from while we were away are told before the login is over.
      if (!isOpen()) await opened
      const done = await Promise.all(ours.map((name) => later(() => readUnlessBlocked(name))))
      return isOpen() && !done.includes(false) && !ours.some((name) => blocked.has(name))
    },
  }
}

/** Numbers of fields of `SyncdSnapshot` and `SyncdMutations`. */
const snapshotFields = { version: 1, records: 2 }
const mutationsField = 1

function answerIn(collection: BinaryNode): Answer {
  const patches = getBinaryNodeChildren(getBinaryNodeChild(collection, "patches") ?? collection, "patch")
  const next = { version: Number(collection.attrs.version) + 1 }
  return {
    snapshot: bytesOf(getBinaryNodeChild(collection, "snapshot")),
    patches: patches.flatMap((node) => {
      const bytes = bytesOf(node)
      if (!bytes) return []
      const patch = proto.SyncdPatch.decode(bytes)
      patch.version ??= next
      return [patch]
    }),
    hasMore: collection.attrs.has_more_patches === "true",
  }
}

function bytesOf(node: BinaryNode | undefined): Uint8Array | undefined {
  return node?.content instanceof Uint8Array ? node.content : undefined
}
