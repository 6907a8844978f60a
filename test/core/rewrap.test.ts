import { readFileSync, writeFileSync } from "node:fs"
import { DecryptCommand, KMSClient } from "@aws-sdk/client-kms"
import { expect, onTestFinished, test } from "vitest"
import { wrapping } from "#admin/wrapping.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { WebhookSecret } from "#core/bridge/webhook-secret.ts"
import { Delivery } from "#core/event/delivery.ts"
import { Receiver } from "#core/event/receiver.ts"
import { DataKeys } from "#core/keys/data-keys.ts"
import { rewrapKeys } from "#core/keys/rewrap.ts"
import { rotate } from "#core/keys/wrapping.ts"
import { serviceAt } from "#core/platform/aws-client-options.ts"
import { getRow } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { startKms } from "#one-machine/aws/kms.ts"
import { dynamoDb, wrappingKeys } from "#test/support/store.ts"
import { aBridge } from "../support/service/bridge.ts"

/** A bridge's four wrapped data keys, as they stand in the tables. */
async function wrappedOf(bridge: Bridge.Info): Promise<["session" | "delivery", Uint8Array][]> {
  const own = Bridge.key(bridge.accountId, bridge.customerRef)
  const keys = await getRow(tables.leases, DataKeys.rowKey(bridge.id))
  const row = await getRow(tables.accounts, own)
  const receiver = await getRow(tables.events, Receiver.key(Receiver.first(bridge.id)))
  const found = [keys?.session_key, keys?.delivery_key, row?.delivery_key, receiver?.delivery_key]
  const purposes = ["session", "delivery", "delivery", "delivery"] as const
  return purposes.map((purpose, i) => [purpose, found[i] as Uint8Array]) // as they are written
}

/** Which of them a KMS opens that has only the newest key material. */
async function newlyWrapped(bridge: Bridge.Info): Promise<boolean[]> {
  const file = `${wrappingKeys}.newest`
  const all = JSON.parse(readFileSync(wrappingKeys, "utf8")) as Record<string, string[]> // as it is written
  const newest = Object.entries(all).map(([id, material]) => [id, material.slice(0, 1)])
  writeFileSync(file, JSON.stringify(Object.fromEntries(newest)))
  const kms = await startKms({ at: { port: 0 }, file, keyIds: [] })
  onTestFinished(() => kms.close())
  const client = new KMSClient(serviceAt(kms.endpoint))
  const EncryptionContext = { account: bridge.accountId, bridge: bridge.id }
  const opened = (await wrappedOf(bridge)).map(([KeyId, CiphertextBlob]) =>
    client.send(new DecryptCommand({ KeyId, CiphertextBlob, EncryptionContext })).then(
      () => true,
      () => false,
    ),
  )
  return await Promise.all(opened)
}

async function rotateBoth() {
  await rotate("session")
  await rotate("delivery")
}

test("after a rotation old data keys open, and wrapped anew they need the old key material no more", async () => {
  const bridge = await aBridge()
  const secret = (await WebhookSecret.ofBridge(bridge.id)).secrets[0]
  const before = await DataKeys.get(bridge.id)
  await rotateBoth()
  expect(await newlyWrapped(bridge)).toEqual([false, false, false, false])
  expect(await rewrapKeys(bridge)).toBe(4)
  expect(await newlyWrapped(bridge)).toEqual([true, true, true, true])
  const found = (await Bridge.byId(bridge.id))!
  expect((await WebhookSecret.ofBridge(found.id)).secrets[0]).toBe(secret)
  expect((await Receiver.keysOf((await Delivery.get(Delivery.first(bridge.id)))!.receiver)).secrets).toEqual([
    secret,
  ])
  expect(await DataKeys.get(bridge.id)).toEqual(before)
})

test("interrupted anywhere, nothing is lost, and the next run does the rest", async () => {
  for (const [write, done] of [
    [1, [false, false, false, false]],
    [2, [true, false, false, false]],
    [3, [true, true, false, false]],
    [4, [true, true, true, false]],
  ] as const) {
    const bridge = await aBridge()
    await rotateBoth()
    let writes = 0
    const back = dynamoDb.faults.add({
      fault: "transaction-conflict",
      operation: "UpdateItem",
      when: (request) => JSON.stringify(request).includes("_key") && ++writes >= write,
    })
    await expect(rewrapKeys(bridge)).rejects.toThrow("Transaction")
    back()
    expect(await newlyWrapped(bridge)).toEqual(done)
    expect((await WebhookSecret.ofBridge(bridge.id)).secrets[0]).toMatch(/^whsec_/)
    expect(await rewrapKeys(bridge)).toBe(4)
    expect(await newlyWrapped(bridge)).toEqual([true, true, true, true])
  }
})

test("`admin wrapping rewrap` reaches every bridge of every account", async () => {
  const bridges = [await aBridge(), await aBridge()]
  await wrapping.rotate!.run([])
  const [said] = await wrapping.rewrap!.run([])
  expect(said!.keys).toBe(4 * Number(said!.bridges))
  for (const bridge of bridges) expect(await newlyWrapped(bridge)).toEqual([true, true, true, true])
})

test("a bridge that was deleted has no data key to wrap, and none to open what is left of it", async () => {
  const bridge = await aBridge()
  await Bridge.remove(bridge)
  expect(await rewrapKeys(bridge)).toBe(0)
  expect(await wrappedOf(bridge)).toEqual([
    ["session", undefined],
    ["delivery", undefined],
    ["delivery", undefined],
    ["delivery", undefined],
  ])
  expect(await DataKeys.get(bridge.id)).toBeUndefined()
})
