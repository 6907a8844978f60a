export * as Came from "./came.ts"

import { z } from "zod"
import { iso, nowMs } from "../platform/clock.ts"
import { batchGet, type Row, rowsBeginning } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { Delivery } from "./delivery.ts"
import { EventRow } from "./event-row.ts"
import { Usage } from "./usage.ts"

/**
 * How many messages of others came to a bridge on one day (UTC), by hour. The row of each event has the
 * count up to that event. So a message counts when it comes, and once, and needs no write of its own.
 */
export interface Info {
  day: string
  /** From hour 0 on, up to the last one with a message. */
  hours: number[]
}

/** The count with one event more, which comes now. `isMessage`: it is a message of others. */
export function withEvent(before: Info | undefined, isMessage: boolean): Info {
  const day = dayAfter(before)
  const hours = before?.day === day ? [...before.hours] : []
  if (!isMessage) return { day, hours }
  const hour = new Date(nowMs()).getUTCHours()
  for (let i = hours.length; i <= hour; i++) hours.push(0)
  hours[hour] = (hours[hour] ?? 0) + 1
  return { day, hours }
}

/** Today. The clock may have been set back over midnight: a day that has ended is not counted anew. */
function dayAfter(before: Info | undefined): string {
  const tomorrow = iso(nowMs() + 86_400_000).slice(0, 10)
  return before?.day === tomorrow ? tomorrow : Usage.today()
}

export function total({ hours }: Info): number {
  return hours.reduce((all, count) => all + count, 0)
}

/** As a row has it: `2026-11-22 0,0,5`. */
export function toRow({ day, hours }: Info): string {
  return `${day} ${hours.join(",")}`
}

/** @returns undefined for a row without one */
export function fromRow(row: Row | undefined): Info | undefined {
  const [day, hours = ""] = z.string().optional().parse(row?.came)?.split(" ") ?? []
  return day === undefined ? undefined : { day, hours: hours === "" ? [] : hours.split(",").map(Number) }
}

async function newestRow(bridgeId: string): Promise<Row | undefined> {
  const rows = rowsBeginning(tables.events, `BRIDGE#${bridgeId}`, "EVENT#", {
    ScanIndexForward: false,
    Limit: 1,
  })
  for await (const row of rows) return row
  return undefined
}

/** The days of a bridge from `from` to `to`, oldest first, with what is in no day's row yet. */
export async function days(bridgeId: string, span: { from: string; to: string }) {
  const [first, row] = await Promise.all([Delivery.get(Delivery.first(bridgeId)), newestRow(bridgeId)])
  const came = fromRow(row)
  const counted = came && { day: came.day, count: total(came) }
  return await Usage.daysOf(bridgeId, span, { current: first?.today, came: counted })
}

/** The newest event of a bridge, 0 without one, and the messages that came today (UTC), by hour. */
export interface Today {
  newest: number
  hours: number[]
}

/**
 * The same of each of these bridges, by their ids. Where nothing waits, the event at the head is the newest:
 * a hundred of them are read at once.
 * @param firsts the deliveries of their first webhooks
 */
export async function today(firsts: Delivery.Info[]): Promise<Map<string, Today>> {
  const idle = firsts.filter(({ due, isMoved }) => due === 0 && !isMoved)
  const heads = await batchGet(
    idle.map(({ bridgeId, head }) => ({ table: tables.events, key: EventRow.key(bridgeId, head) })),
  )
  const atHead = new Map(idle.map(({ bridgeId }, i) => [bridgeId, heads[i]]))
  const day = Usage.today()
  const counted = firsts.map(async ({ bridgeId, head }) => {
    // An event at the head that is gone came days ago, and nothing came since.
    const row = atHead.has(bridgeId) ? atHead.get(bridgeId) : await newestRow(bridgeId)
    const came = fromRow(row)
    const newest = Math.max(head, row ? EventRow.fromRow(row).n : 0)
    return [bridgeId, { newest, hours: came?.day === day ? came.hours : [] }] as const
  })
  return new Map(await Promise.all(counted))
}
