import { html } from "hono/html"
import type { Attempt } from "#contract/delivery.ts"
import { type Html, note } from "../elements.ts"

interface Outcome {
  success: boolean
  status_code: number
  error: string
}

/** The outcome of an attempt. */
export function outcome(attempt: Outcome): Html {
  return html`<span class="state ${attempt.success ? "good" : "bad"}">${outcomeWord(attempt)}</span>`
}

/** The same in a word or two. */
export function outcomeWord({ status_code: status, error }: Omit<Outcome, "success">): string {
  return status > 0 ? String(status) : (unanswered.get(error)?.[0] ?? error)
}

/** Why there was no status: in a word or two, and in a sentence. */
const unanswered = new Map<string, readonly [word: string, sentence: string]>([
  ["timeout", ["no answer", "It did not answer within 10 seconds"]],
  ["refused", ["no connection", "Nothing listens at this address: there is no connection"]],
  ["unreachable", ["unreachable", "The address cannot be reached"]],
  ["reset", ["cut off", "It closed the connection before it answered"]],
  ["dns", ["unknown host", "The name of the host is not known"]],
  ["tls", ["TLS failed", "Its certificate is not valid, or it does not speak TLS"]],
  ["bad_response", ["not HTTP", "What it answered is not HTTP"]],
  [
    "blocked",
    [
      "not allowed",
      "This address is not allowed, so it is not called: it must be public, and without a user name",
    ],
  ],
])

/** How a test event is sent. */
export const aboutTest =
  "A test event is sent at once, ahead of what waits, signed as all are, with X-Webhook-Test: true. It is not kept."

/** What became of a test event. */
export function testWords(attempt: Attempt): Html {
  return attempt.success
    ? note("good", `It took a test event: status ${attempt.status_code}, in ${attempt.latency_ms} ms.`)
    : note("bad", `It did not take a test event. ${whyFailed(attempt)}.`)
}

/** Why an attempt failed, for people. */
export function whyFailed(attempt: { error: string; status_code: number }): string {
  if (attempt.status_code > 0) return `It answered with status ${attempt.status_code}`
  return unanswered.get(attempt.error)?.[1] ?? `There was no answer (${attempt.error})`
}
