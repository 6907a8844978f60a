export * as FailingPlaces from "./failing-places.ts"

import { randomInt, randomUUID } from "node:crypto"
import { latestEnd, now, nowMs } from "../platform/clock.ts"
import { config } from "../platform/config.ts"
import { log } from "../platform/log.ts"
import { removeRow, updateRow } from "../store/store.ts"
import { tables } from "../store/tables.ts"

/** For how long a place is kept, in ms, if it is not given back: as long as an invocation may run. */
const keptForMs = 60_000
/** At how many places a deliverer looks for a free one. */
const looks = 3
/** A row that nobody uses any more goes after so many seconds. */
const storedFor = 3600

/**
 * Takes one of the places that an account has for deliveries to receivers that fail. Most of those hang: a
 * few thousand would occupy every delivery that may run at once. On one machine, where one process delivers,
 * `Slots` bound all deliveries of an account.
 * @returns a function that gives it back; undefined if no free place was found
 */
export async function take(accountId: string): Promise<(() => Promise<void>) | undefined> {
  if (config.STORAGE_DIR) return async () => undefined
  const holder = randomUUID()
  for (let look = 0; look < looks; look++) {
    const Key = { pk: `FAILING#${accountId}`, sk: String(randomInt(config.FAILING_PLACES)) }
    const taken = await updateRow({
      TableName: tables.events,
      Key,
      UpdateExpression: "SET until_ms = :until, holder = :me, expires_at = :expires",
      ConditionExpression: "attribute_not_exists(pk) OR until_ms < :now_ms OR until_ms > :latest_ms",
      ExpressionAttributeValues: {
        ":me": holder,
        ":until": nowMs() + keptForMs,
        ":expires": now() + storedFor,
        ":now_ms": nowMs(),
        ":latest_ms": latestEnd(keptForMs, nowMs()),
      },
    })
    // The row that refuses may be ours: our own write, whose answer was lost.
    if ("now" in taken || taken.refused.holder === holder) return async () => await giveBack(Key, holder)
  }
  return undefined
}

async function giveBack(Key: { pk: string; sk: string }, holder: string): Promise<void> {
  const row = { TableName: tables.events, Key }
  await removeRow({
    ...row,
    ConditionExpression: "holder = :me",
    ExpressionAttributeValues: { ":me": holder },
  }).catch((error: unknown) => log.warn({ error }, "a place for a failing receiver stays taken for a minute"))
}
