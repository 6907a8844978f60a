import { randomUUID } from "node:crypto"
import { readFileSync, renameSync, writeFileSync } from "node:fs"
import { Session } from "node:inspector/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

// Loaded by `node --import` into each process of a service. On SIGUSR2 it writes down which functions of the
// project's files have run since the last time: their names, by file. What runs within a declaration of a
// file counts as that declaration, too.

const folder = new URL(import.meta.url).searchParams.get("folder") ?? ""
const root = fileURLToPath(new URL("../../../", import.meta.url))
const session = new Session()
session.connect()
await session.post("Profiler.enable")
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
process.on("SIGUSR2", () => void write())
writeFileSync(join(folder, `${process.pid}.up`), "")

async function write(): Promise<void> {
  const { result } = await session.post("Profiler.takePreciseCoverage")
  const ran: Record<string, string[]> = {}
  for (const { url, functions } of result) {
    if (!url.startsWith("file:") || url.includes("node_modules")) continue
    const file = fileURLToPath(url)
    // The function that begins at 0 is the module itself, which runs when it is loaded.
    const begins = functions.flatMap(({ functionName, ranges: [whole] }) =>
      whole && whole.startOffset > 0 && whole.count > 0 ? [{ functionName, at: whole.startOffset }] : [],
    )
    const names = begins.flatMap(({ functionName, at }) => [functionName, declarationAt(file, at)])
    if (names.length > 0) ran[file.slice(root.length)] = [...new Set(names)]
  }
  const written = join(folder, randomUUID())
  writeFileSync(written, JSON.stringify(ran))
  renameSync(written, join(folder, `${process.pid}.ran`))
}

/** The name of the declaration of a file that this place is in. Node strips types without moving anything. */
function declarationAt(file: string, at: number): string {
  const text = readFileSync(file, "utf8")
  const untilThere = text.slice(0, text.indexOf("\n", at))
  const names = [...untilThere.matchAll(/^(?:export )?(?:async )?(?:function\*?|const|class) (\w+)/gm)]
  return names.at(-1)?.[1] ?? ""
}
