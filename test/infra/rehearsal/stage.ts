import { spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { CreateTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb"
import { z } from "zod"
import { pageFiles } from "#contract/reference/repository-pages.ts"
import { startDynamoDb } from "#dynamodb-on-sqlite/server.ts"
import { startKms } from "#one-machine/aws/kms.ts"
import { startPoller } from "#one-machine/delivery/doorbells.ts"
import { startEcs } from "#one-machine/ecs/ecs.ts"
import { startPretendStripe } from "#pretend-stripe/start.ts"
import { startCloudWatchLogs } from "#test/support/cloudwatch-logs.ts"
import { doorbellsFrom } from "#test/support/doorbells-from-queue.ts"
import { makeMediaBucket } from "#test/support/media-bucket.ts"
import { startLambdaApi } from "#test/support/service/lambda-api.ts"
import { startSes } from "#test/support/ses.ts"
import { startSqs } from "#test/support/sqs.ts"
import { bundled } from "../bundled.ts"
import { here } from "../evaluate.ts"
import { type Graph, plain } from "../graph.ts"
import { allows } from "./iam.ts"
import { buildImage, commandOfImage } from "./image.ts"
import { type LambdaProcess, startLambda } from "./lambda-process.ts"
import type { Names } from "./needed-permissions.ts"
import { standInsAt } from "./other-stand-ins.ts"
import { type Judged, startPermissionGuard } from "./permission-guard.ts"
import { startRouter } from "./router.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))
/**
 * The sweep comes last: a new one replaces hosts at once. `Subscriptions` is there where numbers are paid
 * for.
 */
const functions = [
  "Calls",
  "Api",
  "Stream",
  "Transfer",
  "Dashboard",
  "DashboardStream",
  "Subscriptions",
  "Delivery",
  "Troubles",
  "Sweep",
] as const

type FunctionName = (typeof functions)[number]

/**
 * A stage on this machine, as far as AWS has stand-ins here: its tables, queue, bucket, keys and parameters
 * are those of the evaluated graph, its functions run from real bundles, its hosts from a production
 * installation, and whatever they ask of AWS passes a guard with the policy of their role. `sandbox`: with
 * the sandbox's task, and no other host, since that would dial the real network.
 */
export async function startStage(
  network: Network,
  { sandbox = false }: { sandbox?: boolean } = {},
): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), "rehearsal-"))
  const image = join(folder, "image")
  buildImage(image)
  // As the deploy does (`copyFiles`).
  for (const copied of ["dashboard/assets", "packages/passkey-extension", ...pageFiles(root)])
    cpSync(join(root, copied), join(folder, copied), { recursive: true })
  // Media are fetched over TLS.
  const ca = join(folder, "ca.pem")
  writeFileSync(ca, network.ca)
  const lines: string[] = []
  const running = new Map<string, LambdaProcess>()
  const standIns = await startStandIns(folder, { running, log: (line) => lines.push(line) })
  return new Stage({ network, sandbox, folder, image, ca, lines, running, standIns })
}

interface Network {
  url: string
  rootKey: Uint8Array
  ca: string
}

/** What stands here for the services of AWS, and for Stripe. */
async function startStandIns(
  folder: string,
  { running, log }: { running: ReadonlyMap<string, LambdaProcess>; log: (line: string) => void },
) {
  const others = process.env.STAND_INS
  const { store, queue, logs, kms, makeLogGroups } =
    others === undefined ? await ownStandIns(folder) : await standInsAt(others, wrappingKeys)
  const ses = await startSes()
  const offered: Parameters<typeof startLambdaApi>[0] = {}
  const lambda = await startLambdaApi(offered)
  const taskDefinitions: Parameters<typeof startEcs>[0]["taskDefinitions"] = {}
  const ecs = await startEcs({ at: { port: 0 }, taskDefinitions, log })
  const router = await startRouter((fn) => running.get(fn)!)
  const stripe = await startPretendStripe({
    webhookUrl: `${router.url}/billing/webhook`,
    webhookSecret: "whsec_rehearsal",
  })
  return {
    store,
    queue,
    kms,
    ses,
    ecs,
    router,
    stripe,
    makeLogGroups,
    /** What can be called by its name. */
    offered,
    /** What the hosts' tasks are made from. */
    taskDefinitions,
    /** As the name of a client's variable has them. */
    services: {
      DYNAMODB: { service: "dynamodb", endpoint: store.endpoint },
      SQS: { service: "sqs", endpoint: queue.endpoint },
      KMS: { service: "kms", endpoint: kms.endpoint, renamed: "renamed" in kms ? kms.renamed : [] },
      S3: { service: "s3", endpoint: queue.endpoint },
      CLOUDWATCH_LOGS: { service: "logs", endpoint: logs.endpoint },
      ECS: { service: "ecs", endpoint: ecs.endpoint },
      LAMBDA: { service: "lambda", endpoint: lambda.endpoint },
      SESV2: { service: "ses", endpoint: ses.endpoint },
    },
    closes: [stripe, store, queue, logs, kms, ses, lambda, router].map(({ close }) => close),
  }
}

