export * as ApiKey from "./api-key.ts"

import { timingSafeEqual } from "node:crypto"
import { LRUCache } from "lru-cache"
import { z } from "zod"
import { ApiError } from "../error.ts"
import { now } from "../platform/clock.ts"
import { config } from "../platform/config.ts"
import { log } from "../platform/log.ts"
import { Bytes, getRow, rowsBeginning, transact, updateRow, type Write } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { Account } from "./account.ts"
import { AgentReads } from "./agent-reads.ts"
import { idOf, isWhole, newSecretKey } from "./api-key-secret.ts"
import { hmac, ownPepper, pepperOf } from "./pepper.ts"

export { idOf }

export const Scope = z.enum(["all", "read"])

export const Stored = z.object({
  account_id: z.string(),
  key_id: z.string(),
  name: z.string(),
  hmac: Bytes,
  created_at: z.number(),
  scope: Scope.default("all"),
  bridges: z.array(z.object({ id: z.string(), customer_ref: z.string() })).optional(),
  chats: z.array(z.string()).optional(),
  file_hosts: z.array(z.string()).optional(),
  created_by: z.string().optional(),
  last_used_at: z.number().optional(),
  /**
   * Not named `expires_at`: the store would remove the row, but an expired key is still listed, and its
   * caller is told why it is refused.
   */
  ends_at: z.number().optional(),
  /** A key that came from another service brings the pepper of that service along, sealed. */
  pepper: Bytes.optional(),
})
type Stored = z.infer<typeof Stored>

/** The row that is kept for a while after a key was revoked. It says whose key that was. */
const Gone = Stored.pick({ account_id: true, hmac: true, pepper: true })

/** How long the row of a revoked key is kept, in seconds. */
const goneFor = 30 * 86_400

/** The rights of a key (Contract, "Scopes of keys"). */
export interface Access {
  scope: z.infer<typeof Scope>
  /** The only bridges that it is for; undefined: all, and the account. */
  bridges?: { id: string; customerRef: string }[] | undefined
  /** The only chats (JIDs) in which it reads and writes; undefined: all, and what is in none. */
  chats?: string[] | undefined
  /** The hosts whose files an agent sends unasked. */
  fileHosts?: string[] | undefined
}

export interface Info extends Access {
  keyId: string
  name: string
  createdAt: number
  /** The address of the person, or the id of the key, that made it; undefined if the operator did. */
  createdBy?: string | undefined
  /** To the hour. */
  lastUsedAt?: number | undefined
  /** When it stops working by itself, Unix seconds. */
  expiresAt?: number | undefined
}

/** Whose key it is, and what it may do. */
export interface Owner extends Access {
  accountId: string
  keyId: string
}

/** Revocation takes effect within 30 s (Contract, "API keys"); misses are cached as well. */
const known = new LRUCache<string, { found: Stored | undefined; gone?: z.infer<typeof Gone> | undefined }>({
  max: 10_000,
  ttl: 30_000,
})

/** Who makes a key: a person by their address, or a key by its id. */
export type Maker = { email: string } | { keyId: string }

/** A maker as lists of keys name them. */
export function makerName(by: Maker): string {
  return "email" in by ? by.email : by.keyId
}

/**
 * Creates an API key. Only its HMAC is stored.
 * @param by undefined: the operator
 * @param expiresAt Unix seconds; undefined: it works until it is revoked
 * @throws ApiError `unauthorized` when the key that makes it was revoked
 */
export async function create(
  accountId: string,
  name: string,
  access: Access = { scope: "all" },
  by?: Maker,
  expiresAt?: number,
): Promise<string> {
  const secretKey = newSecretKey()
  const keyId = idOf(secretKey)
  const about = {
    key_id: keyId,
    name,
    created_at: now(),
    ...rowOf(access),
    ...(by && { created_by: makerName(by) }),
    ...(expiresAt !== undefined && { ends_at: expiresAt }),
  }
  const refused = await transact([
    // `verify` knows a revoked key for up to half a minute more: by then the key must not make another one
    // that outlives it.
    ...(by && "keyId" in by ? [remains(by.keyId)] : []),
    {
      Put: {
        TableName: tables.accounts,
        Item: {
          ...rowKey(keyId),
          ...about,
          account_id: accountId,
          hmac: hmac(secretKey, ownPepper(keyId)),
        },
        ConditionExpression: "attribute_not_exists(pk)",
      },
    },
    {
      Put: {
        TableName: tables.accounts,
        Item: { ...listKey(accountId, keyId), ...about },
      },
    },
  ])
  if (refused) throw new ApiError("unauthorized", "this key has been revoked")
  return secretKey
}

