import { beforeAll, expect, inject, test } from "vitest"
import { evaluate, type Resource } from "./evaluate.ts"
import { type Graph, graphOf } from "./graph.ts"

let graph: Graph

beforeAll(async () => {
  graph = graphOf(await evaluate("dana"))
})

test("somebody's own stage has every resource of production", () => {
  expect(namesOf(graph.resources)).toEqual(namesOf(inject("production")))
  // A branch that vanishes must fail.
  expect(graph.resources).toHaveLength(123)
})

test("somebody's own stage is cheap, small and can be removed", () => {
  for (const { inputs } of graph.all("dynamodb/table:Table"))
    expect(inputs.deletionProtectionEnabled).toBe(false)
  expect(graph.one("ec2/vpcEndpoint:VpcEndpoint", "KmsEndpoint").subnetIds).toEqual(["ApiSubnet1"])
  expect(graph.one("lambda/eventSourceMapping:EventSourceMapping", "DoorbellToDelivery")).toMatchObject({
    scalingConfig: { maximumConcurrency: 10 },
  })
  expect(graph.one("budgets/budget:Budget", "Budget").limitAmount).toBe("75")
})

test("somebody's own stage accepts what only production refuses", () => {
  expect(graph.environment("ApiFunction").STAGE).toBe("dana")
})

function namesOf(resources: Resource[]): string[] {
  return resources.map(({ type, name }) => `${type} ${name}`).toSorted()
}
