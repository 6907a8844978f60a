import { createHash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")

let found: Promise<string> | undefined

/** A name for the code that a session host runs. It stays the same as long as the sources and packages do. */
export async function codeVersion(): Promise<string> {
  return await (found ??= hashOfSources())
}

async function hashOfSources(): Promise<string> {
  const hash = createHash("sha256").update(await readFile(join(root, "package.json")))
  for (const folder of ["core", "session-host"]) {
    const files = await readdir(join(root, folder), { recursive: true })
    for (const file of files.filter((name) => name.endsWith(".ts")).toSorted())
      hash.update(file).update(await readFile(join(root, folder, file)))
  }
  return hash.digest("base64url").slice(0, 22)
}
