import type { BinaryNode } from "@whiskeysockets/baileys"
import { isGroup } from "#core/message/jid.ts"
import { Metrics } from "#core/platform/metrics.ts"
import type { Intake } from "../../network/connection.ts"
import type { Acquaintance } from "../../network/happening.ts"
import type { Lifetime } from "../lifetime.ts"
import type { newCallers } from "../questions/reject-call.ts"
import type { OutgoingFrames } from "../send/hold-frames.ts"
import { hasChild, toStanza } from "../stanza.ts"
import type { Backpressure } from "./backpressure.ts"
import { redactedPhonesAndUsernames } from "./redacted-phones-and-usernames.ts"
import type { UnsettledStanzas } from "./unsettled-stanzas.ts"

interface Input {
  unsettled: Pick<UnsettledStanzas, "message" | "afterThose">
  backpressure: Pick<Backpressure, "whileWorking">
  frames: Pick<OutgoingFrames, "stopReadingWhileFull">
  calls: ReturnType<typeof newCallers>
  lifetime: Pick<Lifetime, "emit">
  intake: Pick<Intake, "foresee">
  reportPeople: (people: Acquaintance[]) => void
  /** Each gets every frame, in this order. */
  listeners: ((frame: BinaryNode) => void)[]
}

/** Reads incoming frames beside Baileys, for everything that Baileys reports too late or not at all. */
export function newFrameReader(input: Input): (frame: BinaryNode) => void {
  const { unsettled, backpressure, frames, calls, lifetime, intake, reportPeople, listeners } = input
  return (frame) => {
    // Many stanzas make changes, and no frame of ours answers them.
    frames.stopReadingWhileFull()
    if (frame.tag === "message" || frame.tag === "status") {
      unsettled.message(frame)
      intake.foresee(frame.attrs)
    }
    // A recipient's device could not read a message of ours.
    if (frame.tag === "receipt" && frame.attrs.type === "retry") Metrics.add("RetryReceipts")
    if (frame.tag === "call") calls.onCall(frame)
    if (frame.tag === "iq") reportPeople(redactedPhonesAndUsernames(frame))
    if (mayBecomeEvent(frame)) {
      const stanza = toStanza(frame)
      const taken = () => new Promise<void>((onTaken) => lifetime.emit({ kind: "stanza", stanza, onTaken }))
      unsettled.afterThose(frame, () => void backpressure.whileWorking(frame, taken))
    }
    for (const listen of listeners) listen(frame)
  }
}

/**
 * The kinds of notification that may become an event, besides the news of groups (`news-in-turn.ts`).
 * The others are for Baileys alone.
 */
const notifications = new Set(["picture"])

/** Whether this stanza may become an event, and is no message. */
function mayBecomeEvent(node: BinaryNode): boolean {
  switch (node.tag) {
    case "call":
    case "presence":
    case "chatstate":
      return true
    case "notification":
      return notifications.has(node.attrs.type ?? "") && !isGroup(node.attrs.from ?? "")
    case "ib":
      return hasChild(node, "offline_preview") || hasChild(node, "offline")
    default:
      return false
  }
}
