import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { z } from "zod"
import { el, type Node } from "../src/wire/node.ts"
import { connect, type Connection, type Device, link } from "../src/wire/raw-client.ts"

/** The load on the network, unless the environment says otherwise. */
const wanted = z
  .object({
    BENCH_CLIENTS: z.coerce.number().int().min(2).default(500),
    BENCH_MESSAGES: z.coerce.number().int().min(1).default(100_000),
  })
  .parse(process.env)

/** A message of some 300 bytes of ciphertext, as a short text has. */
const ciphertext = randomBytes(300)

const dataDir = mkdtempSync(join(tmpdir(), "simulator-bench-"))
const server = spawn(process.execPath, [join(import.meta.dirname, "../src/main.ts")], {
  env: { ...process.env, SIMULATOR_DATA_DIR: dataDir },
  stdio: ["ignore", "pipe", "inherit"],
})
try {
  const [line] = (await once(server.stdout, "data")) as [Buffer]
  const { url, control_url } = z
    .object({ url: z.string(), control_url: z.string() })
    .parse(JSON.parse(line.toString()))
  print("network started", { rss_mb: memory() })

  const linking = performance.now()
  const devices: Device[] = []
  while (devices.length < wanted.BENCH_CLIENTS)
    devices.push(...(await Promise.all(Array.from({ length: 10 }, () => link(url, control_url)))))
  print("devices linked", { devices: devices.length, seconds: since(linking), rss_mb: memory() })

  const counts = { received: 0, acked: 0 }
  const progress = { each: () => {} }
  const connecting = performance.now()
  const clients: Connection[] = []
  for (const device of devices)
    clients.push(
      await connect(url, device, (node, connection) => {
        settle(node, connection, counts)
        progress.each()
      }),
    )
  print("clients connected", { clients: clients.length, seconds: since(connecting), rss_mb: memory() })

  const memoryAt = [memory()]
  const worked = { network: cpu(), clients: ownCpu() }
  const sending = performance.now()
  await flood(clients, devices, counts, progress, () => memoryAt.push(memory()))
  const seconds = since(sending)
  const each = (ms: number) => Math.round((ms / counts.received) * 1000) / 1000
  print("messages through", {
    messages: counts.received,
    seconds,
    per_second: Math.round(counts.received / seconds),
    // The machine may have other work: time is what it took here, processor time what it takes anywhere.
    cpu_ms_per_message: { network: each(cpu() - worked.network), clients: each(ownCpu() - worked.clients) },
    rss_mb_at_each_fifth: memoryAt,
    load_average: Math.round((loadavg()[0] ?? 0) * 10) / 10,
  })
  for (const client of clients) client.close()
} finally {
  server.kill("SIGTERM")
  await once(server, "exit")
  rmSync(dataDir, { recursive: true, force: true })
}

/**
 * Sends messages from each client to its neighbour, so many at a time that the network is never idle. Calls
 * back at each fifth.
 */
function flood(
  clients: Connection[],
  devices: Device[],
  counts: { received: number; acked: number },
  progress: { each: () => void },
  atFifth: () => void,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let sent = 0
  let fifth = Math.ceil(wanted.BENCH_MESSAGES / 5)
  const more = () => {
    while (sent < wanted.BENCH_MESSAGES && sent - counts.received < 500) {
      const from = sent % clients.length
      const to = devices[(from + 1) % devices.length]?.name ?? ""
      clients[from]?.send(message(to, `B${sent}`))
      sent++
    }
    if (counts.received >= fifth) {
      fifth += Math.ceil(wanted.BENCH_MESSAGES / 5)
      atFifth()
    }
    if (counts.received >= wanted.BENCH_MESSAGES) resolve()
  }
  progress.each = more
  more()
  return promise
}

function message(to: string, id: string): Node {
  const [user = ""] = to.split(":")
  const jid = `${to}@s.whatsapp.net`
  return el("message", { id, to: `${user}@s.whatsapp.net`, type: "text" }, [
    el("participants", {}, [el("to", { jid }, [el("enc", { v: "2", type: "msg" }, ciphertext)])]),
  ])
}

/** A client's part: every message gets its receipt, everything else its ack. */
function settle(node: Node, connection: Connection, counts: { received: number; acked: number }) {
  const { id, from } = node.attrs
  if (node.tag === "message" && id?.startsWith("B")) counts.received++
  if (node.tag === "ack") counts.acked++
  if (node.tag === "message") connection.send(el("receipt", { id, to: from }))
  if (node.tag === "receipt" || node.tag === "notification")
    connection.send(el("ack", { class: node.tag, id, to: from, type: node.attrs.type }))
}

/** Resident megabytes of the network's process. */
function memory(): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8")) ?? []
  return Math.round(Number(kilobytes) / 1024)
}

/** Milliseconds of processor time the network's process has used: ticks of 10 ms, fields 14 and 15. */
function cpu(): number {
  const [, after = ""] = readFileSync(`/proc/${server.pid}/stat`, "utf8").split(") ")
  const fields = after.split(" ")
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** Milliseconds of processor time that this process has used, which plays the clients. */
function ownCpu(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function since(start: number): number {
  return Math.round(performance.now() - start) / 1000
}

function print(what: string, figures: Record<string, unknown>) {
  process.stdout.write(`${JSON.stringify({ what, ...figures })}\n`)
}
