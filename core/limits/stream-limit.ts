export * as StreamLimit from "./stream-limit.ts"

import { createHash, randomUUID } from "node:crypto"
import { latestEnd, now } from "../platform/clock.ts"
import { putRow, removeRow, updateRow } from "../store/store.ts"
import { tables } from "../store/tables.ts"

/**
 * One of the few places for open streams that a bridge, an account or a person has. It is held for a while;
 * `renewPlace` extends that.
 */
export interface Info {
  pk: string
  holder: string
}

/** In seconds: the place of a process that died is free after this. */
const heldFor = 30

/**
 * Takes a place, if one of the `count` is free. An `opener` that opens its stream anew takes over its own old
 * place, whose holder finds that out at the next `renewPlace`: on Lambda a stream is not told that its
 * reader has gone.
 */
export async function takePlace(of: string, count: number, opener?: string): Promise<Info | undefined> {
  const first = opener === undefined ? 0 : startOf(opener, count)
  for (let i = 0; i < count; i++) {
    const place = { pk: `PLACE#${of}#${(first + i) % count}`, holder: randomUUID() }
    const refused = await putRow({
      TableName: tables.requests,
      Item: { ...key(place), holder: place.holder, expires_at: now() + heldFor, ...(opener && { opener }) },
      ConditionExpression:
        "attribute_not_exists(pk) OR expires_at < :now OR expires_at > :latest OR opener = :opener",
      ExpressionAttributeValues: {
        ":now": now(),
        ":latest": latestEnd(heldFor),
        ":opener": opener ?? place.holder,
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

/** @returns false when another stream has taken it meanwhile. */
export async function renewPlace(place: Info): Promise<boolean> {
  const row = await updateRow({
    TableName: tables.requests,
    Key: key(place),
    UpdateExpression: "SET expires_at = :later",
    ConditionExpression: "holder = :me",
    ExpressionAttributeValues: { ":later": now() + heldFor, ":me": place.holder },
  })
  return "now" in row
}

export async function leavePlace(place: Info): Promise<void> {
  await removeRow({
    TableName: tables.requests,
    Key: key(place),
    ConditionExpression: "holder = :me",
    ExpressionAttributeValues: { ":me": place.holder },
  })
}

function key({ pk }: { pk: string }) {
  return { pk, sk: "PLACE" }
}
