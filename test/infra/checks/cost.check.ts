import { expect, inject, test, vi } from "vitest"
import { z } from "zod"
import { Metrics } from "#core/platform/metrics.ts"
import { billing, sized, small, spareSessions } from "#infra/cost/usage.ts"
import { evaluate } from "../evaluate.ts"
import { type Graph, graphOf } from "../graph.ts"

const Alarm = z.looseObject({
  metricQueries: z.array(z.looseObject({ metric: z.unknown().optional() })).optional(),
})

/** How many alarms are paid for: one that compares metrics is paid for by these. */
function alarmsOf(graph: Graph): number {
  const watched = graph
    .all("cloudwatch/metricAlarm:MetricAlarm")
    .map(({ inputs }) => Alarm.parse(inputs).metricQueries?.filter(({ metric }) => metric) ?? [inputs])
  return watched.flat().length + 5 * graph.all("cloudwatch/compositeAlarm:CompositeAlarm").length
}

test("the price is of what would be deployed", () => {
  const graph = graphOf(inject("production"))
  const host = graph.one("ecs/taskDefinition:TaskDefinition", "SessionHostTask")
  const gb = (name: string) => Number(graph.one("lambda/function:Function", name).memorySize) / 1024
  expect(sized).toEqual({
    hostVcpu: Number(host.cpu) / 1024,
    hostGb: Number(host.memory) / 1024,
    hostCapacity: Number(graph.environment("SweepFunction").HOST_CAPACITY),
    apiGb: gb("ApiFunction"),
    callsGb: gb("CallsFunction"),
    deliveryGb: gb("DeliveryFunction"),
    sweepGb: gb("SweepFunction"),
    troublesGb: gb("TroublesFunction"),
    streamGb: gb("StreamFunction"),
    pageGb: gb("DashboardStreamFunction"),
    keys: graph.all("kms/key:Key").length,
    alarms: alarmsOf(graph),
    // Each has one dimension, of which a stage has one value. The rest is written where numbers are paid for.
    metrics: Metrics.names.length - billing.metrics,
    metricsOfTrouble: sized.metricsOfTrouble.filter((name) => Metrics.names.some((one) => one === name)),
  })
  for (const { inputs } of graph.all("kms/key:Key")) expect(inputs.enableKeyRotation).toBe(true)
  expect(graph.all("cloudwatch/dashboard:Dashboard")).toHaveLength(1)
})

const spareOf = (graph: Graph) => Number(graph.environment("SweepFunction").HOST_SPARE)

test("each stage keeps as much room as is priced", async () => {
  expect(spareOf(graphOf(inject("production")))).toBe(spareSessions.production)
  for (const stage of ["staging", "personal"] as const) {
    vi.resetModules()
    expect(spareOf(graphOf(await evaluate(stage)))).toBe(spareSessions[stage])
  }
})

test("a stage with few sessions a host is as small as is priced", async () => {
  vi.resetModules()
  process.env.HOST_SESSIONS = String(small.hostSessions)
  const graph = graphOf(await evaluate("personal"))
  delete process.env.HOST_SESSIONS
  const host = graph.one("ecs/taskDefinition:TaskDefinition", "SessionHostTask")
  const { memorySize } = graph.one("lambda/function:Function", "SweepFunction")
  expect(Number(host.memory) / 1024).toBe(small.hostGb)
  expect(Number(memorySize) / 1024).toBe(small.sweepGb)
})

/** Kinds of resources that are paid for by the hour or the month, whether or not they are used. */
const standing = [
  "route53/healthCheck:HealthCheck",
  "cloudwatch/compositeAlarm:CompositeAlarm",
  "cloudwatch/dashboard:Dashboard",
  "cloudwatch/metricAlarm:MetricAlarm",
  "kms/key:Key",
]
/** Those of no price by themselves: what is used is paid for, and is priced by use. */
const byUse = [
  "budgets/budget:Budget",
  "cloudfront/distribution:Distribution",
  "cloudwatch/logGroup:LogGroup",
  "dynamodb/table:Table",
  "ecs/cluster:Cluster",
  "lambda/function:Function",
  "s3/bucket:Bucket",
  "s3/bucketV2:BucketV2",
  "scheduler/schedule:Schedule",
  "sns/topic:Topic",
  "sqs/queue:Queue",
]
/** Those that AWS gives away. */
const free =
  /^(random:|pulumi-nodejs:dynamic:|cloudfront\/(function|keyValueStore|keyvaluestore)|ec2\/|vpc\/|ecs\/|iam\/|lambda\/|s3\/|sns\/|ssm\/parameter|scheduler\/scheduleGroup|cloudfrontkeyvaluestore\/)/

test("of what would be deployed, nothing that AWS lets wait for money is missing in the price", () => {
  const graph = graphOf(inject("production"))
  const kinds = [...new Set(graph.resources.map(({ type }) => type.replace(/^aws:/, "")))]
  const unknown = kinds.filter((kind) => ![...standing, ...byUse].includes(kind) && !free.test(kind))
  expect(unknown.toSorted()).toEqual([])
  // Of a network, these few have a price.
  for (const kind of ["natGateway:NatGateway", "eip:Eip", "instance:Instance"])
    expect(graph.all(`ec2/${kind}`)).toEqual([])
  expect(
    graph.all("ec2/vpcEndpoint:VpcEndpoint").filter(({ inputs }) => inputs.vpcEndpointType !== "Gateway"),
  ).toEqual([])
  for (const { inputs } of graph.all("ssm/parameter:Parameter"))
    expect(inputs.tier ?? "Standard").toBe("Standard")
})
