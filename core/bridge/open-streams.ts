export * as StreamPlace from "./open-streams.ts"

import { randomUUID } from "node:crypto"
import { now } from "../platform/clock.ts"
import { put, remove, update } from "../store/store.ts"
import { requests } from "../store/tables.ts"

/**
 * One of the few places for open streams that a bridge, an account or a person has. It is held for a while; `keep` extends
 * that.
 */
export interface Info {
  pk: string
  holder: string
}

/** In seconds: the place of a process that died is free after this. */
const heldFor = 30

/** Takes a place, if one of the `count` is free. */
export async function take(of: string, count: number): Promise<Info | undefined> {
  for (let i = 0; i < count; i++) {
    const place = { pk: `PLACE#${of}#${i}`, holder: randomUUID() }
    const refused = await put({
      TableName: requests,
      Item: { ...key(place), holder: place.holder, expires_at: now() + heldFor },
      ConditionExpression: "attribute_not_exists(pk) OR expires_at < :now",
      ExpressionAttributeValues: { ":now": now() },
    })
    if (!refused) return place
  }
  return undefined
}

/** @returns false when somebody else has taken it meanwhile. */
export async function keep(place: Info): Promise<boolean> {
  const row = await update({
    TableName: requests,
    Key: key(place),
    UpdateExpression: "SET expires_at = :later",
    ConditionExpression: "holder = :me",
    ExpressionAttributeValues: { ":later": now() + heldFor, ":me": place.holder },
  })
  return "now" in row
}

export async function leave(place: Info): Promise<void> {
  await remove({
    TableName: requests,
    Key: key(place),
    ConditionExpression: "holder = :me",
    ExpressionAttributeValues: { ":me": place.holder },
  })
}

function key({ pk }: { pk: string }) {
  return { pk, sk: "PLACE" }
}
