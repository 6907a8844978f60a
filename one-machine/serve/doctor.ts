import { lookup } from "node:dns/promises"
import { once } from "node:events"
import { accessSync, constants, existsSync, statfsSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { connect } from "node:tls"
import { createTransport } from "nodemailer"
import { nowMs } from "#core/platform/clock.ts"
import { config, type Environment } from "#core/platform/config.ts"
import { isInMemory, whyUnfit } from "#dynamodb-on-sqlite/rows/folder-lock.ts"
import { hasStore } from "#dynamodb-on-sqlite/rows/sqlite-file.ts"
import { mustHaveRoom, ownBackups } from "../backup/backup.ts"
import { alertAfterMs } from "../backup/hourly.ts"
import { listen } from "../listen.ts"
import { nearestExisting } from "../service/data-folder.ts"
import { misspelt } from "../service/misspelt.ts"
import { findRunning, thisProcess } from "../service/running.ts"
import { ServeSettings } from "../service/settings.ts"

/** The finding of one check. `look`: the service runs, but its operator should look into this. */
export interface Finding {
  what: string
  is: "ok" | "look" | "bad"
  says: string
}

type Settings = ReturnType<typeof ServeSettings.parse>
/** What a check says; `ok` where it finds nothing. */
type Check = (settings: Settings) => Omit<Finding, "what"> | Promise<Omit<Finding, "what">>

/** How long an answer from elsewhere may take, in ms. */
const withinMs = 5000
/** The memory of each process of the service, and of a session, in MB. */
const memory = { service: 250, host: 200, session: 5 }

/**
 * Looks at everything that `npm run serve` needs of this machine, whether the service runs or not. Changes
 * nothing.
 */
export async function examine(environment: Environment): Promise<Finding[]> {
  const parsed = ServeSettings.safeParse(environment)
  if (!parsed.success)
    return parsed.error.issues.map(({ path, message }) => ({
      what: path.join("."),
      is: "bad",
      says: message,
    }))
  const names = misspelt(environment).map(({ name, meant }) => ({
    what: name,
    ...bad(`it is no setting; ${meant} is one`),
  }))
  const found = Object.entries(checks).map(async ([what, check]) => ({
    what,
    ...(await findingOf(check, parsed.data)),
  }))
  return [...names, ...(await Promise.all(found))]
}

async function findingOf(check: Check, settings: Settings): Promise<Omit<Finding, "what">> {
  try {
    return await check(settings)
  } catch (error) {
    return bad(sentenceOf(error))
  }
}

/** An error with its causes: `fetch` itself says only that it failed. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message}: ${sentenceOf(error.cause)}`
}

const ok = (says: string) => ({ is: "ok" as const, says })
const weak = (says: string) => ({ is: "look" as const, says })
const bad = (says: string) => ({ is: "bad" as const, says })

const checks: Record<string, Check> = {
  clock: async ({ HOST_NETWORK }) => {
    if (HOST_NETWORK === "simulated") return ok("not compared with anybody's, on the simulated network")
    const asked = { method: "HEAD", signal: AbortSignal.timeout(withinMs) }
    const { headers } = await fetch("https://web.whatsapp.com", asked)
    const aheadS = Math.round((nowMs() - Date.parse(headers.get("date") ?? "")) / 1000)
    return Math.abs(aheadS) > 30
      ? bad(`it is ${aheadS} s ahead of WhatsApp's: keep it by NTP`)
      : ok("as WhatsApp's")
  },
  version: () => {
    const pinned = config.WHATSAPP_WEB_VERSION
    return pinned
      ? weak(`WHATSAPP_WEB_VERSION says ${pinned} whatever the network has: one day it takes that no more`)
      : ok("sessions report the network's own version of WhatsApp Web")
  },
  disk: ({ DATA_DIR }) => {
    const folder = nearestExisting(DATA_DIR)
    const { bavail, bsize, type } = statfsSync(folder)
    const why = whyUnfit(folder, type)
    if (why) return bad(why)
    if (isInMemory(type)) return weak(`${DATA_DIR} is in memory: all is lost when the machine stops`)
    const freeMb = Math.floor((bavail * bsize) / 1e6)
    if (freeMb < 1000) return bad(`${freeMb} MB are free for ${DATA_DIR}: make room`)
    return freeMb < 5000
      ? weak(`${freeMb} MB are free for ${DATA_DIR}`)
      : ok(`${freeMb} MB are free for ${DATA_DIR}`)
  },
  files: async ({ DATA_DIR }) => {
    const { openFiles } = await itsProcess(DATA_DIR)
    const most = openFiles ?? Infinity
    return most < 4096
      ? weak(`a process may open ${most} files: LimitNOFILE=65536`)
      : ok(`a process may open ${most} files`)
  },
  memory: async ({ DATA_DIR, HOST_CAPACITY }) => {
    const { memoryMb: mb } = await itsProcess(DATA_DIR)
    const sessions = Math.floor(
      (mb - memory.service - memory.host) / (memory.session + memory.host / HOST_CAPACITY),
    )
    return sessions < 10
      ? bad(`${mb} MB are not enough`)
      : ok(`${mb} MB are enough for some ${sessions} linked numbers`)
  },
  name: async ({ PUBLIC_URL }) => {
    const { hostname } = new URL(PUBLIC_URL)
    const found = await lookup(hostname, { all: true })
    return ok(`${hostname} is ${found.map(({ address }) => address).join(", ")}`)
  },
  port: async ({ DATA_DIR, listen: at }) => {
    const running = await findRunning(DATA_DIR)
    if (running) return ok(`the service answers at ${running.baseUrl}`)
    const server = createServer()
    await listen(server, at.port, at.host)
    server.close()
    return weak(`${at.host}, port ${at.port} is free: the service does not run`)
  },
  certificate: async ({ PUBLIC_URL }) => {
    const { fromMs, toMs } = await certificateOf(new URL(PUBLIC_URL))
    const hours = Math.floor((toMs - nowMs()) / 3_600_000)
    // Certificates are usually renewed when a third of their time is left.
    const isRenewed = toMs - nowMs() > (toMs - fromMs) / 5
    return isRenewed
      ? ok(`good for ${hours} hours`)
      : bad(`it ends in ${hours} hours, and nobody has renewed it`)
  },
  proxy: async ({ PUBLIC_URL }) => {
    const answer = await fetch(`${PUBLIC_URL}/healthz`, { signal: AbortSignal.timeout(withinMs) })
    if (!answer.ok)
      return bad(
        `${PUBLIC_URL}/healthz is answered ${answer.status}: does the proxy lead to LISTEN? ` +
          "Run one-machine/install after a change of PUBLIC_URL or LISTEN",
      )
    const outside = await fetch(`${PUBLIC_URL}/metrics`, { signal: AbortSignal.timeout(withinMs) })
    await Promise.all([answer.body?.cancel(), outside.body?.cancel()])
    return outside.ok ? bad("/metrics is open to everybody") : ok(`${PUBLIC_URL} leads here`)
  },
  mail: async ({ serving }) => {
    if (serving.SMTP_URL === "") return weak("nobody can be mailed: set SMTP_URL and MAIL_FROM")
    const times = { connectionTimeout: withinMs, greetingTimeout: withinMs, socketTimeout: withinMs }
    await createTransport({ url: serving.SMTP_URL, ...times }).verify()
    return ok("the mail server knows us")
  },
  backups: async ({ DATA_DIR, serving: { backups } }) => {
    if (!backups) return weak("none are made: set BACKUP_DIR and BACKUP_PASSPHRASE (docs/backup.md)")
    if (!hasStore(DATA_DIR)) return weak(`${DATA_DIR} has nothing to back up yet`)
    const folder = nearestExisting(backups.dir)
    accessSync(folder, constants.W_OK)
    if (!(await itMayWrite(DATA_DIR, folder)))
      return bad(
        `the service may not write to ${backups.dir}: run one-machine/install after a change of BACKUP_DIR`,
      )
    await mustHaveRoom(DATA_DIR, folder, 2 * config.STORAGE_RESERVE_MB)
    const latest = (await ownBackups(DATA_DIR, backups.dir)).at(-1)
    if (!latest) return weak(`${backups.dir} has none yet`)
    const minutes = Math.floor((nowMs() - latest.madeMs) / 60_000)
    if (minutes < 0)
      return bad(`the latest in ${backups.dir} was made in the future: the clock is wrong, or was`)
    const says = `the latest in ${backups.dir} is ${minutes} minutes old`
    return minutes * 60_000 > alertAfterMs ? bad(`${says}: the log says why`) : ok(says)
  },
}

/** The process of the service, or of this command where it does not run. */
async function itsProcess(dataDir: string) {
  return (await findRunning(dataDir))?.process ?? thisProcess()
}

/** Whether the service may write to a folder that this command may write to: it sees another file system. */
async function itMayWrite(dataDir: string, folder: string): Promise<boolean> {
  const { pid } = await itsProcess(dataDir)
  const its = join(`/proc/${pid}/root`, folder)
  if (!existsSync(its)) return true
  try {
    accessSync(its, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** From when to when the certificate is valid. @throws an error of TLS where Node does not believe it */
async function certificateOf({ hostname, port }: URL): Promise<{ fromMs: number; toMs: number }> {
  const socket = connect({
    host: hostname,
    port: Number(port || 443),
    servername: hostname,
    timeout: withinMs,
  })
  socket.once("timeout", () => socket.destroy(new Error(`${hostname} does not answer`)))
  try {
    await once(socket, "secureConnect")
    const { valid_from, valid_to } = socket.getPeerCertificate()
    return { fromMs: Date.parse(valid_from), toMs: Date.parse(valid_to) }
  } finally {
    socket.destroy()
  }
}
