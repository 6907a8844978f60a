export * as Browser from "./browser.ts"

import { z } from "zod"
import { now, timeLeft } from "../platform/clock.ts"
import { getRow, type Row, rowsBeginning, transact, updateRow } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { Person } from "./person.ts"
import { hashOf, isToken, newToken } from "./token.ts"

/**
 * A browser in which a person is signed in. Its cookie holds the token; the row is named after the token's
 * hash.
 */
const Info = z.object({
  /** The hash of its token, which names it in lists. */
  id: z.string(),
  personId: z.string(),
  /** The account that it shows; `""` while its person is in none. */
  accountId: z.string(),
  /** The browser's own name, from its `User-Agent`. */
  agent: z.string(),
  /** The network address from which it was signed in. */
  address: z.string().default(""),
  /**
   * Whether the sign-in was by a passkey or by the operator's link, for which access to the mailbox is not
   * enough.
   */
  isStrong: z.boolean().default(false),
  signedInAt: z.number().int(),
  seenAt: z.number().int(),
})
export type Info = z.infer<typeof Info>

/** In seconds. */
const day = 86_400
const livesFor = 30 * day
const idleFor = 7 * day
/** How often it is noted that a browser was seen, in seconds. */
const notedEach = 600
/** For so long after a sign-in, dangerous acts need no new one. In seconds. */
const freshFor = 600

/**
 * Signs a browser in. The one that it was before, if any, is signed out: a token is never used for two
 * sign-ins.
 */
export async function admit(
  input: Pick<Info, "personId" | "accountId" | "agent"> & Partial<Pick<Info, "address" | "isStrong">>,
  former?: string,
): Promise<string> {
  if (former !== undefined) await signOut(former)
  return await put(input, now())
}

/**
 * Shows a browser another account of its person. This is no sign-in: the browser gets a new token, and its
 * sign-in stays as old as it was.
 */
export async function turnTo(browser: Info, accountId: string): Promise<{ token: string; seconds: number }> {
  await remove(browser.personId, browser.id)
  const token = await put({ ...browser, accountId }, browser.signedInAt)
  return { token, seconds: browser.signedInAt + livesFor - now() }
}

async function put(input: Parameters<typeof admit>[0], at: number): Promise<string> {
  const token = newToken()
  const id = hashOf(token)
  const { personId, accountId } = input
  const row = {
    id,
    person_id: personId,
    account_id: accountId,
    agent: input.agent.slice(0, 200),
    address: input.address ?? "",
    ...(input.isStrong && { strong: true }),
  }
  const times = { signed_in_at: at, seen_at: now(), expires_at: at + livesFor }
  await transact([
    { Put: { TableName: tables.accounts, Item: { ...key(id), ...row, ...times } } },
    {
      Put: {
        TableName: tables.accounts,
        Item: { ...ofPersonKey(personId, id), id, expires_at: at + livesFor },
      },
    },
  ])
  return token
}

/** The browser of this token; undefined when it is signed out, or was not seen for a week. */
export async function ofToken(token: string): Promise<Info | undefined> {
  if (!isToken(token)) return undefined
  const found = await get(hashOf(token))
  if (!found || timeLeft(found.seenAt + notedEach, notedEach) > 0) return found
  await updateRow({
    TableName: tables.accounts,
    Key: key(found.id),
    UpdateExpression: "SET seen_at = :now",
    ConditionExpression: "attribute_exists(pk)",
    ExpressionAttributeValues: { ":now": now() },
  })
  return found
}

/** Whether its person signed in a moment ago, as dangerous acts require. */
export function isFresh(browser: Info): boolean {
  return timeLeft(browser.signedInAt + freshFor, freshFor) > 0
}

/** Where a person is signed in, the latest first. */
export async function list(personId: string): Promise<Info[]> {
  const rows = rowsBeginning(tables.accounts, `PERSON#${personId}`, "BROWSER#")
  const ids = await Array.fromAsync(rows, (row) => z.string().parse(row.id))
  const found = await Promise.all(ids.map(get))
  return found.filter((one) => one !== undefined).toSorted((a, b) => b.seenAt - a.seenAt)
}

/** Signs out the browser of this token. */
export async function signOut(token: string): Promise<void> {
  const found = isToken(token) ? await get(hashOf(token)) : undefined
  if (found) await remove(found.personId, found.id)
}

/** Signs out one of a person's browsers. Another person's is left as it is. */
export async function remove(personId: string, id: string): Promise<void> {
  await Person.removeOf(personId, key(id), ofPersonKey(personId, id))
}

async function get(id: string): Promise<Info | undefined> {
  const row = await getRow(tables.accounts, key(id))
  if (!row || Number(row.expires_at) <= now()) return undefined
  const found = fromRow(row)
  return found.seenAt + idleFor > now() ? found : undefined
}

function key(id: string) {
  return { pk: `BROWSER#${id}`, sk: "BROWSER" }
}

function ofPersonKey(personId: string, id: string) {
  return { pk: `PERSON#${personId}`, sk: `BROWSER#${id}` }
}

function fromRow(row: Row): Info {
  return Info.parse({
    ...row,
    personId: row.person_id,
    accountId: row.account_id,
    isStrong: row.strong,
    signedInAt: row.signed_in_at,
    seenAt: row.seen_at,
  })
}
