import { execFile } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, onTestFinished, test } from "vitest"
import { apiClient } from "#one-machine/api-client.ts"
import { untilConnected } from "#one-machine/network/link.ts"
import { misspelt } from "#one-machine/service/misspelt.ts"
import { sessionHostPids } from "#one-machine/service/session-host-pids.ts"
import { ServeSettings } from "#one-machine/service/settings.ts"
import { bareEnvironment } from "#test/support/bare-environment.ts"
import { fitting, runs, serve } from "#test/support/service/serve.ts"
import { until } from "#test/support/until.ts"

const token = "a-token-for-metrics-of-32-characters"

test("what is missing or weak is refused with one sentence each, and nothing is written", async () => {
  const environment = { MAIL_FROM: "wa@example.com", METRICS_TOKEN: "short", LISTEN: "8787" }
  const { ended, said, folder } = serve(environment)
  // The unit is not started again after this code.
  expect(await ended).toBe(78)
  expect(readdirSync(folder)).toEqual([])
  expect(said().trim()).toBe(
    [
      "LISTEN: must be an address and a port, as 127.0.0.1:8787 or [::1]:8787",
      "PUBLIC_URL: is missing: the address at which people reach the service, as https://wa.example.com",
      "OPERATOR_EMAIL: must be your own e-mail address: you sign in with it, and alerts go there",
      "METRICS_TOKEN: must have at least 32 characters: `openssl rand -hex 24` makes some",
    ].join("\n"),
  )
})

test.for([
  ["PUBLIC_URL", "http://wa.example.com", "must be https and a host alone, as https://wa.example.com"],
  ["BACKUP_DIR", "backups", "BACKUP_PASSPHRASE: is missing: backups are sealed under it"],
  [
    "MAIL_FROM",
    "wa@example.com",
    "SMTP_URL and MAIL_FROM go together: the mail server, and the address that mail is sent from",
  ],
] as const)("%s=%s is refused with a sentence", ([name, value, sentence]) => {
  const { error } = ServeSettings.safeParse({ ...fitting, [name]: value })
  const said = error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`)
  expect(said).toEqual([expect.stringContaining(sentence)])
})

test.for([
  ["BACKUP_DIRR", "BACKUP_DIR"],
  ["backup_dir", "BACKUP_DIR"],
  ["PUBLICURL", "PUBLIC_URL"],
  ["SMPT_URL", "SMTP_URL"],
  ["BAKUP_PASPHRASE", "BACKUP_PASSPHRASE"],
] as const)("%s is no setting, and %s is named", ([name, meant]) => {
  expect(misspelt({ ...fitting, [name]: "x" })).toEqual([{ name, meant }])
})

test("variables of other programs are no settings that were misspelt", () => {
  const others = `HOME HOSTNAME INVOCATION_ID JOURNAL_STREAM LANG LISTEN_FDS LISTEN_PID LOGNAME MEMORY_PRESSURE_WATCH
    NODE_ENV NODE_OPTIONS NODE_VERSION NOTIFY_SOCKET PATH PORTS PWD SHELL STATE_DIRECTORY SYSTEMD_EXEC_PID TERM TZ USER
    HTTP_PROXY HTTPS_PROXY NO_PROXY MEMORY IMAGE MALLOC_ARENA_MAX HOST_IP HOST_PORT STAGE AWS_REGION`
  const environment = Object.fromEntries(others.split(/\s+/).map((name) => [name, "x"]))
  expect(misspelt(environment)).toEqual([])
})

test("it is ready while its parts work, guards its metrics, backs itself up, and ends well on two signals", async () => {
  const dir = mkdtempSync(join(tmpdir(), "bridge-backups-"))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const backups = { BACKUP_DIR: dir, BACKUP_PASSPHRASE: "correct horse battery staple" }
  // In the place of systemd's: it says that the unit is up.
  const told = join(dir, "told")
  writeFileSync(join(dir, "systemd-notify"), `#!/bin/sh\necho "$NOTIFY_SOCKET $*" >${told}\n`, {
    mode: 0o755,
  })
  const systemd = { NOTIFY_SOCKET: "/run/notify", PATH: `${dir}:${process.env.PATH}` }
  const service = serve({ ...fitting, ...backups, ...systemd, METRICS_TOKEN: token })
  const running = await runs(service)
  await until(() => existsSync(told) && readFileSync(told, "utf8") !== "")
  expect(readFileSync(told, "utf8")).toBe("/run/notify --ready\n")
  const ready = await fetch(`${running.baseUrl}/readyz`)
  expect([ready.status, await ready.json()]).toEqual([
    200,
    { ok: true, store: true, hosts: true, room: true },
  ])

  const read = async (headers: Record<string, string>) =>
    await fetch(`${running.baseUrl}/metrics`, { headers })
  expect((await read({})).status).toBe(401)
  expect((await read({ authorization: `Bearer ${token}x` })).status).toBe(401)
  const metrics = await read({ authorization: `Bearer ${token}` })
  expect(metrics.headers.get("content-type")).toMatch(/^application\/openmetrics-text; version=1\.0\.0/)
  expect(await metrics.text()).toMatch(
    /^# TYPE bridge_sessions_expected gauge[^]*^bridge_sessions_expected 0$[^]*# EOF\n$/m,
  )

  await until(() => readdirSync(dir).some((name) => name.endsWith(".backup")))
  const backedUp = async () => await (await read({ authorization: `Bearer ${token}` })).text()
  await until(async () => /^bridge_backup_age_s [\d.]+$/m.test(await backedUp()))
  expect(await backedUp()).toMatch(/^bridge_backup_failed 0$/m)

  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["admin/main.ts", "login-link", fitting.OPERATOR_EMAIL],
    { env: { ...bareEnvironment, DATA_DIR: service.folder } },
  )
  expect(stdout).toMatch(/^link=https:\/\/wa\.example\.com\/sign-in\/link\/[\w-]+$/m)

  const pages = await fetch(`${running.baseUrl}/sign-in`, { redirect: "manual" })
  expect(await pages.text()).not.toContain("/dev/mail")
  // At once: a stop takes a moment only, and whatever comes when all is stopped ends the process as it ends
  // any.
  const stopping = new Promise<void>((resolve) => {
    service.child.stdout.on("data", (said) => String(said).includes("stopping...") && resolve())
  })
  service.child.kill("SIGTERM")
  await stopping
  service.child.kill("SIGTERM")
  expect(await service.ended).toBe(0)
  expect(existsSync(join(service.folder, "running.json"))).toBe(false)
  // No account's key is printed, and no log file is left to grow.
  expect(service.said()).not.toContain("mbk_")
  expect(readdirSync(join(service.folder, "logs"))).toEqual(["simulator.log"])
})

