import { beforeAll, expect, inject, test, vi } from "vitest"
import { Config } from "#core/platform/config.ts"
import { billing } from "#infra/cost/usage.ts"
import { evaluate } from "../evaluate.ts"
import { type Graph, graphOf } from "../graph.ts"

const given = {
  BILLING: "stripe",
  STRIPE_SECRET_KEY: "rk_test_of_the_operator",
  STRIPE_WEBHOOK_SECRET: "whsec_of_the_operator",
  STRIPE_PRICE: "price_of_a_number",
  DASHBOARD_URL: "https://bridge.example.com",
}
const secrets = ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET"]
const functions = ["Api", "Stream", "Transfer", "Dashboard", "DashboardStream", "Delivery", "Sweep"]
const without = graphOf(inject("production"))
let graph: Graph

beforeAll(async () => {
  Object.assign(process.env, given)
  graph = graphOf(await evaluate("staging"))
})

test("a stage without BILLING has nothing of it", () => {
  const names = without.all("lambda/function:Function").map(({ name }) => name)
  expect(names).not.toContain("SubscriptionsFunction")
  for (const name of functions) {
    const settings = Object.keys(without.environment(`${name}Function`))
    expect(settings.filter((setting) => /^(BILLING$|STRIPE_)/.test(setting))).toEqual([])
  }
})

test("every function knows that numbers are paid for, and only two have Stripe's secrets", () => {
  const all = [...functions, "Subscriptions"]
  expect(all.map((name) => graph.environment(`${name}Function`).BILLING)).toEqual(all.map(() => "stripe"))
  const knowing = all.filter((name) => {
    const settings = graph.environment(`${name}Function`)
    return secrets.some((secret) => secret in settings)
  })
  expect(knowing).toEqual(["Dashboard", "Subscriptions"])
  const [dashboard, subscriptions] = knowing.map((name) => graph.environment(`${name}Function`))
  for (const secret of [...secrets, "STRIPE_PRICE"]) expect(dashboard![secret]).toBe(subscriptions![secret])
  // The operator's commands make accounts due, and need none of them.
  const ssm = graph.all("ssm/parameter:Parameter").map(({ name }) => name)
  expect(ssm.filter((name) => /^Admin-(BILLING|STRIPE)/.test(name))).toEqual(["Admin-BILLING"])
  // Their settings are encrypted with a key of the stage's own.
  expect(graph.one("lambda/function:Function", "SubscriptionsFunction").kmsKeyArn).toBeDefined()
})

test("the price is of what would be deployed", () => {
  const alarms = graph.all("cloudwatch/metricAlarm:MetricAlarm")
  const own = alarms.filter(({ name }) => name.startsWith("Subscriptions"))
  const published = own.filter(({ inputs }) => inputs.namespace === "MessagingBridge")
  expect(billing).toEqual({
    gb: Number(graph.one("lambda/function:Function", "SubscriptionsFunction").memorySize) / 1024,
    alarms: own.length,
    metrics: new Set(published.map(({ inputs }) => inputs.metricName)).size,
  })
})

test("the session hosts get settings that the service takes", () => {
  const settings = graph.container().environment.map(({ name, value }) => [name, value])
  expect(Config.safeParse(Object.fromEntries(settings)).error).toBeUndefined()
})

test("accounts that are due are looked at each minute, one look at a time, and all of them each night", () => {
  const schedules = graph
    .all("scheduler/schedule:Schedule")
    .map(({ inputs }) => String(inputs.scheduleExpression))
  expect(schedules).toEqual(expect.arrayContaining(["rate(1 minute)", "cron(0 3 * * ? *)"]))
  const fn = graph.one("lambda/function:Function", "SubscriptionsFunction")
  expect(fn).toMatchObject({ reservedConcurrentExecutions: 1, timeout: 300 })
  // It asks Stripe, which no function in the VPC can reach.
  expect(fn.vpcConfig).toBeUndefined()
})

test("the operator is told when looks fail, are throttled or stay away", () => {
  const alarms = graph.all("cloudwatch/metricAlarm:MetricAlarm").map(({ name }) => name)
  expect(alarms).toEqual(
    expect.arrayContaining(["SubscriptionsErrors", "SubscriptionsThrottled", "SubscriptionsLate"]),
  )
  expect(graph.one("cloudwatch/metricAlarm:MetricAlarm", "SubscriptionsLate")).toMatchObject({
    metricName: "LookOverdueS",
    namespace: "MessagingBridge",
  })
})

test.for(["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET", "STRIPE_PRICE", "DASHBOARD_URL"])(
  "a deploy with BILLING and without %s is refused with a sentence",
  async (missing) => {
    process.env[missing] = ""
    vi.resetModules()
    try {
      await expect(evaluate("staging")).rejects.toThrow(missing)
    } finally {
      Object.assign(process.env, given)
    }
  },
)
