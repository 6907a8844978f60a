import { globSync, readFileSync } from "node:fs"
import { expect, inject, test } from "vitest"
import { z } from "zod"
import { Delivery } from "#core/event/delivery.ts"
import { alarms } from "#core/platform/alarm-rules.ts"
import { Metrics } from "#core/platform/metrics.ts"
import { graphOf } from "../graph.ts"

const graph = graphOf(inject("production"))

function alarm(name: string) {
  return graph.one("cloudwatch/metricAlarm:MetricAlarm", name)
}

/** These two alarms tell no one by themselves: `DoorbellOld` rings where both do. */
const partsOf = new Set(["DoorbellWaits", "DeliverySilent"])

test("every alarm tells the operator, says when it is over, and is explained in docs/operations.md", () => {
  const alarms = [
    ...graph.all("cloudwatch/metricAlarm:MetricAlarm").filter(({ name }) => !partsOf.has(name)),
    ...graph.all("cloudwatch/compositeAlarm:CompositeAlarm"),
  ]
  expect(alarms).toHaveLength(46)
  const explained = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8")
  for (const { name, inputs } of alarms) {
    const topic = [expect.stringMatching(/^arn:aws:sns:.*:Alarms(FromOutside)?$/)]
    expect(inputs).toMatchObject({ alarmActions: topic, okActions: topic })
    expect(explained).toContain(`\`${name.replace(/^[A-Z][a-z]+(?=WritesThrottled)/, "*")}\``)
  }
})

test("every metric that alarms and the dashboard watch is the service's, and every one it makes is watched", () => {
  const { dashboardBody } = graph.one("cloudwatch/dashboard:Dashboard", "Dashboard")
  const shown = [...String(dashboardBody).matchAll(/"MessagingBridge","(\w+)","stage"/g)].map(
    ([, name]) => name!,
  )
  const alarming = graph
    .all("cloudwatch/metricAlarm:MetricAlarm")
    .flatMap(({ inputs }) => Watched.parse(inputs))
    .filter(({ namespace }) => namespace === "MessagingBridge")
  const watched = [...shown, ...alarming.map(({ name }) => name)]
  expect(watched.length).toBeGreaterThan(40)
  expect(watched.filter((name) => !written.has(name))).toEqual([])
  // Only a stage where numbers are paid for watches the last one (billing.check.ts).
  const known = new Set([...watched, "LookOverdueS"])
  expect(Metrics.names.filter((name) => !known.has(name))).toEqual([])
})

