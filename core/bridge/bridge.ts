export * as Bridge from "./bridge.ts"

import { randomUUID } from "node:crypto"
import { LRUCache } from "lru-cache"
import { z } from "zod"
import { CustomerRef } from "#contract/bridge.ts"
import { Account } from "../account/account.ts"
import { invalid, issuesOf, mustBeHere, noSuchBridge } from "../error.ts"
import { Delivery } from "../event/delivery.ts"
import { Receiver } from "../event/receiver.ts"
import { tryNow } from "../event/retry-and-skip.ts"
import { DataKeys } from "../keys/data-keys.ts"
import { newDataKey, type Owner } from "../keys/wrapping.ts"
import { Lease } from "../lease/lease.ts"
import { nowMs } from "../platform/clock.ts"
import { config } from "../platform/config.ts"
import { DiskRoom } from "../platform/disk-room.ts"
import {
  Bytes,
  getRow,
  type Key,
  query,
  type Row,
  rowsBeginning,
  transact,
  updateRow,
} from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { BridgeCount } from "./bridge-count.ts"
import { DeliveryWrites } from "./delivery-writes.ts"
import { WebhookSecret } from "./webhook-secret.ts"
import { parseWebhookUrl } from "./webhook-url.ts"

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
  /** Wrapped; `deliveryKeyOf` opens it. */
  deliveryKey: Bytes,
  /**
   * A sandbox is on the simulated network, for trying things. It needs no subscription and counts against no
   * limit.
   */
  isSandbox: z.boolean(),
  /** It has moved to another service, or is on its way. */
  isMoved: z.boolean(),
})
export type Info = z.infer<typeof Info>

/** The reference of the sandbox bridge that each account has where `SANDBOX` is on. */
const sandbox = "sandbox"

/**
 * The ids of sandbox bridges begin with it: on AWS their host has no right to the rows, keys and files of
 * others.
 */
export const sandboxIdPrefix = "5a4db0c5-"

export function key(accountId: string, customerRef: string) {
  return { pk: accountKey(accountId), sk: `BRIDGE#${customerRef}` }
}

function accountKey(accountId: string): string {
  return `ACCOUNT#${accountId}`
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
    customerRef: customerRefOf(input.customerRef),
    webhookUrl: parseWebhookUrl(input.webhookUrl ?? ""),
  }
  const isSandbox = asked.customerRef === sandbox
  const owner: Owner = { accountId: input.accountId, bridgeId: newId(isSandbox) }
  if (isSandbox && !config.SANDBOX)
    throw invalid(
      [{ path: "customer_ref", message: "`sandbox` is reserved: choose another reference" }],
      "invalid_customer_ref",
    )
  if (!DiskRoom.hasRoom()) {
    const bridge = await find(input.accountId, asked.customerRef)
    if (!bridge) throw DiskRoom.refusal()
    return { bridge, created: false }
  }
  const delivery = await newDataKey("delivery", owner)
  const bridge: Info = {
    ...asked,
    id: owner.bridgeId,
    accountId: input.accountId,
    createdMs: nowMs(),
    shownName: "",
    deliveryKey: delivery.wrapped,
    isSandbox,
    isMoved: false,
  }
  const network = isSandbox ? "simulated" : config.HOST_NETWORK
  const refused = await transact([
    {
      Put: {
        TableName: tables.accounts,
        Item: toRow(bridge),
        ConditionExpression: "attribute_not_exists(pk)",
      },
    },
    ...(await BridgeCount.creating(bridge)),
    ...leadingRows(bridge).map((Item) => ({ Put: { TableName: tables.accounts, Item } })),
    { Put: { TableName: tables.leases, Item: Lease.newRow(bridge.id, network) } },
    { Put: { TableName: tables.leases, Item: await DataKeys.newRow(owner, delivery.wrapped, isSandbox) } },
    DeliveryWrites.creation(
      Receiver.build({
        owner,
        customerRef: bridge.customerRef,
        ...Receiver.first(bridge.id),
        url: asked.webhookUrl,
        secret: WebhookSecret.newSecret(),
        dataKey: delivery.key,
        wrapped: delivery.wrapped,
      }),
    ),
  ])
  if (!refused) return { bridge, created: true }
  // An existing reference is answered before any billing check.
  if (refused[0]) return { bridge: fromRow(refused[0]), created: false }
  throw Account.whyNoBridge(refused[1] ?? {})
}

function customerRefOf(given: unknown): string {
  const parsed = CustomerRef.safeParse(given)
  if (parsed.success) return parsed.data
  throw invalid(issuesOf(parsed.error, "customer_ref"), "invalid_customer_ref")
}

