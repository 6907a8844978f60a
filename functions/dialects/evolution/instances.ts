import { ApiError } from "#core/error.ts"
import { iso } from "#core/platform/clock.ts"
import { Refused, unless } from "../../http/own-api.ts"
import { bridgesOf, makeBridge } from "../bridge.ts"
import type { Bridge, Status } from "../ours.ts"
import { type Its, its, type Rows } from "./its.ts"
import { changeOf, proxyOf, settingsOf, setWebhook, urlOf } from "./settings.ts"

const states = {
  connected: "open",
  connecting: "connecting",
  disconnected: "connecting",
  passkey_required: "connecting",
  unpaired: "close",
  replaced: "close",
} as const satisfies Record<Status["status"], string>

async function stateOf({ proxy, instance }: Its) {
  const { status } = await proxy.ask<Status>("GET", "status")
  return { instance: { instanceName: instance, state: states[status] } }
}

/** Messages are kept for so many days at an instance that is created here, since Evolution keeps them. */
const keptDays = 30

async function create(made: Its) {
  const { bridge, given, instance, api } = made
  const { proxyHost: host, proxyPort: port, proxyProtocol: protocol } = given
  const proxy = { host, port, protocol, username: given.proxyUsername, password: given.proxyPassword }
  const proxy_url = urlOf({ ...proxy, enabled: Boolean(port && protocol) })
  const isNew = await makeBridge(api, instance, async () => {
    await bridge.ask("PATCH", "", {
      keep: keptDays,
      ...changeOf(given, { ignore: [], keep: keptDays }),
      proxy_url,
    })
    if (given.webhook?.url) await setWebhook(made)
  })
  if (!isNew) throw new ApiError("forbidden", `This name "${instance}" is already in use.`)
  const isLinking = given.qrcode || given.number
  const about = { instanceName: instance, instanceId: instance, integration: "WHATSAPP-BAILEYS" }
  return {
    instance: { ...about, status: isLinking ? "connecting" : "close" },
    hash: await keyFor(made),
    webhook: { webhookUrl: given.webhook?.url },
    settings: settingsOf(await bridge.ask<Bridge>("GET", "")),
    qrcode: isLinking ? await codesOf(made, given.number) : undefined,
  }
}

/** A key for this instance alone, as Evolution's `hash` is. `""` where the account has too many. */
async function keyFor({ api, instance }: Its): Promise<string> {
  const body = { name: `Evolution: ${instance}`.slice(0, 64), customer_refs: [instance] }
  const made = await unless("forbidden", api.call("POST", "/api/keys", { body }))
  return (made as { key: string } | undefined)?.key ?? ""
}

/** Whether the key is for some bridges alone, as the token of an instance is. */
async function isToken({ api }: Its): Promise<boolean> {
  return (await unless("forbidden", api.call("GET", "/api/account"))) === undefined
}

/** How an instance is linked: a picture of the code, its text, and a code to type if a number is given. */
async function codesOf({ proxy }: Its, number: string | undefined) {
  const phone = number?.replaceAll(/\D/g, "")
  const pair = phone ? await proxy.ask<{ code: string }>("POST", "pair", { phone }) : undefined
  // Once a code to type was asked for, there may be none to scan.
  const qr = await proxy.file("qr", { maxBytes: 1_000_000 }).catch((error: unknown) => {
    if (pair && error instanceof Refused) return undefined
    throw error
  })
  return {
    pairingCode: pair?.code.replace("-", "") ?? null,
    code: qr?.headers["x-qr-value"] ?? null,
    base64: qr?.bytes ? `data:image/png;base64,${qr.bytes.toString("base64")}` : null,
    count: 1,
  }
}

async function connect(asked: Its) {
  const state = await stateOf(asked)
  return state.instance.state === "open" ? state : await codesOf(asked, asked.query.number)
}

/** What the caller sees of a bridge. Its own key stands there if it is for some bridges alone. */
function toRow(bridge: Bridge, token: string | null) {
  const { reported, customer_ref: name, created_at } = bridge
  const { status = "connecting", phone, since = created_at } = reported ?? {}
  return {
    id: name,
    name,
    connectionStatus: states[status],
    ownerJid: phone ? `${phone}@s.whatsapp.net` : null,
    profileName: null,
    profilePicUrl: null,
    integration: "WHATSAPP-BAILEYS",
    number: phone || null,
    token,
    clientName: "messaging-bridge",
    createdAt: iso(created_at * 1000),
    updatedAt: iso(since * 1000),
    Proxy: proxyOf(bridge),
    Setting: settingsOf(bridge),
  }
}

async function fetchInstances(asked: Its) {
  const { query, key } = asked
  const named = query.instanceName || query.instanceId
  const bridges = named ? [await its(asked, named).bridge.ask<Bridge>("GET", "")] : await bridgesOf(asked.api)
  const token = (await isToken(asked)) ? key : null
  const rows = bridges.map((bridge) => toRow(bridge, token))
  return rows.filter(({ number }) => !query.number || number === query.number)
}

async function restart(asked: Its) {
  // A lost connection is made again by itself; this takes one back that another program has taken over.
  const { webhook_url } = await asked.bridge.ask<Bridge>("GET", "")
  await asked.bridge.ask("PATCH", "", { webhook_url })
  return await connect(asked)
}

export const instances: Rows = {
  "GET /instance/fetchInstances": fetchInstances,
  // In Evolution it tells the key of the whole service from the token of an instance.
  "POST /verify-creds": async (asked) => {
    if (await isToken(asked)) throw new ApiError("unauthorized", "this key is for some instances alone")
    return { status: 200, message: "Credentials are valid" }
  },
  "GET /instance/connect/:instance": connect,
  "GET /instance/connectionState/:instance": stateOf,
  "POST /instance/restart/:instance": restart,
  "PUT /instance/restart/:instance": restart,
  "DELETE /instance/logout/:instance": async ({ proxy }) => {
    await proxy.ask("DELETE", "logout")
    return { status: "SUCCESS", error: false, response: { message: "Instance logged out" } }
  },
  "DELETE /instance/delete/:instance": async ({ bridge }) => {
    await bridge.ask("DELETE", "")
    return { status: "SUCCESS", error: false, response: { message: "Instance deleted" } }
  },
}

export const instancesMade: Rows = {
  "POST /instance/create": create,
  "POST /instance/setPresence/:instance": async ({ proxy, given: { presence } }) => {
    const state = presence === "unavailable" ? presence : presence && "available"
    await proxy.ask("POST", "presence", { state })
    return { presence }
  },
}
