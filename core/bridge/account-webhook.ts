export * as AccountWebhook from "./account-webhook.ts"

import { randomBytes } from "node:crypto"
import { Account } from "../account/account.ts"
import { ApiError } from "../error.ts"
import { AccountReceivers } from "../event/account-receivers.ts"
import { Delivery } from "../event/delivery.ts"
import { ring } from "../event/doorbell.ts"
import { EventLists } from "../event/event-lists.ts"
import { Receiver } from "../event/receiver.ts"
import { tryNow } from "../event/retry-and-skip.ts"
import { newDataKey } from "../keys/wrapping.ts"
import { isClockDoubted, now } from "../platform/clock.ts"
import { DiskRoom } from "../platform/disk-room.ts"
import { log } from "../platform/log.ts"
import { transact } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { Bridge } from "./bridge.ts"
import { DeliveryWrites } from "./delivery-writes.ts"
import { areSame } from "./webhook-url.ts"
import { Webhook } from "./webhook.ts"

// A webhook of an account gets the events of all its bridges. What the account has chosen is one row, so one
// write changes it for all bridges. How far its delivery has come is a row of each bridge, which appears with
// the first event (`follow`): nothing has to walk over ten thousand bridges, and nothing can die on the way.

/** How many an account may have (Contract, "Webhooks of the account"). */
export const most = 2

/** How many bridges are looked at together, and for how long at most, in ms. */
const walk = { atOnce: 50, withinMs: 8000 }

/** A webhook's name in the audit log. */
export function labelOf({ receiver }: Delivery.Info): string {
  return `all numbers: ${receiver.url}`
}

/** The account's webhooks, oldest first. @throws ApiError `unauthorized` once it is deleted */
export async function list(accountId: string): Promise<Delivery.Info[]> {
  return await listed(await accountOf(accountId))
}

async function listed({ id: accountId, webhooks }: Account.Info): Promise<Delivery.Info[]> {
  const found = await Promise.all(
    webhooks.map((webhookId) => Delivery.get(Receiver.atAccount({ accountId, webhookId }))),
  )
  // One that is missing was deleted between the two reads.
  return found.filter((webhook) => webhook !== undefined)
}

async function accountOf(accountId: string): Promise<Account.Info> {
  const account = await Account.get(accountId)
  if (!account) throw new ApiError("unauthorized", "this account has been deleted")
  return account
}

/** @throws ApiError `not_found` */
export async function get(accountId: string, webhookId: string): Promise<Delivery.Info> {
  const found = (await list(accountId)).find((webhook) => webhook.webhookId === webhookId)
  if (!found)
    throw new ApiError("not_found", "this account has no such webhook: GET /api/webhooks lists them")
  return found
}

/**
 * Adds a webhook to an account, or finds the one that has this URL: it gets the events that all its bridges
 * append from now on.
 * @throws ApiError `webhook_limit_reached`, `storage_full`
 */
export async function create(
  accountId: string,
  url: string,
  choice: Webhook.Choice,
): Promise<{ webhook: Delivery.Info; created: boolean }> {
  for (;;) {
    const account = await accountOf(accountId)
    const found = (await listed(account)).find(({ receiver }) => areSame(receiver.url, url))
    if (found) return { webhook: found, created: false }
    if (account.webhooks.length >= most)
      throw new ApiError("webhook_limit_reached", "an account has two webhooks at most: delete one first")
    if (!DiskRoom.hasRoom()) throw DiskRoom.refusal()
    const webhookId = `${Receiver.accountPrefix}${randomBytes(8).toString("hex")}`
    const { key: dataKey, wrapped } = await newDataKey(
      "delivery",
      Receiver.ownerAtAccount({ accountId, webhookId }),
    )
    const id = Receiver.atAccount({ accountId, webhookId })
    const about = { ...id, accountId, customerRef: "", url }
    const receiver = await Webhook.receiverOf(about, { dataKey, wrapped }, choice)
    const refused = await transact([
      DeliveryWrites.choiceOfAccount(receiver, {
        ...(choice.batch && { batch: choice.batch }),
        heals: choice.heals ?? true,
      }),
      Account.changingWebhooks(account, [...account.webhooks, webhookId]),
    ])
    // Another was changed meanwhile.
    if (refused) continue
    AccountReceivers.forget(id)
    await followWhereFailing(accountId)
    return { webhook: await get(accountId, webhookId), created: true }
  }
}

