import { setTimeout as sleep } from "node:timers/promises"
import type { NetworkClient } from "#one-machine/network/client.ts"
import type { Random } from "#test/support/random.ts"
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

interface Input {
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
}

/** When it ends: infinite, until it is stopped. */
interface End {
  atLeast: number
  /** On this process's clock. */
  overMs: number
}

const isOver = ({ overMs }: End) => performance.now() > overMs

/** Numbered messages on every bridge, both ways, until it is stopped. */
export function startTraffic(input: Input): Traffic {
  const end: End = { atLeast: Infinity, overMs: Infinity }
  const { write, ...written } = newContacts(input, end)
  const { send, ...sent } = newCustomers(input, end)
  const running = input.lines.flatMap((line) => [write(line), send(line), send(line)])
  return {
    ...written,
    ...sent,
    stop: async (least, withinMs) => {
      end.atLeast = least
      end.overMs = performance.now() + withinMs
      await Promise.all(running)
    },
  }
}

/** Those who write to bridges. */
function newContacts(input: Input, end: End) {
  const { lines, random, isDone } = input
  const produced = new Map(lines.map(({ bridge }) => [bridge, [] as string[]]))
  const ids = new Map<string, string>()
  const late = new Set<string>()
  const delivered = tally(input.arrivals)

  function took({ bridge }: LinkedBridge, text: string, { id }: { id: string }): void {
    produced.get(bridge)!.push(text)
    ids.set(text, id)
  }

  function ahead({ bridge }: LinkedBridge): number {
    const texts = produced.get(bridge)!
    if (!isDone) return texts.length - delivered(bridge)
    return texts.filter((text) => !isDone(ids.get(text)!)).length // each was taken with its id
  }

  const writing: Writing = { ...input, end, late, took }
  async function write(line: LinkedBridge): Promise<void> {
    for (let n = 1; n <= end.atLeast && !isOver(end); n++) {
      await writeOne(writing, line, `in ${line.bridge} ${n}`)
      await sleep(random.between(50, 450))
      while (ahead(line) > mostAhead && !isOver(end)) await sleep(50)
    }
  }

  return { produced, ids, late, write }
}

interface Writing extends Input {
  end: End
  late: Set<string>
  /** The network has taken this text to the bridge. */
  took: (line: LinkedBridge, text: string, taken: { id: string }) => void
}

/**
 * A text to the owner or to the group; now and then a poll, and at once a vote on it; of real accounts more.
 */
async function writeOne(writing: Writing, line: LinkedBridge, text: string): Promise<void> {
  const { network, random, shape, took } = writing
  const { contact, owner, group } = line
  if (random.next() < 0.06) return await writeSpoilt(writing, line, text)
  const to = random.next() < 0.3 ? group : owner
  if (shape === "real" && random.next() < 0.4) return await writeMore(writing, line, { to, text })
  if (random.next() < 0.9) {
    took(line, text, await network.send(contact, to, text))
    return
  }
  const poll = await network.post(contact, to, { poll: { question: text, options: ["yes", "no"] } })
  took(line, text, poll)
  const vote = await network.post(contact, to, { vote: { message_id: poll.id, options: ["yes"] } })
  took(line, `a vote on ${poll.id}`, vote)
}

/**
 * A text whose copy for the bridge the network spoils, and half of the time the next one too: only from its
 * second request on does a bridge name a prekey. Never to the group, whose key would be spoilt with it.
 */
async function writeSpoilt(
  { network, random, late, took }: Writing,
  line: LinkedBridge,
  text: string,
): Promise<void> {
  const { contact, owner, device } = line
  late.add(text)
  const endSpoiling = await network.fault({ kind: "unreadable", device, times: 1 })
  if (random.next() < 0.5) await network.fault({ kind: "unreadable_again", device, times: 1 })
  took(line, text, await network.send(contact, owner, text))
  await endSpoiling()
}

/** A file, an event message with an answer to it, or a text from the contact's companion. */
async function writeMore(
  writing: Writing,
  line: LinkedBridge,
  { to, text }: { to: string; text: string },
): Promise<void> {
  const { network, random, took } = writing
  const { contact, companion } = line
  const roll = random.next()
  if (companion && roll < 0.4) {
    const one: Sent = { bridge: companion, text, status: 0, messageId: undefined, tries: 0 }
    await sendUnderKey(writing, one, { chat: to, ...patience(writing, writing.end) })
    if (one.messageId !== undefined) took(line, text, { id: one.messageId })
    return
  }
  if (roll < 0.7) {
    const media = { kind: "document", data: file, mimetype: "text/plain", caption: text } as const
    took(line, text, await network.post(contact, to, { media }))
    return
  }
  const party = await network.post(contact, to, { event: { name: text, start: 2_000_000_000 } })
  took(line, text, party)
  const answer = await network.post(contact, to, { rsvp: { message_id: party.id, response: "going" } })
  took(line, `an answer to ${party.id}`, answer)
}

/** How long a customer repeats a send, and how often. */
const patience = ({ random }: Input, end: End) => ({
  giveUp: () => isOver(end),
  waitMs: () => random.between(100, 500),
})

/** Those who send through bridges, and their contacts, who read some of it. */
function newCustomers(input: Input, end: End) {
  const { network, random, followed } = input
  const sent: Sent[] = []
  const read = new Set<string>()
  let sends = 0

  async function send(line: LinkedBridge): Promise<void> {
    const { bridge, contact, group } = line
    for (let n = 1; n <= end.atLeast && !isOver(end); n++) {
      const one: Sent = {
        bridge,
        text: `out ${bridge} ${++sends}`,
        status: 0,
        messageId: undefined,
        tries: 0,
      }
      sent.push(one)
      const chat = random.next() < 0.3 ? group : contact
      await sendUnderKey(input, one, { chat, ...patience(input, end) })
      if (followed.has(bridge)) await readSome(line, one, chat === group ? group : undefined)
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

  return { sent, read, send }
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
