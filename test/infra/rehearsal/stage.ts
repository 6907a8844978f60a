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
import { doorbellsFrom } from "#one-machine/delivery/doorbells-from-queue.ts"
import { startPoller } from "#one-machine/delivery/poller.ts"
import { startEcs } from "#one-machine/ecs/ecs.ts"
import { startPretendStripe } from "#pretend-stripe/start.ts"
import { startCloudWatchLogs } from "#test/support/cloudwatch-logs.ts"
import { makeMediaBucket } from "#test/support/media-bucket.ts"
import { startLambdaApi } from "#test/support/service/lambda-api.ts"
import { startSes } from "#test/support/ses.ts"
import { startSqs } from "#trials/sqs.ts"
import { bundled } from "../bundled.ts"
import { here } from "../evaluate.ts"
import { type Graph, plain } from "../graph.ts"
import { allows } from "./iam.ts"
import { buildImage, commandOfImage } from "./image.ts"
import { type LambdaProcess, startLambda } from "./lambda-process.ts"
import type { Names } from "./needed-permissions.ts"
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

export type Stage = Awaited<ReturnType<typeof startStage>>

/**
 * A stage on this machine, as far as AWS has stand-ins here: its tables, queue, bucket, keys and parameters
 * are those of the evaluated graph, its functions run from real bundles, its hosts from a production
 * installation, and whatever they ask of AWS passes a guard with the policy of their role. `sandbox`: with
 * the sandbox's task, and no other host, since that would dial the real network.
 */
