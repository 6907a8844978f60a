import { createHmac } from "node:crypto"
import { aesEncrypt, hkdf, type LTHashState, makeLtHashGenerator, proto } from "@whiskeysockets/baileys"
import type { AppStateKey } from "../signal/key-store.ts"

const { SET, REMOVE } = proto.SyncdMutation.SyncdOperation

/** A setting: its subject, and its value. */
export interface Mutation {
  index: string[]
  value: proto.ISyncActionValue
  version: number
  remove: boolean
}

/** One patch of all these mutations, as a phone makes it, and the state after it. */
export function patchOf(
  collection: string,
  mutations: Mutation[],
  { id, data }: AppStateKey,
  before: LTHashState,
): { patch: proto.ISyncdPatch; state: LTHashState } {
  const keys = keysOf(data)
  const sealed = mutations.map((mutation) => seal(mutation, id, keys))
  const generator = makeLtHashGenerator(before)
  for (const { operation, indexMac, valueMac } of sealed) generator.mix({ operation, indexMac, valueMac })
  const state = { ...before, ...generator.finish(), version: before.version + 1 }
  const snapshotMac = snapshotMacOf(collection, state, data)
  const macs = sealed.map(({ valueMac }) => valueMac)
  const about = Buffer.concat([snapshotMac, ...macs, bigEndian(state.version), Buffer.from(collection)])
  const patchMac = createHmac("sha256", keys.patchMac).update(about).digest()
  return { patch: { patchMac, snapshotMac, keyId: { id }, mutations: sealed.map(toSyncd) }, state }

  function toSyncd({ operation, indexMac, body, valueMac }: ReturnType<typeof seal>) {
    const record = {
      index: { blob: indexMac },
      value: { blob: Buffer.concat([body, valueMac]) },
      keyId: { id },
    }
    return { operation, record }
  }
}

/** The MACs that vouch for a state of a collection. */
export function snapshotMacOf(collection: string, { hash, version }: LTHashState, data: Uint8Array): Buffer {
  const { snapshotMac } = keysOf(data)
  return createHmac("sha256", snapshotMac).update(hash).update(bigEndian(version)).update(collection).digest()
}

type Keys = ReturnType<typeof keysOf>

function keysOf(data: Uint8Array) {
  const all = Buffer.from(hkdf(data, 160, { info: "WhatsApp Mutation Keys" }))
  const [index, value, valueMac, snapshotMac, patchMac] = [0, 32, 64, 96, 128].map((at) =>
    all.subarray(at, at + 32),
  ) as [Buffer, Buffer, Buffer, Buffer, Buffer] // as many as there are places
  return { index, value, valueMac, snapshotMac, patchMac }
}

function seal({ index, value, version, remove }: Mutation, keyId: Buffer, keys: Keys) {
  const operation = remove ? REMOVE : SET
  const indexBytes = Buffer.from(JSON.stringify(index))
  const plaintext = proto.SyncActionData.encode({
    index: indexBytes,
    value: { timestamp: Date.now(), ...value },
    padding: Buffer.alloc(0),
    version,
  }).finish()
  const body = aesEncrypt(plaintext, keys.value)
  const head = Buffer.concat([Buffer.of(remove ? 2 : 1), keyId])
  const valueMac = createHmac("sha512", keys.valueMac)
    .update(head)
    .update(body)
    .update(bigEndian(head.length))
    .digest()
    .subarray(0, 32)
  const indexMac = createHmac("sha256", keys.index).update(indexBytes).digest()
  return { operation, indexMac, valueMac, body }
}

function bigEndian(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt32BE(value, 4)
  return bytes
}
