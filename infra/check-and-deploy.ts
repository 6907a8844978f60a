import { spawnSync } from "node:child_process"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { refuseRegion } from "./stage/check-region.ts"
import { readSettings, refuseAdminShell, refuseBeforeAll, refuseEnvFiles } from "./stage/settings-file.ts"

// `npm run deploy -- --stage <stage>`: a whole deploy. It refuses with a sentence what would fail half-way,
// installs and runs SST, waits until the stage answers and its first host beats, and says what comes next.

const root = fileURLToPath(new URL("..", import.meta.url))
const infra = fileURLToPath(new URL(".", import.meta.url))

/**
 * How many functions must be able to run at once, with the hundred that AWS wants unreserved: `test/infra`
 * compares.
 */
const places = { production: 902, staging: 402, personal: 342 }
/** With fewer, the API and `Calls` share so few that a flood of one customer is felt by all. */
const comfortable = 2000
/** The smallest quota of Fargate's vCPUs with which a stage makes sense: each host takes a quarter of one. */
const vcpus = 1
/** How long the router and the first host may take, in ms. */
const comesUpWithin = 15 * 60_000
const lookEachMs = 5000

process.exitCode = await main()

async function main(): Promise<number> {
  const stage = stageAsked()
  if (stage === undefined) {
    console.error(
      "usage: npm run deploy -- --stage <production, staging, or a name of your own: a-z, 0-9, ->",
    )
    return 2
  }
  try {
    readSettings(stage, root)
    refuseBeforeAll(stage, { isDev: false })
    // SST refuses the region too, but has made its own bucket and registry there by then.
    refuseRegion(process.env.AWS_REGION ?? "")
    refuseEnvFiles(stage, root)
    refuseAdminShell()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return 1
  }
  const faults = faultsOfMachine()
  if (faults.length === 0) faults.push(...faultsOfAccount(stage))
  for (const fault of faults) console.error(`- ${fault}`)
  if (faults.length > 0) {
    console.error('Nothing was made. The reasons are above; docs/deploy.md, "Before you deploy", has more.')
    return 1
  }
  console.error("installing SST (npm ci)...")
  if (!run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], infra)) return 1
  if (!run("npx", ["--no", "--", "sst", "deploy", "--stage", stage], infra)) {
    console.error(
      'SST ended with an error: docs/deploy.md, "When a deploy fails", says how to go on. To try again changes nothing twice.',
    )
    return 1
  }
  return await comesUp(stage)
}

/**
 * The stage that `--stage` names; undefined without one, or if a stage cannot have this name: SST cuts the
 * names of roles when it is longer.
 */
function stageAsked(): string | undefined {
  try {
    const { stage = "" } = parseArgs({ options: { stage: { type: "string" } } }).values
    return /^[a-z][a-z0-9-]{0,29}$/.test(stage) ? stage : undefined
  } catch {
    // An option that is unknown.
    return undefined
  }
}

/** Runs a command and shows what it says. @returns whether it succeeded */
function run(command: string, args: string[], cwd: string): boolean {
  // SST would report errors to its makers, with names of resources.
  const env = { ...process.env, SST_TELEMETRY_DISABLED: "1" }
  return spawnSync(command, args, { cwd, env, stdio: "inherit" }).status === 0
}

function works(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: "ignore" }).status === 0
}

function faultsOfMachine(): string[] {
  return [
    ...(works("docker", "buildx", "version") && works("docker", "info")
      ? []
      : ["Docker with buildx is not running here: the session hosts' image is built with it"]),
    ...(works("aws", "--version") ? [] : ["there is no `aws` command here: install AWS's command line"]),
  ]
}

type Answer = { said: unknown } | { refused: string }

/** What AWS answers, or why it does not. */
function aws(...args: string[]): Answer {
  const { status, stdout, stderr } = spawnSync("aws", [...args, "--output", "json"], { encoding: "utf8" })
  return status === 0 ? { said: JSON.parse(stdout || "null") } : { refused: stderr.trim() }
}

