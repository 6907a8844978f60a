import type { EventType } from "#contract/event.ts"
import { proxyUrlOf } from "../bridge.ts"
import { NotHere } from "../dialect.ts"
import type { Bridge, Webhook } from "../ours.ts"
import type { Given } from "./given.ts"
import type { Its, Rows } from "./its.ts"

/**
 * The choices of our API that an instance's settings become. Only some of these have a counterpart: the rest
 * is taken, and found to be off.
 */
export function changeOf(
  { groupsIgnore, syncFullHistory: history }: Given,
  { ignore, keep }: Pick<Bridge, "ignore" | "keep">,
) {
  const others = ignore.filter((kind) => kind !== "groups")
  return {
    ...(groupsIgnore !== undefined && { ignore: groupsIgnore ? [...others, "groups"] : others }),
    ...(history !== undefined && { history, ...(history && { keep: keep ?? 30 }) }),
  }
}

/** The settings that hold. */
export function settingsOf({ ignore, history }: Pick<Bridge, "ignore" | "history">) {
  const off = { rejectCall: false, msgCall: "", alwaysOnline: false, readMessages: false, readStatus: false }
  return { ...off, groupsIgnore: ignore.includes("groups"), syncFullHistory: history, wavoipToken: "" }
}

/** The address of a proxy; null: none. */
export function urlOf({ enabled, host, port, protocol, username, password }: Given): string | null {
  if (!enabled || !host) return null
  return proxyUrlOf(`${protocol || "http"}://${host}${port ? `:${port}` : ""}`, username, password)
}

/** A bridge's proxy. No answer of ours shows where it is. */
export function proxyOf({ customer_ref: instanceId, proxy_url }: Bridge) {
  const hidden = { host: "***", port: "***", protocol: "***", username: "***", password: "***" }
  return proxy_url === null ? null : { enabled: true, ...hidden, instanceId }
}

/** The types of our events that a bridge sends only if they are named, and the events made of them. */
const unusual: [type: EventType, events: string[]][] = [
  ["message_status", ["MESSAGES_UPDATE"]],
  ["group", ["GROUPS_UPSERT", "GROUP_UPDATE", "GROUPS_UPDATE", "GROUP_PARTICIPANTS_UPDATE"]],
]

/** Sets the webhook of an instance, and asks for the events that it wants. */
export async function setWebhook(its: Its): Promise<void> {
  const { bridge, given } = its
  const webhook = { ...given, ...given.webhook }
  const { enabled = true, events, headers = {} } = webhook
  if ("jwt_key" in headers)
    throw new NotHere("deliveries are signed with the webhook's secret: they bring no JWT of a `jwt_key`")
  const wanted = events?.length ? events : undefined
  const format_options = {
    events: wanted,
    media: webhook.base64 ?? webhook.webhookBase64 ?? webhook.webhook_base64 ?? false,
    path_per_event: webhook.byEvents ?? webhook.webhookByEvents ?? webhook.webhook_by_events ?? false,
  }
  // What the body is, our own headers say.
  const own = Object.entries(headers).filter(([name]) => !/^content-/i.test(name))
  const chosen = { format: "evolution", format_options, batch: null, headers: Object.fromEntries(own) }
  await place(its, enabled && webhook.url ? webhook.url : null, chosen)
  const before = (await bridge.ask<Bridge>("GET", "")).events
  const more = unusual.flatMap(([type, made]) =>
    before.includes(type) || wanted?.every((one) => !made.includes(one)) ? [] : [type],
  )
  if (more.length > 0) await bridge.ask("PATCH", "", { events: [...before, ...more] })
}

/** An instance's webhook: the one that gets events as Evolution posts them, or the first if it gets none. */
async function webhookIn({ bridge }: Its): Promise<Webhook | undefined> {
  const all = await bridge.ask<Webhook[]>("GET", "/webhooks")
  const theirs = all.find(({ format, url }) => format === "evolution" && url !== "")
  return theirs ?? all.find(({ id, url }) => id === "first" && url === "")
}

/** Gives the instance's webhook this address and what is chosen, or takes it away. */
async function place(its: Its, url: string | null, chosen: object): Promise<void> {
  const { bridge } = its
  const now = await webhookIn(its)
  if (now?.id === "first") {
    // The form first: no event goes to the new address in another.
    await bridge.ask("PATCH", "/webhooks/first", chosen)
    await bridge.ask("PATCH", "", { webhook_url: url })
  } else if (now && url === null) await bridge.ask("DELETE", `/webhooks/${now.id}`)
  else if (now) await bridge.ask("PATCH", `/webhooks/${now.id}`, { url, ...chosen })
  else if (url !== null) await bridge.ask("POST", "/webhooks", { url, ...chosen })
}

async function webhookOf(its: Its) {
  const { url = "", headers = {}, format_options: options = {} } = (await webhookIn(its)) ?? {}
  return {
    id: `${its.instance}-webhook`,
    enabled: url !== "",
    url,
    headers,
    events: options.events ?? [],
    webhookByEvents: options.path_per_event ?? false,
    webhookBase64: options.media ?? false,
    instanceId: its.instance,
  }
}

export const settingsFound: Rows = {
  "GET /settings/find/:instance": async ({ bridge }) => settingsOf(await bridge.ask<Bridge>("GET", "")),
  "GET /proxy/find/:instance": async ({ bridge, instance }) => {
    const none = { enabled: false, host: "", port: "", protocol: "", username: "", password: "" }
    return proxyOf(await bridge.ask<Bridge>("GET", "")) ?? { ...none, instanceId: instance }
  },
  "GET /webhook/find/:instance": webhookOf,
}

export const settings: Rows = {
  "POST /settings/set/:instance": async ({ bridge, given, instance }) => {
    const before = await bridge.ask<Bridge>("GET", "")
    const changes = changeOf(given, before)
    const isNone = Object.keys(changes).length === 0
    const now = isNone ? before : await bridge.ask<Bridge>("PATCH", "", changes)
    return { settings: { instanceName: instance, settings: settingsOf(now) } }
  },
  "POST /proxy/set/:instance": async ({ bridge, given, instance }) => {
    await bridge.ask("PATCH", "", { proxy_url: urlOf(given) })
    const { enabled, host, port, protocol, username } = given
    return { proxy: { instanceName: instance, proxy: { enabled, host, port, protocol, username } } }
  },
  "POST /webhook/set/:instance": async (its) => {
    await setWebhook(its)
    return await webhookOf(its)
  },
}
