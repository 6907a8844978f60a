import type { Sent } from "../memory/messages/sent.ts"
import { type ReceiptKind, receiptKinds } from "../network/connection.ts"

/** A receipt of one message by one person, under the address that the message's row has. */
export interface Step {
  who: string
  kind: ReceiptKind
  /** Unix seconds. */
  timestamp: number
}

/**
 * What is reported to the customer: one person, or a number of a group's members, have come as far as this
 * kind of receipt.
 */
export interface Reported {
  kind: ReceiptKind
  timestamp: number
  /** The people whose receipts of this kind were new. */
  who: string[]
}

/** How many members of a group have come as far as each kind of receipt, or further. */
export type Counts = Record<"recipients" | ReceiptKind, number>

export function countsOf(sent: Pick<Sent, "members">): Counts {
  return countsIn(Object.values(sent.members ?? {}))
}

/**
 * The message after these receipts, and what is worth reporting. A recipient never goes back: a receipt that
 * says no more than an earlier one of the same person changes nothing. Nor does a receipt of a person whom
 * the message was not sent to. In a group, a number is reported when it has doubled and when it has reached
 * all recipients; with `each`, every change is reported.
 * @returns undefined if nothing changes
 */
export function afterReceipts<Its extends Sent>(
  sent: Its,
  steps: Step[],
  each: boolean,
): { after: Its; reported: Reported[] } | undefined {
  const reached = reachedIn(sent)
  const before = countsIn([...reached.values()])
  const news = new Map<ReceiptKind, Reported>()
  for (const { who, kind, timestamp } of steps) {
    const level = receiptKinds.indexOf(kind) + 1
    if (level <= (reached.get(who) ?? Infinity)) continue
    reached.set(who, level)
    const others = news.get(kind)
    const latest = Math.max(timestamp, others?.timestamp ?? 0)
    news.set(kind, { kind, timestamp: latest, who: [...(others?.who ?? []), who] })
  }
  if (news.size === 0) return undefined
  const after = countsIn([...reached.values()])
  const reported: Reported[] = []
  for (const kind of receiptKinds.toReversed()) {
    const its = news.get(kind)
    const isWorthIt = milestone(after, kind) > milestone(before, kind)
    if (its && (each || isWorthIt)) reported.unshift(its)
    // Receipts of a later kind count for this kind, too. If the later kind is reported, its event says both
    // numbers.
    else if (!each && isWorthIt && reported.length === 0)
      reported.unshift({ ...latestOf(news), kind, who: [] })
  }
  const times = Object.fromEntries([...news].map(([kind, { timestamp }]) => [kind, timestamp]))
  const members = sent.members && { members: Object.fromEntries(reached) }
  return { after: { ...sent, ...times, ...members }, reported }
}

/** How far each recipient has come. */
function reachedIn(sent: Sent): Map<string, number> {
  if (sent.members) return new Map(Object.entries(sent.members))
  return new Map([[sent.chat, receiptKinds.findLastIndex((kind) => sent[kind] !== undefined) + 1]])
}

function countsIn(levels: number[]): Counts {
  const asFarAs = (kind: ReceiptKind) => levels.filter((level) => level > receiptKinds.indexOf(kind)).length
  return {
    recipients: levels.length,
    delivered: asFarAs("delivered"),
    read: asFarAs("read"),
    played: asFarAs("played"),
  }
}

/** The last number that was worth reporting: a power of two, or all. */
function milestone(counts: Counts, kind: ReceiptKind): number {
  const count = counts[kind]
  return count === counts.recipients || count === 0 ? count : 2 ** Math.floor(Math.log2(count))
}

function latestOf(news: Map<ReceiptKind, Reported>): Reported {
  return [...news.values()].reduce((one, other) => (other.timestamp > one.timestamp ? other : one))
}
