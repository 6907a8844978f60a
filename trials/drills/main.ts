/** `npm run drills`: the losses, and how long they last, when a part of the service fails, with production's timing. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { quantile } from "#test/support/quantile.ts"
import { trafficBesideDeadReceivers } from "./dead-receiver-traffic.ts"
import { type Loss, loseHost } from "./lost-host.ts"
import { outage, theQueue, theStore } from "./outage.ts"
import { startDrilled, type Service } from "./service.ts"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: "string", default: "10" },
    times: { type: "string", default: "5" },
    bridges: { type: "string", default: "10" },
    messages: { type: "string", default: "100" },
    beat: { type: "string", default: "5000" },
  },
})
const [minutes, times, each] = [Number(values.minutes), Number(values.times), Number(values.messages)]

/** The seconds until sessions were back, over several losses. */
async function losses(service: Service, loss: Loss) {
  const seconds: number[] = []
  for (let i = 0; i < times; i++) seconds.push(...(await loseHost(service, loss)))
  return { sessions: seconds.length, p50_s: quantile(seconds, 0.5), max_s: Math.max(...seconds) }
}

/** The same traffic with good receivers only, and with one in ten that never answers, or whose name nobody answers for. */
async function dead(service: Service, what: "receiver" | "name") {
  const [bad, ...good] = service.lines
  // What is loaded and dialled for the first time would count for one half alone.
  await trafficBesideDeadReceivers(service, good, Math.ceil(each / 5))
  const quiet = await trafficBesideDeadReceivers(service, good, each)
  service.setDead(bad!.bridge, what)
  const beside = await trafficBesideDeadReceivers(service, good, each)
  service.setDead(bad!.bridge, undefined)
  return { quiet, beside, p50_ratio: beside.p50 / quiet.p50, p99_ratio: beside.p99 / quiet.p99 }
}

const drills: Record<string, (service: Service) => Promise<object>> = {
  killed: (service) => losses(service, "killed"),
  silent: (service) => losses(service, "silent"),
  replaced: (service) => losses(service, "replaced"),
  receiver: (service) => dead(service, "receiver"),
  name: (service) => dead(service, "name"),
  queue: (service) => outage(service, theQueue(service), minutes * 60_000),
  store: (service) => outage(service, theStore(service), minutes * 60_000),
}

const wanted = positionals.length > 0 ? positionals : Object.keys(drills)
const unknown = wanted.filter((name) => !(name in drills))
if (unknown.length > 0)
  throw new Error(`there is no drill ${unknown.join(", ")}: ${Object.keys(drills).join(", ")}`)

const dir = mkdtempSync(join(tmpdir(), "messaging-bridge-drills-"))
const service = await startDrilled({ bridges: Number(values.bridges), beat: Number(values.beat), dir })
try {
  for (const name of wanted) console.log(JSON.stringify({ drill: name, ...(await drills[name]!(service)) }))
  rmSync(dir, { recursive: true, force: true })
} finally {
  await service.stop()
}
process.exit(0)
