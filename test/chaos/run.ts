import { setTimeout as sleep } from "node:timers/promises"
import type { Evidence } from "./evidence.ts"
import { newKiller } from "./killer.ts"
import type { Options } from "./options.ts"
import { judge, type Violation } from "./oracle.ts"
import { type Entry, followLog, phonesAt } from "./phones.ts"
import { seeded } from "./random.ts"
import { startReceiver } from "./receiver.ts"
import { newRecovery } from "./recovery.ts"
import { newAccount, newLine } from "./setup.ts"
import { untilSettled } from "./settled.ts"
import { type Line, startTraffic, type Traffic } from "./traffic.ts"
import { startWeather } from "./weather.ts"
import { startWorld, type World } from "./world.ts"

/** What a run gave. */
export interface Outcome {
  violations: Violation[]
  hits: { phase: string; blow: string; role: string }[]
  /** How often each phase was waited for: some do not come about in time. */
  tried: Map<string, number>
  in: number
  out: number
  /** Deliveries that came more than once, as they may: same id, same bytes, before anything newer. */
  repeated: number
  /** Messages that needed a retry receipt before somebody could read them. */
  healed: number
  /** Seconds from a host's death until each of its bridges was on the network again. */
  recovery: number[]
  /** Store faults by kind. */
  injected: Record<string, number>
}

/** One run of the whole service under blows. `say` hears how it goes. */
export async function run(options: Options, dir: string, say: (line: string) => void): Promise<Outcome> {
  const random = seeded(options.seed)
  const world = await startWorld(options, dir)
  const receiver = await startReceiver(seeded(options.seed + 1))
  try {
    return await runIn(world, { options, receiver, random, say })
  } finally {
    receiver.stop()
    await world.stop()
  }
}

type About = {
  options: Options
  receiver: Awaited<ReturnType<typeof startReceiver>>
  random: ReturnType<typeof seeded>
  say: (line: string) => void
}

async function runIn(world: World, { options, receiver, random, say }: About): Promise<Outcome> {
  const phones = phonesAt(world.simulator.controlUrl)
  const apiKey = await newAccount(options.bridges)
  const urls = () => world.api.living().map(({ ready }) => ready.url)
  const lines: Line[] = []
  for (let i = 1; i <= options.bridges; i++)
    lines.push(await newLine(`b${i}`, { phones, receiver, api: urls()[0]!, apiKey }))
  say(`${lines.length} bridges are linked`)

  const recovery = newRecovery(new Set(lines.map(({ device }) => device)))
  const network: Entry[] = []
  const log = followLog(phones, (entry) => {
    recovery.saw(entry)
    if (isTrouble(entry)) network.push(entry)
  })
  const traffic = startTraffic({
    lines,
    phones,
    random,
    apiKey,
    api: () => random.pick(urls()),
    delivered: (bridge) => receiver.count(bridge),
  })
  const killer = newKiller({
    random,
    receiver,
    phones,
    lines,
    steps: world.steps,
    room: world.room,
    beat: options.beat,
    living: {
      api: () => world.api.living().map(({ pid }) => pid),
      delivery: () => world.delivery.living().map(({ pid }) => pid),
      "session-host": () => [...world.hosts.pids().values()],
    },
    onHostKilled: (at) => recovery.hostKilled(at),
  })
  receiver.setFaulty(true)
  const weather = startWeather({ room: world.room, phones, lines, random, beat: options.beat })
  await sleep(1000)
  let said = 0
  while (killer.hits.length < options.kills) {
    await killer.strike()
    await sleep(random.between(0, options.beat))
    if (killer.hits.length >= said + 10) say(`${(said = killer.hits.length)} kills`)
  }

  await weather.stop()
  receiver.setFaulty(false)
  killer.release()
  say("the last blow has fallen: everything has to come to rest")
  const withinMs = 60_000 + 60 * options.beat
  await traffic.stop(options.messages, withinMs)
  const unsettled = await untilSettled({ lines, receiver, phones, produced: traffic.produced, withinMs })
  await log.stop()
  const { owners, injected } = await world.room.report()
  const shown = new Map<string, Awaited<ReturnType<typeof phones.read>>>()
  for (const { bridge, contact, owner } of lines)
    shown.set(
      bridge,
      (await phones.read(contact)).filter(({ from }) => from === owner),
    )

  const evidence: Evidence = {
    bridges: lines.map(({ bridge }) => bridge),
    produced: traffic.produced,
    arrivals: receiver.arrivals,
    sent: traffic.sent,
    shown,
    unreadable: unreadable(network),
    owners,
    unsettled,
    stoppedAttempts: killer.stoppedAttempts.map(({ bridgeId, ...stop }) => ({
      bridge: lines.find(({ id }) => id === bridgeId)?.bridge ?? "",
      ...stop,
    })),
  }
  return {
    violations: judge(evidence),
    hits: killer.hits,
    tried: killer.tried,
    in: total(traffic),
    out: traffic.sent.length,
    repeated: repeated(evidence),
    healed: network.length,
    recovery: recovery.seconds,
    injected,
  }
}

/** Somebody could not read something: phones say so in a note, bridges in a refusal or a retry receipt. */
function isTrouble({ event, stanza, kind, who }: Entry): boolean {
  if (event === "not decrypted" || event?.startsWith("phone failed")) return true
  if (kind !== "in" || who.endsWith(":0") || !stanza) return false
  const { tag, attrs } = stanza
  return (tag === "ack" && attrs.error !== undefined) || (tag === "receipt" && attrs.type === "retry")
}

function unreadable(network: Entry[]): string[] {
  return network.map(
    ({ at, who, event, detail, stanza }) =>
      `${new Date(at).toISOString()} ${who}: ${event ?? ""} ${JSON.stringify(detail ?? stanza)}`,
  )
}

function total({ produced }: Traffic): number {
  return produced.values().reduce((sum, texts) => sum + texts.length, 0)
}

function repeated({ arrivals }: Evidence): number {
  return arrivals.length - new Set(arrivals.map(({ eventId }) => eventId)).size
}
