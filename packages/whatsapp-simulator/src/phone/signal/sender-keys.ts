import {
  GroupCipher,
  GroupSessionBuilder,
  SenderKeyDistributionMessage,
  SenderKeyName,
  SenderKeyRecord,
} from "@whiskeysockets/baileys/lib/Signal/Group/index.js"
import type { DeviceAddress } from "../../network/directory.ts"
import type { Keys } from "./key-store.ts"

export type GroupSignal = ReturnType<typeof groupSignalOf>

/**
 * One phone's sender keys: its own for each group, and those that others gave it. They are staged and named
 * as its sessions are.
 */
export function groupSignalOf(keys: Keys, lidOf: (pn: string) => string) {
  const nameOf = (group: string, { user, id }: DeviceAddress) => {
    const name = lidOf(user)
    return new SenderKeyName(group, { id: name, deviceId: id, toString: () => `${name}.${id}` })
  }
  const store = {
    loadSenderKey: async (name: SenderKeyName) => {
      const row = keys.get("sender-key", name.toString())
      return row ? SenderKeyRecord.deserialize(row) : new SenderKeyRecord()
    },
    storeSenderKey: async (name: SenderKeyName, record: SenderKeyRecord) => {
      keys.put("sender-key", name.toString(), Buffer.from(JSON.stringify(record.serialize())))
    },
  }
  return {
    /** Our key for a group, in the form in which others are given it. It is made when there is none yet. */
    async distribution(group: string, own: DeviceAddress): Promise<Buffer> {
      const made = await new GroupSessionBuilder(store).create(nameOf(group, own))
      return Buffer.from(made.serialize())
    },
    async accept(group: string, from: DeviceAddress, distribution: Uint8Array) {
      // The constructor reads a distribution when its other parts are missing.
      const read = new SenderKeyDistributionMessage(null, null, null, null, Buffer.from(distribution))
      await new GroupSessionBuilder(store).process(nameOf(group, from), read)
    },
    encrypt: async (group: string, own: DeviceAddress, plaintext: Buffer): Promise<Buffer> =>
      Buffer.from(await new GroupCipher(store, nameOf(group, own)).encrypt(plaintext)),
    decrypt: async (group: string, from: DeviceAddress, body: Buffer): Promise<Buffer> =>
      Buffer.from(await new GroupCipher(store, nameOf(group, from)).decrypt(body)),
    /** Steps our key as if `count` messages had been encrypted that are never sent. */
    async leaveOut(group: string, own: DeviceAddress, count: number) {
      const record = await store.loadSenderKey(nameOf(group, own))
      const state = record.getSenderKeyState()
      if (!state) throw new Error("there is no sender key to leave messages out of")
      for (let i = 0; i < count; i++) state.setSenderChainKey(state.getSenderChainKey().getNext())
      await store.storeSenderKey(nameOf(group, own), record)
    },
    /** Throws our key away, since a member who has left the group must not read on. */
    forget: (group: string, own: DeviceAddress) =>
      keys.put("sender-key", nameOf(group, own).toString(), undefined),
  }
}
