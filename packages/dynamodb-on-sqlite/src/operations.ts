import type { z } from "zod"
import type { EngineParts } from "./engine-parts.ts"
import type { Call } from "./faults.ts"
import { batchGetItem, getItem, query, scan } from "./reads.ts"
import * as Requests from "./requests.ts"
import { parseRequest } from "./requests.ts"
import { Definition, description, TimeToLive } from "./table.ts"
import { transactWrite } from "./transactions.ts"
import { writeBatch, writeOne } from "./writes.ts"

/** Answers a request with a body, or throws a refusal. */
type Operation = (engine: EngineParts, request: object, how?: How) => Promise<object>
type How = Pick<Call, "mayLinger" | "isTrusted">

/** Every supported operation, by its name in `X-Amz-Target`. */
export const operations = new Map<string, Operation>([
  ["BatchGetItem", of(Requests.BatchGetItem, batchGetItem)],
  ["BatchWriteItem", of(Requests.BatchWriteItem, writeBatch)],
  ["CreateTable", of(Definition, ({ tables }, definition) => tables.create(definition))],
  ["DeleteItem", of(Requests.Delete, writing("Delete", "DeleteItem"))],
  [
    "DescribeTable",
    of(Requests.OfTable, async ({ tables }, r) => ({ Table: description(tables.get(r.TableName)) })),
  ],
  ["DescribeTimeToLive", of(Requests.OfTable, async ({ tables }, r) => tables.timeToLive(r.TableName))],
  ["GetItem", of(Requests.GetItem, getItem)],
  ["PutItem", of(Requests.Put, writing("Put", "PutItem"))],
  ["Query", of(Requests.Query, query)],
  ["Scan", of(Requests.Scan, scan)],
  ["TransactWriteItems", of(Requests.TransactWriteItems, transactWrite)],
  ["UpdateItem", of(Requests.UpdateItem, writing("Update", "UpdateItem"))],
  ["UpdateTimeToLive", of(TimeToLive, ({ tables }, asked) => tables.setTimeToLive(asked))],
])

function of<Schema extends z.ZodType>(
  schema: Schema,
  answer: (engine: EngineParts, request: z.infer<Schema>, how: How) => Promise<object>,
): Operation {
  return async (engine, request, how = {}) =>
    await answer(engine, how.isTrusted ? (request as z.infer<Schema>) : parseRequest(schema, request), how)
}

function writing(kind: "Put" | "Update" | "Delete", operation: string) {
  return (engine: EngineParts, request: Requests.Write, { mayLinger }: How) =>
    writeOne(engine, kind, { operation, request, mayLinger })
}
