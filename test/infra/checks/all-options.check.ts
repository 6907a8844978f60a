import { readFileSync } from "node:fs"
import { beforeAll, expect, inject, test } from "vitest"
import { Config } from "#core/platform/config.ts"
import { fullerHostGb } from "#infra/cost/usage.ts"
import { distributionOf } from "../distribution.ts"
import { evaluate } from "../evaluate.ts"
import { type Graph, graphOf } from "../graph.ts"
import { lintPolicies } from "../lint-policies.ts"

/** Everything that an operator may choose, at once. */
const chosen = {
  DOMAIN: "api.example.com",
  WAF: "1",
  HOST_SESSIONS: "150",
  SPOT: "1",
  SANDBOX: "1",
  BILLING: "stripe",
  STRIPE_SECRET_KEY: "rk_test_of_the_operator",
  STRIPE_WEBHOOK_SECRET: "whsec_of_the_operator",
  STRIPE_PRICE: "price_of_a_number",
}
const without = graphOf(inject("production"))
let graph: Graph

beforeAll(async () => {
  Object.assign(process.env, chosen)
  graph = graphOf(await evaluate("production"))
})

test("a stage with every option has what production has, and more", () => {
  const names = new Set(graph.resources.map(({ type, name }) => `${type} ${name}`))
  const missing = without.resources.filter(({ type, name }) => !names.has(`${type} ${name}`))
  expect(missing.map(({ name }) => name)).toEqual([])
  const roles = graph.all("iam/role:Role").map(({ name }) => name)
  expect(roles).toEqual(expect.arrayContaining(["SandboxHostTaskRole", "SubscriptionsRole"]))
})

test("with every option, too, each policy is what IAM takes", () => {
  expect(lintPolicies(graph)).toBeGreaterThan(12)
})

/** EC2's documentation of CreateSecurityGroup, "GroupDescription": an apostrophe, for one, is refused. */
const descriptionOfGroup = /^[a-zA-Z0-9. _\-:/()#,@[\]+=&;{}!$*]{1,255}$/

test("EC2 takes the description of every security group", () => {
  const groups = graph.all("ec2/securityGroup:SecurityGroup")
  expect(groups.map(({ name }) => name)).toContain("SandboxGroup")
  for (const { inputs } of groups) expect(inputs.description).toMatch(descriptionOfGroup)
})

test("the alarms of every option, too, are explained in docs/operations.md", () => {
  const page = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8")
  const known = new Set(without.all("cloudwatch/metricAlarm:MetricAlarm").map(({ name }) => name))
  const more = graph.all("cloudwatch/metricAlarm:MetricAlarm").filter(({ name }) => !known.has(name))
  expect(more.length).toBeGreaterThan(0)
  expect(more.map(({ name }) => name).filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})

test("the log group of every process is in the list of docs/operations.md", () => {
  const page = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8")
  const groups = graph
    .all("cloudwatch/logGroup:LogGroup")
    .map(({ inputs }) => String(inputs.name).split("/").at(-1)!)
  expect(groups).toContain("subscriptions")
  expect(groups.filter((group) => !new RegExp(`^- .*\`${group}\``, "m").test(page))).toEqual([])
})

test("DOMAIN gives the router its name, a certificate where CloudFront wants it, and pages that know it", () => {
  const distribution = graph.one("cloudfront/distribution:Distribution", "RouterCdnDistribution")
  expect(distribution.aliases).toEqual(["api.example.com"])
  expect(JSON.stringify(distribution.viewerCertificate)).toContain("acmCertificateArn")
  const [certificate] = graph.all("acm/certificate:Certificate")
  expect(certificate!.inputs).toMatchObject({ domainName: "api.example.com", validationMethod: "DNS" })
  const records = graph.all("route53/record:Record").map(({ inputs }) => inputs)
  expect(records).toContainEqual(expect.objectContaining({ name: "api.example.com", type: "A" }))
  for (const name of ["ApiFunction", "DashboardFunction"])
    expect(graph.environment(name).DASHBOARD_URL).toBe("https://api.example.com")
})

test("HOST_SESSIONS gives hosts the memory for them, and SPOT has the sweep ask for Spot", () => {
  const host = graph.one("ecs/taskDefinition:TaskDefinition", "SessionHostTask")
  expect(Number(host.memory) / 1024).toBe(fullerHostGb)
  expect(graph.environment("SweepFunction")).toMatchObject({ HOST_CAPACITY: "150", HOST_SPOT: "1" })
  const { capacityProviders } = graph.one(
    "ecs/clusterCapacityProviders:ClusterCapacityProviders",
    "HostsCapacityProviders",
  )
  expect(capacityProviders).toContain("FARGATE_SPOT")
})

test("WAF stands before the router, counts addresses, and looks into no message", () => {
  expect(without.all("wafv2/webAcl:WebAcl")).toEqual([])
  const [acl, ...others] = graph.all("wafv2/webAcl:WebAcl")
  expect(others).toEqual([])
  expect(acl!.inputs).toMatchObject({ scope: "CLOUDFRONT", defaultAction: { allow: {} } })
  expect(acl!.inputs.rules).toEqual([
    expect.objectContaining({
      action: { block: { customResponse: { responseCode: 429, customResponseBodyKey: "refused" } } },
      statement: { rateBasedStatement: expect.objectContaining({ limit: 2000, aggregateKeyType: "IP" }) },
    }),
  ])
  const distribution = graph.one("cloudfront/distribution:Distribution", "RouterCdnDistribution")
  expect(String(distribution.webAclId)).toContain(acl!.name)
})

/** Each pattern of a path, and the origin that it leads to. */
function ways(of: Graph) {
  const { orderedCacheBehaviors, defaultCacheBehavior } = distributionOf(of)
  return [...orderedCacheBehaviors, defaultCacheBehavior].map((one) => [one.pathPattern, one.targetOriginId])
}

test("behind a domain and a firewall, too, every way leads to the function that it leads to without", () => {
  expect(ways(graph)).toEqual(ways(without))
})

/**
 * Lambda's quota is 4 KB, names and values together. Here the names of tables, queues and functions are
 * shorter than AWS's.
 */
test("Lambda takes the environment of every function, with room for a second version of each secret", () => {
  for (const { name } of graph.all("lambda/function:Function"))
    expect([name, Object.entries(graph.environment(name)).flat().join("").length < 2500]).toEqual([
      name,
      true,
    ])
})

test("every function gets settings that the service takes", () => {
  const functions = graph.all("lambda/function:Function").map(({ name }) => name)
  expect(functions).toContain("SubscriptionsFunction")
  for (const name of functions.filter((one) => one.endsWith("Function")))
    expect([name, Config.safeParse(graph.environment(name)).error]).toEqual([name, undefined])
})
