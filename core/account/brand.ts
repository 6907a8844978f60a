export * as Brand from "./brand.ts"

import { z } from "zod"
import { invalid } from "../error.ts"
import { Bytes, getRow, putRow, removeRow } from "../store/store.ts"
import { tables } from "../store/tables.ts"

/** How an account's link pages look. */
const Info = z.object({
  /** `#rrggbb`; `""`: ours. */
  colour: z.string().default(""),
  logo: z.object({ bytes: Bytes, type: z.string() }).optional(),
})
export type Info = z.infer<typeof Info>

/** The largest logo, in bytes: each link page reads it. */
const largestLogo = 48 * 1024

export async function get(accountId: string): Promise<Info> {
  return Info.parse((await getRow(tables.accounts, key(accountId))) ?? {})
}

/**
 * Chooses the colour and the logo. @param logo undefined: it stays; empty: there is none
 * @throws ApiError `invalid_request` for a colour on which white cannot be read, and for a logo that is no
 * small picture
 */
export async function choose(accountId: string, colour: string, logo: Uint8Array | undefined): Promise<void> {
  if (colour !== "" && !isDark(colour))
    throw invalid([{ path: "colour", message: "white text must be readable on it: choose a darker one" }])
  const before = await get(accountId)
  const chosen = logo === undefined ? before.logo : logo.length === 0 ? undefined : pictureOf(logo)
  await putRow({
    TableName: tables.accounts,
    Item: { ...key(accountId), colour, ...(chosen && { logo: chosen }) },
  })
}

/** Removes the brand of an account that is gone. */
export async function forget(accountId: string): Promise<void> {
  await removeRow({ TableName: tables.accounts, Key: key(accountId) })
}

/**
 * Tells a picture's type from its first bytes, whatever its sender says. A browser can run none of these
 * types.
 */
function pictureOf(bytes: Uint8Array): NonNullable<Info["logo"]> {
  const starts = Buffer.from(bytes.subarray(0, 12)).toString("latin1")
  const type = starts.startsWith("\x89PNG")
    ? "image/png"
    : starts.startsWith("\xff\xd8\xff")
      ? "image/jpeg"
      : /^RIFF.{4}WEBP/s.test(starts)
        ? "image/webp"
        : undefined
  if (type === undefined || bytes.length > largestLogo)
    throw invalid([{ path: "logo", message: "a PNG, JPEG or WebP of at most 48 KB" }])
  return { bytes, type }
}

/** Whether white text on this colour has the contrast of WCAG 2.2, 1.4.3: 4.5 to 1. */
function isDark(colour: string): boolean {
  if (!/^#[0-9a-f]{6}$/i.test(colour)) return false
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05) >= 4.5
}

function key(accountId: string) {
  return { pk: `ACCOUNT#${accountId}`, sk: "BRAND" }
}
