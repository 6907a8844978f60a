import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { z } from "zod"
import { apiClient, Unexpected } from "#one-machine/api-client.ts"
import type { Entry } from "#one-machine/network/client.ts"
import { untilConnected } from "#one-machine/network/link.ts"
import { until } from "#test/support/until.ts"
import type { Evidence, Seen } from "../chaos/evidence.ts"
import type { Options } from "../chaos/options.ts"
import type { Violation } from "../chaos/oracle.ts"
import { stepBoard } from "../cluster/armed-steps.ts"
import { followNetworkLog, inWords } from "../cluster/follow-network-log.ts"
import { Place } from "../move/place.ts"
import { isConnected, newSeen, unlinked } from "../restore/seen.ts"
import { comeToRest, onStage, type Surroundings, toldOf } from "../restore/surroundings.ts"
import { comeBack } from "./come-back.ts"
import { type Killer, newKiller } from "./killer.ts"
import { type Gateway, type Ground, groundFor, type Kind } from "./kinds.ts"
import { judgeMoved, type Moved } from "./oracle.ts"
import { type Program, toldIn } from "./program.ts"
import { type Home, type Line, type MoveTraffic, startTraffic } from "./traffic.ts"

export interface Outcome {
  violations: Violation[]
  /** SIGKILLs: of old gateways, of imports, of the service. */
  kills: number
  /** Numbers that have moved. */
  moves: number
  /** Imports that did not end, and were done again. */
  interrupted: number
  in: number
  out: number
  /** Messages that an old gateway told the network to have, and died before it told anybody. */
  lostBefore: number
  /** For a person who looks for the cause of a violation. */
  told: object[]
}

/** So many numbers leave a gateway at once. */
const atOnce = 20

/**
 * Numbers of each kind of gateway move to us under traffic, without a new link. Their gateway is killed in
 * the middle of it; the import, and our service, are killed at named steps meanwhile and afterwards.
 */
export async function runMoveIns(
  options: Options,
  dir: string,
  say: (line: string) => void,
): Promise<Outcome> {
  const outcome: Outcome = {
    violations: [],
    kills: 0,
    moves: 0,
    interrupted: 0,
    in: 0,
    out: 0,
    lostBefore: 0,
    told: [],
  }
  await onStage({ seed: options.seed, dir }, async (stage) => {
    const ground = await groundFor(options.kinds, dir, stage.simulator)
    stage.stops.push(ground.stop)
    for (const kind of options.kinds) await moveKind(kind, { options, stage, ground, outcome, say })
  })
  return outcome
}

interface Trial {
  options: Options
  stage: Surroundings
  ground: Ground
  outcome: Outcome
  say: (line: string) => void
}

/** All numbers of one kind, to one service. */
async function moveKind(kind: Kind, trial: Trial): Promise<void> {
  const { options, stage, outcome, say } = trial
  const { dir, random, simulator, stops } = stage
  const board = stepBoard(join(dir, `steps-${kind}`))
  const steps = import.meta.resolve("./processes/steps.ts")
  const environment = { NODE_OPTIONS: `--import=${steps}?board=${encodeURIComponent(board.dir)}` }
  const place = await Place.begin(kind, { network: simulator, beat: options.beat, dir, environment })
  stops.push(place.kill)
  const apiKey = await place.newAccount(options.kills)
  const [account] = Accounts.parse(JSON.parse((await place.admin("account", "list").ended).out))
  const killer = newKiller({ place, board, random, hasStruck: () => outcome.kills++ })
  for (let moved = 0; moved < options.kills;) {
    const count = Math.min(atOnce, options.kills - moved)
    const name = `${kind}-${moved}`
    moved += count
    const isLast = moved === options.kills
    await moveSome(kind, { ...trial, name, count, isLast, place, account: account!.id, apiKey, killer })
    say(`${kind}: ${moved} numbers have moved; ${outcome.kills} kills`)
  }
  await place.kill()
}

const Accounts = z.array(z.object({ id: z.string() }))

interface Round extends Trial {
  /** Of its gateway. */
  name: string
  count: number
  isLast: boolean
  place: Place
  account: string
  apiKey: string
  killer: Killer
}

