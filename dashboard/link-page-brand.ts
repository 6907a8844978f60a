import type { Context } from "hono"
import type { Brand } from "#core/account/brand.ts"
import { ApiError } from "#core/error.ts"
import type { DashboardEnv } from "./guard.ts"

/** Gives what `where` selects the account's own colour. */
export function styleOf(colour: string, where: string): string {
  if (colour === "") return ""
  const tokens = `--accent: ${colour}; --ink: ${colour}; --on-ink: #fff`
  // On the dark page the colour would be too dark to read.
  return `@media (prefers-color-scheme: light) { ${where} { ${tokens} } }`
}

/** @throws ApiError `not_found` without a logo */
export function logoAnswer(c: Context<DashboardEnv>, { logo }: Partial<Brand.Info>): Response {
  if (!logo) throw new ApiError("not_found")
  return c.body(new Uint8Array(logo.bytes), 200, { "content-type": logo.type })
}

/** Where a page at this path finds its style and its logo. */
export function brandAt(at: string, { colour, logo }: Brand.Info) {
  return { style: colour === "" ? undefined : `${at}/style.css`, logo: logo && `${at}/logo` }
}
