import { setTimeout as sleep } from "node:timers/promises"
import type { NetworkClient } from "#one-machine/network/client.ts"
import type { Random } from "#one-machine/random.ts"
import type { Arrival } from "#test/support/service/start-receiver.ts"
import type { Shape } from "../cluster/account-shapes.ts"
import { type Customer, sendUnderKey, type Sent } from "../cluster/keyed-send.ts"
import type { LinkedBridge, LinkedCluster } from "../cluster/linked-cluster.ts"

export interface Traffic {
  /** Texts written to each bridge, as the network took them. */
  produced: Map<string, string[]>
  /** The network's ids of these. */
  ids: Map<string, string>
  /** Of these the ones that come in a copy which their bridge has to ask for. */
  late: Set<string>
  sent: Sent[]
  /** The ids of messages that their recipient has marked as read. */
  read: Set<string>
  /** Writes and sends at least so many on each bridge, then ends; in any case within this time. */
  stop: (atLeast: number, withinMs: number) => Promise<void>
}

/**
 * Writers wait for answers. Otherwise kills would meet one long backlog and none of the crash points around
 * its end.
 */
const mostAhead = 20

/** Numbered messages on every bridge, both ways, until it is stopped. */
export function startTraffic(input: {
  lines: LinkedBridge[]
  network: NetworkClient
  random: Random
  /** Where the API answers now that has this bridge. */
  api: (bridge: string) => string | undefined
  apiKey: string
  shape: Shape
  /** The bridges whose messages are marked as read, some of them. */
  followed: ReadonlySet<string>
  /** The arrivals at the customer's receiver; the list grows. */
  arrivals: Arrival[]
  /** Whether a message is done with, by its id in the network; by default, once it was delivered. */
  isDone?: (id: string) => boolean
}): Traffic {
  const { lines, network, random } = input
  const produced = new Map(lines.map(({ bridge }) => [bridge, [] as string[]]))
  const ids = new Map<string, string>()
  const late = new Set<string>()
  const sent: Sent[] = []
  const read = new Set<string>()
  let atLeast = Infinity
  let over = Infinity
  let sends = 0
  const delivered = tally(input.arrivals)
  const running = lines.flatMap((line) => [write(line), send(line), send(line)])

  function ahead(bridge: string, texts: string[]): number {
    const { isDone } = input
    if (!isDone) return texts.length - delivered(bridge)
    return texts.filter((text) => !isDone(ids.get(text)!)).length // each was taken with its id
  }

  async function write(line: LinkedBridge): Promise<void> {
    const { bridge } = line
    const texts = produced.get(bridge)!
    for (let n = 1; n <= atLeast && performance.now() < over; n++) {
      await writeOne(line, `in ${bridge} ${n}`, texts)
      await sleep(random.between(50, 450))
      while (ahead(bridge, texts) > mostAhead && performance.now() < over) await sleep(50)
    }
  }

  function took(texts: string[], text: string, { id }: { id: string }): void {
    texts.push(text)
    ids.set(text, id)
  }

  /**
   * A text to the owner or to the group; now and then a poll, and at once a vote on it; of real accounts
   * more.
   */
  async function writeOne(line: LinkedBridge, text: string, texts: string[]): Promise<void> {
    const { contact, owner, group } = line
    if (random.next() < 0.06) return await writeSpoilt(line, text, texts)
    const to = random.next() < 0.3 ? group : owner
    if (input.shape === "real" && random.next() < 0.4) return await writeMore(line, { to, text, texts })
    if (random.next() < 0.9) {
      took(texts, text, await network.send(contact, to, text))
      return
    }
    const poll = await network.post(contact, to, { poll: { question: text, options: ["yes", "no"] } })
    took(texts, text, poll)
    const vote = await network.post(contact, to, { vote: { message_id: poll.id, options: ["yes"] } })
    took(texts, `a vote on ${poll.id}`, vote)
  }

  /**
   * A text whose copy for the bridge the network spoils, and half of the time the next one too: only from its
   * second request on does a bridge name a prekey. Never to the group, whose key would be spoilt with it.
   */
  async function writeSpoilt(
    { contact, owner, device }: LinkedBridge,
    text: string,
    texts: string[],
  ): Promise<void> {
    late.add(text)
    const isOver = await network.fault({ kind: "unreadable", device, times: 1 })
    if (random.next() < 0.5) await network.fault({ kind: "unreadable_again", device, times: 1 })
    took(texts, text, await network.send(contact, owner, text))
    await isOver()
  }

  /** A file, an event message with an answer to it, or a text from the contact's companion. */
  async function writeMore(
    { contact, companion }: LinkedBridge,
    { to, text, texts }: { to: string; text: string; texts: string[] },
  ): Promise<void> {
    const roll = random.next()
    if (companion && roll < 0.4) {
      const one: Sent = { bridge: companion, text, status: 0, messageId: undefined, tries: 0 }
      await sendUnderKey(input, one, {
        chat: to,
        giveUp: () => performance.now() > over,
        waitMs: () => random.between(100, 500),
      })
      if (one.messageId !== undefined) took(texts, text, { id: one.messageId })
      return
    }
    if (roll < 0.7) {
      const media = { kind: "document", data: file, mimetype: "text/plain", caption: text } as const
      took(texts, text, await network.post(contact, to, { media }))
      return
    }
    const party = await network.post(contact, to, { event: { name: text, start: 2_000_000_000 } })
    took(texts, text, party)
    const answer = await network.post(contact, to, { rsvp: { message_id: party.id, response: "going" } })
    took(texts, `an answer to ${party.id}`, answer)
  }

  async function send(line: LinkedBridge): Promise<void> {
    const { bridge, contact, group } = line
    for (let n = 1; n <= atLeast && performance.now() < over; n++) {
      const one: Sent = {
        bridge,
        text: `out ${bridge} ${++sends}`,
        status: 0,
        messageId: undefined,
        tries: 0,
      }
      sent.push(one)
      const chat = random.next() < 0.3 ? group : contact
      await sendUnderKey(input, one, {
        chat,
        giveUp: () => performance.now() > over,
        waitMs: () => random.between(100, 500),
      })
      if (input.followed.has(bridge)) await readSome(line, one, chat === group ? group : undefined)
      await sleep(random.between(100, 900))
    }
  }

  /** The contact reads some of what they get. */
  async function readSome(
    { contact, owner }: LinkedBridge,
    one: Sent,
    group: string | undefined,
  ): Promise<void> {
    if (one.status !== 200 || one.messageId === undefined || random.next() < 0.5) return
    const about = { chat: group ?? owner, from: owner, message_ids: [one.messageId] }
    await network.call("POST", `/phones/${contact}/read`, about)
    read.add(one.messageId)
  }

  return {
    produced,
    ids,
    late,
    sent,
    read,
    stop: async (least, withinMs) => {
      atLeast = least
      over = performance.now() + withinMs
      await Promise.all(running)
    },
  }
}

