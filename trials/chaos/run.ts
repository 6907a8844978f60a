import { setTimeout as sleep } from "node:timers/promises"
import { EventType } from "#contract/event.ts"
import { Delivery } from "#core/event/delivery.ts"
import { EventLists } from "#core/event/event-lists.ts"
import { EventRow } from "#core/event/event-row.ts"
import type { Receiver } from "#core/event/receiver.ts"
import type { Entry } from "#one-machine/network/client.ts"
import { type Random, seeded } from "#test/support/random.ts"
import { accountPath, eventsIn } from "#test/support/service/start-receiver.ts"
import { followNetworkLog, inWords } from "../cluster/follow-network-log.ts"
import { type LinkedBridge, type LinkedCluster, startLinkedCluster } from "../cluster/linked-cluster.ts"
import { shownBy } from "../restore/seen.ts"
import { newComingAndGoing } from "./coming-and-going.ts"
import type { Evidence, Seen } from "./evidence.ts"
import { type Killer, newKiller, type StoppedAttempt } from "./killer.ts"
import { largestRows } from "./largest-rows.ts"
import type { Options } from "./options.ts"
import { judge, type Violation } from "./oracle.ts"
import { type ReceiverFaults, newReceiverFaults } from "./receiver-faults.ts"
import { newRecovery } from "./recovery.ts"
import { untilSettled } from "./settled.ts"
import { converse, startTraffic, type Traffic } from "./traffic.ts"
import { transcriptsOf } from "./transcripts.ts"
import { isReuse, newUndecryptable } from "./undecryptable.ts"
import { startWeather } from "./weather.ts"

/** The outcome of a run. */
export interface Outcome {
  violations: Violation[]
  hits: { point: string; blow: string; role: string }[]
  /** How often each crash point was waited for: some do not come about in time. */
  tried: Map<string, number>
  in: number
  out: number
  /** Deliveries that came more than once, as they may: same id, same bytes, before anything newer. */
  repeated: number
  /** Deliveries of events that had been given up. */
  sentAgain: number
  /** Events that were refused while others were taken, and are undelivered. */
  left: number
  /** Copies of messages that bridges have asked for, since the network had spoilt the one before. */
  askedAgain: number
  /** Seconds from a host's death until each of its bridges was on the network again. */
  recovery: number[]
  /** The largest row of a session, in bytes. */
  largestRow: number
  /** Store faults by kind. */
  injected: Record<string, number>
}

/** One run of the whole service under blows. `say` hears how it goes. */
export async function run(options: Options, dir: string, say: (line: string) => void): Promise<Outcome> {
  const newFaults = options.healing ? newComingAndGoing : newReceiverFaults
  const receiverFaults = newFaults(seeded(options.seed + 1))
  const service = await startLinkedCluster(
    { ...options, hasAccountWebhook: true },
    { dir, usually: receiverFaults.answer },
  )
  say(`${service.lines.length} bridges are linked`)
  try {
    return await strikeAt(service, { options, receiverFaults, say })
  } finally {
    await service.stop()
  }
}

const longestWaitMs = Delivery.longestWait * 1000

interface About {
  options: Options
  receiverFaults: ReceiverFaults
  say: (line: string) => void
}

