import { z } from "zod"
import { type Resource, secretMark } from "./evaluate.ts"

export interface Statement {
  effect: string
  actions: string[]
  resources: string[]
  /**
   * By operator, what a request must have: `{ StringEquals: { "iam:PassedToService":
   * ["ecs-tasks.amazonaws.com"] } }`.
   */
  conditions: Record<string, Record<string, string[]>>
}

export type Graph = ReturnType<typeof graphOf>

/** The questions that tests ask of an evaluated stage. */
export function graphOf(resources: Resource[]) {
  const all = (type: string) => resources.filter((resource) => resource.type === `aws:${type}`)

  /** Exactly one: a branch that vanished must fail. */
  function one(type: string, name: string) {
    return only(type, name).inputs
  }

  /** The options that Pulumi gets with it. */
  function options(type: string, name: string) {
    return only(type, name).options
  }

  function only(type: string, name: string) {
    const found = all(type).filter((resource) => resource.name === name)
    if (found.length !== 1) throw new Error(`${found.length} of ${type} ${name}`)
    return found[0]!
  }

  /**
   * The statements of a role's own policies, or of the policy of this name. Those of AWS's managed policies
   * are named by `managedPolicyArns`.
   */
  function permissions(role: string): Statement[] {
    const [policy] = all("iam/policy:Policy").filter(({ name }) => name === role)
    if (policy) return statementsOf(String(policy.inputs.policy))
    const { inlinePolicies } = Role.parse(one("iam/role:Role", role))
    return inlinePolicies.flatMap(({ policy }) => statementsOf(policy))
  }

  /** Those of these uses (`dynamodb:Query Leases/index/byHost`) that the role may not make. */
  function denied(role: string, uses: Iterable<string>): string[] {
    const allowed = new Set(
      permissions(role).flatMap(({ actions, resources }) =>
        resources.flatMap((arn) => actions.map((action) => `${action} ${inCode(arn)}`.trim())),
      ),
    )
    return [...uses].filter((use) => !allowed.has(use.trim()))
  }

  /** The environment of a function. */
  function environment(fn: string): Record<string, string> {
    return Variables.parse(plain(one("lambda/function:Function", fn).environment)).variables
  }

  /** The one container of a task definition. */
  function container(name = "SessionHostTask") {
    const task = one("ecs/taskDefinition:TaskDefinition", name)
    const [definition, ...others] = z
      .tuple([Container], Container)
      .parse(JSON.parse(String(plain(task.containerDefinitions))))
    if (others.length > 0) throw new Error("a host is one container")
    return definition
  }

  return { resources, all, one, options, permissions, denied, environment, container }
}

/**
 * The name that the code has for it: `…:table/LeasesTable/index/byHost` is `Leases/index/byHost`. For queues
 * and tasks it has one.
 */
function inCode(arn: string): string {
  const [, name] = /:(?:table|key)\/(.+)$/.exec(arn) ?? []
  return name === undefined ? "" : name.replace(/Table(?=\/|$)/, "")
}

/** The statements of a policy as IAM gets it. */
export function statementsOf(policy: string): Statement[] {
  return Policy.parse(JSON.parse(policy)).Statement.map((one) => ({
    effect: one.Effect,
    actions: one.Action,
    resources: one.Resource,
    conditions: one.Condition,
  }))
}

/** A value as the provider gets it; a secret one is marked only on its way there. */
export function plain(value: unknown): unknown {
  return isSecret(value) ? Secret.parse(value).value : value
}

export function isSecret(value: unknown): boolean {
  return typeof value === "object" && value !== null && secretMark in value
}

const Role = z.object({ inlinePolicies: z.array(z.object({ policy: z.string() })).default([]) })

const OneOrMore = z.union([z.string().transform((one) => [one]), z.array(z.string())])

const Policy = z.object({
  Version: z.literal("2012-10-17"),
  Statement: z.array(
    // `NotAction`, `NotResource` and other fields are refused: each would be a right that is not read here.
    z.strictObject({
      Sid: z.string().optional(),
      Effect: z.string(),
      Action: OneOrMore,
      Resource: OneOrMore,
      Condition: z.record(z.string(), z.record(z.string(), OneOrMore)).default({}),
    }),
  ),
})

const Variables = z.object({ variables: z.record(z.string(), z.string()) })
const Secret = z.looseObject({ value: z.unknown() })

const Container = z.looseObject({
  name: z.string(),
  environment: z.array(z.object({ name: z.string(), value: z.string() })),
  secrets: z.array(z.object({ name: z.string(), valueFrom: z.string() })),
})
