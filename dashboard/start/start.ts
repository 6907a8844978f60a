import { Hono } from "hono"
import type { Context } from "hono"
import { ApiKey } from "#core/account/api-key.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { ApiError } from "#core/error.ts"
import { EventHistory } from "#core/event/event-history.ts"
import { EventIndex } from "#core/event/event-index.ts"
import { Usage } from "#core/event/usage.ts"
import { mayName } from "#core/fetch/reachable-addresses.ts"
import { nowMs } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"
import { originOf } from "#functions/http/address.ts"
import { page } from "../answer.ts"
import { note } from "../elements.ts"
import type { DashboardEnv } from "../guard.ts"
import { type Piece, live } from "../live.ts"
import { type Evidence, evidenceOf } from "../numbers/evidence.ts"
import {
  type PhoneState,
  bubble,
  checklist,
  codeBlocks,
  phoneCard,
  sandboxState,
  startPage,
  startWithoutSandbox,
} from "../pages/start.ts"
import * as SandboxPhone from "./simulated-phone.ts"

const lookEachMs = 700

/** The first page, with the sandbox and its phone. */
export const start = new Hono<DashboardEnv>()
  .get("/", async (c) => await show(c))
  .get("/live/sandbox", async (c) => await live(c, lookEachMs, follower(c)))
  .post("/sandbox/say", async (c) => {
    const { text } = await c.req.parseBody()
    const said = typeof text === "string" ? text.slice(0, 65_536) : ""
    return await act(c, async (phone) => {
      if (said.trim() !== "") await SandboxPhone.say(phone, said)
    })
  })
  .post("/sandbox/picture", async (c) => await act(c, SandboxPhone.sendPicture))
  .post("/sandbox/voice", async (c) => await act(c, SandboxPhone.sendVoice))
  .post("/sandbox/react", async (c) => {
    const why = "There is nothing to react to: write something first."
    return await act(c, async (phone) => ((await SandboxPhone.react(phone)) ? undefined : why))
  })
  .post("/sandbox/vote", async (c) => {
    const why = "Your sandbox has sent no poll to vote on. Send one with send/poll: the code is below."
    return await act(c, async (phone) => ((await SandboxPhone.vote(phone)) ? undefined : why))
  })
  .post("/sandbox/call", async (c) => await act(c, SandboxPhone.ring))
  .post("/sandbox/unlink", async (c) => await act(c, SandboxPhone.unlink))

type Act = (phone: SandboxPhone.SandboxPhone) => Promise<string | undefined | void>

/** Has the phone do something, and shows the page again. An act that cannot be done says why. */
async function act(c: Context<DashboardEnv>, what: Act) {
  const { found, phone } = await sandboxOf(c)
  if (phone === "elsewhere") return await show(c, note("warn", "This phone cannot be used from here."))
  if (phone === "stopped") return await show(c, note("warn", "The sandbox does not run now."))
  if (!found) return await show(c, note("warn", "The sandbox links its phone: try again in a moment."))
  const why = await what(found)
  return why === undefined ? c.redirect("/", 303) : await show(c, note("info", why))
}

/** Looks at the sandbox again and again, and gives what has come since. */
function follower(c: Context<DashboardEnv>) {
  const mayChange = c.var.me.role !== "viewer"
  let after = 0
  let hasSent: boolean | undefined
  let known: SandboxPhone.SandboxPhone | undefined
  return async (): Promise<Map<string, Piece>> => {
    const { bridge, evidence, found, phone, contact } = await sandboxOf(c, known)
    known = found
    hasSent ??= await hasCounted(bridge.id)
    const pieces = new Map<string, Piece>([["state", { html: sandboxState(evidence) }]])
    // A page that was shown while it moved in has no phone yet; any other keeps its own.
    if (found) {
      pieces.set("card", { html: phoneCard({ phone, bubbles: [], contact, mayChange }) })
      pieces.set("blocks", { html: codeBlocks({ ...placesOf(c), contact }) })
    }
    if (found && phone === "ready") {
      const { bubbles, last } = await SandboxPhone.bubbles(found, after)
      after = last
      hasSent ||= bubbles.some(({ isOwn }) => !isOwn)
      for (const one of bubbles) pieces.set(one.id, { html: bubble(one) })
    }
    return pieces.set("checklist", { html: checklist(await factsOf(c.var.accountId, hasSent)) })
  }
}