async function strikeAt(service: LinkedCluster, { options, receiverFaults, say }: About): Promise<Outcome> {
  const random = seeded(options.seed)
  if (options.shape === "real") {
    await converse(service, options.rounds)
    say(`the first bridge has a conversation of ${options.rounds} round trips behind it`)
  }
  const { cluster, receiver, network, lines, apis, apiKey } = service
  const choices = await chooseForSome(service, options)
  const seen = watch(service)
  const traffic = startTraffic({
    lines,
    network,
    random,
    apiKey,
    api: () => random.pick(apis()),
    followed: choices.followed,
    shape: options.shape,
    arrivals: receiver.arrivals,
  })
  const hosts = () => [...cluster.hosts.pids().values()]
  const killer = newKiller({
    random,
    receiver: receiverFaults,
    network,
    lines,
    steps: cluster.steps,
    room: cluster.room,
    beat: options.beat,
    living: {
      api: () => cluster.api.living().map(({ pid }) => pid),
      delivery: () => cluster.delivery.living().map(({ pid }) => pid),
      "session-host": hosts,
    },
    nextEvent,
    onHostKilled: (at) => seen.recovery.hostKilled(at),
  })
  receiverFaults.setFaulty(true)
  const weather = startWeather({ room: cluster.room, network, lines, hosts, random, beat: options.beat })
  await sleep(1000)
  await strikeAgain(killer, { options, random, say })
  await weather.stop()
  receiverFaults.setFaulty(false)
  killer.release()
  const isAtRest = killer.hits.length < options.kills
  say(
    isAtRest
      ? `after ${killer.hits.length} kills there is no work in flight any more`
      : "the last blow has fallen: now everything has to come to rest",
  )
  await traffic.stop(options.messages, withinMs(options))
  const parts = { options, receiverFaults, choices, seen, traffic, killer }
  const { evidence, injected } = await comeToRest(service, parts)
  if (isAtRest) evidence.unsettled.unshift("the service came to rest under traffic")
  return {
    violations: judge(evidence),
    hits: killer.hits,
    tried: killer.tried,
    in: total(traffic),
    out: traffic.sent.length,
    repeated: repeated(evidence),
    sentAgain: evidence.arrivals.filter((one) => one.isResend && !evidence.refused.has(one)).length,
    left: evidence.undelivered?.length ?? 0,
    askedAgain: seen.undecryptable.asked(),
    recovery: seen.recovery.seconds,
    largestRow: Math.max(...evidence.rows.map(({ bytes }) => bytes)),
    injected,
  }
}

/** How long it may take until something happens, in milliseconds. */
const withinMs = ({ beat }: Options) => 60_000 + 60 * beat

/**
 * Some customers want to know what becomes of messages, beside everything else; some want messages kept, and
 * some both.
 */
async function chooseForSome({ lines, api }: LinkedCluster, { webhooks }: Options) {
  const followed = new Set(lines.filter((_, i) => i % 2 === 0).map(({ bridge }) => bridge))
  const keeping = webhooks > 1 ? lines.filter((_, i) => i % 3 < 2) : []
  const choose = async (bridge: string, choice: object) =>
    await api()("PATCH", `/instances/${bridge}`, choice)
  for (const bridge of followed) await choose(bridge, { events: EventType.options })
  for (const { bridge } of keeping) await choose(bridge, { keep: 7 })
  return { followed, keeping }
}

/** What the network sees from now on. */
function watch({ network, lines }: LinkedCluster) {
  const recovery = newRecovery(new Set(lines.map(({ device }) => device)))
  const undecryptable = newUndecryptable()
  const reused: Entry[] = []
  const log = followNetworkLog(network, (entry) => {
    if (isReuse(entry)) reused.push(entry)
    recovery.saw(entry)
    undecryptable.saw(entry)
  })
  return { recovery, undecryptable, reused, log }
}

/** Until there were enough hits, or there is no work in flight any more. */
async function strikeAgain(
  killer: Killer,
  { options, random, say }: Pick<About, "options" | "say"> & { random: Random },
): Promise<void> {
  let said = 0
  let lastHitAt = performance.now()
  while (killer.hits.length < options.kills && performance.now() < lastHitAt + withinMs(options)) {
    const { length } = killer.hits
    await killer.strike()
    await sleep(random.between(0, options.beat))
    if (killer.hits.length > length) lastHitAt = performance.now()
    if (killer.hits.length >= said + 10) say(`${(said = killer.hits.length)} kills`)
  }
}

interface ChaosParts extends Omit<About, "say"> {
  choices: Awaited<ReturnType<typeof chooseForSome>>
  seen: ReturnType<typeof watch>
  traffic: Traffic
  killer: Killer
}

