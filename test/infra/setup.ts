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

/** Evaluates production once, for all files that ask for it. The graph stays on the disk to be looked at. */
export async function setup({ provide }: TestProject): Promise<void> {
  const production = await evaluate("production")
  writeFileSync(graph, JSON.stringify(production, undefined, 2))
  provide("production", production)
}
