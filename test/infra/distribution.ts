import { z } from "zod"
import type { Graph } from "./graph.ts"

const Behavior = z.looseObject({
  pathPattern: z.string().default("*"),
  targetOriginId: z.string(),
  functionAssociations: z.array(z.unknown()),
  allowedMethods: z.array(z.string()),
})

const Distribution = z.object({
  origins: z.object({
    value: z.array(
      z.object({
        originId: z.string(),
        domainName: z.string(),
        customHeaders: z.array(z.object({ name: z.string(), value: z.string() })),
        customOriginConfig: z.looseObject({}),
      }),
    ),
  }),
  defaultCacheBehavior: Behavior,
  orderedCacheBehaviors: z.array(Behavior),
})
export type Distribution = z.infer<typeof Distribution>

/** CloudFront's distribution of a stage, as the router asks for it. */
export function distributionOf(graph: Graph): Distribution {
  return Distribution.parse(graph.one("cloudfront/distribution:Distribution", "RouterCdnDistribution"))
}

/** Whether a path is one of a behavior's. */
export function matches(pathPattern: string, path: string): boolean {
  return new RegExp(`^${pathPattern.replaceAll("*", ".*")}$`).test(path)
}
