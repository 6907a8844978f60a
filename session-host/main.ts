import { setTimeout as sleep } from "node:timers/promises"
import "#core/platform/faster-node-crypto.ts"
import { BridgeLog } from "#core/bridge/bridge-log.ts"
import { Host } from "#core/lease/host.ts"
import { config } from "#core/platform/config.ts"
import { log } from "#core/platform/log.ts"
import { sendPlanned } from "./commands/planned.ts"
import { findAddresses } from "./host/address.ts"
import { containExceptions } from "./host/exceptions.ts"
import { SessionHost } from "./host/host.ts"
import { measureEachMinute } from "./host/measure.ts"
import { dialCurrentVersion, WebVersion } from "./host/web-version.ts"
import { listen, serverApp } from "./server.ts"
import { timing } from "./timing.ts"
import type { Connect } from "./uplink/dialler.ts"
import { connect } from "./whatsapp/connect.ts"
import { fetchWebVersion } from "./whatsapp/fetch-web-version.ts"
import { trustRoot } from "./whatsapp/patches/verify-certificates.ts"
import * as keysAnew from "./whatsapp/signal/anew.ts"
import { newRecorder } from "./whatsapp/stanza-recorder.ts"

const recording = config.RECORD ? { record: newRecorder(config.RECORD, log) } : {}

/** The trusted root is one object per process, so simulated and live sessions never share a host. */
async function network(): Promise<{ dial: Connect; versionAgeH?: () => number | undefined }> {
  if (config.HOST_NETWORK === "live") return await liveNetwork()
  const { SIMULATOR_URL: url, SIMULATOR_ROOT_KEY: rootKey } = config
  if (!url || !rootKey) throw new Error("the simulated network needs SIMULATOR_URL and SIMULATOR_ROOT_KEY")
  trustRoot(Buffer.from(rootKey, "hex"))
  return { dial: (input) => connect({ ...input, url, ...recording }) }
}

async function liveNetwork() {
  const webVersion = new WebVersion({ pinned: config.WHATSAPP_WEB_VERSION, latest: fetchWebVersion, log })
  await webVersion.start()
  const dial = dialCurrentVersion((input) => connect({ ...input, ...recording }), webVersion)
  return { dial, versionAgeH: () => webVersion.ageH }
}

/** How long a caller trusts its copy of a lease: 2 s, and the time for a call to arrive. */
const callersRememberMs = 2500
/** How long answers may still be on their way. */
const answeredWithinMs = 5000

containExceptions(log)

// Baileys creates errors that it never throws, several for each message, and the stack is their main cost.
Error.stackTraceLimit = 5

const { dial, versionAgeH } = await network()
const server = await listen((request) => app.fetch(request), {
  ...(await findAddresses(config)),
  port: config.HOST_PORT,
})
const host = new SessionHost({
  id: config.HOST_ID ?? Host.newId(),
  addr: server.addr,
  capacity: config.HOST_CAPACITY,
  network: config.HOST_NETWORK,
  connect: dial,
  keysAnew,
  sendPlanned,
  timing: timing(),
  log,
})
const app = serverApp(host, log)

// A second signal changes nothing: an impatient operator sends SIGKILL, as ECS does after two minutes.
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void host.stop())
// Without its parent, no process would ever end this one.
if (config.LOCAL_PARENT) {
  process.once("disconnect", () => process.exit(0))
  if (!process.connected) process.exit(0)
}

await host.start()
const stopMeasuring = measureEachMinute(host, versionAgeH)
const end = await host.ended
stopMeasuring()
await BridgeLog.flush()
if (end === "stopped") {
  // Until then callers may take this host for the holder, and must learn that it is not.
  await server.left(callersRememberMs)
  await Promise.race([server.close(), sleep(answeredWithinMs)])
}
process.exit(end === "stopped" ? 0 : 1)
