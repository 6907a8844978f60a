import { createHmac } from "node:crypto"
import {
  decodePatches,
  encodeSyncdPatch,
  hkdf,
  type LTHashState,
  newLTHashState,
  proto,
  type WAPatchName,
} from "@whiskeysockets/baileys"
import { bytes, child, children, el } from "../wire/node.ts"
import type { Desk } from "./desk.ts"
import { appStateKey } from "./welcome.ts"

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
export interface Setting {
  index: string[]
  value: proto.ISyncActionValue
  version: number
  remove: boolean
}

/** Changes a setting of the account, for all its devices. */
export async function change(desk: Desk, collection: Collection, setting: Setting) {
  const { state } = await current(desk, collection)
  const { SET, REMOVE } = proto.SyncdMutation.SyncdOperation
  const encoded = await encodeSyncdPatch(
    {
      type: collection,
      index: setting.index,
      syncAction: { timestamp: Date.now(), ...setting.value },
      apiVersion: setting.version,
      operation: setting.remove ? REMOVE : SET,
    },
    keyId(desk),
    state,
    async () => key(desk),
  )
  const patch = Buffer.from(proto.SyncdPatch.encode(encoded.patch).finish())
  const reply = desk.ask("w:sync:app:state", "set", [
    el("sync", {}, [
      el("collection", { name: collection, version: state.version }, [el("patch", {}, patch)]),
    ]),
  ])
  if (child(child(child(reply, "sync"), "collection"), "error"))
    throw new Error("a companion changed the collection meanwhile")
  await current(desk, collection)
}

/** Companions learn from their account's settings under which name it goes. */
export async function tellName(desk: Desk) {
  const { name } = desk.user()
  const known = await settings(desk, "critical_block")
  if (known.some(({ value }) => value?.pushNameSetting?.name === name)) return
  const value = { pushNameSetting: { name } }
  await change(desk, "critical_block", { index: ["setting_pushName"], value, version: 1, remove: false })
}

/** What is set in a collection, by any device of the account. */
export async function settings(desk: Desk, collection: Collection) {
  const { mutations } = await current(desk, collection)
  return Object.values(mutations).map(({ index, syncAction }) => ({
    index,
    value: syncAction.value ? asJson(syncAction.value) : null,
  }))
}

// protobuf's JSON has the fields of the message; bytes and large numbers are strings in it.
function asJson(value: proto.ISyncActionValue) {
  return proto.SyncActionValue.fromObject(value).toJSON() as proto.ISyncActionValue
}

/** Works through a collection's patches, and leaves the network a snapshot of what comes out. */
async function current(desk: Desk, collection: Collection) {
  const reply = desk.ask("w:sync:app:state", "set", [
    el("sync", {}, [el("collection", { name: collection, version: 0, return_snapshot: "false" })]),
  ])
  const patches = children(child(child(child(reply, "sync"), "collection"), "patches")).map((node) =>
    proto.SyncdPatch.decode(bytes(node) ?? Buffer.alloc(0)),
  )
  const records = recordsOf(patches)
  const { state, mutationMap } = await decodePatches(
    collection satisfies WAPatchName,
    patches,
    newLTHashState(),
    async () => key(desk),
    {},
  )
  if (state.version > 0) keepSnapshot(desk, collection, state, records)
  return { state, mutations: mutationMap }
}

/** The records that are left when all patches are applied. */
function recordsOf(patches: proto.ISyncdPatch[]): proto.ISyncdRecord[] {
  const records = new Map<string, proto.ISyncdRecord>()
  for (const { operation, record } of patches.flatMap(({ mutations }) => mutations ?? [])) {
    const name = Buffer.from(record?.index?.blob ?? []).toString("base64")
    if (operation === proto.SyncdMutation.SyncdOperation.REMOVE || !record) records.delete(name)
    else records.set(name, record)
  }
  return [...records.values()]
}

function keepSnapshot(desk: Desk, collection: Collection, state: LTHashState, records: proto.ISyncdRecord[]) {
  const macKey = Buffer.from(
    hkdf(appStateKey(desk.keys).data, 160, { info: "WhatsApp Mutation Keys" }),
  ).subarray(96, 128)
  const version = Buffer.alloc(8)
  version.writeUInt32BE(state.version, 4)
  const mac = createHmac("sha256", macKey).update(state.hash).update(version).update(collection).digest()
  const { id } = appStateKey(desk.keys)
  const snapshot = { version: { version: state.version }, records, mac, keyId: { id } }
  desk.network.appState.keepSnapshot(desk.own.user, collection, {
    version: state.version,
    bytes: proto.SyncdSnapshot.encode(snapshot).finish(),
  })
}

const keyId = (desk: Desk) => appStateKey(desk.keys).id.toString("base64")

const key = (desk: Desk): proto.Message.IAppStateSyncKeyData => ({ keyData: appStateKey(desk.keys).data })