test("beside the live network each account may have a sandbox, on hosts that alone trust the simulated one", async () => {
  const live = {
    HOST_NETWORK: "live",
    SANDBOX: "1",
    WHATSAPP_WEB_VERSION: "2.3000.1023456789",
  }
  // Nothing here reaches the live network: its only bridge dials a proxy that is not there.
  const service = serve({ ...fitting, ...live, URL_ALLOW: "127.0.0.0/8" })
  const running = await runs(service)
  const admin = async (...words: string[]) => {
    const env = { PATH: process.env.PATH, DATA_DIR: service.folder }
    const run = await promisify(execFile)(process.execPath, ["admin/main.ts", "--json", ...words], { env })
    return JSON.parse(run.stdout) as Record<string, string>[] // printed by a verb
  }
  const [account] = await admin("account", "create", "Ada", "active", "--key")
  const api = apiClient(running.baseUrl, account!.key!)
  await untilConnected("sandbox", { api, signal: AbortSignal.timeout(60_000) })

  await api("POST", "/instances", { customer_ref: "shop" })
  await api("PATCH", "/instances/shop", { proxy_url: "http://127.0.0.1:1" })
  // The session dials while a caller waits for a code.
  const isDialled = async () =>
    (await api("GET", "/instances/shop/proxy/qr").then(() => "", String)).includes("proxy does not answer")
  await until(isDialled, { withinMs: 90_000 })
  const environments = (await sessionHostPids(running)).map((pid) =>
    Object.fromEntries(
      readFileSync(`/proc/${pid}/environ`, "utf8")
        .split("\0")
        .map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]),
    ),
  )
  const believing = environments.filter(({ NODE_EXTRA_CA_CERTS }) => NODE_EXTRA_CA_CERTS !== undefined)
  expect(environments).toHaveLength(2)
  expect(believing.map(({ HOST_NETWORK }) => HOST_NETWORK)).toEqual(["simulated"])
}, 120_000)