/** All that the code measures. */
const written = new Set(
  globSync("{billing,core,functions,session-host}/**/*.ts", {
    cwd: new URL("../../../", import.meta.url).pathname,
  })
    .flatMap((file) => [
      ...readFileSync(new URL(`../../../${file}`, import.meta.url), "utf8").matchAll(
        /Metrics\.add\(\s*"(\w+)"/g,
      ),
    ])
    .map((match) => match[1]!),
)

const rules = Object.entries(alarms)

test.for(rules.filter(([, { to }]) => to !== undefined))(
  "%s is part of what is measured with it, also if nothing succeeds, and rings if nothing was tried",
  ([name, { of, to, above, below }]) => {
    const { metricQueries } = z
      .object({
        metricQueries: z.array(
          z.looseObject({
            expression: z.string().optional(),
            metric: z.looseObject({ metricName: z.string() }).optional(),
          }),
        ),
      })
      .parse(alarm(name))
    expect(alarm(name)).toMatchObject({
      threshold: above ?? below,
      comparisonOperator: below === undefined ? "GreaterThanThreshold" : "LessThanThreshold",
    })
    // Where nothing was tried, all is up.
    const ofNothing = below === undefined ? "IF(part > 0, 1, 0)" : "1"
    expect(metricQueries[0]!.expression).toBe(`IF(whole > 0, part / whole, ${ofNothing})`)
    expect(metricQueries.flatMap(({ metric }) => metric?.metricName ?? [])).toEqual([of, to])
  },
)

test("each function with a URL or places of its own rings if throttled: a URL answers 429, which is no 5xx", () => {
  const names = graph
    .all("lambda/function:Function")
    .filter(
      ({ name, inputs }) =>
        Number(inputs.reservedConcurrentExecutions ?? -1) >= 0 ||
        graph
          .all("lambda/functionUrl:FunctionUrl")
          .some((url) => url.name === name.replace(/Function$/, "Url")),
    )
    .map(({ name }) => name.replace(/Function$/, ""))
  expect(names.toSorted()).toEqual([
    "Api",
    "Dashboard",
    "DashboardStream",
    "Delivery",
    "Stream",
    "Sweep",
    "Transfer",
    "Troubles",
  ])
  // Lambda starts no more deliveries than there are places, and so refuses none.
  expect(alarm("DeliveryFull")).toMatchObject({ metricName: "ConcurrentExecutions", threshold: 284 })
  for (const name of names.filter((one) => one !== "Delivery"))
    expect(alarm(`${name}Throttled`)).toMatchObject({
      namespace: "AWS/Lambda",
      metricName: "Throttles",
      dimensions: { FunctionName: expect.stringContaining(name) },
    })
})

test.for(rules.filter(([, { to }]) => to === undefined))(
  "%s rings above its bound",
  ([name, { of, above }]) => {
    expect(alarm(name)).toMatchObject({
      namespace: "MessagingBridge",
      metricName: of,
      threshold: above,
      comparisonOperator: "GreaterThanThreshold",
      treatMissingData: "notBreaching",
      dimensions: { stage: "production" },
    })
  },
)

test("a dead doorbell rings at once; old ones when no delivery answers, not for one customer's endpoint", () => {
  expect(alarm("DeadDoorbell")).toMatchObject({
    metricName: "ApproximateNumberOfMessagesVisible",
    dimensions: { QueueName: expect.stringMatching(/DeadDoorbells.*\.fifo$/) },
    threshold: 0,
    datapointsToAlarm: 1,
  })
  expect(alarm("DoorbellWaits")).toMatchObject({
    metricName: "ApproximateAgeOfOldestMessage",
    dimensions: { QueueName: expect.stringMatching(/DoorbellQueue.*\.fifo$/) },
    threshold: 600,
  })
  // Longer than the longest wait of a doorbell, and the attempt after it.
  const silent = alarm("DeliverySilent")
  expect(silent).toMatchObject({ metricName: "Invocations", treatMissingData: "breaching" })
  expect(silent.period).toBeGreaterThan(Delivery.longestWait + 10)
  const { alarmRule } = graph.one("cloudwatch/compositeAlarm:CompositeAlarm", "DoorbellOld")
  expect(alarmRule).toMatch(/^ALARM\(".*DoorbellWaits.*"\) AND ALARM\(".*DeliverySilent.*"\)$/)
})

test("a delivery that Lambda takes for a loop, and one that fails each time, ring within five minutes", () => {
  expect(alarm("DeliveryStopped")).toMatchObject({
    namespace: "AWS/Lambda",
    metricName: "RecursiveInvocationsDropped",
    dimensions: { FunctionName: expect.stringContaining("Delivery") },
    threshold: 0,
    datapointsToAlarm: 1,
  })
  // Its doorbell may come back as seldom as each two minutes.
  expect(alarm("DoorbellUnanswered")).toMatchObject({
    dimensions: { stage: "production" },
    threshold: 0,
    period: 60,
    datapointsToAlarm: 2,
    evaluationPeriods: 5,
  })
})

test("a sweep that does not run is noticed by its silence", () => {
  expect(alarm("SweepSilent")).toMatchObject({
    metricName: "Invocations",
    treatMissingData: "breaching",
    evaluationPeriods: 5,
  })
})

test("the budget tells the same people, before the month is over", () => {
  expect(graph.one("budgets/budget:Budget", "Budget")).toMatchObject({
    limitAmount: "500",
    notifications: [{ notificationType: "FORECASTED" }, { notificationType: "ACTUAL" }],
  })
  const { policy } = graph.one("sns/topicPolicy:TopicPolicy", "AlarmsPolicy")
  expect(JSON.parse(String(policy)).Statement).toMatchObject([
    {
      Principal: { Service: ["cloudwatch.amazonaws.com", "budgets.amazonaws.com"] },
      Condition: { StringEquals: { "aws:SourceAccount": "111122223333" } },
    },
  ])
})

test("the dashboard shows charts of metrics that name this stage", () => {
  const { dashboardBody } = graph.one("cloudwatch/dashboard:Dashboard", "Dashboard")
  const { widgets } = JSON.parse(String(dashboardBody))
  expect(widgets).toHaveLength(15)
  expect(widgets[0].properties.metrics[0]).toEqual([
    "AWS/Lambda",
    "UrlRequestCount",
    "FunctionName",
    expect.stringContaining("Api"),
    { stat: "Sum" },
  ])
})

const Watching = z.object({
  namespace: z.string(),
  metricName: z.string(),
})

/** The metrics that an alarm watches. */
const Watched = z
  .union([
    Watching.transform((one) => [one]),
    z
      .object({ metricQueries: z.array(z.object({ metric: Watching.optional() })) })
      .transform(({ metricQueries }) => metricQueries.flatMap(({ metric }) => metric ?? [])),
  ])
  .transform((all) => all.map(({ namespace, metricName }) => ({ namespace, name: metricName })))