/** Changes a webhook for all bridges. @throws ApiError `not_found`, `invalid_webhook_url` */
export async function update(
  webhook: Delivery.Info,
  change: Webhook.Choice & { url?: string | undefined },
): Promise<void> {
  const { webhookId, receiver } = webhook
  for (;;) {
    const account = await accountOf(receiver.accountId)
    if (change.url !== undefined)
      Webhook.mustDiffer(await listed(account), change.url, { webhookId, field: "url", of: "this account" })
    if (await Webhook.write(webhook, change, Account.changingWebhooks(account))) break
  }
  AccountReceivers.forget(webhook)
  if (change.url !== undefined) await tryNowAtAll(webhook)
}

/** Pauses a webhook for all bridges: each keeps its place. @throws ApiError `not_found` */
export async function pause(webhook: Delivery.Info): Promise<void> {
  await Delivery.update(webhook, {
    UpdateExpression: "SET paused_at = if_not_exists(paused_at, :now)",
    ConditionExpression: "attribute_exists(pk)",
    ExpressionAttributeValues: { ":now": now() },
  })
  AccountReceivers.forget(webhook)
}

/**
 * Resumes a webhook. Where events wait, the next attempt is made now, as far as that can be said within some
 * seconds; where it was not said, within three minutes.
 */
export async function resume(webhook: Delivery.Info): Promise<void> {
  const { held } = await Delivery.update(webhook, {
    UpdateExpression: "REMOVE paused_at",
    ConditionExpression: "attribute_exists(paused_at)",
  })
  AccountReceivers.forget(webhook)
  if (held) await tryNowAtAll(webhook)
}

/** Sends what a webhook did not take now, of as many bridges as can be told within some seconds. */
async function tryNowAtAll({ receiver, webhookId }: Delivery.Info): Promise<void> {
  const at = ({ id: bridgeId }: Bridge.Listed) => ({ bridgeId, webhookId })
  await eachBridge(receiver.accountId, at, async (delivery) => {
    if (delivery.retryAtMs > 0 || delivery.healing) await tryNow(delivery)
  })
}

/**
 * Deletes a webhook: nothing is sent any more. Each bridge's delivery to it goes with the next look at it, or
 * with the bridge's next event.
 */
export async function remove({ receiver, ...id }: Delivery.Info): Promise<void> {
  const { webhookId } = id
  for (;;) {
    const account = await accountOf(receiver.accountId)
    const refused = await transact([
      { Delete: { TableName: tables.events, Key: Delivery.key(id) } },
      Account.changingWebhooks(
        account,
        account.webhooks.filter((one) => one !== webhookId),
      ),
    ])
    if (refused) continue
    AccountReceivers.forget(id)
    return
  }
}

/**
 * The webhook of this id that gets a bridge's events: one of the bridge's own, or of its account's.
 * @throws ApiError `not_found`
 */
export async function atBridge(bridge: Bridge.Info, webhookId: string): Promise<Delivery.Info> {
  if (Receiver.isOfAccount({ webhookId })) await followAt(bridge.id)
  return await Webhook.getAny(bridge, webhookId)
}

/** As `atBridge`, where nothing may be written: of an account's webhook only what was chosen is there. */
export async function chosenAt(bridge: Bridge.Info, webhookId: string): Promise<Delivery.Info> {
  if (!Receiver.isOfAccount({ webhookId })) return await Webhook.get(bridge, webhookId)
  const [chosen, [first]] = await Promise.all([get(bridge.accountId, webhookId), Webhook.list(bridge)])
  return { ...chosen, bridgeId: bridge.id, receiver: Receiver.atBridge(first.receiver, chosen.receiver) }
}

