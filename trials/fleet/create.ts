import { randomBytes, randomUUID } from "node:crypto"
import { Account } from "#core/account/account.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Delivery } from "#core/event/delivery.ts"
import { shardOf } from "#core/event/waiting-deliveries.ts"
import { Lease } from "#core/lease/lease.ts"
import { now } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"
import { batchWrite, type Row } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"

/** As many as an account may have. */
const bridgesOfAccount = 10
/** What is made at once. */
const atOnce = 8

/** Bridges that want a host. */
export async function createBridges(count: number): Promise<void> {
  await each(Math.ceil(count / bridgesOfAccount), async (n) => {
    const account = await Account.create({ name: "Fleet", subscription: "active" })
    const of = n * bridgesOfAccount
    for (let i = of; i < Math.min(count, of + bridgesOfAccount); i++)
      await Bridge.create({ accountId: account.id, customerRef: `number-${i}` })
  })
}

/** The leases of such bridges, without anything else. */
export async function createLeases(count: number): Promise<void> {
  // What a session has reported makes most of a row.
  const reported = { status: "connected", since: now(), epoch: 1, phone: "x".repeat(80), phone_hash: "x" }
  await rows(count, tables.leases, () => ({ ...Lease.newRow(randomUUID(), config.HOST_NETWORK), reported }))
}

/** Deliveries at which events have waited for an hour, since their receivers fail. */
export async function createFailing(count: number): Promise<void> {
  const sealed = randomBytes(300)
  await rows(count, tables.events, () => {
    const bridgeId = randomUUID()
    const at = { ...Delivery.key(Delivery.first(bridgeId)), shard: shardOf(bridgeId), since: now() - 3600 }
    return {
      ...at,
      due: now(),
      failing: true,
      webhook_url: "https://example.com/hook",
      webhook_secret: sealed,
    }
  })
}

async function rows(count: number, table: string, row: () => Row): Promise<void> {
  await each(Math.ceil(count / 25), async (n) => {
    const length = Math.min(25, count - n * 25)
    await batchWrite(Array.from({ length }, () => ({ table, row: row() })))
  })
}

async function each(count: number, make: (n: number) => Promise<void>): Promise<void> {
  let left = count
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left > 0) await make(--left)
    }),
  )
}
