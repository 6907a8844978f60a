import {
  decodePatches,
  type LTHashState,
  newLTHashState,
  proto,
  type WAPatchName,
} from "@whiskeysockets/baileys"
import { bytes, child, children, el } from "../../wire/node.ts"
import type { Handset } from "../handset.ts"
import { appStateKey, appStateKeyOf } from "./keys.ts"
import { type Mutation, patchOf, snapshotMacOf } from "./syncd.ts"

/** The collections there are, by how urgent a client takes them. */
export const collections = [
  "critical_block",
  "critical_unblock_low",
  "regular_high",
  "regular_low",
  "regular",
] as const

export type Collection = (typeof collections)[number]

/** A setting: what it is about, and what it is now. */
export type Setting = Mutation

/** How many changes a patch has at the most. */
const together = 1000

/** Changes a setting of the account, for all its devices. */
export async function changeSetting(handset: Handset, collection: Collection, setting: Setting) {
  await changeSettings(handset, collection, [setting])
}

/** Changes many at once, in as few patches as will do. */
export async function changeSettings(handset: Handset, collection: Collection, settings: Setting[]) {
  const known = await current(handset, collection)
  for (let at = 0; at < settings.length; at += together) {
    const made = patchOf(
      collection,
      settings.slice(at, at + together),
      appStateKey(handset.keys),
      known.state,
    )
    const patch = Buffer.from(proto.SyncdPatch.encode(made.patch).finish())
    const reply = handset.ask("w:sync:app:state", "set", [
      el("sync", {}, [
        el("collection", { name: collection, version: known.state.version, return_snapshot: "false" }, [
          el("patch", {}, patch),
        ]),
      ]),
    ])
    if (child(child(child(reply, "sync"), "collection"), "error"))
      throw new Error("a companion changed the collection meanwhile")
    apply(known.records, [made.patch])
    known.state = made.state
  }
  for (const { index, value, version } of settings)
    known.mutations[JSON.stringify(index)] = { index, syncAction: { value, version } }
  keepSnapshot(handset, collection, known)
}

/** Tells companions the account's name: they learn it from the settings. */
export async function sendName(handset: Handset) {
  const { name } = handset.user()
  const known = await settings(handset, "critical_block")
  if (known.some(({ value }) => value?.pushNameSetting?.name === name)) return
  const value = { pushNameSetting: { name } }
  await changeSetting(handset, "critical_block", {
    index: ["setting_pushName"],
    value,
    version: 1,
    remove: false,
  })
}

/** The settings in a collection, set by any device of the account. */
export async function settings(handset: Handset, collection: Collection) {
  const { mutations } = await current(handset, collection)
  return Object.values(mutations).map(({ index, syncAction }) => ({
    index,
    value: syncAction.value ? asJson(syncAction.value) : null,
  }))
}

// protobuf's JSON has the fields of the message; bytes and large numbers are strings in it.
function asJson(value: proto.ISyncActionValue) {
  return proto.SyncActionValue.fromObject(value).toJSON() as proto.ISyncActionValue
}

/** A collection, as far as the phone has worked through it. */
interface Read {
  state: LTHashState
  mutations: Awaited<ReturnType<typeof decodePatches>>["mutationMap"]
  /** The records that are left when all patches are applied, by index. */
  records: Map<string, proto.ISyncdRecord>
}

const read = new WeakMap<Handset, Map<Collection, Read>>()

/** Works through a collection's new patches, and leaves the network a snapshot of what comes out. */
async function current(handset: Handset, collection: Collection): Promise<Read> {
  const known = read.get(handset) ?? new Map<Collection, Read>()
  read.set(handset, known)
  let now = known.get(collection) ?? { state: newLTHashState(), mutations: {}, records: new Map() }
  for (let more = true; more;) {
    const page = await patchesAfter(handset, collection, now.state.version)
    if (page.patches.length === 0) break
    apply(now.records, page.patches)
    const { state, mutationMap } = await decodePatches(
      collection satisfies WAPatchName,
      page.patches,
      now.state,
      async (id) => ({ keyData: appStateKeyOf(handset.keys, Buffer.from(id, "base64"))?.data }),
      {},
    )
    const taken = Object.entries(mutationMap).filter(([, { syncAction }]) => isWhole(syncAction.value))
    now = { ...now, state, mutations: Object.assign(now.mutations, Object.fromEntries(taken)) }
    more = page.more
    if (!more) keepSnapshot(handset, collection, now)
  }
  known.set(collection, now)
  return now
}

/** A phone ignores a setting that does not say up to which message of the chat it counts. */
function isWhole(value: proto.ISyncActionValue | null | undefined): boolean {
  const about = value?.archiveChatAction ?? value?.markChatAsReadAction
  return !about || Number(about.messageRange?.lastMessageTimestamp ?? 0) > 0
}

async function patchesAfter(handset: Handset, collection: Collection, version: number) {
  const reply = handset.ask("w:sync:app:state", "set", [
    el("sync", {}, [el("collection", { name: collection, version, return_snapshot: "false" })]),
  ])
  const answer = child(child(reply, "sync"), "collection")
  const patches = children(child(answer, "patches")).map((node) =>
    proto.SyncdPatch.decode(bytes(node) ?? Buffer.alloc(0)),
  )
  return { patches, more: answer?.attrs.has_more_patches === "true" }
}

function apply(records: Map<string, proto.ISyncdRecord>, patches: proto.ISyncdPatch[]): void {
  for (const { operation, record } of patches.flatMap(({ mutations }) => mutations ?? [])) {
    const name = Buffer.from(record?.index?.blob ?? []).toString("base64")
    if (operation === proto.SyncdMutation.SyncdOperation.REMOVE || !record) records.delete(name)
    else records.set(name, record)
  }
}

function keepSnapshot(handset: Handset, collection: Collection, { state, records }: Read) {
  const { id, data } = appStateKey(handset.keys)
  const snapshot = {
    version: { version: state.version },
    records: [...records.values()],
    mac: snapshotMacOf(collection, state, data),
    keyId: { id },
  }
  handset.network.appState.keepSnapshot(handset.own.user, collection, {
    version: state.version,
    bytes: proto.SyncdSnapshot.encode(snapshot).finish(),
  })
}
