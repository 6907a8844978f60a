import { getAccount } from "#contract/account.ts"
import { createKey, listKeys, removeKey, type Rights } from "#contract/api-key.ts"
import { type ApiRequest, listRequests } from "#contract/request-log.ts"
import { getUsage, type UsageRow } from "#contract/usage.ts"
import { Account } from "#core/account/account.ts"
import { ApiKey } from "#core/account/api-key.ts"
import { RequestLog } from "#core/account/request-log.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { ApiError, invalid } from "#core/error.ts"
import { Came } from "#core/event/came.ts"
import { Usage } from "#core/event/usage.ts"
import { toJid } from "#core/message/jid.ts"
import { iso, now } from "#core/platform/clock.ts"
import { contractRouter } from "../http/contract-router.ts"
import { auditByKey } from "./audit.ts"

/** An account may have this many keys, so that no loop makes them without end. */
const mostKeys = 100

/** The account of the caller's key, and its keys. */
export const account = contractRouter()
  .openapi(getAccount, async (c) => {
    const found = await Account.get(c.var.accountId)
    if (!found) throw new ApiError("unauthorized", "this account has been deleted")
    const { id, name, subscription, bridges, bridgeLimit, createdAt } = found
    return c.json({ id, name, subscription, bridges, bridge_limit: bridgeLimit, created_at: createdAt }, 200)
  })
  .openapi(getUsage, async (c) => {
    const { from, to } = c.req.valid("query")
    return c.json(await usageOf(await Bridge.list(c.var.accountId), { from, to }), 200)
  })
  .openapi(listRequests, async (c) => {
    const { refused, after, limit } = c.req.valid("query")
    const isRefused = refused && refused === "true"
    const { requests, next } = await requestsOf(c.var.accountId, { refused: isRefused, before: after, limit })
    if (next !== undefined) c.header("x-next-after", next)
    return c.json(requests, 200)
  })
  .openapi(listKeys, async (c) => {
    return c.json((await ApiKey.list(c.var.accountId)).map(wire), 200)
  })
  .openapi(createKey, async (c) => {
    const { name, expires_at: expiresAt, ...rights } = c.req.valid("json")
    const by = { keyId: c.var.keyId }
    const { key, ...made } = await makeKey(c.var.accountId, { name, rights, by, expiresAt })
    await auditByKey(c, "key_created", name)
    return c.json({ ...wire(made), key }, 201)
  })
  .openapi(removeKey, async (c) => {
    if (!(await ApiKey.revoke(c.var.accountId, c.req.valid("param").id)))
      throw new ApiError("not_found", "there is no such key: GET /api/keys lists yours")
    await auditByKey(c, "key_revoked", c.req.valid("param").id)
    return c.body(null, 204)
  })

/**
 * Makes a key for an account. A key that is made by a key that expires does not outlive it.
 * @throws ApiError `invalid_request` if `expiresAt` is over, `not_found`, `forbidden` if there are too many,
 * `unauthorized` if it is made by a key that was revoked
 */
export async function makeKey(
  accountId: string,
  wanted: {
    name: string
    rights: Rights
    by: ApiKey.Maker
    expiresAt?: number | undefined
  },
): Promise<ApiKey.Info & { key: string }> {
  const { name, rights, by } = wanted
  const access = await accessOf(accountId, rights)
  if (wanted.expiresAt !== undefined && wanted.expiresAt <= now())
    throw invalid([{ path: "expires_at", message: "is over: give a time to come, in Unix seconds" }])
  const all = await ApiKey.list(accountId)
  if (all.length >= mostKeys)
    throw new ApiError("forbidden", `an account may have ${mostKeys} keys: revoke one first`)
  const maker = "keyId" in by ? all.find(({ keyId }) => keyId === by.keyId) : undefined
  const ends = [wanted.expiresAt, maker?.expiresAt].filter((one) => one !== undefined)
  const expiresAt = ends.length === 0 ? undefined : Math.min(...ends)
  const key = await ApiKey.create(accountId, name, access, by, expiresAt)
  const about = { keyId: ApiKey.idOf(key), name, ...access, expiresAt }
  return { ...about, createdAt: now(), createdBy: ApiKey.makerName(by), key }
}

