import { rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fromEnvironment } from "./config.ts"
import { startSimulator } from "./simulator.ts"
import { howToTrust } from "./trust.ts"

const config = fromEnvironment(process.env)
const simulator = await startSimulator(config)
const caFile = join(config.dataDir ?? tmpdir(), config.dataDir ? "ca.pem" : `simulator-ca-${process.pid}.pem`)
writeFileSync(caFile, simulator.ca)

process.stdout.write(
  `${JSON.stringify({
    url: simulator.url,
    tls_url: simulator.tlsUrl,
    control_url: simulator.controlUrl,
    root_key: simulator.rootKey.toString("hex"),
    ca_file: caFile,
  })}\n`,
)

if (process.stdout.isTTY) process.stderr.write(howToTrust(simulator, caFile))

let ending = false
// `disconnect`: whoever started it as a child with a channel is gone.
for (const signal of ["SIGINT", "SIGTERM", "disconnect"] as const)
  process.on(signal, () => {
    if (ending) return
    ending = true
    if (!config.dataDir) rmSync(caFile, { force: true })
    void simulator.close().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  })
