import { readdirSync, readFileSync } from "node:fs"
import { strToU8, zipSync } from "fflate"
import { Hono } from "hono"
import { originOf } from "#functions/http/address.ts"
import { servedFolder } from "./assets.ts"
import type { DashboardEnv } from "./guard.ts"

const folder = servedFolder("packages/passkey-extension")
const files = Object.fromEntries(
  readdirSync(folder).map((name) => [name, new Uint8Array(readFileSync(new URL(name, folder)))]),
)

/**
 * The browser extension that uses a WhatsApp account's passkey, as a zip, for this service alone: it shows
 * the requests of pages of `origin`, and sends the answers there.
 */
export function passkeyExtensionFor(origin: string): Uint8Array<ArrayBuffer> {
  const service = strToU8(`const service = ${JSON.stringify(origin)}\n`)
  return new Uint8Array(zipSync({ ...files, "service.js": service }))
}

export const passkeyExtension = new Hono<DashboardEnv>().get("/passkey-extension.zip", (c) =>
  c.body(passkeyExtensionFor(originOf(c)), 200, { "content-type": "application/zip" }),
)