const wrappingKeys = ["SessionKey", "DeliveryKey", "SettingsKey"].map((name) => here("kms", `key/${name}`))

/** What the service's data are in. Ours makes the log groups that it is asked for. */
async function ownStandIns(folder: string) {
  return {
    store: await startDynamoDb({ at: { port: 0 } }),
    queue: await startSqs(),
    logs: await startCloudWatchLogs(),
    kms: await startKms({ at: { port: 0 }, file: join(folder, "keys.json"), keyIds: wrappingKeys }),
    makeLogGroups: async (_names: string[]) => {},
  }
}

interface StageParts {
  network: Network
  sandbox: boolean
  folder: string
  image: string
  /** A file. */
  ca: string
  lines: string[]
  running: Map<string, LambdaProcess>
  standIns: Awaited<ReturnType<typeof startStandIns>>
}

/** Made by `startStage`. */
export class Stage {
  readonly judged: Judged[] = []
  readonly lines: string[]
  readonly #parts: StageParts
  readonly #at: StageParts["standIns"]
  readonly #running: Map<string, LambdaProcess>
  readonly #guarded = new Map<string, Record<string, string>>()
  readonly #stops: (() => Promise<void>)[] = []
  readonly #closes: (() => unknown)[]
  readonly #stopping = new AbortController()
  #graph!: Graph
  #sweeping: Promise<void> | undefined
  #hasBucket = false

  constructor(parts: StageParts) {
    this.#parts = parts
    this.#at = parts.standIns
    this.#running = parts.running
    this.lines = parts.lines
    this.#closes = [() => rmSync(parts.folder, { recursive: true }), ...parts.standIns.closes]
  }

  get url(): string {
    return this.#at.router.url
  }

  get stripe(): StageParts["standIns"]["stripe"] {
    return this.#at.stripe
  }

  /** The mails that were sent. */
  get mails(): StageParts["standIns"]["ses"]["mails"] {
    return this.#at.ses.mails
  }

