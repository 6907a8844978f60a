export * as StreamPlace from "./stream-place.ts"

import { randomUUID } from "node:crypto"
import { DeleteCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb"
import { now } from "./clock.ts"
import { store, unlessRefused } from "./store.ts"
import { requests } from "./tables.ts"

/** One of the few places for open log streams that a bridge or an account has; held for a while, and on by `keep`. */
export interface Info {
  pk: string
  holder: string
}

/** In seconds: whoever dies leaves his place so late. */
const heldFor = 30

/** Takes a place, if one of so many is free. */
export async function take(of: string, count: number): Promise<Info | undefined> {
  for (let i = 0; i < count; i++) {
    const place = { pk: `PLACE#${of}#${i}`, holder: randomUUID() }
    const isTaken = await unlessRefused(
      store.send(
        new PutCommand({
          TableName: requests,
          Item: { ...key(place), holder: place.holder, expires_at: now() + heldFor },
          ConditionExpression: "attribute_not_exists(pk) OR expires_at < :now",
          ExpressionAttributeValues: { ":now": now() },
        }),
      ),
    )
    if (isTaken) return place
  }
  return undefined
}

/** @returns false when it was left to somebody else meanwhile. */
export async function keep(place: Info): Promise<boolean> {
  return await unlessRefused(
    store.send(
      new UpdateCommand({
        TableName: requests,
        Key: key(place),
        UpdateExpression: "SET expires_at = :later",
        ConditionExpression: "holder = :me",
        ExpressionAttributeValues: { ":later": now() + heldFor, ":me": place.holder },
      }),
    ),
  )
}

export async function leave(place: Info): Promise<void> {
  await unlessRefused(
    store.send(
      new DeleteCommand({
        TableName: requests,
        Key: key(place),
        ConditionExpression: "holder = :me",
        ExpressionAttributeValues: { ":me": place.holder },
      }),
    ),
  )
}

function key({ pk }: { pk: string }) {
  return { pk, sk: "PLACE" }
}
