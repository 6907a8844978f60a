import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runInNewContext } from "node:vm"
import type { RouteConfig } from "@hono/zod-openapi"
import { expect, inject, onTestFinished, test } from "vitest"
import { z } from "zod"
import { routes } from "#contract/routes.ts"
import { timing } from "#functions/stream/sse.ts"
import { offerStreaming } from "#test/support/service/function-url.ts"
import { bundled } from "../bundled.ts"
import { distributionOf, matches } from "../distribution.ts"
import { graphOf } from "../graph.ts"
import { dashboard } from "../with-billing.ts"

const graph = graphOf(inject("production"))

const FunctionInputs = z.object({ handler: z.string(), timeout: z.number(), memorySize: z.number() })

function fn(name: string) {
  return FunctionInputs.parse(graph.one("lambda/function:Function", `${name}Function`))
}

test("every handler that a function names is there, and is exported", async () => {
  const functions = graph.all("lambda/function:Function")
  expect(functions).toHaveLength(9)
  // Lambda's runtime offers it to functions that stream.
  offerStreaming()
  for (const { inputs } of functions) {
    const [path, name] = FunctionInputs.parse(inputs).handler.split(".")
    const file = new URL(`../../../${path}.ts`, import.meta.url)
    expect(await import(file.pathname)).toHaveProperty(name!, expect.any(Function))
  }
})

