import { randomUUID } from "node:crypto"
import { renameSync, writeFileSync } from "node:fs"
import { Session } from "node:inspector/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

// Loaded by `node --import` into each process of a service. On SIGUSR2 it writes down which functions of the project's files
// have run since the last time: their names, by file.

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
    // The function that begins at 0 is the module itself, which runs when it is loaded.
    const names = functions
      .filter(({ ranges: [whole] }) => whole && whole.startOffset > 0 && whole.count > 0)
      .map(({ functionName }) => functionName)
    if (names.length > 0) ran[fileURLToPath(url).slice(root.length)] = names
  }
  const written = join(folder, randomUUID())
  writeFileSync(written, JSON.stringify(ran))
  renameSync(written, join(folder, `${process.pid}.ran`))
}
