import {
  decodePatches,
  type LTHashState,
  newLTHashState,
  proto,
  type WAPatchName,
} from "@whiskeysockets/baileys"
import { deviceName } from "../../network/directory.ts"
import { bytes, child, children, el, type Node } from "../../wire/node.ts"
import type { Handset } from "../handset.ts"
import { appStateKey, appStateKeyOf } from "./keys.ts"
import { type Mutation, patchOf, snapshotMacOf } from "./syncd.ts"
import { act, isUnderstood } from "./understood.ts"

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
  for (const { index, value, version, remove } of settings) {
    if (remove) delete known.mutations[JSON.stringify(index)]
    else known.mutations[JSON.stringify(index)] = { index, syncAction: { value, version } }
    act(handset, { index, value })
  }
  keepSnapshot(handset, collection, known)
}

/** Reads the collections that a companion has changed, and does what they say. */
export async function readChanged(handset: Handset, notification: Node) {
  const changed = children(notification).map(({ attrs }) => attrs.name)
  for (const collection of collections.filter((each) => changed.includes(each)))
    await current(handset, collection)
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
    for (const patch of page.patches) now = await taken(handset, collection, now, patch)
    more = page.more
    if (!more) keepSnapshot(handset, collection, now)
  }
  known.set(collection, now)
  return now
}

/** Takes in a patch, whose changes all set something or all remove something. */
async function taken(
  handset: Handset,
  collection: Collection,
  before: Read,
  patch: proto.SyncdPatch,
): Promise<Read> {
  const isRemoval = patch.mutations[0]?.operation === proto.SyncdMutation.SyncdOperation.REMOVE
  apply(before.records, [patch])
  const { state, mutationMap } = await decodePatches(
    collection satisfies WAPatchName,
    [patch],
    before.state,
    async (id) => ({ keyData: appStateKeyOf(handset.keys, Buffer.from(id, "base64"))?.data }),
    {},
  )
  for (const [name, mutation] of Object.entries(mutationMap)) {
    const { index, syncAction } = mutation
    const [value, version] = [syncAction.value ?? {}, syncAction.version ?? 0]
    if (isRemoval) delete before.mutations[name]
    else if (isUnderstood(handset, collection, { index, value, version, remove: false })) {
      before.mutations[name] = mutation
      act(handset, { index, value })
    } else
      handset.network.log.note(deviceName(handset.own), "setting ignored", { collection, kind: index[0] })
  }
  return { ...before, state }
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
