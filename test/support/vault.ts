import { setTimeout as delay } from "node:timers/promises"
import type { Change, Outgoing, Received, Vault } from "#session-host/network.ts"

export type VolatileVault = ReturnType<typeof aVault>

/** A session's vault that lives as long as this process: one commit at a time, in the order of asking. */
export function aVault(input: { latencyMs?: () => number } = {}) {
  const keys = new Map<string, string>()
  const seen = new Set<string>()
  const journal = new Map<string, Received>()
  const sends = new Map<string, Outgoing>()
  const changes: Change[] = []
  const asked: Change[] = []
  const state: { creds: string | undefined } = { creds: undefined }
  let last = Promise.resolve()
  let stopped: { before: Promise<void> | undefined; failure: Error | undefined; onFailure: () => void } = {
    before: undefined,
    failure: undefined,
    onFailure: () => {},
  }

  const pause = () => (input.latencyMs ? delay(input.latencyMs()) : undefined)
  const apply = (change: Change) => {
    changes.push(change)
    for (const { type, id, value } of change.keys ?? [])
      if (value === null) keys.delete(`${type} ${id}`)
      else keys.set(`${type} ${id}`, value)
    if (change.creds) state.creds = change.creds
    if (change.received) {
      seen.add(change.received.hash)
      journal.set(change.received.hash, change.received)
    }
    if (change.sending) sends.set(change.sending.messageId, change.sending)
  }

  const vault: Vault = {
    get creds() {
      return state.creds
    },
    async keys(type, ids) {
      await pause()
      return new Map(
        ids.flatMap((id) => {
          const value = keys.get(`${type} ${id}`)
          return value === undefined ? [] : [[id, value] as const]
        }),
      )
    },
    keep(change) {
      const commit = async () => {
        await stopped.before
        await pause()
        if (stopped.failure) {
          stopped.onFailure()
          throw stopped.failure
        }
        apply(change)
      }
      asked.push(change)
      const kept = last.then(commit)
      last = kept.catch(() => {})
      return kept
    },
    async lookUp(hash) {
      const row = journal.get(hash)
      if (row) return { state: "journalled", plaintext: row.plaintext }
      return { state: seen.has(hash) ? "drained" : "new" }
    },
    sent: async (messageId) => sends.get(messageId)?.message,
  }

  return {
    ...vault,
    // A spread would have read it once.
    get creds() {
      return state.creds
    },
    /** All that was kept, in order. */
    changes,
    /** All that was to be kept, whether or not it has been yet. */
    asked: () => asked,
    /** The values of one type, as kept. */
    ofType: (type: string) =>
      [...keys].flatMap(([name, value]) => (name.startsWith(`${type} `) ? [value] : [])),
    /** What is journalled and not drained. */
    journal: () => [...journal.values()],
    drain: () => journal.clear(),
    settled: () => last,
    /** Commits wait from now on, until the returned function is called. */
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      stopped = { ...stopped, before: promise }
      return () => {
        stopped = { ...stopped, before: undefined }
        resolve()
      }
    },
    /** Commits fail from now on, each after `onFailure` (the owner closes its socket there), until the returned function is called. */
    fail(onFailure: () => void) {
      stopped = { ...stopped, failure: new Error("fenced"), onFailure }
      return () => {
        stopped = { ...stopped, failure: undefined }
      }
    },
  }
}
