import { once } from "node:events"
import { enableCompileCache, flushCompileCache } from "node:module"
import { join } from "node:path"
import { z } from "zod"
import { CannotStart } from "./cannot-start.ts"
import { showCodes } from "./show-codes.ts"
import { Settings } from "./settings.ts"

process.exitCode = await main()

async function main(): Promise<number> {
  const asked = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")])
  try {
    const settings = Settings.parse(process.env)
    // The second start needs half the time to load what comes now.
    enableCompileCache(join(settings.DATA_DIR, "compiled"))
    const { startService } = await import("./service.ts")
    const { seed } = await import("./seed.ts")
    const service = await startService(settings)
    try {
      const seeded = await seed(service, settings)
      flushCompileCache()
      console.log(seeded.welcome)
      const stopping = new AbortController()
      // Who reads a code has the account: it is for eyes, not for files.
      if (settings.HOST_NETWORK === "live" && process.stdout.isTTY)
        showCodes({ ...seeded, print: console.log, signal: stopping.signal }).catch((error: unknown) =>
          console.error("no code can be shown here:", error),
        )
      await asked
      stopping.abort()
      console.log("stopping...")
    } finally {
      await service.stop()
    }
    return 0
  } catch (error) {
    console.error(sentenceOf(error))
    return 1
  }
}

/** One line that says what to change. @throws what is nobody's mistake but ours. */
function sentenceOf(error: unknown): string {
  if (error instanceof CannotStart) return error.message
  if (error instanceof z.ZodError)
    return error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("\n")
  throw error
}
