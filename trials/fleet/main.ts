/**
 * `npm run fleet -- --hosts 100 --bridges 2000`: the sweep and the leases of a large fleet: beats, the death
 * of a part of the hosts at once, a deploy. Prints what was asked of the store, and how long until all
 * bridges were back. With `--quota 0.145` the sweep is what Lambda runs.
 */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { z } from "zod"
import { configure } from "#core/platform/config.ts"
import { optionsFrom } from "../options.ts"
import { createBridges, createFailing, createLeases } from "./create.ts"
import { Hosts } from "./hosts.ts"
import { Options } from "./options.ts"
import { startOrchestrator } from "./orchestrator.ts"
import { run } from "./run.ts"
import { SweepAsLambda } from "./sweep-as-lambda.ts"

const options = optionsFrom(Options, process.argv.slice(2))
const dir = mkdtempSync(join(tmpdir(), "fleet-"))
const logFile = join(dir, "log")
const say = (line: object) => options.json || console.log(JSON.stringify(line))
const [hosts, standing] = [new Hosts(options.light), new Hosts(true)]
const orchestrator = await startOrchestrator(hosts, options.starts * 1000)
const store = await startStore()
try {
  const env = {
    ...z.record(z.string(), z.string()).parse(store.ready),
    AWS_ENDPOINT_URL_ECS: orchestrator.endpoint,
    HOST_NETWORK: "simulated",
    HOST_CAPACITY: String(Math.ceil(options.bridges / options.hosts)),
    HOST_SPARE: "10",
    LOG_LEVEL: "warn",
    LOG_FILE: logFile,
  }
  configure({ ...process.env, ...env })
  await (options.light ? createLeases : createBridges)(options.bridges)
  await createFailing(options.failing)
  const startHosts = () => hosts.start({ processes: options.processes, env, logFile })
  await startHosts()
  await standing.start({ processes: 1, env, logFile })
  if (options.quota) standing.add("stands", 0)
  const used = () => usedSince(store.child)
  const sweep = options.quota && new SweepAsLambda({ dir, quota: options.quota, env: asOnAws(env), logFile })
  const setRoom = (has: boolean) => orchestrator.setRoom(has)
  const about = { hosts, standing, startHosts, setRoom, used, say }
  const result = await run({ ...options, ...about, ...(sweep && { sweep }) })
  say({ warnings: Object.fromEntries(linesOf(readFileSync(logFile, "utf8"))) })
  console.log(JSON.stringify({ ...result, ...(sweep && { quota: options.quota, by: sweep.by }) }))
} finally {
  await hosts.end()
  await standing.end()
  store.child.kill("SIGKILL")
  await orchestrator.close()
  rmSync(dir, { recursive: true })
}

/**
 * The environment of a function: it logs to its output, and its requests are signed, which an address of this
 * machine in its usual spelling does not want.
 */
function asOnAws(env: Record<string, string>): Record<string, string> {
  const others = Object.entries(env).filter(([name]) => name !== "LOG_FILE")
  const addresses = others.map(([name, value]) => [
    name,
    name.startsWith("AWS_ENDPOINT_URL") ? value.replace("127.0.0.1", "[::ffff:127.0.0.1]") : value,
  ])
  return {
    ...Object.fromEntries(addresses),
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
    PATH: process.env.PATH ?? "",
  }
}

async function startStore() {
  const log = openSync(logFile, "a")
  const args = [dir, String(options.partition)]
  const child = fork(new URL("processes/store.ts", import.meta.url), args, {
    stdio: ["ignore", log, log, "ipc"],
  })
  const ended = once(child, "exit").then(() => Promise.reject(new Error(readFileSync(logFile, "utf8"))))
  // Once it has said that it is ready, it ends with this process.
  ended.catch(() => {})
  const [ready] = await Promise.race([once(child, "message"), ended])
  return { child, ready: ready as unknown }
}

/** The requests to the store since the last time, and how often a partition had no throughput left. */
async function usedSince(child: ChildProcess) {
  const answer = once(child, "message")
  child.send("used")
  const [used] = await answer
  return z.object({ requests: z.array(z.tuple([z.string(), z.number()])), refused: z.number() }).parse(used)
}

/** How often each thing was logged. */
function linesOf(log: string): Map<string, number> {
  const said = new Map<string, number>()
  for (const line of log.split("\n")) {
    const message = /"msg":"([^"]*)"/.exec(line)?.[1]
    if (message) said.set(message, (said.get(message) ?? 0) + 1)
  }
  return said
}
