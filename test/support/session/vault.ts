import { setTimeout as delay } from "node:timers/promises"
import type {
  VaultChange,
  Gate,
  Intake,
  Outgoing,
  Received,
  Vault,
} from "#session-host/network/connection.ts"
import { until } from "../until.ts"

export type VolatileVault = ReturnType<typeof aVault>

/** A change that was kept, with the message that brought it. */
export type Kept = VaultChange & { received?: Received }

/** What is in the vault: all that was changed so far, durable or not. */
function newContent() {
  const keys = new Map<string, string>()
  const seen = new Set<string>()
  const sends = new Map<string, Outgoing>()
  const changes: Kept[] = []
  let creds: string | undefined
  let taken: Received[] = []
  return {
    keys,
    seen,
    sends,
    changes,
    creds: () => creds,
    taken: () => taken,
    forgetTaken: () => {
      taken = []
    },
    apply(change: Kept): void {
      changes.push(change)
      for (const { type, id, value } of change.keys ?? [])
        if (value === null) keys.delete(`${type} ${id}`)
        else keys.set(`${type} ${id}`, value)
      if (change.creds) creds = change.creds
      if (change.received) {
        seen.add(change.received.hash)
        taken.push(change.received)
      }
      if (change.outgoing) sends.set(change.outgoing.messageId, change.outgoing)
    },
  }
}

/** What can be held up from `begin` until the function is called that this returns. */
function newHold() {
  let end: Promise<void> | undefined
  return {
    /** Undefined while nothing is held up. */
    end: () => end,
    begin: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      end = promise
      return () => {
        end = undefined
        resolve()
      }
    },
  }
}

/** Units become durable one by one, in order, each after a pause. */
function newUnits(pause: () => Promise<void> | undefined) {
  let [made, kept] = [0, 0]
  let last = Promise.resolve()
  /** Resolves when it is durable, for each unit. */
  const units: Promise<void>[] = []
  const hold = newHold()
  let failing: { failure: Error; onFailure: () => void } | undefined

  const refuse = () => {
    if (!failing) return
    const { failure, onFailure } = failing
    onFailure()
    throw failure
  }
  const commit = async (unit: number) => {
    await hold.end()
    await pause()
    refuse()
    kept = unit
  }
  const gate: Gate = {
    get made() {
      return made
    },
    get kept() {
      return kept
    },
    isFull: false,
    whenKept: async (unit) => await units[unit - 1],
  }
  return {
    gate,
    /** @throws once the session has ended */
    make: (apply: () => void): void => {
      refuse()
      apply()
      const unit = ++made
      last = last.then(() => commit(unit))
      last.catch(() => {})
      units.push(last)
    },
    /** Resolves when everything that was made is durable. */
    settled: () => last,
    /** From now on no change becomes durable, until the returned function is called. */
    hold: hold.begin,
    /**
     * Makes the session end from now on, after `onFailure` (in which its owner closes the socket), until the
     * returned function is called.
     */
    fail: (onFailure: () => void) => {
      failing = { failure: new Error("fenced"), onFailure }
      return () => {
        failing = undefined
      }
    },
  }
}

/**
 * A session's vault and intake that live as long as this process. Their units become durable one by one, in
 * order.
 */
export function aVault(input: { latencyMs?: () => number } = {}) {
  const pause = () => (input.latencyMs ? delay(input.latencyMs()) : undefined)
  const content = newContent()
  const { gate, make, settled, hold, fail } = newUnits(pause)
  const reads = newHold()
  /** The attributes of the messages that have arrived. */
  const foreseen: Received["attrs"][] = []

  const change = async (its: Kept) => make(() => content.apply(its))
  const isSeen: Intake["isSeen"] = async ({ hash }) => {
    await reads.end()
    return content.seen.has(hash)
  }
  const vault: Omit<Vault, "creds"> & Intake = {
    ...followingAll,
    gate,
    async keys(type, ids) {
      await reads.end()
      await pause()
      return new Map(
        ids.flatMap((id) => {
          const value = content.keys.get(`${type} ${id}`)
          return value === undefined ? [] : [[id, value] as const]
        }),
      )
    },
    change,
    foresee: (attrs) => void foreseen.push(attrs),
    whatToDoWith: async (ciphertext, mayBeNew) =>
      !mayBeNew && (await isSeen(ciphertext)) ? "seen" : "decrypt",
    isSeen,
    takePost: async () => {},
    receive: (received, changed) => change({ ...(changed.length > 0 && { keys: changed }), received }),
    async sent(messageId) {
      await reads.end()
      return content.sends.get(messageId)
    },
  }

  return {
    ...vault,
    get creds() {
      return content.creds()
    },
    /** Every change that was made, in order. */
    changes: content.changes,
    /** How many of them are durable. */
    kept: () => gate.kept,
    /** The values of one type. */
    ofType: (type: string) =>
      [...content.keys].flatMap(([name, value]) => (name.startsWith(`${type} `) ? [value] : [])),
    /** The messages that were received. */
    taken: content.taken,
    /** Resolves when this many messages were received. */
    takes: async (count: number) => await until(() => content.taken().length >= count),
    /** Forgets the received messages. If they are delivered again, they are still known. */
    forgetTaken: content.forgetTaken,
    settled,
    /** How many messages have arrived, read or not. */
    arrived: () => foreseen.length,
    /** No read is answered from now on, until the returned function is called. */
    holdReads: reads.begin,
    hold,
    fail,
  }
}

/** Nothing is left out, and what is beside messages is not kept. */
const followingAll = {
  expect: async () => {},
  forgets: () => "never",
  followsGroup: () => true,
  followsReceipts: false,
  recordReceipts: async () => {},
  keepsChats: false,
  keepsHistory: false,
  recordRead: async () => {},
} satisfies Partial<Intake>
