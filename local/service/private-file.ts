import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import type { z } from "zod"
import { CannotStart } from "./settings.ts"

/**
 * A JSON file of mode 600: read if it exists, otherwise created from `fresh`.
 * @throws CannotStart if the file cannot be read
 */
export async function readOrCreatePrivate<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  fresh: () => Promise<z.input<Schema>> | z.input<Schema>,
): Promise<z.output<Schema>> {
  if (!existsSync(path)) writePrivate(path, await fresh())
  return readPrivate(path, schema)
}

/** @throws CannotStart if it cannot be read */
export function readPrivate<Schema extends z.ZodType>(path: string, schema: Schema): z.output<Schema> {
  try {
    return schema.parse(JSON.parse(readFileSync(path, "utf8")))
  } catch (error) {
    throw new CannotStart(`${path} cannot be read, or is not whole: put back a copy of it`, { cause: error })
  }
}

/**
 * Writes a temporary file and moves it into place, so a reader sees the old file or the new one, never half of one. Once
 * this returns a power cut cannot take it away.
 */
export function writePrivate(path: string, content: unknown): void {
  const beside = `${path}.${process.pid}`
  writeFileSync(beside, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600, flush: true })
  renameSync(beside, path)
  syncFolder(dirname(path))
}

/** What was made or moved in the folder is still there after a power cut. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, "r")
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