async function moveSome(kind: Kind, round: Round): Promise<void> {
  const { options, stage, ground, outcome, place, apiKey, killer, say } = round
  const { network, random, dir, stops } = stage
  const gateway = await ground.newGateway(kind, join(dir, round.name))
  const program = await gateway.start()
  stops.push(program.kill)
  const after = (await network.log({ kind: "note" })).at(-1)?.n ?? 0
  const lines = await linkAt(program, round)
  const homes = new Map<string, Home>(lines.map(({ bridge }) => [bridge, { program }]))
  const seen = newSeen(lines)
  const log = followNetworkLog(network, (entry) => seen.saw(entry), { after })
  const homeOf = (bridge: string) => homes.get(bridge)
  const isDone = (id: string) => seen.hadMs.has(id)
  const traffic = startTraffic({ lines, network, random, apiKey, homeOf, isDone })

  await sleep(random.between(1500, 5000))
  await traffic.midSend()
  await sleep(random.between(0, 60))
  homes.clear()
  await program.kill()
  outcome.kills++
  for (const { owner, device } of lines)
    await until(async () => !(await isConnected(network, owner, device)), { withinMs: 30_000 })
  const goneMs = Date.now()
  say(`${round.name}: its program was killed`)
  const back = gateway.backUp()
  const cut = await peopleIn(gateway.cutFiles(), lines, stage)
  if (options.broken === "move-in") await gateway.dropSenderKeys()
  gateway.rest()
  const beforeMs = Date.now()
  outcome.interrupted += await importAll(kind, gateway, lines, round)
  const apiOf = () => apiClient(place.baseUrl ?? "", apiKey)
  await becomeOurs(lines, stage, apiOf)
  for (const { bridge } of lines) homes.set(bridge, { service: () => place.baseUrl })
  say(`${round.name}: ${lines.length} numbers are ours`)
  await killer.strikeService()
  const unconnected = await connectAll(lines, apiOf)
  say(`${round.name}: they are connected`)
  await killer.strikeService()
  const inbox = await inboxOf(lines, apiOf)

  const acts = { lines, traffic, seen, log, apiOf }
  const { ids, authors, before } = traffic
  const moved: Moved = { ...seen, goneMs, ids, authors, before, cut }
  const isOurs = ({ at }: Entry) => at >= goneMs
  const judged = (evidence: Evidence) =>
    // Nobody may have to ask again for what we send. What the old gateway's own races spoil is not ours.
    judgeMoved(
      {
        ...evidence,
        arrivals: [...inbox, ...evidence.arrivals],
        unreadable: seen.undecryptable().filter(isOurs).map(inWords),
        keysReused: seen.reused.filter(isOurs).map(inWords),
      },
      moved,
    )
  const evidence = await comeToRest(stage, acts, { messages: options.messages, judged })
  outcome.violations.push(...judged(evidence), ...unconnected, ...(await unlinked(lines, network)))
  outcome.moves += lines.length
  outcome.in += [...traffic.produced.values()].flat().length
  outcome.out += traffic.before.length + traffic.sent.length
  outcome.lostBefore += lostBefore(traffic, moved, gateway)
  outcome.told.push({ gateway: round.name, goneMs, ...toldOf(stage, acts) })
  if (!round.isLast) return
  back()
  outcome.violations.push(...(await comeBack(gateway, lines, { network, place, apiOf, beforeMs })))
}

/** Links so many new numbers at a gateway, each under its digits. */
async function linkAt(program: Program, { count, stage }: Round): Promise<Line[]> {
  const lines: Line[] = []
  let left = count
  const link = async () => {
    while (left-- > 0) lines.push(await newLine(program, stage))
  }
  await Promise.all(Array.from({ length: linksAtOnce }, link))
  return lines
}

const linksAtOnce = 4

async function newLine(program: Program, { network }: Surroundings): Promise<Line> {
  const [owner, contact, friend] = await Promise.all(
    [1, 2, 3].map(async () => (await network.create()).number),
  )
  const [bridge, people] = [owner!, [contact!, friend!]] // three were made
  await program.link(bridge, (qr) => network.scan(bridge, qr))
  const { devices } = await network.phone(bridge)
  const device = `${bridge}:${devices.find(({ id }) => id > 0)?.id}`
  const { jid } = await network.group({ creator: contact!, subject: "Group", members: [bridge, friend!] })
  // Each two have met before anything happens at once: Baileys spoils sessions that are begun side by side.
  for (const chat of [...people, jid]) await program.send(bridge, chat, "hello")
  for (const from of people) for (const chat of [bridge, jid]) await network.send(from, chat, "hello")
  await network.settled(device, settledWithinMs)
  const about = { owner: bridge, contact: contact!, friend: friend!, group: jid, device }
  return { bridge, id: "", webhooks: [], companion: undefined, ...about }
}

