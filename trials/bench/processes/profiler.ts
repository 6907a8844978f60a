/**
 * Loaded before a process's own code (`node --import`, the folder in the query): the first SIGUSR2 begins a
 * profile of what the process does, the next one writes it as `<pid>.cpuprofile`, and so on.
 */
import { renameSync, writeFileSync } from "node:fs"
import { Session } from "node:inspector/promises"
import { join } from "node:path"

const folder = new URL(import.meta.url).searchParams.get("into") ?? "."
const everyMicroseconds = 500
let session: Session | undefined

process.on("SIGUSR2", () => {
  turn().catch((error: unknown) => console.error("no profile:", error))
})

async function turn(): Promise<void> {
  if (!session) {
    session = new Session()
    session.connect()
    await session.post("Profiler.enable")
    await session.post("Profiler.setSamplingInterval", { interval: everyMicroseconds })
    return await session.post("Profiler.start")
  }
  const ended = session
  session = undefined
  const { profile } = await ended.post("Profiler.stop")
  ended.disconnect()
  const file = join(folder, `${process.pid}.cpuprofile`)
  writeFileSync(`${file}.part`, JSON.stringify(profile))
  renameSync(`${file}.part`, file)
}
