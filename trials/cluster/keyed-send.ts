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

/** A customer's program: the API as it can be reached now, for a bridge, and a key. */
export interface Customer {
  api: (bridge: string) => string | undefined
  apiKey: string
}

/** Answers after which a client should repeat the request under the same key. */
const passing = new Set([409, 429, 500, 502, 503, 504])
/** A program waits no longer for an answer. */
const answerWithinMs = 20_000

const Answer = z.object({ message_id: z.string() })

interface Patience {
  giveUp: () => boolean
  waitMs: () => number
}

/**
 * Sends a text and asks again, with the same key, until there is a definite answer or it is told to give up.
 * `one` is kept up to date meanwhile.
 */
export async function sendUnderKey(
  customer: Customer,
  one: Sent,
  { chat, ...patience }: Patience & { chat: string },
): Promise<void> {
  one.beganMs = Date.now()
  const call = { bridge: one.bridge, path: "send/text", body: { chat, body: one.text } }
  for await (const answer of askUnderKey(customer, call, patience)) {
    one.tries++
    one.status = answer?.status ?? 0
    one.endedMs = Date.now()
    if (answer?.status === 200) one.messageId = Answer.parse(answer.body).message_id
  }
}

/**
 * Makes a call again and again under one key, until there is a definite answer, which is the last one that it
 * yields.
 */
export async function* askUnderKey(
  customer: Customer,
  call: Call,
  { giveUp, waitMs }: Patience,
): AsyncGenerator<Answered | undefined> {
  const key = randomUUID()
  while (!giveUp()) {
    const answer = await post(customer, call, key)
    yield answer
    if (answer && !passing.has(answer.status)) return
    await sleep(waitMs())
  }
}

interface Call {
  bridge: string
  /** Under `proxy`. */
  path: string
  body: object
}

interface Answered {
  status: number
  body: unknown
}

async function post(
  { api, apiKey }: Customer,
  { bridge, path, body }: Call,
  key: string,
): Promise<Answered | undefined> {
  try {
    const answer = await fetch(`${api(bridge)}/api/instances/${bridge}/proxy/${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${apiKey}`,
        "content-type": "application/json",
        "idempotency-key": key,
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(answerWithinMs),
    })
    return { status: answer.status, body: await answer.json() }
  } catch {
    // The API was killed, stands still, or is not there yet: that is what the key is for.
    return undefined
  }
}
