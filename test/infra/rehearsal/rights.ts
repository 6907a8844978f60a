import type { Graph, Statement } from "../graph.ts"
import { isAbout } from "./iam.ts"
import type { Judged } from "./permission-guard.ts"

/**
 * Every right that a stage grants, by its name: `ApiRole dynamodb:GetItem table/LeasesTable`, and the
 * statement that has it alone.
 */
export function rightsOf(graph: Graph): Map<string, { role: string; statement: Statement }> {
  const named = (type: string) => graph.all(type).map(({ name }) => name)
  return new Map(
    [...named("iam/role:Role"), ...named("iam/policy:Policy")].flatMap((role) =>
      graph
        .permissions(role)
        .flatMap(partsOf)
        .map((statement) => [[role, ...wordsOf(statement)].join(" "), { role, statement }] as const),
    ),
  )
}

/** The names of those rights that no request needed. */
export function unused(graph: Graph, judged: Judged[]): string[] {
  const seen = new Map<string, Judged>()
  for (const one of judged) seen.set(JSON.stringify(one), one)
  const asked = [...seen.values()].filter(({ isAllowed }) => isAllowed)
  return [...rightsOf(graph)]
    .filter(([, right]) => !asked.some((one) => one.role === right.role && isAbout(right.statement, one)))
    .map(([name]) => name)
}

/** A statement for each action, each resource, and each value that a condition takes. */
function partsOf({ effect, actions, resources, conditions }: Statement): Statement[] {
  let all: Statement["conditions"][] = [{}]
  for (const [operator, wanted] of Object.entries(conditions))
    for (const [variable, values] of Object.entries(wanted))
      all = all.flatMap((one) =>
        values.map((value) => ({ ...one, [operator]: { ...one[operator], [variable]: [value] } })),
      )
  return actions.flatMap((action) =>
    resources.flatMap((resource) =>
      all.map((one) => ({ effect, actions: [action], resources: [resource], conditions: one })),
    ),
  )
}

function wordsOf({ actions, resources, conditions }: Statement): string[] {
  const [resource = ""] = resources
  const bounds = Object.values(conditions).flatMap((wanted) => Object.values(wanted).flat())
  return [...actions, resource.replace(/^arn:aws:[^:]*:[^:]*:\d*:/, ""), ...bounds]
}
