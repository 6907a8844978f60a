export * as HostShortage from "./host-shortage.ts"

import { z } from "zod"
import { now, timeLeft } from "../platform/clock.ts"
import { config } from "../platform/config.ts"
import { getRow, removeRow, updateRow } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import type { Network } from "./lease.ts"

/**
 * Why hosts of a network cannot be started at the moment. Every process sees it here, so the orchestrator is
 * not asked again and again.
 *
 * - `quota`: the account may not run more. `capacity`: the provider has no machine left now.
 * - `start`: a task was started but ended, or never came up. `refused`: anything else.
 */
const Kind = z.enum(["quota", "capacity", "start", "refused"])
export type Kind = z.infer<typeof Kind>

const Info = z.object({
  kind: Kind,
  /** In the orchestrator's words. */
  why: z.string(),
  /** Times of the first refusal and of the last, Unix seconds. */
  since: z.number().int(),
  at: z.number().int(),
  /** The next attempt must not begin before this, Unix seconds. */
  retryAt: z.number().int(),
  failures: z.number().int(),
})
export type Info = z.infer<typeof Info>

/**
 * The wait before the next attempt, in beats like all times of hosts. It doubles each time: from ten seconds
 * to five minutes at 5 s a beat.
 */
const wait = { first: 2, most: 60 }

function secondsOf(beats: number): number {
  return Math.ceil((beats * config.LEASE_BEAT_MS) / 1000)
}

/** Whether the next attempt is to wait. */
export function mustWait({ retryAt }: Info): boolean {
  return timeLeft(retryAt, secondsOf(wait.most)) > 0
}

function key(network: Network) {
  return { pk: "SHORTAGE", sk: network }
}

export async function get(network: Network): Promise<Info | undefined> {
  const row = await getRow(tables.leases, key(network))
  return row && Info.parse({ ...row, retryAt: row.retry_at })
}

/** Records that a host could not be started. The wait before the next attempt grows. */
export async function note(network: Network, kind: Kind, why: string): Promise<void> {
  const failures = ((await get(network))?.failures ?? 0) + 1
  const beats = Math.min(wait.most, wait.first * 2 ** (failures - 1))
  await updateRow({
    TableName: tables.leases,
    Key: key(network),
    UpdateExpression:
      "SET kind = :kind, why = :why, #at = :now, retry_at = :retry_at, failures = :failures, " +
      "since = if_not_exists(since, :now)",
    ExpressionAttributeNames: { "#at": "at" },
    ExpressionAttributeValues: {
      ":kind": kind,
      ":why": why,
      ":now": now(),
      ":retry_at": now() + secondsOf(beats),
      ":failures": failures,
    },
  })
}

/** Ends the shortage: a host came up, or none is wanted any more. */
export async function end(network: Network): Promise<void> {
  await removeRow({ TableName: tables.leases, Key: key(network) })
}