/** A part of what AWS says, by the names that lead to it; undefined where there is none. */
function part(answer: Answer, ...path: string[]): unknown {
  let found: unknown = "said" in answer ? answer.said : undefined
  for (const name of path) found = Object(found)[name]
  return found
}

/**
 * What is wrong with the account, as far as the command line can tell. Only the deploy tells whether the
 * account may make CloudFront distributions yet.
 */
function faultsOfAccount(stage: string): string[] {
  const caller = aws("sts", "get-caller-identity")
  if ("refused" in caller) return [`AWS does not take the credentials of this shell: ${caller.refused}`]
  console.error(`account ${String(part(caller, "Account"))}, region ${process.env.AWS_REGION}`)
  return [...quotas(stage), ...ecsRole(), ...zoneOfDomain(), ...sender()]
}

function quotas(stage: string): string[] {
  const size = stage === "production" || stage === "staging" ? stage : "personal"
  const needed = places[size] + (process.env.BILLING ? 1 : 0)
  const functions = aws("lambda", "get-account-settings")
  const hosts = aws(
    "service-quotas",
    "get-service-quota",
    "--service-code",
    "fargate",
    "--quota-code",
    "L-3032A538",
  )
  // Those functions may be this very stage's own, from a deploy that was cut off: so this is only said, and
  // refuses nothing.
  const left = part(functions, "AccountLimit", "UnreservedConcurrentExecutions")
  if (typeof left === "number" && left < needed && Object.keys(settingsOf(stage)).length === 0)
    console.error(
      `other functions here have set so many of the account's places aside that ${left} are left, and a first deploy of ${stage} takes ${needed}: it ends half-way unless those are its own`,
    )
  const all = part(functions, "AccountLimit", "ConcurrentExecutions")
  if (size === "production" && typeof all === "number" && all >= needed && all < comfortable)
    console.error(
      `this account may have ${all} Lambda functions at once, of which the API and what it calls hosts with share ${all - needed + 100}: ` +
        `a flood of calls is felt by all. ${raise("lambda", "L-B99A9384", 3000)}`,
    )
  return [
    ...tooLow(all, needed, "Lambda functions at once", raise("lambda", "L-B99A9384", Math.max(3000, needed))),
    ...tooLow(part(hosts, "Quota", "Value"), vcpus, "vCPUs of Fargate", raise("fargate", "L-3032A538", 50)),
  ]
}

function raise(service: string, code: string, value: number): string {
  return `aws service-quotas request-service-quota-increase --service-code ${service} --quota-code ${code} --desired-value ${value}`
}

function tooLow(has: unknown, needed: number, of: string, raise: string): string[] {
  if (typeof has !== "number") {
    console.error(`AWS does not say here how many ${of} this account may have: the stage needs ${needed}`)
    return []
  }
  return has >= needed ? [] : [`this account may have ${has} ${of}, and the stage needs ${needed}: ${raise}`]
}

/**
 * Refuses an account without ECS's role: the first cluster makes it, but too late for what is made right
 * after the cluster.
 */
function ecsRole(): string[] {
  const role = aws("iam", "get-role", "--role-name", "AWSServiceRoleForECS")
  if (!("refused" in role) || !role.refused.includes("NoSuchEntity")) return []
  return [
    "this account has never used ECS: aws iam create-service-linked-role --aws-service-name ecs.amazonaws.com",
  ]
}

function zoneOfDomain(): string[] {
  const { DOMAIN: domain } = process.env
  if (!domain) return []
  const zones = part(aws("route53", "list-hosted-zones"), "HostedZones")
  if (!Array.isArray(zones)) return []
  const isIn = (zone: unknown) => `.${domain}.`.endsWith(`.${String(Object(zone).Name)}`)
  return zones.some(isIn)
    ? []
    : [`DOMAIN is ${domain}, and this account has no zone in Route 53 that it is in`]
}

