import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, expect, inject, onTestFinished, test, vi } from "vitest"
import { aCheckout } from "../checkout.ts"
import { evaluate, madeUp, type Resource, type World } from "../evaluate.ts"
import { graphOf, isSecret, plain } from "../graph.ts"

const first = inject("production")

/** Production as a later deploy asks for it. */
async function later(settings: Record<string, string> = {}, world: World = {}): Promise<Resource[]> {
  vi.resetModules()
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value)
  return await evaluate("production", { before: first, ...world })
}
afterEach(() => void vi.unstubAllEnvs())

/** The resources that Pulumi would make, change, replace or delete. */
function changes(before: Resource[], after: Resource[]): string[] {
  const [old, now] = [before, after].map((all) => new Map(all.map((one) => [nameOf(one), seen(one)])))
  const names = [...new Set([...old!.keys(), ...now!.keys()])]
  return names.filter((name) => old!.get(name) !== now!.get(name)).toSorted()
}

function nameOf({ type, name }: Resource): string {
  return `${type.replace(/^aws:|:[A-Za-z]+$/g, "")} ${name}`
}

function seen({ inputs }: Resource): string {
  const compared = Object.entries(inputs).map(([name, value]) => JSON.stringify([name, plain(value)]))
  return compared.toSorted().join()
}

/** By subnet. */
function zonesOf(all: Resource[]): string[] {
  return graphOf(all)
    .all("ec2/subnet:Subnet")
    .map(({ name, inputs }) => `${name} ${String(inputs.availabilityZoneId)}`)
    .toSorted()
}

function inTwo(one: string, other: string): string[] {
  return [`CallsSubnet1 ${one}`, `CallsSubnet2 ${other}`, `HostSubnet1 ${one}`, `HostSubnet2 ${other}`]
}

test("a second deploy changes nothing", async () => {
  expect(changes(first, await later())).toEqual([])
})

test("a raised host token makes a new task definition, to which the sweep moves hosts; the old one stays", async () => {
  const after = await later({ HOST_TOKEN_VERSION: "2" })
  expect(changes(first, after)).toEqual([
    "ecs/taskDefinition SessionHostTask",
    "lambda/function CallsFunction",
    "lambda/function SweepFunction",
    "random:index/randomPassword HostTokenSecret2",
    "ssm/parameter Deployed-HOST_TOKEN_VERSION",
    "ssm/parameter HostTokenParameter2",
  ])
  // Meanwhile hosts of both revisions run, and either may be started: both parameters are there, and may be
  // read.
  const read = graphOf(after).permissions("SessionHostExecutionRole")[0]
  expect(read).toMatchObject({ resources: [expect.stringMatching(/hosts\/\*$/)] })
  const [token, before] = [2, 1].map((n) => expect.stringMatching(new RegExp(`HOST_TOKEN_SECRET/${n}$`)))
  expect(graphOf(after).container().secrets).toEqual([
    { name: "HOST_TOKEN_SECRET", valueFrom: token },
    { name: "HOST_TOKEN_SECRET_BEFORE", valueFrom: before },
    { name: "PHONE_SECRET", valueFrom: expect.stringMatching(/PHONE_SECRET$/) },
  ])
  expect(graphOf(after).environment("CallsFunction").HOST_TOKEN_SECRET_BEFORE).toBe(
    madeUp("HostTokenSecret1"),
  )
})

test("a raised router secret reaches the router and each function with a URL, which know the old one too", async () => {
  const after = await later({ ROUTER_SECRET_VERSION: "2" })
  expect(changes(first, after)).toEqual([
    "cloudfront/distribution RouterCdnDistribution",
    "lambda/function ApiFunction",
    "lambda/function DashboardFunction",
    "lambda/function DashboardStreamFunction",
    "lambda/function StreamFunction",
    "lambda/function TransferFunction",
    "random:index/randomPassword RouterSecret2",
    "ssm/parameter Deployed-ROUTER_SECRET_VERSION",
  ])
  const before = graphOf(first)
  for (const name of ["Api", "Stream", "Transfer", "Dashboard", "DashboardStream"].map(
    (one) => `${one}Function`,
  )) {
    const { ROUTER_SECRET, ROUTER_SECRET_BEFORE } = graphOf(after).environment(name)
    expect(ROUTER_SECRET_BEFORE).toBe(before.environment(name).ROUTER_SECRET)
    expect(ROUTER_SECRET).not.toBe(ROUTER_SECRET_BEFORE)
  }
})

test("a raised pepper reaches every function that hashes API keys", async () => {
  expect(changes(first, await later({ API_KEY_PEPPER_VERSION: "2" }))).toEqual([
    "lambda/function ApiFunction",
    "lambda/function DashboardFunction",
    "lambda/function DashboardStreamFunction",
    "lambda/function StreamFunction",
    "lambda/function TransferFunction",
    "random:index/randomPassword ApiKeyPepper2",
    "ssm/parameter Admin-API_KEY_PEPPER",
    "ssm/parameter Deployed-API_KEY_PEPPER_VERSION",
  ])
})

