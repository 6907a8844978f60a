import { z } from "zod"
import type { EventType } from "#contract/event.ts"
import { NotHere } from "../dialect.ts"
import { type Bridge, Flag, type Here, nothing, on, Text } from "./on.ts"

const flag = Flag.nullish()
const text = Text.nullish()

/** What an instance is set to. Only some of it has a counterpart: the rest is taken, and found to be off. */
export const Settings = z.object({ groupsIgnore: flag, syncFullHistory: flag })

/** The choices of our API that these settings become. */
export function changeOf(
  { groupsIgnore, syncFullHistory: history }: z.infer<typeof Settings>,
  { ignore, keep }: Pick<Bridge, "ignore" | "keep">,
) {
  const others = ignore.filter((kind) => kind !== "groups")
  return {
    ...(typeof groupsIgnore === "boolean" && { ignore: groupsIgnore ? [...others, "groups"] : others }),
    ...(typeof history === "boolean" && { history, ...(history && { keep: keep ?? 30 }) }),
  }
}

/** The settings that hold. */
export function settingsOf({ ignore, history }: Pick<Bridge, "ignore" | "history">) {
  const off = { rejectCall: false, msgCall: "", alwaysOnline: false, readMessages: false, readStatus: false }
  return { ...off, groupsIgnore: ignore.includes("groups"), syncFullHistory: history, wavoipToken: "" }
}

const ProxyInBody = z.object({
  enabled: flag,
  host: text,
  port: text,
  protocol: text,
  username: text,
  password: text,
})

/** The address of a proxy; null: none. */
export function proxyUrlOf({
  enabled,
  host,
  port,
  protocol,
  username,
  password,
}: z.infer<typeof ProxyInBody>) {
  if (!enabled || !host) return null
  const who = username ? `${encodeURIComponent(username)}:${encodeURIComponent(password ?? "")}@` : ""
  return `${protocol || "http"}://${who}${host}${port ? `:${port}` : ""}`
}

/** A bridge's proxy. No answer of ours shows where it is. */
export function proxyOf({ customer_ref: instanceId, proxy_url }: Bridge) {
  const hidden = { host: "***", port: "***", protocol: "***", username: "***", password: "***" }
  return proxy_url === null ? null : { enabled: true, ...hidden, instanceId }
}

/** A webhook as a caller sets it. The longer names are those of earlier releases, and of n8n's node. */
export const WebhookInBody = z.object({
  enabled: flag,
  url: text,
  headers: z.record(z.string(), Text).nullish(),
  byEvents: flag,
  webhookByEvents: flag,
  webhook_by_events: flag,
  base64: flag,
  webhookBase64: flag,
  webhook_base64: flag,
  events: z.array(z.string()).nullish(),
})

/** The types of our events that a bridge sends only if they are named, and the events made of them. */
const unusual: [type: EventType, events: string[]][] = [
  ["message_status", ["MESSAGES_UPDATE"]],
  ["group", ["GROUPS_UPSERT", "GROUP_UPDATE", "GROUPS_UPDATE", "GROUP_PARTICIPANTS_UPDATE"]],
]

/** Sets the webhook of an instance, which is the first one of its bridge. */
export async function setWebhook({ ask }: Here, webhook: z.infer<typeof WebhookInBody>): Promise<void> {
  const { enabled, url, events } = webhook
  // What the body is, our own headers say.
  const headers = Object.entries(webhook.headers ?? {}).filter(([name]) => !/^content-/i.test(name))
  if (headers.some(([name]) => name === "jwt_key"))
    throw new NotHere("deliveries are signed with the webhook's secret: they bring no JWT of a `jwt_key`")
  const wanted = events?.length ? events : undefined
  const format_options = {
    ...(wanted && { events: wanted }),
    media: (webhook.base64 ?? webhook.webhookBase64 ?? webhook.webhook_base64) === true,
    path_per_event: (webhook.byEvents ?? webhook.webhookByEvents ?? webhook.webhook_by_events) === true,
  }
  // The form first: no event goes to the new address in another.
  const chosen = { format: "evolution", format_options, batch: null, headers: Object.fromEntries(headers) }
  await ask("PATCH", ["webhooks", "first"], chosen)
  const before = (await ask<Bridge>("GET", [])).events
  const more = unusual.flatMap(([type, its]) =>
    before.includes(type) || wanted?.every((one) => !its.includes(one)) ? [] : [type],
  )
  await ask("PATCH", [], {
    webhook_url: enabled !== false && url ? url : null,
    ...(more.length > 0 && { events: [...before, ...more] }),
  })
}

interface First {
  url: string
  headers: Record<string, string>
  format_options: { events?: string[]; media?: boolean; path_per_event?: boolean }
}

async function webhookOf({ ask, instance }: Here) {
  const { url, headers, format_options: options } = await ask<First>("GET", ["webhooks", "first"])
  return {
    id: `${instance}-webhook`,
    enabled: url !== "",
    url,
    headers,
    events: options.events ?? [],
    webhookByEvents: options.path_per_event ?? false,
    webhookBase64: options.media ?? false,
    instanceId: instance,
  }
}

/** In Evolution's first release there is no object around a webhook. */
const SetWebhook = z.union([
  z.object({ webhook: WebhookInBody }),
  WebhookInBody.transform((webhook) => ({ webhook })),
])

export const settingsCalls = [
  on(
    "POST settings/set",
    Settings,
    async ({ ask, body, instance }) => {
      const changes = changeOf(body, await ask<Bridge>("GET", []))
      if (Object.keys(changes).length > 0) await ask("PATCH", [], changes)
      return { settings: { instanceName: instance, settings: settingsOf(await ask<Bridge>("GET", [])) } }
    },
    201,
  ),
  on("GET settings/find", nothing, async ({ ask }) => settingsOf(await ask<Bridge>("GET", []))),
  on(
    "POST proxy/set",
    ProxyInBody,
    async ({ ask, body, instance }) => {
      await ask("PATCH", [], { proxy_url: proxyUrlOf(body) })
      return { proxy: { instanceName: instance, proxy: { ...body, password: undefined } } }
    },
    201,
  ),
  on("GET proxy/find", nothing, async ({ ask, instance }) => {
    const none = { enabled: false, host: "", port: "", protocol: "", username: "", password: "" }
    return proxyOf(await ask<Bridge>("GET", [])) ?? { ...none, instanceId: instance }
  }),
  on(
    "POST webhook/set",
    SetWebhook,
    async (here) => {
      await setWebhook(here, here.body.webhook)
      return await webhookOf(here)
    },
    201,
  ),
  on("GET webhook/find", nothing, webhookOf),
]