  /** The variables with which a process of this role reaches the services, each through a guard. */
  async #through(role: string): Promise<Record<string, string>> {
    const there = this.#guarded.get(role)
    if (there) return there
    const made: Record<string, string> = {}
    for (const [name, service] of Object.entries(this.#at.services)) {
      const guard = await startPermissionGuard({
        ...service,
        role,
        policy: () => this.#graph.permissions(role),
        names: () => namesOf(this.#graph),
        onJudged: (one) => this.judged.push(one),
      })
      this.#closes.push(guard.close)
      made[`AWS_ENDPOINT_URL_${name}`] = guard.endpoint
    }
    // Clients of SQS go to where the queue's URL says.
    made.DOORBELL_URL = new URL(new URL(this.#at.queue.doorbellUrl).pathname, made.AWS_ENDPOINT_URL_SQS).href
    this.#guarded.set(role, made)
    return made
  }

  #doorbellOf(role: string): string {
    return this.#guarded.get(role)!.DOORBELL_URL!
  }

  /**
   * The settings that differ from AWS: where the services are, the network of phones, and addresses of this
   * machine.
   */
  async environment(role: string, told: Record<string, string>): Promise<Record<string, string>> {
    const { network, sandbox, ca } = this.#parts
    return {
      PATH: process.env.PATH!,
      ...told,
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: role,
      AWS_SECRET_ACCESS_KEY: "local",
      ...(await this.#through(role)),
      URL_ALLOW: "127.0.0.0/8,::1/128",
      LEASE_BEAT_MS: "1000",
      HOST_PORT: "0",
      ...(!sandbox && { HOST_NETWORK: "simulated" }),
      STRIPE_API_BASE: this.#at.stripe.url,
      NODE_EXTRA_CA_CERTS: ca,
      SIMULATOR_URL: network.url,
      SIMULATOR_ROOT_KEY: Buffer.from(network.rootKey).toString("hex"),
    }
  }

  /**
   * A right that AWS itself needs in the name of a role, at a moment that has no request here. @throws where
   * it is missing
   */
  #need(role: string, action: string, resource: string): void {
    const isAllowed = allows(this.#graph.permissions(role), { action, resource })
    this.judged.push({ role, action, resource, isAllowed })
    if (!isAllowed) throw new Error(`${role} may not ${action} on ${resource}`)
  }

  /** ECS gets a new revision; it starts a task of it by the rights of the execution role. */
  async #deployHosts(): Promise<void> {
    const { sandbox, image } = this.#parts
    const task = sandbox ? "SandboxHost" : "SessionHost"
    const { environment: told, secrets } = this.#graph.container(`${task}Task`)
    const role = `${task}ExecutionRole`
    for (const { valueFrom } of secrets) {
      this.#need(role, "ssm:GetParameters", valueFrom)
      this.#need(role, "kms:Decrypt", here("kms", "key/SettingsKey"))
    }
    // The image, and the log of its process.
    this.#need(role, "ecr:GetAuthorizationToken", "*")
    for (const action of ["BatchCheckLayerAvailability", "GetDownloadUrlForLayer", "BatchGetImage"])
      this.#need(role, `ecr:${action}`, here("ecr", "repository/sst-asset"))
    const { STAGE } = this.#graph.environment("ApiFunction")
    this.#needLog(role, `/messaging-bridge/${STAGE}/${sandbox ? "sandbox" : "session"}-host`)
    const env = await this.environment(`${task}TaskRole`, {
      ...Object.fromEntries(told.map((one) => [one.name, one.value])),
      ...Object.fromEntries(secrets.map((one) => [one.name, parameterOf(this.#graph, one.valueFrom)])),
    })
    if (sandbox) return this.#startSandbox(env)
    this.#at.taskDefinitions.SessionHostTask = {
      command: [process.execPath, ...commandOfImage().map((path) => join(image, path))],
      env,
    }
  }

  #needLog(role: string, group: string): void {
    for (const action of ["logs:CreateLogStream", "logs:PutLogEvents"])
      this.#need(role, action, here("logs", `log-group:${group}:log-stream:x`))
  }

  /** As its ECS service does. */
  #startSandbox(env: Record<string, string>): void {
    const { folder, image } = this.#parts
    const simulator = "packages/whatsapp-simulator"
    cpSync(join(root, simulator), join(image, simulator), { recursive: true })
    const task = spawn(process.execPath, [join(image, "session-host/sandbox-main.ts")], {
      env: { ...env, DATA_DIR: join(folder, "sandbox") },
      stdio: ["ignore", "pipe", "pipe"],
    })
    for (const stream of [task.stdout, task.stderr])
      createInterface(stream).on("line", (line) => this.lines.push(line))
    const ended = once(task, "exit")
    this.#stops.push(async () => {
      task.kill("SIGTERM")
      await ended
    })
  }

  #isThere(name: string): boolean {
    return this.#graph.all("lambda/function:Function").some((one) => one.name === `${name}Function`)
  }

