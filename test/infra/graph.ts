import { z } from "zod"
import { type Resource, secretMark } from "./evaluate.ts"

export interface Statement {
  effect?: string
  actions: string[]
  resources: string[]
}

export type Graph = ReturnType<typeof graphOf>

/** What tests ask of an evaluated stage. */
export function graphOf(resources: Resource[]) {
  const all = (type: string) => resources.filter((resource) => resource.type === `aws:${type}`)

  /** Exactly one: a branch that vanished must fail. */
  function one(type: string, name: string) {
    const found = all(type).filter((resource) => resource.name === name)
    if (found.length !== 1) throw new Error(`${found.length} of ${type} ${name}`)
    return found[0]!.inputs
  }

  /**
   * The statements of a role's own policies, or of the policy of this name. Those of AWS's managed policies are named by
   * `managedPolicyArns`.
   */
  function permissions(role: string): Statement[] {
    const [policy] = all("iam/policy:Policy").filter(({ name }) => name === role)
    if (policy) return Policy.parse(JSON.parse(String(policy.inputs.policy))).statements
    const { inlinePolicies } = Role.parse(one("iam/role:Role", role))
    return inlinePolicies.flatMap(({ policy }) => Policy.parse(JSON.parse(policy)).statements)
  }

  /** Of what was asked of AWS (`dynamodb:Query Leases/index/byHost`), what the role may not do. */
  function denied(role: string, uses: Iterable<string>): string[] {
    const allowed = new Set(
      permissions(role).flatMap(({ actions, resources }) =>
        resources.flatMap((arn) => actions.map((action) => `${action} ${inCode(arn)}`.trim())),
      ),
    )
    return [...uses].filter((use) => !allowed.has(use.trim()))
  }

  /** What a function finds in its environment. */
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

  return { resources, all, one, permissions, denied, environment, container }
}

/** What the code calls it: `…:LeasesTable/index/byHost` is `Leases/index/byHost`. Of queues and tasks it has one. */
function inCode(arn: string): string {
  const name = arn.split(":").at(-1)!
  if (/Queue$|^SessionHostTask$|^task\/|^\*$|Bucket\/\*$|^ApiFunction$/.test(name)) return ""
  return name.replace(/Table(?=\/|$)/, "")
}

/** A value as the provider gets it; a secret one is marked only on its way there. */
export function plain(value: unknown): unknown {
  return isSecret(value) ? Secret.parse(value).value : value
}

export function isSecret(value: unknown): boolean {
  return typeof value === "object" && value !== null && secretMark in value
}

const Role = z.object({ inlinePolicies: z.array(z.object({ policy: z.string() })).default([]) })

const Policy = z.object({
  statements: z.array(
    z.object({ effect: z.string().optional(), actions: z.array(z.string()), resources: z.array(z.string()) }),
  ),
})

const Variables = z.object({ variables: z.record(z.string(), z.string()) })
const Secret = z.looseObject({ value: z.unknown() })

const Container = z.looseObject({
  name: z.string(),
  environment: z.array(z.object({ name: z.string(), value: z.string() })),
  secrets: z.array(z.object({ name: z.string(), valueFrom: z.string() })),
})
