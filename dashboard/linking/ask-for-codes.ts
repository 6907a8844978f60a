import { setTimeout as sleep } from "node:timers/promises"
import type { Context } from "hono"
import { LRUCache } from "lru-cache"
import { PhoneNumber } from "#contract/field-types.ts"
import type { Bridge } from "#core/bridge/bridge.ts"
import { ApiError } from "#core/error.ts"
import { isSameNumber } from "#core/message/spellings.ts"
import { nowMs } from "#core/platform/clock.ts"
import { sentenceForPeople, sentenceOf } from "../api-words.ts"
import { callSession } from "../numbers/session-answer.ts"
import type { Code } from "./linking-cards.ts"

/**
 * How often the network's present code is asked for, in ms: what is on the screen is out of date for no
 * longer.
 */
export const lookEachMs = 400
/** The network shows codes for about three minutes; then a person has to want one again. */
const roundMs = 170_000
/** A code that is typed works this long (Contract, "Linking a phone"). */
const typedMs = 180_000

/** How long a page waits for a code, in ms. */
const patienceMs = 700

/** Sessions that were asked for their code and have not answered yet, by their bridges. */
const asked = new Map<string, Promise<Code>>()
/** The last answer of each session, and its time. */
const answered = new LRUCache<string, { code: Code; atMs: number }>({ max: 1000, ttl: 60_000 })
/** How long an answer that is no code counts, in ms. */
const goodForMs = 2000

/**
 * The code that the network shows now. The first takes some seconds, and a host that hangs gives none: no
 * page waits for either. While a session is being asked it is not asked again, and its last code stays for as
 * long as it is good.
 */
export async function shownCodeOf(
  { id }: Bridge.Info,
  { requestId, isOver }: Pick<Round, "isOver"> & { requestId: string },
): Promise<Code> {
  if (isOver) return { kind: "over" }
  const code = asked.get(id) ?? asking(id, requestId)
  return await Promise.race([code, sleep(patienceMs).then(() => lastOf(id))])
}

function asking(bridgeId: string, requestId: string): Promise<Code> {
  const code = askedFor(bridgeId, requestId)
    .then((answer) => {
      answered.set(bridgeId, { code: answer, atMs: nowMs() })
      return answer
    })
    .finally(() => asked.delete(bridgeId))
  asked.set(bridgeId, code)
  return code
}

function lastOf(bridgeId: string): Code {
  const last = answered.get(bridgeId)
  const goodUntilMs = last?.code.kind === "shown" ? last.code.expiresMs : (last?.atMs ?? 0) + goodForMs
  return last && nowMs() < goodUntilMs ? last.code : { kind: "asking" }
}

async function askedFor(bridgeId: string, requestId: string): Promise<Code> {
  try {
    const call = { method: "GET", path: "/qr", bridgeId, requestId } as const
    const { headers, body } = await callSession(call, false)
    const expires = Number(headers["x-qr-expires"])
    return { kind: "shown", png: body, expiresMs: expires * 1000, number: 0 }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.code === "already_paired") return { kind: "linked" }
    return { kind: "refused", code: error.code, sentence: sentenceForPeople(error.message) }
  }
}

/** What a page that shows codes knows from its address. The address of its stream says the same. */
interface Round {
  /** When the page was opened first, in Unix milliseconds. */
  begun: number
  /** The network's codes are shown no longer: a person has to want one again. */
  isOver: boolean
  /** The page shows a code to type: its stream renews only the steps. */
  isTyped: boolean
}

export function roundOf(c: Context): Round {
  const { begun = nowMs(), typed } = c.req.query()
  const since = Number(begun)
  return { begun: since, isOver: !(nowMs() < since + roundMs), isTyped: typed !== undefined }
}

/** A code to type on the phone, or why there is none. */
type Typed = { code: string; phone: string; endsMs: number; refused?: undefined } | { refused: Refused }

/** Why there is no code, by the API's own code, and the number as it was typed. */
export interface Refused {
  code: string
  sentence: string
  phone: string
  status: ApiError["status"]
}

/**
 * Asks for a code to type on the phone with this number, as a person wrote it.
 * @param expected digits of the only number that may be linked
 */
export async function typedCodeFor(
  bridge: Bridge.Info,
  written: string,
  about: { requestId: string; expected?: string | undefined },
): Promise<Typed> {
  const phone = written.replaceAll(/[\s()./-]/g, "").slice(0, 40)
  const refuse = (code: string, sentence: string, status: ApiError["status"]) => ({
    refused: { code, sentence, phone, status },
  })
  const parsed = PhoneNumber.safeParse(phone)
  if (!parsed.success)
    return refuse(
      "invalid_request",
      "This is not a phone number: write it with its country code, 7 to 15 digits.",
      400,
    )
  const digits = parsed.data.replace(/^\+/, "")
  if (about.expected !== undefined && !isSameNumber(digits, about.expected))
    return refuse(
      "number_mismatch",
      "Another number is expected here: link the phone that you were asked to link.",
      400,
    )
  try {
    const code = await typedCode(bridge, parsed.data, about.requestId)
    return { code, phone: digits, endsMs: nowMs() + typedMs }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return refuse(error.code, sentenceOf(error), error.status)
  }
}

async function typedCode(bridge: Bridge.Info, phone: string, requestId: string): Promise<string> {
  const body = JSON.stringify({ phone })
  const answer = await callSession({ method: "POST", path: "/pair", bridgeId: bridge.id, requestId, body })
  // As the contract says.
  return String((JSON.parse(Buffer.from(answer.body).toString()) as { code: unknown }).code)
}
