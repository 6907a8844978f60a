import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from "vitest"
import { Account } from "#core/account/account.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { BridgesOfPhone } from "#core/bridge/bridges-of-phone.ts"
import { EventRow } from "#core/event/event-row.ts"
import { Lease } from "#core/lease/lease.ts"
import { Idempotency } from "#core/message/idempotency.ts"
import { now } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"
import { putRow, removeRow, updateRow } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { aGateway } from "#test/support/network/gateway.ts"
import { aNetwork } from "#test/support/network/network.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import { anEvent, anOutbox, answerAll } from "#test/support/session/events-and-doorbells.ts"
import { dynamoDb, sqs } from "#test/support/store.ts"
import { startAwsRecorder } from "../../support/aws-recorder.ts"
import { graphOf } from "../graph.ts"
import { nouns } from "../with-billing.ts"

/** What is written down at the moment: the uses of AWS, in IAM's words. */
let written: Set<string> | undefined
const closes: (() => unknown)[] = []

// Once: a client keeps the address that it had first.
beforeAll(async () => {
  const behind = {
    AWS_ENDPOINT_URL_DYNAMODB: dynamoDb.endpoint,
    AWS_ENDPOINT_URL_KMS: config.AWS_ENDPOINT_URL_KMS!,
    AWS_ENDPOINT_URL_SQS: sqs.endpoint,
  }
  const endpoints: Record<string, string> = {}
  for (const [name, endpoint] of Object.entries(behind)) {
    const recorder = await startAwsRecorder(endpoint, ({ action, resource }) => {
      for (const use of inPolicy(action, resource)) written?.add(use)
    })
    closes.push(recorder.close)
    endpoints[name] = recorder.endpoint
  }
  const queue = new URL(new URL(config.DOORBELL_URL!).pathname, endpoints.AWS_ENDPOINT_URL_SQS)
  Object.assign(config, endpoints, { DOORBELL_URL: queue.href })
})
afterAll(async () => {
  for (const close of closes) await close()
})

/** The uses of AWS while `what` runs. */
async function usesOf(what: () => Promise<unknown>): Promise<Set<string>> {
  await setUp()
  const uses = new Set<string>()
  written = uses
  await what()
  written = undefined
  return uses
}

/** As the policy has it: to wrap anew is two rights, and keys are named in `infra/`. */
function inPolicy(action: string, resource: string): string[] {
  if (action === "kms:ReEncrypt")
    return ["SessionKey", "DeliveryKey"].flatMap((of) => [`kms:ReEncryptFrom ${of}`, `kms:ReEncryptTo ${of}`])
  const keys: Record<string, string> = { session: "SessionKey", delivery: "DeliveryKey" }
  return [`${action} ${action.startsWith("sqs:") ? "" : (keys[resource] ?? resource)}`]
}

const phone = "491711234567"
let shop: Bridge.Info

/** An account with a bridge whose last event was given up. */
async function setUp(): Promise<void> {
  const { id } = await Account.create({ name: "Ada", subscription: "active" })
  const { url } = await aReceiver([400])
  shop = (await Bridge.create({ accountId: id, customerRef: "shop", webhookUrl: url })).bridge
  const outbox = await anOutbox(shop)
  await outbox.append(anEvent("one"))
  await answerAll()
  await BridgesOfPhone.note(shop.id, phone)
  await Idempotency.claim({ accountId: id, bridgeId: shop.id, key: "one", fingerprint: "a" })
  // It leads nowhere: the list takes it off.
  const stale = { pk: `BRIDGE#${shop.id}`, sk: `STATE#undelivered#${EventRow.padded(99)}`, n: 99 }
  await putRow({ TableName: tables.events, Item: { ...stale, expires_at: now() + 1000 } })
}

async function run(noun: string, verb: string, ...args: string[]) {
  return await nouns[noun]![verb]!.run(args)
}

/** What a policy allows with the tables, and what none of these uses needs. */
function unused(policy: string, uses: Set<string>): string[] {
  return graphOf(inject("production"))
    .permissions(policy)
    .flatMap(({ actions, resources }) => actions.map((action) => ({ action, table: resources[0]! })))
    .filter(({ action }) => action.startsWith("dynamodb:"))
    .map(({ action, table }) => {
      const [, name, index = ""] = /(\w+)Table[^/]*(\/index\/\w+)?/.exec(table)!
      return `${action} ${name}${index}`
    })
    .filter((one) => !uses.has(one))
}

test("an operator who moves bridges may do that, and reaches the tables for nothing else", async () => {
  const folder = mkdtempSync(join(tmpdir(), "move-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [file, other] = [join(folder, "file"), join(folder, "other")]
  const uses = await usesOf(async () => {
    const session = { pk: `BRIDGE#${shop.id}`, sk: "CREDS" }
    await putRow({ TableName: tables.sessions, Item: session })
    await nouns.export![""]!.run([file], { bridge: [shop.id] })
    await run("take-back", "", shop.id, shop.customerRef)
    await nouns.export![""]!.run([other], { bridge: [shop.id] })
    // As a service finds it that had it once: the file is of a later time.
    const at = { TableName: tables.leases, Key: Lease.key(shop.id) }
    await updateRow({
      ...at,
      UpdateExpression: "SET moves = :once",
      ExpressionAttributeValues: { ":once": 1 },
    })
    await run("import", "", other)
    // And as one that never had its account.
    await nouns.export![""]!.run([file + "-3"], { bridge: [shop.id] })
    for (const gone of [Account.key(shop.accountId), Bridge.key(shop.accountId, shop.customerRef)])
      await removeRow({ TableName: tables.accounts, Key: gone })
    await removeRow({ TableName: tables.accounts, Key: { pk: `BRIDGE#${shop.id}`, sk: "WHERE" } })
    await removeRow({ TableName: tables.leases, Key: Lease.key(shop.id) })
    await run("import", "", file + "-3")
    // As an import leaves it that is interrupted.
    const arriving = {
      UpdateExpression: "SET arriving = :one, #host = :none",
      ExpressionAttributeNames: { "#host": "host" },
    }
    await updateRow({
      ...at,
      ...arriving,
      ExpressionAttributeValues: { ":one": "an import", ":none": Lease.STOPPED },
    })
    expect(await run("undo-import", "")).toEqual([{ arriving: shop.id }])
    await run("undo-import", "", shop.id)
    const gateway = await aGateway(await aNetwork(), join(folder, "elsewhere"))
    await gateway.die()
    await nouns.import![""]!.run(["baileys", gateway.folder], { account: shop.accountId })
  })
  expect(graphOf(inject("production")).denied("MovePolicy", uses)).toEqual([])
  expect(unused("MovePolicy", uses)).toEqual([])
})
