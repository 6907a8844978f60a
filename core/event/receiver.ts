export * as Receiver from "./receiver.ts"

import { createHmac } from "node:crypto"
import { z } from "zod"
import { Format, FormatOptions } from "#contract/webhook.ts"
import { DataKeys } from "../keys/data-keys.ts"
import { open, seal } from "../keys/seal.ts"
import type { Owner } from "../keys/wrapping.ts"
import { now } from "../platform/clock.ts"
import { Bytes, type Row } from "../store/store.ts"
import { bridgeIdOf } from "../store/tables.ts"
import { Filter } from "./filter.ts"

/** Which of a bridge's receivers: the first, or that of a further webhook. Each has a delivery of its own. */
export interface Id {
  bridgeId: string
  webhookId: string
}

/** The id of the webhook that `webhook_url` is. */
const firstId = "first"

/** The receiver that every bridge has: its `webhook_url`, or the hosted inbox. */
export function first(bridgeId: string): Id {
  return { bridgeId, webhookId: firstId }
}

export function isFirst({ webhookId }: Pick<Id, "webhookId">): boolean {
  return webhookId === firstId
}

/** What the ids of accounts' webhooks begin with. A bridge's own begin otherwise. */
export const accountPrefix = "wha_"

/**
 * Whether it is a webhook of the account, which gets the events of all its bridges. Each of these has a
 * delivery to it, whose row says only how far that has come.
 */
export function isOfAccount({ webhookId }: Pick<Id, "webhookId">): boolean {
  return webhookId.startsWith(accountPrefix)
}

/**
 * Where an account keeps what it has chosen of a webhook: in the row that a bridge with the account's id
 * would have for it.
 */
export function atAccount({ accountId, webhookId }: { accountId: string; webhookId: string }): Id {
  return { bridgeId: accountId, webhookId }
}

/**
 * Where a bridge's events go and what it takes to send them there, kept in the row of the delivery. Every
 * change of that row returns it, so that no attempt has to read the bridge. Of the first, `url` and
 * `deliveryKey` are copies of the bridge's own row.
 */
const Info = z.object({
  accountId: z.string(),
  bridgeId: z.string(),
  webhookId: z.string(),
  /** The bridge's reference. */
  customerRef: z.string(),
  /** `""` means the hosted inbox. */
  url: z.string(),
  /** Sealed for this row, or for that of the account's webhook; `keysOf` opens it. */
  sealedSecret: Bytes,
  /** Wrapped; `keysOf` opens it. */
  deliveryKey: Bytes,
  /** The data key of an account's webhook, wrapped: its secrets are sealed under it. */
  accountKey: Bytes.optional(),
  /** The secret that was replaced, sealed for this row, and until when it signs as well. */
  before: z.object({ sealedSecret: Bytes, until: z.number().int() }).optional(),
  /** The customer's own headers, as JSON, sealed for this row. */
  sealedHeaders: Bytes.optional(),
  /** Which of the bridge's events it gets; absent: all. Only of a further webhook. */
  filter: Filter.Info.optional(),
  /** In which other gateway's language it gets them; absent: in ours. */
  format: z
    .object({
      name: Format,
      /** `FormatOptions` as JSON, sealed for this row. */
      sealedOptions: Bytes.optional(),
    })
    .optional(),
})
export type Info = z.infer<typeof Info>

const sortKey = "DELIVERY"
const furtherPrefix = `${sortKey}#`

/** The key of the row that holds a receiver, together with the progress of its delivery. */
export function key(id: Id) {
  const sk = isFirst(id) ? sortKey : `${furtherPrefix}${id.webhookId}`
  return { pk: `BRIDGE#${id.bridgeId}`, sk }
}

/** The receiver whose delivery a row of the events table holds; undefined for any other row. */
export function ofKey({ pk, sk }: { pk: string; sk: string }): Id | undefined {
  if (sk === sortKey) return first(bridgeIdOf(pk))
  return sk.startsWith(furtherPrefix)
    ? { bridgeId: bridgeIdOf(pk), webhookId: sk.slice(furtherPrefix.length) }
    : undefined
}

/** What the sort keys of a receiver's other rows begin with: its attempts and lists. */
export function sortKeyPrefix(id: Id): string {
  return isFirst(id) ? "" : `WEBHOOK#${id.webhookId}#`
}

/** Builds a receiver from its secrets in the clear. */
export function build(input: {
  owner: Owner
  customerRef: string
  webhookId: string
  url: string
  secret: string
  dataKey: Uint8Array
  /** The same data key, wrapped. */
  wrapped: Uint8Array
}): Info {
  const { owner, customerRef, webhookId, url, secret, dataKey, wrapped } = input
  const id = { bridgeId: owner.bridgeId, webhookId }
  const sealedSecret = seal(dataKey, key(id), secret)
  return { ...owner, ...id, customerRef, url, sealedSecret, deliveryKey: wrapped }
}

/** A receiver at a bridge that gets what its account has chosen of a webhook. */
export function atBridge(at: Info, chosen: Info): Info {
  const { bridgeId, customerRef, deliveryKey } = at
  return { ...chosen, bridgeId, customerRef, deliveryKey, accountKey: chosen.deliveryKey }
}

/** Seals something for the row that has a receiver's secrets. */
export async function sealed(receiver: Info, text: string): Promise<Uint8Array> {
  const { dataKey, row } = await sealingOf(receiver)
  return seal(dataKey, row, text)
}

