export * as Bridge from "./bridge.ts"

import { nowMs } from "../platform/clock.ts"
import { randomBytes, randomUUID } from "node:crypto"
import { z } from "zod"
import { Account } from "../account/account.ts"
import { Billing } from "../billing.ts"
import { config } from "../platform/config.ts"
import { CustomerRef } from "../contract/bridge.ts"
import { DataKeys } from "../keys/data-keys.ts"
import { Delivery } from "../event/delivery.ts"
import { DeliveryRow } from "./delivery-row.ts"
import { invalid, issuesOf, mustBeHere, noSuchBridge } from "../error.ts"
import { Lease } from "../lease/lease.ts"
import { mayName } from "../fetch/reachable-addresses.ts"
import { Receiver } from "../event/receiver.ts"
import { open, seal } from "../keys/seal.ts"
import { Storage } from "../platform/storage.ts"
import {
  Bytes,
  get as getRow,
  type Key,
  query,
  type Row,
  transact,
  update,
  type Write,
} from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { newDataKey, type Owner } from "../keys/wrapping.ts"

/** A number that an account has configured. The lease holds its state. */
export const Info = z.object({
  id: z.string(),
  accountId: z.string(),
  customerRef: z.string(),
  createdMs: z.number().int(),
  /** The name that the dashboard shows in place of the reference; `""`: it shows the reference. */
  shownName: z.string(),
  /** `""` means the hosted inbox. */
  webhookUrl: z.string(),
  /** Sealed; `secretOf` opens it. */
  sealedSecret: Bytes,
  /** Wrapped; `deliveryKeyOf` opens it. */
  deliveryKey: Bytes,
  /** The secret that was replaced, sealed, and until when it signs as well. */
  secretBefore: z.object({ sealed: Bytes, until: z.number().int() }).optional(),
  /** A sandbox is on the simulated network, for trying things. It needs no subscription and counts against no limit. */
  isSandbox: z.boolean(),
  /** It has moved to another service, or is on its way. */
  isMoved: z.boolean(),
})
export type Info = z.infer<typeof Info>

/** The reference of the sandbox bridge that each account has where `SANDBOX` is on. */
const sandbox = "sandbox"

/** The ids of sandbox bridges begin with it: on AWS their host has no right to the rows, keys and files of others. */
export const sandboxIds = "5a4db0c5-"

/** Contract, "Webhook addresses" */
const WebhookUrl = z
  .string()
  .max(2048, "at most 2,048 characters")
  // Checked before parsing: the URL parser would drop some of these and yield a different URL.
  .refine((url) => !/[\s\p{Cc}]/u.test(url), "must have no spaces or line breaks: write a space as %20")
  .refine((url) => !url.includes("#"), "must have no fragment: leave out the # and everything after it")
  .refine((url) => URL.canParse(url), "not a URL")
  .transform((url) => new URL(url))
  .refine(
    (url) => url.protocol === "https:" || url.protocol === "http:",
    "must begin with http:// or https://",
  )
  .refine((url) => config.STAGE !== "production" || url.protocol === "https:", "https only")
  .refine((url) => url.username === "" && url.password === "", "must have no user name or password")
  .refine((url) => url.port !== "0", "port 0 cannot be called: give your server's port, or none")
  // The addresses behind a name are checked each time it is dialled.
  .refine(
    (url) => mayName(url.hostname),
    "this address is not public: use one that is, or ask the operator of this service to allow it (URL_ALLOW)",
  )
  .transform((url) => url.href)

export function key(accountId: string, customerRef: string) {
  return { pk: `ACCOUNT#${accountId}`, sk: `BRIDGE#${customerRef}` }
}

/**
 * Creates the bridge of this reference, or finds it.
 * @throws ApiError `invalid_customer_ref`, `invalid_webhook_url`, `no_subscription`, `payment_required`,
 * `bridge_limit_reached`, `storage_full`
 */
