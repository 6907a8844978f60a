import { Hono } from "hono"
import type { Context } from "hono"
import type { Bridge } from "#core/bridge/bridge.ts"
import { EventHistory } from "#core/event/event-history.ts"
import { nowMs } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"
import { page, sentenceCase } from "../answer.ts"
import type { DashboardEnv } from "../guard.ts"
import { type Piece, lastId, live } from "../live.ts"
import { connectPhonePage, linkedCard, typePage, typeRefused } from "../pages/connect-phone.ts"
import { codeFor, codeOf, roundMs } from "./codes.ts"
import { evidenceOf } from "./evidence.ts"
import { LinkSteps } from "./link-steps.ts"
import { type Code, codePiece, steps } from "./linking.ts"
import { followOfflineSync } from "./offline-sync.ts"
import { isLinked } from "./state.ts"

/** Linking a phone to a number. */
export const connectPhone = new Hono<DashboardEnv>()
  .get("/numbers/:ref/connect", async (c) => {
    const { bridge, me } = c.var
    const [evidence, ended] = await Promise.all([
      evidenceOf(bridge).then(followOfflineSync(bridge.id)),
      endedOf(bridge),
    ])
    const at = nowMs()
    const phones = config.HOST_NETWORK === "simulated" ? config.SIMULATOR_CONTROL_URL : undefined
    const about = { ref: bridge.customerRef, isSandbox: bridge.isSandbox, evidence, ended, phones }
    const body = connectPhonePage({ ...about, begunMs: at, nowMs: at, mayChange: me.role !== "viewer" })
    return await page(c, { title: `Connect ${bridge.customerRef}`, place: "numbers", body })
  })
  .get("/numbers/:ref/connect/stream", async (c) => {
    const { eachMs, look } = follower(c)
    return await live(c, eachMs, look)
  })
  .post("/numbers/:ref/connect", async (c) => {
    const { bridge, requestId } = c.var
    const { phone: written } = await c.req.parseBody()
    const about = { ref: bridge.customerRef, isSandbox: bridge.isSandbox }
    const shown = { title: `Connect ${bridge.customerRef}`, place: "numbers" } as const
    const typed = await codeFor(bridge, written, { requestId })
    if (typed.refused) {
      const body = typeRefused({ ...about, ...typed.refused })
      return await page(c, { ...shown, body, status: typed.refused.status })
    }
    const body = typePage({ ...about, ...typed, evidence: await evidenceOf(bridge), nowMs: nowMs() })
    return await page(c, { ...shown, body })
  })

/** Looks at the session and the network's code, and remembers across breaks of the stream how far they were. */
function follower(c: Context<DashboardEnv>) {
  const { bridge, me, requestId } = c.var
  const { begun = "0", typed } = c.req.query()
  const ends = Number(begun) + roundMs
  let linking = LinkSteps.resumed(lastId(c))
  const withCatchUp = followOfflineSync(bridge.id)
  const look = async (): Promise<Map<string, Piece>> => {
    const evidence = await withCatchUp(await evidenceOf(bridge))
    linking = LinkSteps.stepped(linking, evidence, nowMs())
    const id = () => LinkSteps.idOf(linking)
    const pieces = new Map<string, Piece>([["steps", { html: steps(evidence, linking.times), id: id() }]])
    if (isLinked(evidence)) return pieces.set("linking", { html: linkedCard(bridge.customerRef, evidence) })
    if (typed !== undefined || me.role === "viewer") return pieces
    const isOver = LinkSteps.isOver(linking) || nowMs() >= ends
    const code: Code = isOver ? { kind: "over" } : await codeOf(bridge, requestId)
    if (code.kind === "shown") linking = LinkSteps.shown(linking, code.expiresMs, nowMs())
    const now: Code = LinkSteps.isOver(linking) ? { kind: "over" } : numbered(code, linking)
    if (now.kind !== "linked")
      pieces.set("code", {
        html: codePiece(`/numbers/${bridge.customerRef}/connect`, now, nowMs()),
        id: id(),
      })
    return pieces
  }
  return { look, eachMs: () => LinkSteps.lookAgainMs(linking, nowMs()) }
}

function numbered(code: Code, { number }: LinkSteps.Info): Code {
  return code.kind === "shown" ? { ...code, number } : code
}

/** Why its last phone was unlinked, if that is what happened last. */
async function endedOf(bridge: Bridge.Info): Promise<{ sentence: string; atMs: number } | undefined> {
  const asked = { type: "disconnected", isNewestFirst: true, limit: 1 } as const
  const [last] = (await EventHistory.page(bridge, asked)).events
  if (last?.event.event !== "disconnected" || last.event.reason === undefined) return undefined
  // A page is one more place than the API's own sentence knows.
  const why =
    last.event.reason === "logged_out"
      ? "the last phone was unlinked: on the phone, here, through the API or by the network"
      : last.event.detail || "the phone was unlinked"
  return { sentence: sentenceCase(why), atMs: last.created_at * 1000 }
}
