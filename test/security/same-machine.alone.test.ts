import { execFile } from "node:child_process"
import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { Page } from "puppeteer-core"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { startChromium } from "#one-machine/browser/chromium.ts"
import { listen } from "#one-machine/listen.ts"
import { networkClient } from "#one-machine/network/client.ts"
import { sessionHostPids } from "#one-machine/service/session-host-pids.ts"
import { type SpawnedService, spawnService } from "#one-machine/service/spawn-service.ts"
import { probes, socketPath } from "./probes.ts"

// Everything that can listen on one machine runs: the simulated network and the pretend Stripe as well.
const dataDir = mkdtempSync(join(tmpdir(), "same-machine-"))
let service: SpawnedService
let found: { ports: number[]; sockets: string[] }
beforeAll(async () => {
  service = await spawnService({ dataDir, environment: { BILLING: "pretend", SANDBOX: "1" } })
  found = listening(treeOf(service.pid))
}, 120_000)
afterAll(async () => {
  await service.stop()
  rmSync(dataDir, { recursive: true })
})

/** How a stranger is refused. */
const refusals = [401, 403, 404, 405, 410, 421, "no answer", "blocked"]
const isRefused = (status: number | string) => refusals.includes(status)

/** What strangers can change if they are let in. */
async function state() {
  const phones = await networkClient({ controlUrl: service.phonesUrl }).phones()
  const stripe = await (await fetch(service.environment.STRIPE_API_BASE!)).text()
  return {
    phones: phones.map(({ name }) => name).toSorted(),
    hosts: await sessionHostPids(service),
    // Its minute may change meanwhile.
    day: /\d{4}-\d\d-\d\d/.exec(stripe)?.[0],
  }
}

test("the service listens at sockets in its folder, and on few ports", () => {
  const own = found.sockets.map((path) => path.split("/").at(-1)!.replace(/\d+/, "<pid>"))
  expect(own.toSorted()).toEqual(["doorbells.sock", "ecs.sock", "host-<pid>.sock", "kms.sock", "store.sock"])
  // The API, the simulated network with and without TLS, its phones, and the pretend Stripe.
  expect(found.ports).toHaveLength(5)
  expect(found.ports).toContain(Number(new URL(service.baseUrl).port))
})

test.skipIf(process.getuid?.() !== 0)(
  "another user of the machine gets nothing at any port or socket, and changes nothing",
  async () => {
    const before = await state()
    const script = fileURLToPath(new URL("other-user.ts", import.meta.url))
    const sockets = found.sockets.map((path) => join(dataDir, path.split("/").at(-1)!))
    const asked = JSON.stringify({ ...found, sockets })
    const { stdout } = await promisify(execFile)(process.execPath, [script, asked], { maxBuffer: 1e8 })
    const said = JSON.parse(stdout) as [string, string, number | string][]
    expect(said.filter(([where]) => where.startsWith("/"))).toEqual(
      sockets.map((path) => [path, "connect", "EACCES"]),
    )
    const onPorts = said.filter(([where]) => !where.startsWith("/"))
    expect(onPorts.length).toBeGreaterThan(found.ports.length * probes.length)
    const api = new URL(service.baseUrl).port
    const leadsToSignIn = ([where, what, status]: (typeof said)[number]) =>
      where === api && what.endsWith(" / 127.0.0.1") && status === 302
    expect(onPorts.filter((one) => !isRefused(one[2]) && !leadsToSignIn(one))).toEqual([])
    expect(await state()).toEqual(before)
  },
)

