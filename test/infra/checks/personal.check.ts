import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from "vitest"
import { streamsPerAddress, streamsPerPerson } from "#dashboard/live.ts"
import { mostEventStreams } from "#functions/stream/events.ts"
import { mostLogStreams } from "#functions/stream/logs.ts"
import { evaluate, type Resource } from "../evaluate.ts"
import { type Graph, graphOf } from "../graph.ts"

let graph: Graph

/** As the operator set them for the deploy. */
const set = { LOG_LEVEL: "debug", RATE_LIMIT_PROXY: "600", WHATSAPP_WEB_VERSION: "2.3000.1" }

beforeAll(async () => {
  Object.assign(process.env, set)
  graph = graphOf(await evaluate("dana"))
})
afterAll(() => {
  for (const name of Object.keys(set)) delete process.env[name]
})

test("a developer's own stage has every resource of production", () => {
  expect(namesOf(graph.resources)).toEqual(namesOf(inject("production")))
  // A branch that vanishes must fail.
  expect(graph.resources).toHaveLength(202)
})

test("a developer's own stage is cheap, small and can be removed", () => {
  for (const { inputs } of graph.all("dynamodb/table:Table"))
    expect(inputs.deletionProtectionEnabled).toBe(false)
  expect(graph.one("lambda/eventSourceMapping:EventSourceMapping", "DoorbellToDelivery")).toMatchObject({
    scalingConfig: { maximumConcurrency: 10 },
  })
  // It counts this stage alone: other stages of the account have theirs.
  expect(graph.one("budgets/budget:Budget", "Budget")).toMatchObject({
    limitAmount: "75",
    costFilters: [{ name: "TagKeyValue", values: ["user:sst:stage$dana"] }],
  })
  for (const { options } of graph.all("kms/key:Key")) expect(options).not.toMatchObject({ protect: true })
})

/** The places that functions have set aside: no other function can have them. */
function placesOf(of: Graph): number {
  const places = of
    .all("lambda/function:Function")
    .map(({ inputs }) => Number(inputs.reservedConcurrentExecutions ?? 0))
  return places.reduce((sum, one) => sum + Math.max(0, one), 0)
}

test("the places that an account needs are those that docs/deploy.md asks for", () => {
  const page = readFileSync(new URL("../../../docs/deploy.md", import.meta.url), "utf8")
  const production = placesOf(graphOf(inject("production")))
  // AWS wants a hundred places that are set aside for no function.
  expect(page.replaceAll("\n", " ")).toMatch(new RegExp(`reserves +${production}\\b`))
  expect(page).toContain(`a quota of ${production + 100} at least`)
  expect(page).toContain(`a personal stage ${placesOf(graph) + 100}`)
  // What `npm run deploy` asks for.
  const asked = readFileSync(new URL("../../../infra/check-and-deploy.ts", import.meta.url), "utf8")
  expect(asked).toMatch(new RegExp(`production: ${production + 100}, .*personal: ${placesOf(graph) + 100} `))
})

/** The places that are set aside for a function. */
function placesFor(name: string): unknown {
  return graph.one("lambda/function:Function", `${name}Function`).reservedConcurrentExecutions
}

test("a customer takes a third of the places at most, of its own kind alone, also in the smallest stage", () => {
  expect(placesFor("Stream")).toBeGreaterThanOrEqual(
    3 * (mostEventStreams.perAccount + mostLogStreams.perAccount),
  )
  expect(placesFor("DashboardStream")).toBeGreaterThanOrEqual(3 * streamsPerPerson)
  // Strangers who share an address leave most of them to others.
  expect(placesFor("DashboardStream")).toBeGreaterThanOrEqual(4 * streamsPerAddress)
  for (const name of ["Transfer", "Dashboard", "Delivery", "Sweep", "Troubles"])
    expect(placesFor(name)).toBeGreaterThan(0)
})

test("a developer's own stage accepts what only production refuses", () => {
  expect(graph.environment("ApiFunction").STAGE).toBe("dana")
})

test("a setting of the deploy reaches the processes that read it, and no other", () => {
  const { LOG_LEVEL, RATE_LIMIT_PROXY, WHATSAPP_WEB_VERSION } = set
  for (const name of ["Api", "Stream", "Transfer", "Dashboard", "DashboardStream"].map(
    (one) => `${one}Function`,
  )) {
    expect(graph.environment(name)).toMatchObject({ LOG_LEVEL, RATE_LIMIT_PROXY })
    expect(graph.environment(name)).not.toHaveProperty("RATE_LIMIT_OTHER")
  }
  for (const name of ["DeliveryFunction", "SweepFunction"]) {
    expect(graph.environment(name)).toMatchObject({ LOG_LEVEL })
    expect(graph.environment(name)).not.toHaveProperty("RATE_LIMIT_PROXY")
  }
  const { environment } = graph.container()
  expect(environment).toContainEqual({ name: "LOG_LEVEL", value: LOG_LEVEL })
  expect(environment).toContainEqual({ name: "WHATSAPP_WEB_VERSION", value: WHATSAPP_WEB_VERSION })
})

test.for([
  ["MONTHLY_BUDGET", "much"],
  ["RATE_LIMIT_PROXY", "0"],
  ["LOG_LEVEL", "loud"],
  ["BILLING_URL", "foo"],
  ["MAIL_FROM", "nobody"],
  ["HOST_TOKEN_VERSION", "two"],
] as const)("%s=%s stops a deploy", async ([name, value]) => {
  const before = process.env[name]
  onTestFinished(() => {
    if (before === undefined) delete process.env[name]
    else process.env[name] = before
  })
  process.env[name] = value
  // Read anew: they look at their environment when they are loaded.
  const folder = fileURLToPath(new URL("../../../infra/stage", import.meta.url))
  const read = async () => {
    await import(`${folder}/settings.ts?${name}`)
    ;(await import(`${folder}/passed-on.ts?${name}`)).givenSettings(name)
  }
  await expect(read()).rejects.toThrow(`${name} cannot be "${value}"`)
})

function namesOf(resources: Resource[]): string[] {
  return resources.map(({ type, name }) => `${type} ${name}`).toSorted()
}
