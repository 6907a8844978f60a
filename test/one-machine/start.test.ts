import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, expect, onTestFinished, test } from "vitest"
import { listen } from "#one-machine/listen.ts"
import { findRunning } from "#one-machine/service/running.ts"
import { sessionHostPids } from "#one-machine/service/session-host-pids.ts"
import { Settings } from "#one-machine/service/settings.ts"
import { bareEnvironment } from "#test/support/bare-environment.ts"
import { until } from "#test/support/until.ts"

const folder = mkdtempSync(join(tmpdir(), "bridge-start-"))
afterAll(() => rmSync(folder, { recursive: true }))
// The service makes it.
const dataDir = join(folder, "data")

/** What is there that others may read, write or enter. */
const openToOthers = (path: string) =>
  [path, ...readdirSync(path, { recursive: true, encoding: "utf8" }).map((name) => join(path, name))].filter(
    (found) => (statSync(found).mode & 0o077) !== 0,
  )

/** `npm start` without npm: its output, and how it ends. */
function start(environment: Record<string, string> = {}) {
  // Nothing is kept from others by the umask that the service is started with.
  const umask = process.umask(0)
  const child = spawn(process.execPath, ["one-machine/start.ts"], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...bareEnvironment,
      DATA_DIR: dataDir,
      PORT: "0",
      SIMULATOR_CONTROL_PORT: "0",
      ...environment,
    },
  })
  process.umask(umask)
  let said = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += String(chunk)))
  onTestFinished(() => {
    child.kill("SIGKILL")
  })
  const ended = once(child, "close").then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals)
  const greeted = async () => {
    await Promise.race([once(child.stdout, "data"), ended])
    expect(said).toContain("The messaging bridge runs")
  }
  /**
   * Ctrl-C under npm, which passes the terminal's signal on: the second comes when the first has been heard.
   */
  const interrupted = async () => {
    child.kill("SIGINT")
    await until(() => said.includes("stopping..."))
    child.kill("SIGINT")
  }
  return { child, ended, said: () => said, greeted, interrupted }
}

// It starts and stops the whole service twice.
const patient = { timeout: 180_000 }
test(
  "the printed lines work when pasted, Ctrl-C under npm ends all well, and a second start finds it all",
  patient,
  async () => {
    const first = start()
    await first.greeted()
    const { key, sent, read, answer, events } = linesOf(first.said())
    expect(await shell(sent)).toMatch(/"message_id":"3EB0[0-9A-F]{18}"/)
    expect(await shell(`${read}?wait=10000`)).toContain("Hello Ada")
    expect(await shell(answer)).toContain('"id"')
    await until(async () => (await shell(events)).includes('"body":"Hello yourself"'))

    const running = await findRunning(dataDir)
    const { headers } = await fetch(`${running!.baseUrl}/healthz`)
    expect(headers.get("keep-alive")).toBe("timeout=620")
    // Ten times what a service that customers share lets through.
    expect(headers.get("ratelimit-limit")).toBe("3000")
    const hosts = await sessionHostPids(running!)
    expect(hosts).toHaveLength(1)
    expect(openToOthers(dataDir)).toEqual([])
    await first.interrupted()
    expect(await first.ended).toBe(0)
    expect(hosts.filter(isAlive)).toEqual([])
    expect(await findRunning(dataDir)).toBeUndefined()

    const second = start()
    await second.greeted()
    const again = linesOf(second.said())
    expect(again.key).toBe(key)
    // A call waits 30 s for its session. On a busy machine a host may take longer to start; then nothing was
    // sent.
    await until(async () => /"message_id"/.test(await shell(again.sent)))
    second.child.kill("SIGINT")
    expect(await second.ended).toBe(0)

    for (const file of ["account.json", "secrets.json", "wrapping-keys.json"])
      expect(statSync(join(dataDir, file)).mode & 0o777).toBe(0o600)
    const store = statSync(join(dataDir, "store.sqlite"))
    for (const file of ["secrets.json", "wrapping-keys.json"])
      expect(store.birthtimeMs).toBeGreaterThanOrEqual(statSync(join(dataDir, file)).mtimeMs)
    const log = readFileSync(join(dataDir, "logs", "service.log"), "utf8")
    expect(log).not.toContain(key.slice(-38))
    expect(log).not.toContain("Hello Ada")

    const other = start({ HOST_NETWORK: "live" })
    expect(await other.ended).toBe(78)
    expect(other.said().trim()).toBe(
      `${dataDir} was begun with HOST_NETWORK=simulated, and its bridges stay there: ` +
        "for HOST_NETWORK=live choose another folder with DATA_DIR=...",
    )
  },
)