export async function create(input: {
  accountId: string
  customerRef: unknown
  webhookUrl?: unknown
}): Promise<{ bridge: Info; created: boolean }> {
  const asked = {
    customerRef: valid("invalid_customer_ref", "customer_ref", CustomerRef, input.customerRef),
    webhookUrl: webhookUrl(input.webhookUrl ?? ""),
  }
  const isSandbox = asked.customerRef === sandbox
  const owner: Owner = { accountId: input.accountId, bridgeId: newId(isSandbox) }
  if (isSandbox && !config.SANDBOX)
    throw invalid(
      [{ path: "customer_ref", message: "`sandbox` is reserved: choose another reference" }],
      "invalid_customer_ref",
    )
  if (!Storage.hasRoom())
    return { bridge: await existing(key(input.accountId, asked.customerRef)), created: false }
  const delivery = await newDataKey("delivery", owner)
  const secret = newSecret()
  const bridge: Info = {
    ...asked,
    id: owner.bridgeId,
    accountId: input.accountId,
    createdMs: nowMs(),
    shownName: "",
    sealedSecret: seal(delivery.key, key(input.accountId, asked.customerRef), secret),
    deliveryKey: delivery.wrapped,
    isSandbox,
    isMoved: false,
  }
  const refused = await transact([
    {
      Put: {
        TableName: tables.accounts,
        Item: toRow(bridge),
        ConditionExpression: "attribute_not_exists(pk)",
      },
    },
    isSandbox ? allowed(bridge) : counted(bridge),
    { Put: { TableName: tables.accounts, Item: whereRow(bridge) } },
    {
      Put: {
        TableName: tables.leases,
        Item: Lease.wanted(bridge.id, isSandbox ? "simulated" : config.HOST_NETWORK),
      },
    },
    { Put: { TableName: tables.leases, Item: await DataKeys.row(owner, delivery.wrapped, isSandbox) } },
    DeliveryRow.creation(
      Receiver.of({
        owner,
        ...Receiver.first(bridge.id),
        url: asked.webhookUrl,
        secret,
        dataKey: delivery.key,
        wrapped: delivery.wrapped,
      }),
    ),
    ...(await billed(bridge)),
  ])
  if (!refused) return { bridge, created: true }
  // An existing reference is answered before any billing check.
  if (refused[0]) return { bridge: fromRow(refused[0]), created: false }
  throw Account.whyNoBridge(refused[1] ?? {})
}

/** @throws ApiError `storage_full`: it does not exist, and there is no room for it */
async function existing(at: Key): Promise<Info> {
  const row = await getRow(tables.accounts, at)
  if (!row) throw Storage.refusal()
  return fromRow(row)
}

function newId(isSandbox: boolean): string {
  const id = randomUUID()
  return isSandbox ? `${sandboxIds}${id.slice(sandboxIds.length)}` : id
}

/** A sandbox does not count against the limit, but its account must still exist. */
function allowed(bridge: Info): Write {
  return {
    ConditionCheck: {
      TableName: tables.accounts,
      Key: Account.key(bridge.accountId),
      ConditionExpression: "attribute_exists(pk)",
    },
  }
}

/** Counts one more bridge, if the account may have it. */
function counted(bridge: Info): Write {
  return counting(bridge, 1, {
    ConditionExpression: "subscription IN (:active, :trialing) AND bridges < bridge_limit",
    ExpressionAttributeValues: { ":active": "active", ":trialing": "trialing" },
  })
}

function counting(
  { accountId }: Info,
  by: 1 | -1,
  condition: { ConditionExpression?: string; ExpressionAttributeValues?: Row } = {},
): Write {
  return {
    Update: {
      TableName: tables.accounts,
      Key: Account.key(accountId),
      UpdateExpression: "ADD bridges :by",
      ...condition,
      ExpressionAttributeValues: { ...condition.ExpressionAttributeValues, ":by": by },
    },
  }
}

/** The number of bridges changes, and with it what the account pays for. */
export async function billed(bridge: Pick<Info, "accountId" | "isSandbox">): Promise<Write[]> {
  return Billing.isOn() && !bridge.isSandbox ? await Billing.changing(bridge.accountId) : []
}

