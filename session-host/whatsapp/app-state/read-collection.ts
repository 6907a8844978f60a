import { setImmediate as nextTurn } from "node:timers/promises"
import {
  type BaileysEventEmitter,
  type BinaryNode,
  type ChatMutation,
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
import { FetchError } from "#core/fetch/fetch-error.ts"
import { newTurns } from "#core/platform/locks.ts"
import { downloadOwnDevicesFile } from "#session-host/media/own-devices-file.ts"
import type { Connection, MediaHost, Setting } from "#session-host/network/connection.ts"
import { NetworkRejected, NoAnswer } from "#session-host/network/errors.ts"
import type { Acquaintance, ChatSetting } from "#session-host/network/happening.ts"
import { type Field, fieldsInStream } from "#session-host/network/protobuf-fields.ts"
import type { ILogger } from "../quiet-log.ts"
import type { Keys } from "../signal/keys.ts"
import { chatSettingIn } from "./chat-settings.ts"
import { personInEntry } from "./people.ts"
import { atATime, type RecordPeople } from "./record-people-in-batches.ts"

/** How far a collection of settings has been read. */
export const versionKind = "app-state-sync-version"

export interface ReadInput {
  sock: Pick<WASocket, "ev" | "query" | "authState">
  keys: Pick<Keys, "get" | "set">
  isOpen: () => boolean
  /** Where the network keeps files. */
  mediaHost: () => Promise<MediaHost>
  recordPeople: RecordPeople
  recordChats: (settings: ChatSetting[]) => Promise<void>
  /** The key of this id, in base64, if it has come. */
  keyOf: Parameters<typeof decodeSyncdMutations>[2]
  log: ILogger
}

/** A piece of a collection, as the network gives it. */
interface Answer {
  snapshot: Uint8Array | undefined
  patches: proto.SyncdPatch[]
  hasMore: boolean
  /** Whether a change was refused, since another device has changed the collection meanwhile. */
  isConflict: boolean
}

type Change = proto.ISyncdMutation | proto.ISyncdRecord

/**
 * Some changes of a collection, in order. The end of a snapshot or a patch is a batch with the version that
 * it leads to.
 */
interface Batch {
  changes: Change[]
  version?: number
}

/**
 * Reads a collection of the account's settings from where it was read last. Baileys' own reading never
 * yields: a large address book would stop the host for seconds. Baileys also keeps a hash of each setting
 * that was ever read, which only `change-setting.ts` needs. How far a collection was read is kept only once
 * everything that it said about people and chats is durable.
 * @throws Error if a key is missing (`isMissingKeyError`), or if the network refuses or does not answer
 */
export async function readCollection(reading: ReadInput, name: string): Promise<void> {
  const { keys, isOpen } = reading
  for (let hasMore = true; hasMore && isOpen();) {
    const before = (await keys.get(versionKind, [name]))[name]?.version ?? 0
    const answer = await askForCollection(reading, name, before)
    let after = before
    for await (const { changes, version } of batchesIn(reading, answer)) {
      await applySome(reading, changes)
      after = version ?? after
    }
    if (after !== before) await storeVersion(keys, name, after)
    hasMore = answer.hasMore && after !== before
  }
}

async function storeVersion(keys: Pick<Keys, "set">, name: string, version: number): Promise<void> {
  const state: SignalDataTypeMap[typeof versionKind] = { ...newLTHashState(), version }
  await keys.set({ [versionKind]: { [name]: state } })
}

/**
 * The network's changes of a collection after this version; or whether the network takes a patch that follows
 * this version.
 * @throws NetworkRejected, and Error when the network does not answer
 */
export async function askForCollection(
  { sock }: { sock: Pick<WASocket, "query"> },
  name: string,
  version: number,
  patch?: Uint8Array,
): Promise<Answer> {
  const attrs = { name, version: String(version), return_snapshot: String(version === 0 && !patch) }
  const content = patch && [{ tag: "patch", attrs: {}, content: patch }]
  const answer = await sock.query({
    tag: "iq",
    attrs: { to: "s.whatsapp.net", xmlns: "w:sync:app:state", type: "set" },
    content: [
      { tag: "sync", attrs: {}, content: [{ tag: "collection", attrs, ...(content && { content }) }] },
    ],
  })
  const collection = getBinaryNodeChild(getBinaryNodeChild(answer, "sync"), "collection")
  if (!collection) throw new NetworkRejected(0)
  if (collection.attrs.type !== "error") return answerIn(collection)
  const code = Number(getBinaryNodeChild(collection, "error")?.attrs.code ?? 0)
  if (code !== 409) throw new NetworkRejected(code)
  return { snapshot: undefined, patches: [], hasMore: false, isConflict: true }
}

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
    isConflict: false,
  }
}

function bytesOf(node: BinaryNode | undefined): Uint8Array | undefined {
  return node?.content instanceof Uint8Array ? node.content : undefined
}

/** Numbers of fields of `SyncdSnapshot` and `SyncdMutations`. */
const snapshotFields = { version: 1, records: 2 }
const mutationsField = 1