/** Where a program finds this service, and whether this service finds a program on its reader's machine. */
function placesOf(c: Context<DashboardEnv>) {
  return { baseUrl: originOf(c), isReceiverHere: mayName("127.0.0.1") }
}

/** `known`: the contact's phone as it was found before. */
async function sandboxOf(c: Context<DashboardEnv>, known?: SandboxPhone.SandboxPhone) {
  const bridge = await Bridge.get(c.var.accountId, "sandbox")
  const evidence = await evidenceOf(bridge)
  const own = evidence.kind === "said" && evidence.status === "connected" ? evidence.phone : ""
  const found = known && known.bridge === own ? known : await phoneOf(bridge, own, c.var.requestId)
  return { bridge, evidence, found, phone: stateOf(found, evidence), contact: found?.number ?? "" }
}

function stateOf(found: SandboxPhone.SandboxPhone | undefined, { kind }: Evidence): PhoneState {
  if (!SandboxPhone.isHere()) return "elsewhere"
  if (found) return "ready"
  return kind === "paused" || kind === "suspended" ? "stopped" : "linking"
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
  if (!config.SANDBOX) {
    const body = startWithoutSandbox(await factsOf(accountId, false))
    return await page(c, { title: "Start", place: "start", body })
  }
  const sandbox = await sandboxOf(c)
  const { found } = sandbox
  const isReady = found && sandbox.phone === "ready"
  const { bubbles } = isReady ? await SandboxPhone.bubbles(found, 0) : { bubbles: [] }
  const hasSent = bubbles.some(({ isOwn }) => !isOwn) || (await hasCounted(sandbox.bridge.id))
  // Known before the list is read: what comes meanwhile is in both, and shown once.
  const newest = await EventIndex.newest(sandbox.bridge.id)
  const { events } = await EventHistory.page(sandbox.bridge, { isNewestFirst: true, limit: 15 })
  const body = startPage({
    ...sandbox,
    bubbles,
    events,
    newest,
    facts: await factsOf(accountId, hasSent),
    ...placesOf(c),
    mayChange: me.role !== "viewer",
    told,
    nowMs: nowMs(),
  })
  return await page(c, { title: "Start", place: "start", body })
}

/** Whether a sandbox has sent a message before, as its usage says also while its phone cannot be looked at. */
async function hasCounted(bridgeId: string): Promise<boolean> {
  const days = await Usage.of(bridgeId, { from: "0000-01-01", to: Usage.today() }, undefined)
  return days.some(({ out }) => out > 0)
}

/** The steps that the account has done so far. `hasSent`: its sandbox has sent a message. */
async function factsOf(accountId: string, hasSent: boolean) {
  const [keys, bridges] = await Promise.all([ApiKey.list(accountId), Bridge.list(accountId)])
  const sandbox = bridges.find(({ isSandbox }) => isSandbox)
  return {
    hasSandbox: config.SANDBOX,
    hasEvent: sandbox !== undefined && (await EventIndex.newest(sandbox.id)) > 0,
    // Where its contact's phone cannot be looked at, the use of a key has to do.
    hasSent: hasSent || (!SandboxPhone.isHere() && keys.some(({ lastUsedAt }) => lastUsedAt !== undefined)),
    hasNumber: bridges.some(({ isSandbox }) => !isSandbox),
    hasWebhook: (sandbox?.webhookUrl ?? "") !== "",
  }
}
