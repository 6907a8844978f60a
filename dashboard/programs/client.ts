import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import { z } from "zod"
import { need } from "#core/platform/config.ts"

// A program registers itself (RFC 7591) and is remembered nowhere: its id says what it registered, and is signed.

/** What a program calls itself. Nobody has checked it. */
export const ClientName = z
  .string()
  .transform((name) => name.replaceAll(/[^\p{L}\p{N}\p{P}\p{Zs}]/gu, "").trim())
  .pipe(z.string().min(1).max(64))

/** These would run as a page of ours, read files, or open another program of the browser's or the machine's. */
const dangerous = new Set(
  ["javascript", "data", "vbscript", "file", "blob", "about", "ws", "wss", "ftp", "intent", "smb"].map(
    (scheme) => `${scheme}:`,
  ),
)
const loopback = new Set(["localhost", "127.0.0.1", "[::1]"])

/** Where a program gets its answer: over https, on the person's own machine, or by a scheme of its own (RFC 8252). */
export const RedirectUri = z
  .string()
  .max(500)
  .refine((uri) => {
    const url = URL.parse(uri)
    if (!url || url.hash !== "" || dangerous.has(url.protocol)) return false
    // A URL without a host, such as `mailto:x`, opens programs of the machine. A program's own scheme has a dot (RFC
    // 8252, 7.1).
    if (url.host === "" && !url.protocol.includes(".")) return false
    return url.protocol !== "http:" || loopback.has(url.hostname)
  }, "https, http on this machine, or a scheme of the program's own, without a fragment")

/** @returns the id of a program with this name that gets its answers at these places */
export function newClientId(name: string, redirectUris: string[]): string {
  const content = [Buffer.from(name).toString("base64url"), ...redirectUris.map(digest)].join(".")
  return `${content}.${signature(content)}`
}

/** The name of the program with this id, if it has registered this place; undefined otherwise. */
export function clientNameOf(id: string, redirectUri: string): string | undefined {
  const at = id.lastIndexOf(".")
  const [content, given] = [id.slice(0, at), id.slice(at + 1)]
  const [ours, theirs] = [Buffer.from(signature(content)), Buffer.from(given)]
  if (ours.length !== theirs.length || !timingSafeEqual(ours, theirs)) return undefined
  const [name = "", ...places] = content.split(".")
  return places.includes(digest(redirectUri)) ? Buffer.from(name, "base64url").toString() : undefined
}

/** A program on the person's machine listens on another port each time (RFC 8252, 7.3). */
function digest(redirectUri: string): string {
  const url = new URL(redirectUri)
  if (url.protocol === "http:") url.port = ""
  return createHash("sha256").update(url.href).digest("base64url").slice(0, 16)
}

function signature(content: string): string {
  return createHmac("sha256", need("API_KEY_PEPPER")).update(`client ${content}`).digest("base64url")
}
