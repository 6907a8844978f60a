import type { BinaryNode } from "@whiskeysockets/baileys"
import { now } from "#core/platform/clock.ts"

/** How many messages without an answer are remembered, for answers that come late. */
const rememberedMost = 1_000

type Ack =
  /** `phash`: the network's hash of the chat's devices, if it gives one. */
  { timestamp: number; phash?: string } | { networkCode: number }

/** The network's answers to messages. */
export interface Acks {
  /** Waits for this message's answer from now on. Call it before sending. */
  expect: (messageId: string) => Expected
  /** Gets `<ack class="message">`. */
  onAck: (node: BinaryNode) => void
  /** Ends all waits, since no answer comes any more. */
  end: () => void
}

interface Expected {
  /** The answer; undefined when the connection has ended. */
  answer: Promise<Ack | undefined>
  /** The answer, or undefined if it took too long. An answer that comes after that is reported as late. */
  inTime(): Promise<Ack | undefined>
  /** Stops waiting; `maybeLater` if an answer may still come. */
  stop(maybeLater: boolean): void
}

/** @param waitMs how long an answer may take; `onLate` gets an answer that took longer */
export function newAcks(waitMs: number, onLate: (messageId: string, timestamp: number) => void): Acks {
  const waiting = new Map<string, (ack: Ack | undefined) => void>()
  const unanswered = new Set<string>()

  const remember = (messageId: string) => {
    unanswered.add(messageId)
    const [oldest] = unanswered
    if (unanswered.size > rememberedMost && oldest) unanswered.delete(oldest)
  }

  return {
    expect(messageId) {
      const { promise: answer, resolve } = Promise.withResolvers<Ack | undefined>()
      waiting.set(messageId, resolve)
      unanswered.delete(messageId)
      const stop = (maybeLater: boolean) => {
        waiting.delete(messageId)
        if (maybeLater) remember(messageId)
      }
      const inTime = async () => {
        const timer = setTimeout(() => resolve(undefined), waitMs)
        const ack = await answer
        clearTimeout(timer)
        return ack
      }
      return { answer, inTime, stop }
    },
    onAck({ attrs }) {
      const messageId = attrs.id ?? ""
      const timestamp = Number(attrs.t) || now()
      const { error, phash } = attrs
      const ack: Ack = error ? { networkCode: Number(error) } : { timestamp, ...(phash && { phash }) }
      const waiter = waiting.get(messageId)
      if (waiter) return waiter(ack)
      if (unanswered.delete(messageId) && "timestamp" in ack) onLate(messageId, ack.timestamp)
    },
    end() {
      for (const resolve of waiting.values()) resolve(undefined)
      waiting.clear()
      unanswered.clear()
    },
  }
}