/** Refuses an address that SES does not know, since sign-in codes could not be mailed from it. */
function sender(): string[] {
  const { MAIL_FROM: address = "" } = process.env
  if (address === "") return []
  const [, domain = ""] = address.split("@")
  const parents = domain.split(".").map((_, i, labels) => labels.slice(i).join("."))
  const identities = [address, ...parents.slice(0, -1)]
  const isVerified = (identity: string) =>
    part(aws("sesv2", "get-email-identity", "--email-identity", identity), "VerifiedForSendingStatus") ===
    true
  if (!identities.some(isVerified))
    return [
      `MAIL_FROM is ${address}, and SES knows neither it nor its domain here: aws sesv2 create-email-identity --email-identity ${domain}`,
    ]
  if (part(aws("sesv2", "get-account"), "ProductionAccessEnabled") === false)
    console.error(
      'SES is in its sandbox here: it mails verified addresses only (docs/deploy.md, "Before you deploy")',
    )
  return []
}

/** Waits until the stage answers and, where it keeps a host without bridges, a host beats. */
async function comesUp(stage: string): Promise<number> {
  const settings = settingsOf(stage)
  const address = settings.DASHBOARD_URL
  if (!address) {
    console.error("it is deployed; its settings could not be read, so nobody waited for its first host")
    return 1
  }
  console.error(`waiting for ${address} and the first session host...`)
  const until = performance.now() + comesUpWithin
  // Other stages have no host until they have a bridge (`spare` in infra/stage/stage.ts).
  const needsHost = stage === "production"
  for (;;) {
    const answers = await isHealthy(address)
    if (answers && (!needsHost || isHostUp(settings))) break
    if (performance.now() > until) {
      console.error(
        answers
          ? 'no session host has come up: docs/operations.md, "Alarms", `HostRefused`, says where the reason stands'
          : `${address}/healthz does not answer: a new router takes some minutes. Try curl, and look into the log of the API`,
      )
      return 1
    }
    await sleep(lookEachMs)
  }
  console.log(`\n${stage} is up: ${address}`)
  console.log(
    needsHost ? "Its first session host beats." : "Its first session host starts with its first bridge.",
  )
  if (process.env.ALARM_EMAIL)
    console.log(
      `Next: confirm the subscription that AWS has mailed to ${process.env.ALARM_EMAIL}; no alarm reaches you before.`,
    )
  if (!process.env.DOMAIN)
    console.log(
      "Without DOMAIN, CloudFront's own name also takes TLS 1.0: set one before the first customer.",
    )
  console.log('Then make the first account: docs/deploy.md, "The first account".')
  return 0
}

/** The stage's settings for `npm run admin`, as Systems Manager keeps them. */
function settingsOf(stage: string): Record<string, string> {
  const path = `/messaging-bridge/${stage}/admin`
  const told = part(
    aws("ssm", "get-parameters-by-path", "--path", path, "--with-decryption", "--recursive"),
    "Parameters",
  )
  if (!Array.isArray(told)) return {}
  return Object.fromEntries(
    told.map((one: { Name: string; Value: string }) => [one.Name.slice(path.length + 1), one.Value]),
  )
}

async function isHealthy(address: string): Promise<boolean> {
  try {
    return (await fetch(`${address}/healthz`, { signal: AbortSignal.timeout(10_000) })).ok
  } catch {
    // The router's name does not resolve yet, or no server listens there.
    return false
  }
}

function isHostUp(settings: Record<string, string>): boolean {
  const env = { ...process.env, ...settings }
  const asked = [`${root}/admin/main.ts`, "host", "list", "--json"]
  const { status, stdout, stderr } = spawnSync(process.execPath, asked, { cwd: root, env, encoding: "utf8" })
  if (status !== 0) console.error(`hosts cannot be listed: ${stderr.trim()}`)
  return status === 0 && /"state":"up"/.test(stdout)
}
