import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { z } from "zod"
import type { Sent } from "./evidence.ts"
import type { Phones } from "./phones.ts"
import type { Random } from "./random.ts"

/** A bridge, with the phone it is linked to and somebody who writes with it. */
export interface Line {
  bridge: string
  id: string
  /** Numbers. */
  owner: string
  contact: string
  /** `number:device` of the bridge on the network. */
  device: string
}

export interface Traffic {
  /** Texts written to each bridge, as the network took them. */
  produced: Map<string, string[]>
  sent: Sent[]
  /** Writes and sends at least so many on each bridge, then ends; in any case within this time. */
  stop: (atLeast: number, withinMs: number) => Promise<void>
}

const Answer = z.object({ message_id: z.string() })

/** Numbered messages on every bridge, both ways, until it is stopped. */
export function startTraffic(input: {
  lines: Line[]
  phones: Phones
  random: Random
  /** Where the API answers now. */
  api: () => string | undefined
  apiKey: string
}): Traffic {
  const { lines, phones, random } = input
  const produced = new Map(lines.map(({ bridge }) => [bridge, [] as string[]]))
  const sent: Sent[] = []
  let atLeast = Infinity
  let over = Infinity
  let sends = 0
  const running = lines.flatMap((line) => [write(line), send(line), send(line)])

  async function write({ bridge, contact, owner }: Line): Promise<void> {
    const texts = produced.get(bridge)!
    for (let n = 1; n <= atLeast && performance.now() < over; n++) {
      const text = `in ${bridge} ${n}`
      await phones.send(contact, owner, text)
      texts.push(text)
      await sleep(random.between(50, 450))
    }
  }

  async function send({ bridge, contact }: Line): Promise<void> {
    for (let n = 1; n <= atLeast && performance.now() < over; n++) {
      const one: Sent = {
        bridge,
        text: `out ${bridge} ${++sends}`,
        status: 0,
        messageId: undefined,
        tries: 0,
      }
      sent.push(one)
      await sendOne(one, contact)
      await sleep(random.between(100, 900))
    }
  }

  /** The same key again, until there is a definite answer. */
  async function sendOne(one: Sent, contact: string): Promise<void> {
    const key = randomUUID()
    const until = performance.now() + patienceMs
    while (performance.now() < Math.min(until, over)) {
      one.tries++
      const answer = await post(
        `/api/instances/${one.bridge}/proxy/send/text`,
        { chat: contact, body: one.text },
        key,
      )
      one.status = answer?.status ?? 0
      if (answer?.status === 200) {
        one.messageId = Answer.parse(answer.body).message_id
        return
      }
      if (answer && !passing.has(answer.status)) return
      await sleep(random.between(100, 500))
    }
  }

  async function post(path: string, body: object, key: string) {
    try {
      const answer = await fetch(`${input.api()}${path}`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${input.apiKey}`,
          "content-type": "application/json",
          "idempotency-key": key,
        },
        body: JSON.stringify(body),
      })
      return { status: answer.status, body: await answer.json() }
    } catch {
      // The API was killed, or is not there yet: that is what the key is for.
      return undefined
    }
  }

  return {
    produced,
    sent,
    stop: async (least, withinMs) => {
      atLeast = least
      over = performance.now() + withinMs
      await Promise.all(running)
    },
  }
}

/** A customer gives up after this. */
const patienceMs = 120_000

/** Answers after which the same request with the same key is right. */
const passing = new Set([409, 429, 500, 502, 503, 504])
