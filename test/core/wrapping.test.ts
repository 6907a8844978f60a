import "#test/support/store.ts"
import { expect, test } from "vitest"
import { Bridge } from "#core/bridge/bridge.ts"
import { WebhookSecret } from "#core/bridge/webhook-secret.ts"
import { Delivery } from "#core/event/delivery.ts"
import { DataKeys } from "#core/keys/data-keys.ts"
import { open, seal } from "#core/keys/seal.ts"
import { newDataKey, newWrappedDataKey, unwrap } from "#core/keys/wrapping.ts"
import { getRow } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { aBridge } from "../support/service/bridge.ts"

const owner = { accountId: "a", bridgeId: "b" }

test("a wrapped data key opens for its bridge, account and purpose, and for no other", async () => {
  const { key, wrapped } = await newDataKey("session", owner)
  expect(await unwrap("session", owner, wrapped)).toEqual(key)
  await expect(unwrap("delivery", owner, wrapped)).rejects.toThrow("InvalidCiphertext")
  await expect(unwrap("session", { ...owner, bridgeId: "c" }, wrapped)).rejects.toThrow("InvalidCiphertext")
  await expect(unwrap("session", { ...owner, accountId: "z" }, wrapped)).rejects.toThrow("InvalidCiphertext")
})

test("a data key made without its plaintext is a data key", async () => {
  expect(await unwrap("session", owner, await newWrappedDataKey("session", owner))).toHaveLength(32)
})

test("a sealed text opens for its item alone, and not once it was changed", () => {
  const item = { pk: "BRIDGE#1", sk: "CREDS" }
  const key = Buffer.alloc(32, 7)
  const sealed = seal(key, item, "secret")
  expect(open(key, item, sealed).toString()).toBe("secret")
  expect(() => open(key, { ...item, sk: "OTHER" }, sealed)).toThrow("authenticate")
  expect(() => open(Buffer.alloc(32, 8), item, sealed)).toThrow("authenticate")
  const changed = Uint8Array.from(sealed)
  changed[20]! ^= 1
  expect(() => open(key, item, changed)).toThrow("authenticate")
  expect(Buffer.compare(seal(key, item, "secret"), sealed)).not.toBe(0)
})

test("neither the webhook secret nor a data key of a bridge stands in a table as it is", async () => {
  const bridge = await aBridge()
  const secret = (await WebhookSecret.ofBridge(bridge.id)).secrets[0]
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  const own = Bridge.key(bridge.accountId, bridge.customerRef)
  const keys = await DataKeys.get(bridge.id)
  const rows = [
    await getRow(tables.accounts, own),
    await getRow(tables.leases, DataKeys.rowKey(bridge.id)),
    await getRow(tables.events, Delivery.key(Delivery.first(bridge.id))),
  ]
  const values = rows.flatMap((row) => Object.values(row ?? {}))
  const bytes = Buffer.concat(
    values.map((value) => Buffer.from(value instanceof Uint8Array ? value : String(value))),
  )
  for (const plain of [secret, secret.slice(6), keys!.session, keys!.delivery])
    expect(bytes.includes(Buffer.from(plain))).toBe(false)
})
