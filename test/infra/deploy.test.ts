import { spawn } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest"
import "#test/support/store.ts"
import { settingsOfStage } from "#admin/which-service.ts"
import { Host } from "#core/lease/host.ts"
import { tables } from "#core/store/tables.ts"
import { stopListening, listen } from "#one-machine/listen.ts"

const main = fileURLToPath(new URL("../../infra/check-and-deploy.ts", import.meta.url))

// In place of Docker, npm, SST and AWS's command line stand scripts: what this command asks of them is all
// there is to see here.
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "deploy-"))
  mkdirSync(join(folder, "aws-says"))
  script("docker", "exit 0")
  for (const name of ["npm", "npx"]) script(name, `echo "${name} $*" >> ${folder}/ran`)
  script(
    "aws",
    `[ "$1" = --version ] && exit 0
    cat "${folder}/aws-says/$1-$2" 2>/dev/null || { cat "${folder}/aws-says/$1-$2.refused" >&2; exit 254; }`,
  )
  says("sts-get-caller-identity", { Account: "111122223333" })
  says("lambda-get-account-settings", { AccountLimit: { ConcurrentExecutions: 3000 } })
  says("service-quotas-get-service-quota", { Quota: { Value: 6 } })
  says("iam-get-role", { Role: {} })
})
afterEach(() => rmSync(folder, { recursive: true }))

function script(name: string, lines: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${lines}\n`)
  chmodSync(join(folder, name), 0o755)
}

function says(call: string, answer: object): void {
  writeFileSync(join(folder, "aws-says", call), JSON.stringify(answer))
}

function refuses(call: string, sentence: string): void {
  rmSync(join(folder, "aws-says", call), { force: true })
  writeFileSync(join(folder, "aws-says", `${call}.refused`), sentence)
}

/** What npm and npx were asked for. */
const ran = () =>
  existsSync(join(folder, "ran")) ? readFileSync(join(folder, "ran"), "utf8").trim().split("\n") : []

async function deploy(args: string[], settings: Record<string, string> = {}) {
  const { ACCOUNTS_TABLE: _, ...here } = process.env
  const env = { ...here, AWS_REGION: "eu-central-1", ...settings, PATH: `${folder}:${process.env.PATH}` }
  const child = spawn(process.execPath, [main, ...args], { env, stdio: ["ignore", "pipe", "pipe"] })
  onTestFinished(() => void child.kill())
  const ended = new Promise<number | null>((resolve) => child.on("exit", resolve))
  const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { stdout, stderr, status }
}

test.for([[], ["--stage"], ["--stage", "Pro duction"], ["--stages", "x"], ["production"]])(
  "words that name no stage are answered with the usage: %s",
  async (args) => {
    expect(await deploy(args)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("usage: npm run deploy"),
    })
  },
)

test("all that would fail half-way is said at once, each with what to do, and nothing is made", async () => {
  says("lambda-get-account-settings", { AccountLimit: { ConcurrentExecutions: 10 } })
  says("service-quotas-get-service-quota", { Quota: { Value: 0 } })
  refuses("iam-get-role", "An error occurred (NoSuchEntity) when calling the GetRole operation")
  says("route53-list-hosted-zones", { HostedZones: [{ Name: "example.org." }] })
  refuses("sesv2-get-email-identity", "An error occurred (NotFoundException)")
  const settings = { DOMAIN: "api.example.com", MAIL_FROM: "bridge@mail.example.com" }
  const { status, stderr } = await deploy(["--stage", "production"], settings)
  expect(status).toBe(1)
  for (const sentence of [
    /may have 10 Lambda functions at once, and the stage needs 902: aws service-quotas request/,
    /may have 0 vCPUs of Fargate/,
    /never used ECS: aws iam create-service-linked-role/,
    /DOMAIN is api\.example\.com, and this account has no zone/,
    /MAIL_FROM is bridge@mail\.example\.com, and SES knows neither/,
    /Nothing was made/,
  ])
    expect(stderr).toMatch(sentence)
  expect(ran()).toEqual([])
})

test("a second stage in an account whose places others have taken is told so before it begins", async () => {
  says("lambda-get-account-settings", {
    AccountLimit: { ConcurrentExecutions: 3000, UnreservedConcurrentExecutions: 200 },
  })
  says("ssm-get-parameters-by-path", { Parameters: [] })
  const { stderr } = await deploy(["--stage", "staging"])
  expect(stderr).toMatch(/200 are left, and a first deploy of staging takes 402/)
  expect(ran().join()).toContain("sst deploy")
  await aDeployedStage("staging")
  expect((await deploy(["--stage", "staging"])).stderr).not.toContain("are left")
})

test.for([
  ["no region", { AWS_REGION: "" }, /AWS_REGION is not set.*set it in stages\/dana\.env/],
  ["a region that lacks something", { AWS_REGION: "il-central-1" }, /^il-central-1 is not known to have all/],
  ["a shell for npm run admin", { ACCOUNTS_TABLE: "Accounts" }, /deploy from another shell/],
] as const)("%s: refused with a sentence, and AWS is not asked", async ([, settings, sentence]) => {
  const { status, stderr } = await deploy(["--stage", "dana"], settings)
  expect([status, stderr]).toEqual([1, expect.stringMatching(sentence)])
  expect(stderr).not.toContain("account 111122223333")
  expect(ran()).toEqual([])
})

test("without Docker, and with credentials that AWS does not take, it is refused", async () => {
  refuses("sts-get-caller-identity", "The security token included in the request is expired")
  expect((await deploy(["--stage", "dana"])).stderr).toMatch(/does not take the credentials.*expired/)
  script("docker", "exit 1")
  expect((await deploy(["--stage", "dana"])).stderr).toMatch(/Docker with buildx is not running/)
})

/** A stage that is there: it answers, and its settings lead to the store of this test. */
async function aDeployedStage(stage: string): Promise<string> {
  const server = createServer((request, response) =>
    response.writeHead(request.url === "/healthz" ? 200 : 404).end('{"ok":true}'),
  )
  const address = `http://127.0.0.1:${await listen(server)}`
  onTestFinished(() => stopListening(server))
  const told = { ...process.env, STAGE: stage, DASHBOARD_URL: address, LEASES_TABLE: tables.leases }
  says("ssm-get-parameters-by-path", {
    Parameters: settingsOfStage.map((name) => ({
      Name: `/messaging-bridge/${stage}/admin/${name}`,
      Value: Object(told)[name] ?? `the ${name} of a stage, long enough`,
    })),
  })
  return address
}

