/**
 * `npm run fleet -- --hosts 100 --bridges 2000`: the sweep and the leases of a large fleet: beats, the death
 * of a part of the hosts at once, a deploy. Prints what was asked of the store, and how long until all
 * bridges were back.
 */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { z } from "zod"
import { configure } from "#core/platform/config.ts"
import { optionsFrom } from "../options.ts"
import { Hosts } from "./hosts.ts"
import { Options } from "./options.ts"
import { startOrchestrator } from "./orchestrator.ts"
import { run } from "./run.ts"

const options = optionsFrom(Options, process.argv.slice(2))
const dir = mkdtempSync(join(tmpdir(), "fleet-"))
const logFile = join(dir, "log")
const hosts = new Hosts()
const orchestrator = await startOrchestrator(hosts)
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
  await hosts.start({ processes: options.processes, env, logFile })
  configure({ ...process.env, ...env })
  await run({ ...options, hosts, used: () => usedSince(store.child) })
} finally {
  await hosts.end()
  store.child.kill("SIGKILL")
  await orchestrator.close()
  const warnings = linesOf(readFileSync(logFile, "utf8"))
  console.log(JSON.stringify({ warnings: Object.fromEntries(warnings) }))
  rmSync(dir, { recursive: true })
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