  async #deployFunction(name: FunctionName): Promise<void> {
    const deployed = this.#graph.one("lambda/function:Function", `${name}Function`)
    this.#needForFunction(name, Fn.parse(deployed))
    const bundle = join(this.#parts.folder, `${name}.mjs`)
    const isDashboard = name.startsWith("Dashboard")
    await bundled(name, bundle, "staging")
    const before = this.#running.get(name)
    const started = await startLambda({
      bundle,
      env: {
        ...(await this.environment(`${name}Role`, this.#graph.environment(`${name}Function`))),
        // Lambda's own; it says where the style and the scripts are.
        ...(isDashboard && { AWS_LAMBDA_FUNCTION_NAME: name }),
      },
      streams: ["Stream", "Transfer"].includes(name) || isDashboard,
      onLine: (line) => this.lines.push(line),
    })
    this.#running.set(name, started)
    this.#at.offered[nameOf(`${name}Function`, deployed)] = (event) => started.invoke(event)
    // Calls that are under way are still answered; a sweep would go on for most of a minute.
    if (name !== "Sweep") await before?.idle()
    await before?.stop()
  }

  #needForFunction(name: FunctionName, { kmsKeyArn, vpcConfig }: z.infer<typeof Fn>): void {
    const role = `${name}Role`
    if (kmsKeyArn) this.#need(role, "kms:Decrypt", kmsKeyArn)
    // What AWS's documentation of Lambda in a VPC names.
    if (vpcConfig)
      for (const action of [
        "CreateNetworkInterface",
        "DescribeNetworkInterfaces",
        "DescribeSubnets",
        "DeleteNetworkInterface",
        "AssignPrivateIpAddresses",
        "UnassignPrivateIpAddresses",
      ])
        this.#need(role, `ec2:${action}`, "*")
    // Lambda asks how the queue is before it polls it.
    if (name === "Delivery") this.#need(role, "sqs:GetQueueAttributes", here("sqs", "DoorbellQueue"))
    const { STAGE } = this.#graph.environment(`${name}Function`)
    this.#needLog(role, `/messaging-bridge/${STAGE}/${name.toLowerCase()}`)
  }

  #poller() {
    return startPoller({
      doorbells: doorbellsFrom(this.#doorbellOf("DeliveryRole")),
      handler: async (event) => Reported.parse(await this.invoke("Delivery", event)),
      concurrency: 5,
    })
  }

  /** Each minute on AWS; here a second after the one before has ended. */
  async #sweep(): Promise<void> {
    const { signal } = this.#stopping
    this.#need("EachMinuteRole", "lambda:InvokeFunction", here("lambda", "function:SweepFunction"))
    while (!signal.aborted) {
      // One that a deploy has ended is followed by the next.
      await this.invoke("Sweep", {}).catch(() => "ended by a deploy")
      await sleep(1000, undefined, { signal }).catch(() => "the stage ends")
    }
  }

