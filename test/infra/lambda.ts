import { fork } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { createInterface } from "node:readline"
import { text } from "node:stream/consumers"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { inject, onTestFinished } from "vitest"
import { z } from "zod"
import { startCloudWatchLogs } from "#test/support/cloudwatch-logs.ts"
import { type Graph, graphOf } from "./graph.ts"
import { startAwsRecorder } from "../support/aws-recorder.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const runtime = fileURLToPath(new URL("lambda-runtime.ts", import.meta.url))

const Started = z.object({ initMs: z.number(), rssMb: z.number() })
const Answered = z.object({ id: z.string(), answer: z.unknown().optional(), error: z.string().optional() })

/**
 * A function as it would be deployed, in a process of its own: its bundle, started with the variables that its
 * environment has in a stage, which lead to the embedded services of this test; and what it asks of them.
 * @param more where services are that the test has started, and the stage if it is not production
 */
export async function aLambda(
  name: string,
  more: { ecs?: string; lambda?: string; ses?: string; graph?: Graph } = {},
) {
  const graph = more.graph ?? graphOf(inject("production"))
  const folder = mkdtempSync(join(tmpdir(), "lambda-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const bundle = join(folder, "bundle.mjs")
  await bundled(name, bundle)

  // As the deploy does (`copyFiles`).
  const isDashboard = name.startsWith("Dashboard")
  for (const copied of isDashboard ? ["dashboard/assets", "passkey-extension"] : [])
    cpSync(join(root, copied), join(folder, copied), { recursive: true })

  const uses = new Set<string>()
  const record = async (endpoint: string) => {
    const recorder = await startAwsRecorder(endpoint, ({ action, resource }) =>
      uses.add(`${action} ${inCode(resource)}`),
    )
    onTestFinished(recorder.close)
    return recorder.endpoint
  }
  const { AWS_ENDPOINT_URL_DYNAMODB = "", AWS_ENDPOINT_URL_SQS = "", AWS_ENDPOINT_URL_KMS = "" } = process.env
  const queue = await record(AWS_ENDPOINT_URL_SQS)
  const cloudWatch = await startCloudWatchLogs()
  onTestFinished(cloudWatch.close)
  const endpoints = {
    AWS_ENDPOINT_URL_DYNAMODB: await record(AWS_ENDPOINT_URL_DYNAMODB),
    AWS_ENDPOINT_URL_KMS: await record(AWS_ENDPOINT_URL_KMS),
    AWS_ENDPOINT_URL_SQS: queue,
    AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: await record(cloudWatch.endpoint),
    ...(more.lambda && { AWS_ENDPOINT_URL_LAMBDA: more.lambda }),
    ...(more.ses && { AWS_ENDPOINT_URL_SESV2: more.ses }),
    ...(isDashboard && { AWS_LAMBDA_FUNCTION_NAME: name }),
    ...(more.ecs && { AWS_ENDPOINT_URL_ECS: await record(more.ecs) }),
  }
  const here = {
    ...process.env,
    DOORBELL_URL: new URL(new URL(process.env.DOORBELL_URL!).pathname, queue).href,
    ECS_TASK_DEFINITION: "session-host",
    STAGE: "local",
  }
  const environment = Object.entries(graph.environment(`${name}Function`))
  const env = Object.fromEntries(environment.map(([key, value]) => [key, Object(here)[key] ?? value]))
  const child = fork(
    runtime,
    [bundle, ["Stream", "Transfer"].includes(name) || isDashboard ? "stream" : "whole"],
    {
      env: { ...env, ...endpoints, ...onlyHere() },
      execArgv: [],
      silent: true,
    },
  )
  onTestFinished(() => void child.kill("SIGKILL"))
  const stderr = text(child.stderr!)
  const lines: string[] = []
  createInterface(child.stdout!).on("line", (line) => lines.push(line))
  const died = once(child, "exit").then(async () => {
    // A stack in a bundle shows all of its line.
    throw new Error(`the function ended: ${(await stderr).slice(-2000)}`)
  })
  const [started] = await Promise.race([once(child, "message"), died])

  async function invoke(event: object): Promise<unknown> {
    const id = randomUUID()
    child.send({ id, event })
    for (;;) {
      const [message] = await Promise.race([once(child, "message"), died])
      const { id: answered, answer, error } = Answered.parse(message)
      if (answered !== id) continue
      if (error) throw new Error(error)
      return answer
    }
  }
  return {
    ...Started.parse(started),
    bundleKb: statSync(bundle).size / 1024,
    uses,
    invoke,
    cloudWatch,
    /** The metrics that it has written, each with its service. */
    metrics: () => metricsIn(lines),
  }
}

/** The metrics that a log has in CloudWatch's embedded metric format: `api Requests`, ... */
export function metricsIn(lines: string[]): string[] {
  const found = lines.flatMap((line) => {
    const parsed = Emf.safeParse(line.startsWith('{"_aws"') ? JSON.parse(line) : undefined)
    return parsed.success
      ? parsed.data._aws.CloudWatchMetrics.flatMap(({ Metrics }) =>
          Metrics.map(({ Name }) => `${parsed.data.service} ${Name}`),
        )
      : []
  })
  return [...new Set(found)]
}

const Emf = z.looseObject({
  service: z.string(),
  _aws: z.object({
    CloudWatchMetrics: z.array(z.object({ Metrics: z.array(z.object({ Name: z.string() })) })),
  }),
})

/** Variables that no function has in production. */
function onlyHere(): NodeJS.ProcessEnv {
  const { AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_ENDPOINT_URL_S3 } = process.env
  const { URL_ALLOW, LEASE_BEAT_MS, LOG_LEVEL } = process.env
  const credentials = { AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY }
  return { ...credentials, AWS_ENDPOINT_URL_S3, URL_ALLOW, LEASE_BEAT_MS, LOG_LEVEL }
}

/** `told-leases/index/byHost` is the table `Leases`, and `session` the key that wraps session keys. */
function inCode(resource: string): string {
  if (resource === "session") return "SessionKey"
  if (resource === "delivery") return "DeliveryKey"
  return resource.replace(/^told-(\w)/, (_, first: string) => first.toUpperCase())
}

/** What SST's component asks its program to bundle, as `evaluate` has left it. */
const Build = z.object({
  handler: z.string(),
  runtime: z.literal("nodejs24.x"),
  properties: z.object({ minify: z.boolean().default(false), architecture: z.string() }).strict(),
})

/**
 * Bundles a function as SST's program does (`pkg/runtime/node/build.go` of 4.17), with the version of esbuild that is built
 * into it. Only what the stage's build asks for is minified, which is nothing by itself.
 */
export async function bundled(name: string, outfile: string, stage = "production"): Promise<void> {
  const asked = join(root, ".sst/graph", stage, "bundles", name, "build.json")
  const { handler, properties } = Build.parse(JSON.parse(readFileSync(asked, "utf8")))
  const { build } = await import(join(root, "infra/node_modules/esbuild/lib/main.js"))
  await build({
    entryPoints: [join(root, `${handler.split(".")[0]}.ts`)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "es2024",
    external: ["sharp", "pg-native"],
    mainFields: ["module", "main"],
    minify: properties.minify,
    keepNames: true,
    sourcemap: "linked",
    logLevel: "error",
    banner: {
      js: [
        "import { createRequire as topLevelCreateRequire } from 'module';",
        "const require = topLevelCreateRequire(import.meta.url);",
        'import { fileURLToPath as topLevelFileUrlToPath, URL as topLevelURL } from "url"',
        "const __filename = topLevelFileUrlToPath(import.meta.url)",
        'const __dirname = topLevelFileUrlToPath(new topLevelURL(".", import.meta.url))',
        "",
      ].join("\n"),
    },
  })
}
