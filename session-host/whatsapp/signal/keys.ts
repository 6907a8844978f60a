import type { SignalDataSet, SignalDataTypeMap, SignalKeyStore } from "@whiskeysockets/baileys"
import type { KeyChange, Vault } from "#session-host/network/connection.ts"
import { inKeyStep, type KeyStep, keyStepNow } from "../send/transmission.ts"
import { keyFromText, valueToText } from "./keys-as-text.ts"

/** The Signal keys of a session. */
export interface Keys extends Required<Pick<SignalKeyStore, "get" | "set">> {
  /**
   * Runs `work` on its own view of the keys, then makes one unit of everything that it wrote; if `work`
   * throws, nothing is made. Within another such step, the work joins that one.
   * @param change makes the unit, together with what `work` has made; without it, the keys change alone
   */
  atomically<T>(work: () => Promise<T>, change?: (changes: KeyChange[], made: T) => Promise<void>): Promise<T>
  isInTransaction(): boolean
  /** Baileys' name for `atomically`. Baileys' locks are by key alone, and are not needed under ours. */
  transaction<T>(work: () => Promise<T>, key: string): Promise<T>
}

/**
 * Keys over the vault. Baileys' own transactions are not used for ratchets: the transaction of a send would
 * hold its changes from encryption until after the stanza has left, and so lose updates that arriving
 * messages make meanwhile.
 */
export function keysOf(vault: Pick<Vault, "keys" | "change">): Keys {
  const get = async <K extends keyof SignalDataTypeMap>(kind: K, ids: string[]) => {
    const changes = keyStepNow()
    const missing = ids.filter((id) => !changes?.has(nameOf(kind, id)))
    const kept = missing.length > 0 ? await vault.keys(kind, missing) : undefined
    const found: Record<string, SignalDataTypeMap[K]> = {}
    for (const id of ids) {
      const changed = changes?.get(nameOf(kind, id))
      const text = changed ? changed.value : kept?.get(id)
      if (text) found[id] = keyFromText(kind, text)
    }
    return found
  }

  const changeAlone = async (changes: KeyChange[]) => {
    if (changes.length > 0) await vault.change({ keys: changes })
  }

  const set = async (data: SignalDataSet) => {
    const changes = changesOf(data)
    const step = keyStepNow()
    if (!step) return await changeAlone(changes)
    for (const change of changes) step.set(nameOf(change.type, change.id), change)
  }

  const atomically = async <T>(
    work: () => Promise<T>,
    change: (changes: KeyChange[], made: T) => Promise<void> = changeAlone,
  ): Promise<T> => {
    if (keyStepNow()) return await work()
    const step: KeyStep = new Map()
    const made = await inKeyStep(step, work)
    await change([...step.values()], made)
    return made
  }

  return {
    get,
    set,
    atomically,
    isInTransaction: () => keyStepNow() !== undefined,
    transaction: (work) => atomically(work),
  }
}

function nameOf(type: string, id: string) {
  return `${type} ${id}`
}

function changesOf(data: SignalDataSet): KeyChange[] {
  return Object.entries(data).flatMap(([type, values]) =>
    Object.entries(values).map(([id, value]) => ({
      type,
      id,
      value: value === null || value === undefined ? null : valueToText(value, type),
    })),
  )
}
