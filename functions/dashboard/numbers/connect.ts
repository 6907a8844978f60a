import { Hono } from "hono"
import type { Context } from "hono"
import type { Bridge } from "#core/bridge/bridge.ts"
import { nowMs } from "#core/platform/clock.ts"
import { PhoneNumber } from "#core/contract/chat.ts"
import { ApiError } from "#core/error.ts"
import { EventHistory } from "#core/event/history.ts"
import {
  type Code,
  codePiece,
  connectPage,
  linkedCard,
  steps,
  typePage,
  typeRefused,
} from "#dashboard/pages/connect.ts"
import type { Evidence } from "#dashboard/parts/evidence.ts"
import { ask } from "../../api/forward.ts"
import { page, sentenceCase } from "../answer.ts"
import type { DashboardEnv } from "../env.ts"
import { evidenceOf } from "../evidence.ts"
import { lastId, live, type Piece } from "../live.ts"
import { Linking } from "./linking.ts"

/** The network shows codes for about three minutes; then somebody has to want one again. */
const roundMs = 170_000
/** A code that is typed works this long (Contract, "Linking a phone"). */
const typedMs = 180_000

/** Linking a phone to a number. */
export const connect = new Hono<DashboardEnv>()
  .get("/numbers/:ref/connect", async (c) => {
    const { bridge, me } = c.var
    const [evidence, ended] = await Promise.all([evidenceOf(bridge), endedOf(bridge)])
    const at = nowMs()
    const about = { ref: bridge.customerRef, isSandbox: bridge.isSandbox, evidence, ended }
    const body = connectPage({ ...about, begunMs: at, nowMs: at, mayChange: me.role !== "viewer" })
    return await page(c, { title: `Connect ${bridge.customerRef}`, place: "numbers", body })
  })
  .get("/numbers/:ref/connect/stream", async (c) => {
    const { eachMs, look } = follower(c)
    return await live(c, eachMs, look)
  })
  .post("/numbers/:ref/connect", async (c) => {
    const { bridge, requestId } = c.var
    const { phone: given } = await c.req.parseBody()
    const phone = (typeof given === "string" ? given : "").replaceAll(/[\s()./-]/g, "").slice(0, 40)
    const about = { ref: bridge.customerRef, isSandbox: bridge.isSandbox }
    const title = `Connect ${bridge.customerRef}`
    const refuse = async (code: string, sentence: string, status: ApiError["status"]) =>
      await page(c, {
        title,
        place: "numbers",
        body: typeRefused({ ...about, code, sentence, phone }),
        status,
      })
    const parsed = PhoneNumber.safeParse(phone)
    if (!parsed.success) {
      const sentence = "This is not a phone number: write it with its country code, 7 to 15 digits."
      return await refuse("invalid_request", sentence, 400)
    }
    try {
      const code = await typedCode(bridge, parsed.data, requestId)
      const at = nowMs()
      const more = { code, phone: phone.replace(/^\+/, ""), endsMs: at + typedMs, nowMs: at }
      const body = typePage({ ...about, ...more, evidence: await evidenceOf(bridge) })
      return await page(c, { title, place: "numbers", body })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return await refuse(error.code, sentenceCase(error.message), error.status)
    }
  })

/** Looks at the session and the network's code, and remembers across breaks of the stream how far they were. */
function follower(c: Context<DashboardEnv>) {
  const { bridge, me, requestId } = c.var
  const { begun = "0", typed } = c.req.query()
  const ends = Number(begun) + roundMs
  let linking = Linking.resumed(lastId(c))
  const look = async (): Promise<Map<string, Piece>> => {
    const evidence = await evidenceOf(bridge)
    linking = Linking.stepped(linking, evidence, nowMs())
    const id = () => Linking.idOf(linking)
    const pieces = new Map<string, Piece>([["steps", { html: steps(evidence, linking.times), id: id() }]])
    if (isLinked(evidence)) return pieces.set("linking", { html: linkedCard(bridge.customerRef, evidence) })
    if (typed !== undefined || me.role === "viewer") return pieces
    const isOver = Linking.isOver(linking) || nowMs() >= ends
    const code: Code = isOver ? { kind: "over" } : await codeOf(bridge, requestId)
    if (code.kind === "shown") linking = Linking.shown(linking, code.expiresMs, nowMs())
    const now: Code = Linking.isOver(linking) ? { kind: "over" } : numbered(code, linking)
    if (now.kind !== "linked")
      pieces.set("code", { html: codePiece(bridge.customerRef, now, nowMs()), id: id() })
    return pieces
  }
  return { look, eachMs: () => Linking.lookAgainMs(linking, nowMs()) }
}

function numbered(code: Code, { number }: Linking.Info): Code {
  return code.kind === "shown" ? { ...code, number } : code
}

/** Why its last phone was unlinked, if that is what happened last. */
async function endedOf(bridge: Bridge.Info): Promise<{ sentence: string; atMs: number } | undefined> {
  const asked = { type: "disconnected", isNewestFirst: true, limit: 1 } as const
  const [last] = (await EventHistory.page(bridge, asked)).events
  if (last?.event.event !== "disconnected" || last.event.reason === undefined) return undefined
  const why = last.event.detail || "The phone was unlinked."
  return { sentence: sentenceCase(why), atMs: last.created_at * 1000 }
}

function isLinked(evidence: Evidence): evidence is Extract<Evidence, { kind: "said" }> {
  return evidence.kind === "said" && !["unpaired", "passkey_required"].includes(evidence.status)
}

/** The code that the network shows now. It takes some seconds until there is a first one. */
async function codeOf(bridge: Bridge.Info, requestId: string): Promise<Code> {
  try {
    const call = { method: "GET", path: "/qr", bridgeId: bridge.id, requestId } as const
    const { success, refusal } = await ask(call, false)
    if (refusal) throw refusal
    const expires = Number(success.headers["x-qr-expires"])
    return { kind: "shown", png: success.body, expiresMs: expires * 1000, number: 0 }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.code === "already_paired") return { kind: "linked" }
    return { kind: "refused", code: error.code, sentence: sentenceCase(error.message) }
  }
}

async function typedCode(bridge: Bridge.Info, phone: string, requestId: string): Promise<string> {
  const body = JSON.stringify({ phone })
  const { success, refusal } = await ask(
    { method: "POST", path: "/pair", bridgeId: bridge.id, requestId, body },
    true,
  )
  if (refusal) throw refusal
  return String((JSON.parse(Buffer.from(success.body).toString()) as { code: unknown }).code) // as the contract says
}
