import type { Evidence } from "../chaos/evidence.ts"
import { judge, type Violation } from "../chaos/oracle.ts"
import type { Sent } from "../cluster/keyed-send.ts"

/** What is known of a move beside the evidence of our service. */
export interface Moved {
  /** When the network knew that the old gateway was gone, Unix milliseconds. */
  goneMs: number
  /** By text: the network's id of each message to a number. */
  ids: ReadonlyMap<string, string>
  /** By text: who has written it. */
  authors: ReadonlyMap<string, string>
  /** Those whose keys the old gateway was writing when it died: the file is empty. */
  cut: ReadonlySet<string>
  /** When a number first told the network to have a message, by id, Unix milliseconds. */
  hadMs: ReadonlyMap<string, number>
  /** When a number first asked for a message again, by id, Unix milliseconds. */
  askedAgain: ReadonlyMap<string, number>
  /** When a number was first handed a message, by id, Unix milliseconds. */
  handedMs: ReadonlyMap<string, number>
  /** What was sent by the old gateway. */
  before: Sent[]
}

/**
 * As `judge`, for numbers that have left another gateway. What that gateway had told the network to have is
 * its own, and no event of ours. What it was handed and has not told to have comes to us: it may have read
 * that already, and its key is gone, so we may ask for that once more. So we may for what comes from people
 * whose keys it has lost in its last moment, and for nothing else.
 */
export function judgeMoved(evidence: Evidence, moved: Moved): Violation[] {
  const { goneMs, ids, authors, cut, hadMs, handedMs, askedAgain } = moved
  const idOf = (text: string) => ids.get(text) ?? ""
  const isTheirs = (text: string) => (hadMs.get(idOf(text)) ?? Infinity) < goneMs
  const wasHanded = (text: string) => (handedMs.get(idOf(text)) ?? Infinity) < goneMs
  const isAskable = (text: string) => wasHanded(text) || cut.has(authors.get(text) ?? "")
  const ours = new Map<string, string[]>()
  const late = new Set<string>()
  const found: Violation[] = []
  for (const [bridge, texts] of evidence.produced) {
    const its = texts.filter((text) => !isTheirs(text))
    ours.set(bridge, its)
    const arrived = new Set(evidence.arrivals.flatMap((one) => (one.bridge === bridge ? [one.text] : [])))
    for (const text of texts)
      if (isTheirs(text) && arrived.has(text))
        found.push({ kind: "duplicated", what: `${bridge}: ${text} was the old gateway's, and came again` })
    for (const text of its.filter((one) => askedAgain.has(idOf(one))))
      if (isAskable(text)) late.add(text)
      else found.push({ kind: "undecryptable", what: `${bridge}: ${text} had to be asked for again` })
  }
  return [
    ...judge({ ...evidence, produced: ours, late }),
    ...found,
    ...shownAgain(evidence, moved.before),
    ...sendsOutOfOrder(evidence),
  ]
}

/** What the old gateway has sent may be lost with it, and is not sent once more. */
function shownAgain({ shown }: Evidence, before: Sent[]): Violation[] {
  return before.flatMap(({ bridge, text }) => {
    const times = (shown.get(bridge) ?? []).filter((one) => one.text === text).length
    return times > 1 ? [{ kind: "doubled", what: `${bridge}: ${text} is shown ${times} times` }] : []
  })
}

/** What we send to one chat is shown there in that order. */
function sendsOutOfOrder({ shown, sent }: Evidence): Violation[] {
  const found: Violation[] = []
  for (const all of Map.groupBy(sent, chatOf).values()) {
    const texts = all.map(({ text }) => text)
    const bridge = all[0]!.bridge // groups have one
    const places = (shown.get(bridge) ?? []).map(({ text }) => texts.indexOf(text)).filter((at) => at >= 0)
    for (const [i, at] of places.entries())
      if (i > 0 && at < places[i - 1]!)
        found.push({
          kind: "reordered",
          what: `${bridge}: ${texts[at]} is shown after ${texts[places[i - 1]!]}`,
        })
  }
  return found
}

/** A text ends with its number in its chat. */
function chatOf({ text }: Sent): string {
  return text.replace(/ \d+$/, "")
}
