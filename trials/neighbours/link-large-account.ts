import { readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { z } from "zod"
import { startReceiver } from "#test/support/service/start-receiver.ts"
import type { Options } from "./options.ts"
import type { Street } from "./street.ts"

/** A question to the host so often: what it waits for an answer says for how long the host did nothing. */
const askEachMs = 100
/** Bridges of an account. */
const bridgesOfAccount = 10
/** The targets, in ms. */
const targets = { usableMs: 60_000, lateMs: 2000 }

/** Neighbours have traffic while a large account is linked at their host. */
export async function linkLargeAccount(street: Street, options: Options) {
  const { service, bully } = street
  const receiver = await startReceiver()
  try {
    const neighbours = await linkNeighbours(street, options.neighbours, receiver.urlOf("street"))
    const large = await service.network.create("Large")
    const numbers = await street.addressBook(large.number, options.contacts)
    await service.network.chats(large.number, { people: numbers.slice(0, options.chats), messages: 3 })
    await service.network.fault({ kind: "files", device: `${large.number}:1` })
    await bully.bridge("large", { webhook_url: receiver.urlOf("large") })

    const end = await street.slowDown(options.share)
    const traffic = startTraffic(street, neighbours, 1000 * options.each)
    await sleep(options.seconds * 1000)
    const quiet = traffic.take(receiver.arrivals)
    const linkedAt = performance.now()
    await bully.linkTo("large", large.number)
    const connectedMs = performance.now() - linkedAt
    const usableMs = await usableAfter(street, linkedAt)
    // The rest of the address book is read meanwhile.
    await sleep(options.linking * 1000 - (performance.now() - linkedAt))
    const known_share = await knownShare(street, numbers)
    const linking = traffic.take(receiver.arrivals)
    traffic.stop()
    await end()
    const missed = beatsMissed(service.dataDir)
    const isWell = missed === 0 && linking.latestMs < targets.lateMs && usableMs < targets.usableMs
    const [connected_s, usable_s] = [connectedMs, usableMs].map(inSeconds)
    return { isWell, quiet, linking, connected_s, usable_s, known_share, beats_missed: missed }
  } finally {
    await receiver.stop()
  }
}

export interface Neighbour {
  number: string
  friend: string
}

/** Links so many bridges, ten of an account. */
export async function linkNeighbours({ service }: Street, count: number, url: string): Promise<Neighbour[]> {
  const found: Neighbour[] = []
  while (found.length < count) {
    const customer = await service.customer("street", { bridges: bridgesOfAccount })
    for (let i = 0; i < bridgesOfAccount && found.length < count; i++) {
      const [own, friend] = [await service.network.create(), await service.network.create()]
      await customer.linked(`shop-${i}`, own.number, { webhook_url: url })
      found.push({ number: own.number, friend: friend.number })
    }
  }
  return found
}

/** Messages for each neighbour, one each `eachMs`, and questions to their host. */
export function startTraffic({ service, neighbour }: Street, neighbours: Neighbour[], eachMs: number) {
  const { network } = service
  const sent = new Map<string, number>()
  let longestMs = 0
  let count = 0
  // One after the other, or all would be written to at the same moment.
  const writing = setInterval(() => {
    const { number, friend } = neighbours[count % neighbours.length]! // there are some
    const text = `message ${count++}`
    sent.set(text, Date.now())
    void network.send(friend, number, text)
  }, eachMs / neighbours.length)
  const asking = setInterval(() => {
    const start = performance.now()
    neighbour
      .call("GET", "/instances/shop/proxy/healthz")
      .then((answer) => answer.body?.cancel())
      .then(() => (longestMs = Math.max(longestMs, performance.now() - start)))
      .catch(() => (longestMs = Infinity))
  }, askEachMs)
  return {
    /**
     * Measures since the last time: how late the latest event was, how many came, and the longest that the
     * host kept a caller waiting.
     */
    take(arrivals: { text: string | undefined; at: number }[]) {
      const at = new Map(arrivals.map((one) => [one.text, one.at]))
      const waits = [...sent].map(([text, since]) => (at.get(text) ?? Date.now()) - since)
      sent.clear()
      const measured = {
        messages: waits.length,
        latestMs: Math.max(...waits),
        longestAnswerMs: Math.round(longestMs),
      }
      longestMs = 0
      return measured
    },
    stop() {
      for (const timer of [writing, asking]) clearInterval(timer)
    },
  }
}

/** It can send. */
async function usableAfter({ bully, chat }: Street, since: number): Promise<number> {
  for (;;) {
    const answer = await bully.call("POST", "/instances/large/proxy/send/text", { chat, body: "hello" })
    await answer.body?.cancel()
    if (answer.ok) return performance.now() - since
    await sleep(500)
  }
}

/** How much of its address book can be asked for, as a share: looked at in a hundred places. */
async function knownShare({ bully }: Street, numbers: string[]): Promise<number> {
  const step = Math.ceil(numbers.length / 100)
  const looked = numbers.filter((_, n) => n % step === 0)
  const known = await Promise.all(looked.map((number) => isKnown(bully, number)))
  return known.filter((is) => is).length / looked.length
}

async function isKnown(bully: Street["bully"], number: string): Promise<boolean> {
  const answer = await bully.call("GET", `/instances/large/proxy/contacts/${number}`)
  if (answer.ok) return Contact.parse(await answer.json()).full_name !== ""
  await answer.body?.cancel()
  return false
}

/** A person outside the address book may be a contact, too, and has no name. */
const Contact = z.object({ full_name: z.string() })

function beatsMissed(dataDir: string): number {
  const log = readFileSync(join(dataDir, "logs/session-host.log"), "utf8")
  return log
    .split("\n")
    .filter((line) => /a beat was not answered|no beat was answered|stood still/.test(line)).length
}

function inSeconds(ms: number): number {
  return Number((ms / 1000).toFixed(1))
}
