import { setTimeout as sleep } from "node:timers/promises"
import type { NetworkClient } from "#one-machine/network/client.ts"
import type { Random } from "#test/support/random.ts"
import type { Traffic } from "../chaos/traffic.ts"
import { sendUnderKey, type Sent } from "../cluster/keyed-send.ts"
import type { LinkedBridge } from "../cluster/linked-cluster.ts"
import type { Program } from "./program.ts"

/** A number that moves: two people write to it, in their chats with it and in a group of all three. */
export interface Line extends LinkedBridge {
  friend: string
}

/** Who sends for a number now: the old gateway, or the service at this address. */
export type Home = { program: Program } | { service: () => string | undefined }

export interface MoveTraffic extends Traffic {
  /** Who has written each text, as numbers. */
  authors: Map<string, string>
  /** What was sent by the old gateway. Without an answer, nobody knows whether it was. */
  before: Sent[]
  /** Resolves once a number is in the middle of a send by its gateway, or has been for a while. */
  midSend: () => Promise<void>
}

interface Input {
  lines: Line[]
  network: NetworkClient
  random: Random
  apiKey: string
  /** Undefined while a number is on its way. */
  homeOf: (bridge: string) => Home | undefined
  /** Whether somebody has a message, by its id. */
  isDone: (id: string) => boolean
}

/** So many messages may wait for a number, or its move would meet one long backlog. */
const mostAhead = 25

/** Numbered texts for each number: to it and from it, direct and in its group, until it is stopped. */
export function startTraffic(input: Input): MoveTraffic {
  const { lines, network, random, apiKey, homeOf, isDone } = input
  const produced = new Map(lines.map(({ bridge }) => [bridge, [] as string[]]))
  const ids = new Map<string, string>()
  const authors = new Map<string, string>()
  const [before, sent]: [Sent[], Sent[]] = [[], []]
  const end = { atLeast: Infinity, overMs: Infinity }
  const isOver = () => performance.now() > end.overMs
  const { inTurn, midSend } = sendsBefore()

  async function write({ bridge, contact, friend, owner, group }: Line): Promise<void> {
    const texts = produced.get(bridge)! // made above
    const ahead = () => texts.filter((text) => !isDone(ids.get(text)!)).length // each was taken with its id
    for (let n = 1; n <= end.atLeast && !isOver(); n++) {
      const text = `in ${bridge} ${n}`
      const from = random.pick([contact, friend])!
      const { id } = await network.send(from, random.next() < 0.4 ? group : owner, text)
      ids.set(text, id)
      authors.set(text, from)
      texts.push(text)
      await sleep(random.between(50, 450))
      while (ahead() > mostAhead && !isOver()) await sleep(50)
    }
  }

  /** One after the other in each chat, so that their order can be judged. */
  async function send({ bridge }: Line, chat: string, where: string): Promise<void> {
    for (let n = 1; n <= end.atLeast && !isOver(); n++) {
      let home = homeOf(bridge)
      for (; !home && !isOver(); home = homeOf(bridge)) await sleep(50)
      if (!home) return
      const text = `out ${bridge} ${where} ${n}`
      const one: Sent = { bridge, text, status: 0, messageId: undefined, tries: 0 }
      if ("program" in home) {
        before.push(one)
        await inTurn(one, chat, home.program)
      } else {
        sent.push(one)
        const customer = { api: home.service, apiKey }
        await sendUnderKey(customer, one, { chat, giveUp: isOver, waitMs: () => random.between(100, 500) })
      }
      await sleep(random.between(100, 700))
    }
  }

  const running = lines.flatMap((line) => [
    write(line),
    send(line, line.contact, "direct"),
    send(line, line.group, "group"),
  ])
  return {
    produced,
    ids,
    authors,
    sent,
    before,
    late: new Set(),
    read: new Set(),
    midSend,
    stop: async (least, withinMs) => {
      end.atLeast = least
      end.overMs = performance.now() + withinMs
      await Promise.all(running)
    },
  }
}

/** What old programs send: one thing at a time, since Baileys writes over a session that two sends change. */
function sendsBefore() {
  const turns = new Map<string, Promise<void>>()
  let sending = Promise.withResolvers<void>()
  return {
    inTurn: async (one: Sent, chat: string, program: Program): Promise<void> => {
      const before = turns.get(one.bridge)
      const mine = (async () => {
        await before
        sending.resolve()
        await sendBefore(one, chat, program)
      })()
      turns.set(one.bridge, mine)
      await mine
    },
    midSend: async (): Promise<void> => {
      sending = Promise.withResolvers<void>()
      await Promise.race([sending.promise, sleep(2000)])
    },
  }
}

async function sendBefore(one: Sent, chat: string, program: Program): Promise<void> {
  one.tries++
  try {
    one.messageId = await program.send(one.bridge, chat, one.text)
    one.status = 200
  } catch {
    // It was killed meanwhile. Whoever asked does not know, and does not ask again.
  }
}
