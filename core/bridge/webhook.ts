export * as Webhook from "./webhook.ts"

import { randomBytes } from "node:crypto"
import type { Format, FormatOptions } from "#contract/webhook.ts"
import { ApiError, invalid, mustBeHere, noSuchBridge } from "../error.ts"
import { Delivery } from "../event/delivery.ts"
import { ring } from "../event/doorbell.ts"
import { EventLists } from "../event/event-lists.ts"
import type { Filter } from "../event/filter.ts"
import { Receiver } from "../event/receiver.ts"
import { tryNow } from "../event/retry-and-skip.ts"
import { toJid } from "../message/jid.ts"
import { now } from "../platform/clock.ts"
import { DiskRoom } from "../platform/disk-room.ts"
import { log } from "../platform/log.ts"
import { type Row, transact, type Write } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { BridgeLog } from "./bridge-log.ts"
import { Bridge } from "./bridge.ts"
import { DeliveryWrites } from "./delivery-writes.ts"
import { WebhookSecret } from "./webhook-secret.ts"
import { areSame, parseWebhookUrl } from "./webhook-url.ts"

/** How many webhooks a bridge may have, `webhook_url` among them (Contract, "Webhooks"). */
const most = 5

/** What a customer may choose of a webhook. What is undefined stays as it is; null ends it. */
export interface Choice {
  events?: string[] | null | undefined
  ignore?: Filter.Info["ignore"] | undefined
  /** In any form in which a caller may name a chat. */
  chats?: string[] | null | undefined
  headers?: Record<string, string> | null | undefined
  batch?: number | null | undefined
  format?: Format | null | undefined
  formatOptions?: FormatOptions | null | undefined
  heals?: boolean | undefined
}

/** A webhook's name in the audit log: the first has that of its bridge. */
export function labelOf(webhook: Delivery.Info, { customerRef }: Bridge.Info): string {
  return Receiver.isFirst(webhook) ? customerRef : `${customerRef}: ${webhook.receiver.url}`
}

/** The URL of a further webhook, as a caller gave it. @throws ApiError `invalid_webhook_url` */
export function parseFurtherUrl(given: unknown): string {
  const url = parseWebhookUrl(given, "url")
  if (url === "")
    throw invalid(
      [{ path: "url", message: "give a URL: only `first` can be the inbox" }],
      "invalid_webhook_url",
    )
  return url
}

/**
 * Adds a webhook to a bridge, or finds the one that has this URL: it gets the events that are appended from
 * now on.
 * @throws ApiError `webhook_limit_reached`, `not_found`, `storage_full`
 */
export async function create(
  bridge: Bridge.Info,
  url: string,
  choice: Choice,
): Promise<{ webhook: Delivery.Info; created: boolean }> {
  for (;;) {
    const webhooks = await list(bridge)
    const [first] = webhooks
    const found = webhooks.find(({ receiver }) => areSame(receiver.url, url))
    if (found) return { webhook: found, created: false }
    if (webhooks.length >= most || first.further.filter(isOwn).length >= most - 1)
      throw new ApiError("webhook_limit_reached")
    if (!DiskRoom.hasRoom()) throw DiskRoom.refusal()
    const id: Receiver.Id = { bridgeId: bridge.id, webhookId: `wh_${randomBytes(8).toString("hex")}` }
    // Read before the row is there. An event that comes in between has a higher number, and this webhook gets
    // it: either the session that appends it finds the row, or the row is there first, and is promised a look
    // from the beginning.
    const newest = await EventLists.newestNumber(bridge.id)
    const { accountId, customerRef, deliveryKey: wrapped } = bridge
    const dataKey = await Bridge.deliveryKeyOf(bridge)
    const receiver = await receiverOf({ ...id, accountId, customerRef, url }, { dataKey, wrapped }, choice)
    const further = [...first.further, id.webhookId]
    const refused = await transact([
      DeliveryWrites.furtherCreation(receiver, {
        newest,
        skipped: first.skipped,
        ...(choice.batch && { batch: choice.batch }),
        heals: choice.heals ?? true,
      }),
      DeliveryWrites.changingWebhooks(first, { further }),
    ])
    // Another webhook was changed meanwhile, or the bridge was deleted.
    if (refused) continue
    await ring(id).catch((error: unknown) => log.warn({ ...id, error }, "doorbell not sent"))
    BridgeLog.append(bridge.id, "info", `webhook ${id.webhookId} added`)
    return { webhook: await get(bridge, id.webhookId), created: true }
  }
}

/** The receiver of a new webhook, with a secret of its own. */
export async function receiverOf(
  about: Pick<Receiver.Info, "accountId" | "bridgeId" | "webhookId" | "customerRef" | "url">,
  key: { dataKey: Uint8Array; wrapped: Uint8Array },
  choice: Choice,
): Promise<Receiver.Info> {
  const filter = filterOf(undefined, choice)
  const receiver: Receiver.Info = {
    ...Receiver.build({ ...about, ...key, owner: about, secret: WebhookSecret.newSecret() }),
    ...(filter && { filter }),
  }
  const { headers } = choice
  const format = await formatOf(receiver, choice)
  return {
    ...receiver,
    ...(headers && { sealedHeaders: await sealed(receiver, headers) }),
    ...(format && { format }),
  }
}

