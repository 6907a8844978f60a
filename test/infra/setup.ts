import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { TestProject } from "vitest/node"
import { evaluate, type Resource } from "./evaluate.ts"

declare module "vitest" {
  interface ProvidedContext {
    production: Resource[]
  }
}

const graph = fileURLToPath(new URL("../../.sst/graph/production.json", import.meta.url))

/** Evaluated once, for all files that ask it, and left for whoever wants to look at it. */
export async function setup({ provide }: TestProject): Promise<void> {
  const production = await evaluate("production")
  writeFileSync(graph, JSON.stringify(production, undefined, 2))
  provide("production", production)
}
