import { expect } from "vitest"
import { z } from "zod"
import { type Graph, statementsOf } from "./graph.ts"

const Inline = z.object({ inlinePolicies: z.array(z.object({ policy: z.string() })).default([]) })

/**
 * Expects of every policy of a stage what IAM demands: actions of the resource's service, ARNs that are
 * whole, no more text than it may have. @returns how many roles and policies there are
 */
export function lintPolicies(graph: Graph): number {
  const inline = graph
    .all("iam/role:Role")
    .map(({ name, inputs }) => ({ name, limit: 10_240, policies: Inline.parse(inputs).inlinePolicies }))
  const managed = graph
    .all("iam/policy:Policy")
    .map(({ name, inputs }) => ({ name, limit: 6144, policies: [{ policy: String(inputs.policy) }] }))
  for (const { name, limit, policies } of [...inline, ...managed]) {
    expect(`${name} ${policies.map(({ policy }) => policy).join("").length <= limit}`).toBe(`${name} true`)
    for (const { effect, actions, resources } of policies.flatMap(({ policy }) => statementsOf(policy))) {
      expect(effect).toBe("Allow")
      expect(actions.length * resources.length).toBeGreaterThan(0)
      for (const resource of resources.filter((one) => one !== "*")) {
        expect(resource).toMatch(/^arn:aws:[a-z0-9]+:([a-z]+-[a-z]+-\d)?:(\d{12})?:[^:].*$/)
        expect(resource).not.toMatch(/undefined|object Object|Output|Calling \[toString\]/)
        const [, , service] = resource.split(":")
        for (const action of actions) expect(action).toMatch(new RegExp(`^${service}:[A-Z][A-Za-z]+$`))
      }
    }
  }
  return inline.length + managed.length
}