  async deploy(next: Graph, between: () => Promise<void> = async () => {}): Promise<void> {
    this.#graph = next
    await deployTables(next, this.#at.store.endpoint)
    await this.#at.makeLogGroups(
      next.all("cloudwatch/logGroup:LogGroup").map(({ inputs }) => String(inputs.name)),
    )
    if (!this.#hasBucket)
      await makeMediaBucket(this.#at.queue.endpoint, next.environment("TransferFunction").MEDIA_BUCKET)
    this.#hasBucket = true
    await this.#deployHosts()
    for (const name of functions) if (this.#isThere(name)) await this.#deployFunction(name)
    await between()
    this.#at.router.deploy(next)
    if (this.#sweeping) return
    const { stop } = this.#poller()
    this.#sweeping = this.#sweep()
    this.#stops.push(stop, async () => {
      this.#stopping.abort()
      for (const one of this.#running.values()) await one.stop()
      await this.#sweeping
    })
  }

  tasks(): string[] {
    return [...this.#at.ecs.pids().keys()]
  }

  /** Ends the process of a task, as a crash does. */
  kill(task: string): void {
    process.kill(this.#at.ecs.pids().get(task)!, "SIGKILL")
  }

  async invoke(fn: FunctionName, event: object): ReturnType<LambdaProcess["invoke"]> {
    return await this.#running.get(fn)!.invoke(event)
  }

  /** A minute's look for troubles. */
  async tell(): Promise<void> {
    this.#need("TellEachMinuteRole", "lambda:InvokeFunction", here("lambda", "function:TroublesFunction"))
    await this.invoke("Troubles", {})
  }

  /** A minute of billing: the accounts that are due are looked at. */
  async lookAtDue(): Promise<void> {
    for (const role of ["LookAtAllRole", "LookAtDueRole"])
      this.#need(role, "lambda:InvokeFunction", here("lambda", "function:SubscriptionsFunction"))
    await this.invoke("Subscriptions", {})
  }

  /** As Systems Manager tells them to the operator, who then asks the queue in this role. */
  async settings(role = "AdminPolicy"): Promise<{ name: string; value: string }[]> {
    await this.#through(role)
    await this.#through("AdminPolicy")
    const folder = folderOfAdmin(this.#graph)
    this.#need("AdminPolicy", "ssm:GetParametersByPath", here("ssm", `parameter/${folder}`))
    this.#need("AdminPolicy", "kms:Decrypt", here("kms", "key/SettingsKey"))
    return this.#graph
      .all("ssm/parameter:Parameter")
      .filter(({ inputs }) => String(inputs.name).startsWith(`/${folder}/`))
      .map(({ inputs }) => ({ name: String(inputs.name), value: String(plain(inputs.value)) }))
      .map((one) => (one.name.endsWith("DOORBELL_URL") ? { ...one, value: this.#doorbellOf(role) } : one))
  }

  /** Ends every process, as when a stage is removed; stored data stays. */
  async stop(): Promise<void> {
    for (const one of this.#stops.splice(0).toReversed()) await one()
    await this.#at.ecs.close()
  }

  /** The settings that lead straight to the store and the keys, when nothing else is left. */
  left(): Record<string, string> {
    return {
      ...this.#graph.environment("ApiFunction"),
      AWS_ENDPOINT_URL_DYNAMODB: this.#at.store.endpoint,
      AWS_ENDPOINT_URL_KMS: this.#at.kms.endpoint,
    }
  }

  async close(): Promise<void> {
    await this.stop()
    for (const close of this.#closes.toReversed()) await close()
  }
}

async function deployTables(graph: Graph, endpoint: string): Promise<void> {
  const client = new DynamoDBClient({ endpoint, region: "local", credentials: anybody })
  for (const { inputs, name } of graph.all("dynamodb/table:Table")) {
    const table = Table.parse(inputs)
    const command = new CreateTableCommand({
      TableName: nameOf(name, inputs),
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: table.attributes.map(({ name, type }) => ({
        AttributeName: name,
        AttributeType: type,
      })),
      KeySchema: keys(table),
      ...(table.globalSecondaryIndexes.length > 0 && {
        GlobalSecondaryIndexes: table.globalSecondaryIndexes.map((index) => ({
          IndexName: index.name,
          KeySchema: keys(index),
          Projection: { ProjectionType: index.projectionType },
        })),
      }),
    })
    await client.send(command).catch((error: Error) => {
      if (error.name !== "ResourceInUseException") throw error
    })
  }
  client.destroy()
}

function parameterOf(graph: Graph, arn: string): string {
  const found = graph
    .all("ssm/parameter:Parameter")
    .find(({ inputs }) => arn.endsWith(`:parameter${String(inputs.name)}`))
  if (!found) throw new Error(`there is no ${arn}`)
  return String(plain(found.inputs.value))
}

const anybody = { accessKeyId: "local", secretAccessKey: "local" }

function folderOfAdmin(graph: Graph): string {
  return `messaging-bridge/${graph.environment("ApiFunction").STAGE}/admin`
}

/** The names that the code is told, and the resources behind them. */
function namesOf(graph: Graph): Names {
  return {
    tables: new Map(
      graph
        .all("dynamodb/table:Table")
        .map(({ name, inputs }) => [nameOf(name, inputs), here("dynamodb", `table/${name}`)]),
    ),
    functions: new Map(
      graph
        .all("lambda/function:Function")
        .map(({ name, inputs }) => [nameOf(name, inputs), here("lambda", `function:${name}`)]),
    ),
    cluster: graph.environment("SweepFunction").ECS_CLUSTER!,
    queue: here("sqs", "DoorbellQueue"),
    buckets: new Map([[graph.environment("TransferFunction").MEDIA_BUCKET!, "arn:aws:s3:::MediaBucket"]]),
    passedRoles: ["SessionHostTaskRole", "SessionHostExecutionRole"].map(
      (role) => `arn:aws:iam::111122223333:role/${role}`,
    ),
  }
}

function nameOf(logical: string, inputs: Record<string, unknown>): string {
  return typeof inputs.name === "string" ? inputs.name : logical
}

function keys({ hashKey, rangeKey }: { hashKey: string; rangeKey: string }) {
  return [
    { AttributeName: hashKey, KeyType: "HASH" as const },
    { AttributeName: rangeKey, KeyType: "RANGE" as const },
  ]
}

const Keys = z.object({ hashKey: z.string(), rangeKey: z.string() })
const Table = Keys.extend({
  attributes: z.array(z.object({ name: z.string(), type: z.enum(["S", "N", "B"]) })),
  globalSecondaryIndexes: z
    .array(Keys.extend({ name: z.string(), projectionType: z.enum(["ALL", "KEYS_ONLY"]) }))
    .default([]),
})
const Fn = z.object({ kmsKeyArn: z.string().optional(), vpcConfig: z.unknown().optional() })
const Reported = z.object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })) })
