import { html } from "hono/html"
import type { z } from "zod"
import type { Message } from "#contract/message.ts"
import type { Html } from "../elements.ts"
import { span, time } from "../times.ts"

/** A step on the way of a message: what happened, when, and if it went no further, what mends it. */
export interface Step {
  /** Absent: it is not known when, or it is to come. */
  atMs?: number | undefined
  tone: "good" | "bad" | "warn" | "idle"
  word: string
  about?: Html | string | undefined
  /** A link or a button. */
  act?: Html | undefined
}

/** A pause that is said, in ms. */
const longPauseMs = 5000

/** A line of time, the first step first. A long time between two steps is said. */
export function steps(all: Step[]): Html {
  let lastMs: number | undefined
  const items = all.map((step) => {
    const pauseMs = step.atMs !== undefined && lastMs !== undefined ? step.atMs - lastMs : 0
    lastMs = step.atMs ?? lastMs
    return item(step, pauseMs)
  })
  return html`<ol class="timeline">
    ${items}
  </ol>`
}

function item({ atMs, tone, word, about, act }: Step, pauseMs: number): Html {
  return html`<li class="${tone}">
    <div class="row spread">
      <span class="row"
        ><span class="state ${tone}">${word}</span>
        ${pauseMs >= longPauseMs ? html`<span class="small muted">${span(pauseMs)} later</span>` : ""}</span
      >
      <span class="small muted">${atMs === undefined ? "" : time(atMs)}</span>
    </div>
    ${about === undefined || about === "" ? "" : html`<div>${about}</div>`}
    ${act === undefined ? "" : html`<div class="row">${act}</div>`}
  </li>`
}

type Status = z.infer<typeof Message>["status"]

/** How far a message has come, in a word, as every page says it. */
export const sentWords: Record<Status, readonly [tone: string, word: string]> = {
  pending: ["warn", "Waiting for the network"],
  sent: ["good", "Sent"],
  delivered: ["good", "Delivered"],
  read: ["good", "Read"],
  played: ["good", "Played"],
  failed: ["bad", "Not sent"],
  received: ["good", "Received"],
}

/** The same as a mark. */
export function sentMark(status: Status): Html {
  const [tone, word] = sentWords[status]
  return html`<span class="state ${tone}">${word}</span>`
}
