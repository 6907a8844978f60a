import { showCodes } from "./network/show-codes.ts"
import { runUntilAsked } from "./run-until-asked.ts"
import { Settings } from "./service/settings.ts"

process.exitCode = await runUntilAsked(
  { environment: process.env, schema: Settings, billing: () => import("./billing.ts") },
  async (service, settings, stopping) => {
    const { seed } = await import("./service/seed.ts")
    const seeded = await seed(service, settings)
    console.log(seeded.welcome)
    // A code gives access to the account: it is for eyes, not for files.
    if (settings.HOST_NETWORK === "live" && process.stdout.isTTY)
      showCodes({ ...seeded, print: console.log, signal: stopping }).catch((error: unknown) =>
        console.error("no code can be shown here:", error),
      )
  },
)