/** The data key under which a receiver's secrets are sealed, and the row that has them. */
async function sealingOf(receiver: Info) {
  const { accountId, webhookId, deliveryKey, accountKey = deliveryKey } = receiver
  if (!isOfAccount(receiver))
    return { dataKey: await DataKeys.unwrapped("delivery", receiver, deliveryKey), row: key(receiver) }
  const owner = ownerAtAccount({ accountId, webhookId })
  return {
    dataKey: await DataKeys.unwrapped("delivery", owner, accountKey),
    row: key(atAccount(receiver)),
  }
}

/** Whose data key an account's webhook has: its own, as a bridge has one. */
export function ownerAtAccount({ accountId, webhookId }: { accountId: string; webhookId: string }): Owner {
  return { accountId, bridgeId: webhookId }
}

/**
 * An event's body as this receiver gets it: as it was stored. At its end, an account's is told of which
 * bridge it is.
 */
export function bodyFor({ webhookId, customerRef }: Info, stored: Uint8Array): Uint8Array {
  if (!isOfAccount({ webhookId })) return stored
  return Buffer.concat([
    stored.subarray(0, -1),
    Buffer.from(`,"customer_ref":${JSON.stringify(customerRef)}}`),
  ])
}

/** The keys for posting an event. */
export interface Keys {
  /** The secrets that sign it: the webhook's, then the one that this replaces. */
  secrets: [string, ...string[]]
  /** It opens the body. */
  deliveryKey: Uint8Array
  /** The customer's own headers. */
  headers: Record<string, string>
  /** What its format leaves open. */
  options: FormatOptions
}

/** @throws as `unwrap` does */
export async function keysOf(receiver: Info): Promise<Keys> {
  const { before, sealedHeaders, format } = receiver
  const { dataKey, row } = await sealingOf(receiver)
  const deliveryKey = receiver.accountKey
    ? await DataKeys.unwrapped("delivery", receiver, receiver.deliveryKey)
    : dataKey
  const opened = (sealed: Uint8Array) => open(dataKey, row, sealed).toString()
  const older = before && before.until > now() ? [opened(before.sealedSecret)] : []
  const headers = sealedHeaders ? Headers.parse(JSON.parse(opened(sealedHeaders))) : {}
  const options = format?.sealedOptions ? FormatOptions.parse(JSON.parse(opened(format.sealedOptions))) : {}
  return { secrets: [opened(receiver.sealedSecret), ...older], deliveryKey, headers, options }
}

const Headers = z.record(z.string(), z.string())

/**
 * The headers that prove to a receiver that a delivery is ours and say which one it is
 * (Contract, "Delivery"). The three `webhook-*` headers are those of Standard Webhooks, for its ready-made
 * libraries (Contract, "Proof of a delivery").
 */
export function signedHeaders(delivery: {
  /** `whsec_` followed by base64. While a secret is replaced there are two, the new one first. */
  secrets: [string, ...string[]]
  /** The id of the event or batch. */
  id: string
  /** How many events it has, if it is a batch. */
  batch?: number | undefined
  /** Starts at 1. */
  attempt: number
  /** The exact bytes that will be sent. */
  body: Uint8Array
  /** When this attempt began, in Unix seconds. */
  timestamp: number
}): Record<string, string> {
  const { secrets, id, batch, attempt, body, timestamp } = delivery
  const signatures = secrets.map((secret) =>
    createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest("hex"),
  )
  const standard = secrets.map((secret) => {
    const bytes = Buffer.from(secret.slice("whsec_".length), "base64")
    return createHmac("sha256", bytes).update(`${id}.${timestamp}.`).update(body).digest("base64")
  })
  return {
    authorization: `Bearer ${secrets[0]}`,
    "content-type": "application/json",
    "x-webhook-signature": [`t=${timestamp}`, ...signatures.map((one) => `v1=${one}`)].join(","),
    ...(batch === undefined ? { "x-webhook-event-id": id } : { "x-webhook-batch": String(batch) }),
    "x-webhook-attempt": String(attempt),
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": standard.map((one) => `v1,${one}`).join(" "),
  }
}

/** The attributes in the row of a delivery whose receiver the account has chosen. */
export function toRowAtBridge({ accountId, customerRef, deliveryKey }: Info): Row {
  return { account_id: accountId, customer_ref: customerRef, delivery_key: deliveryKey }
}

/** A receiver's attributes in its row. */
export function toRow(receiver: Info): Row {
  return {
    ...toRowAtBridge(receiver),
    webhook_url: receiver.url,
    webhook_secret: receiver.sealedSecret,
    ...(receiver.sealedHeaders && { headers: receiver.sealedHeaders }),
    ...(receiver.filter && { filter: receiver.filter }),
    ...(receiver.format && { format: receiver.format }),
  }
}

/** Parses a receiver's attributes in a stored row. */
export function fromRow(id: Id, row: Row): Info {
  return Info.parse({
    ...id,
    accountId: row.account_id,
    customerRef: row.customer_ref ?? "",
    // Where it is an account's webhook, the account's row has these.
    url: row.webhook_url ?? "",
    sealedSecret: row.webhook_secret ?? new Uint8Array(),
    deliveryKey: row.delivery_key,
    before: row.secret_before && { sealedSecret: row.secret_before, until: row.secret_before_until },
    sealedHeaders: row.headers,
    filter: row.filter,
    format: row.format,
  })
}
