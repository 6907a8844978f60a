export * as Place from "./place.ts"

import { createHash, randomUUID } from "node:crypto"
import { latestEnd, now } from "../platform/clock.ts"
import { putRow, removeRow, updateRow } from "../store/store.ts"
import { tables } from "../store/tables.ts"

/**
 * One of the few places that somebody has for what runs in many processes at once: an account for its open
 * streams, or for deliveries to receivers that fail. It is held for a while; `renew` extends that.
 */
export interface Info {
  table: string
  pk: string
  holder: string
}

/** In seconds: the place of a process that died is free after this. */
const heldFor = 30

interface How {
  /**
   * Who takes it. One that takes a place anew takes over its own old one, whose holder finds that out at the
   * next `renew`: on Lambda a stream is not told that its reader has gone.
   */
  opener?: string | undefined
  /** At which of the places the search begins; where the opener's name leads if absent. */
  first?: number
  /** At how many it looks: at all if absent. */
  looks?: number
  /** For how many seconds the place is held. */
  seconds?: number
  table?: string
}

/** Takes a place, if one of the `count` that were looked at is free. */
export async function take(of: string, count: number, how: How = {}): Promise<Info | undefined> {
  const { opener, looks = count, seconds = heldFor, table = tables.requests } = how
  const { first = opener === undefined ? 0 : startOf(opener, count) } = how
  const holder = randomUUID()
  for (let look = 0; look < looks; look++) {
    const place = { table, pk: `PLACE#${of}#${(first + look) % count}`, holder }
    const refused = await putRow({
      TableName: table,
      Item: { ...key(place), holder, expires_at: now() + seconds, ...(opener && { opener }) },
      // The row that is there may be ours: our own write, whose answer was lost.
      ConditionExpression:
        "attribute_not_exists(pk) OR expires_at < :now OR expires_at > :latest OR opener = :opener OR holder = :me",
      ExpressionAttributeValues: {
        ":now": now(),
        ":latest": latestEnd(seconds),
        ":opener": opener ?? holder,
        ":me": holder,
      },
    })
    if (!refused) return place
  }
  return undefined
}

/**
 * The place where an opener's search starts. It is derived from the opener's name, so an opener finds its own
 * old place before a free one.
 */
function startOf(opener: string, count: number): number {
  return createHash("sha256").update(opener).digest().readUInt32BE() % count
}

/** @returns false when another has taken it meanwhile. */
export async function renew(place: Info): Promise<boolean> {
  const row = await updateRow({
    TableName: place.table,
    Key: key(place),
    UpdateExpression: "SET expires_at = :later",
    ConditionExpression: "holder = :me",
    ExpressionAttributeValues: { ":later": now() + heldFor, ":me": place.holder },
  })
  return "now" in row
}

export async function leave(place: Info): Promise<void> {
  await removeRow({
    TableName: place.table,
    Key: key(place),
    ConditionExpression: "holder = :me",
    ExpressionAttributeValues: { ":me": place.holder },
  })
}

function key({ pk }: { pk: string }) {
  return { pk, sk: "PLACE" }
}