test("the pepper of a stage that was removed can be put back, as secret as one that is made", async () => {
  const API_KEY_PEPPER = "of the stage before".padEnd(40, "-")
  const after = await later({ API_KEY_PEPPER })
  expect(changes(first, after)).toEqual([
    "lambda/function ApiFunction",
    "lambda/function DashboardFunction",
    "lambda/function DashboardStreamFunction",
    "lambda/function StreamFunction",
    "lambda/function TransferFunction",
    "ssm/parameter Admin-API_KEY_PEPPER",
    "ssm/parameter Deployed-API_KEY_PEPPER",
  ])
  expect(graphOf(after).environment("ApiFunction").API_KEY_PEPPER).toBe(API_KEY_PEPPER)
  const { environment } = graphOf(after).one("lambda/function:Function", "ApiFunction")
  expect(isSecret(environment)).toBe(true)
  const { value } = graphOf(after).one("ssm/parameter:Parameter", "Deployed-API_KEY_PEPPER")
  expect(plain(value)).toBe("given")
})

test("another version of the code replaces hosts, and nothing that holds data or has an address", async () => {
  const { folder, remove } = aCheckout({ changed: { "core/error.ts": "export {}" } })
  onTestFinished(remove)
  expect(changes(first, await later({}, { root: folder }))).toEqual([
    "ecs/taskDefinition SessionHostTask",
    "lambda/function SweepFunction",
  ])
})

test("a deploy of the same code from another folder, by somebody with another umask, replaces no host", async () => {
  const { folder, remove } = aCheckout({ umask: 0o077, changed: { "packages/cli/src/main.ts": "export {}" } })
  onTestFinished(remove)
  const changed = changes(first, await later({}, { root: folder }))
  // The files that go with a function have their permissions in its archive.
  expect(changed.filter((name) => !/(Api|Dashboard|DashboardStream)(Function|Code)$/.test(name))).toEqual([])
})

test("the image of the hosts is built and pushed only where the registry lacks it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "docker-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const asked = join(folder, "asked")
  const script = `#!/bin/sh\necho "$*" >> ${asked}\ncat >> ${asked}\nfind . -type f -printf '%P %m\\n' >> ${asked}\n`
  writeFileSync(join(folder, "docker"), script, { mode: 0o755 })
  vi.stubEnv("PATH", `${folder}:${process.env.PATH}`)
  await later()
  expect(existsSync(asked)).toBe(false)
  const after = await later({}, { lacksImages: true })
  const said = readFileSync(asked, "utf8")
  const { image } = graphOf(after).container()
  expect(image).toMatch(/amazonaws\.com\/sst-asset:messaging-bridge-session-host-[0-9a-f]{24}$/)
  expect(said).toContain("login --username AWS --password-stdin https://registry.test\na password")
  expect(said).toContain(
    `buildx build --platform linux/arm64 --provenance=false --push --file session-host/Dockerfile --tag ${String(image)} .`,
  )
  // Whoever runs it there reads it.
  expect(said).toContain("\nsession-host/media/build-ffmpeg 755\n")
  expect(said).toContain("\nsession-host/main.ts 644\n")
  expect(said).toContain("\npackages/sdk-typescript/package.json 644\n")
  expect(said).not.toContain("packages/sdk-typescript/src")
})

test("a zone that drops out of AWS's list moves no subnet, and zones without Fargate are not chosen", async () => {
  const after = await later({}, { zones: ["euc1-az3", "euc1-az2"] })
  expect(changes(first, after)).toEqual([])
  expect(zonesOf(first)).toEqual(inTwo("euc1-az1", "euc1-az2"))
  const tokyo = await later({}, { before: [], zones: ["apne1-az3", "apne1-az4", "apne1-az1"] })
  expect(zonesOf(tokyo)).toEqual(inTwo("apne1-az1", "apne1-az4"))
})

test("a deploy to a region that lacks something, or two usable zones, is refused with a sentence", async () => {
  await expect(later({}, { region: "il-central-1" })).rejects.toThrow(
    /^il-central-1 is not known to have all that the service needs/,
  )
  // Whether functions stream there is not documented.
  for (const region of ["af-south-1", "ap-east-1", "ap-southeast-3", "eu-south-1", "me-south-1"])
    await expect(later({}, { region })).rejects.toThrow("streamed answers")
  await expect(later({}, { region: "us-west-1", zones: ["usw1-az2", "usw1-az3"] })).rejects.toThrow(
    "us-west-1 has 1 of the 2 zones that the service needs (usw1-az3): choose another region",
  )
})