test("a signal is the end only if the stop has taken ten seconds by then", async () => {
  const script = `import { askedToStop } from "#one-machine/asked-to-stop.ts"
    setInterval(() => "a stop that never ends", 60_000)
    const asked = askedToStop({ patienceMs: 10_000 })
    console.log("runs")
    await asked
    console.log("stopping...")`
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  const ended = once(child, "exit")
  await once(child.stdout, "data")
  child.kill("SIGTERM")
  await once(child.stdout, "data")
  const askedMs = performance.now()
  for (let isOver = false; !isOver;) {
    child.kill("SIGINT")
    isOver = await Promise.race([ended.then(() => true), sleep(200).then(() => false)])
  }
  expect(await ended).toEqual([130, null])
  expect(performance.now() - askedMs).toBeGreaterThan(9900)
})

test("a demo that is interrupted stops its service and removes its data", async () => {
  const folder = mkdtempSync(join(tmpdir(), "bridge-interrupted-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const demo = spawn(process.execPath, ["one-machine/demo/main.ts"], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...bareEnvironment, TMPDIR: folder },
  })
  onTestFinished(() => void demo.kill("SIGKILL"))
  const ended = once(demo, "exit")
  await once(demo.stdout, "data")
  const [data] = readdirSync(folder)
  const running = await findRunning(join(folder, data!))
  demo.kill("SIGTERM")
  expect(await ended).toEqual([1, null])
  expect(readdirSync(folder)).toEqual([])
  await expect(fetch(running!.baseUrl)).rejects.toThrow("fetch failed")
})

test("a taken port is one clear line", async () => {
  const other = createServer()
  onTestFinished(() => void other.close())
  const port = await listen(other)
  const refused = start({ PORT: String(port) })
  expect(await refused.ended).toBe(1)
  expect(refused.said().trim()).toBe(`port ${port} is taken: choose another with PORT=...`)
})

test("a setting that makes no sense is one clear line", async () => {
  // One of the service on this machine, and one of the service wherever it runs.
  for (const [name, value] of Object.entries({ PORT: "many", DASHBOARD_URL: "foo" })) {
    const refused = start({ [name]: value })
    expect(await refused.ended).toBe(78)
    expect(refused.said().trim()).toMatch(new RegExp(`^${name}: [^\n]*$`))
  }
})

test.for([
  ["HOST_NETWORK", { HOST_NETWORK: "real" }],
  ["URL_ALLOW", { URL_ALLOW: "foo" }],
  ["BILLING", { BILLING: "stripe", STRIPE_SECRET_KEY: "sk_test_1" }],
  ["SANDBOX", { HOST_NETWORK: "live", SANDBOX: "yes" }],
] as const)("%s that makes no sense is refused", ([name, environment]) => {
  expect(Settings.safeParse(environment).error?.issues).toMatchObject([{ path: [name] }])
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    // There is no such process.
    return false
  }
}

/** The lines to paste, each after the line that sets its variables. */
function linesOf(said: string) {
  const [variables = ""] = /URL=.*/.exec(said) ?? []
  const lines = (said.match(/curl .*/g) ?? []).map((line) => `${variables}\n${line}`)
  expect(lines).toHaveLength(4)
  const [sent, read, answer, events] = lines as [string, string, string, string] // counted above
  return { key: /mbk_\w+/.exec(variables)![0], sent, read, answer, events }
}

/** Runs a line in a shell, as a person would paste it. */
async function shell(line: string): Promise<string> {
  const child = spawn("sh", ["-c", line.replace("curl ", "curl -sS ")], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  let printed = ""
  child.stdout.on("data", (chunk) => (printed += String(chunk)))
  await once(child, "close")
  return printed
}