/** As `follow`, with the row of the first webhook as it is now. */
export async function followAt(bridgeId: string): Promise<void> {
  const first = await Delivery.get(Delivery.first(bridgeId))
  if (first) await follow(first, Infinity)
}

/**
 * Sees to it that a bridge has a delivery to each webhook of its account, and to none that was deleted.
 * Whoever delivers to its first webhook calls this before the first and the last of the events that it has
 * read are posted: so no event passes of which an account's webhook does not learn. May be repeated.
 * @param first the row of the bridge's first webhook
 * @param asOfMs the account's webhooks must be known as of this time (Unix ms)
 */
export async function follow(first: Delivery.Info, asOfMs: number): Promise<void> {
  const { bridgeId } = first
  // What is tried in the sandbox is nothing that a customer's program should take for real.
  if (bridgeId.startsWith(Bridge.sandboxIdPrefix) || first.isMoved) return
  const wanted = await AccountReceivers.list(first.receiver.accountId, asOfMs)
  const named = first.further.filter((webhookId) => Receiver.isOfAccount({ webhookId }))
  const added = wanted.filter(({ webhookId }) => !named.includes(webhookId))
  const removed = named.filter((id) => !wanted.some(({ webhookId }) => webhookId === id))
  if (added.length === 0 && removed.length === 0) return
  const begun = await Promise.all(
    added.map(async ({ webhookId, createdAt }) => ({ webhookId, after: await startOf(first, createdAt) })),
  )
  const refused = await transact([
    DeliveryWrites.changingWebhooks(first, {
      further: [
        ...first.further.filter((webhookId) => !removed.includes(webhookId)),
        ...added.map(({ webhookId }) => webhookId),
      ],
    }),
    ...begun.map((one) => DeliveryWrites.following(first, one)),
    ...removed.map((webhookId) => ({
      Delete: { TableName: tables.events, Key: Delivery.key({ bridgeId, webhookId }) },
    })),
  ])
  // Another has done it, or the webhooks of the bridge itself have changed.
  if (refused) return await followAt(bridgeId)
  for (const { webhookId } of begun)
    // If the bell is lost, the sweep rings: a look is promised.
    await ring({ bridgeId, webhookId }).catch((error: unknown) =>
      log.warn({ bridgeId, webhookId, error }, "doorbell not sent"),
    )
}

/** The number after which an account's webhook gets the events of a bridge: those since it was made. */
async function startOf(first: Delivery.Info, createdAt: number): Promise<number> {
  const after = (await EventLists.firstSince(first.bridgeId, createdAt)) - 1
  // If the clock was set back, events say that they are older. Those after the head have not passed here yet.
  return Math.max(first.arrived, isClockDoubted() ? Math.min(after, first.head) : after)
}

/**
 * Lets bridges follow whose own webhook fails just now: the next attempt there, which would do it, may be
 * minutes away.
 */
async function followWhereFailing(accountId: string): Promise<void> {
  await eachBridge(
    accountId,
    ({ id }) => Delivery.first(id),
    async (first) => {
      if (first.failingSince !== undefined) await follow(first, Infinity)
    },
  )
}

/** Looks at a delivery of each bridge, as far as the time allows. */
async function eachBridge(
  accountId: string,
  of: (bridge: Bridge.Listed) => Receiver.Id,
  look: (delivery: Delivery.Info) => Promise<void>,
): Promise<void> {
  const until = performance.now() + walk.withinMs
  for (let from = 0, all = await Bridge.listBrief(accountId); from < all.length; from += walk.atOnce) {
    if (performance.now() > until) return
    await Promise.all((await Delivery.list(all.slice(from, from + walk.atOnce).map(of))).map(look))
  }
}
