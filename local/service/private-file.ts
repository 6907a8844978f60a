import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import type { z } from "zod"

/** A JSON file of mode 600: read if it exists, otherwise created from `fresh`. */
export async function privateFile<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  fresh: () => Promise<z.input<Schema>> | z.input<Schema>,
): Promise<z.output<Schema>> {
  if (!existsSync(path)) writePrivate(path, await fresh())
  return schema.parse(JSON.parse(readFileSync(path, "utf8")))
}

/** Writes a temporary file and moves it into place, so a reader sees the old file or the new one, never half of one. */
export function writePrivate(path: string, content: unknown): void {
  const beside = `${path}.${process.pid}`
  writeFileSync(beside, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600 })
  renameSync(beside, path)
}
