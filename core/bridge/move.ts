export * as Move from "./move.ts"

import { randomBytes } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { noSuchBridge } from "../error.ts"
import { Delivery } from "../event/delivery.ts"
import { ring } from "../event/doorbell.ts"
import { EventLists } from "../event/event-lists.ts"
import { Receiver } from "../event/receiver.ts"
import { DataKeys } from "../keys/data-keys.ts"
import { wrap } from "../keys/wrapping.ts"
import { Lease } from "../lease/lease.ts"
import { notifyHolder } from "../lease/notify-holder.ts"
import { nowMs } from "../platform/clock.ts"
import { getRow, type Row, transact, type Write } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { numbersSince } from "./after-restore.ts"
import { BridgeCount } from "./bridge-count.ts"
import { Bridge } from "./bridge.ts"
import { DeliveryWrites } from "./delivery-writes.ts"
import { WebhookSecret } from "./webhook-secret.ts"

// A bridge leaves for another service, and comes from one. Its other rows are read and written by
// `admin/move/`.

/** A bridge as it left: the rows by which it is a bridge, and its data keys in the clear. */
export interface RowsAndKeys {
  lease: Row
  bridge: Row
  deliveries: Row[]
  keys: { session: Uint8Array; delivery: Uint8Array }
}

/**
 * A bridge leaves in the file of an export, all at once: its holder is fenced, so that nothing of its session
 * is committed any more; calls are refused; and nothing is delivered from here. May be repeated. Takes over
 * from an export that was not finished, since that may have died. Resolves once no delivery is under way.
 * @returns false when its file may be elsewhere already, or it is arriving
 * @throws ApiError `not_found`
 */
export async function leave(bridge: Bridge.Info, exportId: string): Promise<boolean> {
  for (;;) {
    const [lease, deliveries] = await Promise.all([Lease.get(bridge.id), Delivery.ofBridge(bridge.id)])
    if (!lease || lease.host === Lease.GONE || deliveries.length === 0) throw noSuchBridge()
    if (lease.arriving !== undefined || lease.movedMs) return false
    if (lease.leaving === exportId) break
    if (lease.stopped.includes("moved")) {
      await Lease.claimLeaving(lease, exportId)
      continue
    }
    const refused = await transact([
      Lease.leaving(lease, exportId),
      moving(bridge, true),
      ...DeliveryWrites.leaving(deliveries),
      ...(await BridgeCount.changingBill(bridge)),
    ])
    if (refused?.[1]) throw noSuchBridge()
    // If refused, its lease or its webhooks have changed since they were read.
    if (!refused) await notifyHolder(lease)
  }
  await noDelivery(bridge.id)
  return true
}

/** The write by which a bridge leaves, or stays after all. */
function moving(bridge: Bridge.Info, isLeaving: boolean): Write {
  return {
    Update: {
      TableName: tables.accounts,
      Key: Bridge.key(bridge.accountId, bridge.customerRef),
      UpdateExpression: isLeaving ? "SET moved = :yes" : "REMOVE moved",
      ConditionExpression: "id = :id",
      ExpressionAttributeValues: { ":id": bridge.id, ...(isLeaving && { ":yes": true }) },
    },
  }
}

/**
 * Waits for a POST that has begun, since the other service would post its event again. Does not wait for a
 * deliverer that died.
 */
async function noDelivery(bridgeId: string): Promise<void> {
  while ((await Delivery.ofBridge(bridgeId)).some(isHeld)) await sleep(200)
}

function isHeld(delivery: Delivery.Info): boolean {
  return delivery.holder !== Delivery.nobody && Delivery.isPromised(delivery)
}

/** The rows and keys of a bridge that leaves: nothing here changes them any more. */
export async function rowsAndKeysOf(bridge: Bridge.Info): Promise<RowsAndKeys> {
  // What its account's webhooks get is no part of the bridge.
  const deliveries = (await Delivery.ofBridge(bridge.id)).filter((one) => !Receiver.isOfAccount(one))
  const [lease, row, keys, ...rows] = await Promise.all([
    getRow(tables.leases, Lease.key(bridge.id)),
    getRow(tables.accounts, Bridge.key(bridge.accountId, bridge.customerRef)),
    DataKeys.get(bridge.id),
    ...deliveries.map(async (delivery) => await getRow(tables.events, Delivery.key(delivery))),
  ])
  if (!lease || !row || !keys) throw noSuchBridge()
  const own = rows.filter((one) => one !== undefined).map(withoutAccount)
  return { lease, bridge: row, deliveries: own, keys }
}

/** The row of a delivery that names no webhook of the account. */
function withoutAccount({ further, ...row }: Row): Row {
  const own = ((further ?? []) as string[]).filter((webhookId) => !Receiver.isOfAccount({ webhookId }))
  return own.length === 0 ? row : { ...row, further: own }
}

/**
 * Notes that the file in which a bridge leaves is whole. From here on only `takeBack` lets the bridge run
 * here again.
 * @returns false when the bridge is not this export's any more: the file must not be given away
 */
export async function finishLeaving(bridgeId: string, exportId: string): Promise<boolean> {
  return await Lease.finishLeaving(bridgeId, exportId, nowMs())
}

/**
 * Takes back a bridge that left, if it still left as its operator was told. If another service has it, both
 * use its keys from here on. So its next session makes anew what encrypts, and its events go on beyond every
 * number that may have been used there, as after a restore. An export that is under way gives up.
 * @param told its lease as the operator was told of it
 * @returns false when it has left otherwise since, or is arriving just now
 */
