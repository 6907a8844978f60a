import { createHash } from "node:crypto"
import type { MessageContent, OpenedAnswer } from "../network/connection.ts"
import type { About } from "./chat-and-sender.ts"
import { pollOf } from "./content.ts"
import { type Mapped, wholeNumber } from "./mapped.ts"

type Response = NonNullable<MessageContent["encEventResponseMessage"]>

/** The event of a vote on a poll. Without the poll the vote could not be read, so it makes no event. */
export function fromVote(about: About, answer: OpenedAnswer | undefined): Mapped[] {
  if (!answer?.vote) return []
  const options = pollOf(answer.original.content)?.options ?? []
  const selected = new Set((answer.vote.selectedOptions ?? []).map(hex))
  return [
    {
      identity: ["poll_vote"],
      message: about.identity,
      event: {
        event: "poll_vote",
        ...about.common,
        poll_id: answer.original.id,
        selected_options: options.flatMap(({ optionName }) =>
          selected.has(hashOf(optionName ?? "")) ? [optionName ?? ""] : [],
        ),
      },
    },
  ]
}

/** `EventResponseMessage.EventResponseType` */
const responses = new Map([
  [1, "going"],
  [2, "not_going"],
  [3, "maybe"],
] as const)

/**
 * The event of an answer to an event message. It is reported even if the event message is no longer known.
 */
export function fromResponse(about: About, sealed: Response, answer: OpenedAnswer | undefined): Mapped[] {
  const { response, timestampMs, extraGuestCount } = answer?.response ?? {}
  const known: ReadonlyMap<number, "going" | "not_going" | "maybe"> = responses
  return [
    {
      identity: ["event_response"],
      message: about.identity,
      event: {
        event: "event_response",
        ...about.common,
        event_id: sealed.eventCreationMessageKey?.id ?? "",
        response: known.get(response ?? 0) ?? "unknown",
        response_time_ms: wholeNumber(timestampMs) || wholeNumber(about.common.timestamp * 1000),
        extra_guest_count: extraGuestCount ?? 0,
      },
    },
  ]
}

function hashOf(option: string): string {
  return createHash("sha256").update(option).digest("hex")
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex")
}
