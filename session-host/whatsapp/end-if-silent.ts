import type { BinaryNode } from "@whiskeysockets/baileys"
import { Metrics } from "#core/platform/metrics.ts"
import type { Lifetime } from "./lifetime.ts"
import type { OutgoingFrames } from "./send/hold-frames.ts"

export type SilenceWatch = ReturnType<typeof endIfSilent>

/**
 * Ends a connection on which the network answers nothing any more, neither questions nor messages. Baileys
 * asks for a sign of life every half a minute, but counts everything that comes in as one, and a dead session
 * may go on hearing about others (whatsapp-rust 630).
 */
export function endIfSilent(
  lifetime: Pick<Lifetime, "atEnd" | "end">,
  frames: Pick<OutgoingFrames, "stoppedReadingAtMs">,
  afterMs: number,
) {
  let waiting: NodeJS.Timeout | undefined
  const stop = () => {
    clearTimeout(waiting)
    waiting = undefined
  }
  lifetime.atEnd(stop)
  const wait = () => {
    const sinceMs = performance.now()
    waiting = setTimeout(() => {
      // Reading was held up meanwhile: the answer may be waiting in the socket.
      if (frames.stoppedReadingAtMs() > sinceMs) return wait()
      Metrics.add("DeadConnections")
      lifetime.end({
        reason: "lost",
        detail: "the network has answered nothing for minutes",
        objection: "unanswered",
      })
    }, afterMs)
  }
  return {
    /** The network was asked something, or has been given a message. */
    asked: (): void => {
      if (!waiting) wait()
    },
    /** Gets every frame. */
    onFrame: ({ tag, attrs }: BinaryNode): void => {
      const isAnswer = tag === "iq" && (attrs.type === "result" || attrs.type === "error")
      if (isAnswer || tag === "ack") stop()
    },
  }
}
