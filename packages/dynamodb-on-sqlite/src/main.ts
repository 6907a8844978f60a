#!/usr/bin/env node
/**
 * `dynamodb-on-sqlite [--port 8000] [--path <folder>]`: the store on its own, on this machine alone. Without
 * a folder it is in memory.
 */
import { parseArgs } from "node:util"
import { z } from "zod"
import { CannotStart } from "./cannot-start.ts"
import { startDynamoDb } from "./server.ts"

const Given = z.object({
  port: z.coerce.number().int().min(0).max(65_535).default(8000),
  path: z.string().optional(),
})

try {
  const { values } = parseArgs({ options: { port: { type: "string" }, path: { type: "string" } } })
  const { port, path } = Given.parse(values)
  const store = await startDynamoDb({ at: { port }, ...(path !== undefined && { path }) })
  console.log(store.endpoint)
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => void store.close().then(() => process.exit(0)))
} catch (error) {
  if (!(error instanceof CannotStart) && !(error instanceof z.ZodError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
