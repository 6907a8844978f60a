import { Hono } from "hono"
import type { Bridge } from "#core/bridge/bridge.ts"
import { nowMs } from "#core/platform/clock.ts"
import { PhoneNumber } from "#core/contract/chat.ts"
import { ApiError } from "#core/error.ts"
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
import { live, type Piece } from "../live.ts"
import { evidenceOf } from "../evidence.ts"

/** How often the network's present code is asked for: what is on the screen is older than it by this at most. */
const lookEachMs = 400
/** The network shows codes for about three minutes; then somebody has to want one again. */
const roundMs = 170_000
/** A code that is typed works this long (Contract, "Linking a phone"). */
const typedMs = 180_000

/** Linking a phone to a number. */
export const connect = new Hono<DashboardEnv>()
  .get("/numbers/:ref/connect", async (c) => {
    const { bridge, me } = c.var
    const evidence = await evidenceOf(bridge)
    const at = nowMs()
    const about = { ref: bridge.customerRef, isSandbox: bridge.isSandbox, evidence }
    const body = connectPage({ ...about, begunMs: at, nowMs: at, mayChange: me.role !== "viewer" })
    return await page(c, { title: `Connect ${bridge.customerRef}`, place: "numbers", body })
  })
  .get("/numbers/:ref/connect/stream", (c) => {
    const { bridge, me, requestId } = c.var
    const { begun = "0", typed } = c.req.query()
    const ends = Number(begun) + roundMs
    const follow = async (): Promise<Map<string, Piece>> => {
      const evidence = await evidenceOf(bridge)
      const pieces = new Map<string, Piece>([["steps", { html: steps(evidence) }]])
      if (isLinked(evidence)) return pieces.set("linking", { html: linkedCard(bridge.customerRef, evidence) })
      if (typed !== undefined || me.role === "viewer") return pieces
      const code: Code = nowMs() < ends ? await codeOf(bridge, requestId) : { kind: "over" }
      if (code.kind !== "linked") pieces.set("code", { html: codePiece(bridge.customerRef, code, nowMs()) })
      return pieces
    }
    return live(c, lookEachMs, follow)
  })
  .post("/numbers/:ref/connect", async (c) => {
    const { bridge, requestId } = c.var
    const { phone: given } = await c.req.parseBody()
    const phone = (typeof given === "string" ? given : "").replaceAll(/[\s()./-]/g, "").slice(0, 40)
    const about = { ref: bridge.customerRef, isSandbox: bridge.isSandbox }
    const title = `Connect ${bridge.customerRef}`
    const refuse = async (sentence: string, status: ApiError["status"]) =>
      await page(c, { title, place: "numbers", body: typeRefused({ ...about, sentence, phone }), status })
    const parsed = PhoneNumber.safeParse(phone)
    if (!parsed.success)
      return await refuse("This is not a phone number: write it with its country code, 7 to 15 digits.", 400)
    try {
      const code = await typedCode(bridge, parsed.data, requestId)
      const at = nowMs()
      const more = { code, phone: phone.replace(/^\+/, ""), endsMs: at + typedMs, nowMs: at }
      const body = typePage({ ...about, ...more, evidence: await evidenceOf(bridge) })
      return await page(c, { title, place: "numbers", body })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return await refuse(sentenceCase(error.message), error.status)
    }
  })

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
    return { kind: "shown", png: success.body, expiresMs: expires * 1000 }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.code === "already_paired") return { kind: "linked" }
    return { kind: "refused", sentence: sentenceCase(error.message) }
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
