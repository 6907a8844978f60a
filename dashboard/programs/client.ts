import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import { z } from "zod"
import { need } from "#core/platform/config.ts"
import { loopbackNames } from "#functions/http/address.ts"

// A program registers itself (RFC 7591) and is remembered nowhere: its id says what it registered, and is
// signed.

/** The name that a program gives itself, which may be that of another program. */
export const ClientName = z
  .string()
  .transform((name) => name.replaceAll(/[^\p{L}\p{N}\p{P}\p{Zs}]/gu, "").trim())
  .pipe(z.string().min(1).max(64))

/** The domain name of its maker, backwards (RFC 8252, 7.1). */
const ownScheme = /^[a-z]{2,63}(?:\.[a-z0-9-]+)+:$/
/**
 * Programs of agents that have a scheme without a domain name. Their codes are of no use without their
 * verifier.
 */
const ofAgents = new Set(["cursor:", "vscode:", "vscode-insiders:"])

/** What is wrong with a place to which a program wants its answer; undefined if nothing is. */
function whyNoRedirect(uri: string): string | undefined {
  const url = URL.parse(uri)
  if (!url) return "is no URL"
  if (uri.includes("#")) return "has a fragment (#): leave it out"
  if (url.username !== "" || url.password !== "") return "has a user name: leave it out"
  if (url.protocol === "https:" || ownScheme.test(url.protocol) || ofAgents.has(url.protocol))
    return undefined
  if (url.protocol === "http:" && loopbackNames.has(url.hostname)) return undefined
  if (url.protocol === "http:") return "is http elsewhere than on this machine: use https"
  return `begins with ${url.protocol}, which may open any program: use https, http at 127.0.0.1, or a scheme with the program's domain name backwards, as com.example.app:`
}

/**
 * Where a program gets its answer: over https, on the person's own machine, or by a scheme of its own (RFC
 * 8252).
 */
export const RedirectUri = z
  .string()
  .max(500)
  .superRefine((uri, context) => {
    const message = whyNoRedirect(uri)
    if (message !== undefined) context.addIssue({ code: "custom", message })
  })

/** @returns the id of a program with this name that gets its answers at these places */
export function newClientId(name: string, redirectUris: string[]): string {
  const content = [Buffer.from(name).toString("base64url"), ...redirectUris.map(digest)].join(".")
  return `${content}.${signature(content)}`
}

/** Whether this service has given this id to a program. */
export function isClientId(id: string): boolean {
  return contentOf(id) !== undefined
}

/** The name of the program with this id, if it has registered this place; undefined otherwise. */
export function clientNameOf(id: string, redirectUri: string): string | undefined {
  const [name = "", ...places] = contentOf(id) ?? []
  return places.includes(digest(redirectUri)) ? Buffer.from(name, "base64url").toString() : undefined
}

/** The parts that were signed; undefined if it is not our signature. */
function contentOf(id: string): string[] | undefined {
  const at = id.lastIndexOf(".")
  const [content, given] = [id.slice(0, at), id.slice(at + 1)]
  const [ours, theirs] = [Buffer.from(signature(content)), Buffer.from(given)]
  return ours.length === theirs.length && timingSafeEqual(ours, theirs) ? content.split(".") : undefined
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