export async function startStage(
  network: { url: string; rootKey: Uint8Array; ca: string },
  { sandbox = false }: { sandbox?: boolean } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), "rehearsal-"))
  const image = join(folder, "image")
  buildImage(image)
  // As the deploy does (`copyFiles`).
  for (const copied of ["dashboard/assets", "packages/passkey-extension", ...pageFiles])
    cpSync(join(root, copied), join(folder, copied), { recursive: true })
  // Media are fetched over TLS.
  const ca = join(folder, "ca.pem")
  writeFileSync(ca, network.ca)
  const judged: Judged[] = []
  const lines: string[] = []
  const closes: (() => unknown)[] = [() => rmSync(folder, { recursive: true })]
  let graph: Graph
  const current = () => graph

  const [store, queue, logs] = [
    await startDynamoDb({ at: { port: 0 } }),
    await startSqs(),
    await startCloudWatchLogs(),
  ]
  const kms = await startKms({
    at: { port: 0 },
    file: join(folder, "keys.json"),
    keyIds: ["SessionKey", "DeliveryKey", "SettingsKey"].map((name) => here("kms", `key/${name}`)),
  })
  const ses = await startSes()
  const running = new Map<string, LambdaProcess>()
  const offered: Parameters<typeof startLambdaApi>[0] = {}
  const lambda = await startLambdaApi(offered)
  const definitions: Parameters<typeof startEcs>[0]["taskDefinitions"] = {}
  const ecs = await startEcs({
    at: { port: 0 },
    taskDefinitions: definitions,
    log: (line) => lines.push(line),
  })
  const router = await startRouter((fn) => running.get(fn)!)
  const stripe = await startPretendStripe({
    webhookUrl: `${router.url}/billing/webhook`,
    webhookSecret: "whsec_rehearsal",
  })
  closes.push(
    stripe.close,
    store.close,
    queue.close,
    logs.close,
    kms.close,
    ses.close,
    lambda.close,
    router.close,
  )
  const stops: (() => Promise<void>)[] = []

  const services = {
    DYNAMODB: { service: "dynamodb", endpoint: store.endpoint },
    SQS: { service: "sqs", endpoint: queue.endpoint },
    KMS: { service: "kms", endpoint: kms.endpoint },
    S3: { service: "s3", endpoint: queue.endpoint },
    CLOUDWATCH_LOGS: { service: "logs", endpoint: logs.endpoint },
    ECS: { service: "ecs", endpoint: ecs.endpoint },
    LAMBDA: { service: "lambda", endpoint: lambda.endpoint },
    SESV2: { service: "ses", endpoint: ses.endpoint },
  }
  const guarded = new Map<string, Record<string, string>>()

  /** The variables with which a process of this role reaches the services, each through a guard. */
  async function through(role: string): Promise<Record<string, string>> {
    const there = guarded.get(role)
    if (there) return there
    const made: Record<string, string> = {}
    for (const [name, { service, endpoint }] of Object.entries(services)) {
      const guard = await startPermissionGuard({
        service,
        endpoint,
        role,
        policy: () => current().permissions(role),
        names: () => namesOf(current()),
        onJudged: (one) => judged.push(one),
      })
      closes.push(guard.close)
      made[`AWS_ENDPOINT_URL_${name}`] = guard.endpoint
    }
    // Clients of SQS go to where the queue's URL says.
    made.DOORBELL_URL = new URL(new URL(queue.doorbellUrl).pathname, made.AWS_ENDPOINT_URL_SQS).href
    guarded.set(role, made)
    return made
  }

  const doorbellOf = (role: string) => guarded.get(role)!.DOORBELL_URL!

  /**
   * The settings that differ from AWS: where the services are, the network of phones, and addresses of this
   * machine.
   */
  async function environment(role: string, told: Record<string, string>): Promise<Record<string, string>> {
    return {
      PATH: process.env.PATH!,
      ...told,
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: role,
      AWS_SECRET_ACCESS_KEY: "local",
      ...(await through(role)),
      URL_ALLOW: "127.0.0.0/8,::1/128",
      LEASE_BEAT_MS: "1000",
      HOST_PORT: "0",
      ...(!sandbox && { HOST_NETWORK: "simulated" }),
      STRIPE_API_BASE: stripe.url,
      NODE_EXTRA_CA_CERTS: ca,
      SIMULATOR_URL: network.url,
      SIMULATOR_ROOT_KEY: Buffer.from(network.rootKey).toString("hex"),
    }
  }

  /**
   * A right that AWS itself needs in the name of a role, at a moment that has no request here. @throws where
   * it is missing
   */
  function need(role: string, action: string, resource: string): void {
    const isAllowed = allows(graph.permissions(role), { action, resource })
    judged.push({ role, action, resource, isAllowed })
    if (!isAllowed) throw new Error(`${role} may not ${action} on ${resource}`)
  }

  async function deployTables(): Promise<void> {
    const client = new DynamoDBClient({ endpoint: store.endpoint, region: "local", credentials: anybody })
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

  /** ECS gets a new revision; it starts a task of it by the rights of the execution role. */
  async function deployHosts(): Promise<void> {
    const task = sandbox ? "SandboxHost" : "SessionHost"
    const { environment: told, secrets } = graph.container(`${task}Task`)
    const role = `${task}ExecutionRole`
    for (const { valueFrom } of secrets) {
      need(role, "ssm:GetParameters", valueFrom)
      need(role, "kms:Decrypt", here("kms", "key/SettingsKey"))
    }
    // The image, and the log of its process.
    need(role, "ecr:GetAuthorizationToken", "*")
    for (const action of ["BatchCheckLayerAvailability", "GetDownloadUrlForLayer", "BatchGetImage"])
      need(role, `ecr:${action}`, here("ecr", "repository/sst-asset"))
    const log = `/messaging-bridge/${graph.environment("ApiFunction").STAGE}/${sandbox ? "sandbox" : "session"}-host`
    for (const action of ["logs:CreateLogStream", "logs:PutLogEvents"])
      need(role, action, here("logs", `log-group:${log}:log-stream:x`))
    const env = await environment(`${task}TaskRole`, {
      ...Object.fromEntries(told.map((one) => [one.name, one.value])),
      ...Object.fromEntries(secrets.map((one) => [one.name, parameter(one.valueFrom)])),
    })
    if (sandbox) return startSandbox(env)
    definitions.SessionHostTask = {
      command: [process.execPath, ...commandOfImage().map((path) => join(image, path))],
      env,
    }
  }

  /** As its ECS service does. */
  function startSandbox(env: Record<string, string>): void {
    const simulator = "packages/whatsapp-simulator"
    cpSync(join(root, simulator), join(image, simulator), { recursive: true })
    const task = spawn(process.execPath, [join(image, "session-host/sandbox-main.ts")], {
      env: { ...env, DATA_DIR: join(folder, "sandbox") },
      stdio: ["ignore", "pipe", "pipe"],
    })
    for (const stream of [task.stdout, task.stderr])
      createInterface(stream).on("line", (line) => lines.push(line))
    const ended = once(task, "exit")
    stops.push(async () => {
      task.kill("SIGTERM")
      await ended
    })
  }

  function parameter(arn: string): string {
    const found = graph
      .all("ssm/parameter:Parameter")
      .find(({ inputs }) => arn.endsWith(`:parameter${String(inputs.name)}`))
    if (!found) throw new Error(`there is no ${arn}`)
    return String(plain(found.inputs.value))
  }

  const isThere = (name: string) =>
    graph.all("lambda/function:Function").some((one) => one.name === `${name}Function`)

  async function deployFunction(name: (typeof functions)[number]): Promise<void> {
    const { kmsKeyArn, vpcConfig } = Fn.parse(graph.one("lambda/function:Function", `${name}Function`))
    if (kmsKeyArn) need(`${name}Role`, "kms:Decrypt", kmsKeyArn)
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
        need(`${name}Role`, `ec2:${action}`, "*")
    // Lambda asks how the queue is before it polls it.
    if (name === "Delivery") need("DeliveryRole", "sqs:GetQueueAttributes", here("sqs", "DoorbellQueue"))
    const group = `/messaging-bridge/${graph.environment(`${name}Function`).STAGE}/${name.toLowerCase()}`
    for (const action of ["logs:CreateLogStream", "logs:PutLogEvents"])
      need(`${name}Role`, action, here("logs", `log-group:${group}:log-stream:x`))
    const bundle = join(folder, `${name}.mjs`)
    const isDashboard = name.startsWith("Dashboard")
    await bundled(name, bundle, "staging")
    const before = running.get(name)
    const started = await startLambda({
      bundle,
      env: {
        ...(await environment(`${name}Role`, graph.environment(`${name}Function`))),
        // Lambda's own; it says where the style and the scripts are.
        ...(isDashboard && { AWS_LAMBDA_FUNCTION_NAME: name }),
      },
      streams: ["Stream", "Transfer"].includes(name) || isDashboard,
      onLine: (line) => lines.push(line),
    })
    running.set(name, started)
    const deployed = graph.one("lambda/function:Function", `${name}Function`)
    offered[nameOf(`${name}Function`, deployed)] = (event) => started.invoke(event)
    // Calls that are under way are still answered; a sweep would go on for most of a minute.
    if (name !== "Sweep") await before?.idle()
    await before?.stop()
  }

  const poller = () =>
    startPoller({
      doorbells: doorbellsFrom(doorbellOf("DeliveryRole")),
      handler: async (event) => Reported.parse(await running.get("Delivery")!.invoke(event)),
      concurrency: 5,
    })
  const stopping = new AbortController()
  let sweeping: Promise<void> | undefined
  let bucket: string | undefined

  /** Each minute on AWS; here a second after the one before has ended. */
  async function sweep(): Promise<void> {
    need("EachMinuteRole", "lambda:InvokeFunction", here("lambda", "function:SweepFunction"))
    while (!stopping.signal.aborted) {
      // One that a deploy has ended is followed by the next.
      await running
        .get("Sweep")!
        .invoke({})
        .catch(() => "ended by a deploy")
      await sleep(1000, undefined, { signal: stopping.signal }).catch(() => "the stage ends")
    }
  }

  async function deploy(next: Graph, between: () => Promise<void> = async () => {}): Promise<void> {
    graph = next
    await deployTables()
    bucket ??= await makeMediaBucket(queue.endpoint, graph.environment("TransferFunction").MEDIA_BUCKET)
    await deployHosts()
    for (const name of functions) if (isThere(name)) await deployFunction(name)
    await between()
    router.deploy(graph)
    if (sweeping) return
    // Else the client says at each call that the queue's URL is elsewhere.
    process.env.AWS_ENDPOINT_URL_SQS = new URL(doorbellOf("DeliveryRole")).origin
    const { stop } = poller()
    sweeping = sweep()
    stops.push(stop, async () => {
      stopping.abort()
      for (const one of running.values()) await one.stop()
      await sweeping
    })
  }

  /** Ends every process, as when a stage is removed; stored data stays. */
  async function stop(): Promise<void> {
    for (const one of stops.splice(0).toReversed()) await one()
    await ecs.close()
  }

  return {
    url: router.url,
    deploy,
    judged,
    lines,
    /** The mails that were sent. */
    mails: ses.mails,
    tasks: () => [...ecs.pids().keys()],
    /** Ends the process of a task, as a crash does. */
    kill: (task: string) => process.kill(ecs.pids().get(task)!, "SIGKILL"),
    invoke: (fn: (typeof functions)[number], event: object) => running.get(fn)!.invoke(event),
    /** A minute's look for troubles. */
    tell: async () => {
      need("TellEachMinuteRole", "lambda:InvokeFunction", here("lambda", "function:TroublesFunction"))
      await running.get("Troubles")!.invoke({})
    },
    /** A minute of billing: the accounts that are due are looked at. */
    lookAtDue: async () => {
      need("LookAtAllRole", "lambda:InvokeFunction", here("lambda", "function:SubscriptionsFunction"))
      need("LookAtDueRole", "lambda:InvokeFunction", here("lambda", "function:SubscriptionsFunction"))
      await running.get("Subscriptions")!.invoke({})
    },
    stripe,
    environment,
    /** As Systems Manager tells them to the operator, who then asks the queue in this role. */
    settings: async (role = "AdminPolicy") => {
      await through(role)
      await through("AdminPolicy")
      need("AdminPolicy", "ssm:GetParametersByPath", here("ssm", `parameter/${folderOfAdmin(graph)}`))
      need("AdminPolicy", "kms:Decrypt", here("kms", "key/SettingsKey"))
      return graph
        .all("ssm/parameter:Parameter")
        .filter(({ inputs }) => String(inputs.name).startsWith(`/${folderOfAdmin(graph)}/`))
        .map(({ inputs }) => ({ name: String(inputs.name), value: String(plain(inputs.value)) }))
        .map((one) => (one.name.endsWith("DOORBELL_URL") ? { ...one, value: doorbellOf(role) } : one))
    },
    stop,
    /** The settings that lead straight to the store and the keys, when nothing else is left. */
    left: () => ({
      ...graph.environment("ApiFunction"),
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: "local",
      AWS_SECRET_ACCESS_KEY: "local",
      AWS_ENDPOINT_URL_DYNAMODB: store.endpoint,
      AWS_ENDPOINT_URL_KMS: kms.endpoint,
    }),
    async close(): Promise<void> {
      await stop()
      for (const close of closes.toReversed()) await close()
    },
  }
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
