import { Hono } from "hono"
import type { Context } from "hono"
import type { Bridge } from "#core/bridge/bridge.ts"
import { EventHistory } from "#core/event/event-history.ts"
import { nowMs } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"
import { originOf } from "#functions/http/address.ts"
import { page, sentenceCase } from "../answer.ts"
import type { DashboardEnv } from "../guard.ts"
import { type Piece, lastId, live } from "../live.ts"
import { connectPhonePage, linkedCard, linkingPage, typeRefused } from "../pages/connect-phone.ts"
import { codeFor, codeOf, roundMs } from "./codes.ts"
import { evidenceOf } from "./evidence.ts"
import { LinkSteps } from "./link-steps.ts"
import { type Code, codePiece, steps, typedCard } from "./linking.ts"
import { followOfflineSync } from "./offline-sync.ts"
import {
  challengeIn,
  linkingCard,
  passkeyCard,
  takeAnswer,
  takenCard,
  takenStream,
  turnAway,
  wantsPasskey,
} from "./passkey.ts"
import { isLinked } from "./state.ts"

/** Linking a phone to a number. */
export const connectPhone = new Hono<DashboardEnv>()
  .get("/numbers/:ref/connect", async (c) => {
    const { bridge, me } = c.var
    const [evidence, ended] = await Promise.all([
      evidenceOf(bridge).then(followOfflineSync(bridge.id)),
      endedOf(bridge),
    ])
    const phones = config.HOST_NETWORK === "simulated" ? config.SIMULATOR_CONTROL_URL : undefined
    const about = { ref: bridge.customerRef, isSandbox: bridge.isSandbox, evidence, ended, phones }
    const at = shownOf(c)
    const shown = { nowMs: at.nowMs, stream: `begun=${at.nowMs}`, mayChange: me.role !== "viewer" }
    const body = connectPhonePage({ ...about, ...shown, card: linkingCard(evidence, at) })
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
    const evidence = await evidenceOf(bridge)
    const card = typedCard({ ...shownOf(c), ...typed })
    return await page(c, { ...shown, body: linkingPage({ ...about, card, stream: "typed=1", evidence }) })
  })
  .post("/numbers/:ref/connect/passkey", async (c) => {
    const { bridge, requestId } = c.var
    const about = { ref: bridge.customerRef, isSandbox: bridge.isSandbox }
    const shown = { title: `Connect ${bridge.customerRef}`, place: "numbers" } as const
    const before = await evidenceOf(bridge)
    const { answer } = await c.req.parseBody()
    const refused = await takeAnswer(bridge, answer, requestId)
    const at = shownOf(c)
    if (!refused) {
      const stream = takenStream(before)
      const body = linkingPage({ ...about, card: takenCard(at.at), stream, evidence: before })
      return await page(c, { ...shown, body })
    }
    const evidence = await evidenceOf(bridge)
    const card = wantsPasskey(evidence) ? passkeyCard(at, evidence, refused) : undefined
    const body = card
      ? linkingPage({ ...about, card, stream: `begun=${at.nowMs}`, evidence })
      : typeRefused({ ...about, ...refused, phone: "" })
    return await page(c, { ...shown, body, status: refused.status })
  })
  .post("/numbers/:ref/connect/again", async (c) => {
    await turnAway(c.var.bridge, c.var.requestId)
    return c.redirect(`/numbers/${c.var.bridge.customerRef}/connect`, 303)
  })

/** What a card needs to show. */
function shownOf(c: Context<DashboardEnv>) {
  const { customerRef } = c.var.bridge
  return {
    at: `/numbers/${customerRef}/connect`,
    origin: originOf(c),
    linksTo: `the number ${customerRef}`,
    nowMs: nowMs(),
  }
}

/** Looks at the session and the network's code, and remembers across breaks of the stream how far they were. */
function follower(c: Context<DashboardEnv>) {
  const { bridge, me, requestId } = c.var
  const { begun = "0", typed, taken } = c.req.query()
  const ends = Number(begun) + roundMs
  let linking = LinkSteps.resumed(lastId(c))
  const withCatchUp = followOfflineSync(bridge.id)
  const look = async (): Promise<Map<string, Piece>> => {
    const evidence = await withCatchUp(await evidenceOf(bridge))
    linking = LinkSteps.stepped(linking, evidence, nowMs())
    const id = () => LinkSteps.idOf(linking)
    const pieces = new Map<string, Piece>([["steps", { html: steps(evidence, linking.times), id: id() }]])
    if (isLinked(evidence)) return pieces.set("linking", { html: linkedCard(bridge.customerRef, evidence) })
    if (me.role === "viewer") return pieces
    const isPasskeyWanted = wantsPasskey(evidence)
    if (isPasskeyWanted ? challengeIn(evidence) !== taken : typed === undefined)
      pieces.set("linking", { html: linkingCard(evidence, shownOf(c)), id: id() })
    if (isPasskeyWanted || typed !== undefined) return pieces
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