/**
 * The account's bridge of this reference; `default` is the first one. The sandbox bridge is created the first time it
 * is asked for by somebody who may create it.
 * @throws ApiError `not_found`
 */
export async function get(accountId: string, customerRef: string, mayCreate = true): Promise<Info> {
  const bridge = customerRef === "default" ? (await list(accountId))[0] : await find(accountId, customerRef)
  if (!bridge && config.SANDBOX && customerRef === sandbox && mayCreate)
    return (await create({ accountId, customerRef })).bridge
  if (!bridge || !isOffered(bridge)) throw noSuchBridge()
  return bridge
}

/** Whether the account may see it. Sandboxes that were created earlier are hidden while `SANDBOX` is off. */
export function isOffered(bridge: Pick<Info, "isSandbox">): boolean {
  return config.SANDBOX || !bridge.isSandbox
}

/** The account's bridges in order of creation, the sandbox bridge last. */
export async function list(accountId: string): Promise<Info[]> {
  const found: Info[] = []
  for await (const row of rowsOf(accountId)) found.push(fromRow(row))
  return found.toSorted(inOrder)
}

/** The fields of a bridge that a list shows. */
export type Listed = Pick<
  Info,
  "id" | "accountId" | "customerRef" | "createdMs" | "shownName" | "webhookUrl" | "isSandbox"
>

/**
 * The bridges of an account in the order of their references, with the fields that a list shows. Sealed fields are not read: of
 * very many bridges they would be most of what crosses the wire.
 * @param most how many, at most
 */
export async function listed(accountId: string, most = Infinity): Promise<Listed[]> {
  const found: Listed[] = []
  for await (const row of rowsOf(
    accountId,
    "id, customer_ref, created_ms, shown_name, webhook_url, sandbox",
    most,
  )) {
    const { id, customer_ref: customerRef, ...more } = ListedRow.parse(row)
    const { created_ms: createdMs, shown_name: shownName, webhook_url: webhookUrl, sandbox: isSandbox } = more
    if (found.push({ id, accountId, customerRef, createdMs, shownName, webhookUrl, isSandbox }) === most)
      break
  }
  return found
}

function rowsOf(accountId: string, attributes?: string, most = Infinity) {
  return query({
    TableName: tables.accounts,
    ConsistentRead: true,
    KeyConditionExpression: "pk = :account AND begins_with(sk, :bridge)",
    ExpressionAttributeValues: { ":account": `ACCOUNT#${accountId}`, ":bridge": "BRIDGE#" },
    ...(attributes !== undefined && { ProjectionExpression: attributes }),
    ...(most < Infinity && { Limit: most }),
  })
}

const ListedRow = z.object({
  id: z.string(),
  customer_ref: z.string(),
  created_ms: z.number(),
  shown_name: z.string().default(""),
  webhook_url: z.string(),
  sandbox: z.boolean().default(false),
})

/** The order of creation, the sandbox bridge last. */
export function inOrder(a: Listed, b: Listed): number {
  return Number(a.isSandbox) - Number(b.isSandbox) || a.createdMs - b.createdMs
}

/** The bridge of this id, in any account; undefined once it is deleted. */
export async function byId(bridgeId: string): Promise<Info | undefined> {
  const where = await getRow(tables.accounts, whereKey(bridgeId))
  if (!where) return undefined
  const { account_id, customer_ref } = z
    .object({ account_id: z.string(), customer_ref: z.string() })
    .parse(where)
  const bridge = await find(account_id, customer_ref)
  return bridge?.id === bridgeId ? bridge : undefined
}

/** Whether a bridge has not been deleted since it was read. */
export async function isThere(bridge: Info): Promise<boolean> {
  return (await find(bridge.accountId, bridge.customerRef))?.id === bridge.id
}

/**
 * A webhook URL in the form in which it is stored; `""` for the hosted inbox.
 * @throws ApiError `invalid_webhook_url`
 */
export function webhookUrl(given: unknown, field: "webhook_url" | "url" = "webhook_url"): string {
  if (given === "" || given === null) return ""
  return valid("invalid_webhook_url", field, WebhookUrl, given)
}

