export * as ApiKey from "./api-key.ts"

import { createHmac, randomInt, timingSafeEqual } from "node:crypto"
import { crc32 } from "node:zlib"
import { LRUCache } from "lru-cache"
import { z } from "zod"
import { now } from "../platform/clock.ts"
import { need } from "../platform/config.ts"
import { Bytes, get as getRow, query, transact } from "../store/store.ts"
import { accounts } from "../store/tables.ts"

const Stored = z.object({
  account_id: z.string(),
  key_id: z.string(),
  name: z.string(),
  hmac: Bytes,
  created_at: z.number(),
})

export interface Info {
  keyId: string
  name: string
  createdAt: number
}

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const shape = /^mbk_([0-9A-Za-z]{12})_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/

/** Revocation takes effect within 30 s (Contract, "API keys"); misses are cached as well. */
const known = new LRUCache<string, { found: z.infer<typeof Stored> | undefined }>({
  max: 10_000,
  ttl: 30_000,
})

/** Creates an API key: `mbk_`, 12 characters of id, `_`, 32 of secret, 6 of checksum. Only its HMAC is stored. */
export async function create(accountId: string, name: string): Promise<string> {
  const keyId = random(12)
  const unchecked = `mbk_${keyId}_${random(32)}`
  const secretKey = unchecked + checksum(unchecked)
  await transact([
    {
      Put: {
        TableName: accounts,
        Item: {
          ...rowKey(keyId),
          key_id: keyId,
          account_id: accountId,
          name,
          hmac: hmac(secretKey),
          created_at: now(),
        },
        ConditionExpression: "attribute_not_exists(pk)",
      },
    },
    {
      Put: {
        TableName: accounts,
        Item: { pk: `ACCOUNT#${accountId}`, sk: `KEY#${keyId}`, key_id: keyId, name, created_at: now() },
      },
    },
  ])
  return secretKey
}

/** The account that a key belongs to; undefined if anything is wrong with the key. */
export async function verify(secretKey: string): Promise<{ accountId: string; keyId: string } | undefined> {
  const keyId = shape.exec(secretKey)?.[1]
  if (!keyId || checksum(secretKey.slice(0, -6)) !== secretKey.slice(-6)) return undefined

  const { found } = known.get(keyId) ?? (await read(keyId))
  const given = hmac(secretKey)
  // An unknown id costs the same comparison as a wrong secret.
  const equal = timingSafeEqual(found?.hmac ?? Buffer.alloc(given.length), given)
  return found && equal ? { accountId: found.account_id, keyId } : undefined
}

export async function list(accountId: string): Promise<Info[]> {
  const found: Info[] = []
  const rows = query({
    TableName: accounts,
    KeyConditionExpression: "pk = :account AND begins_with(sk, :key)",
    ExpressionAttributeValues: { ":account": `ACCOUNT#${accountId}`, ":key": "KEY#" },
  })
  for await (const row of rows) {
    const key = Stored.pick({ key_id: true, name: true, created_at: true }).parse(row)
    found.push({ keyId: key.key_id, name: key.name, createdAt: key.created_at })
  }
  return found
}

/** @returns false when the account has no such key. */
export async function revoke(accountId: string, keyId: string): Promise<boolean> {
  const refused = await transact([
    {
      Delete: {
        TableName: accounts,
        Key: rowKey(keyId),
        ConditionExpression: "account_id = :account",
        ExpressionAttributeValues: { ":account": accountId },
      },
    },
    { Delete: { TableName: accounts, Key: { pk: `ACCOUNT#${accountId}`, sk: `KEY#${keyId}` } } },
  ])
  known.delete(keyId)
  return !refused
}

async function read(keyId: string) {
  const row = await getRow(accounts, rowKey(keyId))
  const entry = { found: row && Stored.parse(row) }
  known.set(keyId, entry)
  return entry
}

function rowKey(keyId: string) {
  return { pk: `KEY#${keyId}`, sk: "KEY" }
}

function hmac(secretKey: string): Buffer {
  return createHmac("sha256", need("API_KEY_PEPPER")).update(secretKey).digest()
}

function random(length: number): string {
  return Array.from({ length }, () => base62[randomInt(62)]).join("")
}

function checksum(text: string): string {
  let rest = crc32(text)
  let out = ""
  for (let i = 0; i < 6; i++) {
    out = base62[rest % 62] + out
    rest = Math.floor(rest / 62)
  }
  return out
}