test("every bundle is small", async () => {
  const folder = mkdtempSync(join(tmpdir(), "bundles-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const { name } of graph.all("lambda/function:Function")) {
    const file = join(folder, `${name}.mjs`)
    await bundled(name.replace(/Function$/, ""), file)
    const kb = statSync(file).size / 1024
    console.log(`${name}: bundle ${kb.toFixed(0)} KB`)
    expect([name, kb < 3900]).toEqual([name, true])
  }
})

test("every process is told what core/platform/config.ts reads, under the names it reads", () => {
  const source = readFileSync(new URL("../../../core/platform/config.ts", import.meta.url), "utf8")
  const read = new Set([...source.matchAll(/^  ([A-Z_]+):/gm)].map((match) => match[1]!))
  const functions = graph
    .all("lambda/function:Function")
    .map(({ name }) => Object.keys(graph.environment(name)))
  const { environment, secrets } = graph.container()
  const told = new Set([...functions.flat(), ...[...environment, ...secrets].map(({ name }) => name)])
  const unread = [...told].filter((name) => !name.startsWith("SST_") && !read.has(name))
  expect(unread).toEqual([])
})

test("functions run on ARM, on the Node of the project", () => {
  for (const { inputs } of graph.all("lambda/function:Function"))
    expect(inputs).toMatchObject({
      architectures: ["arm64"],
      runtime: `nodejs${process.versions.node.split(".")[0]}.x`,
    })
})

test("bundles are minified, and made here by the esbuild that is built into SST's program", () => {
  for (const { name } of graph.all("lambda/function:Function")) {
    const build = `../../../.sst/graph/production/bundles/${name.replace(/Function$/, "")}/build.json`
    const asked = JSON.parse(readFileSync(new URL(build, import.meta.url), "utf8"))
    expect([name, asked.properties]).toEqual([name, { architecture: "arm64", minify: true }])
  }
  const modules = new URL("../../../infra/node_modules/", import.meta.url)
  const { version } = JSON.parse(readFileSync(new URL("esbuild/package.json", modules), "utf8"))
  const [program] = globSync("sst-*/bin/sst", { cwd: modules })
  const binary = readFileSync(new URL(program!, modules))
  // As Go writes down what a program was made of.
  expect(binary.includes(`github.com/evanw/esbuild\tv${version}\t`)).toBe(true)
})

test("a doorbell stays hidden for twice as long as a delivery may run", () => {
  const queue = graph.one("sqs/queue:Queue", "DoorbellQueue")
  expect(queue.visibilityTimeoutSeconds).toBe(2 * fn("Delivery").timeout)
})

test("doorbells are a FIFO queue of high throughput, and the dead ones are kept as long as can be", () => {
  const queue = graph.one("sqs/queue:Queue", "DoorbellQueue")
  expect(queue).toMatchObject({
    fifoQueue: true,
    contentBasedDeduplication: false,
    deduplicationScope: "messageGroup",
    fifoThroughputLimit: "perMessageGroupId",
    sqsManagedSseEnabled: true,
  })
  expect(JSON.parse(String(queue.redrivePolicy))).toEqual({
    deadLetterTargetArn: expect.stringContaining("DeadDoorbellsQueue"),
    maxReceiveCount: 50,
  })
  expect(graph.one("sqs/queue:Queue", "DeadDoorbellsQueue")).toMatchObject({
    fifoQueue: true,
    messageRetentionSeconds: 1_209_600,
    sqsManagedSseEnabled: true,
  })
})

test("a delivery gets one doorbell and reports by item, and leaves room for the API", () => {
  expect(graph.all("lambda/eventSourceMapping:EventSourceMapping")).toHaveLength(1)
  expect(graph.one("lambda/eventSourceMapping:EventSourceMapping", "DoorbellToDelivery")).toMatchObject({
    eventSourceArn: expect.stringContaining("DoorbellQueue"),
    batchSize: 1,
    functionResponseTypes: ["ReportBatchItemFailures"],
    scalingConfig: { maximumConcurrency: 300 },
  })
})

test("a delivery may go on ringing for itself, and no other function may be part of a loop", () => {
  expect(graph.all("lambda/functionRecursionConfig:FunctionRecursionConfig")).toHaveLength(1)
  expect(
    graph.one("lambda/functionRecursionConfig:FunctionRecursionConfig", "DeliveryRingsItself"),
  ).toMatchObject({ functionName: expect.stringContaining("Delivery"), recursiveLoop: "Allow" })
})

test.for([
  ["Sweep", "EachMinute"],
  ["Troubles", "TellEachMinute"],
] as const)(
  "%s starts each minute, alone, and a minute that was missed is not made up for",
  ([name, schedule]) => {
    expect(graph.one("lambda/function:Function", `${name}Function`).reservedConcurrentExecutions).toBe(1)
    expect(graph.one("scheduler/schedule:Schedule", `${schedule}Schedule`)).toMatchObject({
      scheduleExpression: "rate(1 minute)",
      state: "ENABLED",
      target: { arn: expect.stringContaining(`${name}Function`), retryPolicy: { maximumRetryAttempts: 0 } },
    })
    expect(
      graph.one("lambda/functionEventInvokeConfig:FunctionEventInvokeConfig", `${name}EventInvokeConfig`),
    ).toMatchObject({ maximumRetryAttempts: 0, maximumEventAgeInSeconds: 60 })
  },
)

test("the router waits longer than the API may take, and the API longer than any call", () => {
  const { origins } = distributionOf(graph)
  expect(origins.value).toHaveLength(17)
  for (const { customOriginConfig } of origins.value)
    expect(customOriginConfig).toMatchObject({
      originReadTimeout: 60,
      originProtocolPolicy: "https-only",
    })
  expect(fn("Api").timeout).toBeLessThan(60)
  expect(fn("Api").timeout).toBeGreaterThan(50)
})

test("the router proves itself to the API by a secret header, and overwrites the viewer's address", async () => {
  const { origins, defaultCacheBehavior } = distributionOf(graph)
  for (const name of ["Api", "Stream", "Transfer", "Dashboard", "DashboardStream"].map(
    (one) => `${one}Function`,
  )) {
    const secret = graph.environment(name).ROUTER_SECRET
    for (const { customHeaders } of origins.value)
      expect(customHeaders).toEqual([{ name: "x-router-secret", value: secret }])
  }
  expect(defaultCacheBehavior.functionAssociations).toHaveLength(1)

  const codes = graph.all("cloudfront/function:Function").map(({ inputs }) => String(inputs.code))
  expect(codes).toHaveLength(17)
  for (const code of codes) {
    const headers = { host: { value: "api.test" }, "x-viewer-address": { value: "1.1.1.1" } }
    const event = { request: { headers }, viewer: { ip: "203.0.113.7" } }
    const passedOn: unknown = await runInNewContext(`${code}; handler(event)`, { event })
    const seen = { "x-viewer-address": { value: "203.0.113.7" }, "x-forwarded-host": { value: "api.test" } }
    expect(passedOn).toMatchObject({ headers: seen })
  }
})

test("only style and scripts are cached, every method passes, people are led to https, and calls are not", () => {
  const { defaultCacheBehavior, orderedCacheBehaviors } = distributionOf(graph)
  for (const behavior of [defaultCacheBehavior, ...orderedCacheBehaviors]) {
    const isAsset = behavior.pathPattern === "/assets/*"
    const isCall = /^\/(?:api\/|mcp$|evolution|waha)/.test(behavior.pathPattern ?? "")
    expect(behavior).toMatchObject({
      viewerProtocolPolicy: isCall ? "https-only" : "redirect-to-https",
      cachePolicyId: isAsset
        ? "658327ea-f89d-4fab-a63d-7e88639e58f6"
        : "4135ea2d-6df8-44a3-9df3-4b5a84be39ad",
      functionAssociations: [expect.anything()],
    })
    expect(behavior.allowedMethods).toEqual(expect.arrayContaining(["GET", "POST", "PUT", "PATCH", "DELETE"]))
  }
})

/** The function that a path is routed to: CloudFront takes the first pattern that fits. */
function functionOf(path: string): string {
  const { origins, defaultCacheBehavior, orderedCacheBehaviors } = distributionOf(graph)
  const fits = orderedCacheBehaviors.find(({ pathPattern }) => matches(pathPattern, path))
  const { targetOriginId } = fits ?? defaultCacheBehavior
  const origin = origins.value.find(({ originId }) => originId === targetOriginId)
  return /^[a-z]+/i.exec(origin?.domainName ?? "")![0].toLowerCase()
}

test("streams, and what is long or needs the internet, have their own functions; all else goes to the API", () => {
  const streams: string[] = [routes.Bridges.streamLogs, routes.Events.listEvents].map(({ path }) => path)
  const transfers: string[] = [
    routes.Events.testWebhook,
    routes.Messages.messageMedia,
    routes.Contacts.listContacts,
  ].map(({ path }) => path)
  for (const route of Object.values(routes).flatMap((group): RouteConfig[] => Object.values(group))) {
    const path = route.path.replaceAll(/\{\w+\}/g, "x")
    const own = streams.includes(route.path) ? "stream" : transfers.includes(route.path) ? "transfer" : "api"
    expect(`${path} ${functionOf(path)}`).toMatch(` ${own}`)
  }
  for (const path of ["/healthz", "/docs", "/docs/none", "/api/docs/none", "/api/none"])
    expect(functionOf(path)).toMatch(/^api/)
})

test("the dashboard has every other path, and what is live on its pages a function of its own", () => {
  for (const { path } of dashboard.routes.filter((route) => !route.path.includes("*"))) {
    const asked = path.replaceAll(/:\w+(\{[^}]+\})?/g, "x")
    const isLive = asked.startsWith("/live/") || asked.endsWith("/stream")
    expect(`${asked} ${functionOf(asked)}`).toMatch(isLive ? / dashboardstream/ : / dashboard(?!stream)/)
  }
  expect(dashboard.routes.length).toBeGreaterThan(50)
  expect(functionOf("/numbers/stream")).toMatch(/^dashboard/)
  for (const name of ["Dashboard", "DashboardStream"])
    expect(graph.one("lambda/functionUrl:FunctionUrl", `${name}Url`).invokeMode).toBe("RESPONSE_STREAM")
  expect(fn("DashboardStream").timeout).toBeGreaterThan(60)
})