/**
 * Changes where events go: in the bridge's row and in the row that deliverers read.
 * @throws ApiError `not_found` when the bridge has been deleted meanwhile, `bridge_moved` when it has moved
 */
export async function setWebhookUrl(bridge: Info, url: string): Promise<Info> {
  const changed: Info = { ...bridge, webhookUrl: url }
  const refused = await transact([
    {
      Update: {
        TableName: tables.accounts,
        Key: key(bridge.accountId, bridge.customerRef),
        UpdateExpression: "SET webhook_url = :url",
        ConditionExpression: "id = :id AND attribute_not_exists(moved)",
        ExpressionAttributeValues: { ":url": url, ":id": bridge.id },
      },
    },
    DeliveryRow.redirection(bridge.id, url),
  ])
  if (refused?.[0]) mustBeHere({ isMoved: refused[0].moved === true })
  if (refused) throw noSuchBridge()
  return changed
}

/**
 * Changes what the dashboard calls it.
 * @throws ApiError `not_found` when the bridge has been deleted meanwhile
 */
export async function setShownName(bridge: Info, shownName: string): Promise<Info> {
  const changed = await update({
    TableName: tables.accounts,
    Key: key(bridge.accountId, bridge.customerRef),
    UpdateExpression: "SET shown_name = :name",
    ConditionExpression: "id = :id",
    ExpressionAttributeValues: { ":name": shownName, ":id": bridge.id },
  })
  if (!("now" in changed)) throw noSuchBridge()
  return { ...bridge, shownName }
}

/** The bridge's data that deliverers need. */
export async function receiverOf(bridge: Info): Promise<Receiver.Info> {
  return Receiver.of({
    owner: { accountId: bridge.accountId, bridgeId: bridge.id },
    ...Receiver.first(bridge.id),
    url: bridge.webhookUrl,
    secret: await secretOf(bridge),
    dataKey: await deliveryKeyOf(bridge),
    wrapped: bridge.deliveryKey,
  })
}

/**
 * Deletes a bridge. Its holder is fenced, its data keys are gone and with them everything sealed under them, and its
 * reference is free. Any host removes its other rows in the background.
 * @param importId only while it arrives with this import
 * @throws ApiError `not_found` when it is gone already.
 */
export async function remove(bridge: Info, importId?: string): Promise<void> {
  const deliveries = DeliveryRow.removals(await Delivery.all(bridge.id))
  const refused = await transact([
    ...deliveries,
    {
      Delete: {
        TableName: tables.accounts,
        Key: key(bridge.accountId, bridge.customerRef),
        ConditionExpression: "id = :id",
        ExpressionAttributeValues: { ":id": bridge.id },
      },
    },
    ...(bridge.isSandbox ? [] : [counting(bridge, -1)]),
    { Delete: { TableName: tables.accounts, Key: whereKey(bridge.id) } },
    { Delete: { TableName: tables.leases, Key: DataKeys.key(bridge.id) } },
    Lease.gone(bridge.id, importId),
    ...(await billed(bridge)),
  ])
  // A webhook was added or removed meanwhile.
  if (refused?.[0] && deliveries.length > 0) return await remove(bridge, importId)
  if (refused) throw noSuchBridge()
  DataKeys.forget(bridge.id)
}

/** The write by which it leaves for another service, or stays after all. */
export function moving(bridge: Info, isLeaving: boolean): Write {
  return {
    Update: {
      TableName: tables.accounts,
      Key: key(bridge.accountId, bridge.customerRef),
      UpdateExpression: isLeaving ? "SET moved = :yes" : "REMOVE moved",
      ConditionExpression: "id = :id",
      ExpressionAttributeValues: { ":id": bridge.id, ...(isLeaving && { ":yes": true }) },
    },
  }
}

/**
 * The writes by which a bridge arrives from another service in an account, as it `left`. It counts as one more, unless it was
 * here before.
 * @param delivery its data key, in the clear and as it is wrapped here
 */
