import { existsSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { apiClient, Unexpected } from "#one-machine/api-client.ts"
import { untilConnected } from "#one-machine/network/link.ts"
import type { Random } from "#test/support/random.ts"
import type { admin } from "#test/support/service/killable-service.ts"
import type { Options } from "../chaos/options.ts"
import { judge, type Violation } from "../chaos/oracle.ts"
import { startTraffic } from "../chaos/traffic.ts"
import { followNetworkLog } from "../cluster/follow-network-log.ts"
import type { LinkedBridge } from "../cluster/linked-cluster.ts"
import { newSeen, unlinked } from "../restore/seen.ts"
import { comeToRest, newLines, onStage, type Surroundings, toldOf } from "../restore/surroundings.ts"
import { Place } from "./place.ts"

export interface Outcome {
  violations: Violation[]
  kills: number
  moves: number
  /** Exports and imports that did not end, and were done again. */
  interrupted: number
  in: number
  out: number
  /** For a person who looks for the cause of a violation. */
  told: object
}

const connectedWithinMs = 120_000
/** Longer than an export or an import takes, in ms. */
const moveMs = 5000
/** How often one is done again before something else must be wrong. */
const mostTries = 20

/**
 * Two services on one network, with bridges under traffic that move from one to the other, there and back,
 * while processes are killed at random moments: those of the move, of the service that is left, and of the
 * one that is gone to. Everything is judged as if nothing had happened.
 */
export async function runMoves(options: Options, dir: string, say: (line: string) => void): Promise<Outcome> {
  return await onStage({ seed: options.seed, dir }, async (stage) => await run(options, stage, say))
}

async function run(options: Options, stage: Surroundings, say: (line: string) => void): Promise<Outcome> {
  const { dir, random, simulator, network, receiver, stops } = stage
  const places: Place[] = []
  for (const name of ["here", "there"])
    places.push(await Place.begin(name, { network: simulator, beat: options.beat, dir }))
  stops.push(...places.map((place) => place.kill))
  const [here] = places as [Place, Place] // made above
  const apiKey = await here.newAccount(options.bridges)
  const lines = await newLines(options.bridges, stage, { api: here.baseUrl!, apiKey }) // it runs
  say(`${lines.length} bridges are linked`)

  /** Where each bridge is, as its customer knows it: until it has arrived, where it left. */
  const homes = new Map(lines.map(({ bridge }) => [bridge, here]))
  const seen = newSeen(lines)
  const log = followNetworkLog(network, (entry) => seen.saw(entry))
  const traffic = startTraffic({
    lines,
    network,
    random,
    apiKey,
    api: (bridge) => homes.get(bridge)?.baseUrl,
    followed: new Set(),
    shape: "real",
    arrivals: receiver.arrivals,
  })
  const apiOf = (bridge: string) => apiClient(homes.get(bridge)?.baseUrl ?? "", apiKey)
  const unconnected: Violation[] = []
  const connected = async (some: LinkedBridge[]) => {
    const signal = AbortSignal.timeout(connectedWithinMs)
    for (const { bridge } of some)
      await untilConnected(bridge, { api: apiOf(bridge), signal }).catch((error: unknown) =>
        unconnected.push({ kind: "lost", what: `${bridge} does not connect: ${String(error)}` }),
      )
  }

  const blows = newBlows(options, random)
  let moves = 0
  while (blows.kills() < options.kills || moves < 2) {
    await sleep(random.between(300, 2000))
    const from = random.pick(places)!
    const to = places.find((place) => place !== from)!
    const some = lines.filter(({ bridge }) => homes.get(bridge) === from && random.next() < 0.7)
    if (some.length === 0) continue
    await move(some, { from, to, path: join(dir, `move-${moves}.export`) }, { options, random, blows })
    for (const { bridge } of some) homes.set(bridge, to)
    moves++
    if (random.next() < 0.5) await connected(some)
    say(`${moves} moves, ${blows.kills()} kills: ${some.map(({ bridge }) => bridge).join()} to ${to.name}`)
  }

  say("the last move is done: now everything has to come to rest")
  await connected(lines)
  const acts = { lines, traffic, seen, log, apiOf }
  const evidence = await comeToRest(stage, acts, { messages: options.messages, judged: judge })
  return {
    violations: [...judge(evidence), ...unconnected, ...(await unlinked(lines, network))],
    kills: blows.kills(),
    moves,
    interrupted: blows.interrupted(),
    in: [...traffic.produced.values()].flat().length,
    out: traffic.sent.length,
    told: toldOf(stage, acts),
  }
}

/** An export, and an import of its file, each done again until it has ended well. */
async function move(
  some: LinkedBridge[],
  { from, to, path }: { from: Place; to: Place; path: string },
  { options, random, blows }: { options: Options; random: Random; blows: ReturnType<typeof newBlows> },
): Promise<void> {
  const named = some.flatMap(({ id }) => ["--bridge", id])
  await blows.untilDone(
    () => from.admin("export", path, ...named),
    [from, to],
    () => existsSync(path),
  )
  if (options.broken === "move")
    for (const { id, bridge } of some) await from.admin("take-back", id, bridge).ended
  await sleep(random.between(0, 1500))
  await blows.untilDone(
    () => to.admin("import", path),
    [from, to],
    (said) => said.includes("is here"),
  )
}

function newBlows(options: Options, random: Random) {
  let [kills, interrupted] = [0, 0]
  return {
    kills: () => kills,
    interrupted: () => interrupted,
    /** Runs a verb until it has ended well, while something is killed now and then. */
    async untilDone(
      verb: () => ReturnType<typeof admin>,
      struck: Place[],
      isDone: (said: string) => boolean,
    ): Promise<void> {
      for (let tries = 0; tries < mostTries; tries++) {
        const one = verb()
        if (kills < options.kills && random.next() < 0.6) {
          await Promise.race([sleep(random.between(200, moveMs)), one.ended])
          const place = random.pick([undefined, ...struck])
          if (place) await place.restart()
          else one.kill()
          kills++
        }
        const { code, said } = await one.ended
        if (code === 0 || isDone(said)) return
        interrupted++
        if (tries === mostTries - 1) throw new Unexpected(`not moved: ${said}`)
      }
    },
  }
}