test("nothing is deployed without a region by name, by sst dev, or with a Node that is too old", async () => {
  await expect(later({ AWS_REGION: "" })).rejects.toThrow(
    "AWS_REGION is not set, and the region of your profile may be another than the stage's: set it in stages/production.env",
  )
  await expect(later({}, { isDev: true })).rejects.toThrow(/^sst dev would replace this stage's functions/)
  const loadEnvFile: unknown = Reflect.get(process, "loadEnvFile")
  // As before Node 20.12.
  Object.assign(process, { loadEnvFile: undefined })
  onTestFinished(() => void Object.assign(process, { loadEnvFile }))
  await expect(later()).rejects.toThrow(/^a deploy needs Node 20.12 or newer, and this is v/)
})

test("a first deploy beside a stage of this name, elsewhere or removed, is refused unless it is to return", async () => {
  const tables = ["messaging-bridge-production-AccountsTable-abcdefgh"]
  const roles = ["messaging-bridge-production-ApiRole-abcdefgh"]
  await expect(later({}, { tables })).rejects.toThrow(
    /^this account has parts of a stage "production".*AccountsTable/,
  )
  await expect(later({}, { roles })).rejects.toThrow(/ApiRole-abcdefgh\): set AWS_REGION to where it is/)
  // It is this stage, or another one whose name begins with this one's.
  const deployed = { API_KEY_PEPPER_VERSION: "1" }
  expect(changes(first, await later({}, { tables, roles, deployed }))).toEqual([])
  const other = { tables: ["messaging-bridge-production-2-AccountsTable-abcdefgh"] }
  expect(changes(first, await later({}, other))).toEqual([])
  const back = later({ API_KEY_PEPPER: "of the stage before".padEnd(40, "-") }, { tables })
  await expect(back).resolves.toBeDefined()
})

test("a deploy of production without an address for alarms is refused", async () => {
  await expect(later({ ALARM_EMAIL: "" })).rejects.toThrow("ALARM_EMAIL is not set")
})

test("a deploy that lacks what the last one had is refused and told what, unless it says that it is to go", async () => {
  const deployed = { DOMAIN: "api.example.com", SANDBOX: "1" }
  await expect(later({}, { deployed })).rejects.toThrow(
    'DOMAIN is not set, and the last deploy had "api.example.com": set it, or set it to nothing; SANDBOX is not set',
  )
  expect(changes(first, await later({ DOMAIN: "", SANDBOX: "0" }, { deployed }))).toEqual([])
})

test("a secret does not go back to an earlier version unnoticed: every API key would be void", async () => {
  await expect(later({}, { deployed: { API_KEY_PEPPER_VERSION: "2" } })).rejects.toThrow(
    "API_KEY_PEPPER_VERSION is 1, and the last deploy had 2: set it to 2 or more",
  )
})

test.for(["HOST_TOKEN_VERSION", "ROUTER_SECRET_VERSION", "API_KEY_PEPPER_VERSION"])(
  "%s is raised by one at a time: no process takes an earlier secret than the one before",
  async (name) => {
    await expect(later({ [name]: "3" }, { deployed: { [name]: "1" } })).rejects.toThrow(
      `${name} is 3, and the last deploy had 1: raise it by one at each deploy`,
    )
  },
)

test("a raised version of a pepper that is given is refused: that pepper would stay in use", async () => {
  const API_KEY_PEPPER = "of the stage before".padEnd(40, "-")
  const raised = { API_KEY_PEPPER_VERSION: "2" }
  await expect(later({ API_KEY_PEPPER, ...raised })).rejects.toThrow(
    "API_KEY_PEPPER_VERSION is raised, which changes nothing while API_KEY_PEPPER is given",
  )
  const deployed = { API_KEY_PEPPER: "given", API_KEY_PEPPER_VERSION: "1" }
  const after = await later({ API_KEY_PEPPER: "", ...raised }, { deployed })
  expect(graphOf(after).environment("ApiFunction").API_KEY_PEPPER).toBe(madeUp("ApiKeyPepper2"))
})

test("a deploy from a shell with the settings of npm run admin is refused", async () => {
  await expect(later({ ACCOUNTS_TABLE: "AccountsTable" })).rejects.toThrow("deploy from another shell")
})

test("a check knows no setting of the operator's: of the table of settings it has none but its own", () => {
  const page = readFileSync(new URL("../../../docs/settings.md", import.meta.url), "utf8")
  const [, table = ""] = page.split("## At a deploy")
  const names = table.split("\n## ")[0]!.matchAll(/`([A-Z][A-Z_]+)`/g)
  const known = new Set([...names].map(([, name]) => name!))
  expect(known.size).toBeGreaterThan(20)
  const given = [...known].filter((name) => process.env[name] !== undefined)
  expect(given.toSorted()).toEqual(["ALARM_EMAIL", "AWS_REGION", "MAIL_FROM"])
})

test("what a deploy writes beside each package.json is neither committed nor checked", () => {
  const ignored = readFileSync(new URL("../../../.gitignore", import.meta.url), "utf8").split("\n")
  expect(ignored).toContain("sst-env.d.ts")
})

test("a kept stage may be removed when it is told so, and its keys are forgotten, not deleted", async () => {
  const after = await later({ REMOVABLE: "1" })
  for (const { options } of graphOf(after).all("kms/key:Key"))
    expect(options).toMatchObject({ protect: false, retainOnDelete: true })
})
