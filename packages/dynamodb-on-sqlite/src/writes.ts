import { type Draft, draft, type WriteKind, partitionsOf, prepare, type Prepared } from "./draft-of-write.ts"
import type { EngineParts } from "./engine-parts.ts"
import type { Call } from "./faults.ts"
import { invalid, Refusal } from "./refusal.ts"
import type { BatchWriteItem, Write } from "./requests.ts"
import { checkIndexKeys } from "./table.ts"
import { writeUnits } from "./throughput.ts"
import type { Item } from "./values/value.ts"

/** PutItem, UpdateItem, DeleteItem: a transaction of one write, with the answer of that write. */
export async function writeOne(
  engine: EngineParts,
  kind: WriteKind,
  call: Call & { request: Write },
): Promise<object> {
  return await carryOut(engine, prepare(engine.tables, kind, call.request), call)
}

async function carryOut(engine: EngineParts, prepared: Prepared, call: Call): Promise<object> {
  if (engine.faults.hit("transaction-conflict", call))
    throw new Refusal("TransactionConflictException", "Transaction is ongoing for the item")
  let drafted: Draft | undefined
  const judge = ([before]: (Item | undefined)[]) => {
    drafted = draft(prepared, before)
    engine.partitions.mayTake("writes", partitionsOf(prepared, drafted))
    return [drafted]
  }
  await engine.keeper.change([prepared], judge, call)
  takeUnits(engine, partitionsOf(prepared, drafted!), drafted!, 1)
  return drafted!.answer
}

/**
 * Takes a write's units from the throughput. `times`: how many times as many each costs, as in a transaction.
 */
export function takeUnits(engine: EngineParts, partitions: string[], { size }: Draft, times: number): void {
  if (!engine.partitions.isBounded) return
  for (const partition of partitions)
    engine.partitions.consume("writes", partition, times * writeUnits(size()))
}

/** BatchWriteItem: writes that share nothing but the request. */
export async function writeBatch(engine: EngineParts, { RequestItems }: BatchWriteItem): Promise<object> {
  const writes = Object.entries(RequestItems).flatMap(([TableName, members]) =>
    members.map((member) =>
      "PutRequest" in member
        ? prepare(engine.tables, "Put", { TableName, ...member.PutRequest })
        : prepare(engine.tables, "Delete", { TableName, ...member.DeleteRequest }),
    ),
  )
  if (writes.length > 25) throw invalid("Too many items requested for the BatchWriteItem call")
  if (new Set(writes.map(({ name }) => name)).size < writes.length)
    throw invalid("Provided list of item keys contains duplicates")
  for (const { kind, table, item } of writes) if (kind === "Put") checkIndexKeys(table, item)
  await Promise.all(
    writes.map((one) => carryOut(engine, one, { operation: "BatchWriteItem", request: one.write })),
  )
  return { UnprocessedItems: {} }
}
