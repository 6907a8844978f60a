import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { z } from "zod"

/** A keyed send, from the customer's side. */
export interface Sent {
  bridge: string
  text: string
  /** The status of the last answer; 0 if there never was one. */
  status: number
  messageId: string | undefined
  tries: number
  /** When it was asked for first, and when it had its last answer, Unix milliseconds. */
  beganMs?: number
  endedMs?: number
}

/** A customer's program: the API as it can be reached now, and a key. */
export interface Customer {
  api: () => string | undefined
  apiKey: string
}

/** Answers after which a client should repeat the request under the same key. */
const passing = new Set([409, 429, 500, 502, 503, 504])
/** A program waits no longer for an answer. */
const answerWithinMs = 20_000

const Answer = z.object({ message_id: z.string() })

/**
 * Sends a text and asks again, with the same key, until there is a definite answer or it is told to give up. `one` is
 * kept up to date meanwhile.
 */
export async function sendUnderKey(
  customer: Customer,
  one: Sent,
  { chat, giveUp, waitMs }: { chat: string; giveUp: () => boolean; waitMs: () => number },
): Promise<void> {
  const key = randomUUID()
  one.beganMs = Date.now()
  while (!giveUp()) {
    one.tries++
    const answer = await post(customer, one, { chat, key })
    one.status = answer?.status ?? 0
    one.endedMs = Date.now()
    if (answer?.status === 200) one.messageId = Answer.parse(answer.body).message_id
    if (answer && !passing.has(answer.status)) return
    await sleep(waitMs())
  }
}

async function post({ api, apiKey }: Customer, one: Sent, { chat, key }: { chat: string; key: string }) {
  try {
    const answer = await fetch(`${api()}/api/instances/${one.bridge}/proxy/send/text`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${apiKey}`,
        "content-type": "application/json",
        "idempotency-key": key,
      },
      body: JSON.stringify({ chat, body: one.text }),
      signal: AbortSignal.timeout(answerWithinMs),
    })
    return { status: answer.status, body: await answer.json() }
  } catch {
    // The API was killed, stands still, or is not there yet: that is what the key is for.
    return undefined
  }
}
