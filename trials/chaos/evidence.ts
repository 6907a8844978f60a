import type { ReadMessage } from "#one-machine/network/client.ts"
import type { Arrival } from "#test/support/service/start-receiver.ts"
import type { Sent } from "../cluster/keyed-send.ts"

/** The parts of a delivery that the oracle judges. */
export type Seen = Pick<
  Arrival,
  "bridge" | "eventId" | "attempt" | "text" | "body" | "genuine" | "at" | "hungUp"
> & {
  /** In a batch: the id of the first event that was in the same POST. */
  begins?: string
  /** It was sent again, after its delivery had ended. */
  isResend?: boolean
}

/** All observations of a run, from outside the service. */
export interface Evidence {
  bridges: string[]
  /** Texts written to each bridge's phone, in the order in which the network took them. */
  produced: Map<string, string[]>
  /**
   * Of these the ones that the network had spoilt: they come when their sender has sent them again, in no
   * order.
   */
  late: ReadonlySet<string>
  arrivals: Seen[]
  /** The arrivals that the receiver did not answer with success. */
  refused: ReadonlySet<Seen>
  /** Of these those that it refused for good. */
  final?: ReadonlySet<Seen>
  /** Events that a webhook has given up and that were never taken since, by the webhook's name. */
  undelivered?: { bridge: string; eventId: string }[]
  sent: Sent[]
  /** Bridges whose customer wants to know what becomes of messages. */
  followed: ReadonlySet<string>
  /** The ids of those messages that their recipient has marked as read. */
  read: ReadonlySet<string>
  /** The messages that each bridge's contact has read from it. */
  shown: Map<string, Pick<ReadMessage, "id" | "text">[]>
  /** The network's ids of the texts written to bridges. */
  ids: ReadonlyMap<string, string>
  /** Of bridges that keep messages: the ids of what they have kept, chat by chat, the oldest first. */
  kept: ReadonlyMap<string, string[][]>
  /** Messages that a recipient could not decrypt, or refused, as the network saw it. */
  unreadable: string[]
  /** Keys that were used a second time, as the network saw it. */
  keysReused: string[]
  /** Commits, as the store saw them, under a lease that was another host's. */
  owners: string[]
  /**
   * The largest row of each bridge's session: both sides use one Signal library, so its growth shows here
   * alone.
   */
  rows: { bridge: string; name: string; bytes: number }[]
  /** Work that was still under way when the run was over. */
  unsettled: string[]
  /**
   * When a deliverer was stopped within an attempt of an event, in Unix milliseconds: its POST may come late.
   */
  stoppedAttempts: { eventId: string; at: number; until: number }[]
}

/**
 * The kinds of violations.
 *
 * - `lost`: a message was written and never delivered, given up before its time or not sent again, answered
 *   with success and not shown, or without an answer for good; or it was sent, and the customer was not told
 *   that it was delivered or read; or it was not kept.
 * - `duplicated`: one message is two events, one event has two bodies, an attempt's number was used twice; or
 *   a message was kept twice.
 * - `reordered`: a first delivery came after a newer message's, or any delivery after a newer event's; a
 *   status is no step forward; or messages were kept out of order.
 * - `undecryptable`: a device could not read a message, or refused it.
 * - `doubled`: a message was shown twice.
 * - `owners`: a commit was made under another host's lease.
 * - `keys_reused`: two messages were encrypted under one key, or a prekey's number stood for two keys.
 * - `relinked`: a phone would have to be linked again.
 * - `forged`: an event came that is not signed by us.
 * - `oversized`: a row of a session has grown out of all proportion.
 */
export const kinds = [
  "lost",
  "duplicated",
  "reordered",
  "undecryptable",
  "doubled",
  "owners",
  "oversized",
  "forged",
  "keys_reused",
  "relinked",
] as const
export type Kind = (typeof kinds)[number]
