import { Hono } from "hono"
import type { Context } from "hono"
import { ApiKey } from "#core/account/api-key.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { ApiError } from "#core/error.ts"
import { EventList } from "#core/event/list.ts"
import { EventHistory } from "#core/event/history.ts"
import { config } from "#core/platform/config.ts"
import { nowMs } from "#core/platform/clock.ts"
import {
  bubble,
  checklist,
  phoneCard,
  sandboxState,
  startPage,
  startWithoutSandbox,
} from "#dashboard/pages/start.ts"
import { note } from "#dashboard/parts/html.ts"
import { page } from "../answer.ts"
import type { DashboardEnv } from "../env.ts"
import { evidenceOf } from "../evidence.ts"
import { live, type Piece } from "../live.ts"
import * as SandboxPhone from "./sandbox-phone.ts"

const lookEachMs = 700

/** The first page, with the sandbox and its phone. */
export const start = new Hono<DashboardEnv>()
  .get("/", async (c) => await show(c))
  .get("/live/sandbox", (c) =>
    live(c, lookEachMs, async () => {
      const { evidence, phone, bubbles, contact } = await sandboxOf(c)
      const mayChange = c.var.me.role !== "viewer"
      const pieces = new Map<string, Piece>([["state", { html: sandboxState(evidence) }]])
      // A page that was shown while it moved in has no phone yet; any other keeps its own.
      if (phone === "ready")
        pieces.set("card", { html: phoneCard({ phone, bubbles: [], contact, mayChange }) })
      pieces.set("checklist", { html: checklist(await factsOf(c.var.accountId)) })
      for (const one of bubbles) pieces.set(one.id, { html: bubble(one) })
      return pieces
    }),
  )
  .post("/sandbox/say", async (c) => {
    const { text } = await c.req.parseBody()
    const said = typeof text === "string" ? text.slice(0, 1000) : ""
    return await act(c, async (phone) => {
      if (said.trim() !== "") await SandboxPhone.say(phone, said)
    })
  })
  .post("/sandbox/call", async (c) => await act(c, SandboxPhone.ring))
  .post("/sandbox/react", async (c) => await act(c, async (phone) => void (await SandboxPhone.react(phone))))

async function act(c: Context<DashboardEnv>, what: (phone: SandboxPhone.SandboxPhone) => Promise<void>) {
  const { found } = await sandboxOf(c)
  if (!found) return await show(c, note("warn", "The sandbox links its phone: try again in a moment."))
  await what(found)
  return c.redirect("/", 303)
}

async function sandboxOf(c: Context<DashboardEnv>) {
  const bridge = await Bridge.get(c.var.accountId, "sandbox")
  const evidence = await evidenceOf(bridge)
  const own = evidence.kind === "said" && evidence.status === "connected" ? evidence.phone : ""
  const found = await phoneOf(bridge, own, c.var.requestId)
  const phone = SandboxPhone.isHere()
    ? found
      ? ("ready" as const)
      : ("linking" as const)
    : ("elsewhere" as const)
  const bubbles = found ? await SandboxPhone.bubbles(found) : []
  return { bridge, evidence, found, phone, bubbles, contact: found?.number ?? "" }
}

async function phoneOf(bridge: Bridge.Info, own: string, requestId: string) {
  try {
    return await SandboxPhone.find(bridge, own, requestId)
  } catch (error) {
    // Its session starts or moves; the page says that its phone is being linked.
    if (error instanceof ApiError) return undefined
    throw error
  }
}

async function show(c: Context<DashboardEnv>, told?: ReturnType<typeof note>) {
  const { me, accountId } = c.var
  const facts = await factsOf(accountId)
  if (!config.SANDBOX)
    return await page(c, { title: "Start", place: "start", body: startWithoutSandbox(facts) })
  const sandbox = await sandboxOf(c)
  const { events } = await EventHistory.page(sandbox.bridge, { isNewestFirst: true, limit: 15 })
  const body = startPage({
    ...sandbox,
    events,
    facts,
    baseUrl: new URL(c.req.url).origin,
    mayChange: me.role !== "viewer",
    told,
    nowMs: nowMs(),
  })
  return await page(c, { title: "Start", place: "start", body })
}

/** What the account has done so far. */
async function factsOf(accountId: string) {
  const [keys, bridges] = await Promise.all([ApiKey.list(accountId), Bridge.list(accountId)])
  const sandbox = bridges.find(({ isSandbox }) => isSandbox)
  return {
    hasKey: keys.length > 0,
    hasEvent: sandbox !== undefined && (await EventList.newest(sandbox.id)) > 0,
    hasNumber: bridges.some(({ isSandbox }) => !isSandbox),
    hasWebhook: bridges.some(({ webhookUrl }) => webhookUrl !== ""),
  }
}
