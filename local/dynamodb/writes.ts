import { validationError } from "dynalite/db/index.js"
import { actions, draft, itemOf, type Write } from "./draft.ts"
import type { Engine } from "./engine.ts"
import type { Call } from "./faults.ts"
import { Refusal } from "./refusal.ts"

/** PutItem, UpdateItem, DeleteItem: a transaction of one, answered as itself. */
export async function writeOne(engine: Engine, kind: keyof typeof actions, call: Call & { request: Write }) {
  const item = await itemOf(engine.store, call.request)
  if (engine.faults.take("transaction-conflict", call))
    throw new Refusal("TransactionConflictException", "Transaction is ongoing for the item")
  return engine.locks.holding([item], async () => {
    const drafted = await draft(engine.store, actions[kind], call.request)
    await engine.commits.apply([drafted], call)
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

/** BatchWriteItem: writes that have nothing in common but the request. */
export async function writeBatch(engine: Engine, request: BatchWriteRequest) {
  const writes = Object.entries(request.RequestItems).flatMap(([TableName, members]) =>
    members.map((member) =>
      "PutRequest" in member
        ? { kind: "Put" as const, write: { TableName, ...member.PutRequest } }
        : { kind: "Delete" as const, write: { TableName, ...member.DeleteRequest } },
    ),
  )
  const items = await Promise.all(writes.map(({ write }) => itemOf(engine.store, write)))
  if (new Set(items).size < items.length)
    throw validationError("Provided list of item keys contains duplicates")
  await Promise.all(
    writes.map(({ kind, write }) => writeOne(engine, kind, { operation: "BatchWriteItem", request: write })),
  )
  return { UnprocessedItems: {} }
}
