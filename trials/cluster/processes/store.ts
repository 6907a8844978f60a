/**
 * Store, queue and keys. Never killed, since the embedded ones are not crash-proof. It makes faults when told
 * to.
 */
import { join } from "node:path"
import { tables } from "#core/store/tables.ts"
import { operations } from "#dynamodb-on-sqlite/operations.ts"
import { startDynamoDb } from "#dynamodb-on-sqlite/server.ts"
import { startKms } from "#one-machine/aws/kms.ts"
import { createTables } from "#one-machine/store/create-tables.ts"
import { leaseOf, newOwners } from "#test/support/owners.ts"
import { startSqs } from "#test/support/sqs.ts"
import { startClosableProxy } from "../closable-proxy.ts"
import { forwardEventRows } from "../forward-event-rows.ts"
import type { StoreFault, ToStore } from "../store.ts"

process.once("disconnect", () => process.exit(0))

const [dataDir = "", visibilitySeconds = ""] = process.argv.slice(2)
const owners = newOwners()
watchOwners()
const store = await startDynamoDb({ at: { port: 0 } })
const queue = await startSqs({ visibilitySeconds: Number(visibilitySeconds) })
const gate = await startClosableProxy(queue.endpoint)
const wrapping = { SESSION_WRAPPING_KEY: "session", DELIVERY_WRAPPING_KEY: "delivery" }
const keys = await startKms({
  at: { port: 0 },
  file: join(dataDir, "wrapping-keys.json"),
  keyIds: Object.values(wrapping),
})
await createTables(store.endpoint)

process.on("message", (said: ToStore) => {
  if ("fault" in said) store.faults.add(ruleOf(said.fault))
  if ("clear" in said) store.faults.clear()
  if ("queue" in said) gate.setOpen(said.queue === "there")
  if ("report" in said)
    process.send?.({ injected: Object.fromEntries(store.faults.injected), owners: owners.violations })
})

process.send?.({
  ...wrapping,
  AWS_ENDPOINT_URL_DYNAMODB: store.endpoint,
  AWS_ENDPOINT_URL_SQS: gate.endpoint,
  AWS_ENDPOINT_URL_KMS: keys.endpoint,
  DOORBELL_URL: queue.doorbellUrl.replace(queue.endpoint, gate.endpoint),
  TOLD_AT: String(await forwardEventRows(store)),
})

function ruleOf({ containing, ...rule }: StoreFault) {
  if (containing === undefined) return rule
  return { ...rule, when: (request: object) => JSON.stringify(request).includes(containing) }
}

/** Looks at each transaction that the store accepts, and at the lease as it was before. */
function watchOwners(): void {
  const transact = operationOf("TransactWriteItems")
  const read = operationOf("GetItem")
  operations.set("TransactWriteItems", async (engine, request) => {
    const lease = leaseOf(request)
    const before = lease
      ? await read(engine, { TableName: tables.leases, Key: lease.key, ConsistentRead: true })
      : {}
    const answer = await transact(engine, request)
    owners.accepted(request, before)
    return answer
  })
}

function operationOf(name: string) {
  const operation = operations.get(name)
  if (!operation) throw new Error(`the embedded store has no ${name}`)
  return operation
}
