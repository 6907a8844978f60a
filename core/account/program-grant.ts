export * as ProgramGrant from "./program-grant.ts"

import { createHash } from "node:crypto"
import { z } from "zod"
import { KeyRights } from "#contract/api-key.ts"
import { latestEnd, now, timeLeft } from "../platform/clock.ts"
import { getRow, type Key, putRow, removeRow, transact, updateRow } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { hashOf, isToken, newToken } from "./token.ts"
import { fromTyped, hmacOfCode, newTypedCode } from "./typed-code.ts"

// A person allows a program to get an API key (RFC 6749, RFC 8628). The key is made when the program fetches
// it.

/** How long a program may take to fetch the key that was allowed, in seconds. */
const fetchedWithin = 60
/** How long a person may take to type a program's code, in seconds. */
export const typedWithin = 15 * 60

const Allowed = z.object({
  account_id: z.string(),
  person_id: z.string(),
  /** The address of the person who allowed it. */
  email: z.string(),
  name: z.string(),
  rights: KeyRights,
})
/** The key that a person allowed. */
export type Allowed = z.infer<typeof Allowed>

const Code = z.object({
  allowed: Allowed,
  redirect_uri: z.string(),
  challenge: z.string(),
  expires_at: z.number(),
})

/**
 * Where the program gets the code, and the challenge by which it later proves that it asked (RFC 7636, S256).
 */
export interface Asked {
  redirectUri: string
  challenge: string
}

/** @returns the code with which the program fetches the key, once */
export async function allow(allowed: Allowed, { redirectUri, challenge }: Asked): Promise<string> {
  const code = newToken()
  const item = { allowed, redirect_uri: redirectUri, challenge, expires_at: now() + fetchedWithin }
  await putRow({ TableName: tables.accounts, Item: { ...codeKey(code), ...item } })
  return code
}

/** Uses a code. @returns undefined when it is used, too old, made up, or another program's */
export async function fetchByCode(
  code: string,
  { redirectUri, verifier }: { redirectUri: string; verifier: string },
): Promise<Allowed | undefined> {
  const row = isToken(code) ? await getRow(tables.accounts, codeKey(code)) : undefined
  if (!row || !(await isTaken(codeKey(code)))) return undefined
  const { allowed, redirect_uri, challenge, expires_at } = Code.parse(row)
  const isTheirs = redirect_uri === redirectUri && challenge === challengeOf(verifier)
  return isTheirs && timeLeft(expires_at, fetchedWithin) > 0 ? allowed : undefined
}

function challengeOf(verifier: string): string {
  return createHash("sha256").update(verifier).digest("base64url")
}

const Device = z.object({
  name: z.string(),
  expires_at: z.number(),
  allowed: Allowed.optional(),
  refused: z.boolean().optional(),
})

/** A program without a browser asks: it keeps the first code, and a person types the second one. */
export async function askByDevice(name: string): Promise<{ device: string; user: string }> {
  const device = newToken()
  const user = newTypedCode()
  const expires_at = now() + typedWithin
  const item = { name, expires_at }
  const refused = await transact([
    { Put: { TableName: tables.accounts, Item: { ...deviceKey(hashOf(device)), ...item } } },
    {
      Put: {
        TableName: tables.accounts,
        Item: { ...userKey(user), device: hashOf(device), expires_at },
        ConditionExpression: "attribute_not_exists(pk) OR expires_at < :now",
        ExpressionAttributeValues: { ":now": now() },
      },
    },
  ])
  return refused ? await askByDevice(name) : { device, user }
}

/**
 * The program that waits for this code to be typed: its name, and the hash of its own code. Undefined if none
 * does.
 */
export async function waitingProgram(typed: string): Promise<{ device: string; name: string } | undefined> {
  const found = await getRow(tables.accounts, userKey(fromTyped(typed)))
  const device = z.string().optional().parse(found?.device)
  const row = device === undefined ? undefined : await getRow(tables.accounts, deviceKey(device))
  if (!row || device === undefined) return undefined
  const { name, expires_at, allowed, refused } = Device.parse(row)
  const isOpen = !allowed && !refused && timeLeft(expires_at, typedWithin) > 0
  return isOpen ? { device, name } : undefined
}

/** Allows or refuses a waiting program, once. @returns false when it waits no more */
export async function settleDevice(device: string, allowed: Allowed | undefined): Promise<boolean> {
  const row = await updateRow({
    TableName: tables.accounts,
    Key: deviceKey(device),
    UpdateExpression: allowed ? "SET allowed = :it" : "SET refused = :it",
    ConditionExpression:
      "attribute_not_exists(allowed) AND attribute_not_exists(refused) AND expires_at > :now AND expires_at <= :latest",
    ExpressionAttributeValues: { ":it": allowed ?? true, ":now": now(), ":latest": latestEnd(typedWithin) },
  })
  return "now" in row
}

/** Where a program's request stands. A key that was allowed can be fetched once. */
export async function takeByDeviceCode(code: string): Promise<Allowed | "pending" | "refused" | "over"> {
  const key = deviceKey(hashOf(code))
  const row = isToken(code) ? await getRow(tables.accounts, key) : undefined
  if (!row) return "over"
  const { allowed, refused, expires_at } = Device.parse(row)
  if (timeLeft(expires_at, typedWithin) <= 0) return "over"
  if (refused) return "refused"
  if (!allowed) return "pending"
  return (await isTaken(key)) ? allowed : "over"
}

/** Removes a row. @returns false if another call was faster */
async function isTaken(key: Key): Promise<boolean> {
  const refused = await removeRow({
    TableName: tables.accounts,
    Key: key,
    ConditionExpression: "attribute_exists(pk)",
  })
  return !refused
}

function codeKey(code: string) {
  return { pk: `GRANT#${hashOf(code)}`, sk: "GRANT" }
}

function deviceKey(hash: string) {
  return { pk: `DEVICE#${hash}`, sk: "DEVICE" }
}

function userKey(user: string) {
  return { pk: `DEVICE-CODE#${hmacOfCode("device", user).toString("base64url")}`, sk: "DEVICE-CODE" }
}