function remains(keyId: string): Write {
  return {
    ConditionCheck: {
      TableName: tables.accounts,
      Key: rowKey(keyId),
      ConditionExpression: "attribute_exists(pk)",
    },
  }
}

/** The owner of a key; "expired" if only its time is over; undefined if anything else is wrong with it. */
export async function verify(secretKey: string): Promise<Owner | "expired" | undefined> {
  if (!isWhole(secretKey)) return undefined
  const keyId = idOf(secretKey)
  const { found } = known.get(keyId) ?? (await read(keyId))
  if (!isOf(secretKey, keyId, found) || !found) return undefined
  return isOver(found) ? "expired" : { accountId: found.account_id, keyId, ...accessOf(found) }
}

/**
 * The account of a key that this process has seen within half a minute; undefined otherwise. It reads no row.
 */
export function accountIfKnown(secretKey: string): string | undefined {
  const keyId = idOf(secretKey)
  const found = known.get(keyId)?.found
  return found && isOf(secretKey, keyId, found) ? found.account_id : undefined
}

/**
 * Whose key this is, or was until it was revoked or expired; undefined if it was revoked long ago, or never
 * was a key.
 */
export async function formerOwner(
  secretKey: string,
): Promise<Pick<Owner, "accountId" | "keyId"> | undefined> {
  if (!isWhole(secretKey)) return undefined
  const keyId = idOf(secretKey)
  const { found, gone } = known.get(keyId) ?? (await read(keyId))
  const former = found ?? gone
  return former && isOf(secretKey, keyId, former) ? { accountId: former.account_id, keyId } : undefined
}

/** Whether a row is that of this key. An unknown id costs the same comparison as a wrong secret. */
function isOf(secretKey: string, keyId: string, row: z.infer<typeof Gone> | undefined): boolean {
  const given = hmac(secretKey, pepperOf(keyId, rowKey(keyId), row?.pepper))
  return timingSafeEqual(row?.hmac ?? Buffer.alloc(given.length), given)
}

function isOver({ ends_at: endsAt }: Pick<Stored, "ends_at">): boolean {
  return endsAt !== undefined && endsAt <= now()
}

/**
 * Whether a key is neither revoked nor over. Reads the store each time, whereas `verify` remembers keys for
 * half a minute.
 */
export async function isThere(keyId: string): Promise<boolean> {
  const row = await getRow(tables.accounts, rowKey(keyId))
  return row !== undefined && !isOver(Stored.parse(row))
}

type StoredAccess = Pick<Stored, "scope" | "bridges" | "chats" | "file_hosts">

function rowOf({ scope, bridges, chats, fileHosts }: Access): StoredAccess {
  return {
    scope,
    bridges: bridges?.map(({ id, customerRef }) => ({ id, customer_ref: customerRef })),
    chats,
    file_hosts: fileHosts,
  }
}

function accessOf({ scope, bridges, chats, file_hosts: fileHosts }: StoredAccess): Access {
  return {
    scope,
    ...(bridges && {
      bridges: bridges.map(({ id, customer_ref: customerRef }) => ({ id, customerRef })),
    }),
    ...(chats && { chats }),
    ...(fileHosts && { fileHosts }),
  }
}

/** A key's use is noted once an hour by each process, so a request costs no write. In seconds. */
const notedEach = 3600
const noted = new LRUCache<string, true>({ max: 10_000, ttl: notedEach * 1000 })

/** Notes that a key is in use. Never rejects: the request matters more. */
export async function noteUse({ accountId, keyId }: Owner): Promise<void> {
  // The stream function may not write accounts. Its callers use the API as well.
  if (config.API_FUNCTION !== undefined || noted.has(keyId)) return
  noted.set(keyId, true)
  try {
    await updateRow({
      TableName: tables.accounts,
      Key: listKey(accountId, keyId),
      UpdateExpression: "SET last_used_at = :now",
      ConditionExpression:
        "attribute_exists(pk) AND (attribute_not_exists(last_used_at) OR last_used_at <= :before)",
      ExpressionAttributeValues: { ":now": now(), ":before": now() - notedEach },
    })
  } catch (error) {
    log.info({ error, accountId, keyId }, "the use of a key was not noted")
  }
}

/** A key as its account lists it. */
const Listed = Stored.omit({ account_id: true, hmac: true })