export async function takeBack(
  bridge: Bridge.Info,
  told: Pick<Lease.Info, "leaving" | "movedMs">,
): Promise<boolean> {
  const isAsTold = ({ leaving, movedMs }: Lease.Info) => leaving === told.leaving && movedMs === told.movedMs
  return await bringBack(bridge, isAsTold, told.movedMs || nowMs())
}

/**
 * Takes back what an export has claimed and never gives away: the bridge goes on as before.
 * @returns false when it is not this export's any more
 */
export async function undoLeaving(bridge: Bridge.Info, exportId: string): Promise<boolean> {
  return await bringBack(bridge, (lease) => lease.leaving === exportId)
}

/** @param usedSinceMs since when another service may have used its keys and numbers; undefined: none has */
async function bringBack(
  bridge: Bridge.Info,
  may: (lease: Lease.Info) => boolean,
  usedSinceMs?: number,
): Promise<boolean> {
  for (;;) {
    const [lease, deliveries] = await Promise.all([Lease.get(bridge.id), Delivery.ofBridge(bridge.id)])
    if (!lease?.stopped.includes("moved") || lease.host === Lease.GONE) return false
    if (lease.arriving !== undefined || !may(lease)) return false
    const lost = usedSinceMs === undefined ? undefined : await numbersSince(deliveries, usedSinceMs)
    const refused = await transact([
      Lease.returning(lease, lost !== undefined),
      moving(bridge, false),
      ...DeliveryWrites.returning(deliveries, lost),
      ...(await BridgeCount.changingBill(bridge)),
    ])
    if (refused) continue
    for (const delivery of deliveries) await ring(delivery)
    return true
  }
}

/**
 * Undoes an import that was interrupted and is not to be repeated. Removes all that the import has written of
 * a bridge, and what the bridge had left here before, since the import has removed some of those rows. If the
 * import runs after all, it can write no more.
 * @returns false when the bridge is not arriving any more
 * @throws ApiError `not_found` when another call removes it
 */
export async function undoArrival({ bridgeId, arriving }: Lease.Info): Promise<boolean> {
  if (arriving === undefined) return false
  const bridge = await Bridge.byId(bridgeId)
  if (bridge) await Bridge.remove(bridge, arriving)
  return bridge !== undefined || (await transact([Lease.ending(bridgeId, arriving)])) === undefined
}

/**
 * A bridge that another program's session becomes, as if it had left another service: with its events in the
 * hosted inbox. Its first session makes anew what encrypts.
 */
export function asIfLeft(bridge: {
  id: string
  accountId: string
  customerRef: string
  network: Lease.Network
}): RowsAndKeys {
  const { id: bridgeId, accountId, network } = bridge
  const keys = { session: randomBytes(32), delivery: randomBytes(32) }
  // It is wrapped where it arrives.
  const wrapped = Buffer.alloc(0)
  const receiver = Receiver.build({
    owner: { accountId, bridgeId },
    customerRef: bridge.customerRef,
    ...Receiver.first(bridgeId),
    url: "",
    secret: WebhookSecret.newSecret(),
    dataKey: keys.delivery,
    wrapped,
  })
  const unnamed = { createdMs: nowMs(), shownName: "", webhookUrl: "", isSandbox: false, isMoved: false }
  return {
    lease: { ...Lease.newRow(bridgeId, network), anew: true },
    bridge: Bridge.toRow({ ...bridge, ...unnamed, deliveryKey: wrapped }),
    deliveries: [DeliveryWrites.newRow(receiver)],
    keys,
  }
}

/**
 * Lets a bridge arrive in an account, once its other rows are here. It runs from now on, unless it must not.
 * @param importId the import that wrote those rows
 * @returns false when another import has taken over, the reference is another bridge's, or the account is
 * gone
 */
export async function arrive(
  { lease, bridge, deliveries, keys }: RowsAndKeys,
  { accountId, importId }: { accountId: string; importId: string },
): Promise<boolean> {
  const { id: bridgeId, isSandbox, ...arriving } = Bridge.fromRow(bridge)
  const owner = { accountId, bridgeId }
  const [session, delivery] = [
    await wrap("session", owner, keys.session),
    await wrap("delivery", owner, keys.delivery),
  ]
  const isNew = (await Bridge.byId(bridgeId)) === undefined
  const at = { accountId, wrapped: delivery, newest: await EventLists.newestNumber(bridgeId) }
  const refused = await transact([
    await Lease.arriving(lease, importId),
    arrivingRow(bridge, accountId, delivery),
    ...(await BridgeCount.arriving({ accountId, isSandbox }, isNew)),
    ...Bridge.leadingRows({ ...arriving, id: bridgeId, accountId, isSandbox }).map((Item) => ({
      Put: { TableName: tables.accounts, Item },
    })),
    { Put: { TableName: tables.leases, Item: DataKeys.rowOf(owner, { session, delivery }, isSandbox) } },
    ...deliveries.map((row) => ({
      Put: { TableName: tables.events, Item: DeliveryWrites.arrivingRow(row, at) },
    })),
  ])
  if (refused) return false
  // A bell that is lost is rung by the sweep: a look is promised.
  for (const one of await Delivery.ofBridge(bridgeId)) await ring(one).catch(() => undefined)
  return true
}

/**
 * The write of a bridge's own row as it left, for its new account, with its delivery key as it is wrapped
 * here.
 */
function arrivingRow(left: Row, accountId: string, wrapped: Uint8Array): Write {
  const { moved: _, ...kept } = left
  const { id, customerRef } = Bridge.fromRow(left)
  return {
    Put: {
      TableName: tables.accounts,
      Item: { ...kept, ...Bridge.key(accountId, customerRef), account_id: accountId, delivery_key: wrapped },
      ConditionExpression: "attribute_not_exists(pk) OR id = :id",
      ExpressionAttributeValues: { ":id": id },
    },
  }
}