/** Some kilobytes. */
const file = Buffer.from("a line of a file\n".repeat(500)).toString("base64")

/** The first bridge writes to its contact, who answers, so many times. */
export async function converse(
  { lines, network, apis, apiKey, receiver }: LinkedCluster,
  rounds: number,
): Promise<void> {
  const { bridge, contact } = lines[0]! // there is one
  const customer: Customer = { api: () => apis()[0], apiKey }
  await network.change(contact, { answers: true })
  let n = 0
  let after = 0
  while (n < rounds) {
    const one: Sent = { bridge, text: `round ${++n}`, status: 0, messageId: undefined, tries: 0 }
    await sendUnderKey(customer, one, { chat: contact, giveUp: () => false, waitMs: () => 100 })
    // Each turn is the other side's once: what it says next is of a new ratchet.
    const [answer] = await network.read(contact, { from: contact, text: one.text, after, wait: 10_000 })
    after = answer?.n ?? after
  }
  await network.change(contact, { answers: false })
  await receiver.until((arrivals) => arrivals.some(({ text }) => text === `round ${n}`))
}

/** How many messages of a bridge have come at least once. */
function tally(arrivals: Arrival[]): (bridge: string) => number {
  const texts = new Map<string, Set<string>>()
  let counted = arrivals.length
  return (bridge) => {
    for (; counted < arrivals.length; counted++) {
      const { bridge: its, text } = arrivals[counted]!
      if (text !== undefined) texts.set(its, (texts.get(its) ?? new Set()).add(text))
    }
    return texts.get(bridge)?.size ?? 0
  }
}
