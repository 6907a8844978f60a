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

/**
 * A session's vault and intake that live as long as this process. Their units become durable one by one, in
 * order.
 */
export function aVault(input: { latencyMs?: () => number } = {}) {
  const keys = new Map<string, string>()
  const seen = new Set<string>()
  const sends = new Map<string, Outgoing>()
  const changes: Kept[] = []
  let taken: Received[] = []
  const state: { creds: string | undefined; made: number; kept: number } = {
    creds: undefined,
    made: 0,
    kept: 0,
  }
  let last = Promise.resolve()
  /** Resolves when it is durable, for each unit. */
  const units: Promise<void>[] = []
  let stopped: { before: Promise<void> | undefined; failure: Error | undefined; onFailure: () => void } = {
    before: undefined,
    failure: undefined,
    onFailure: () => {},
  }

  let unanswered: Promise<void> | undefined
  /** The attributes of the messages that have arrived. */
  const foreseen: Received["attrs"][] = []

  const pause = () => (input.latencyMs ? delay(input.latencyMs()) : undefined)
  const apply = (change: Kept) => {
    changes.push(change)
    for (const { type, id, value } of change.keys ?? [])
      if (value === null) keys.delete(`${type} ${id}`)
      else keys.set(`${type} ${id}`, value)
    if (change.creds) state.creds = change.creds
    if (change.received) {
      seen.add(change.received.hash)
      taken.push(change.received)
    }
    if (change.outgoing) sends.set(change.outgoing.messageId, change.outgoing)
  }
  const commit = async (unit: number) => {
    await stopped.before
    await pause()
    refuse()
    state.kept = unit
  }
  const refuse = () => {
    if (!stopped.failure) return
    stopped.onFailure()
    throw stopped.failure
  }

  const gate: Gate = {
    get made() {
      return state.made
    },
    get kept() {
      return state.kept
    },
    isFull: false,
    whenKept: async (unit) => await units[unit - 1],
  }
  const keep = async (change: Kept) => {
    refuse()
    apply(change)
    const unit = ++state.made
    last = last.then(() => commit(unit))
    last.catch(() => {})
    units.push(last)
  }
  const isSeen: Intake["isSeen"] = async ({ hash }) => {
    await unanswered
    return seen.has(hash)
  }
  const vault: Vault & Intake = {
    gate,
    get creds() {
      return state.creds
    },
    async keys(type, ids) {
      await unanswered
      await pause()
      return new Map(
        ids.flatMap((id) => {
          const value = keys.get(`${type} ${id}`)
          return value === undefined ? [] : [[id, value] as const]
        }),
      )
    },
    keep,
    foresee: (attrs) => void foreseen.push(attrs),
    whatToDoWith: async (ciphertext, mayBeNew) =>
      !mayBeNew && (await isSeen(ciphertext)) ? "seen" : "decrypt",
    isSeen,
    expect: async () => {},
    forgets: () => "never",
    followsGroup: () => true,
    followsReceipts: false,
    takeReceipts: async () => {},
    keepsChats: false,
    keepsHistory: false,
    takeRead: async () => {},
    take: (received, changed) => keep({ ...(changed.length > 0 && { keys: changed }), received }),
    async sent(messageId) {
      await unanswered
      return sends.get(messageId)
    },
  }

  return {
    ...vault,
    // A getter, since a spread would read it once.
    get creds() {
      return state.creds
    },
    /** Every change that was made, in order. */
    changes,
    /** How many of them are durable. */
    kept: () => state.kept,
    /** The values of one type. */
    ofType: (type: string) =>
      [...keys].flatMap(([name, value]) => (name.startsWith(`${type} `) ? [value] : [])),
    /** The messages that were received. */
    taken: () => taken,
    /** Resolves when this many messages were received. */
    takes: async (count: number) => await until(() => taken.length >= count),
    /** Forgets the received messages. If they are delivered again, they are still known. */
    forgetTaken: () => {
      taken = []
    },
    /** Resolves when everything that was made is durable. */
    settled: () => last,
    /** How many messages have arrived, read or not. */
    arrived: () => foreseen.length,
    /** No read is answered from now on, until the returned function is called. */
    holdReads() {
      const { promise, resolve } = Promise.withResolvers<void>()
      unanswered = promise
      return () => {
        unanswered = undefined
        resolve()
      }
    },
    /** From now on no change becomes durable, until the returned function is called. */
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      stopped = { ...stopped, before: promise }
      return () => {
        stopped = { ...stopped, before: undefined }
        resolve()
      }
    },
    /**
     * Makes the session end from now on, after `onFailure` (in which its owner closes the socket), until the
     * returned function is called.
     */
    fail(onFailure: () => void) {
      stopped = { ...stopped, failure: new Error("fenced"), onFailure }
      return () => {
        stopped = { ...stopped, failure: undefined }
      }
    },
  }
}
