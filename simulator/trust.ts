import type { Simulator } from "./simulator.ts"

/** For a person at a terminal: how clients are made to trust this network. */
export function howToTrust(network: Simulator, caFile: string): string {
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
