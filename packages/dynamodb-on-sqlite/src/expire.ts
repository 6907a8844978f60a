import { type BelievedClock, keepingBelieved } from "./believed-clock.ts"
import { type Draft, draft, removing } from "./draft-of-write.ts"
import type { DraftWriter } from "./draft-writer.ts"
import type { Hold } from "./locks.ts"
import { type Rows, rowName } from "./rows/rows.ts"
import { expiryOf, placeOfItem, type Table } from "./table.ts"
import type { Item } from "./values/value.ts"

/** How many items are removed at once: others get their turn in between. */
const slice = 100
/** "Items whose time to live is more than five years in the past are not deleted." In seconds. */
const ignoredS = 5 * 365 * 86_400
/** How much of the file is given back at once, in pages of 4 KB. */
const pages = 1000

interface Parts {
  tables: Iterable<Table>
  rows: Rows
  hold: Hold
  writer: DraftWriter
  believedClock: BelievedClock
}

/**
 * Removes the items whose time to live is over, and gives their space back: the disk has it once SQLite's
 * journal begins anew.
 */
export async function expire(engine: Parts): Promise<void> {
  const at = engine.believedClock.time()
  if (at === undefined) return
  for (const table of engine.tables) while ((await expireSlice(engine, table, at)) === slice);
  await engine.rows.change([keepingBelieved(at), [`PRAGMA incremental_vacuum(${pages})`]])
}

/** @returns how many were removed */
async function expireSlice(engine: Parts, table: Table, at: number): Promise<number> {
  const found = [
    ...engine.rows.select(table, "WHERE expires > ? AND expires < ? LIMIT ?", [at - ignoredS, at, slice]),
  ]
  const names = found.map((item) => rowName(table, placeOfItem(table, item)))
  return await engine.hold(names, async () => {
    const drafts = found.flatMap((item) => removal(engine, table, item, at) ?? [])
    await engine.writer.apply(drafts, { operation: "expiry", request: {} })
    return drafts.length
  })
}

/** Undefined if the item was written again meanwhile, to live longer. */
function removal({ rows }: Parts, table: Table, found: Item, at: number): Draft | undefined {
  const current = rows.read(table, placeOfItem(table, found))
  const expires = current && expiryOf(table, current)
  if (!expires || expires >= at) return undefined
  return draft(removing(table, found), current)
}
