import { randomInt } from "node:crypto"
import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda"
import { BridgeLog } from "#core/bridge/bridge-log.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Delivery } from "#core/event/delivery.ts"
import { Doorbell, hide } from "#core/event/doorbell.ts"
import { Receiver } from "#core/event/receiver.ts"
import "#core/platform/faster-node-crypto.ts"
import { log } from "#core/platform/log.ts"
import { Metrics } from "#core/platform/metrics.ts"
import { Slots } from "#core/platform/slots.ts"
import { deliver, NotClaimed } from "./deliver.ts"

/**
 * After how many seconds a doorbell comes again that came while the store was away. If the delivery was
 * claimed all the same, the doorbell is deleted then, and the sweep rings some minutes later.
 */
const claimedAgainAfter = 30
/**
 * How often at most it comes again so soon: for a quarter of an hour. A doorbell that is received fifty times
 * counts as a fault of ours; that then takes an hour.
 */
const claimedAgainSoon = 30

/**
 * How many deliveries of an account run at once in this process: half of those that run on one machine.
 * Lambda gives each a process of its own.
 */
export const deliveriesOfAccount = { most: Infinity, each: 500 }
class TooMany extends Error {}
const patience = { ms: 0, refusal: () => new TooMany() }
const places = new Slots(deliveriesOfAccount, patience)
/**
 * The same of the deliveries to accounts' own webhooks. One that is dead may occupy as many as its account
 * has bridges: none of these takes a place of a bridge's own webhook.
 */
const placesOfAccountWebhooks = new Slots({ most: 300, each: 150 }, patience)
/**
 * After how many seconds a doorbell comes again whose account has too many deliveries: not all at once, and
 * not so soon that turning them away is work. A new event shows its doorbell at once.
 */
const nextTurnAfter = () => randomInt(5, 15)

/** The function on Lambda. */
export async function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  return await answerDoorbells(event)
}

/**
 * Answers a batch of doorbells. Those it reports stay in the queue; all others are deleted. It never throws,
 * since that would report the whole batch.
 * @param stopping aborted when this process is to end: each delivery then ends after the event under way
 */
export async function answerDoorbells(event: SQSEvent, stopping?: AbortSignal): Promise<SQSBatchResponse> {
  const kept: SQSRecord[] = []
  for (const record of event.Records) if (!(await answer(record, stopping))) kept.push(record)
  await BridgeLog.flush()
  Metrics.flush()
  return { batchItemFailures: kept.map((record) => ({ itemIdentifier: record.messageId })) }
}

/** @returns whether the doorbell has done its duty. */
async function answer(record: SQSRecord, stopping: AbortSignal | undefined): Promise<boolean> {
  try {
    const { bridge_id: bridgeId, webhook_id: webhookId } = Doorbell.parse(JSON.parse(record.body))
    const id = { bridgeId, webhookId }
    const owner = await Bridge.accountOf(bridgeId)
    const slots = Receiver.isOfAccount(id) ? placesOfAccountWebhooks : places
    const wait = await slots.use(() => deliver(id, record.receiptHandle, stopping), owner)
    if (wait === undefined) return true
    await hide(record.receiptHandle, wait)
    // A customer may have ended the wait before the doorbell rested.
    const seen = await Delivery.get(id)
    if (seen && Delivery.waitMs(seen) === 0) await hide(record.receiptHandle, 0)
  } catch (error) {
    if (error instanceof TooMany) {
      await hide(record.receiptHandle, nextTurnAfter()).catch(ignored)
      return false
    }
    log.error({ error, doorbell: record.body }, "doorbell not answered")
    Metrics.add("DoorbellUnanswered")
    // Otherwise the doorbell returns when its visibility time-out ends; the claim has ended by then.
    if (error instanceof NotClaimed && timesReceived(record) <= claimedAgainSoon)
      await hide(record.receiptHandle, claimedAgainAfter).catch(ignored)
  }
  return false
}

function timesReceived({ attributes }: SQSRecord): number {
  return Number(attributes.ApproximateReceiveCount)
}

function ignored(): void {
  // The doorbell returns when its visibility time-out ends.
}
