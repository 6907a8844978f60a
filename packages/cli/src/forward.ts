import { createHmac } from "node:crypto"
import type { Event } from "../../sdk-typescript/src/index.ts"

/** An event on its way to a program on this machine. */
interface Delivery {
  eventId: string
  /** The body of the POST: JSON. */
  body: string
  /** Counted from 1. */
  attempt: number
  isResend?: boolean
}

/** How a program answered the POST of an event. */
export interface Outcome {
  ok: boolean
  /** 0 without an answer. */
  status: number
  /** For people: the status, or why there is none. */
  says: string
  ms: number
}

/** As long as the service waits. */
const withinMs = 10_000

/** Posts an event as the service does, signed with this secret. */
export async function forward(url: string, secret: string, delivery: Delivery): Promise<Outcome> {
  const start = performance.now()
  const outcome = (ok: boolean, status: number, says: string): Outcome => ({
    ok,
    status,
    says,
    ms: Math.round(performance.now() - start),
  })
  try {
    const answer = await fetch(url, {
      method: "POST",
      headers: headersOf(secret, delivery),
      body: delivery.body,
      redirect: "manual",
      signal: AbortSignal.timeout(withinMs),
    })
    await answer.body?.cancel()
    return outcome(answer.ok, answer.status, `${answer.status}`)
  } catch (error) {
    const { name, cause } = error as { name: string; cause?: { code?: string } }
    return outcome(
      false,
      0,
      name === "TimeoutError"
        ? "no answer within 10 s"
        : `no answer (${cause?.code ?? "the connection broke"})`,
    )
  }
}

function headersOf(secret: string, { eventId, body, attempt, isResend }: Delivery): Record<string, string> {
  const time = Math.floor(Date.now() / 1000)
  const v1 = createHmac("sha256", secret).update(`${time}.${body}`).digest("hex")
  const standardKey = Buffer.from(secret.replace(/^whsec_/, ""), "base64")
  const standard = createHmac("sha256", standardKey).update(`${eventId}.${time}.${body}`).digest("base64")
  return {
    authorization: `Bearer ${secret}`,
    "content-type": "application/json",
    "x-webhook-signature": `t=${time},v1=${v1}`,
    "x-webhook-event-id": eventId,
    "x-webhook-attempt": `${attempt}`,
    ...(isResend && { "x-webhook-resend": "true" }),
    "webhook-id": eventId,
    "webhook-timestamp": `${time}`,
    "webhook-signature": `v1,${standard}`,
  }
}

/** An event in a few words, of one line: whom it is about, and what they say or what has become of it. */
export function told(event: Event): string {
  const fields = event as unknown as Record<string, unknown> // of whichever type
  const { reaction, selected_options: options, file, name, phone, contact_id } = fields
  const { emoji } = (reaction ?? {}) as { emoji?: string }
  const votes = Array.isArray(options) ? options.join(", ") : ""
  const { name: fileName } = (file ?? {}) as { name?: string }
  const { body, media_type, type, status, state, reason } = fields
  const said = [body, emoji, votes, fileName, media_type, status, state, reason, type]
  const words = [[name, phone, contact_id], said].flatMap((some) => some.find(isSaid) ?? [])
  // A stranger's text may contain characters that control a terminal.
  return words
    .join(": ")
    .replaceAll(/\p{Cc}+/gu, " ")
    .slice(0, 80)
}

function isSaid(value: unknown): value is string {
  return typeof value === "string" && value !== ""
}