export async function list(accountId: string): Promise<Info[]> {
  const found: Info[] = []
  for await (const row of rowsBeginning(tables.accounts, `ACCOUNT#${accountId}`, "KEY#")) {
    const key = Listed.parse(row)
    found.push({
      keyId: key.key_id,
      name: key.name,
      createdAt: key.created_at,
      createdBy: key.created_by,
      lastUsedAt: key.last_used_at,
      expiresAt: key.ends_at,
      ...accessOf(key),
    })
  }
  return found
}

/**
 * Ends a key, and those that it made. Their owner is remembered for a while, so that calls with them are
 * listed among the account's requests. `withAccount`: the account is removed as well, so nothing is
 * remembered.
 * @returns false when the account has no such key.
 */
export async function revoke(
  accountId: string,
  keyId: string,
  { withAccount = false }: { withAccount?: boolean } = {},
): Promise<boolean> {
  const row = await getRow(tables.accounts, rowKey(keyId))
  const gone = row && !withAccount && { ...Gone.parse(row), ...goneKey(keyId), expires_at: now() + goneFor }
  const refused = await transact([
    ...(gone ? [{ Put: { TableName: tables.accounts, Item: gone } }] : []),
    {
      Delete: {
        TableName: tables.accounts,
        Key: rowKey(keyId),
        ConditionExpression: "account_id = :account",
        ExpressionAttributeValues: { ":account": accountId },
      },
    },
    ...[listKey(accountId, keyId), ...AgentReads.rowKeys(keyId)].map((Key) => ({
      Delete: { TableName: tables.accounts, Key },
    })),
  ])
  known.delete(keyId)
  // After the key that made them: it makes no more from now on.
  for (const { keyId: made, createdBy } of await list(accountId))
    if (createdBy === keyId) await revoke(accountId, made, { withAccount })
  return !refused
}

/** How long a key that is replaced goes on working, in seconds. */
export const overlap = 86_400

/**
 * Makes a key with the name and the rights of another one, which ends by itself a day later.
 * @throws ApiError `not_found` for a key that is over, or that the account does not have
 */
export async function replace(accountId: string, keyId: string, by: Maker): Promise<string> {
  const former = (await list(accountId)).find((one) => one.keyId === keyId)
  const endsAt = Math.min(now() + overlap, former?.expiresAt ?? Infinity)
  if (!former || endsAt <= now()) throw new ApiError("not_found")
  const fresh = await create(accountId, former.name, former, by, former.expiresAt)
  await setInBoth(accountId, keyId, "ends_at", endsAt)
  known.delete(keyId)
  return fresh
}

/** Sets an attribute of a key in both of its rows. */
async function setInBoth(
  accountId: string,
  keyId: string,
  name: string,
  value: string | number,
): Promise<void> {
  await transact(
    [rowKey(keyId), listKey(accountId, keyId)].map((Key) => ({
      Update: {
        TableName: tables.accounts,
        Key,
        UpdateExpression: `SET ${name} = :value`,
        ConditionExpression: "attribute_exists(pk)",
        ExpressionAttributeValues: { ":value": value },
      },
    })),
  )
}

/** Changes the address under which the keys that a person made name their maker. */
export async function renameMaker(accountId: string, from: string, to: string): Promise<void> {
  const made = (await list(accountId)).filter(({ createdBy }) => createdBy === from)
  for (const { keyId } of made) await setInBoth(accountId, keyId, "created_by", to)
}

async function read(keyId: string) {
  const row = await getRow(tables.accounts, rowKey(keyId))
  const entry = { found: row && Stored.parse(row), gone: row ? undefined : await readGone(keyId) }
  known.set(keyId, entry)
  return entry
}

/** The row that remembers a revoked key, if its account is still there. */
async function readGone(keyId: string): Promise<z.infer<typeof Gone> | undefined> {
  const row = await getRow(tables.accounts, goneKey(keyId))
  const gone = row && Gone.parse(row)
  return gone && (await Account.get(gone.account_id)) ? gone : undefined
}

export function rowKey(keyId: string) {
  return { pk: `KEY#${keyId}`, sk: "KEY" }
}

function goneKey(keyId: string) {
  return { pk: `KEY#${keyId}`, sk: "GONE" }
}

/** The row that lists a key under its account. */
export function listKey(accountId: string, keyId: string) {
  return { pk: `ACCOUNT#${accountId}`, sk: `KEY#${keyId}` }
}
