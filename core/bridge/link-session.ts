export * as LinkSession from "./link-session.ts"

import { z } from "zod"
import { hashOf, isToken, newToken } from "../account/token.ts"
import { open as openSealed, seal } from "../keys/seal.ts"
import { isSameNumber } from "../message/spellings.ts"
import { now, timeLeft } from "../platform/clock.ts"
import { Bytes, getRow, type Key, removeRow, transact, updateRow } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { Bridge } from "./bridge.ts"

/** In seconds (Contract, "Link sessions"). */
export const livesFor = 3600
/** How long a lasting one works, in seconds. */
const lastsFor = 3650 * 86_400
/** A code works for three minutes at most. A phone that is linked later was not linked by it. In seconds. */
const codeWorksFor = 200
/** How often it is noted that codes are shown, in seconds. */
const notedEach = 20

/** A URL, for one time or lasting. Who has it may link a phone to this bridge, and do nothing else. */
export interface Info extends Wishes {
  bridge: Bridge.Info
  /** Unix seconds. */
  expiresAt: number
  /** When its page showed a code last, Unix seconds; 0: never. */
  shownAt: number
  /** A phone was linked on its page. No other phone can be. */
  isUsed: boolean
}

const Wishes = z.object({
  /** Digits: the number that has to be linked. */
  expectedPhone: z.string().optional(),
  /** Where to go when a phone is linked. */
  returnUrl: z.string().optional(),
  /** It stays when a phone is linked: it shows the phone's state, and links it again. */
  isLasting: z.boolean().optional(),
  /** The origin of the site that may show its page in a frame. */
  embedAt: z.string().optional(),
  /** Who made it: the address of a person, or the id of an API key. */
  madeBy: z.string().optional(),
})
type Wishes = z.infer<typeof Wishes>

const Stored = z.object({
  bridge_id: z.string(),
  expires_at: z.number().int(),
  shown_at: z.number().int().optional(),
  used_at: z.number().int().optional(),
  sealed: Bytes,
})

/**
 * Begins a link session, and ends earlier ones of this bridge. Only a hash of its token is stored, and its
 * personal data are sealed.
 */
export async function create(
  bridge: Bridge.Info,
  wishes: Wishes,
): Promise<{ token: string; expiresAt: number }> {
  const token = newToken()
  const key = keyOf(token)
  const expiresAt = now() + (wishes.isLasting ? lastsFor : livesFor)
  const asked: Wishes = { ...wishes, expectedPhone: wishes.expectedPhone?.replace(/^\+/, "") }
  const sealed = seal(await Bridge.deliveryKeyOf(bridge), key, JSON.stringify(asked))
  await transact([
    {
      Put: {
        TableName: tables.accounts,
        Item: { ...key, bridge_id: bridge.id, expires_at: expiresAt, sealed },
      },
    },
    {
      Put: {
        TableName: tables.accounts,
        Item: { ...latestKey(bridge.id), link: key.pk, expires_at: expiresAt },
      },
    },
  ])
  return { token, expiresAt }
}

/** The link session of a token; undefined when it never was, is over, or its bridge is deleted. */
export async function ofToken(token: string): Promise<Info | undefined> {
  return isToken(token) ? await read(keyOf(token)) : undefined
}

/**
 * The link session of a bridge, which has one at most. Only those who were given its token know the token.
 */
export async function ofBridge(bridgeId: string): Promise<Info | undefined> {
  const latest = await getRow(tables.accounts, latestKey(bridgeId))
  return latest && (await read({ pk: Latest.parse(latest).link, sk: "LINK" }))
}

/** Ends the link session of a bridge. */
export async function end(bridgeId: string): Promise<void> {
  await removeRow({ TableName: tables.accounts, Key: latestKey(bridgeId) })
}

async function read(key: Key): Promise<Info | undefined> {
  const row = await getRow(tables.accounts, key)
  if (!row) return undefined
  const { bridge_id, expires_at: expiresAt, sealed, ...times } = Stored.parse(row)
  // The store removes expired rows late.
  if (timeLeft(expiresAt, lastsFor) === 0) return undefined
  const bridge = await Bridge.byId(bridge_id)
  const latest = bridge && (await getRow(tables.accounts, latestKey(bridge.id)))
  if (!bridge || latest?.link !== key.pk) return undefined
  const wishes = openSealed(await Bridge.deliveryKeyOf(bridge), key, sealed).toString()
  const isUsed = times.used_at !== undefined
  const session = {
    bridge,
    expiresAt,
    shownAt: times.shown_at ?? 0,
    isUsed,
    ...Wishes.parse(JSON.parse(wishes)),
  }
  // The clock may have been set back.
  return timeLeft(expiresAt, session.isLasting ? lastsFor : livesFor) === 0 ? undefined : session
}

/** Notes that a code is shown, now and then. */
export async function noteShown(token: string, session: Pick<Info, "shownAt">): Promise<void> {
  if (timeLeft(session.shownAt + notedEach, notedEach) === 0) await note(token, "shown_at")
}

/**
 * Where the phone that is linked now was linked. `own`: on the session's page. `other`: there as well,
 * but another phone is expected. `foreign`: elsewhere, so it must be left as it is.
 */
export function originOfLink(session: Info, phone: string): "own" | "other" | "foreign" {
  if (session.shownAt === 0 && !session.isLasting) return "foreign"
  if (session.expectedPhone === undefined || isSameNumber(session.expectedPhone, phone)) return "own"
  return timeLeft(session.shownAt + codeWorksFor, codeWorksFor) > 0 ? "other" : "foreign"
}

/** Uses a link session up, once a phone is linked. @returns false when it was used up before. */
export async function finish(token: string): Promise<boolean> {
  return await note(token, "used_at")
}

async function note(token: string, field: "shown_at" | "used_at"): Promise<boolean> {
  const row = await updateRow({
    TableName: tables.accounts,
    Key: keyOf(token),
    UpdateExpression: "SET #field = :now",
    ConditionExpression: "expires_at > :now AND attribute_not_exists(used_at)",
    ExpressionAttributeNames: { "#field": field },
    ExpressionAttributeValues: { ":now": now() },
  })
  return "now" in row
}

const Latest = z.object({ link: z.string() })

/** Leads to the latest link session of a bridge: no other one is open. */
function latestKey(bridgeId: string) {
  return { pk: `LINK-OF#${bridgeId}`, sk: "LINK" }
}

function keyOf(token: string) {
  return { pk: `LINK#${hashOf(token)}`, sk: "LINK" }
}