async function sealed(receiver: Receiver.Info, chosen: object): Promise<Uint8Array> {
  return await Receiver.sealed(receiver, JSON.stringify(chosen))
}

/**
 * A format after a change; undefined if events come in ours. `before` is what the webhook has now.
 * @throws ApiError `invalid_request` for options of none, and for a batch, which no other gateway has
 */
async function formatOf(
  receiver: Receiver.Info,
  { format, formatOptions, batch }: Choice,
  before: { format?: Receiver.Info["format"]; batch?: number | undefined } = {},
): Promise<Receiver.Info["format"]> {
  const name = format === undefined ? before.format?.name : format
  if (!name && formatOptions) throw invalid([{ path: "format_options", message: "only with a `format`" }])
  if (!name) return undefined
  if (batch === undefined ? before.batch : batch)
    throw invalid([{ path: "batch", message: "not with `format`: other gateways send one event at a time" }])
  const kept =
    format === undefined || format === before.format?.name ? before.format?.sealedOptions : undefined
  const sealedOptions =
    formatOptions === undefined ? kept : formatOptions ? await sealed(receiver, formatOptions) : undefined
  return { name, ...(sealedOptions && { sealedOptions }) }
}

/** A filter after a change; undefined if every event passes. */
function filterOf(before: Filter.Info | undefined, choice: Choice): Filter.Info | undefined {
  const events = choice.events === undefined ? before?.events : (choice.events ?? undefined)
  const chats = choice.chats === undefined ? before?.chats : choice.chats?.map(toJid)
  const ignore = [...new Set(choice.ignore ?? before?.ignore)]
  if (!events && !chats && ignore.length === 0) return undefined
  return {
    ...(events && { events: [...new Set(events)] }),
    ignore,
    ...(chats && { chats: [...new Set(chats)] }),
  }
}

/**
 * The webhooks of a bridge, `webhook_url` first, without those of its account.
 * @throws ApiError `not_found` once it is deleted, `bridge_moved` once it has moved
 */
export async function list(bridge: Bridge.Info): Promise<[Delivery.Info, ...Delivery.Info[]]> {
  const [first, ...further] = await Delivery.ofBridge(bridge.id)
  if (!first) throw noSuchBridge()
  mustBeHere(first)
  return [first, ...further.filter(({ webhookId }) => isOwn(webhookId))]
}

function isOwn(webhookId: string): boolean {
  return !Receiver.isOfAccount({ webhookId })
}

/** A webhook of the bridge's own. @throws ApiError `not_found` */
export async function get(bridge: Bridge.Info, webhookId: string): Promise<Delivery.Info> {
  if (!isOwn(webhookId)) throw noSuchWebhook()
  return await getAny(bridge, webhookId)
}

/**
 * A webhook that gets events of the bridge: its own, or its account's.
 * @throws ApiError `not_found`, also where no event has come yet since the account got it
 */
export async function getAny(bridge: Bridge.Info, webhookId: string): Promise<Delivery.Info> {
  const webhook = /^[a-z0-9_]{1,64}$/.test(webhookId)
    ? await Delivery.get({ bridgeId: bridge.id, webhookId })
    : undefined
  if (!webhook || webhook.isRemoved) throw noSuchWebhook()
  return webhook
}

function noSuchWebhook(): ApiError {
  return new ApiError("not_found", "this bridge has no such webhook: GET …/webhooks lists them")
}

/**
 * Refuses the URL of another webhook of the bridge: each event would come there twice.
 * @throws ApiError `invalid_webhook_url`
 */
export async function mustBeFree(
  bridge: Bridge.Info,
  url: string,
  { webhookId, field }: { webhookId: string; field: "url" | "webhook_url" },
): Promise<void> {
  mustDiffer(await list(bridge), url, { webhookId, field, of: "this bridge" })
}

/** @throws ApiError `invalid_webhook_url` if another of these webhooks has this URL */
export function mustDiffer(
  all: Delivery.Info[],
  url: string,
  { webhookId, field, of }: { webhookId: string; field: "url" | "webhook_url"; of: string },
): void {
  const other = all.find(
    (one) => one.webhookId !== webhookId && one.receiver.url !== "" && areSame(one.receiver.url, url),
  )
  if (!other) return
  const message = `the webhook \`${other.webhookId}\` of ${of} has this URL: give another`
  throw invalid([{ path: field, message }], "invalid_webhook_url")
}

/**
 * Changes a webhook. The change holds from the next attempt on, which another URL gets at once.
 * @param url undefined: it stays
 * @throws ApiError `not_found`, `invalid_webhook_url`
 */
