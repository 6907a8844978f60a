import type { Delivery } from "#core/event/delivery.ts"
import { EventRow } from "#core/event/event-row.ts"
import { Healing } from "#core/event/healing.ts"
import { Receiver } from "#core/event/receiver.ts"
import { Resend } from "#core/event/resend.ts"
import { attempt, type Outcome, postBodyOf } from "./attempt.ts"
import type { DeliveryTools } from "./delivery-tools.ts"
import { endClaimOnError } from "./end-claim-on-error.ts"
import { translated } from "./translated.ts"
import { isWanted } from "./wanted.ts"

/** A resend gets one attempt, and a few more if the deliverer died during it. */
const maxAttempts = 3

/**
 * Sends again what the first request on the list is for: an event, or the next one of a span.
 * @returns the row as it is now; undefined when the claim is lost.
 */
export async function sendAgain(
  held: Delivery.Info,
  tools: DeliveryTools,
): Promise<Delivery.Info | undefined> {
  // A step that may fail for every event comes before the count, as in a first delivery.
  const keys = await endClaimOnError(held, () => Receiver.keysOf(held.receiver))
  const asked = held.resend[0]! // the caller has seen it
  const row = await endClaimOnError(held, () =>
    typeof asked === "object"
      ? tools.givenUp.behind(held.resent?.after ?? asked.after, asked.to)
      : EventRow.get(held.bridgeId, asked),
  )
  const counted = await Resend.countAttempt(held)
  if (!counted) return undefined
  const number = counted.resendAttempt
  // The event may have expired, or the bridge may have a hosted inbox by now.
  if (!row || counted.receiver.url === "") return atLeast(held.head, await Resend.settle(counted))
  const event = EventRow.asOf(row, counted.head)
  if (number > maxAttempts)
    return atLeast(held.head, await Resend.settle(counted, asked === event.n ? undefined : skipped(event)))
  const outcome = await post(counted, event, { keys, number, tools })
  const after = await Resend.settle(counted, madeOf(event, outcome))
  note(counted, event, outcome, { keys, number, tools, after })
  return atLeast(held.head, after)
}

/**
 * Sends again, by itself, the next event that was given up while the receiver failed (Contract, "Healing").
 * @returns the row as it is now; undefined when the claim is lost.
 */
export async function heal(
  held: Delivery.Info & { healing: Delivery.Healing },
  tools: DeliveryTools,
): Promise<Delivery.Info | undefined> {
  const { turn } = tools
  if (turn.after < held.healing.after) Object.assign(turn, { after: held.healing.after, failed: 0 })
  const event = await endClaimOnError(held, () => tools.givenUp.behind(turn.after))
  if (!event) return atLeast(held.head, await endTurn(held, turn))
  if (!(await isWanted(held, event))) {
    turn.after = event.n
    return held
  }
  const keys = await endClaimOnError(held, () => Receiver.keysOf(held.receiver))
  const counted = await Resend.countHealing(held)
  if (!counted?.healing) return undefined
  const number = counted.healAttempt
  const isHopeless = number > maxAttempts
  const outcome = isHopeless ? undefined : await post(counted, event, { keys, number, tools })
  if (outcome) tools.timeLimit.answered(outcome.latencyMs)
  const after = await Resend.settleHealing(
    counted,
    next(counted.healing, event, outcome, turn),
    outcome ? madeOf(event, outcome) : skipped(event),
  )
  if (outcome) note(counted, event, outcome, { keys, number, tools, after })
  return atLeast(held.head, after)
}

/** How far a turn of healing has come: the last event that was tried, and how many have failed in a row. */
export interface Turn {
  after: number
  failed: number
}

export function newTurn(): Turn {
  return { after: -1, failed: 0 }
}

/** What the row says of the healing after an attempt; the turn goes on, too. */
function next(healing: Delivery.Healing, { n }: EventRow.Info, outcome: Outcome | undefined, turn: Turn) {
  const { failed } = turn
  turn.after = n
  if (outcome?.verdict === "delivered") {
    turn.failed = 0
    return Healing.writing(Healing.taken(healing, n, failed), false)
  }
  turn.failed++
  const isRefusal = outcome?.verdict !== "retry"
  const after = Healing.failed(healing, { n, failed: turn.failed, isRefusal })
  // The next turn begins where this one has got to.
  if (after.end === "turn") Object.assign(turn, newTurn())
  if (after.end === "left") turn.failed = 0
  return Healing.writing(after.healing, after.end === "turn" && "over")
}

/** No event is left behind those that were tried: all is done, or the turn ends with those that failed. */
async function endTurn(held: Delivery.Info & { healing: Delivery.Healing }, turn: Turn) {
  const { failed, after: n } = turn
  const ended = failed === 0 ? undefined : Healing.endOfTurn(held.healing, { n, failed })
  Object.assign(turn, newTurn())
  const isAll = ended === undefined || ended.end === "left"
  const update = Healing.writing(ended?.healing ?? held.healing, isAll ? "all" : "over")
  return await Resend.settleHealing(held, update)
}

interface Sending {
  keys: Receiver.Keys
  number: number
  tools: DeliveryTools
}

async function post(held: Delivery.Info, event: EventRow.Info, { keys, number, tools }: Sending) {
  const { receiver } = held
  return await attempt({
    id: held,
    url: receiver.url,
    keys,
    // An event that was asked for and has no counterpart in the webhook's format comes in ours.
    message: (await translated(event, receiver, keys)) ?? postBodyOf([event], keys.deliveryKey, held),
    number,
    connections: tools.connections,
    isResend: true,
  })
}

function madeOf(event: EventRow.Info, { verdict, latencyMs }: Outcome): Resend.Made {
  const delivered = verdict === "delivered" ? event : undefined
  const counts = { type: event.type, attempt: { isFailure: !delivered, latencyMs } }
  return { n: event.n, counts, delivered }
}

/** An event that kills whoever sends it. */
function skipped(event: EventRow.Info): Resend.Made {
  return { n: event.n, counts: { type: event.type }, delivered: undefined }
}

function note(
  { attempts, receiver }: Delivery.Info,
  event: EventRow.Info,
  outcome: Outcome,
  { keys, number, tools, after }: Sending & { after: Delivery.Info | undefined },
): void {
  const count = after && attempts + 1
  const about = { url: receiver.url, deliveryKey: keys.deliveryKey, isResend: true }
  tools.notes.add({ events: [event], number, count, ...about }, outcome)
}

/** The row, with the `head` that its holder knows if the row's own is behind it. */
function atLeast(head: number, row: Delivery.Info | undefined): Delivery.Info | undefined {
  return row && { ...row, head: Math.max(row.head, head) }
}