test("log streams have their ten minutes, and stream, as what is long does", () => {
  expect(timing.onLambdaMs).toBe(60_000)
  expect(fn("Stream").timeout).toBeGreaterThan(timing.endsAfterMs / 1000)
  for (const name of ["StreamUrl", "TransferUrl"])
    expect(graph.one("lambda/functionUrl:FunctionUrl", name).invokeMode).toBe("RESPONSE_STREAM")
  expect(graph.one("lambda/functionUrl:FunctionUrl", "ApiUrl").invokeMode).toBe("BUFFERED")
  // CloudFront lets go of an origin that is silent for a minute.
  expect(timing.commentEachMs).toBeLessThan(30_000)
})

test("calls of hosts may take as long as the functions that ask for them", () => {
  expect(fn("Calls").timeout).toBe(fn("Api").timeout)
  for (const name of ["Api", "Dashboard", "DashboardStream"])
    expect(graph.environment(`${name}Function`).CALLS_FUNCTION).toContain("-CallsFunction-")
})

test("every service says under its own name what it measures", () => {
  const names = ["Api", "Stream", "Transfer", "Dashboard", "DashboardStream", "Delivery", "Sweep", "Troubles"]
  const services = names.map((name) => graph.environment(`${name}Function`).METRICS_SERVICE)
  expect(services).toEqual(["api", "api", "api", "dashboard", "dashboard", "delivery", "sweep", "troubles"])
  expect(graph.container().environment).toContainEqual({ name: "METRICS_SERVICE", value: "session-host" })
})
