import { z } from "zod"
import type { BridgeInList } from "#contract/bridge.ts"
import type { SessionStatus } from "#contract/session.ts"
import type { Status } from "#contract/status-and-objection.ts"
import { ApiError } from "#core/error.ts"
import { iso } from "#core/platform/clock.ts"
import { pathOf, Refused, unless } from "../../http/own-api.ts"
import { type Asked, call } from "../dialect.ts"
import { at, type Bridge, Flag, here, type Here, nothing, on, Text } from "./on.ts"
import { changeOf, proxyOf, proxyUrlOf, Settings, settingsOf, setWebhook, WebhookInBody } from "./settings.ts"

const states = {
  connected: "open",
  connecting: "connecting",
  disconnected: "connecting",
  passkey_required: "connecting",
  unpaired: "close",
  replaced: "close",
} as const satisfies Record<Status, string>

async function stateOf({ ask, instance }: Here) {
  const { status } = await ask<z.infer<typeof SessionStatus>>("GET", at("status"))
  return { instance: { instanceName: instance, state: states[status] } }
}

/** Messages are kept for so many days at an instance that is created here, since Evolution keeps them. */
const keptDays = 30

const text = Text.nullish()
const create = call({
  method: "POST",
  path: "/instance/create",
  status: 201,
  body: z.object({
    instanceName: z.string(),
    number: text,
    qrcode: Flag.nullish(),
    webhook: WebhookInBody.nullish(),
    proxyHost: text,
    proxyPort: text,
    proxyProtocol: text,
    proxyUsername: text,
    proxyPassword: text,
    ...Settings.shape,
  }),
  run: async (asked) => {
    const { body, api } = asked
    const made = here(asked, body.instanceName)
    const { instance, ask } = made
    if ((await namesOf(asked)).includes(instance))
      throw new ApiError("forbidden", `This name "${instance}" is already in use.`)
    const { proxyHost: host, proxyPort: port, proxyProtocol: protocol } = body
    const proxy = { host, port, protocol, username: body.proxyUsername, password: body.proxyPassword }
    const proxy_url = proxyUrlOf({ ...proxy, enabled: Boolean(port && protocol) })
    await api.call("POST", "/api/instances", { body: { customer_ref: instance } })
    try {
      await ask("PATCH", [], { keep: keptDays, ...changeOf(body, { ignore: [], keep: keptDays }), proxy_url })
      if (body.webhook?.url) await setWebhook(made, body.webhook)
    } catch (error) {
      // An instance that could not be set up as it was asked for is not made.
      await ask("DELETE", [])
      throw error
    }
    const isLinking = body.qrcode || body.number
    return {
      instance: {
        instanceName: instance,
        instanceId: instance,
        integration: "WHATSAPP-BAILEYS",
        status: isLinking ? "connecting" : "close",
      },
      hash: await keyFor(made),
      webhook: { webhookUrl: body.webhook?.url ?? undefined },
      settings: settingsOf(await ask<Bridge>("GET", [])),
      ...(isLinking && { qrcode: await codesOf(made, body.number) }),
    }
  },
})

/** A key for this instance alone, as Evolution's `hash` is. `""` where the account has too many. */
async function keyFor({ api, instance }: Here): Promise<string> {
  const body = { name: `Evolution: ${instance}`.slice(0, 64), customer_refs: [instance] }
  const made = await unless("forbidden", api.call("POST", "/api/keys", { body }))
  return (made as { key: string } | undefined)?.key ?? ""
}

async function namesOf({ api }: Pick<Asked, "api">): Promise<string[]> {
  const query = { limit: 1000 }
  const all = await api.all("/api/instances", { query, most: Infinity })
  return (all as z.infer<typeof BridgeInList>[]).map(({ customer_ref }) => customer_ref)
}

/** Whether the key is for some bridges alone, as the token of an instance is. */
async function isToken({ api }: Pick<Asked, "api">): Promise<boolean> {
  return (await unless("forbidden", api.call("GET", "/api/account"))) === undefined
}

/** How an instance is linked: a picture of the code, its text, and a code to type if a number is given. */
async function codesOf({ api, instance, ask }: Here, number: string | null | undefined) {
  const phone = number?.replaceAll(/\D/g, "")
  const pair = phone ? await ask<{ code: string }>("POST", at("pair"), { phone }) : undefined
  // Once a code to type was asked for, there may be none to scan.
  const qr = await api
    .file(pathOf(instance, ...at("qr")), { maxBytes: 1_000_000 })
    .catch((error: unknown) => {
      if (pair && error instanceof Refused) return undefined
      throw error
    })
  return {
    pairingCode: pair ? pair.code.replace("-", "") : null,
    code: qr?.headers["x-qr-value"] ?? null,
    base64: qr?.bytes ? `data:image/png;base64,${qr.bytes.toString("base64")}` : null,
    count: 1,
  }
}

async function connect(asked: Here) {
  const state = await stateOf(asked)
  return state.instance.state === "open" ? state : await codesOf(asked, asked.query.number)
}

/** What the caller sees of a bridge. Its own key stands there if it is for some bridges alone. */
function rowOf(bridge: Bridge, token: string | null) {
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

const fetchInstances = call({
  method: "GET",
  path: "/instance/fetchInstances",
  run: async (asked) => {
    const names = await namesOf(asked)
    const wanted = asked.query.instanceName || asked.query.instanceId
    if (wanted && !names.includes(wanted)) throw new ApiError("not_found", `Instance "${wanted}" not found`)
    const token = (await isToken(asked)) ? asked.key : null
    const rows = []
    for (const name of wanted ? [wanted] : names)
      rows.push(rowOf(await here(asked, name).ask<Bridge>("GET", []), token))
    return rows.filter(({ number }) => !asked.query.number || number === asked.query.number)
  },
})

/** In Evolution it tells the key of the whole service from the token of an instance. */
const verifyCreds = call({
  method: "POST",
  path: "/verify-creds",
  run: async (asked) => {
    if (await isToken(asked)) throw new ApiError("unauthorized", "this key is for some instances alone")
    return { status: 200, message: "Credentials are valid" }
  },
})

async function restart(asked: Here) {
  // A lost connection is made again by itself; this takes one back that another program has taken over.
  const { webhook_url } = await asked.ask<Bridge>("GET", [])
  await asked.ask("PATCH", [], { webhook_url })
  return await connect(asked)
}

/** A row that does something by one call of our API, and has nothing else to say of it. */
function does(line: `DELETE ${string}`, path: string[], message: string) {
  return on(line, nothing, async ({ ask }) => {
    await ask("DELETE", path)
    return { status: "SUCCESS", error: false, response: { message } }
  })
}

export const instanceCalls = [
  verifyCreds,
  create,
  fetchInstances,
  on("GET instance/connect", nothing, connect),
  on("GET instance/connectionState", nothing, stateOf),
  on("POST instance/restart", nothing, restart),
  on("PUT instance/restart", nothing, restart),
  does("DELETE instance/logout", at("logout"), "Instance logged out"),
  does("DELETE instance/delete", [], "Instance deleted"),
  on(
    "POST instance/setPresence",
    z.object({ presence: z.string() }),
    async ({ ask, body: { presence } }) => {
      const state = presence === "unavailable" ? presence : "available"
      await ask("POST", at("presence"), { state })
      return { presence }
    },
    201,
  ),
]
