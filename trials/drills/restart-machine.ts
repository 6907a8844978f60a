import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { type Entry, type NetworkClient, networkClient } from "#one-machine/network/client.ts"
import { spawnSimulator } from "#simulator/spawn.ts"
import { quantile } from "#test/support/quantile.ts"
import { start as startService } from "#test/support/service/killable-service.ts"
import { type Arrival, startReceiver } from "#test/support/service/start-receiver.ts"
import { until } from "#test/support/until.ts"
import { followNetworkLog } from "../cluster/follow-network-log.ts"
import { type Customer, sendUnderKey } from "../cluster/keyed-send.ts"
import type { LinkedBridge } from "../cluster/linked-cluster.ts"
import { newLines } from "../restore/surroundings.ts"
import { withinMs } from "./service.ts"

/**
 * How the whole service ends: what it is sent, and how long after each bridge had a message of this start, in
 * ms.
 */
export interface End {
  signal: "SIGTERM" | "SIGKILL"
  afterMs: number
}

interface Input {
  bridges: number
  dir: string
  /** How many messages a second come in over all bridges, and as many go out. */
  eachS: number
  ends: End[]
}

/**
 * The whole service on one machine ends and is started again on its data, time after time, while a contact
 * writes to each of its numbers.
 * @returns how long the stops and starts took, how long bridges were without a session, and what became of
 * the messages
 */
export async function restartMachine({ bridges, dir, eachS, ends }: Input) {
  mkdirSync(join(dir, "logs"))
  const simulator = await spawnSimulator({ dataDir: dir, controlPort: 0 })
  if (!simulator) throw new Error(`the simulated network did not start: ${dir}/logs/simulator.log`)
  const receiver = await startReceiver()
  const network = networkClient(simulator)
  const seen: Entry[] = []
  const log = followNetworkLog(network, (entry) => seen.push(entry))
  const output = join(dir, "logs", "service.out")
  // In the time of production.
  const start = async () => await startService(simulator, { dataDir: dir, beat: 5000, output })
  let service = await start()
  try {
    const apiKey = await service.newAccount(bridges)
    const api = service.baseUrl
    const lines = await newLines(bridges, { network, receiver }, { api, apiKey })

    const customer = { api: () => service.baseUrl, apiKey }
    const { texts, sent, stop } = startTraffic(lines, { network, customer, eachS })
    const arrived = async (wanted: string[]) => {
      const what = { what: "all messages", withinMs }
      await until(
        () => new Set(wanted).difference(new Set(receiver.arrivals.map(({ text }) => text))).size === 0,
        what,
      )
    }

    const [stops, starts, seconds]: [number[], number[], number[]] = [[], [], []]
    for (const { signal, afterMs } of ends) {
      const written = texts.length
      await until(() => texts.length >= written + lines.length, { what: "more messages", withinMs })
      await arrived(texts.slice(written, written + lines.length))
      await sleep(afterMs)
      const from = seen.length
      const stopAt = performance.now()
      await service.kill(signal)
      const startAt = performance.now()
      service = await start()
      stops.push((startAt - stopAt) / 1000)
      starts.push((performance.now() - startAt) / 1000)
      seconds.push(...(await Promise.all(lines.map(async (line) => await awayFor(line, seen, from)))))
    }
    await stop()
    // What is missing now is counted below.
    await arrived(texts).catch(() => {})
    return {
      bridges,
      ends: ends.length,
      stop_s: quantile(stops, 0.5),
      start_s: quantile(starts, 0.5),
      without_session_p50_s: quantile(seconds, 0.5),
      without_session_max_s: Math.max(...seconds),
      ...(await becameOf({ texts, sent }, lines, { network, arrivals: receiver.arrivals })),
    }
  } finally {
    await service.kill("SIGTERM")
    await log.stop()
    await receiver.stop()
    await simulator.stop()
  }
}

interface Surroundings {
  network: NetworkClient
  customer: Customer
  eachS: number
}