/** @throws ApiError `not_found` for a bridge that the account has not */
async function accessOf(accountId: string, rights: Rights): Promise<ApiKey.Access> {
  const { scope, customer_refs: refs, chats, file_hosts: fileHosts } = rights
  const bridges = refs && (await Promise.all(unique(refs).map((ref) => Bridge.get(accountId, ref, false))))
  return {
    scope,
    bridges,
    chats: chats && unique(chats.map(toJid)),
    fileHosts: fileHosts && unique(fileHosts),
  }
}

function unique(values: string[]): string[] {
  return [...new Set(values)]
}

/**
 * The deliveries of an account's bridges by day, oldest first; by default up to today, and from 30 days
 * before `to` on.
 * @throws ApiError `invalid_request` for a `from` after `to`
 */
export async function usageOf(
  bridges: Bridge.Info[],
  asked: { from?: string | undefined; to?: string | undefined },
): Promise<UsageRow[]> {
  const to = asked.to ?? dayOf(now())
  const from = asked.from ?? dayOf(Date.parse(to) / 1000 - 30 * 86_400)
  if (from > to)
    throw invalid([{ path: "from", message: `is after \`to\`, ${to}: give that day or an earlier one` }])
  const all = await Promise.all(
    bridges.map(async ({ id, customerRef }) =>
      (await Came.days(id, { from, to })).map((day) => wireUsage(customerRef, day)),
    ),
  )
  return all.flat().toSorted((a, b) => a.date.localeCompare(b.date))
}

/** A page of an account's calls (Contract, "Requests"). */
async function requestsOf(
  accountId: string,
  asked: { refused?: boolean | undefined; before?: string | undefined; limit: number },
): Promise<{ requests: ApiRequest[]; next?: string }> {
  const [{ calls, ...more }, keys] = await Promise.all([
    RequestLog.page(accountId, asked),
    ApiKey.list(accountId),
  ])
  const names = new Map(keys.map(({ keyId, name }) => [keyId, name]))
  return { requests: calls.map((call) => wireRequest(call, names.get(call.keyId))), ...more }
}

function wireRequest(call: RequestLog.Kept, keyName: string | undefined): ApiRequest {
  const { requestId, atMs, method, path, status, refusal, keyId, ms, leftOut } = call
  return {
    request_id: requestId,
    timestamp: iso(atMs),
    method,
    path,
    status,
    ...(refusal && { code: refusal.code, error: refusal.sentence }),
    key_id: keyId,
    ...(keyName !== undefined && { key_name: keyName }),
    ms,
    left_out: leftOut,
  }
}

function dayOf(seconds: number): string {
  return iso(seconds * 1000).slice(0, 10)
}

function wireUsage(customerRef: string, day: Usage.Day & Usage.Messages): UsageRow {
  const { attempts, failed } = day
  return {
    date: day.day,
    customer_ref: customerRef,
    events: day.delivered,
    messages: day.messages,
    messages_in: day.in,
    messages_out: day.out,
    undelivered: day.undelivered,
    attempts,
    success: attempts === 0 ? 1 : (attempts - failed) / attempts,
    p95_ms: Usage.p95Of(day),
  }
}

function wire(key: ApiKey.Info) {
  const { keyId, name, scope, bridges, chats, fileHosts, createdAt, createdBy, lastUsedAt, expiresAt } = key
  return {
    id: keyId,
    name,
    scope,
    ...(bridges && { customer_refs: bridges.map(({ customerRef }) => customerRef) }),
    ...(chats && { chats }),
    ...(fileHosts && { file_hosts: fileHosts }),
    created_at: createdAt,
    ...(createdBy !== undefined && { created_by: createdBy }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
    ...(lastUsedAt !== undefined && { last_used_at: lastUsedAt }),
  }
}
