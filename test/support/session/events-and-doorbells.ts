import { randomUUID } from "node:crypto"
import {
  DeleteMessageCommand,
  type Message,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs"
import type { Event } from "#contract/event.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Came } from "#core/event/came.ts"
import { Delivery } from "#core/event/delivery.ts"
import { promiseAndRing } from "#core/event/doorbell.ts"
import { EventRow } from "#core/event/event-row.ts"
import { type Overdue, OverdueRound } from "#core/event/waiting-deliveries.ts"
import { serviceAt } from "#core/platform/aws-client-options.ts"
import { config, need } from "#core/platform/config.ts"
import { lazily } from "#core/platform/lazily.ts"
import { transact } from "#core/store/store.ts"
import { handler } from "#functions/delivery/handler.ts"

/**
 * Appends events to a bridge's outbox as its session host would, behind the `last` number, and returns the id
 * of each.
 */
export async function anOutbox(bridge: Bridge.Info, last = 0) {
  const deliveryKey = await Bridge.deliveryKeyOf(bridge)

  let came: Came.Info | undefined

  /** Writes only the rows, as if the host died before it rang. */
  async function write(...events: Event[]): Promise<string[]> {
    const rows = events.map((event) => {
      came = Came.withEvent(came, event.event === "message" && !event.from_me)
      const row = { bridgeId: bridge.id, n: ++last, identity: [randomUUID()], event, deliveryKey }
      return { ...row, came: Came.toRow(came) }
    })
    await transact(rows.map(EventRow.appending))
    return rows.map(({ n, identity }) => EventRow.idOf(bridge.id, n, identity))
  }

  async function append(...events: Event[]): Promise<string[]> {
    const ids = await write(...events)
    await promiseAndRing(bridge.id)
    return ids
  }

  /** The outcome of each event so far. */
  async function states(): Promise<(EventRow.State | undefined)[]> {
    const head = (await Delivery.get(Delivery.first(bridge.id)))?.head ?? 0
    const numbers = Array.from({ length: last }, (_, i) => i + 1)
    const events = await Promise.all(numbers.map((n) => EventRow.get(bridge.id, n)))
    return events.map((event) => event && EventRow.asOf(event, head).state)
  }
  return { write, append, states }
}

export function anEvent(body = "hello"): Event {
  return {
    event: "message",
    message_id: randomUUID(),
    contact_id: "491711234567@s.whatsapp.net",
    phone: "491711234567",
    chat_id: "491711234567@s.whatsapp.net",
    name: "Ada",
    body,
    type: "text",
    media_type: "",
    is_group: false,
    from_me: false,
    timestamp: 1,
  }
}

const queue = lazily(() => new SQSClient(serviceAt(config.AWS_ENDPOINT_URL_SQS)))
const bells = () => ({ QueueUrl: need("DOORBELL_URL") })

/** A ringing doorbell, if there is one, hidden from others for its visibility time-out. */
export async function aDoorbell(): Promise<Message | undefined> {
  const received = await queue.send(
    new ReceiveMessageCommand({
      ...bells(),
      MaxNumberOfMessages: 1,
      WaitTimeSeconds: 0,
      MessageSystemAttributeNames: ["All"],
    }),
  )
  return received.Messages?.[0]
}

/** Passes a doorbell to the delivery function as Lambda would, and deletes it unless it is reported. */
export async function pass(doorbell: Message): Promise<"deleted" | "kept"> {
  const { MessageId: messageId, ReceiptHandle: receiptHandle, Body: body, Attributes: attributes } = doorbell
  const record = { messageId, receiptHandle, body, attributes }
  // The parts that are read.
  const answer = await handler({ Records: [record] } as Parameters<typeof handler>[0])
  if (answer.batchItemFailures.length > 0) return "kept"
  await queue.send(new DeleteMessageCommand({ ...bells(), ReceiptHandle: doorbell.ReceiptHandle }))
  return "deleted"
}

/** Forgets every doorbell, ringing or hidden, of any test. */
export async function forgetDoorbells(): Promise<void> {
  await queue.send(new PurgeQueueCommand(bells()))
}

/** Answers doorbells until none rings. @returns how many rang. */
export async function answerAll(): Promise<number> {
  for (let answered = 0; ; answered++) {
    const doorbell = await aDoorbell()
    if (!doorbell) return answered
    await pass(doorbell)
  }
}

/** What a whole round of the sweep finds overdue. */
export async function allOverdue(): Promise<Overdue[]> {
  const round = new OverdueRound()
  const found: Overdue[] = []
  while (!round.isOver) found.push(...(await round.step()))
  return found
}