export async function update(
  bridge: Bridge.Info,
  webhook: Delivery.Info,
  change: Choice & { url?: string | undefined },
): Promise<void> {
  for (;;) {
    const first = await Delivery.get(Delivery.first(bridge.id))
    if (!first) throw noSuchBridge()
    if (change.url !== undefined)
      await mustBeFree(bridge, change.url, { webhookId: webhook.webhookId, field: "url" })
    if (await write(webhook, change, DeliveryWrites.changingWebhooks(first, {}))) break
  }
  if (change.url !== undefined) await tryNow(webhook)
  BridgeLog.append(bridge.id, "info", `webhook ${webhook.webhookId} changed`)
}

/**
 * Changes a webhook of a bridge or an account, whose URL no other has.
 * @param ifUrlIsFree the write that is refused if the others or their URLs have changed since
 * @returns false, and changes nothing, if they have
 * @throws ApiError `not_found`
 */
export async function write(
  webhook: Delivery.Info,
  { url, ...choice }: Choice & { url?: string | undefined },
  ifUrlIsFree: Write,
): Promise<boolean> {
  const set: Row = {}
  const remove: string[] = []
  const change = (name: string, value: unknown) => {
    if (value === undefined) remove.push(name)
    else set[name] = value
  }
  if (url !== undefined) change("webhook_url", url)
  if (choice.batch !== undefined) change("batch", choice.batch ?? undefined)
  if (choice.heals !== undefined) change("heals", choice.heals)
  if (choice.headers !== undefined) {
    const { headers } = choice
    const isAny = headers !== null && Object.keys(headers).length > 0
    change("headers", isAny ? await sealed(webhook.receiver, headers) : undefined)
  }
  const { filter, format } = webhook.receiver
  const isOfFilter = [choice.events, choice.ignore, choice.chats].some((field) => field !== undefined)
  if (isOfFilter) change("filter", filterOf(filter, choice))
  const isOfFormat = [choice.format, choice.formatOptions, choice.batch].some((field) => field !== undefined)
  if (isOfFormat) change("format", await formatOf(webhook.receiver, choice, { format, batch: webhook.batch }))
  // Of two calls that change a filter or a format at once, each must keep what the other has changed.
  const before = { ...(isOfFilter && { filter }), ...(isOfFormat && { format, batch: webhook.batch }) }
  const changed = DeliveryWrites.changing(set, remove, before)
  const refused = await transact([
    { Update: { TableName: tables.events, Key: Receiver.key(webhook), ...changed } },
    ...(url === undefined ? [] : [ifUrlIsFree]),
  ])
  if (!refused) return true
  const [row] = refused
  if (!row) return false
  if (row.pk === undefined) throw noSuchWebhook()
  const now = await Delivery.fromRow(row)
  mustBeHere(now)
  return await write(now, { url, ...choice }, ifUrlIsFree)
}

/**
 * Pauses a webhook: it is sent nothing from now on, and keeps its place. An attempt that is under way goes
 * on.
 * @throws ApiError `not_found`
 */
export async function pause(webhook: Delivery.Info): Promise<void> {
  const { held, refused } = await Delivery.update(webhook, {
    UpdateExpression: "SET paused_at = :now",
    ConditionExpression:
      "attribute_exists(pk) AND attribute_not_exists(paused_at) AND attribute_not_exists(moved)",
    ExpressionAttributeValues: { ":now": now() },
  })
  if (!held && !refused) throw noSuchWebhook()
  if (refused) mustBeHere(refused)
  if (held) BridgeLog.append(webhook.bridgeId, "info", `webhook ${webhook.webhookId} paused`)
}

/** Resumes a webhook: it goes on where it stood. @throws ApiError `not_found` */
export async function resume(webhook: Delivery.Info): Promise<void> {
  const mustRing = await Delivery.updateAndPromise(webhook, {
    // What waited meanwhile is not late by our fault.
    set: "failed_until = :now_at",
    remove: "paused_at",
    condition: "attribute_exists(paused_at)",
    values: { ":now_at": now() },
  })
  if (mustRing === undefined) {
    if (!(await Delivery.get(webhook))) throw noSuchWebhook()
    return
  }
  if (mustRing) await ring(webhook).catch((error: unknown) => log.warn({ error }, "doorbell not sent"))
  BridgeLog.append(webhook.bridgeId, "info", `webhook ${webhook.webhookId} goes on`)
}

/**
 * Deletes a further webhook: whoever delivers to it loses its claim. Its attempts and lists go when they
 * expire.
 * @throws ApiError `not_found`
 */
export async function remove(bridge: Bridge.Info, webhookId: string): Promise<void> {
  for (;;) {
    const [first] = await list(bridge)
    if (!first.further.includes(webhookId)) throw noSuchWebhook()
    const further = first.further.filter((id) => id !== webhookId)
    const id = { bridgeId: bridge.id, webhookId }
    const refused = await transact([
      { Delete: { TableName: tables.events, Key: Receiver.key(id) } },
      DeliveryWrites.changingWebhooks(first, { further }),
    ])
    if (refused) continue
    BridgeLog.append(bridge.id, "info", `webhook ${webhookId} deleted`)
    return
  }
}