function newId(isSandbox: boolean): string {
  const id = randomUUID()
  return isSandbox ? `${sandboxIdPrefix}${id.slice(sandboxIdPrefix.length)}` : id
}

/**
 * The account's bridge of this reference; `default` is the first one. The sandbox bridge is created the first
 * time it is asked for by a caller who may create it.
 * @throws ApiError `not_found`
 */
export async function get(accountId: string, customerRef: string, mayCreate = true): Promise<Info> {
  const bridge = customerRef === "default" ? await oldest(accountId) : await find(accountId, customerRef)
  if (!bridge && config.SANDBOX && customerRef === sandbox && mayCreate)
    return (await create({ accountId, customerRef })).bridge
  if (!bridge || !isVisible(bridge)) throw noSuchBridge()
  return bridge
}

/** The account's first bridge, without a look at the others. */
async function oldest(accountId: string): Promise<Info | undefined> {
  for await (const row of rowsBeginning(tables.accounts, accountKey(accountId), byAge, { Limit: 1 })) {
    const { id, customer_ref } = Leading.parse(row)
    const bridge = await find(accountId, customer_ref)
    // Else it was deleted between the two reads.
    if (bridge?.id === id) return bridge
  }
  return undefined
}

/** Whether the account may see it. Sandboxes that were created earlier are hidden while `SANDBOX` is off. */
export function isVisible(bridge: Pick<Info, "isSandbox">): boolean {
  return config.SANDBOX || !bridge.isSandbox
}

/** The account's bridges in order of creation, the sandbox bridge last. */
export async function list(accountId: string): Promise<Info[]> {
  return (await Array.fromAsync(rowsOf(accountId), fromRow)).toSorted(oldestFirst)
}

/** The fields of a bridge that a list shows. */
const Listed = Info.pick({
  id: true,
  accountId: true,
  customerRef: true,
  createdMs: true,
  shownName: true,
  webhookUrl: true,
  isSandbox: true,
})
export type Listed = z.infer<typeof Listed>

/** Which bridges of an account are read: at most so many, those behind this reference. */
interface Part {
  most?: number | undefined
  after?: string | undefined
}

/**
 * The bridges of an account in the order of their references, with the fields that a list shows. Sealed
 * fields are not read: of very many bridges they would be most of what crosses the wire.
 */
export async function listBrief(accountId: string, { most, after = "" }: Part = {}): Promise<Listed[]> {
  const found: Listed[] = []
  const rows = query({
    TableName: tables.accounts,
    ConsistentRead: true,
    KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
    // `!` is before every character of a reference, and `~` behind.
    ExpressionAttributeValues: {
      ":pk": accountKey(accountId),
      ":from": `BRIDGE#${after}!`,
      ":to": "BRIDGE#~",
    },
    ProjectionExpression: "id, account_id, customer_ref, created_ms, shown_name, webhook_url, sandbox",
    ...(most !== undefined && { Limit: most }),
  })
  for await (const row of rows) if (found.push(Listed.parse(named(row))) === most) break
  return found
}

function rowsOf(accountId: string) {
  return rowsBeginning(tables.accounts, accountKey(accountId), "BRIDGE#")
}

/** The order of creation, the sandbox bridge last. */
export function oldestFirst(a: Listed, b: Listed): number {
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

/** Bridges never change their account. */
const accounts = new LRUCache<string, string>({ max: 10_000 })

/**
 * Whose share of what all have in common a bridge uses: its account's. On AWS, where session hosts may not
 * read who owns a bridge and each holds few bridges of an account, it is the bridge's own; so it is without
 * such a bridge.
 */
export async function accountOf(bridgeId: string): Promise<string> {
  if (!config.STORAGE_DIR) return bridgeId
  const known = accounts.get(bridgeId)
  if (known !== undefined) return known
  const where = await getRow(tables.accounts, whereKey(bridgeId))
  if (!where) return bridgeId
  const accountId = z.string().parse(where.account_id)
  accounts.set(bridgeId, accountId)
  return accountId
}

/** Whether a bridge has not been deleted since it was read. */
export async function isThere(bridge: Info): Promise<boolean> {
  return (await find(bridge.accountId, bridge.customerRef))?.id === bridge.id
}

/**
 * Changes where events go: in the bridge's row and in the row that deliverers read. What waits is tried there
 * at once.
 * @param look looks at the bridge's other webhooks, and throws what is in the way
 * @throws ApiError `not_found` when the bridge has been deleted meanwhile, `bridge_moved` when it has moved
 */
export async function setWebhookUrl(
  bridge: Info,
  url: string,
  look: () => Promise<void> = async () => {},
): Promise<Info> {
  const first = await Delivery.get(Delivery.first(bridge.id))
  if (!first) throw noSuchBridge()
  await look()
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
    DeliveryWrites.changingWebhooks(first, { url }),
  ])
  if (refused?.[0]) mustBeHere({ isMoved: refused[0].moved === true })
  // A webhook was added or removed meanwhile, or has got another URL.
  if (refused?.[1]?.pk !== undefined && !refused[0]) return await setWebhookUrl(bridge, url, look)
  if (refused) throw noSuchBridge()
  if (url !== first.receiver.url) await tryNow(first)
  return { ...bridge, webhookUrl: url }
}

