export * as AccountReceivers from "./account-receivers.ts"

import { LRUCache } from "lru-cache"
import { z } from "zod"
import { nowMs } from "../platform/clock.ts"
import { config } from "../platform/config.ts"
import { getRow, type Key, rowsBeginning } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { Receiver } from "./receiver.ts"

/** What an account has chosen of a webhook that gets the events of all its bridges. */
interface Chosen {
  receiver: Receiver.Info
  batch?: number | undefined
  pausedAt?: number | undefined
  heals: boolean
}

/** A webhook of an account, and the time from which on it gets events, Unix seconds. */
interface Listed {
  webhookId: string
  createdAt: number
}

/** For how long a process trusts what it has read, in ms: so late it learns of another process's change. */
const trustedMs = 1000

/** Values with the time at which each was read, in Unix ms. A forgotten one has none, and was never read. */
type Known<Value> = LRUCache<string, { readMs: number; value?: Value }>
const chosen: Known<Chosen | undefined> = new LRUCache({ max: 10_000 })
const lists: Known<Listed[]> = new LRUCache({ max: 10_000 })

/** What is chosen of a webhook now, or was up to a second ago; undefined once it is deleted. */
export async function get(accountId: string, webhookId: string): Promise<Chosen | undefined> {
  const id = Receiver.atAccount({ accountId, webhookId })
  return await knownOr(chosen, nameOf(id), 0, async () => {
    const row = await getRow(tables.events, Receiver.key(id))
    return row && { ...Row.parse(row), receiver: Receiver.fromRow(id, row) }
  })
}

const Row = z
  .object({
    batch: z.number().int().optional(),
    paused_at: z.number().int().optional(),
    heals: z.boolean().default(false),
  })
  .transform(({ paused_at: pausedAt, ...chosen }) => ({ ...chosen, pausedAt }))

/**
 * The webhooks of an account.
 * @param asOfMs as they were at this time (Unix ms), or later
 */
export async function list(accountId: string, asOfMs: number): Promise<Listed[]> {
  // On one machine the process that delivers also makes and deletes them.
  const oldest = config.STORAGE_DIR ? 0 : asOfMs
  return await knownOr(lists, accountId, oldest, async () => {
    const { pk, sk } = Receiver.key(Receiver.atAccount({ accountId, webhookId: Receiver.accountPrefix }))
    return await Array.fromAsync(rowsBeginning(tables.events, pk, sk), (row) => ({
      webhookId: Receiver.ofKey(row as Key)!.webhookId, // a row of this kind
      createdAt: z.number().parse(row.created_at),
    }))
  })
}

/** The next reader looks anew: this process has changed it. */
export function forget(id: Receiver.Id): void {
  chosen.set(nameOf(id), { readMs: -Infinity })
  lists.set(id.bridgeId, { readMs: -Infinity })
}

async function knownOr<Value>(
  cache: Known<Value>,
  name: string,
  oldestMs: number,
  read: () => Promise<Value>,
): Promise<Value> {
  const known = cache.get(name)
  const readMs = nowMs()
  if (known?.value !== undefined && known.readMs >= oldestMs && Math.abs(readMs - known.readMs) < trustedMs)
    return known.value
  const value = await read()
  // A change while it was read has put another entry there: then this value is too old to keep.
  if (cache.get(name) === known) cache.set(name, { readMs, value })
  return value
}

function nameOf({ bridgeId, webhookId }: Receiver.Id): string {
  return `${bridgeId} ${webhookId}`
}
