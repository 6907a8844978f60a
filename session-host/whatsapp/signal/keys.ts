import type { SignalDataSet, SignalDataTypeMap, SignalKeyStore } from "@whiskeysockets/baileys"
import type { KeyChange, Vault } from "#session-host/network/connection.ts"
import { inUnit, type Unit, unitNow } from "../async-context.ts"
import { keyFromText, valueToText } from "./keys-as-text.ts"

/** The Signal keys of a session. */
export interface Keys extends Required<Pick<SignalKeyStore, "get" | "set">> {
  /**
   * Runs `work` on its own view of the keys, then has everything that it wrote kept as one unit; if `work`
   * throws, nothing is kept. Within another unit, the work joins that one.
   * @param keep keeps the changes together with what `work` has made of them; without `keep`, they are kept
   * alone
   */
  atomically<T>(work: () => Promise<T>, keep?: (changes: KeyChange[], made: T) => Promise<void>): Promise<T>
  isInTransaction(): boolean
  /** Baileys' name for `atomically`. Baileys' locks are by key alone, and are not needed under ours. */
  transaction<T>(work: () => Promise<T>, key: string): Promise<T>
}

/**
 * Keys over the vault. Baileys' own transactions are not used for ratchets: the transaction of a send would
 * hold its changes from encryption until after the stanza has left, and so lose updates that arriving
 * messages make meanwhile.
 */
export function keysOf(vault: Pick<Vault, "keys" | "keep">): Keys {
  const get = async <K extends keyof SignalDataTypeMap>(kind: K, ids: string[]) => {
    const changes = unitNow()
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

  const keepAlone = async (changes: KeyChange[]) => {
    if (changes.length > 0) await vault.keep({ keys: changes })
  }

  const set = async (data: SignalDataSet) => {
    const changes = changesOf(data)
    const unit = unitNow()
    if (!unit) return await keepAlone(changes)
    for (const change of changes) unit.set(nameOf(change.type, change.id), change)
  }

  const atomically = async <T>(
    work: () => Promise<T>,
    keep: (changes: KeyChange[], made: T) => Promise<void> = keepAlone,
  ): Promise<T> => {
    if (unitNow()) return await work()
    const unit: Unit = new Map()
    const made = await inUnit(unit, work)
    await keep([...unit.values()], made)
    return made
  }

  return {
    get,
    set,
    atomically,
    isInTransaction: () => unitNow() !== undefined,
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