export function arriving(
  left: Row,
  {
    accountId,
    isNew,
    delivery,
  }: { accountId: string; isNew: boolean; delivery: { key: Uint8Array; wrapped: Uint8Array } },
): Write[] {
  const was = fromRow(left)
  const before = key(was.accountId, was.customerRef)
  const at = key(accountId, was.customerRef)
  const sealedHere = (sealed: unknown) =>
    seal(delivery.key, at, open(delivery.key, before, Bytes.parse(sealed)))
  const { moved: _, ...kept } = left
  const row: Row = {
    ...kept,
    ...at,
    account_id: accountId,
    delivery_key: delivery.wrapped,
    webhook_secret: sealedHere(left.webhook_secret),
    ...(left.secret_before !== undefined && { secret_before: sealedHere(left.secret_before) }),
  }
  const bridge = { ...was, accountId }
  return [
    {
      Put: {
        TableName: tables.accounts,
        Item: row,
        ConditionExpression: "attribute_not_exists(pk) OR id = :id",
        ExpressionAttributeValues: { ":id": was.id },
      },
    },
    // The operator moves it: no limit is asked.
    isNew ? counting(bridge, 1, { ConditionExpression: "attribute_exists(pk)" }) : allowed(bridge),
    { Put: { TableName: tables.accounts, Item: whereRow(bridge) } },
  ]
}

/** The key under which this bridge's event bodies and webhook secret are sealed. */
export async function deliveryKeyOf(bridge: Info): Promise<Uint8Array> {
  const owner: Owner = { accountId: bridge.accountId, bridgeId: bridge.id }
  return await DataKeys.unwrapped("delivery", owner, bridge.deliveryKey)
}

/** The secret that authenticates this bridge's webhooks (Contract, "Proof of a delivery"). */
export async function secretOf(bridge: Info): Promise<string> {
  const rowKey = key(bridge.accountId, bridge.customerRef)
  return open(await deliveryKeyOf(bridge), rowKey, bridge.sealedSecret).toString()
}

/** Contract, "Proof of a delivery" */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`
}

/** The account's bridge of this reference, if there is one. */
export async function find(accountId: string, customerRef: string): Promise<Info | undefined> {
  // An invalid reference might not be a valid DynamoDB key.
  if (!CustomerRef.safeParse(customerRef).success) return undefined
  const row = await getRow(tables.accounts, key(accountId, customerRef))
  return row && fromRow(row)
}

function valid<Output>(
  code: "invalid_customer_ref" | "invalid_webhook_url",
  field: string,
  schema: z.ZodType<Output>,
  given: unknown,
): Output {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  throw invalid(issuesOf(parsed.error, field), code)
}

function whereKey(bridgeId: string) {
  return { pk: `BRIDGE#${bridgeId}`, sk: "WHERE" }
}

/** Leads from the bridge's id to its account. */
function whereRow(bridge: Info): Row {
  return {
    ...whereKey(bridge.id),
    account_id: bridge.accountId,
    customer_ref: bridge.customerRef,
  }
}

function toRow(bridge: Info): Row {
  return {
    ...key(bridge.accountId, bridge.customerRef),
    id: bridge.id,
    account_id: bridge.accountId,
    customer_ref: bridge.customerRef,
    created_ms: bridge.createdMs,
    ...(bridge.shownName !== "" && { shown_name: bridge.shownName }),
    webhook_url: bridge.webhookUrl,
    webhook_secret: bridge.sealedSecret,
    delivery_key: bridge.deliveryKey,
    ...(bridge.isSandbox && { sandbox: true }),
    ...(bridge.isMoved && { moved: true }),
  }
}

/** Parses a stored row. */
export function fromRow(row: Row): Info {
  return Info.parse({
    ...row,
    accountId: row.account_id,
    customerRef: row.customer_ref,
    createdMs: row.created_ms,
    shownName: row.shown_name ?? "",
    webhookUrl: row.webhook_url,
    sealedSecret: row.webhook_secret,
    deliveryKey: row.delivery_key,
    isSandbox: row.sandbox ?? false,
    isMoved: row.moved ?? false,
    secretBefore: row.secret_before && { sealed: row.secret_before, until: row.secret_before_until },
  })
}
