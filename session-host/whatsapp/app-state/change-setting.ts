import {
  encodeSyncdPatch,
  type LTHashState,
  newLTHashState,
  proto,
  type WASocket,
} from "@whiskeysockets/baileys"
import { makeLtHashGenerator } from "@whiskeysockets/baileys/lib/Utils/chat-utils.js"
import { newTurns } from "#core/platform/locks.ts"
import type { SettingChange } from "#session-host/network/connection.ts"
import { NetworkRejected, NoAnswer } from "#session-host/network/errors.ts"
import { askForCollection, batchesSince, type ReadInput } from "./read-collection.ts"

interface Changing extends Pick<ReadInput, "mediaHost"> {
  sock: Pick<WASocket, "query" | "authState">
  /** The key of this id, in base64. */
  keyOf: (id: string) => Promise<proto.Message.IAppStateSyncKeyData | null | undefined>
}

/** How often a change is begun anew because another device of the account was first. */
const mostTries = 4

/**
 * Changes settings of the account, as its phone does. A change has to prove that its maker knows the whole
 * collection, by a hash over all of it. The hash is made here from what the network has, and kept for as long
 * as the connection. It is in no row: no other part needs it, and its state grows with each setting that was
 * ever made.
 * @returns makes one change. It throws NetworkRejected, NoAnswer
 */
export function newSettingChanges(input: Changing) {
  const states = new Map<string, LTHashState>()

  /** Brings the known state of a collection up to date. */
  async function known(name: string): Promise<LTHashState> {
    let state = states.get(name) ?? newLTHashState()
    for await (const { changes, version } of batchesSince(input, name, state.version))
      state = { ...state, ...hashed(state, changes), version: version ?? state.version }
    states.set(name, state)
    return state
  }

  /** Changes take turns: each begins where the last one ended. */
  const inTurn = newTurns()
  const change = async ({ collection, index, value, version, isRemoved }: SettingChange): Promise<void> => {
    const { SET, REMOVE } = proto.SyncdMutation.SyncdOperation
    const { myAppStateKeyId } = input.sock.authState.creds
    const hasKey = myAppStateKeyId !== undefined && (await input.keyOf(myAppStateKeyId))
    if (!myAppStateKeyId || !hasKey)
      throw new NoAnswer("the phone has not given the keys of its settings yet")
    for (let tries = 1; ; tries++) {
      const before = await known(collection)
      const { patch, state } = await encodeSyncdPatch(
        {
          type: collection,
          index,
          syncAction: { timestamp: Date.now(), ...value },
          apiVersion: version,
          operation: isRemoved ? REMOVE : SET,
        },
        myAppStateKeyId,
        before,
        input.keyOf,
      )
      const [mutation] = patch.mutations ?? []
      const name = Buffer.from(mutation?.record?.index?.blob ?? []).toString("base64")
      if (isRemoved && !before.indexValueMap[name]) return
      const bytes = proto.SyncdPatch.encode(patch).finish()
      const answer = await askForCollection(input, collection, before.version, bytes)
      // Baileys' state still has what was removed: it is made anew.
      if (!answer.isConflict)
        return void (isRemoved ? states.delete(collection) : states.set(collection, state))
      // Another device has changed the collection meanwhile. Its change is read, and this change is made
      // anew.
      if (tries === mostTries) throw new NetworkRejected(409)
    }
  }
  return (setting: SettingChange): Promise<void> => inTurn(() => change(setting))
}

function hashed(state: LTHashState, changes: (proto.ISyncdMutation | proto.ISyncdRecord)[]) {
  const generator = makeLtHashGenerator(state)
  for (const change of changes) {
    const record = "record" in change ? change.record : (change as proto.ISyncdRecord)
    const operation = "record" in change ? change.operation : proto.SyncdMutation.SyncdOperation.SET
    const [indexMac, value] = [record?.index?.blob, record?.value?.blob]
    if (indexMac && value && operation !== null && operation !== undefined)
      generator.mix({ indexMac, valueMac: value.subarray(-32), operation })
  }
  return generator.finish()
}
