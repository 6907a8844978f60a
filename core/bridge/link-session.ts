export * as LinkSession from "./link-session.ts"

import { z } from "zod"
import { hashOf, isToken, newToken } from "../account/token.ts"
import { open as openSealed, seal } from "../keys/seal.ts"
import { now } from "../platform/clock.ts"
import { Bytes, get, put, update } from "../store/store.ts"
import { accounts } from "../store/tables.ts"
import { Bridge } from "./bridge.ts"

/** In seconds (Contract, "Link sessions"). */
const livesFor = 3600

/** What somebody who was given the URL of a link session may do: link a phone to this bridge. */
export interface Info extends Wishes {
  bridge: Bridge.Info
  /** Unix seconds. */
  expiresAt: number
  /** Its page has shown a code: a phone that is linked now was linked since. */
  isShown: boolean
  /** A phone was linked on its page. No other one is. */
  isUsed: boolean
}

const Wishes = z.object({
  /** Digits: the number that has to be linked. */
  expectedPhone: z.string().optional(),
  /** Where to go when a phone is linked. */
  returnUrl: z.string().optional(),
})
type Wishes = z.infer<typeof Wishes>

const Stored = z.object({
  bridge_id: z.string(),
  expires_at: z.number().int(),
  shown_at: z.number().int().optional(),
  used_at: z.number().int().optional(),
  sealed: Bytes,
})

/** Begins a link session. Only a hash of the token is stored, and what it says of a person is sealed. */
export async function create(
  bridge: Bridge.Info,
  wishes: Wishes,
): Promise<{ token: string; expiresAt: number }> {
  const token = newToken()
  const key = keyOf(token)
  const expiresAt = now() + livesFor
  const asked: Wishes = { ...wishes, expectedPhone: wishes.expectedPhone?.replace(/^\+/, "") }
  const sealed = seal(await Bridge.deliveryKeyOf(bridge), key, JSON.stringify(asked))
  await put({
    TableName: accounts,
    Item: { ...key, bridge_id: bridge.id, expires_at: expiresAt, sealed },
  })
  return { token, expiresAt }
}

/** The link session of a token; undefined when it never was, is over, or its bridge is deleted. */
export async function open(token: string): Promise<Info | undefined> {
  if (!isToken(token)) return undefined
  const key = keyOf(token)
  const row = await get(accounts, key)
  if (!row) return undefined
  const { bridge_id, expires_at: expiresAt, sealed, ...times } = Stored.parse(row)
  // The store removes expired rows late.
  if (expiresAt <= now()) return undefined
  const bridge = await Bridge.byId(bridge_id)
  if (!bridge) return undefined
  const wishes = openSealed(await Bridge.deliveryKeyOf(bridge), key, sealed).toString()
  const isShown = times.shown_at !== undefined
  const isUsed = times.used_at !== undefined
  return { bridge, expiresAt, isShown, isUsed, ...Wishes.parse(JSON.parse(wishes)) }
}

/** Notes that a code is shown. @returns false when the session is used up, or over */
export async function show(token: string): Promise<boolean> {
  return await note(token, "shown_at")
}

/** Uses a link session up, once a phone is linked. @returns false when somebody has done so before. */
export async function finish(token: string): Promise<boolean> {
  return await note(token, "used_at")
}

async function note(token: string, field: "shown_at" | "used_at"): Promise<boolean> {
  const row = await update({
    TableName: accounts,
    Key: keyOf(token),
    UpdateExpression: "SET #field = :now",
    ConditionExpression: "expires_at > :now AND attribute_not_exists(used_at)",
    ExpressionAttributeNames: { "#field": field },
    ExpressionAttributeValues: { ":now": now() },
  })
  return "now" in row
}

function keyOf(token: string) {
  return { pk: `LINK#${hashOf(token)}`, sk: "LINK" }
}
