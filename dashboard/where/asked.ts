import { EventRow } from "#core/event/event-row.ts"
import { folded } from "#core/event/folded.ts"
import { userOf, withoutDevice } from "#core/message/jid.ts"
import { mayBeOurs } from "#core/message/message-id.ts"
import { spellingsOf } from "#core/message/spellings.ts"

/** The longest text that is searched for, in characters: 64 emoji of families are some 700. */
export const longest = 1000

/** What was typed into the field, as it may be meant. */
export interface Asked {
  /** As it was typed, tidied. */
  typed: string
  /** The texts, folded, one of which an event contains that is meant. */
  texts: string[]
  eventId?: string | undefined
  /** What may be the id of a message, of a request, or an idempotency key. */
  id?: string | undefined
  /** Unix seconds. */
  span?: { from: number; to: number } | undefined
}

/**
 * Understands what was typed: an id in any form in which programs and logs have it, a number with whatever
 * people put between its digits, a time, or words.
 * @param nowS Unix seconds
 * @param zone the reader's, in which times are typed
 */
export function understand(text: string, nowS: number, zone = "UTC"): Asked {
  const typed = text
    .slice(0, longest)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u200B\u2060\uFEFF]+/gu, " ")
    .trim()
    .replaceAll(/^["'`<(]+|["'`>),;]+$/g, "")
  const id = idIn(typed)
  const eventId = /evt_[a-z2-7]{40}/.exec(typed.toLowerCase())?.[0]
  return {
    typed,
    texts: textsOf(typed, id),
    eventId: eventId !== undefined && EventRow.numberOf(eventId) !== undefined ? eventId : undefined,
    id,
    span: spanIn(typed, nowS, zone),
  }
}

/** `true_49171…@c.us_3EB0…` of WhatsApp Web, `wamid.…` of the Cloud API, or the id itself. */
function idIn(typed: string): string | undefined {
  const [, ofWeb] = /^(?:true|false)_[^_\s]+_([^_\s]+)/.exec(typed) ?? []
  if (ofWeb !== undefined) return ofWeb
  const [, ofCloud] = /^wamid\.([A-Za-z0-9+/=_-]+)$/.exec(typed) ?? []
  if (ofCloud !== undefined)
    return /[0-9A-F]{16,}/.exec(Buffer.from(ofCloud, "base64").toString("latin1"))?.[0]
  if (mayBeOurs(typed.toUpperCase())) return typed.toUpperCase()
  return /^[\x21-\x7e]{8,255}$/.test(typed) && /\d/.test(typed) && !typed.includes("@") && !isNumber(typed)
    ? typed
    : undefined
}

function isNumber(typed: string): boolean {
  return /^[+()\d\s./\u2010-\u2015\u2212-]+$/.test(typed) && (typed.match(/\d/g) ?? []).length >= 3
}

function textsOf(typed: string, id: string | undefined): string[] {
  const text = folded(id ?? typed.replace(/@c\.us$/, "@s.whatsapp.net"))
  if (text === "") return []
  if (typed.includes("@")) return [text, folded(withoutDevice(typed))]
  if (!isNumber(typed)) return [text]
  // As it is dialled from abroad (00), or at home (0). The network knows it without either.
  const digits = typed.replaceAll(/\D/g, "").replace(/^0{1,2}/, "")
  const [, other] = spellingsOf(`${digits}@s.whatsapp.net`)
  return [...new Set([text, digits, ...(other === undefined ? [] : [userOf(other)])])].filter(
    (one) => one.length >= 3,
  )
}

/** "14:02", "14:02:30", "14:02–14:10", each also with a day before it: "2026-11-30 14:02". */
function spanIn(typed: string, nowS: number, zone: string): Asked["span"] {
  const found =
    /^(?:([12]\d{3}-\d\d-\d\d)[ T]+)?(\d{1,2}):(\d\d)(?::(\d\d))?(?:\s*[-\u2010-\u2015]\s*(\d{1,2}):(\d\d))?$/.exec(
      typed,
    )
  if (!found) return undefined
  const [, day, h, m, s, toH, toM] = found
  // As the clock on the reader's wall has it.
  const wallNow = nowS + aheadS(zone, nowS)
  const today = new Date(wallNow * 1000).toISOString().slice(0, 10)
  const midnight = Date.parse(`${day ?? today}T00:00:00Z`) / 1000
  const at = midnight + Number(h) * 3600 + Number(m) * 60 + Number(s ?? 0)
  if (Number.isNaN(at) || Number(h) > 23 || Number(m) > 59) return undefined
  // A time of day that is to come was yesterday's.
  const shift = day === undefined && at > wallNow + 60 ? 86_400 : 0
  const end = toH === undefined ? at + 60 : midnight + Number(toH) * 3600 + Number(toM) * 60 + 60
  const [from, to] = [at, Math.max(end, at)].map((wall) => {
    const nearly = wall - shift - aheadS(zone, wall - shift)
    return wall - shift - aheadS(zone, nearly)
  }) as [number, number]
  return { from: from - 60, to: to + 60 }
}

/** How much a zone's clocks are ahead of UTC at a time: seconds, as the time itself. */
function aheadS(timeZone: string, atS: number): number {
  // Sweden writes its times as ISO 8601 does.
  const wall = new Date(atS * 1000).toLocaleString("sv", { timeZone })
  return Date.parse(`${wall.replace(" ", "T")}Z`) / 1000 - atS
}

export function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== ""
  } catch {
    return false
  }
}
