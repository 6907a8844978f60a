import type { Evidence, Seen } from "../chaos/evidence.ts"
import { judge, type Violation } from "../chaos/oracle.ts"
import type { Sent } from "../cluster/keyed-send.ts"

/** From the backup to the service that was restored from it, Unix milliseconds. */
export interface Lost {
  madeMs: number
  killedMs: number
  startedMs: number
}

/** What the network knows of the messages to the bridges. */
interface Handed {
  /** By text. */
  ids: ReadonlyMap<string, string>
  /** When a bridge said that it has a message, by id, Unix milliseconds. */
  hadMs: ReadonlyMap<string, number>
  /** When a bridge first asked for a message again, by id, Unix milliseconds. */
  askedAgain: ReadonlyMap<string, number>
}

export interface RestoredEvidence {
  evidence: Evidence
  losses: Lost[]
  handed: Handed
}

/**
 * As `judge`, for a service whose data was lost again and again. What happened from a backup until the loss
 * is forgotten: of that, and of nothing else, the following is excused.
 *
 * - A message that the bridge had told the network to have is lost, if its event had not been delivered.
 * - A vote on such a message, or an answer to it, is lost: it can be read with what that message brought
 *   alone. So it is if it came before that message, which had to be asked for again.
 * - A message that it had not told the network to have comes again, with another event id. So does one that
 *   it had asked for when the backup was made: the restored bridge still waits for it, and asks the phone.
 * - A send that had no answer yet is shown twice, if its key was new.
 *
 * An event that waited when the backup was made comes again, with the same id and bytes. Each life between
 * two losses is judged by itself, and strictly.
 */
export function judgeRestored(restored: RestoredEvidence): Violation[] {
  const { evidence, losses } = restored
  const nothing = {
    produced: new Map(),
    sent: [],
    shown: new Map(),
    unreadable: [],
    keysReused: [],
    rows: [],
  }
  const lives = livesOf(evidence.arrivals, losses).flatMap((arrivals) =>
    judge({ ...evidence, ...nothing, unsettled: [], owners: [], arrivals }),
  )
  return [...lives, ...severalBodies(evidence.arrivals), ...judge(withoutExcused(restored))]
}

function livesOf(arrivals: Seen[], losses: Lost[]): Seen[][] {
  const lives = Map.groupBy(arrivals, ({ at }) => losses.filter(({ startedMs }) => startedMs <= at).length)
  return [...lives.values()]
}

function severalBodies(arrivals: Seen[]): Violation[] {
  return [...Map.groupBy(arrivals, ({ eventId }) => eventId)].flatMap(([eventId, all]) => {
    const bodies = new Set(all.map(({ body }) => body.toString("base64")))
    return bodies.size > 1 ? [{ kind: "duplicated" as const, what: `${eventId} has several bodies` }] : []
  })
}

/** The evidence of all lives together: each event once, without what is excused. */
function withoutExcused({ evidence, losses, handed }: RestoredEvidence): Evidence {
  const { arrivals, sent } = evidence
  // Groups have one.
  const firsts = [...Map.groupBy(arrivals, ({ eventId }) => eventId).values()].map(([first]) => first!)
  const arrived = new Set(arrivals.map(({ text }) => text))
  const idOf = (text: string) => handed.ids.get(text) ?? ""
  const wasHad = (id: string) => losses.some((lost) => isWithin(lost, handed.hadMs.get(id) ?? 0))
  const isEarly = (text: string) => {
    const [own, question] = [idOf(text), questionOf(text)].map((id) => handed.hadMs.get(id) ?? Infinity)
    return handed.askedAgain.has(questionOf(text)) && own! <= question!
  }
  const isForgotten = (text: string) => wasHad(idOf(text)) || wasHad(questionOf(text)) || isEarly(text)
  const isToldAgain = ({ text, at }: Seen) => {
    const hadMs = handed.hadMs.get(idOf(text ?? "")) ?? Infinity
    const askedMs = handed.askedAgain.get(idOf(text ?? "")) ?? Infinity
    const isOpen = (lost: Lost) => hadMs >= lost.startedMs || askedMs <= lost.madeMs
    return text !== undefined && losses.some((lost) => isWithin(lost, at) && isOpen(lost))
  }
  const produced = new Map(
    [...evidence.produced].map(([bridge, texts]) => [
      bridge,
      texts.filter((text) => arrived.has(text) || !isForgotten(text)),
    ]),
  )
  const again = [...evidence.produced.values()].flat().filter((text) => handed.askedAgain.has(idOf(text)))
  const shown = new Map(
    [...evidence.shown].map(([bridge, all]) => [
      bridge,
      all.filter(({ id, text }) => {
        const of = sent.find((one) => one.bridge === bridge && one.text === text)
        return !of || of.messageId === id || !losses.some((lost) => isUnanswered(lost, of))
      }),
    ]),
  )
  return {
    ...evidence,
    produced,
    shown,
    late: new Set([...evidence.late, ...again]),
    arrivals: firsts.filter(
      (one, at) => !firsts.slice(0, at).some((earlier) => isSame(earlier, one) && isToldAgain(earlier)),
    ),
  }
}

/** The id of the message that this is a vote on, or an answer to. */
function questionOf(text: string): string {
  return /^(?:a vote on|an answer to) (.+)$/.exec(text)?.[1] ?? ""
}

function isSame(one: Seen, other: Seen): boolean {
  return one.bridge === other.bridge && one.text === other.text
}

function isWithin({ madeMs, startedMs }: Lost, ms: number): boolean {
  return ms >= madeMs && ms < startedMs
}

function isUnanswered(lost: Lost, { beganMs = 0, endedMs = 0 }: Sent): boolean {
  return beganMs >= lost.madeMs && beganMs < lost.startedMs && endedMs >= lost.killedMs
}
