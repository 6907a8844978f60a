import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createServer as createHttpServer } from "node:http"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { config } from "#core/platform/config.ts"
import { listen } from "#one-machine/listen.ts"
import { examine } from "#one-machine/serve/doctor.ts"
import { announceRunning } from "#one-machine/service/running.ts"
import { aService, backUp, passphrase } from "#test/one-machine/backup/service.ts"

const fitting = { PUBLIC_URL: "https://wa.example.com", OPERATOR_EMAIL: "operator@example.com" }

/** A server that takes connections and never says anything. */
async function aSilentServer(): Promise<number> {
  const server = createServer()
  onTestFinished(() => void server.close())
  return await listen(server)
}

test("settings that do not fit are said one by one, and nothing else is looked at", async () => {
  expect(await examine({ ...fitting, OPERATOR_EMAIL: "nobody", METRICS_TOKEN: "short" })).toEqual([
    { what: "OPERATOR_EMAIL", is: "bad", says: expect.stringContaining("must be your own e-mail address") },
    { what: "METRICS_TOKEN", is: "bad", says: expect.stringContaining("at least 32 characters") },
  ])
})

test("it tells what the service's own process may take, and which setting is misspelt", async () => {
  const folder = mkdtempSync(join(tmpdir(), "doctor-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const server = createHttpServer((_request, response) => response.end())
  onTestFinished(() => void server.close())
  announceRunning(folder, {
    baseUrl: `http://127.0.0.1:${await listen(server)}`,
    phonesUrl: "",
    environment: {},
  })
  const file = join(folder, "running.json")
  const itsOwn = { pid: process.pid, openFiles: 1024, memoryMb: 300 }
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), process: itsOwn }))
  const findings = await examine({
    ...fitting,
    PUBLIC_URL: "https://localhost:1",
    HOST_NETWORK: "simulated",
    DATA_DIR: folder,
    BACKUP_DRI: "/mnt",
  })
  expect(findings.filter(({ what }) => /files|memory|BACKUP/.test(what))).toEqual([
    { what: "BACKUP_DRI", is: "bad", says: "it is no setting; BACKUP_DIR is one" },
    { what: "files", is: "look", says: "a process may open 1024 files: LimitNOFILE=65536" },
    { what: "memory", is: "bad", says: "300 MB are not enough" },
  ])
})

test("where nothing runs and no server answers, each thing is said, and it ends", async () => {
  const folder = mkdtempSync(join(tmpdir(), "doctor-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const silent = await aSilentServer()
  const findings = await examine({
    DATA_DIR: folder,
    HOST_NETWORK: "simulated",
    LISTEN: "127.0.0.1:0",
    PUBLIC_URL: `https://localhost:${silent}`,
    OPERATOR_EMAIL: "operator@example.com",
    SMTP_URL: `smtp://127.0.0.1:${silent}`,
    MAIL_FROM: "wa@example.com",
  })
  expect(Object.fromEntries(findings.map(({ what, is }) => [what, is]))).toMatchObject({
    files: expect.stringMatching(/ok|look/),
    name: "ok",
    port: "look",
    certificate: "bad",
    proxy: "bad",
    mail: "bad",
    backups: "look",
  })
})

test("backups that the next hour cannot make, and one from the future, are said before they are missing", async () => {
  const service = await aService()
  const said = async () => {
    const findings = await examine({
      DATA_DIR: service.dataDir,
      HOST_NETWORK: "simulated",
      PUBLIC_URL: "https://localhost:1",
      OPERATOR_EMAIL: "operator@example.com",
      BACKUP_DIR: service.dir,
      BACKUP_PASSPHRASE: passphrase,
    })
    const { is, says } = findings.find(({ what }) => what === "backups")!
    return `${is}: ${says}`
  }
  const { path } = await backUp(service)
  expect(await said()).toMatch(/^ok: the latest in .* is 0 minutes old$/)
  renameSync(path, path.replace(/T?20\d\d-/, "2999-"))
  expect(await said()).toMatch(/^bad: the latest in .* was made in the future/)
  config.STORAGE_RESERVE_MB = 1e9
  expect(await said()).toMatch(/^bad: the disk of .* has no room for a backup/)
})
