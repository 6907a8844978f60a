import { fromEnvironment } from "./config.ts"
import { startSimulator } from "./simulator.ts"

const simulator = await startSimulator(fromEnvironment(process.env))

process.stdout.write(
  `${JSON.stringify({
    url: simulator.url,
    control_url: simulator.controlUrl,
    root_key: simulator.rootKey.toString("hex"),
  })}\n`,
)

let ending = false
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => {
    if (ending) return
    ending = true
    void simulator.close().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  })
