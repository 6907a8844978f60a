import { once } from "node:events"
import { seed } from "./seed.ts"
import { CannotStart, startService } from "./service.ts"
import { Settings } from "./settings.ts"

process.exitCode = await main()

async function main(): Promise<number> {
  const settings = Settings.safeParse(process.env)
  if (!settings.success) {
    for (const issue of settings.error.issues) console.error(`${issue.path.join(".")}: ${issue.message}`)
    return 1
  }
  const asked = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")])
  try {
    const service = await startService(settings.data)
    try {
      console.log(await seed(service, settings.data.DATA_DIR))
      await asked
      console.log("stopping...")
    } finally {
      await service.stop()
    }
    return 0
  } catch (error) {
    if (!(error instanceof CannotStart)) throw error
    console.error(error.message)
    return 1
  }
}
