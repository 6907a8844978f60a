import { html } from "hono/html"
import type { Event } from "#contract/event.ts"
import type { EventRow } from "#core/event/event-row.ts"
import { time } from "../times.ts"
import { pathOfMessage } from "./find.ts"
import { pathOfSpan, stampOf } from "./span.ts"
import type { Step } from "./steps.ts"

/** Later than this after the network's stamp, an event is late, in seconds. */
const late = 60

/** An event, how it stands at a webhook, and the page of the one that it waits for. */
interface Arrived {
  ref: string
  event: Event
  createdAt: number
  state: EventRow.State | "not_wanted"
  /** The page of the event that holds it up. */
  behind?: string | undefined
}

/** The way of an event before the first attempt: from their phone to us, and to its turn. */
export function arrivalSteps({ ref, event, createdAt, state, behind }: Arrived): Step[] {
  const stamp = stampOf(event)
  const isLate = stamp !== undefined && createdAt - stamp > late
  const all: Step[] = []
  if (stamp !== undefined)
    all.push({ atMs: stamp * 1000, tone: "good", word: "On the network", about: "By the network's clock." })
  all.push({
    atMs: createdAt * 1000,
    tone: isLate ? "warn" : "good",
    word: "Stored here",
    about: isLate
      ? "It came late: until then this number had no connection, or the network held it back."
      : "Only then did the network get its receipt.",
    act: html`<a
        class="button slim"
        href="${pathOfSpan(ref, spanAround(isLate ? stamp : createdAt, createdAt))}"
        >What else happened then</a
      >
      ${event.event === "message_status" ? html`<a class="button slim" href="${pathOfMessage(ref, event.message_id)}">See the way of this message</a>` : ""}`,
  })
  if (state === "pending" && behind !== undefined)
    all.push({
      tone: "warn",
      word: "Waits behind another",
      about: "Events go out in order: an earlier one is not through.",
      act: html`<a class="button slim" href="${behind}">See the event that holds it up</a>`,
    })
  return all
}

/** How the way ended, where no attempt says so. */
export function endSteps(
  { ref, state }: Pick<Arrived, "ref" | "state">,
  givenUpAt: number | undefined,
): Step[] {
  const atMs = givenUpAt === undefined ? undefined : givenUpAt * 1000
  if (state === "undelivered")
    return [
      {
        atMs,
        tone: "bad",
        word: "Stopped here",
        about: html`Your program does not have
        it${atMs === undefined ? "" : html`: it was given up at ${time(atMs)}`}. Mend what the last attempt
        says, then send it again, above.`,
      },
    ]
  if (state === "inbox")
    return [
      {
        tone: "warn",
        word: "Kept here",
        about: "There was no webhook to send it to: it can be read here and in the chats.",
        act: html`<a class="button slim" href="/numbers/${ref}/chats">Open the chats</a>
          <a class="button slim" href="/numbers/${ref}/webhooks">Give this number a webhook</a>`,
      },
    ]
  return []
}

function spanAround(from: number, to: number): { from: number; to: number } {
  return { from: from - 120, to: to + 120 }
}
