import { setTimeout as sleep } from "node:timers/promises"
import type { NetworkClient } from "#local/network-client.ts"
import type { Random } from "#local/random.ts"
import type { Line } from "#test/cluster/lines.ts"
import { sendOnce, type Sent } from "#test/cluster/send-once.ts"
import type { Arrival } from "#test/support/start-receiver.ts"

export interface Traffic {
  /** Texts written to each bridge, as the network took them. */
  produced: Map<string, string[]>
  sent: Sent[]
  /** Writes and sends at least so many on each bridge, then ends; in any case within this time. */
  stop: (atLeast: number, withinMs: number) => Promise<void>
}

/** Whoever writes waits for answers: else kills would meet one long backlog, and none of the phases around its end. */
const mostAhead = 20

/** Numbered messages on every bridge, both ways, until it is stopped. */
export function startTraffic(input: {
  lines: Line[]
  network: NetworkClient
  random: Random
  /** Where the API answers now. */
  api: () => string | undefined
  apiKey: string
  /** What the customer's receiver has got; it grows. */
  arrivals: Arrival[]
}): Traffic {
  const { lines, network, random } = input
  const produced = new Map(lines.map(({ bridge }) => [bridge, [] as string[]]))
  const sent: Sent[] = []
  let atLeast = Infinity
  let over = Infinity
  let sends = 0
  const delivered = tally(input.arrivals)
  const running = lines.flatMap((line) => [write(line), send(line), send(line)])

  async function write({ bridge, contact, owner }: Line): Promise<void> {
    const texts = produced.get(bridge)!
    for (let n = 1; n <= atLeast && performance.now() < over; n++) {
      const text = `in ${bridge} ${n}`
      await network.send(contact, owner, text)
      texts.push(text)
      await sleep(random.between(50, 450))
      while (texts.length - delivered(bridge) > mostAhead && performance.now() < over) await sleep(50)
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
      await sendOnce(input, one, {
        contact,
        giveUp: () => performance.now() > over,
        waitMs: () => random.between(100, 500),
      })
      await sleep(random.between(100, 900))
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

/** How many messages of a bridge have come at least once. */
function tally(arrivals: Arrival[]): (bridge: string) => number {
  const texts = new Map<string, Set<string>>()
  let counted = 0
  return (bridge) => {
    for (; counted < arrivals.length; counted++) {
      const { bridge: its, text } = arrivals[counted]!
      if (text !== undefined) texts.set(its, (texts.get(its) ?? new Set()).add(text))
    }
    return texts.get(bridge)?.size ?? 0
  }
}