/**
 * Changes what the dashboard calls it.
 * @throws ApiError `not_found` when the bridge has been deleted meanwhile
 */
export async function setShownName(bridge: Info, shownName: string): Promise<Info> {
  const changed = await updateRow({
    TableName: tables.accounts,
    Key: key(bridge.accountId, bridge.customerRef),
    UpdateExpression: "SET shown_name = :name",
    ConditionExpression: "id = :id",
    ExpressionAttributeValues: { ":name": shownName, ":id": bridge.id },
  })
  if (!("now" in changed)) throw noSuchBridge()
  return { ...bridge, shownName }
}

/**
 * Deletes a bridge. Its holder is fenced, its data keys are gone and with them everything sealed under them,
 * and its reference is free. Any host removes its other rows in the background.
 * @param importId only while the bridge arrives with this import
 * @throws ApiError `not_found` when it is gone already.
 */
export async function remove(bridge: Info, importId?: string): Promise<void> {
  const deliveries = DeliveryWrites.removals(await Delivery.ofBridge(bridge.id))
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
    ...(await BridgeCount.removing(bridge)),
    ...leadingRows(bridge).map(({ pk, sk }) => ({
      Delete: { TableName: tables.accounts, Key: { pk, sk } },
    })),
    { Delete: { TableName: tables.leases, Key: DataKeys.rowKey(bridge.id) } },
    Lease.ending(bridge.id, importId),
  ])
  // A webhook was added or removed meanwhile.
  if (refused?.[0] && deliveries.length > 0) return await remove(bridge, importId)
  if (refused) throw noSuchBridge()
  DataKeys.forget(bridge.id)
}

/** The key under which this bridge's event bodies and webhook secrets are sealed. */
export async function deliveryKeyOf(bridge: Info): Promise<Uint8Array> {
  const { accountId, id: bridgeId, deliveryKey } = bridge
  return await DataKeys.unwrapped("delivery", { accountId, bridgeId }, deliveryKey)
}

/** The account's bridge of this reference, if there is one. */
export async function find(accountId: string, customerRef: string): Promise<Info | undefined> {
  // An invalid reference might not be a valid DynamoDB key.
  if (!CustomerRef.safeParse(customerRef).success) return undefined
  const row = await getRow(tables.accounts, key(accountId, customerRef))
  return row && fromRow(row)
}

function whereKey(bridgeId: string) {
  return { pk: `BRIDGE#${bridgeId}`, sk: "WHERE" }
}

const byAge = "BRIDGE_BY_AGE#"
/** A row that leads to a bridge of the account. */
const Leading = z.object({ id: z.string(), customer_ref: z.string() })

/**
 * The rows that lead to a bridge: from its id, and from its account in the order of creation (`oldestFirst`).
 */
export function leadingRows(
  bridge: Pick<Info, "id" | "accountId" | "customerRef" | "createdMs" | "isSandbox">,
): (Row & Key)[] {
  const { id, accountId, customerRef: customer_ref } = bridge
  const age = `${Number(bridge.isSandbox)}#${String(bridge.createdMs).padStart(15, "0")}`
  return [
    { ...whereKey(id), account_id: accountId, customer_ref },
    { pk: accountKey(accountId), sk: `${byAge}${age}#${customer_ref}`, id, customer_ref },
  ]
}

/** The row of a new bridge. */
export function toRow(bridge: Info): Row {
  return {
    ...key(bridge.accountId, bridge.customerRef),
    id: bridge.id,
    account_id: bridge.accountId,
    customer_ref: bridge.customerRef,
    created_ms: bridge.createdMs,
    webhook_url: bridge.webhookUrl,
    delivery_key: bridge.deliveryKey,
    ...(bridge.isSandbox && { sandbox: true }),
  }
}

/** Parses a stored row. */
export function fromRow(row: Row): Info {
  return Info.parse(named(row))
}

/** A row's attributes by the names that they have here. */
function named(row: Row): Row {
  return {
    ...row,
    accountId: row.account_id,
    customerRef: row.customer_ref,
    createdMs: row.created_ms,
    shownName: row.shown_name ?? "",
    webhookUrl: row.webhook_url,
    deliveryKey: row.delivery_key,
    isSandbox: row.sandbox ?? false,
    isMoved: row.moved ?? false,
  }
}