test("it installs SST, runs it without telling its makers, waits for the first host, and says what is next", async () => {
  script("npx", `echo "npx $* telemetry=$SST_TELEMETRY_DISABLED" >> ${folder}/ran`)
  const address = await aDeployedStage("production")
  await Host.beat({
    id: crypto.randomUUID(),
    addr: "127.0.0.1:1",
    capacity: 50,
    sessions: 0,
    network: "simulated",
  })
  const told = await deploy(["--stage", "production"], { ALARM_EMAIL: "you@example.com" })
  expect(told).toMatchObject({ status: 0 })
  expect(ran()).toEqual([
    expect.stringMatching(/^npm ci --ignore-scripts/),
    "npx --no -- sst deploy --stage production telemetry=1",
  ])
  expect(told.stdout).toContain(`production is up: ${address}`)
  expect(told.stdout).toContain("confirm the subscription that AWS has mailed to you@example.com")
  expect(told.stdout).toContain("The first account")
})

test("a stage that keeps no host without a bridge is up when it answers", async () => {
  const address = await aDeployedStage("dana")
  expect(await deploy(["--stage", "dana"])).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(`dana is up: ${address}`),
  })
})

test("where SST ends with an error, so does it", async () => {
  script("npx", "exit 1")
  expect(await deploy(["--stage", "dana"])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("SST ended with an error"),
  })
})
