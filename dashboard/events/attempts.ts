import { html } from "hono/html"
import { z } from "zod"
import type { AttemptLog } from "#core/event/attempt-log.ts"
import { toQuery } from "../answer.ts"
import { cardTable, copyButton, empty, type Html, selectField } from "../elements.ts"
import { FromTo, fromToFields } from "../from-to.ts"
import { ago } from "../times.ts"
import { type Receiving, webhookQuery } from "../webhooks/webhook-health.ts"
import { outcome } from "./attempt-words.ts"

// The list of attempts on the page of deliveries.

/** Which attempts are asked for, and which page of them. */
export const AskedAttempts = FromTo.extend({
  webhook: z
    .string()
    .regex(/^\w{1,64}$/)
    .optional()
    .catch(undefined),
  outcome: z.enum(["failed", "taken", "resent"]).optional().catch(undefined),
  page: z.coerce.number().int().min(2).max(99).optional().catch(undefined),
})
export type AskedAttempts = z.infer<typeof AskedAttempts>

/** A tag with the type of an event. The words of a message say its type already. */
export function typeTag(type: string): Html | string {
  return type === "message" ? "" : html`<span class="tag">${type}</span>`
}

/** The words of events, by event id. */
export type EventWords = Map<string, Html | string>

interface Shown {
  ref: string
  attempts: AttemptLog.Known[]
  words: EventWords
  asked: AskedAttempts
  hasMore: boolean
  receiving: Receiving
}

const outcomes = [
  ["", "All"],
  ["failed", "Failed"],
  ["taken", "Delivered"],
  ["resent", "Sent again"],
] as const
function filterForm({ ref, asked }: Shown): Html {
  const at = `/numbers/${ref}/deliveries`
  const isFiltered = [asked.outcome, asked.since, asked.until].some((value) => value !== undefined)
  return html`<form class="inline filter" method="get" action="${at}#attempts" aria-label="Filter">
    ${asked.webhook === undefined ? "" : html`<input type="hidden" name="webhook" value="${asked.webhook}" />`}
    ${selectField({ id: "outcome-of", name: "outcome", label: "Outcome of an attempt", choices: outcomes, chosen: asked.outcome })}
    ${fromToFields(asked)}
    <div class="row">
      <button class="button">Filter</button>
      ${!isFiltered ? "" : html`<a href="${at}?${toQuery({ webhook: asked.webhook })}#attempts">Show all</a>`}
    </div>
  </form>`
}

/** Only the list itself is renewed by the stream: a choice in the filter that is not sent yet stays. */
export function attemptsCard(shown: Shown): Html {
  return html`<section class="card flush">
    <header>
      <h2>${shown.asked.page === undefined ? "Latest attempts" : "Earlier attempts"}</h2>
      ${filterForm(shown)}
    </header>
    ${attemptsList(shown)}
  </section>`
}

/** The list itself. */
export function attemptsList({ ref, attempts, words, asked, hasMore, receiving }: Shown): Html {
  const at = `/numbers/${ref}/deliveries`
  const linkTo = (to: AskedAttempts) => `${at}?${toQuery({ ...to, webhook: asked.webhook })}#attempts`
  const { outcome: wanted, since, until, page: nth = 1 } = asked
  const isAll = [wanted, since, until].every((value) => value === undefined) && nth === 1
  return html`<div id="attempts">
    ${
      attempts.length === 0
        ? empty({
            about: isAll
              ? "Nothing was sent yet. The first event that comes is."
              : "None of the latest 200 attempts is such a one.",
          })
        : cardTable({
            label: "Attempts",
            heads: ["Outcome", "Event", "Attempt", "Took", "When"],
            rows: attempts.map((one) =>
              attemptRow(
                `/numbers/${ref}/events/${one.attempt.event_id}${webhookQuery(receiving.webhookId)}`,
                one,
                words.get(one.attempt.event_id),
              ),
            ),
          })
    }
    ${
      nth === 1 && !hasMore
        ? ""
        : html`<footer class="row">
            ${nth === 1 ? "" : html`<a class="button slim" href="${linkTo({ ...asked, page: nth === 2 ? undefined : nth - 1 })}">Later attempts</a>`}
            ${hasMore ? html`<a class="button slim" href="${linkTo({ ...asked, page: nth + 1 })}">Earlier attempts</a>` : ""}
          </footer>`
    }
  </div>`
}

function attemptRow(at: string, { attempt, isResend }: AttemptLog.Known, words?: Html | string): Html {
  return html`<tr>
    <td>${outcome(attempt)}</td>
    <td>
      ${typeTag(attempt.event)}
      <div class="words">
        <a href="${at}">${words ?? attempt.event_id}</a>
        ${copyButton(attempt.event_id)}
      </div>
    </td>
    <td class="number" data-label="Attempt">
      ${attempt.attempt}${isResend ? html`<div class="small muted">sent again</div>` : ""}
    </td>
    <td class="number" data-label="Took">${attempt.latency_ms} ms</td>
    <td class="small muted">${ago(Date.parse(attempt.timestamp))}</td>
  </tr>`
}
