import { nameOfRef, refOfName } from "#core/bridge/ref-of-name.ts"
import { ApiError } from "#core/error.ts"
import { unless } from "../../http/own-api.ts"
import { bridgesOf, makeBridge } from "../bridge.ts"
import { NotHere } from "../dialect.ts"
import type { Bridge, Status, Webhook } from "../ours.ts"
import { configure, toConfig } from "./config.ts"
import { phoneOf, pnOf } from "./ids.ts"
import type { Its, Rows } from "./its.ts"

const statuses: Record<Status["status"], string> = {
  unpaired: "SCAN_QR_CODE",
  connecting: "STARTING",
  connected: "WORKING",
  disconnected: "STARTING",
  replaced: "FAILED",
  passkey_required: "PASSKEY_REQUIRED",
}

/** WAHA's `SessionInfo`. @param status the session's own word, if it was asked */
function toSession(bridge: Bridge, webhooks: Webhook[], status?: Status) {
  const { status: known, since } = { ...bridge.reported, ...status }
  return {
    name: nameOfRef(bridge.customer_ref),
    status: bridge.state !== "running" ? "STOPPED" : known ? statuses[known] : "STARTING",
    me: toMe(status ?? bridge.reported),
    engine: { engine: "NOWEB" },
    assignedWorker: null,
    apps: null,
    presence: {},
    timestamps: { activity: (since ?? bridge.created_at) * 1000 },
    config: toConfig(bridge, webhooks),
  }
}

/** Whose account it is; null without a linked phone. */
function toMe(told: Status | Bridge["reported"]) {
  const id = pnOf(told?.phone ?? "")
  if (told === undefined || id === null || told.status === "unpaired") return null
  const { lid = "", jid = "", name = "", ...more } = { ...told } as Partial<Status>
  const restrictions = more.restriction && {
    reachoutTimelock: toTimelock(more),
    messageCapping: toCapping(more),
  }
  return { id, lid: lid || null, jid: jid || null, pushName: name, ...restrictions }
}

type Restricted = Pick<Partial<Status>, "restriction" | "restricted_until">

function toTimelock({ restriction, restricted_until: until = 0 }: Restricted) {
  const isActive = restriction === "new_chats"
  return { enforcementType: "DEFAULT", isActive, timeEnforcementEnds: isActive ? until : 0 }
}

/** The network tells no numbers: -1 is none. */
function toCapping({ restriction, restricted_until: until = 0 }: Restricted) {
  const isCapped = restriction === "new_chats_quota"
  const cycle = { cycleStart: 0, cycleEnd: isCapped ? until : 0, mvStatus: "", oteStatus: "" }
  return { cappingStatus: isCapped ? "CAPPED" : "NONE", totalQuota: -1, usedQuota: 0, ...cycle }
}

async function known({ bridge }: Its): Promise<Bridge> {
  return await bridge.ask<Bridge>("GET", "")
}

async function statusOf({ proxy }: Its): Promise<Status> {
  return await proxy.ask<Status>("GET", "status")
}

/** The session, by its own word where that can be had at once. */
async function infoOf(its: Its) {
  const bridge = await known(its)
  const webhooks = await its.bridge.ask<Webhook[]>("GET", "/webhooks")
  const isUp = bridge.state === "running" && bridge.manager.health === "healthy"
  return toSession(bridge, webhooks, isUp ? await unless("session_unavailable", statusOf(its)) : undefined)
}

async function isThere(its: Its): Promise<boolean> {
  return (await unless("not_found", known(its))) !== undefined
}

/** A session that could not be configured is not made. */
async function create(its: Its) {
  // A name that is no reference is refused, not changed.
  const ref = its.session === "default" ? refOfName(its.session) : its.session
  if (!(await makeBridge(its.api, ref, async () => await configure(its, its.given.config ?? {}))))
    throw new ApiError("group_conflict", `Session '${its.session}' already exists. Use PUT to update it.`)
  return await infoOf(its)
}

async function update(its: Its) {
  await configure(its, its.given.config ?? {})
  return await infoOf(its)
}

/** Changes nothing, and wakes a session that was idle. */
async function start(its: Its) {
  if ((await known(its)).state !== "running") await unless("session_unavailable", statusOf(its))
  return await infoOf(its)
}

/** The address of before takes a session back that another place has taken over, and restarts no other. */
async function restart(its: Its) {
  const { webhook_url } = await known(its)
  await its.bridge.ask("PATCH", "", { webhook_url })
  return await infoOf(its)
}

async function remove(its: Its) {
  if (await isThere(its)) await its.bridge.ask("DELETE", "")
}

function stop(): never {
  const instead = "the dashboard pauses a number, and `logout` unlinks its phone"
  throw new NotHere(`this service has no call that stops a session: ${instead}`)
}

const one = "/api/sessions/:session"

export const sessions: Rows = {
  "GET /api/sessions": async ({ api, query }) => {
    const bridges = await bridgesOf(api, ({ state }) => query.all === "true" || state === "running")
    return bridges.map((bridge) => toSession(bridge, []))
  },
  "POST /api/sessions": create,
  "POST /api/sessions/start": async (its) => {
    if (!(await isThere(its))) return await create(its)
    return its.given.config ? await update(its) : await start(its)
  },
  "POST /api/sessions/stop": (its) => (its.given.logout ? remove(its) : stop()),
  "POST /api/sessions/logout": remove,
  [`GET ${one}`]: infoOf,
  [`PUT ${one}`]: update,
  [`DELETE ${one}`]: remove,
  [`GET ${one}/me`]: async (its) => toMe(await statusOf(its)),
  [`GET ${one}/timelock`]: async (its) => toTimelock(await statusOf(its)),
  [`GET ${one}/capping`]: async (its) => toCapping(await statusOf(its)),
  [`POST ${one}/start`]: start,
  [`POST ${one}/restart`]: restart,
  [`POST ${one}/stop`]: stop,
  [`POST ${one}/logout`]: async (its) => {
    await its.proxy.ask("DELETE", "logout")
    return await infoOf(its)
  },
  "GET /api/:session/auth/qr": async ({ proxy, query, accept }) => {
    const answer = await proxy.answer("GET", "qr")
    if (query.format === "raw") return { value: answer.headers.get("x-qr-value") }
    if (accept !== "application/json") return answer
    return { mimetype: "image/png", data: Buffer.from(await answer.arrayBuffer()).toString("base64") }
  },
  "POST /api/:session/auth/request-code": async ({ proxy, given: { method, phoneNumber = "" } }) => {
    if (method) throw new NotHere("this service links phones as devices only: leave out `method`")
    return await proxy.ask("POST", "pair", { phone: phoneOf(phoneNumber) })
  },
  "GET /api/:session/auth/passkey/challenge": async (its) => {
    const { passkey } = await statusOf(its)
    if (!passkey) throw new ApiError("passkey_not_awaited")
    return passkey.options
  },
  "POST /api/:session/auth/passkey": ({ done, given }) => done("POST", "passkey", given),
}
