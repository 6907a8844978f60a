import { validationError } from "dynalite/db/index.js"
import { type actions, draft, isBlind, targetOf, type Write } from "./engine/draft.ts"
import type { Engine } from "./engine/engine.ts"
import type { Call } from "./faults.ts"
import { writeUnits } from "./engine/throughput.ts"
import { Refusal } from "./refusal.ts"

/** PutItem, UpdateItem, DeleteItem: a transaction of one write, with the answer of that write. */
export async function writeOne(engine: Engine, kind: keyof typeof actions, call: Call & { request: Write }) {
  const target = await targetOf(engine.store, call.request)
  if (engine.faults.take("transaction-conflict", call))
    throw new Refusal("TransactionConflictException", "Transaction is ongoing for the item")
  return engine.hold([target.name], async () => {
    const before = isBlind(kind, call.request, target) ? new Map() : await engine.rows.read([target.name])
    const drafted = await draft(engine.store, kind, call.request, before.get(target.name))
    const rows = [target.name, ...drafted.indexRows.map((row) => row.key)]
    engine.partitions.mayTake("writes", rows)
    await engine.commits.apply([drafted], call)
    for (const row of rows) engine.partitions.take("writes", row, writeUnits(drafted.size))
    return drafted.answer
  })
}

interface Put {
  PutRequest: Required<Pick<Write, "Item">>
}
interface Delete {
  DeleteRequest: Required<Pick<Write, "Key">>
}
export interface BatchWriteRequest {
  RequestItems: Record<string, (Put | Delete)[]>
}

/** BatchWriteItem: writes that share nothing but the request. */
export async function writeBatch(engine: Engine, request: BatchWriteRequest) {
  const writes = Object.entries(request.RequestItems).flatMap(([TableName, members]) =>
    members.map((member) =>
      "PutRequest" in member
        ? { kind: "Put" as const, write: { TableName, ...member.PutRequest } }
        : { kind: "Delete" as const, write: { TableName, ...member.DeleteRequest } },
    ),
  )
  const targets = await Promise.all(writes.map(({ write }) => targetOf(engine.store, write)))
  const items = targets.map(({ name }) => name)
  if (new Set(items).size < items.length)
    throw validationError("Provided list of item keys contains duplicates")
  await Promise.all(
    writes.map(({ kind, write }) => writeOne(engine, kind, { operation: "BatchWriteItem", request: write })),
  )
  return { UnprocessedItems: {} }
}
