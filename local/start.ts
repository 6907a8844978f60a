import { enableCompileCache, flushCompileCache } from "node:module"
import { join } from "node:path"
import { z } from "zod"
import "#core/platform/faster-node-crypto.ts"
import { askedToStop } from "./asked-to-stop.ts"
import { Unexpected } from "./api-client.ts"
import { refuseFolder } from "./service/data-folder.ts"
import { CannotStart, Settings } from "./service/settings.ts"
import { showCodes } from "./network/show-codes.ts"

process.exitCode = await main()

async function main(): Promise<number> {
  const asked = askedToStop()
  try {
    const settings = Settings.parse(process.env)
    refuseFolder(settings)
    // The second start loads the rest in half the time.
    enableCompileCache(join(settings.DATA_DIR, "compiled"))
    const { startService } = await import("./service/service.ts")
    const { seed } = await import("./service/seed.ts")
    const service = await startService(settings)
    try {
      const seeded = await seed(service, settings)
      flushCompileCache()
      console.log(seeded.welcome)
      const stopping = new AbortController()
      // A code gives access to the account: it is for eyes, not for files.
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

/** One line that says what to change. @throws any error that is our own bug. */
function sentenceOf(error: unknown): string {
  if (error instanceof CannotStart) return error.message
  // The service itself refuses, as for want of room.
  if (error instanceof Unexpected && error.status === 503) return error.message
  if (error instanceof z.ZodError)
    return error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("\n")
  throw error
}