/** Waits until nothing is under way, but not for ever. @returns what was seen until then */
async function comeToRest(
  { cluster, receiver, network, lines, api }: LinkedCluster,
  { options, receiverFaults, choices, seen, traffic, killer }: ChaosParts,
): Promise<{ evidence: Evidence; injected: Outcome["injected"] }> {
  // Each webhook of a bridge is to get what was written to the bridge.
  const produced = new Map(
    lines.flatMap((line) =>
      [line.bridge, ...line.webhooks].map((name) => [name, traffic.produced.get(line.bridge) ?? []] as const),
    ),
  )
  // A dead receiver that lives again may be tried again after three minutes.
  const comesBack = options.webhooks > 1 || options.healing
  const patienceMs = comesBack ? withinMs(options) + longestWaitMs : withinMs(options)
  const unsettled = await untilSettled({ lines, receiver, network, produced, withinMs: patienceMs })
  await seen.log.stop()
  const { owners, injected } = await cluster.room.report()
  const shown = await shownBy(network, lines)
  const refused = new Set<Seen>()
  const final = new Set<Seen>()
  const arrivals = receiver.arrivals.flatMap((arrival) => {
    const isResend = arrival.headers["x-webhook-resend"] === "true"
    const events = eventsIn(arrival).map((event) => ({ ...event, isResend }))
    if (receiverFaults.refused.has(arrival)) for (const event of events) refused.add(event)
    if (receiverFaults.final.has(arrival)) for (const event of events) final.add(event)
    return events
  })
  const kept = choices.keeping.map(async (line) => [line.bridge, await transcriptsOf(line, api())] as const)
  const evidence: Evidence = {
    bridges: [...produced.keys()],
    produced,
    arrivals,
    refused,
    final,
    undelivered: (await Promise.all(lines.map(undeliveredOf))).flat(),
    sent: traffic.sent,
    followed: choices.followed,
    read: traffic.read,
    ids: traffic.ids,
    kept: new Map(await Promise.all(kept)),
    shown,
    unreadable: seen.undecryptable.entries.map(inWords),
    keysReused: seen.reused.map(inWords),
    late: traffic.late,
    owners,
    rows: await largestRows(lines),
    unsettled,
    stoppedAttempts: await withEventIds(killer.stoppedAttempts),
  }
  return { evidence, injected }
}

/** As the store says now, or does not: then no attempt is excused. */
async function nextEvent(id: Receiver.Id): Promise<number> {
  const delivery = await Delivery.get(id).catch(() => undefined)
  return (delivery?.head ?? -1) + 1
}

/** Their events by id; without those that were never written. */
/** What the webhooks of a bridge, and its account's, have given up and not sent since. */
async function undeliveredOf({ bridge, id }: LinkedBridge): Promise<NonNullable<Evidence["undelivered"]>> {
  const all = (await Delivery.ofBridge(id)).map(async (one) => {
    const name = new URL(one.receiver.url).pathname.slice(1)
    const asked = { state: "undelivered", after: 0, limit: Infinity } as const
    return (await EventLists.page(one, asked)).map(({ eventId }) => {
      return { bridge: name === accountPath ? `${bridge}-${accountPath}` : name, eventId }
    })
  })
  return (await Promise.all(all)).flat()
}

async function withEventIds(stops: StoppedAttempt[]): Promise<Evidence["stoppedAttempts"]> {
  const found = stops.map(async ({ bridgeId, n, at, until }) => {
    const event = await EventRow.get(bridgeId, await n)
    return event ? [{ eventId: event.eventId, at, until }] : []
  })
  return (await Promise.all(found)).flat()
}

function total({ produced }: Traffic): number {
  return produced.values().reduce((sum, texts) => sum + texts.length, 0)
}

function repeated({ arrivals }: Evidence): number {
  const inTurn = arrivals.filter(({ isResend }) => !isResend)
  return inTurn.length - new Set(inTurn.map(({ bridge, eventId }) => `${bridge} ${eventId}`)).size
}
