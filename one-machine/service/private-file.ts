import { randomUUID } from "node:crypto"
import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import type { z } from "zod"
import { CannotStart } from "#dynamodb-on-sqlite/cannot-start.ts"
import { syncFolder } from "#dynamodb-on-sqlite/rows/sync-folder.ts"

/**
 * A JSON file of mode 600: read if it exists, otherwise created from `fresh`. Of several who create it at
 * once, one does, and all read what it has written.
 * @throws CannotStart if the file cannot be read
 */
export async function readOrCreatePrivate<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  fresh: () => Promise<z.input<Schema>> | z.input<Schema>,
): Promise<z.output<Schema>> {
  if (!existsSync(path)) createPrivate(path, await fresh())
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

/** Writes nothing where the file exists. Otherwise it is there whole, and a power cut cannot take it away. */
function createPrivate(path: string, content: unknown): void {
  const beside = writeBeside(path, content)
  try {
    linkSync(beside, path)
    rmSync(beside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") rmSync(beside)
    // The file system has no links. The process that starts the service holds the folder, so no other process
    // makes this file.
    else renameSync(beside, path)
  }
  syncFolder(dirname(path))
}

/**
 * Writes a temporary file and moves it into place, so a reader sees the old file or the new one, never half
 * of one. Once this returns a power cut cannot take it away.
 */
export function writePrivate(path: string, content: unknown): void {
  renameSync(writeBeside(path, content), path)
  syncFolder(dirname(path))
}

/** Writes a file of its own beside the one that is meant. Returns its path. */
function writeBeside(path: string, content: unknown): string {
  const beside = `${path}.${randomUUID()}`
  writeFileSync(beside, `${JSON.stringify(content, undefined, 2)}\n`, {
    mode: 0o600,
    flush: true,
    flag: "wx",
  })
  return beside
}
