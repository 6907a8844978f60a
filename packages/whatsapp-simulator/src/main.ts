#!/usr/bin/env node
import { rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { z } from "zod"
import { fromEnvironment } from "./config.ts"
import { type Simulator, startSimulator } from "./simulator.ts"

const [config, simulator] = await start()
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
// `disconnect`: the process that started it as a child with a channel is gone.
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

/** Starts the network. If a setting must be changed, says which on a line, and ends the process. */
async function start() {
  try {
    const read = fromEnvironment(process.env)
    return [read, await startSimulator(read)] as const
  } catch (error) {
    const said = whatToChange(error)
    if (said === undefined) throw error
    process.stderr.write(`${said}\n`)
    process.exit(1)
  }
}

function whatToChange(error: unknown): string | undefined {
  if (error instanceof z.ZodError)
    return error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("\n")
  if (error instanceof Error && "code" in error && error.code === "EADDRINUSE")
    return `${error.message}: choose another port with SIMULATOR_PORT, SIMULATOR_TLS_PORT or SIMULATOR_CONTROL_PORT`
  return undefined
}

/** For a person at a terminal: how clients are made to trust this network. */
function howToTrust(network: Simulator, caFile: string): string {
  const root = network.rootKey.toString("hex")
  const bytes = [...network.rootKey].map((byte) => `0x${byte.toString(16).padStart(2, "0")}`).join(", ")
  return `
The network runs. Phones: ${network.controlUrl} (in a browser, or see /openapi.json there)

Baileys         WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from("${root}", "hex")
                makeWASocket({ auth, waWebSocketUrl: "${network.url}" })
                media: NODE_EXTRA_CA_CERTS=${caFile}
whatsmeow       whatsmeow.WACertPubKey = [32]byte{${bytes}}
                and an HTTP client that dials ${new URL(network.tlsUrl).host} for every host and trusts ${caFile}
whatsapp-rust   features danger-skip-cert-chain-verify, danger-skip-tls-verify;
                TokioWebSocketTransportFactory::new().with_url("${network.tlsUrl}")

Ctrl-C ends it.
`
}
