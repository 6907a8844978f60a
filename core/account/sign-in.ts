export * as SignIn from "./sign-in.ts"

import { timingSafeEqual } from "node:crypto"
import { z } from "zod"
import { latestEnd, now, timeLeft } from "../platform/clock.ts"
import { Bytes, getRow, putRow, transact, updateRow } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { Member } from "./member.ts"
import { hashOf, isToken, newToken } from "./token.ts"
import { fromTyped, hmacOfCode, newTypedCode } from "./typed-code.ts"

/** How long a mailed code and its link are good for, in seconds. */
export const mailedFor = 15 * 60
/** For how long a link that was printed for the operator is good, in seconds. */
const printedFor = 24 * 60 * 60
/** How many codes may be tried. After that not even the right one works. */
const tries = 5

/** The row of a link: mailed, printed, or of an invitation to an account. */
const Link = z.object({
  email: z.string(),
  printed: z.boolean().default(false),
  invited: z.boolean().default(false),
  expires_at: z.number(),
  next: z.string().default("/"),
  account_id: z.string().optional(),
  asking: z.string().optional(),
})
const Asked = z.object({
  email: z.string(),
  code: Bytes,
  link: z.string(),
  tries: z.number(),
  expires_at: z.number(),
})

/** Where a link leads. */
export interface Goal {
  /** A path of ours. */
  next: string
  /** The account that the person saw when they asked. */
  accountId?: string | undefined
}

/** A sign-in that was asked for: `asking` stays in the browser, `code` and `link` are mailed. */
export interface Begun {
  asking: string
  code: string
  link: string
}

/**
 * Begins a sign-in. The code works only in the browser that holds `asking`, the link in any; the first of
 * them that is used ends both.
 *
 * @param goal where the link leads. The code needs none: the browser that asked remembers it.
 */
export async function begin(email: string, goal: Goal = { next: "/" }): Promise<Begun> {
  const begun: Begun = { asking: newToken(), code: newTypedCode(), link: newToken() }
  const expires_at = now() + mailedFor
  const [asking, link] = [hashOf(begun.asking), hashOf(begun.link)]
  const item = { email, code: hmacOfCode(`sign-in ${asking}`, begun.code), link, tries: 0, expires_at }
  const { next, accountId } = goal
  const leads = { next, ...(accountId !== undefined && { account_id: accountId }) }
  await transact([
    { Put: { TableName: tables.accounts, Item: { ...key(asking), ...item } } },
    { Put: { TableName: tables.accounts, Item: { ...key(link), email, asking, expires_at, ...leads } } },
  ])
  return begun
}

/** The token of a link for the operator; it is not mailed. */
export async function newLinkToPrint(email: string): Promise<string> {
  const token = newToken()
  await putRow({
    TableName: tables.accounts,
    Item: { ...key(hashOf(token)), email, printed: true, expires_at: now() + printedFor },
  })
  return token
}

/**
 * Makes the link of an invitation to an account. A person who uses it has shown that the mailbox is theirs.
 * @returns its token
 */
export async function newLinkToInvite(email: string, accountId: string): Promise<string> {
  const token = newToken()
  const leads = { account_id: accountId, invited: true, expires_at: now() + Member.invitedFor }
  await putRow({ TableName: tables.accounts, Item: { ...key(hashOf(token)), email, ...leads } })
  return token
}

/** The person whom a link signs in, and where they go next. `joins`: the account that invites them. */
export interface Led extends Goal {
  email: string
  isPrinted: boolean
  joins?: string | undefined
}

/** Reads a link without using it up. @returns undefined if it was used, is too old or was made up */
export async function readLink(link: string): Promise<Led | undefined> {
  const found = await find(link)
  return found && led(found)
}

/** Uses a link. @returns undefined when it is used, too old or made up */
export async function useLink(link: string): Promise<Led | undefined> {
  const found = await find(link)
  return found && (await used(hashOf(link), found.asking)) ? led(found) : undefined
}

function led({ email, printed, next, account_id, invited }: z.infer<typeof Link>): Led {
  return { email, isPrinted: printed, next, accountId: account_id, ...(invited && { joins: account_id }) }
}

async function find(link: string): Promise<z.infer<typeof Link> | undefined> {
  const row = isToken(link) ? await getRow(tables.accounts, key(hashOf(link))) : undefined
  // The row of a browser that asked is no link.
  if (!row || row.code) return undefined
  const found = Link.parse(row)
  const life = found.printed ? printedFor : found.invited ? Member.invitedFor : mailedFor
  return timeLeft(found.expires_at, life) > 0 ? found : undefined
}

/** The address whose code a browser may type now; undefined if it asked for none, or that is over. */
export async function addressOf(asking: string): Promise<string | undefined> {
  const row = isToken(asking) ? await getRow(tables.accounts, key(hashOf(asking))) : undefined
  // The row of a link has no code.
  if (!row?.code) return undefined
  const asked = Asked.parse(row)
  return asked.tries < tries && timeLeft(asked.expires_at, mailedFor) > 0 ? asked.email : undefined
}

/**
 * Uses a code in the browser that asked for it. Each call counts as a try, before the code is looked at.
 * @returns the address, or why there is none: `wrong` may be tried again, `over` must be asked for anew
 */
export async function useCode(asking: string, code: string): Promise<{ email: string } | "wrong" | "over"> {
  if (!isToken(asking)) return "over"
  const hash = hashOf(asking)
  const row = await updateRow({
    TableName: tables.accounts,
    Key: key(hash),
    UpdateExpression: "SET tries = tries + :one",
    ConditionExpression: "tries < :most AND expires_at > :now AND expires_at <= :latest",
    ExpressionAttributeValues: {
      ":one": 1,
      ":most": tries,
      ":now": now(),
      ":latest": latestEnd(mailedFor),
    },
  })
  if (!("now" in row)) return "over"
  const asked = Asked.parse(row.now)
  if (!timingSafeEqual(asked.code, hmacOfCode(`sign-in ${hash}`, fromTyped(code))))
    return asked.tries < tries ? "wrong" : "over"
  return (await used(asked.link, hash)) ? { email: asked.email } : "over"
}

/** Uses up a sign-in: its link and its code. @returns false when another call was faster */
async function used(link: string, asking: string | undefined): Promise<boolean> {
  const refused = await transact([
    {
      Delete: {
        TableName: tables.accounts,
        Key: key(link),
        ConditionExpression: "attribute_exists(pk) AND expires_at > :now",
        ExpressionAttributeValues: { ":now": now() },
      },
    },
    ...(asking === undefined ? [] : [{ Delete: { TableName: tables.accounts, Key: key(asking) } }]),
  ])
  return !refused
}

function key(hash: string) {
  return { pk: `SIGN-IN#${hash}`, sk: "SIGN-IN" }
}