/** The changes in an answer, in batches that are small enough to be worked at in one stretch. */
async function* batchesIn(
  { mediaHost }: Pick<ReadInput, "mediaHost">,
  { snapshot, patches }: Pick<Answer, "snapshot" | "patches">,
): AsyncGenerator<Batch> {
  if (snapshot) {
    const blob = proto.ExternalBlobReference.decode(snapshot)
    let version = 0
    yield* together(
      fieldsInStream(downloadOwnDevicesFile(blob, "App State", await mediaHost())),
      ({ number, bytes }) => {
        if (number === snapshotFields.version) version = Number(proto.SyncdVersion.decode(bytes).version)
        return number === snapshotFields.records ? proto.SyncdRecord.decode(bytes) : undefined
      },
    )
    yield { changes: [], version }
  }
  for (const { mutations, externalMutations, version } of patches) {
    for (let at = 0; at < mutations.length; at += atATime)
      yield { changes: mutations.slice(at, at + atATime) }
    if (externalMutations)
      yield* together(
        fieldsInStream(downloadOwnDevicesFile(externalMutations, "App State", await mediaHost())),
        ({ number, bytes }) => (number === mutationsField ? proto.SyncdMutation.decode(bytes) : undefined),
      )
    yield { changes: [], version: Number(version?.version) }
  }
}

/**
 * Everything in a collection after this version. Other work has its turn between two batches.
 * @throws NetworkRejected, NoAnswer
 */
export async function* batchesSince(
  input: Pick<ReadInput, "mediaHost"> & { sock: Pick<WASocket, "query"> },
  name: string,
  since: number,
): AsyncGenerator<Batch> {
  let version = since
  try {
    for (let hasMore = true; hasMore;) {
      const before = version
      const answer = await askForCollection(input, name, version)
      for await (const batch of batchesIn(input, answer)) {
        version = batch.version ?? version
        yield batch
        await nextTurn()
      }
      hasMore = answer.hasMore && version !== before
    }
  } catch (error) {
    throw error instanceof FetchError ? new NoAnswer("a file of settings was not fetched") : error
  }
}

/** Reads the present settings of some kinds, and remembers them for as long as the connection. */
export function newReadSettings(
  input: Pick<ReadInput, "mediaHost" | "keyOf" | "log"> & { sock: Pick<WASocket, "query"> },
): Connection["settings"] {
  const known = new Map<string, { version: number; settings: Map<string, Setting> }>()
  const inTurn = newTurns()
  return (name, kinds) =>
    inTurn(async () => {
      const about = `${name} ${kinds.join(" ")}`
      const read = known.get(about) ?? { version: 0, settings: new Map<string, Setting>() }
      for await (const { changes, version = read.version } of batchesSince(input, name, read.version)) {
        for (const { index, syncAction } of await decoded(input, changes))
          if (syncAction.value && kinds.includes(index[0] ?? ""))
            read.settings.set(JSON.stringify(index), { index, value: syncAction.value })
        read.version = version
      }
      known.set(about, read)
      return [...read.settings.values()]
    })
}

async function* together(
  fields: AsyncIterable<Field>,
  decode: (field: Field) => Change | undefined,
): AsyncGenerator<Batch> {
  let changes: Change[] = []
  for await (const field of fields) {
    const change = decode(field)
    if (change) changes.push(change)
    if (changes.length < atATime) continue
    yield { changes }
    changes = []
  }
  yield { changes }
}

async function applySome(reading: ReadInput, changes: Change[]): Promise<void> {
  if (changes.length === 0) return
  const { sock, log } = reading
  const found: { people: Acquaintance[]; pairs: LIDMapping[] } = { people: [], pairs: [] }
  const listener = {
    emit(event: string, news: unknown) {
      if (event === "lid-mapping.update") found.pairs.push(news as LIDMapping)
      if (event === "creds.update") sock.ev.emit("creds.update", news as object)
    },
  } as unknown as BaileysEventEmitter // nothing else of it is used
  const { me } = sock.authState.creds
  const chats: ChatSetting[] = []
  for (const mutation of await decoded(reading, changes)) {
    const entry = personInEntry(mutation)
    if (entry) found.people.push(entry)
    if (mutation.isRemoved) continue
    chats.push(...chatSettingIn(mutation))
    try {
      processSyncAction(mutation, listener, me ?? { id: "" }, undefined, log)
    } catch (error) {
      log.warn({ error }, "a setting was not understood")
    }
  }
  // `recordPeople` comes last: it waits until everything before it is durable.
  await reading.recordChats(chats)
  await reading.recordPeople(found)
}

/**
 * Decodes changes, without those that cannot be read.
 * @throws Error if the key is missing (`isMissingKeyError`)
 */
async function decoded(
  reading: Pick<ReadInput, "keyOf" | "log">,
  changes: Change[],
): Promise<(ChatMutation & { isRemoved?: boolean })[]> {
  // Baileys decodes what is removed as what is set, and does not tell them apart.
  const at = changes.findIndex(isRemoval)
  if (at >= 0 && changes.length > 1) {
    const parts = [changes.slice(0, at), changes.slice(at, at + 1), changes.slice(at + 1)]
    return (await Promise.all(parts.map((part) => decoded(reading, part)))).flat()
  }
  const found: ChatMutation[] = []
  try {
    // Each batch gets a new state, which is dropped: the state of the whole collection would be copied and
    // hashed for each hundred changes.
    const state = newLTHashState()
    await decodeSyncdMutations(changes, state, reading.keyOf, (mutation) => found.push(mutation), false)
    return at === 0 ? found.map((mutation) => ({ ...mutation, isRemoved: true })) : found
  } catch (error) {
    if (isMissingKeyError(error)) throw error
    if (changes.length === 1) reading.log.warn({ error }, "a setting was not read")
    if (changes.length === 1) return []
    const each = []
    for (const change of changes) each.push(...(await decoded(reading, [change])))
    return each
  }
}

function isRemoval(change: Change): boolean {
  return "operation" in change && change.operation === proto.SyncdMutation.SyncdOperation.REMOVE
}
