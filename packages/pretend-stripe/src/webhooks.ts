import { createHmac } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { idFor } from "./book.ts"

/** An event as Stripe sends it. */
export interface StripeEvent {
  id: string
  object: "event"
  type: string
  created: number
  livemode: false
  data: { object: object }
}

/** Waits between the tries of one webhook, in ms. Stripe's own are hours, and last three days. */
const waitsMs = [200, 1000, 3000, 10_000, 30_000]

/** The webhooks of the pretend Stripe: signed as Stripe's are, and sent at once unless they are held back. */
export function webhooks(input: { url: string; secrets: () => string[]; now: () => number }) {
  const held: StripeEvent[] = []
  const stopping = new AbortController()
  const sending = new Set<Promise<unknown>>()
  let isHolding = false

  function emit(type: string, object: object): void {
    const data = { object: structuredClone(object) }
    const event: StripeEvent = {
      id: idFor("evt"),
      object: "event",
      type,
      created: input.now(),
      livemode: false,
      data,
    }
    if (isHolding) return void held.push(event)
    const sent = persist(event).finally(() => sending.delete(sent))
    sending.add(sent)
  }

  async function persist(event: StripeEvent): Promise<void> {
    for (const waitMs of waitsMs) {
      const status = await send(event).catch(() => 0)
      if (status >= 200 && status < 300) return
      await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => "stopped while asleep")
      if (stopping.signal.aborted) return
    }
  }

  /** Sends one now. @returns the status of the answer */
  async function send(event: object, more: { secret?: string; at?: number } = {}): Promise<number> {
    const body = JSON.stringify(event)
    // The receiver compares this with its own clock, not with the pretend Stripe's.
    const t = more.at ?? Math.floor(Date.now() / 1000)
    const secrets = more.secret === undefined ? input.secrets() : [more.secret]
    const signed = secrets.map((secret) => createHmac("sha256", secret).update(`${t}.${body}`).digest("hex"))
    const answer = await fetch(input.url, {
      method: "POST",
      headers: {
        "content-type": "application/json; charset=utf-8",
        "stripe-signature": [`t=${t}`, ...signed.map((v1) => `v1=${v1}`)].join(","),
      },
      body,
      signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(10_000)]),
    })
    await answer.arrayBuffer()
    return answer.status
  }

  return {
    emit,
    send,
    /** From now on webhooks are kept back. */
    hold: () => void (isHolding = true),
    /** From now on webhooks are sent at once. @returns those that were kept back, unsent */
    letGo: (): StripeEvent[] => {
      isHolding = false
      return held.splice(0)
    },
    close: async () => {
      stopping.abort()
      await Promise.allSettled(sending)
    },
  }
}
