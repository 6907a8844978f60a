import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { z } from "zod"
import { apiClient, Unexpected } from "#one-machine/api-client.ts"
import { readBackup } from "#one-machine/backup/backup.ts"
import { untilConnected } from "#one-machine/network/link.ts"
import type { Random } from "#test/support/random.ts"
import { admin, type Running, start } from "#test/support/service/killable-service.ts"
import { until } from "#test/support/until.ts"
import type { Evidence } from "../chaos/evidence.ts"
import type { Options } from "../chaos/options.ts"
import type { Violation } from "../chaos/oracle.ts"
import { startTraffic } from "../chaos/traffic.ts"
import { followNetworkLog } from "../cluster/follow-network-log.ts"
import type { LinkedBridge } from "../cluster/linked-cluster.ts"
import { judgeRestored, type Lost } from "./oracle.ts"
import { isConnected, newSeen, unlinked } from "./seen.ts"
import { comeToRest, newLines, onStage, type Surroundings, toldOf } from "./surroundings.ts"

export interface Outcome {
  violations: Violation[]
  restores: number
  /** Restores that were killed, and done again. */
  interrupted: number
  in: number
  out: number
  /** Messages that were lost, and came twice, as the command says. */
  forgotten: number
  askedAgain: number
  /** For a person who looks for the cause of a violation. */
  told: object
}

const passphrase = "the passphrase of a trial"
const connectedWithinMs = 120_000

/**
 * The whole service under traffic, whose data folder is lost again and again, and a backup restored
 * elsewhere. The network and the customer's receiver go on.
 */
export async function runRestores(
  options: Options,
  dir: string,
  say: (line: string) => void,
): Promise<Outcome> {
  return await onStage({ seed: options.seed, dir }, async (stage) => await run(options, stage, say))
}

async function run(options: Options, stage: Surroundings, say: (line: string) => void): Promise<Outcome> {
  const { dir, random, simulator, network, receiver, stops } = stage
  const host = { beat: options.beat, dir, network: simulator }
  let place = { n: 0, dataDir: join(dir, "data-0") }
  let service: Running | undefined = await begin(host, place.dataDir)
  stops.push(async () => await service?.kill())
  const apiKey = await service.newAccount(options.bridges)
  const api = (to = service) => apiClient(to?.baseUrl ?? "", apiKey)
  const lines = await newLines(options.bridges, stage, { api: service.baseUrl, apiKey })
  say(`${lines.length} bridges are linked`)

  const seen = newSeen(lines)
  const log = followNetworkLog(network, (entry) => seen.saw(entry))
  const traffic = startTraffic({
    lines,
    network,
    random,
    apiKey,
    api: () => service?.baseUrl,
    // What a backup does not have of a message comes with no receipt again.
    followed: new Set(),
    shape: "real",
    arrivals: receiver.arrivals,
    isDone: (id) => seen.hadMs.has(id),
  })

  const losses: Lost[] = []
  let interrupted = 0
  while (losses.length < options.kills) {
    await sleep(random.between(500, 3000))
    const backup = await backUp(place.dataDir, dir)
    await sleep(random.between(500, 4000))
    const killedMs = Date.now()
    const dying = service
    service = undefined
    await kill(dying, lines, network)
    renameSync(place.dataDir, join(dir, `lost-${place.n}`))
    place = { n: place.n + 1, dataDir: join(dir, `data-${place.n + 1}`) }
    if (options.broken === "restore") await unpackByHand(backup.path, place.dataDir)
    else interrupted += await restore(backup.path, place.dataDir, random)
    losses.push({ madeMs: backup.madeMs, killedMs, startedMs: Date.now() })
    service = await begin(host, place.dataDir)
    await connectAll(lines, api())
    say(`restored ${losses.length} times`)
  }

  say("the last one was restored: now everything has to come to rest")
  const acts = { lines, traffic, seen, log, apiOf: () => api() }
  const judged = (evidence: Evidence) =>
    judgeRestored({
      losses,
      handed: { ids: traffic.ids, hadMs: seen.hadMs, askedAgain: seen.askedAgain },
      evidence,
    })
  const evidence = await comeToRest(stage, acts, { messages: options.messages, judged })
  const total = [...traffic.produced.values()].flat()
  const arrived = new Set(receiver.arrivals.map(({ text }) => text))
  return {
    violations: [...judged(evidence), ...(await unlinked(lines, network))],
    restores: losses.length,
    interrupted,
    in: total.length,
    out: traffic.sent.length,
    forgotten: total.filter((text) => !arrived.has(text)).length,
    askedAgain: seen.askedAgain.size,
    told: { losses, ...toldOf(stage, acts) },
  }
}

interface Host {
  network: object
  beat: number
  dir: string
}

async function begin({ network, beat, dir }: Host, dataDir: string): Promise<Running> {
  return await start(network, { dataDir, beat, output: join(dir, "logs", "service.out") })
}

/** Until each of its bridges is on the network. */
async function connectAll(lines: LinkedBridge[], api: ReturnType<typeof apiClient>): Promise<void> {
  const signal = AbortSignal.timeout(connectedWithinMs)
  for (const { bridge } of lines) await untilConnected(bridge, { api, signal })
}

/** Until the network knows that its bridges are gone. */
async function kill(
  service: Running,
  lines: LinkedBridge[],
  network: Surroundings["network"],
): Promise<void> {
  await service.kill()
  for (const { owner, device } of lines)
    await until(async () => !(await isConnected(network, owner, device)), { withinMs: 30_000 })
}

const Made = z.tuple([z.object({ made_at: z.iso.datetime(), path: z.string() })])

async function backUp(dataDir: string, dir: string): Promise<{ path: string; madeMs: number }> {
  const environment = {
    DATA_DIR: dataDir,
    BACKUP_DIR: join(dir, "backups"),
    BACKUP_PASSPHRASE: passphrase,
    STORAGE_RESERVE_MB: "1",
  }
  const { code, out, said } = await admin(environment, "backup", "make").ended
  if (code !== 0) throw new Unexpected(`no backup was made: ${said}`)
  const [{ path, made_at }] = Made.parse(JSON.parse(out))
  return { path, madeMs: Date.parse(made_at) }
}

/** Longer than a restore takes, in ms. */
const restoreMs = 2500

/** Half of the time it is killed at first. @returns how often */
async function restore(path: string, dataDir: string, random: Random): Promise<number> {
  const again = () => admin({ DATA_DIR: dataDir, BACKUP_PASSPHRASE: passphrase }, "backup", "restore", path)
  let killed = 0
  while (random.next() < 0.5 && !existsSync(join(dataDir, "store.sqlite"))) {
    const one = again()
    await Promise.race([sleep(random.between(200, restoreMs)), one.ended])
    one.kill()
    await one.ended
    killed++
  }
  if (existsSync(join(dataDir, "store.sqlite"))) return killed
  const { code, said } = await again().ended
  if (code !== 0) throw new Unexpected(`not restored: ${said}`)
  return killed
}

/** What must never be done: no session is marked. */
async function unpackByHand(path: string, dataDir: string): Promise<void> {
  mkdirSync(dataDir, { mode: 0o700 })
  await readBackup(path, passphrase, async (_about, pieces) => {
    for await (const { name, bytes } of pieces)
      writeFileSync(join(dataDir, name), bytes, { flag: "a", mode: 0o600 })
  })
}
