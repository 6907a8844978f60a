import { AsyncLocalStorage } from "node:async_hooks"
import type { SignalDataSet, SignalDataTypeMap, SignalKeyStore } from "@whiskeysockets/baileys"
import type { Change, KeyChange, Vault } from "#session-host/network/connection.ts"
import { keyFromText, toText } from "./serialise.ts"

/** The reads and writes of one step: kept together, or not at all. */
interface Unit {
  /** Becomes durable with the keys. */
  received?: Change["received"]
  sending?: Change["sending"]
}

interface Open extends Unit {
  changes: Map<string, KeyChange>
}

/** The Signal keys of a session. */
export interface Keys extends Required<Pick<SignalKeyStore, "get" | "set">> {
  /**
   * Runs `work` on its own view of the keys and keeps all that it wrote in one change; if it throws, nothing is kept.
   * Within another unit it joins that one.
   */
  atomically<T>(work: (unit: Unit) => Promise<T>): Promise<T>
  isInTransaction(): boolean
  /** Baileys' name for `atomically`; its locks are by key alone and not needed under ours. */
  transaction<T>(work: () => Promise<T>, key: string): Promise<T>
}

/**
 * Keys over the vault. Baileys' own transactions are not used for ratchets: a send's would hold them from encryption
 * until after the stanza has left, and lose updates against what arrives meanwhile.
 */
export function keysOf(vault: Pick<Vault, "keys" | "keep">): Keys {
  const current = new AsyncLocalStorage<Open>()

  const get = async <K extends keyof SignalDataTypeMap>(kind: K, ids: string[]) => {
    const changes = current.getStore()?.changes
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

  const set = async (data: SignalDataSet) => {
    const changes = changesOf(data)
    const unit = current.getStore()
    if (!unit) return changes.length > 0 ? vault.keep({ keys: changes }) : undefined
    for (const change of changes) unit.changes.set(nameOf(change.type, change.id), change)
  }

  const atomically = async <T>(work: (unit: Unit) => Promise<T>): Promise<T> => {
    const outer = current.getStore()
    if (outer) return work(outer)
    const unit: Open = { changes: new Map() }
    const result = await current.run(unit, () => work(unit))
    const { received, sending } = unit
    const change: Change = {
      ...(unit.changes.size > 0 && { keys: [...unit.changes.values()] }),
      ...(received && { received }),
      ...(sending && { sending }),
    }
    if (Object.keys(change).length > 0) await vault.keep(change)
    return result
  }

  return {
    get,
    set,
    atomically,
    isInTransaction: () => current.getStore() !== undefined,
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
      value: value === null || value === undefined ? null : toText(value, type),
    })),
  )
}
