/**
 * The embedded store and keys, with DynamoDB's limits of a partition. It answers with the requests since the
 * last question.
 */
import { join } from "node:path"
import { now } from "#core/platform/clock.ts"
import { operations } from "#dynamodb-on-sqlite/operations.ts"
import { startDynamoDb } from "#dynamodb-on-sqlite/server.ts"
import { startKms } from "#one-machine/aws/kms.ts"
import { createTables } from "#one-machine/store/create-tables.ts"
import { startSqs } from "#test/support/sqs.ts"
import { purposeOf } from "../purpose-of-request.ts"

process.once("disconnect", () => process.exit(0))

const [dir = "", share = "1"] = process.argv.slice(2)
const limits = { writes: 1000 * Number(share), reads: 3000 * Number(share) }
const store = await startDynamoDb({ at: { port: 0 }, partitionLimits: limits })
const queue = await startSqs()
const wrapping = { SESSION_WRAPPING_KEY: "session", DELIVERY_WRAPPING_KEY: "delivery" }
const keys = await startKms({
  at: { port: 0 },
  file: join(dir, "wrapping-keys.json"),
  keyIds: Object.values(wrapping),
})
await createTables(store.endpoint)

/** What is read of deliveries that fail: those who deliver keep their promise of a next attempt. */
function promised(answer: object): object {
  // Our own store's.
  const { Responses = {} } = answer as { Responses?: Record<string, Record<string, unknown>[]> }
  const due = { N: String(now() + 100) }
  const tables = Object.entries(Responses).map(([table, rows]) => [
    table,
    rows.map((row) => (row.failing ? { ...row, due } : row)),
  ])
  return { ...answer, Responses: Object.fromEntries(tables) }
}

const counts = new Map<string, number>()
for (const [name, operation] of operations)
  operations.set(name, async (engine, request) => {
    const kind = purposeOf(name, request)
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
    const answer = await operation(engine, request)
    return name === "BatchGetItem" ? promised(answer) : answer
  })

let refused = 0
process.on("message", () => {
  process.send?.({ requests: [...counts], refused: store.partitions.refused - refused })
  refused = store.partitions.refused
  counts.clear()
})
process.send?.({
  ...wrapping,
  AWS_ENDPOINT_URL_DYNAMODB: store.endpoint,
  AWS_ENDPOINT_URL_SQS: queue.endpoint,
  AWS_ENDPOINT_URL_KMS: keys.endpoint,
  DOORBELL_URL: queue.doorbellUrl,
})