const settledWithinMs = 10_000

/** The people whose keys are in files of these names, as numbers. */
async function peopleIn(
  files: string[],
  lines: Line[],
  { network }: Surroundings,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const number of lines.flatMap(({ contact, friend }) => [contact, friend])) {
    const { lid } = await network.phone(number)
    const users = [number, lid.split("@")[0]!] // it has a user
    if (files.some((file) => users.some((user) => file.includes(user)))) found.add(number)
  }
  return found
}

type Api = () => ReturnType<typeof apiClient>

const Arrived = z.object({ id: z.string(), webhook_secret: z.string() })

/** What a customer does with bridges that have just arrived: gives each its webhook. */
async function becomeOurs(lines: Line[], { receiver }: Surroundings, apiOf: Api): Promise<void> {
  for (const line of lines) {
    const { bridge } = line
    const { id, webhook_secret } = Arrived.parse(await (await apiOf()("GET", `/instances/${bridge}`)).json())
    line.id = id
    receiver.trust(bridge, webhook_secret)
    await apiOf()("PATCH", `/instances/${bridge}`, { webhook_url: receiver.urlOf(bridge) })
  }
}

const Stored = z.array(
  z.object({
    event_id: z.string(),
    event: z.looseObject({ event: z.string(), body: z.string().optional() }),
  }),
)

/** What came before there was a webhook is in the hosted inbox, and is not posted. */
async function inboxOf(lines: Line[], apiOf: Api): Promise<Seen[]> {
  const found: Seen[] = []
  for (const { bridge } of lines)
    for (let after: string | null = ""; after !== null;) {
      const query = new URLSearchParams({ state: "inbox", type: "message", ...(after && { after }) })
      const page = await apiOf()("GET", `/instances/${bridge}/events?${query.toString()}`)
      for (const { event_id: eventId, event } of Stored.parse(await page.json())) {
        const body = Buffer.from(JSON.stringify(event))
        const about = { attempt: 1, genuine: true, hungUp: false, at: 0 }
        found.push({ bridge, eventId, text: event.body, body, ...about })
      }
      after = page.headers.get("x-next-after")
    }
  return found
}

/** How often an import is done again before something else must be wrong. */
const mostTries = 10

/** The import of all numbers of a gateway, again and again until it has ended well. @returns how often not */
async function importAll(
  kind: Kind,
  { where }: Gateway,
  lines: Line[],
  { place, account, killer }: Round,
): Promise<number> {
  for (let tries = 0; ; tries++) {
    const one = place.admin("import", kind, ...where, "--account", account)
    if (tries < 3) await killer.strikeImport(one)
    const { code, said } = await one.ended
    if (code === 0) return tries
    if (tries === mostTries) throw new Unexpected(`${lines.length} numbers of ${kind} did not move: ${said}`)
  }
}

/** For all of them, of which a busy machine takes minutes. */
const connectedWithinMs = 600_000

async function connectAll(lines: Line[], apiOf: Api): Promise<Violation[]> {
  const signal = AbortSignal.timeout(connectedWithinMs)
  const found: Violation[] = []
  for (const { bridge } of lines)
    // The service may die meanwhile, and be elsewhere afterwards.
    await until(() => untilConnected(bridge, { api: apiOf(), signal }).then(() => true)).catch(
      (error: unknown) =>
        found.push({ kind: "relinked", what: `${bridge} does not connect: ${String(error)}` }),
    )
  return found
}

/** Of what a gateway had told the network to have: what it never told anybody. */
function lostBefore({ produced, ids }: MoveTraffic, { hadMs, goneMs }: Moved, { told }: Gateway): number {
  const known = new Set(toldIn(told).map(({ text }) => text))
  const theirs = [...produced.values()]
    .flat()
    .filter((text) => (hadMs.get(ids.get(text)!) ?? Infinity) < goneMs)
  return theirs.filter((text) => !known.has(text)).length
}
