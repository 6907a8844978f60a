import type { BinaryNode } from "@whiskeysockets/baileys"
import { now } from "#core/platform/clock.ts"

/**
 * The kinds of stanzas that stand for a message which this device does not get. `view_once`: the phone alone
 * shows it, once. `withheld`: the phone alone gets it. `awaited`: the phone is asked for it. `old`: too old
 * for Baileys to ask the phone for it.
 */
export type Placeholder = "view_once" | "withheld" | "awaited" | "old"

const viewOnce = new Set(["view_once", "view_once_unavailable_fanout"])
const withheld = new Set(["bot_unavailable_fanout", "hosted_unavailable_fanout"])

/** Baileys asks the phone for no message that is older, in seconds (`PLACEHOLDER_MAX_AGE_SECONDS`). */
const mostAge = 14 * 24 * 3600

/** Which kind of placeholder this stanza is; undefined if it is no placeholder. */
export function placeholderIn({ tag, attrs, content }: BinaryNode): Placeholder | undefined {
  const parts = Array.isArray(content) ? content : []
  const found = parts.find((part) => part.tag === "unavailable")
  const isMessage = tag === "message" || tag === "status"
  if (!found || !isMessage || attrs.category === "peer") return undefined
  if (parts.some((part) => part.tag === "enc" || part.tag === "plaintext")) return undefined
  const { type = "" } = found.attrs
  if (viewOnce.has(type)) return "view_once"
  if (withheld.has(type)) return "withheld"
  return now() - Number(attrs.t) > mostAge ? "old" : "awaited"
}
