import type { TestProject } from "vitest/node"
import { evaluate, type Resource } from "./evaluate.ts"

declare module "vitest" {
  interface ProvidedContext {
    production: Resource[]
  }
}

/** Evaluated once, for all files that ask it. */
export async function setup({ provide }: TestProject): Promise<void> {
  provide("production", await evaluate("production"))
}