/** Each contact writes to its bridge, and each bridge to its contact, until it is stopped. */
function startTraffic(lines: LinkedBridge[], { network, customer, eachS }: Surroundings) {
  const [texts, sent]: [string[], string[]] = [[], []]
  const ending = new AbortController()
  const pause = async () =>
    await sleep((lines.length / eachS) * 1000, undefined, { signal: ending.signal }).catch(ended)
  const write = async ({ contact, owner, bridge }: LinkedBridge) => {
    for (let n = 1; !ending.signal.aborted; n++) {
      const text = `${bridge}, ${n}`
      await network.send(contact, owner, text)
      texts.push(text)
      await pause()
    }
  }
  /** Sends one after the other, each until it is answered with success, under the same key. */
  const send = async ({ contact: chat, bridge }: LinkedBridge) => {
    for (let n = 1; !ending.signal.aborted; n++) {
      const one = { bridge, text: `out of ${bridge}, ${n}`, status: 0, messageId: undefined, tries: 0 }
      const endMs = Date.now() + withinMs
      await sendUnderKey(customer, one, { chat, giveUp: () => Date.now() > endMs, waitMs: () => 100 })
      if (one.status !== 200) throw new Error(`${one.text}: ${one.status}`)
      sent.push(one.text)
      await pause()
    }
  }
  const sending = Promise.all(lines.map(async (line) => await send(line)))
  const writing = Promise.all(lines.map(async (line) => await write(line)))
  return {
    /** What was written to bridges, and what was sent by them. */
    texts,
    sent,
    stop: async () => {
      ending.abort()
      await Promise.all([writing, sending])
    },
  }
}

/** What became of the messages: how many came, and how many not, twice or out of order. */
async function becameOf(
  { texts, sent }: { texts: string[]; sent: string[] },
  lines: LinkedBridge[],
  { network, arrivals }: { network: NetworkClient; arrivals: Arrival[] },
) {
  const events = new Set(arrivals.map(({ text, eventId }) => `${text} ${eventId}`))
  const eventsOf = Map.groupBy(events, (event) => event.slice(0, event.lastIndexOf(" ")))
  const read = (await Promise.all(lines.map(({ contact }) => network.readAll(contact)))).flat()
  const readOf = Map.groupBy(read, ({ text }) => text)
  return {
    messages: texts.length,
    sends: sent.length,
    lost: [...texts.filter((text) => !eventsOf.has(text)), ...sent.filter((text) => !readOf.has(text))]
      .length,
    doubled: [
      ...texts.filter((text) => eventsOf.get(text)!.length > 1),
      ...sent.filter((text) => readOf.get(text)!.length > 1),
    ].length,
    reordered: lines.filter((line) => !isInOrder(line, arrivals)).length,
  }
}

/**
 * Whether a bridge's messages came in the order in which they were written. Those that came again do not
 * count.
 */
function isInOrder({ bridge }: LinkedBridge, arrivals: { text?: string | undefined }[]): boolean {
  const [of, numbers] = [`${bridge}, `, new Set<number>()]
  for (const { text } of arrivals) if (text?.startsWith(of)) numbers.add(Number(text.slice(of.length)))
  return [...numbers].every((n, i) => n === i + 1)
}

/** The seconds from the end of the bridge's connection until the network heard from it again. */
async function awayFor({ device }: LinkedBridge, seen: Entry[], from: number): Promise<number> {
  const find = async (what: string, isIt: (entry: Entry) => boolean) =>
    await until(() => seen.slice(from).find((entry) => entry.who === device && isIt(entry)), {
      what: `${device} ${what}`,
      withinMs,
    })
  const gone = await find("gone", ({ event }) => event === "disconnected")
  const back = await find("back", ({ kind, at }) => kind === "in" && at > gone.at)
  return (back.at - gone.at) / 1000
}

function ended(): void {
  // Nothing more is written.
}
