import { randomBytes } from "node:crypto"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { configure } from "#core/platform/config.ts"
import { staysMs } from "#one-machine/delivery/new-events.ts"
import { startEcs } from "#one-machine/ecs/ecs.ts"
import { noRateLimits } from "#one-machine/service/spawn-service.ts"
import { spawnSimulator } from "#simulator/spawn.ts"
import { stepBoard } from "./armed-steps.ts"
import type { BreakableRule } from "./breakable-rules.ts"
import { keepAlive } from "./keep-alive.ts"
import { startStore, type Store } from "./store.ts"

export interface Options {
  /** How many there will be: hosts are made to hold half of them. */
  bridges: number
  /** `LEASE_BEAT_MS`, of which every other time of a lease is a multiple. In production 5000. */
  beat: number
  broken?: BreakableRule | undefined
  /** How long a claim on a delivery is good for, seconds; else as long as the beat says. */
  claimSeconds?: number
  /** As in `DNS_SERVERS`. */
  nameServer?: string
}

/**
 * In production a claim on a delivery is good for 90 s, a doorbell hidden for 120 and a claimed key for 55.
 */
function timesOf({ beat, claimSeconds }: Options) {
  const scale = beat / 5000
  const claim = claimSeconds ?? 90 * scale
  return {
    claimSeconds: Math.ceil(claim),
    visibilitySeconds: Math.ceil((claim * 120) / 90),
    keySeconds: Math.ceil(55 * scale),
  }
}

/**
 * The whole service on this machine, each part a process, or several, that tells what it does and can be
 * struck at any step of it. Its environment becomes this process's: settings may be read only afterwards.
 */
export async function startCluster(options: Options, dir: string) {
  const stops: (() => Promise<unknown>)[] = []
  const stop = async () => {
    for (const one of stops.splice(0).toReversed()) await one()
  }
  try {
    return { ...(await start(options, dir, stops)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function start(options: Options, dir: string, stops: (() => Promise<unknown>)[]) {
  const logs = join(dir, "logs")
  mkdirSync(logs, { recursive: true })
  const steps = stepBoard(join(dir, "steps"))

  const simulator = await spawnSimulator({ dataDir: dir, controlPort: 0 })
  if (!simulator) throw new Error(`the simulated network did not start: ${logs}/simulator.log says why`)
  stops.push(simulator.stop)
  const room = await startStore({ dataDir: dir, visibilitySeconds: timesOf(options).visibilitySeconds })
  stops.push(room.stop)

  const environment = environmentOf(options, { dir, room, simulator, stepsDir: steps.dir })
  const logFile = (name: string) => ({ LOG_FILE: join(logs, `${name}.log`) })
  const hosts = await startEcs({
    at: { port: 0 },
    taskDefinitions: {
      "session-host": {
        command: [process.execPath, fileURLToPath(new URL("processes/session-host.ts", import.meta.url))],
        env: { ...environment, ...logFile("session-host") },
      },
    },
    closeTimeoutMs: 5000,
  })
  stops.push(hosts.close)

  const own = { ...environment, AWS_ENDPOINT_URL_ECS: hosts.endpoint }
  configure({ ...process.env, ...own, ...logFile("test") })
  const started = async (file: URL, name: string, count: number, more: Record<string, string> = {}) => {
    const keptAlive = await keepAlive({
      file,
      count,
      env: { ...own, ...more, ...logFile(name) },
      output: join(logs, `${name}.out`),
    })
    stops.push(keptAlive.stop)
    return keptAlive
  }
  const api = await started(new URL("processes/api.ts", import.meta.url), "api", 2)
  const file = new URL("processes/delivery.ts", import.meta.url)
  // One as on AWS, one as on one machine: deliveries of either kind take over from the other.
  const leaving = await started(file, "delivery", 1)
  const staying = await started(file, "delivery-staying", 1, { TOLD_AT: room.toldAt })
  await started(new URL("processes/sweep.ts", import.meta.url), "sweep", 1)
  const delivery = {
    living: () => [...leaving.living(), ...staying.living()],
    /** Those that stay for no further event. */
    leaving: leaving.living,
  }
  return { api, delivery, hosts, room, steps, simulator, logs }
}

interface ClusterParts {
  dir: string
  room: Store
  simulator: { url: string; rootKey: string }
  stepsDir: string
}

/** What every process of the service is told. */
function environmentOf(
  options: Options,
  { dir, room, simulator, stepsDir }: ClusterParts,
): Record<string, string> {
  const times = timesOf(options)
  const capacity = Math.max(2, Math.ceil(options.bridges / 2))
  return {
    ...room.environment,
    API_KEY_PEPPER: randomBytes(32).toString("base64url"),
    HOST_TOKEN_SECRET: randomBytes(32).toString("base64url"),
    PHONE_SECRET: randomBytes(32).toString("base64url"),
    HOST_NETWORK: "simulated",
    HOST_CAPACITY: String(capacity),
    // One host more than is needed: its process has started when another dies.
    HOST_SPARE: String(capacity),
    SIMULATOR_URL: simulator.url,
    SIMULATOR_ROOT_KEY: simulator.rootKey,
    URL_ALLOW: "127.0.0.0/8",
    DNS_SERVERS: options.nameServer ?? "",
    LEASE_BEAT_MS: String(options.beat),
    DELIVERY_CLAIM_S: String(times.claimSeconds),
    KEY_CLAIM_S: String(times.keySeconds),
    // As on one machine: the longer trust, since some deliveries do not deserve it.
    BELL_TRUSTS_MS: String(staysMs - 50),
    ...noRateLimits,
    // A process that dies is soon there again: what it loads is compiled once.
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(dir, "compiled"),
    CHAOS_STEPS: stepsDir,
    CHAOS_BREAK: options.broken ?? "",
    NODE_NO_WARNINGS: "1",
  }
}