test("a page of another site gets nothing at any port, under its own name either, and changes nothing", async () => {
  const before = await state()
  const site = createServer((_request, response) =>
    response.setHeader("content-type", "text/html").end("<title>Another site</title>"),
  )
  const sitePort = await listen(site)
  const browser = await startChromium([
    "--host-resolver-rules=MAP *.example 127.0.0.1",
    // Else it refuses some ports by their number.
    `--explicitly-allowed-ports=${found.ports.join(",")}`,
  ])
  onTestFinished(async () => {
    await browser.close()
    site.close()
  })
  const said: unknown[] = []
  const from = async (url: string, host: string) => {
    const page = await browser.newPage()
    await page.goto(url)
    said.push(...(await tryAll(page, host)))
    await page.close()
  }
  for (const port of found.ports) {
    await from(`http://evil.example:${sitePort}/`, `127.0.0.1:${port}`)
    // DNS rebinding: the page's own name leads to this machine, so that the port counts as a part of its
    // site.
    const here = `rebind.example:${port}`
    // A port that speaks TLS shows no page.
    await from(`http://${here}/`, here).catch(() => from(`http://evil.example:${sitePort}/`, here))
  }
  expect(said).toHaveLength(found.ports.length * 2 * (probes.length + 1))
  expect(said.filter((one) => !isRefused((one as { status: number | string }).status))).toEqual([])
  expect(await state()).toEqual(before)
})

test("a data folder that others can enter is refused at the start", async () => {
  const open = mkdtempSync(join(tmpdir(), "open-to-others-"))
  onTestFinished(() => rmSync(open, { recursive: true }))
  chmodSync(open, 0o711)
  await expect(spawnService({ dataDir: open })).rejects.toThrow(
    `${open} is open to other users of this machine (mode 711): \`chmod 700 ${open}\``,
  )
})

/**
 * What a page's script is answered at a port: a status that it can read, or that the browser keeps it from
 * reading.
 */
async function tryAll(page: Page, host: string) {
  return await page.evaluate(
    async (asked) => {
      const answers: { to: string; what: string; status: number | string }[] = []
      for (const { method, path, headers = {}, body } of asked.probes) {
        const send = async (init: RequestInit) => {
          const answer = await fetch(`http://${asked.host}${path}`, {
            method,
            ...(body && { body }),
            ...init,
          })
          return answer.status
        }
        // With these headers the browser asks first. Without, it sends, and hides the answer.
        const status = await send({ headers }).catch(() => send({ mode: "no-cors" }).catch(() => "blocked"))
        answers.push({ to: asked.host, what: `${method} ${path}`, status: status === 0 ? "blocked" : status })
      }
      const status = await new Promise<number | string>((resolve) => {
        const socket = new WebSocket(`ws://${asked.host}${asked.socketPath}`)
        socket.addEventListener("open", () => resolve(101))
        socket.addEventListener("error", () => resolve("blocked"))
      })
      return [...answers, { to: asked.host, what: "WebSocket", status }]
    },
    { probes, socketPath, host },
  )
}

/** A process and all that it has started. */
function treeOf(pid: number): number[] {
  const children = readdirSync("/proc")
    .map(Number)
    .filter((one) => one > 0 && parentOf(one) === pid)
  return [pid, ...children.flatMap(treeOf)]
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1])
  } catch {
    // It has ended.
    return undefined
  }
}

/** The ports and the sockets at which one of these processes listens, as the kernel lists them. */
function listening(pids: number[]): { ports: number[]; sockets: string[] } {
  const held = new Set(pids.flatMap(socketsOf))
  const ofTcp = [...rows("tcp"), ...rows("tcp6")].filter((row) => row[3] === "0A" && held.has(row[9]!))
  const ports = ofTcp.map((row) => Number.parseInt(row[1]!.split(":")[1]!, 16))
  // Flag 0x10000: it listens.
  const ofUnix = rows("unix").filter((row) => row[3] === "00010000" && held.has(row[6]!))
  return { ports: [...new Set(ports)], sockets: ofUnix.map((row) => row[7] ?? "") }
}

/** A table of the kernel's, without its head, by columns. */
function rows(table: string): string[][] {
  return readFileSync(`/proc/net/${table}`, "utf8")
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
}

function socketsOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? []
    } catch {
      // Closed since it was listed.
      return []
    }
  })
}
